"""Ranks with gaps: always in the order of the values of all rows that there ever were."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from rank_oracle import dense_ranks

from examples import examples
from lawful.table import SourceOptions, numbering, read
from lawful.table.spaced import SpacedRanks

Nulls = Literal["equal", "distinct"]
KINDS = {
    "a": (pa.int64(), st.none() | st.integers(-9, 9)),
    "b": (pa.int64(), st.integers(0, 30)),
    "c": (pa.string(), st.none() | st.text("aé", max_size=3)),
    "d": (pa.float64(), st.none() | st.sampled_from([0.5, -0.0, 0.0, 2.0, float("inf"), float("nan")])),
    "e": (pa.decimal128(38, 2), st.none() | st.integers(0, 99).map(lambda cents: Decimal(cents) / 100)),
    "f": (pa.string(), st.sampled_from(["a", "é", "aaa", "b"])),
}
ROWS = st.lists(st.tuples(*(values for _, values in KINDS.values())), max_size=12)
GROUPS = [(0, 1), (2, 5)]
SCALES = [*GROUPS, (3,), (4,)]


def table(rows: list[Any]) -> pa.Table:
    """Rows as a typed table."""
    columns = zip(*rows, strict=True) if rows else [[] for _ in KINDS]
    pairs = zip(KINDS.items(), columns, strict=True)
    return pa.table({name: pa.array(list(column), kind) for (name, (kind, _)), column in pairs})


def dense(numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """The same without gaps; -1 stays."""
    flat = numbers.ravel()
    ranks = np.full(len(flat), -1, np.int32)
    ranks[flat >= 0] = np.unique(flat[flat >= 0], return_inverse=True)[1]
    return ranks


def numbers_of(spaced: SpacedRanks) -> npt.NDArray[np.int32]:
    """The numbers of the rows that there were, without the room behind them."""
    return spaced.ranks[:, : len(spaced.alive)]


def check(spaced: SpacedRanks, everything: list[Any], gone: set[int], nulls: Nulls) -> None:
    ranks, ranks_now = numbers_of(spaced), spaced.dense(np.flatnonzero(spaced.alive))
    assert ranks.shape == (len(KINDS), len(everything))
    assert spaced.alive.tolist() == [row not in gone for row in range(len(everything))]
    assert ranks_now.shape == (len(KINDS), len(everything) - len(gone))
    for scale in SCALES:
        values = [row[column] for column in scale for row in everything]
        np.testing.assert_array_equal(dense(ranks[list(scale)]), dense_ranks(values, nulls))
        assert ranks_now[list(scale)].max(initial=-1) < len(values)
        values = [
            row[column] for column in scale for place, row in enumerate(everything) if place not in gone
        ]
        np.testing.assert_array_equal(dense(ranks_now[list(scale)]), dense_ranks(values, nulls))
    missing = [[row[column] is None for row in everything] for column in range(len(KINDS))]
    assert (ranks[np.array(missing, bool)] == (0 if nulls == "equal" else -1)).all()


@pytest.mark.parametrize("widest", [1, 3, 1 << 20])
@given(st.data(), st.lists(ROWS, min_size=2, max_size=6), st.sampled_from(["equal", "distinct"]))
@examples(10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_numbers_follow(
    widest: int, monkeypatch: pytest.MonkeyPatch, data: st.DataObject, batches: list[Any], nulls: Nulls
) -> None:
    monkeypatch.setattr(numbering, "WIDEST", widest)
    relation = read(table(batches[0]), SourceOptions(nulls=nulls))
    spaced = SpacedRanks(relation, GROUPS)
    everything, gone = list(batches[0]), set[int]()
    check(spaced, everything, gone, nulls)
    for batch in batches[1:]:
        new = data.draw(st.sets(st.sampled_from(relation.row_ids.tolist()))) if relation.n_rows else set()
        before = numbers_of(spaced).copy()
        relation.turn_to(relation.prepare(table(batch), delete=new))
        if data.draw(st.booleans()):
            relation.clean()
        spaced.follow()
        everything, gone = everything + batch, gone | new
        check(spaced, everything, gone, nulls)
        moved = np.flatnonzero((before != spaced.ranks[:, : before.shape[1]]).any(axis=1))
        assert set(moved.tolist()) <= spaced.renumbered
        check(SpacedRanks(relation, GROUPS), everything, gone, nulls)


def test_several_changes_at_once() -> None:
    relation = read([{"a": 5}])
    spaced = SpacedRanks(relation)
    relation.append([{"a": 7}, {"a": 6}])
    relation.delete([1])
    relation.append([{"a": 1}])
    spaced.follow()
    assert dense(numbers_of(spaced)).tolist() == [1, 3, 2, 0]
    assert spaced.alive.tolist() == [True, False, True, True]


def test_a_type_that_becomes_more_general() -> None:
    relation = read([{"a": 9}, {"a": 10}])
    spaced = SpacedRanks(relation)
    relation.append([{"a": "x"}])
    spaced.follow()
    assert spaced.renumbered == {0}
    assert dense(numbers_of(spaced)).tolist() == [1, 0, 2]


def test_ascending_values_seldom_renumber() -> None:
    relation = read([{"a": 2 * row} for row in range(100)])
    spaced = SpacedRanks(relation)
    for row in range(100, 200):
        relation.append([{"a": 2 * row}, {"a": -row}, {"a": 2 * (row - 100) + 1}])
        spaced.follow()
        assert not spaced.renumbered


def test_a_full_gap_gets_room() -> None:
    """Values that come one after another in one place do not move all others each time."""
    relation = read([{"a": "a"}, {"a": "z"}])
    spaced = SpacedRanks(relation)
    times = 0
    for row in range(100):
        relation.append([{"a": f"b{row:03}"}])
        spaced.follow()
        times += bool(spaced.renumbered)
    assert times < 10


def test_rows_are_rarely_copied() -> None:
    relation = read([{"a": row} for row in range(50)])
    spaced = SpacedRanks(relation)
    copies, room = 0, spaced.ranks.base
    for row in range(50):
        relation.append([{"a": row}])
        spaced.follow()
        copies, room = copies + (spaced.ranks.base is not room), spaced.ranks.base
    assert copies < 3
