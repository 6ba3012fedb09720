"""Classes in the order of a column, sorted and dealt out, against a stable sort."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import ranked

from examples import examples
from lawful.laws.targets import swap
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate.ordering import (
    INSERTED,
    LARGE,
    classes_in_order,
    forget,
    new_ordering,
    sort_classes,
    swaps_in_order,
)


@st.composite
def partitions(draw: st.DrawFn, count: int, most: int) -> tuple[Ranks, Ranks]:
    """Any classes of two rows or more, of at most so many of the rows in all."""
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = random.permutation(count)[: draw(st.integers(0, most))].astype(np.int32)
    largest = draw(st.sampled_from([2, 5, 2 * INSERTED, count]))
    sizes = np.maximum(random.integers(2, max(largest, 2) + 1, len(rows)), 2).cumsum()
    ends = sizes[sizes <= len(rows)].astype(np.int32)
    return rows[: ends[-1] if len(ends) else 0], ends


def in_order(table: RankedRows, partition: tuple[Ranks, Ranks], column: int) -> list[list[tuple[int, int]]]:
    """Each class as pairs of rank and row, sorted."""
    rows, ends = partition
    classes = np.split(rows, ends[:-1]) if len(ends) else []
    return [sorted(zip(table.ranks[column, part].tolist(), part.tolist(), strict=True)) for part in classes]


def check(table: RankedRows, partition: tuple[Ranks, Ranks], column: int, ordered: Ranks) -> None:
    """The same rows in each class, with ranks that do not fall; rows of one rank may stand in any order."""
    expected = in_order(table, partition, column)
    assert len(ordered) == len(partition[0])
    for part, pairs in zip(np.split(ordered, partition[1][:-1]), expected, strict=len(expected) > 0):
        assert table.ranks[column, part].tolist() == [rank for rank, _ in pairs]
        assert sorted(part.tolist()) == sorted(row for _, row in pairs)


@examples(150)
@given(ranked(400, min_rows=2), st.data())
def test_classes_are_in_the_order_of_each_column_asked_for(table: RankedRows, data: st.DataObject) -> None:
    """Of small partitions, which are sorted, and large ones, which are dealt out, one after the other."""
    ordering = new_ordering(table.count)
    for _ in range(3):
        few = data.draw(st.booleans())
        partition = data.draw(partitions(table.count, (table.count - 1) // LARGE if few else table.count))
        forget(ordering)
        for column in data.draw(st.lists(st.integers(0, table.columns - 1), min_size=1, max_size=4)):
            ordered = classes_in_order(ordering, *partition, column, table.ranks, table.orders)
            check(table, partition, column, ordered)


@examples(100)
@given(ranked(60, min_rows=2), st.data())
def test_classes_of_any_size_are_sorted(table: RankedRows, data: st.DataObject) -> None:
    partition = data.draw(partitions(table.count, table.count))
    column = data.draw(st.integers(0, table.columns - 1))
    out = np.empty_like(partition[0])
    sort_classes(*partition, table.ranks[column], out)
    check(table, partition, column, out)


def test_what_was_asked_last_is_not_made_again() -> None:
    table = RankedRows(np.array([[3, 1, 2, 0], [0, 1, 2, 3]], np.int32), [True] * 2)
    ordering, rows, ends = new_ordering(4), np.arange(4, dtype=np.int32), np.array([4], np.int32)
    asked = [rows, ends, 0, table.ranks, table.orders]
    assert classes_in_order(ordering, *asked).tolist() == [3, 1, 2, 0]
    ordering.rows[0] = 9
    assert classes_in_order(ordering, *asked).tolist() == [9, 1, 2, 0]
    forget(ordering)
    assert classes_in_order(ordering, *asked).tolist() == [3, 1, 2, 0]


@examples(150)
@given(ranked(200, min_rows=2), st.data())
def test_classes_that_differ_on_both_sides_are_in_the_order_of_the_left_one(
    table: RankedRows, data: st.DataObject
) -> None:
    ordering, columns = new_ordering(table.count), st.integers(0, table.columns - 1)
    few = data.draw(st.booleans())
    partition = data.draw(partitions(table.count, (table.count - 1) // LARGE if few else table.count))
    for left, right in data.draw(st.lists(st.tuples(columns, columns), min_size=1, max_size=4)):
        target = np.array(swap(left, right, False))
        ordered, ends = swaps_in_order(ordering, *partition, target, table.ranks, table.orders)
        found = in_order(table, (ordered, ends), left)
        classes = in_order(table, partition, left)
        assert [one for one in classes if one in found] == found
        for one in classes:
            rows = [row for _, row in one]
            differ = all(len(set(table.ranks[side, rows].tolist())) > 1 for side in (left, right))
            assert one in found or not differ
        for part in np.split(ordered, ends[:-1]):
            assert (np.diff(table.ranks[left, part]) >= 0).all()
