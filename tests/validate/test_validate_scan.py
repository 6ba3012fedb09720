"""Scans of classes for violating pairs against the oracle."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import all_candidates, all_targets, law_of, oracle_of, ranked

import naive
from examples import examples
from lawful.laws.targets import DUPLICATE, NO_COMPARISON, as_targets
from lawful.table.ranked import RankedRows
from lawful.validate.partition import new_path, partition_at, refine_path
from lawful.validate.scan import columns_agreeing, keep_closest, violating_pairs


@examples(200)
@given(ranked(), st.data())
def test_a_scan_finds_one_violating_pair_in_each_class_that_has_one(
    rows: RankedRows, data: st.DataObject
) -> None:
    candidate = data.draw(st.sampled_from(all_candidates(rows)))
    context, target = candidate
    path = new_path(rows.orders[max(target[0], 0)], 8)
    columns = np.array([*context, 0], np.int64)
    path = refine_path(path, rows.ranks, columns, len(context), rows.counts, as_targets([DUPLICATE])[0])
    classes, ends = partition_at(path, len(context))
    beside = [one for one in all_targets(rows) if one[2] == NO_COMPARISON or one[0] == target[0]]
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


@examples(200)
@given(ranked(max_rows=8), st.data())
def test_the_closest_pairs_are_kept(rows: RankedRows, data: st.DataObject) -> None:
    if rows.count < 2:
        return
    pairs = np.array(
        data.draw(st.lists(st.sampled_from([*combinations(range(rows.count), 2)]), max_size=10)), np.int32
    ).reshape(-1, 2)
    table = oracle_of(rows)
    equal = [sum(naive.sign(table, c, t, s) == "=" for c in table.columns) for t, s in pairs.tolist()]
    assert [columns_agreeing(rows.ranks, t, s) for t, s in pairs] == equal
    keep = data.draw(st.integers(1, 12))
    kept = pairs.copy()
    count = keep_closest(rows.ranks, kept, len(pairs), keep)
    assert count == min(keep, len(pairs))
    assert [columns_agreeing(rows.ranks, t, s) for t, s in kept[:count]] == sorted(equal, reverse=True)[
        :count
    ]
    assert sorted(map(tuple, kept.tolist())) == sorted(map(tuple, pairs.tolist()))
