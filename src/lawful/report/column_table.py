"""The columns of a table, described for people and programs."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.laws.text import visible
from lawful.report.sentences import number

if TYPE_CHECKING:
    import pyarrow as pa

    from lawful.table import Relation

_SAMPLES = 4
_SAMPLE_LENGTH = 30
_NAME_LENGTH = 60  # on a terminal
_HANDFUL = 6


def describe(source: str, relation: Relation) -> dict[str, Any]:
    """What there is to say of each column, as plain data."""
    return {
        "source": source,
        "rows": relation.n_rows,
        "columns": [
            {
                "position": position,
                "name": column.name,
                "type": column.type,
                "ordered": column.ordered,
                "distinct": column.distinct,
                "nulls": column.nulls,
                "sample": _sample(relation.dictionary(column.name)),
            }
            for position, column in enumerate(relation.columns, start=1)
        ],
        "notes": list(relation.notes),
    }


def print_columns(description: dict[str, Any], console: Console) -> None:
    """Print a description as a table."""
    rows, found = description["rows"], description["columns"]
    longest = _NAME_LENGTH if console.is_terminal else sys.maxsize
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "column", "type", "ordered", "distinct", "NULLs", "sample values"):
        table.add_column(
            heading,
            justify="right" if heading in ("#", "distinct", "NULLs") else "left",
            overflow="ellipsis" if heading == "sample values" else "fold",
            no_wrap=heading == "sample values",
        )
    for column in found:
        table.add_row(
            str(column["position"]),
            Text(_shortened(visible(column["name"]), longest)),
            column["type"],
            "yes" if column["ordered"] else "no",
            f"{column['distinct']:,}",
            f"{column['nulls']:,}",
            Text(", ".join(_shown(value) for value in column["sample"])),
        )
    console.print(Text(f"{description['source']}: {number(rows, 'row')} x {number(len(found), 'column')}"))
    console.print(table)
    print_notes(description["notes"], console)


def print_notes(notes: Sequence[str], console: Console, source: str = "") -> None:
    """Print what could be misread, one line each; before a search in a source only a handful."""
    shown = notes[:_HANDFUL] if source else notes
    left = [f"and {len(notes) - len(shown)} more: lawful columns {source} shows them"]
    for note in [*shown, *left[: len(notes) - len(shown)]]:
        console.print(Text(f"note: {visible(note)}"), soft_wrap=True)


def _sample(dictionary: pa.Array) -> list[Any]:
    """A few of a column's values, spread evenly from the smallest to the largest."""
    values = dictionary.drop_null()
    last, count = len(values) - 1, min(_SAMPLES, len(values))
    chosen = sorted({round(step * last / max(1, count - 1)) for step in range(count)})
    return [_plain(values[place].as_py()) for place in chosen]


def _plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _shown(value: Any) -> str:
    return _shortened(visible(str(value)) or "''", _SAMPLE_LENGTH)


def _shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"
