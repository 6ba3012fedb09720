"""Ranks by the obvious way: Python's own parsing, pandas' dense rank."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from lawful.table import Relation


def dense_ranks(values: Sequence[Any], nulls: str = "equal") -> npt.NDArray[np.int32]:
    """The dense rank of each value; NULL (None) first or -1, NaN last."""
    missing = np.array([value is None for value in values], dtype=bool)
    not_numbers = np.array([isinstance(value, float) and math.isnan(value) for value in values], dtype=bool)
    ordinary = ~missing & ~not_numbers
    present = [value for value, kept in zip(values, ordinary, strict=True) if kept]
    ranks = np.full(len(values), -1, dtype=np.int32)
    ranks[ordinary] = pd.Series(present, dtype=_dtype(present)).rank(method="dense").to_numpy() - 1
    ranks[not_numbers] = ranks.max(initial=-1) + 1
    return ranks + 1 if missing.any() and nulls == "equal" else ranks


def understand(texts: Sequence[str]) -> tuple[str, list[Any]]:
    """The type of a CSV column, and its values; an empty text is NULL."""
    distinct = {text for text in texts if text}
    if not distinct:
        return "null", [None] * len(texts)
    for name, parse in _parsers():
        try:
            known = {text: parse(text.strip()) for text in distinct}
        except ValueError:
            continue
        return name, [known[text] if text else None for text in texts]
    return "string", [text or None for text in texts]


def assert_same(one: Relation, other: Relation) -> None:
    """Two relations that say the same about the same rows."""
    assert one.columns == other.columns
    np.testing.assert_array_equal(one.ranks(), other.ranks())
    for name in one.names:
        assert values(one, name) == values(other, name), name


def values(relation: Relation, column: str) -> list[Any]:
    """The dictionary of a column as Python values that can be compared: NaN is itself."""
    return ["NaN" if value != value else value for value in relation.dictionary(column).to_pylist()]


def _dtype(present: Sequence[Any]) -> str:
    return "float64" if present and isinstance(present[0], float) else "object"


def _parsers() -> tuple[tuple[str, Callable[[str], Any]], ...]:
    return (
        ("integer", _matching(r"[+-]?\d+", int)),
        ("decimal", _matching(r"[+-]?(\d+\.?\d*|\.\d+)", Decimal)),
        ("float", float),
        ("boolean", _matching("true|false", lambda text: text.lower() == "true")),
        ("date", _matching(r"\d{4}-\d\d-\d\d", date.fromisoformat)),
        ("date", lambda text: datetime.strptime(text, "%m/%d/%Y").date()),
        ("timestamp", _matching(r"\d{4}-\d\d-\d\d.*", datetime.fromisoformat)),
    )


def _matching(pattern: str, make: Callable[[str], Any]) -> Callable[[str], Any]:
    def parse(text: str) -> Any:
        if not re.fullmatch(pattern, text, re.IGNORECASE):
            raise ValueError(text)
        return make(text)

    return parse
