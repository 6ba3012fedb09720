"""Plant errors in a table and say where they are."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.errors import LawfulError

SLIP_SHARE = 0.5
"""How many errors are slips of the pen; the others are values that belong to another row."""

_ERROR_STREAM = 1


class Planted(NamedTuple):
    """A table with errors, and one row (row, column, before, after) for each of them.

    `row` counts from 0; `before` and `after` are text, NULL for NULL; the order is by row, then column.
    """

    table: pa.Table
    errors: pa.Table


def plant(table: pa.Table, share: float, *, seed: int = 0) -> Planted:
    """Change the given share of all cells, chosen at random, each to a value that it did not have.

    Columns that hold nothing but NULL stay as they are and do not count.
    """
    if not 0 <= share <= 1:
        raise LawfulError(f"The share of errors is {share}; give a number between 0 and 1.")
    # A seed of its own, as the same numbers may have made the table.
    rng = np.random.default_rng([seed, _ERROR_STREAM])
    positions = [i for i, column in enumerate(table.columns) if column.null_count < len(column)]
    rows, hits = _choose_cells(table.num_rows, len(positions), share, rng)
    before = np.full(len(rows), None, dtype=object)
    after = before.copy()
    for nth, position in enumerate(positions):
        here = np.flatnonzero(hits == nth)
        column = table.column(position).combine_chunks()
        old = column.take(pa.array(rows[here])).to_pylist()
        new = _wrong_values(old, column, rng)
        before[here] = _as_text(old)
        after[here] = _as_text(new)
        spoiled = _overwrite(column, rows[here], new)
        table = table.set_column(position, table.schema.field(position), spoiled)
    names = pa.array([table.column_names[i] for i in positions], pa.string())
    errors = {
        "row": pa.array(rows),
        "column": names.take(pa.array(hits)),
        "before": pa.array(before, pa.string()),
        "after": pa.array(after, pa.string()),
    }
    return Planted(table, pa.table(errors))


def _choose_cells(
    rows: int, columns: int, share: float, rng: np.random.Generator
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Row and column of distinct cells, in reading order."""
    cells = rng.choice(rows * columns, round(share * rows * columns), replace=False, shuffle=False)
    cells = np.sort(cells.astype(np.int64))
    return cells // max(columns, 1), cells % max(columns, 1)


def _wrong_values(values: list[object], column: pa.Array, rng: np.random.Generator) -> list[object]:
    """For each value another one: of the same column, or the value with a slip."""
    pool = column.unique().drop_null()
    strangers = pool.take(pa.array(rng.integers(len(pool), size=len(values)))).to_pylist()
    slips = rng.random(len(values)) < SLIP_SHARE
    places = rng.random(len(values))
    return [
        # Compared as text, since NaN differs from itself.
        stranger
        if value is None or (not slips[i] and str(stranger) != str(value))
        else _slip(value, places[i])
        for i, (value, stranger) in enumerate(zip(values, strangers, strict=True))
    ]


def _slip(value: object, place: float) -> object:
    """The value with a small mistake, which never leaves it as it is; `place` is in [0, 1)."""
    match value:
        case bool():
            return not value
        case int():
            return value ^ 1  # unlike value + 1, fits the integer type at both of its ends
        case float():
            return 0.0 if value else 1.0
        case str():
            at = int(place * (len(value) + 1))
            return f"{value[:at]}x{value[at:]}"
        case date():
            return value + timedelta(days=1)
    raise LawfulError(f"Errors can be planted in numbers, texts and dates, not in {value!r}.")


def _as_text(values: Iterable[object]) -> list[str | None]:
    return [None if value is None else str(value) for value in values]


def _overwrite(column: pa.Array, rows: npt.NDArray[np.int64], values: list[object]) -> pa.Array:
    mask = np.zeros(len(column), dtype=bool)
    mask[rows] = True
    return pc.replace_with_mask(column, pa.array(mask), pa.array(values, column.type))
