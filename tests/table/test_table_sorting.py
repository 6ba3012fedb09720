"""The order of texts, against Arrow's own."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lawful.table import sorting

TEXTS = st.lists(st.text(st.sampled_from("\0a\x7fé\U00010000"), max_size=11), max_size=12)


@pytest.mark.parametrize("few", [0, sorting.FEW])
@given(TEXTS, st.sampled_from([pa.string(), pa.large_string()]), st.integers(0, 3))
def test_texts(few: int, texts: list[str], kind: pa.DataType, start: int) -> None:
    values = pa.array(texts, kind).slice(start)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "FEW", few)
        places = sorting.sorted_places(values)
    assert values.take(pa.array(places)).to_pylist() == sorted(texts[start:], key=str.encode)


@pytest.mark.parametrize(
    ("values", "places"), [([3, 1, 2], [1, 2, 0]), ([0.5, float("nan"), -1.0], [2, 0, 1]), ([], [])]
)
def test_other_types(values: list[float], places: list[int]) -> None:
    assert sorting.sorted_places(pa.array(values, pa.float64())).tolist() == places
