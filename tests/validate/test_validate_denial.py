"""Violating pairs of denial constraints against all pairs of rows and against the oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from lawful.evidence.comparisons import (
    ACROSS,
    IN_FIRST,
    IN_SECOND,
    Comparisons,
    Crossing,
    Words,
    atom_words,
    bit_set,
    comparisons_of,
)
from lawful.laws import DC, Cell, Predicate
from lawful.table.ranked import RankedRows
from lawful.validate import denial
from lawful.validate.denial import Limits, order_of, search_violations, violating_pairs_of

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

# All searches of large classes, with blocks that are halved again and again.
NO_SMALL_CLASSES = Limits(leaf=2, fewest=0, most=0)
LARGE_BLOCKS = Limits(leaf=16, fewest=0, most=0)
FEW_SMALL_CLASSES = Limits(leaf=4, fewest=3, most=20)
ALL_LIMITS = [NO_SMALL_CLASSES, LARGE_BLOCKS, FEW_SMALL_CLASSES, Limits()]


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
    ordered = np.array([draw(st.sampled_from([True, True, True, False])) for _ in range(columns)], np.bool_)
    crossings = _crossings(draw, columns) if crossed and columns > 1 else []
    comparisons = comparisons_of(list(range(columns)), ordered, crossings)
    dcs = [draw(_literals(comparisons)) for _ in range(draw(st.integers(1, 12)))]
    return Case(RankedRows(ranks, ordered), comparisons, dcs)


def _crossings(draw: st.DrawFn, columns: int) -> list[Crossing]:
    some = draw(st.lists(st.permutations(range(columns)), max_size=2))
    return [Crossing(order[0], order[1], draw(st.booleans())) for order in some]


@st.composite
def _literals(draw: st.DrawFn, comparisons: Comparisons) -> list[Literal]:
    count = len(comparisons.kind)
    numbers = draw(st.lists(st.integers(0, count - 1), max_size=min(count, 6), unique=True))
    return [
        (number, draw(st.sampled_from(sorted(ATOMS) if comparisons.ordered[number] else ["!=", "="])))
        for number in numbers
    ]


def check(case: Case, keep: int = 3) -> None:
    """Holding DCs get no pair, the others some, all of them violating pairs."""
    found, pairs = violating_pairs_of(case.rows, case.comparisons, case.sets, keep)
    assert len(pairs) == found.sum()
    start = 0
    for dc, count in zip(case.dcs, found.tolist(), strict=True):
        broken, some = violations(case, dc), pairs[start : start + count]
        start += count
        assert count <= keep
        assert (count > 0) == broken.any(), dc
        assert all(broken[t, s] for t, s in some)
        assert len({(t, s) for t, s in some.tolist()}) == count
    assert not case.rows.counts.any()


@pytest.mark.parametrize("limits", ALL_LIMITS)
@settings(max_examples=150, deadline=None)
@given(case=cases())
def test_small_tables(limits: Limits, case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(denial, "LIMITS", limits)
        check(case)


@pytest.mark.parametrize("limits", ALL_LIMITS)
@settings(max_examples=40, deadline=None)
@given(case=cases(min_rows=100, max_rows=400))
def test_large_classes(limits: Limits, case: Case) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(denial, "LIMITS", limits)
        check(case)
