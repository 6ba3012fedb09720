"""Every object that a person may want to see, as the command line prints it, also as HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import singledispatch
from html import escape
from io import StringIO
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.changes import LawChange, LawState
from lawful.checking.checked_laws import CheckedLaws
from lawful.report.change_tables import print_change, print_state
from lawful.report.collection import Laws
from lawful.report.column_table import describe, print_columns
from lawful.report.sentences import SHOWN
from lawful.report.tables import print_laws
from lawful.report.verdict_tables import print_approximate, print_verdicts
from lawful.table import Relation

_VIOLATIONS = 5  # of a law


@singledispatch
def print_thing(thing: object, console: Console) -> None:
    """Print a thing: its text, where there is no table for it."""
    console.print(Text(str(thing)))


print_thing.register(Laws, print_laws)
print_thing.register(LawState, print_state)
print_thing.register(LawChange, print_change)


@print_thing.register
def _(relation: Relation, console: Console) -> None:
    print_columns(describe("table", relation), console)


@print_thing.register
def _(verdicts: CheckedLaws, console: Console) -> None:
    if len(verdicts) > SHOWN:
        print_approximate(verdicts, console, SHOWN)
    else:
        print_verdicts(verdicts, console, _VIOLATIONS)


def as_text(thing: object) -> str:
    """What is printed of a thing, as plain text of any width."""
    out = StringIO()
    print_thing(thing, Console(file=out, width=100_000, no_color=True, highlight=False))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines())


class HtmlConsole(Console):
    """Makes HTML of the tables and texts that are printed to it."""

    def __init__(self) -> None:
        super().__init__(highlight=False, quiet=True)
        self.parts: list[str] = []

    def print(self, *objects: Any, **_: Any) -> None:
        """Add tables as tables, and all else as a line of text."""
        for printed in objects:
            self.parts.append(_table(printed) if isinstance(printed, Table) else _line(printed))


def as_html(thing: object) -> str:
    """What is printed of a thing, as HTML."""
    console = HtmlConsole()
    print_thing(thing, console)
    return f"<div>{''.join(console.parts)}</div>"


def _line(text: Any) -> str:
    style = "font-weight:bold;" if "bold" in str(getattr(text, "style", "")) else ""
    return f'<div style="{style}white-space:pre-wrap">{escape(str(text).strip(chr(10)))}</div>'


def _table(table: Table) -> str:
    head = _row("th", [column.header for column in table.columns], table)
    rows = zip(*(column.cells for column in table.columns), strict=True)
    body = "".join(_row("td", row, table) for row in rows)
    return f"<table><thead>{head}</thead><tbody>{body}</tbody></table>"


def _row(cell: str, contents: Sequence[Any], table: Table) -> str:
    cells = (
        f'<{cell} style="text-align:{column.justify}">{escape(str(content))}</{cell}>'
        for content, column in zip(contents, table.columns, strict=True)
    )
    return f"<tr>{''.join(cells)}</tr>"
