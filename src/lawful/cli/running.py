"""How every command runs: its arguments, its errors in one line each, its output."""

from __future__ import annotations

import errno
import inspect
import os
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import wraps
from itertools import groupby
from typing import Any, get_type_hints

import typer
from rich.console import Console
from typer import Typer
from typer.core import TyperGroup

from lawful.errors import LawfulError
from lawful.laws.text import visible

Run = Callable[..., None]
_OF_PLACES = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}  # nothing can be written


def command(examples: str) -> Callable[[Run], Run]:
    """Makes a Typer command of a function; its help ends with the examples, a line each.

    Where a parameter is a dataclass, the command has an argument for each of its fields instead; one of these
    is `debug`. Errors become one line each.
    """

    def made(function: Run) -> Run:
        run = _told_briefly(function)
        run.examples = inspect.cleandoc(examples).splitlines()  # type: ignore[attr-defined]
        return run

    return made


def _told_briefly(function: Run) -> Run:
    own = inspect.signature(function, eval_str=True).parameters
    groups: dict[str, Any] = {
        name: one.annotation for name, one in own.items() if is_dataclass(one.annotation)
    }
    parameters = [parameter for group in groups.values() for parameter in _parameters_of(group)]
    parameters += [
        one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for name, one in own.items() if name not in groups
    ]

    @wraps(function)
    def run(**arguments: Any) -> None:
        debug = arguments["debug"]
        for name, group in groups.items():
            given = {field.name: arguments.pop(field.name) for field in fields(group)}
            arguments[name] = group(**given)
        with told_in_one_line(debug):
            function(**arguments)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    return run


def _parameters_of(group: Any) -> Iterator[inspect.Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for field in fields(group):
        default = getattr(group, field.name, inspect.Parameter.empty)
        kind = inspect.Parameter.KEYWORD_ONLY
        yield inspect.Parameter(field.name, kind, default=default, annotation=hints[field.name])


@contextmanager
def told_in_one_line(debug: bool) -> Iterator[None]:
    """Errors on standard error: what to do, or with `debug` also where it happened."""
    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt as interrupt:
        if interrupt.args:
            print(f"lawful: interrupted: {visible(str(interrupt))}", file=sys.stderr)
        raise typer.Exit(130) from None
    except Exception as error:
        if debug:
            traceback.print_exc()
        if _was_interrupted(error):
            raise typer.Exit(130) from None
        expected = isinstance(error, LawfulError)
        print(f"lawful: {visible(str(error)) if expected else _unexpected(error)}", file=sys.stderr)
        raise typer.Exit(2) from None


@contextmanager
def writing() -> Iterator[None]:
    """Whatever is printed within the block is written at its end, so that a failure is ours to tell."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python tries again at exit; this time it succeeds.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise typer.Exit(1) from None
        raise LawfulError(
            f"the output cannot be written ({error.strerror}): make room for it, or write it elsewhere"
        ) from error


def _was_interrupted(error: BaseException | None) -> bool:
    """Whether an error came up while Ctrl-C was handled, as where it has cut an import short."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None


def _unexpected(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "there is no more memory: --max-size, --columns and --exclude make a search smaller"
    if isinstance(error, OSError) and error.errno in _OF_PLACES:
        where = f" ({str(error.filename)!r})" if error.filename else ""
        hint = "look at the folder, or choose another; TMPDIR names that of temporary files"
        return f"{os.strerror(error.errno).lower()}{where}: {hint}"
    first_line = next(iter(str(error).splitlines()), "")
    return f"unexpected {type(error).__name__}: {first_line} (run with --debug for the traceback)"


def messages(quiet: bool = False) -> Console:
    """Where everything but results is told."""
    return Console(stderr=True, highlight=False, quiet=quiet)


def console() -> Console:
    """Where results are printed."""
    # Nothing may be cut off or broken where no terminal sets a width.
    return Console(width=None if sys.stdout.isatty() else 100_000, highlight=False)


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
