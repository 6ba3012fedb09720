"""Records (dicts of Python, objects of JSON) and sheets of spreadsheets (.xlsx, .xls, .ods) as tables."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.source_options import SourceOptions

_DIGITS = 38


def table_of_records(records: Iterable[Mapping[Any, Any]]) -> pa.Table:
    """A table with a column for each name: in the order of the first record, further ones sorted.

    What a record does not name is NULL. A column of several types holds texts, as with Spark.
    """
    columns: dict[str, list[Any]] = {}
    first: list[str] = []
    count = 0
    for count, record in enumerate(records, 1):
        for name, value in record.items():
            column = columns.setdefault(str(name), [])
            column.extend([None] * (count - 1 - len(column)))
            column.append(value)
        if count == 1:
            first = list(columns)
    names = [*first, *sorted(set(columns) - set(first))]
    for column in columns.values():
        column.extend([None] * (count - len(column)))
    return pa.table([typed_column(columns.pop(name)) for name in names], names=names)


def typed_column(values: Sequence[Any]) -> pa.Array:
    """Values of Python as a column of the type that they have in common, else of their texts."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError, ValueError):
        pass
    kinds = {type(value) for value in values if value is not None}
    if kinds == {int} and all(abs(value) < 10**_DIGITS for value in values if value is not None):
        return pa.array([None if value is None else Decimal(value) for value in values])
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values])
    return pa.array([value if value is None or isinstance(value, str) else _text(value) for value in values])


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True, default=str)


def read_sheet(path: str, options: SourceOptions) -> pa.Table:
    """The sheet that `options.table` names, or the only one that is not empty."""
    try:
        from python_calamine import CalamineError, load_workbook
    except ImportError:
        raise LawfulError(
            f"{path} is a spreadsheet, for which a package is missing: run `pip install 'lawful[xlsx]'`"
        ) from None
    try:
        with load_workbook(path) as book:
            rows = book.get_sheet_by_name(_chosen(book, path, options.table)).to_python()
    except CalamineError as problem:
        raise LawfulError(
            f"{path} cannot be read as xlsx ({problem}): check that it is whole, or give its format"
        ) from problem
    names = [str(cell) for cell in rows.pop(0)] if options.header else [""] * len(rows[0])
    return pa.Table.from_arrays([_column(cells) for cells in _turned(rows, len(names))], names=names)


def _chosen(book: Any, path: str, wanted: str | None) -> str:
    names = [name for name in book.sheet_names if book.get_sheet_by_name(name).total_height]
    if wanted is not None and wanted in book.sheet_names:
        return wanted
    shown = ", ".join(map(repr, names))
    if wanted is not None:
        raise LawfulError(f"{path} has no sheet {wanted!r}: name one of {shown} as its table (--table)")
    if not names:
        raise LawfulError(f"{path} is empty: give a file that holds a table")
    if len(names) > 1:
        raise LawfulError(f"{path} has several sheets: name one of {shown} as its table (--table)")
    return str(names[0])


def _turned(rows: list[list[Any]], width: int) -> list[list[Any]]:
    return [[row[place] for row in rows] for place in range(width)]


def _column(cells: list[Any]) -> pa.Array:
    """An empty cell is NULL; a spreadsheet has no integers, so whole numbers are."""
    values = [None if cell == "" else cell for cell in cells]
    numbers = [value for value in values if isinstance(value, float)]
    if all(value.is_integer() for value in numbers):
        values = [int(value) if isinstance(value, float) else value for value in values]
    if any(isinstance(value, datetime) for value in values):
        values = [datetime.combine(value, time()) if type(value) is date else value for value in values]
    return typed_column(values)
