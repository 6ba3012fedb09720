"""Records (dicts of Python, objects of JSON) as a table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

import pyarrow as pa

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
