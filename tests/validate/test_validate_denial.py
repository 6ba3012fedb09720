"""Violating pairs of denial constraints against all pairs of rows and against the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from examples import examples
from lawful.laws import DC, Cell, Predicate
from lawful.laws.comparisons import (
    ACROSS,
    IN_FIRST,
    IN_SECOND,
    Comparisons,
    Crossing,
    atom_words,
    comparisons_of,
)
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate import dc_validation
from lawful.validate.dc_blocks import FIRST_SIDE, SECOND_SIDE, begin_points, new_points, search_blocks
from lawful.validate.dc_classes import change_partition, new_scratch, search_classes
from lawful.validate.dc_literals import FILTERS, JOINS, TESTS, new_literals, read_literals
from lawful.validate.dc_pairs import Trial, new_seen, try_pair
from lawful.validate.dc_sweep import choose_sweep, new_sweep, sweep_class
from lawful.validate.dc_validation import LEAF_ROWS, order_of, search_violations, violating_pairs_of
from lawful.words import Words, bit_set

# Each operator with the atoms that make it: 0 excludes <, 1 excludes =, 2 excludes >.
ATOMS: dict[str, tuple[int, ...]] = {
    "=": (0, 2),
    "!=": (1,),
    "<=": (2,),
    ">=": (0,),
    "<": (1, 2),
    ">": (0, 1),
}
CELLS = {ACROSS: ("t", "s"), IN_FIRST: ("t", "t"), IN_SECOND: ("s", "s")}

Literal = tuple[int, str]  # the number of a comparison, and an operator
Matrix = npt.NDArray[np.bool_]

LEAVES = (2, 16, LEAF_ROWS)  # with small ones blocks are halved again and again


@dataclass(frozen=True)
class Case:
    """A table, and DCs to be validated on it."""

    rows: RankedRows
    comparisons: Comparisons
    dcs: Sequence[Sequence[Literal]]

    @property
    def sets(self) -> Words:
        return sets_of(self.dcs, self.comparisons)


def sets_of(dcs: Sequence[Sequence[Literal]], comparisons: Comparisons) -> Words:
    words = atom_words(comparisons)
    sets = [bit_set(np.array(_atoms(dc, comparisons), np.int64), words) for dc in dcs]
    return np.array(sets, np.uint64).reshape(len(dcs), words)


def _atoms(dc: Sequence[Literal], comparisons: Comparisons) -> list[int]:
    return [
        3 * number + atom
        for number, operator in dc
        for atom in (ATOMS[operator] if comparisons.ordered[number] else ATOMS[operator][:1])
    ]


def violations(case: Case, dc: Sequence[Literal]) -> Matrix:
    """The pairs that break a DC as a matrix."""
    ranks, count = case.rows.ranks, case.rows.count
    broken = ~np.eye(count, dtype=np.bool_)
    for number, operator in dc:
        x, y = ranks[case.comparisons.left[number]], ranks[case.comparisons.right[number]]
        kind = case.comparisons.kind[number]
        left = x[None, :] if kind == IN_SECOND else x[:, None]
        right = y[:, None] if kind == IN_FIRST else y[None, :]
        broken &= _satisfied(left, right, operator)
    return broken


def _satisfied(left: npt.NDArray[np.int32], right: npt.NDArray[np.int32], operator: str) -> Matrix:
    known = (left >= 0) & (right >= 0)
    results: dict[str, Matrix] = {
        "=": known & (left == right),
        "!=": ~known | (left != right),
        "<": known & (left < right),
        "<=": known & (left <= right),
        ">": known & (left > right),
        ">=": known & (left >= right),
    }
    return results[operator]


@st.composite
def cases(draw: st.DrawFn, min_rows: int = 0, max_rows: int = 24, crossed: bool = True) -> Case:
    """Columns of few and of many values, NULLs that equal nothing or none, and DCs of up to six literals."""
    columns, count = draw(st.integers(1, 5)), draw(st.integers(min_rows, max_rows))
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    highest = [draw(st.sampled_from([1, 2, 3, 8, 100])) for _ in range(columns)]
    ranks = np.array([random.integers(0, most, count) for most in highest], np.int32).reshape(columns, count)
    for column in range(columns):
        follows = draw(st.sampled_from(["nothing", "nothing", "nothing", "up", "down"]))
        if follows != "nothing":  # a column that follows from another one, so that order literals hold
            other = ranks[draw(st.integers(0, columns - 1))]
            ranks[column] = other // 2 if follows == "up" else 99 - other
    if draw(st.booleans()):
        ranks[random.random(ranks.shape) < draw(st.sampled_from([0.03, 0.3]))] = -1
        ranks[draw(st.lists(st.integers(0, columns - 1), max_size=1))] = -1
    ordered = np.array([draw(st.sampled_from([True, True, True, False])) for _ in range(columns)], np.bool_)
    crossings = _crossings(draw, columns) if crossed and columns > 1 else []
    comparisons = comparisons_of(list(range(columns)), ordered, crossings)
    dcs = [draw(_literals(comparisons)) for _ in range(draw(st.integers(1, 12)))]
    return Case(RankedRows(ranks, ordered), comparisons, dcs)


def _crossings(draw: st.DrawFn, columns: int) -> list[Crossing]:
    some = draw(st.lists(st.sampled_from([*combinations(range(columns), 2)]), max_size=2, unique=True))
    return [Crossing(left, right, draw(st.sampled_from([True, True, False]))) for left, right in some]


@st.composite
def _literals(draw: st.DrawFn, comparisons: Comparisons) -> list[Literal]:
    count = len(comparisons.kind)
    numbers = draw(st.lists(st.integers(0, count - 1), max_size=min(count, 6), unique=True))
    operators = sorted(ATOMS)
    crossed = [k for k in range(count) if comparisons.left[k] != comparisons.right[k]][:2]
    if crossed and comparisons.ordered[crossed[0]] and draw(st.integers(0, 2)) == 0:
        numbers, operators = (
            crossed,
            ["<", "<=", ">", ">="],
        )  # t.a ? s.b and t.b ? s.a: two orders to sweep by
    return [
        (number, draw(st.sampled_from(operators if comparisons.ordered[number] else ["!=", "="])))
        for number in numbers
    ]


def check_with(leaves: Sequence[int], case: Case) -> None:
    """In one test for all of them: cases take longer to draw than to check."""
    with pytest.MonkeyPatch.context() as patch:
        for leaf in leaves:
            patch.setattr(dc_validation, "LEAF_ROWS", leaf)
            check(case)


def check(case: Case, keep: int = 3) -> None:
    """Holding DCs get no pair, the others some, all of them violating pairs."""
    found, pairs = violating_pairs_of(Workspace(case.rows), case.comparisons, case.sets, keep)
    assert len(pairs) == found.sum()
    start = 0
    for dc, count in zip(case.dcs, found.tolist(), strict=True):
        broken, some = violations(case, dc), pairs[start : start + count]
        start += count
        assert count <= keep
        assert (count > 0) == broken.any(), dc
        assert broken[*some.T].all()
        assert len({(t, s) for t, s in some.tolist()}) == count
    assert not case.rows.counts.any()


@examples(200)
@given(case=cases())
def test_small_tables(case: Case) -> None:
    check_with(LEAVES, case)


@examples(50)
@given(case=cases(min_rows=100, max_rows=400))
def test_large_classes(case: Case) -> None:
    check_with(LEAVES, case)


def with_one_violation(case: Case, dc: Sequence[Literal]) -> Case:
    """The table without rows that break a DC, but for one pair of them."""
    broken = violations(case, dc)
    either, left = broken | broken.T, np.ones(case.rows.count, np.bool_)
    pairs = np.argwhere(broken)
    last = pairs[len(pairs) // 2] if len(pairs) else []
    for row in np.setdiff1d(np.arange(case.rows.count), last):
        left[row] = not (either[row] & left).any()
    return Case(RankedRows(case.rows.ranks[:, left], case.rows.ordered), case.comparisons, [dc])


@examples(80)
@given(case=cases(min_rows=50, max_rows=200))
def test_the_last_violation_is_found(case: Case) -> None:
    for dc in case.dcs:
        check_with(LEAVES[:2], with_one_violation(case, dc))


@examples(200)
@given(case=cases(min_rows=2, max_rows=30))
def test_a_sweep_finds_each_row_that_some_row_violates_a_dc_with(case: Case) -> None:
    for dc in case.dcs:
        literals, sweep = new_literals(case.comparisons), new_sweep()
        members = sets_of([dc], case.comparisons)[0]
        assert read_literals(members, case.comparisons, case.rows.information, literals)
        if choose_sweep(literals, sweep) and not literals.sizes[FILTERS] + literals.sizes[JOINS]:
            tested = [(number, op) for number, op in dc if op != "=" or number >= case.rows.columns]
            pairs = np.empty((case.rows.count + 1, 2), np.int32)
            orders = case.rows.orders[sweep.swept[0]], case.rows.orders[sweep.swept[1]]
            found = sweep_class(case.rows.ranks, *orders, sweep, pairs, 0)
            broken = violations(case, tested)
            assert broken[*pairs[:found].T].all()
            assert sorted(pairs[:found, 1].tolist()) == np.flatnonzero(broken.any(axis=0)).tolist()


@examples(200)
@given(case=cases(min_rows=2, max_rows=60), leaf=st.sampled_from([1, 4]))
def test_blocks_bring_violating_pairs_only(case: Case, leaf: int) -> None:
    """Rows without a place in some order test, above all, must not count as the lowest."""
    for dc in case.dcs:
        literals = new_literals(case.comparisons)
        read_literals(sets_of([dc], case.comparisons)[0], case.comparisons, case.rows.information, literals)
        if literals.sizes[FILTERS] + literals.sizes[JOINS]:
            continue
        sides = [new_points(case.rows.count, literals.sizes[TESTS], leaf) for _ in (FIRST_SIDE, SECOND_SIDE)]
        every = np.arange(case.rows.count, dtype=np.int32)
        sizes = [
            begin_points(case.rows.ranks, every, literals, number, sides[number])
            for number in (FIRST_SIDE, SECOND_SIDE)
        ]
        pairs, nothing = np.empty((1000, 2), np.int32), np.zeros(1, np.int64)
        found, alive = 0, np.empty(case.rows.count, np.int32)
        if min(sizes):
            found = search_blocks(literals, *sides, leaf, nothing, nothing.copy(), alive, pairs, 0)
        broken = violations(case, [(k, op) for k, op in dc if op != "=" or k >= case.rows.columns])
        assert (found > 0) == broken.any()
        assert broken[*pairs[:found].T].all()


@examples(200)
@given(case=cases(min_rows=2, max_rows=40), data=st.data())
def test_the_search_of_a_partition_brings_violating_pairs_only(case: Case, data: st.DataObject) -> None:
    """Also where another partition was sorted before. Contexts are left out: any classes will do."""
    count, random = case.rows.count, np.random.default_rng(data.draw(st.integers(0, 99)))
    scratch, literals = new_scratch(case.rows.orders, case.rows.counts), new_literals(case.comparisons)
    halt, work, pairs = np.zeros(1, np.int64), np.zeros(1, np.int64), np.empty((1000, 2), np.int32)
    for partition in range(2):
        numbers = random.integers(0, 2, count) * partition
        rows = np.argsort(numbers, kind="stable").astype(np.int32)
        ends = np.cumsum(np.bincount(numbers)).astype(np.int32)
        change_partition(scratch)
        for dc in case.dcs:
            members = sets_of([dc], case.comparisons)[0]
            read_literals(members, case.comparisons, case.rows.information, literals)
            found = search_classes(case.rows.ranks, literals, rows, ends, scratch, 4, halt, work, pairs)
            tested = [(k, op) for k, op in dc if op != "=" or k >= case.rows.columns]
            broken = violations(case, tested) & (numbers[:, None] == numbers[None, :])
            assert (found > 0) == broken.any()
            assert broken[*pairs[:found].T].all()


def test_each_context_is_sorted_anew() -> None:
    """Many DCs that sweep one column in different contexts, each with few violations."""
    random = np.random.default_rng(3)
    contexts, count = random.integers(0, 4, (5, 300)), 300
    swept = np.arange(count)
    ranked = np.where(random.random(count) < 0.02, random.integers(0, count, count), swept)
    rows = RankedRows(np.concatenate([contexts, [swept, ranked]]).astype(np.int32), [True] * 7)
    orders: list[Literal] = [(5, "<"), (6, ">")]
    subsets = [subset for size in range(6) for subset in combinations(range(5), size)]
    check(Case(rows, same_columns(rows), [[*((k, "=") for k in subset), *orders] for subset in subsets]))


def oracle_of(rows: RankedRows) -> naive.Table:
    values = [tuple(None if rank < 0 else int(rank) for rank in row) for row in rows.ranks.T]
    names = [str(column) for column in range(rows.columns)]
    return naive.Table(names, values, rows.ordered.tolist(), "distinct")


def law_of(dc: Sequence[Literal], comparisons: Comparisons) -> DC:
    def cells(number: int) -> tuple[Cell, Cell]:
        left, right = CELLS[int(comparisons.kind[number])]
        return (
            Cell("t" if left == "t" else "s", str(comparisons.left[number])),
            Cell("t" if right == "t" else "s", str(comparisons.right[number])),
        )

    predicates: list[Any] = [(cells(number), operator) for number, operator in dc]
    return DC(frozenset(Predicate(left, operator, right) for (left, right), operator in predicates))


@examples(150)
@given(case=cases(max_rows=10, crossed=False))
def test_the_oracle_agrees(case: Case) -> None:
    """Crossed comparisons may be unordered while their columns are not, which the oracle does not know."""
    found, pairs = violating_pairs_of(Workspace(case.rows), case.comparisons, case.sets, 4)
    table, start = oracle_of(case.rows), 0
    for dc, count in zip(case.dcs, found.tolist(), strict=True):
        law, some = law_of(dc, case.comparisons), {(int(t), int(s)) for t, s in pairs[start : start + count]}
        start += count
        assert (count == 0) == naive.holds(law, table)
        assert some <= naive.violations(law, table)


@examples(100)
@given(case=cases(max_rows=10))
def test_the_oracle_agrees_on_comparisons_of_two_columns(case: Case) -> None:
    """Where all columns have an order."""
    rows = RankedRows(case.rows.ranks, [True] * case.rows.columns)
    comparisons = case.comparisons._replace(ordered=np.ones(len(case.comparisons.kind), np.bool_))
    found, _ = violating_pairs_of(Workspace(rows), comparisons, sets_of(case.dcs, comparisons), 4)
    table = oracle_of(rows)
    for dc, count in zip(case.dcs, found.tolist(), strict=True):
        assert (count == 0) == naive.holds(law_of(dc, comparisons), table)


def rows_of(*columns: Sequence[int]) -> RankedRows:
    return RankedRows(np.array(columns, np.int32), [True] * len(columns))


def same_columns(rows: RankedRows) -> Comparisons:
    return comparisons_of(list(range(rows.columns)), rows.ordered, [])


@pytest.mark.parametrize("count", [0, 1, 2])
def test_the_dc_without_literals_denies_two_rows(count: int) -> None:
    rows = RankedRows(np.zeros((1, count), np.int32), [True])
    found, _ = violating_pairs_of(Workspace(rows), same_columns(rows), np.zeros((1, 1), np.uint64), 5)
    assert (found[0] > 0) == (count == 2)


def test_no_dcs() -> None:
    rows = rows_of([0, 1])
    found, pairs = violating_pairs_of(Workspace(rows), same_columns(rows), np.zeros((0, 1), np.uint64), 5)
    assert (len(found), pairs.shape) == (0, (0, 2))


def test_a_dc_that_no_pair_can_break_holds() -> None:
    rows = rows_of([0, 1, 1])
    impossible = np.array([[0b111]], np.uint64)
    assert violating_pairs_of(Workspace(rows), same_columns(rows), impossible, 5)[0].tolist() == [0]


def test_the_pairs_that_agree_most_are_kept() -> None:
    """All pairs break `t.0 != s.0`; only the last two rows agree on the other columns."""
    count = 12
    rows = rows_of(range(count), *([*range(count - 1), count - 2] for _ in range(3)))
    comparisons = same_columns(rows)
    sets, kept = sets_of([[(0, "!=")]], comparisons), np.zeros((1, 1, 2), np.int32)
    trial = Trial(sets, np.zeros(1, np.int64), kept, np.zeros((1, 1), np.int64))
    seen = new_seen(comparisons)
    for t, s in combinations(range(count), 2):
        seen = try_pair(trial, seen, rows.ranks, comparisons, t, s)
    assert (trial.found.tolist(), sorted(kept[0, 0].tolist())) == ([1], [count - 2, count - 1])


def antichain(count: int) -> RankedRows:
    """Three columns with the same sum in each row: no row is above another one in all of them."""
    random = np.random.default_rng(5)
    first, second = random.integers(0, count, count), random.integers(0, count, count)
    return rows_of(first.tolist(), second.tolist(), (2 * count - first - second).tolist())


@pytest.mark.parametrize("literals", [3, 4])
def test_a_large_class_does_not_take_all_pairs(literals: int) -> None:
    """Three and four order literals that hold: the pairs compared are a small share of all."""
    count = 20_000
    rows = antichain(count)
    if literals == 4:
        rows = RankedRows(np.concatenate([rows.ranks, rows.ranks[::-1][:1] // 2]), [True] * 4)
    comparisons = same_columns(rows)
    sets = sets_of([[(0, "<"), *((number, "<=") for number in range(1, literals))]], comparisons)
    found, _, work = search_violations(Workspace(rows), comparisons, sets, 5)
    assert found.tolist() == [0]
    assert 0 < work < count * count / 20


def test_one_violation_in_a_large_class_is_found() -> None:
    """A row above another one in all columns; the others have one sum, so nothing else breaks the DC."""
    ranks = antichain(20_000).ranks.copy()
    t, s = 137, 15_731
    ranks[:, s] = ranks[:, t] + 1
    below = np.flatnonzero((ranks < ranks[:, [s]]).all(axis=0))
    rows = RankedRows(ranks, [True] * 3)
    comparisons = same_columns(rows)
    sets = sets_of([[(0, "<"), (1, "<"), (2, "<")]], comparisons)
    _, pairs = violating_pairs_of(Workspace(rows), comparisons, sets, 50)
    assert sorted(pairs.tolist()) == [[row, s] for row in below.tolist()]


def test_a_halt_leaves_dcs_undecided() -> None:
    rows = rows_of(range(100), range(100))
    comparisons = same_columns(rows)
    sets = sets_of([[(0, "<"), (1, ">")], [(0, "=")], [(0, "<")]], comparisons)
    work = Workspace(rows)
    work.halt[0] = 1
    found, pairs = violating_pairs_of(work, comparisons, sets, 5)
    assert (found.tolist(), len(pairs)) == ([-1, -1, -1], 0)
    work.halt[0] = 0
    assert (violating_pairs_of(work, comparisons, sets, 5)[0] > 0).tolist() == [False, False, True]


@examples(50)
@given(case=cases())
def test_dcs_with_one_context_follow_each_other(case: Case) -> None:
    order = order_of(case.sets, case.comparisons, case.rows)
    assert sorted(order.tolist()) == list(range(len(case.dcs)))
    contexts = [
        frozenset(n for n, op in dc if op == "=" and n < case.rows.columns)
        for dc in (case.dcs[k] for k in order)
    ]
    changes = sum(before != after for before, after in pairwise(contexts))
    assert changes == len(set(contexts)) - 1
