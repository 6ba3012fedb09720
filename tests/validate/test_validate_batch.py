"""Batches of candidates against the oracle and against all pairs of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import (
    Candidate,
    all_candidates,
    all_targets,
    law_of,
    oracle_of,
    ranked,
    sets_of,
    violations,
    wide,
)

import naive
from examples import examples
from lawful.laws.codec import LawArrays
from lawful.laws.targets import LEFT, NO_COMPARISON, RIGHT
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.batch import validate_batch
from lawful.validate.candidates import Wanted
from lawful.validate.contexts import WORTH_KEEPING, refinement_for
from lawful.validate.known_sides import floors_of, no_floors
from lawful.validate.rating import Shuffles, in_order, rated

Matrix = npt.NDArray[np.bool_]


def validated(
    work: Workspace, candidates: Sequence[Candidate], keep: int
) -> list[tuple[Candidate, int, list[tuple[int, int]]]]:
    """Each candidate with the number of its violating pairs and the pairs, rows in order."""
    sets = sets_of([context for context, _ in candidates], work.rows.columns)
    refinement = refinement_for(sets, work.rows)
    keys = refinement.keys(sets)
    order = np.lexsort(keys.T[::-1])
    targets = np.array([target for _, target in candidates], np.int64).reshape(-1, 4)[order]
    asked = np.ascontiguousarray(keys[order]), refinement, targets, keep, no_floors(len(keys))
    found, pairs, sides = validate_batch(work, *asked)
    assert np.isnan(sides).all()
    assert len(pairs) == np.maximum(found, 0).sum()
    assert not work.rows.counts.any(), "scratch space must be left clean"
    parts = np.split(pairs, np.cumsum(np.maximum(found, 0))[:-1])
    return [
        (candidates[number], int(count), [(min(pair), max(pair)) for pair in part.tolist()])
        for number, count, part in zip(order.tolist(), found, parts, strict=False)
    ]


def check(
    rows: RankedRows, candidates: Sequence[Candidate], keep: int, broken_by: dict[Candidate, Matrix]
) -> None:
    """One pair of each class that has some, if so many are wanted."""
    for candidate, count, pairs in validated(Workspace(rows), candidates, keep):
        broken = broken_by[candidate]
        values = rows.ranks[sorted(candidate[0])][:, broken.any(axis=0)]
        assert count == min(keep, len({tuple(row) for row in values.T.tolist()}))
        assert all(broken[t, s] for t, s in pairs)
        assert len(set(pairs)) == count


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@examples(60)
@given(data=st.data())
def test_the_oracle_agrees(nulls: naive.Nulls, worth_keeping: int, data: st.DataObject) -> None:
    """Candidates of all kinds in any order within a context, on none to a few rows."""
    rows = data.draw(ranked(10))
    if nulls == "equal":
        rows = RankedRows(np.maximum(rows.ranks, 0), rows.ordered)
    chosen = st.sampled_from(all_candidates(rows))
    candidates = data.draw(st.lists(chosen, min_size=1, max_size=30))
    table, broken = oracle_of(rows, nulls), {}
    for candidate in candidates:
        broken[candidate] = np.zeros((rows.count, rows.count), np.bool_)
        for t, s in naive.violations(law_of(candidate), table):
            broken[candidate][[t, s], [s, t]] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        check(rows, candidates, data.draw(st.integers(1, 4)), broken)


def some_candidates(rows: RankedRows, most: int, data: st.DataObject) -> list[Candidate]:
    """Of wide tables too, where there are too many to list."""
    random = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    targets, candidates = all_targets(rows), []
    few = random.choice(rows.columns, min(rows.columns, 6), replace=False)
    for number in random.integers(0, len(targets), most):
        free = [column for column in few if column not in (targets[number][0], targets[number][2])]
        context = frozenset(int(c) for c in random.permutation(free)[: random.integers(0, len(free) + 1)])
        candidates.append((context, targets[number]))
    return candidates


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
@pytest.mark.parametrize("tables", [ranked(300, min_rows=100), wide(40)], ids=["long", "wide"])
@examples(60)
@given(data=st.data())
def test_all_pairs_agree(
    tables: st.SearchStrategy[RankedRows], worth_keeping: int, data: st.DataObject
) -> None:
    """On longer tables, whose small partitions are sorted, and on contexts of several words."""
    rows = data.draw(tables)
    candidates = some_candidates(rows, 25, data)
    broken = {candidate: violations(rows, candidate) for candidate in candidates}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        check(rows, candidates, data.draw(st.sampled_from([1, 10])), broken)


@pytest.mark.parametrize("count", [0, 1])
def test_every_law_holds_on_a_table_without_pairs(count: int) -> None:
    rows = RankedRows(np.zeros((3, count), np.int32), [True] * 3)
    assert {count for _, count, _ in validated(Workspace(rows), all_candidates(rows), 5)} == {0}


def test_no_candidates() -> None:
    assert validated(Workspace(RankedRows(np.zeros((2, 5), np.int32), [True] * 2)), [], 5) == []


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
def test_nothing_is_decided_after_a_halt(worth_keeping: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
    work = Workspace(RankedRows(np.zeros((2, 5), np.int32), [True] * 2))
    work.halt[0] = 1
    key = (frozenset([0]), (NO_COMPARISON, 0, NO_COMPARISON, 0))
    assert validated(work, [key], 5) == [(key, -1, [])]
    work.halt[0] = 0
    assert validated(work, [key], 5) == [(key, 1, [(0, 1)])]


def test_the_partitions_of_first_columns_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lawful.validate.contexts.WORTH_KEEPING", 0)
    work = Workspace(
        RankedRows(np.random.default_rng(0).integers(0, 3, (4, 50)).astype(np.int32), [True] * 4)
    )
    work.kept.limit(1 << 20)
    candidates = [candidate for candidate in all_candidates(work.rows) if len(candidate[0]) == 3]
    first = validated(work, candidates, 5)
    made = work.kept.made
    assert validated(work, candidates, 5) == first
    assert work.kept.made == made
    assert work.kept.reused > 0


@pytest.mark.parametrize("worth_keeping", [0, WORTH_KEEPING])
@examples(60)
@given(data=st.data())
def test_sides_are_worth_what_shuffles_of_them_tell(worth_keeping: int, data: st.DataObject) -> None:
    """Those of candidates that hold, and exactly where they are worth more than the floor."""
    rows = data.draw(st.one_of(ranked(12), ranked(80, min_rows=30)))
    candidates = some_candidates(rows, 30, data)
    sets = sets_of([context for context, _ in candidates], rows.columns)
    refinement = refinement_for(sets, rows)
    order = np.lexsort(refinement.keys(sets).T[::-1])
    targets, sets = np.array([target for _, target in candidates], np.int64)[order], sets[order]
    wanted = Wanted(data.draw(st.sampled_from([0.0, 3.0])), rows.columns)
    laws = LawArrays((targets[:, [LEFT, RIGHT]] >= 0).sum(axis=1), targets, sets)
    floors = floors_of(rows, laws, wanted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        asked = refinement.keys(sets), refinement, targets, 1, floors
        found, _, told = validate_batch(Workspace(rows), *asked)
    looked_at = (found == 0) & (targets[:, LEFT] >= 0) & (floors.bits > 0)
    assert (np.isnan(told) == ~looked_at).all()
    for k in np.flatnonzero(looked_at):
        sides = [side for side in targets[k, [LEFT, RIGHT]] if side >= 0]
        shuffles = Shuffles(np.full(len(sides), k), sets[[k] * len(sides)], np.array(sides))
        expected = rated(Workspace(rows), in_order(shuffles, targets, np.zeros(len(sets)), rows)[1]).min()
        assert told[k] <= floors.bits[k] if expected <= floors.bits[k] else told[k] == pytest.approx(expected)
