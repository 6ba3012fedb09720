"""The order of texts, and which are distinct, against Python's own."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawful.table import distinct_values as distinct
from lawful.table import pieces, sorting

KINDS = st.sampled_from([pa.string(), pa.large_string()])
LETTERS = st.text(st.sampled_from("\0a\x7fé\U00010000"), max_size=11)
SHARED = st.sampled_from(["", "aé", "a" * 9, "\0" * 21, "aaaaaaa\U00010000" * 5])


@st.composite
def lists_of_texts(draw: st.DrawFn) -> list[str]:
    """Texts of few letters, of which many begin alike."""
    texts = st.tuples(SHARED, LETTERS, st.sampled_from(["", "a" * 30])).map("".join)
    first = draw(SHARED)
    return [first + text for text in draw(st.lists(texts, max_size=12))]


@pytest.mark.parametrize("few", [0, sorting.FEW])
@given(lists_of_texts(), KINDS, st.integers(0, 3))
def test_texts(few: int, texts: list[str], kind: pa.DataType, start: int) -> None:
    values = pa.array(texts, kind).slice(start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "FEW", few)
        places = sorting.sorted_places(values)
    assert values.take(pa.array(places)).to_pylist() == sorted(texts[start:], key=str.encode)


@pytest.mark.parametrize(
    ("values", "places"),
    [([3, 1, 2], [1, 2, 0]), ([0.5, float("nan"), -1.0], [2, 0, 1]), ([1, 1, 2], [0, 1, 2]), ([], [])],
)
def test_other_types(values: list[float], places: list[int]) -> None:
    assert sorting.sorted_places(pa.array(values, pa.float64())).tolist() == places


@given(lists_of_texts(), KINDS, st.integers(0, 3), st.data())
def test_distinct_texts(texts: list[str], kind: pa.DataType, start: int, data: st.DataObject) -> None:
    """As many texts as are sorted in parts, although they are few."""
    some = data.draw(st.lists(st.sampled_from([None, *texts]), max_size=20))
    values = pa.array(some, kind).slice(start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct, "_MANY", 2)
        found, codes = distinct.distinct_values(values)
    assert found.take(pa.array(codes)).to_pylist() == some[start:]
    assert set(found.to_pylist()) == set(some[start:])
    assert len(found) == len(set(some[start:]))


@given(st.lists(st.sampled_from([None, 0.0, -0.0, 1.5, float("nan")]), min_size=3, max_size=12))
def test_columns_that_hardly_repeat_are_encoded_alike(values: list[float | None]) -> None:
    """Only what the first two values tell may differ: a dictionary with or without values that repeat."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "TELLING", 2)
        encoded = pieces.encode(pa.array(values, pa.float64()))
    plain = pieces.encode(pa.array(values, pa.float64()))
    assert str(encoded.dictionary_decode().to_pylist()) == str(plain.dictionary_decode().to_pylist())
    assert len(distinct.distinct_values(encoded.dictionary)[0]) == len(plain.dictionary)


def test_many_texts() -> None:
    texts = [f"customer-{number * 7 % 50_000:05d}-{number % 3}" for number in range(1 << 17)]
    found, codes = distinct.distinct_values(pa.array(texts))
    assert found.to_pylist() == sorted(set(texts))
    assert found.take(pa.array(codes)).to_pylist() == texts
