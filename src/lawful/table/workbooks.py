"""Sheets of spreadsheet files (.xlsx, .xls, .ods) as tables."""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.records import typed_column
from lawful.table.source_options import SourceOptions


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
        raise LawfulError(f"{path} has no sheet {wanted!r}: name one of {shown} as its table")
    if not names:
        raise LawfulError(f"{path} is empty: give a file that holds a table")
    if len(names) > 1:
        raise LawfulError(f"{path} has several sheets: name one of {shown} as its table")
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
