"""Violating pairs and scores against the oracle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lawful.cover.targets import duplicates
from lawful.laws import FD, OD, Key, Law
from lawful.table.ranked import RankedRows
from lawful.validate.contexts import WORTH_KEEPING, Refinement
from lawful.validate.coverage import score_contexts
from lawful.validate.partition import new_path, partition_at, refine_path
from lawful.validate.scan import agreement, keep_closest, violating_pairs
from lawful.words import members_in_order, sort_keys

Target = tuple[int, int, int]
Candidate = tuple[frozenset[int], Target]


@st.composite
def ranked(draw: st.DrawFn, max_rows: int = 14) -> RankedRows:
    columns, rows = draw(st.integers(1, 5)), draw(st.integers(0, max_rows))
    highest = [draw(st.sampled_from([0, 1, 2, 6])) for _ in range(columns)]
    least = draw(st.sampled_from([-1, 0]))
    lines = [draw(st.lists(st.integers(least, most), min_size=rows, max_size=rows)) for most in highest]
    return RankedRows(np.array(lines, np.int32).reshape(columns, rows), [True] * columns)


def oracle_of(rows: RankedRows) -> naive.Table:
    values = [tuple(None if rank < 0 else int(rank) for rank in row) for row in rows.ranks.T]
    return naive.Table([str(column) for column in range(rows.columns)], values, None, "distinct")


def law_of(candidate: Candidate) -> Law:
    context, (left, right, direction) = candidate
    names = frozenset(map(str, context))
    if left < 0:
        return Key(names)
    return FD(names, str(left)) if right < 0 else OD(names, str(left), str(right), direction < 0)


def all_targets(columns: int) -> list[Target]:
    targets: list[Target] = [(-1, -1, 0), *((left, -1, 0) for left in range(columns))]
    return targets + [(a, b, d) for a, b in combinations(range(columns), 2) for d in (1, -1)]


def all_candidates(columns: int) -> list[Candidate]:
    return [
        (frozenset(context), target)
        for target in all_targets(columns)
        for size in range(columns + 1)
        for context in combinations([c for c in range(columns) if c not in target[:2]], size)
    ]


def violations(rows: RankedRows, candidate: Candidate) -> npt.NDArray[np.bool_]:
    """The pairs that break a law as a matrix, for tables that are too long for the oracle."""
    context, (left, right, direction) = candidate
    ranks = rows.ranks

    def same(column: int) -> npt.NDArray[np.bool_]:
        values = ranks[column]
        equal: npt.NDArray[np.bool_] = (values[:, None] == values) & (values[:, None] >= 0)
        return equal

    broken = ~np.eye(rows.count, dtype=np.bool_)
    for column in context:
        broken &= same(column)
    if left >= 0 and right < 0:
        broken &= ~same(left)
    if right >= 0:
        signs = [np.sign(ranks[side][:, None] - ranks[side]) for side in (left, right)]
        known = [(ranks[side][:, None] >= 0) & (ranks[side] >= 0) for side in (left, right)]
        broken &= known[0] & known[1] & (signs[0] * signs[1] == -direction)
    return broken


@settings(max_examples=200, deadline=None)
@given(ranked(), st.data())
def test_a_scan_finds_one_violating_pair_in_each_class_that_has_one(
    rows: RankedRows, data: st.DataObject
) -> None:
    candidate = data.draw(st.sampled_from(all_candidates(rows.columns)))
    context, target = candidate
    path = new_path(rows.orders[max(target[0], 0)], 8)
    columns = np.array([*context, 0], np.int64)
    path = refine_path(path, rows.ranks, columns, len(context), rows.counts, duplicates()[0])
    classes, ends = partition_at(path, len(context))
    beside = [one for one in all_targets(rows.columns) if one[1] < 0 or one[0] == target[0]]
    others = data.draw(st.lists(st.sampled_from(beside), max_size=3))
    place = data.draw(st.integers(0, len(others)))
    targets = np.array([*others[:place], target, *others[place:]])
    room = np.full((len(targets), data.draw(st.integers(1, 6)), 2), -1, np.int32)
    counted = np.full(len(targets), -1)
    violating_pairs(rows.ranks, classes, ends, targets, room, counted)
    room, found = room[place], counted[place]
    broken = naive.violations(law_of(candidate), oracle_of(rows))
    class_of = np.full(rows.count, -1)
    for number, group in enumerate(np.split(classes, ends[:-1])):
        class_of[group] = number
    assert found == min(len({int(class_of[t]) for t, _ in broken}), len(room))
    pairs = [tuple(sorted(pair)) for pair in room[:found].tolist()]
    assert set(pairs) <= broken
    assert len({int(class_of[t]) for t, _ in pairs}) == found


@settings(max_examples=200, deadline=None)
@given(ranked(max_rows=8), st.data())
def test_the_closest_pairs_are_kept(rows: RankedRows, data: st.DataObject) -> None:
    if rows.count < 2:
        return
    pairs = np.array(
        data.draw(st.lists(st.sampled_from([*combinations(range(rows.count), 2)]), max_size=10)), np.int32
    ).reshape(-1, 2)
    table = oracle_of(rows)
    equal = [sum(naive.sign(table, c, t, s) == "=" for c in table.columns) for t, s in pairs.tolist()]
    assert [agreement(rows.ranks, t, s) for t, s in pairs] == equal
    keep = data.draw(st.integers(1, 12))
    kept = pairs.copy()
    count = keep_closest(rows.ranks, kept, len(pairs), keep)
    assert count == min(keep, len(pairs))
    assert [agreement(rows.ranks, t, s) for t, s in kept[:count]] == sorted(equal, reverse=True)[:count]
    assert sorted(map(tuple, kept.tolist())) == sorted(map(tuple, pairs.tolist()))


@settings(max_examples=60, deadline=None)
@given(ranked(), st.sampled_from([0, WORTH_KEEPING]))
def test_contexts_are_scored_by_the_pairs_that_agree(rows: RankedRows, worth_keeping: int) -> None:
    contexts = [context for context, target in all_candidates(rows.columns) if target[0] < 0]
    sets = np.array([[sum(1 << column for column in context)] for context in contexts], np.uint64)
    atom_at = np.arange(rows.columns)
    keys = np.unique(sort_keys(sets, np.arange(64)), axis=0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("lawful.validate.contexts.WORTH_KEEPING", worth_keeping)
        scores = score_contexts(rows, keys, Refinement(atom_at))
    room = np.empty(rows.columns, np.int64)
    assert len(scores) == len(contexts)
    for key, score in zip(keys, scores, strict=True):
        context = frozenset(room[: members_in_order(key, atom_at, room)].tolist())
        agreeing = int(violations(rows, (context, (-1, -1, 0))).sum())
        assert score == pytest.approx((agreeing + rows.count) / rows.count**2 if rows.count else 1.0)
