"""Columns and values in a page: what they are called and hold, with small histograms."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.laws.exchange import standing_for
from lawful.laws.text import quoted
from lawful.report.collection import Laws
from lawful.table import Relation

_BARS = 24  # of a histogram
_VALUES = 8  # of a column without an order that is worth drawing: the most frequent ones

Counts = npt.NDArray[np.int64]

_LONGEST = 60  # characters of a value: what does not fit on a line tells nobody more
_LARGE = 1e6  # from here on nobody looks for decimals


def columns_document(laws: Laws, relation: Relation | None) -> list[dict[str, Any]]:
    """Each column: its name, what is known of its values, and which columns laws name in its place."""
    facts, number = laws.facts, {name: place for place, name in enumerate(laws.names)}
    constants = {*laws.constants}
    columns = [
        {
            "name": name,
            "quoted": quoted(name),
            "type": facts.types.get(name, ""),
            "nulls": facts.nulls.get(name, 0),
            "constant": name in constants,
            "standing": sorted(number[one] for one in standing_for(name, facts.equivalents)),
        }
        for name in laws.names
    ]
    return columns if relation is None else [*map(dict.__or__, columns, _seen(relation))]


def _seen(relation: Relation) -> Iterator[dict[str, Any]]:
    """What the rows say of each column."""
    for column, ranks in zip(relation.columns, relation.ranks(), strict=True):
        values = relation.dictionary(column.name)
        counts = np.bincount(ranks[ranks >= 0], minlength=len(values))
        known = values.is_valid().to_numpy(zero_copy_only=False)
        yield {
            "type": column.type,
            "nulls": column.nulls,
            "distinct": column.distinct,
            "bars": histogram(values.filter(pa.array(known)), counts[known]),
        }


def histogram(values: pa.Array, counts: Counts) -> dict[str, Any] | None:
    """How often values occur, given in their order: each one, ranges of numbers, or the most frequent."""
    if len(values) == 0:
        return None
    numbers = _numbers(values)
    if len(values) <= (_VALUES if numbers is None else _BARS):
        return _bars(values, counts)
    if numbers is None:
        return _most_frequent(values, counts)
    heights, _ = np.histogram(numbers, _BARS, weights=counts)
    least, most = rounded(values[0].as_py()), rounded(values[-1].as_py())
    return {"from": least, "to": most, "heights": heights.astype(int).tolist()}


def _bars(values: pa.Array, counts: Counts) -> dict[str, Any]:
    return {"values": [shown(one) for one in values.to_pylist()], "heights": counts.tolist()}


def _most_frequent(values: pa.Array, counts: Counts) -> dict[str, Any]:
    """The values that occur most often, and how many rows have others."""
    best = np.argsort(-counts, kind="stable")[:_VALUES]
    others = int(counts.sum() - counts[best].sum())
    return {**_bars(values.take(pa.array(best)), counts[best]), "others": others}


def _numbers(values: pa.Array) -> npt.NDArray[np.float64] | None:
    """Values on a scale: numbers, dates and times; None for others, or where one is infinite."""
    kind = values.type
    if pa.types.is_temporal(kind) and not pa.types.is_interval(kind):
        values = values.view(pa.int32() if kind.bit_width == 32 else pa.int64())
    elif not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None
    numbers: npt.NDArray[np.float64]
    numbers = values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    return numbers if np.isfinite(numbers).all() else None


def shown(value: Any) -> str | None:
    """A value as people read it; None is NULL."""
    match value:
        case None:
            return None
        case bytes():
            text = value.hex()
        case float():
            text = f"{value:.10g}"
        case _:
            text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def rounded(value: Any) -> str | None:
    """The end of a range of values; of a number only the digits that matter there."""
    if not isinstance(value, float | Decimal):
        return shown(value)
    number = float(value)
    return f"{number:.0f}" if abs(number) >= _LARGE else f"{number:.6g}"
