"""Stripped partitions against grouping by tuples."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import classes_by_hand, classes_of, in_any_order

from examples import examples
from lawful.laws.comparisons import GREATER
from lawful.laws.targets import DUPLICATE, as_targets, splits, swaps
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate.partition import coverage, new_loose_path, new_path, partition_at, product, refine_path

GUARD = -7


@st.composite
def ranked(draw: st.DrawFn, max_rows: int = 30) -> Ranks:
    columns, rows = draw(st.integers(1, 5)), draw(st.integers(0, max_rows))
    highest = [draw(st.sampled_from([0, 1, 2, 10])) for _ in range(columns)]
    lines = [draw(st.lists(st.integers(-1, most), min_size=rows, max_size=rows)) for most in highest]
    return RankedRows(np.array(lines, np.int32).reshape(columns, rows), [True] * columns).ranks


@examples(150)
@given(ranked(), st.data())
def test_a_path_holds_the_partition_of_every_beginning(ranks: Ranks, data: st.DataObject) -> None:
    """Also after going back some way and on by other columns; the order of rows is kept in every class."""
    columns, count = ranks.shape
    order = np.random.default_rng(data.draw(st.integers(0, 99))).permutation(count).astype(np.int32)
    counts = np.zeros(11, np.int32)
    path = new_path(order, data.draw(st.integers(1, 3)))
    context = np.zeros(columns, np.int64)
    for _ in range(3):
        wanted = np.array(data.draw(st.permutations(range(columns))), np.int64)
        kept = int(np.argmax(np.append(wanted != context, True)))
        path.made[0] = min(path.made[0], kept)
        context[:] = wanted
        depth = data.draw(st.integers(0, columns))
        path = refine_path(path, ranks, context, depth, counts, as_targets([DUPLICATE])[0])
        for d in range(depth + 1):
            rows, ends = partition_at(path, d)
            expected = classes_by_hand(ranks, order.tolist(), context[:d].tolist())
            assert classes_of(rows, ends) == expected
            pairs = sum(len(group) * (len(group) - 1) for group in expected)
            share = pairs / (count * (count - 1)) if count > 1 else 1.0
            assert coverage(ends, count) == pytest.approx(share)
        assert not counts.any(), "scratch space must be left clean"


@examples(100)
@given(ranked(), st.data())
def test_a_loose_path_holds_the_same_classes_in_any_order(ranks: Ranks, data: st.DataObject) -> None:
    table = RankedRows(ranks, [True] * len(ranks))
    context = np.array(data.draw(st.permutations(range(len(ranks)))), np.int64)
    path = new_loose_path(table.orders, 1)
    path = refine_path(path, ranks, context, len(context), table.counts, as_targets([DUPLICATE])[0])
    for depth in range(len(context) + 1):
        rows, ends = partition_at(path, depth)
        expected = classes_by_hand(ranks, range(ranks.shape[1]), context[:depth].tolist())
        assert in_any_order(classes_of(rows, ends)) == expected


@examples(200)
@given(ranked(), st.data())
def test_a_product_refines_any_partition(ranks: Ranks, data: st.DataObject) -> None:
    columns = data.draw(st.permutations(range(ranks.shape[0])))
    given_classes = classes_by_hand(ranks, range(ranks.shape[1]), columns[1:])
    rows = np.array([row for group in given_classes for row in group], np.int32)
    ends = np.cumsum([len(group) for group in given_classes]).astype(np.int32)
    # Rows and classes cannot become more; the contract asks for one place behind them.
    out, out_ends = np.full(len(rows) + 9, GUARD, np.int32), np.full(len(rows) // 2 + 9, GUARD, np.int32)
    room = out[: len(rows) + 1], out_ends[: len(rows) // 2 + 1]
    size, found = product(rows, ends, ranks[columns[0]], np.zeros(11, np.int32), *room)
    assert (out[len(rows) + 1 :] == GUARD).all(), "written behind the end"
    assert (out_ends[len(rows) // 2 + 1 :] == GUARD).all(), "written behind the end"
    assert classes_of(out[:size], out_ends[:found]) == classes_by_hand(ranks, range(ranks.shape[1]), columns)


@examples(200)
@given(ranked(), st.data())
def test_a_path_for_a_target_keeps_the_classes_with_violations(ranks: Ranks, data: st.DataObject) -> None:
    columns = len(ranks)
    targets = np.concatenate([splits(np.arange(columns)), swaps(np.arange(columns))])
    target = data.draw(st.sampled_from(targets.tolist()))
    left, _, right, outcome = target
    context = data.draw(st.permutations([c for c in range(columns) if c not in (left, right)]))
    order = RankedRows(ranks, [True] * columns).orders[left]

    def violates(t: int, s: int) -> bool:
        if right < 0:
            return bool(ranks[left, t] != ranks[left, s] or ranks[left, t] < 0)
        known = ranks[[left, left, right, right], [t, s, t, s]].min() >= 0
        signs = [int(np.sign(ranks[side, t] - ranks[side, s])) for side in (left, right)]
        return bool(known and signs[0] * signs[1] == (-1 if outcome == GREATER else 1))

    path = new_path(order, 1)
    path = refine_path(
        path, ranks, np.array([*context, 0]), len(context), np.zeros(11, np.int32), np.array(target)
    )
    for depth in range(1, len(context) + 1):
        expected = [
            group
            for group in classes_by_hand(ranks, order.tolist(), context[:depth])
            if any(violates(t, s) for t, s in combinations(group, 2))
        ]
        assert classes_of(*partition_at(path, depth)) == expected


@examples(100)
@given(ranked())
def test_the_orders_of_rows_are_those_of_the_columns(ranks: Ranks) -> None:
    rows = RankedRows(ranks, [True] * len(ranks))
    for column, order in zip(ranks, rows.orders, strict=True):
        assert sorted(order.tolist()) == list(range(rows.count))
        assert column[order].tolist() == sorted(column.tolist())
    assert not rows.counts.any()
