"""What is printed on terminals as HTML, with the same words: colours are those of the page."""

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

from rich.console import Console
from rich.table import Table


class HtmlConsole(Console):
    """Makes HTML of the tables and texts that are printed to it."""

    def __init__(self) -> None:
        super().__init__(highlight=False, quiet=True)
        self.parts: list[str] = []

    def print(self, *objects: Any, **_: Any) -> None:
        """Add tables as tables, and all else as a line of text."""
        for printed in objects:
            self.parts.append(_table(printed) if isinstance(printed, Table) else _line(printed))


def as_html(show: Callable[[Any, Console], None], thing: object) -> str:
    """What a function prints of a thing, as HTML."""
    console = HtmlConsole()
    show(thing, console)
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
