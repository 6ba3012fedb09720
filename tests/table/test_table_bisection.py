"""Places in sorted arrays, against counting."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.table.bisection import places_among

DECIMAL = pa.decimal128(38, 2)
CENTS = st.integers(-500, 500).map(lambda cents: Decimal(cents) / 100)
HUGE = st.integers(-(10**20), 10**20).map(Decimal)  # more than 64 bits
VALUES: dict[str, tuple[pa.DataType, st.SearchStrategy[Any]]] = {
    "texts": (pa.string(), st.text("aébZ0", max_size=3)),
    "large texts": (pa.large_string(), st.text("ab", max_size=2)),
    "decimals": (DECIMAL, CENTS),
    "huge decimals": (DECIMAL, CENTS | HUGE),
    "floats": (pa.float64(), st.sampled_from([-1.5, 0.0, 2.0, 9e99])),
    "integers": (pa.int64(), st.integers(-9, 9)),
    "flags": (pa.bool_(), st.booleans()),
}


@pytest.mark.parametrize("name", VALUES)
@given(st.data())
@examples(40)
def test_places(name: str, data: st.DataObject) -> None:
    """NULLs among both, and arrays that are parts of others."""
    kind, some = VALUES[name]
    before, values = data.draw(st.lists(some, max_size=2)), data.draw(st.sets(some, max_size=12))
    wanted = data.draw(st.lists(st.none() | some, max_size=6))
    nulls = data.draw(st.integers(0, 1))
    ordered = pa.array([*before, *[None] * nulls, *sorted(values)], kind).slice(len(before))
    asked = pa.array([*before, *wanted], kind).slice(len(before))
    places = [0 if one is None else nulls + sum(value < one for value in values) for one in wanted]
    there = [nulls > 0 if one is None else one in values for one in wanted]
    found = places_among(ordered, asked)
    assert (found[0].tolist(), found[1].tolist()) == (places, there)


def test_places_of_what_is_no_number() -> None:
    """NaN is the last of all, and itself."""
    nan = float("nan")
    places, there = places_among(pa.array([1.0, 2.0, nan]), pa.array([nan, 3.0, 2.0]))
    assert (places.tolist(), there.tolist()) == ([2, 2, 1], [True, False, True])
    assert places_among(pa.array([1.0, 2.0]), pa.array([nan]))[0].tolist() == [2]
