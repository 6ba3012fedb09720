"""How `lawful --help` shows the commands: in groups, each with an example."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from typer import Typer
from typer.core import TyperGroup


class GroupedCommands(TyperGroup):
    """Commands under the name of their group; plain text, which reads alike on a terminal and in a pipe."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write what each command does, and how it is called."""
        every: Any = self.commands.values()
        for group, commands in groupby(every, lambda command: command.rich_help_panel):
            with formatter.section(group):
                formatter.write_dl([line for command in commands for line in _lines_of(command)])


def _lines_of(command: Any) -> Iterator[tuple[str, str]]:
    yield command.name, command.help.partition("\n")[0]
    yield "", f"$ {command.callback.examples[0]}"


def add_commands(app: Typer, groups: dict[str, tuple[Callable[..., None], ...]]) -> None:
    """Give the app its commands, in this order."""
    for group, commands in groups.items():
        for run in commands:
            app.command(epilog=examples_at_end(run.examples), rich_help_panel=group)(run)  # type: ignore[attr-defined]


def examples_at_end(lines: list[str]) -> str:
    """What a help text ends with: \\b keeps the lines as they are."""
    return "\n".join(["Examples:\n", "\b", *(f"  {line}" for line in lines)])
