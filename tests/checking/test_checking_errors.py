"""The errors of laws of every kind, and the pairs that break them, against all pairs of rows."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from denial_tables import joint_rows
from examples import examples
from law_samples import columns_of, laws_of
from lawful.checking import law_errors
from lawful.checking.denials import Denial, denial_of, denial_of_set
from lawful.checking.law_errors import (
    LawError,
    conflicts_of,
    counts_of,
    needs_more,
    removed_rows,
    violating_pairs,
)
from lawful.checking.smallest_covers import SmallestCover, disjoint_pairs, partners_in
from lawful.errors import LawfulError
from lawful.laws import parse
from lawful.laws.codec import Codec
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.partner_counts import CountingSizes
from small_tables import tables

# However pairs are counted: by sweeps, or in blocks of one row or of two.
SIZES = [
    CountingSizes(),
    CountingSizes(orders=-1, leaf=1),
    CountingSizes(orders=1, differences=0, leaf=2),
]

A_LIST = """
import numpy as np
from lawful.checking.denials import denial_of
from lawful.laws import parse
from lawful.table.columns import Column
from lawful.validate.partner_counts import list_partners

columns = [Column(name, "integer", ordered=True, distinct=40, nulls=0) for name in "ab"]
denial = denial_of(parse("not(t.a < s.a and t.b > s.b)"), columns)
rows, ends, wanted = np.arange(40, dtype=np.int32), np.array([40], np.int32), np.ones(40, np.bool_)
ranks, counts, halt = np.stack([rows, rows[::-1]]), np.zeros(41, np.int32), np.zeros(1, np.int64)
pairs = np.empty((40 * 39 // 2, 2), np.int32)
print(list_partners(ranks, counts, denial.literals, rows, ends, wanted, 4, halt, pairs))
"""


def error_of(denial: Denial, work: Workspace) -> LawError:
    return LawError.of(denial, counts_of(denial, work), work.rows.count)


@examples(150)
@given(st.data(), tables(max_columns=4, max_rows=8), st.sampled_from(SIZES))
def test_errors_are_those_of_all_pairs(data: st.DataObject, table: naive.Table, sizes: CountingSizes) -> None:
    law, work = data.draw(laws_of(table.columns)), Workspace(joint_rows(table))
    denial = denial_of(law, columns_of(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(law_errors, "COUNTING_SIZES", sizes)
        error = error_of(denial, work)
    assert error.pairs == len(naive.violations(law, table))
    assert error.share == pytest.approx(naive.error(law, table))
    assert error.rows == len(naive.rows_in_violations(law, table))
    assert error.removals_at_least <= naive.fewest_removals(law, table) <= error.removals
    assert error.exact
    removed = {*np.flatnonzero(removed_rows(denial, work)).tolist()}
    assert len(removed) == error.removals
    assert all(removed & {*pair} for pair in naive.violations(law, table))


@examples(60)
@given(st.data(), tables(max_columns=4, max_rows=30), st.sampled_from(SIZES))
def test_all_violating_pairs_are_listed_once(
    data: st.DataObject, table: naive.Table, sizes: CountingSizes
) -> None:
    law, work = data.draw(laws_of(table.columns)), Workspace(joint_rows(table))
    denial = denial_of(law, columns_of(table))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(law_errors, "COUNTING_SIZES", sizes)
        conflicts = conflicts_of(denial, work)
        pairs = [(t, s) for t, s in violating_pairs(denial, work, conflicts).tolist()]
    assert len(pairs) == len({*pairs}) == int(conflicts.as_first.sum())
    listed = {*pairs} if denial.directed else {(min(pair), max(pair)) for pair in pairs}
    assert listed == naive.violations(law, table)


def test_pairs_are_listed_without_a_look_beyond_an_array() -> None:
    """Compiled kernels do not look at bounds; Python does."""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    listed = subprocess.check_output([sys.executable, "-c", A_LIST], env=environment, text=True)
    assert int(listed) == 40 * 39 // 2


@pytest.mark.parametrize("nulls", ["equal", "distinct"])
@pytest.mark.parametrize("rising", [False, True])
@examples(40)
@given(seed=st.integers(0, 2**32), data=st.data())
def test_laws_with_orders_are_counted_in_large_and_small_classes(
    seed: int, data: st.DataObject, nulls: Literal["equal", "distinct"], rising: bool
) -> None:
    """Columns of few values and of many, beside which classes are small; some go along with each other."""
    by = np.random.default_rng(seed)
    lines = by.integers(0, by.integers(2, [8, 60, 60]), (int(by.integers(2, 60)), 3))
    if rising:
        lines = np.sort(lines, axis=0)
        lines[by.integers(0, len(lines), 3)] = lines[0]
    rows = [tuple(value or None for value in line) for line in lines.tolist()]
    table = naive.Table(["a", "b", "c"], rows, nulls=nulls)
    first, second = (data.draw(st.sampled_from(["<", "<=", ">", ">="])) for _ in range(2))
    same = data.draw(st.sampled_from(["", "t.a = s.a and ", "t.a != s.a and "]))
    law = parse(f"not({same}t.b {first} s.b and t.c {second} s.c)")
    error = error_of(denial_of(law, columns_of(table)), Workspace(joint_rows(table)))
    assert error.pairs == len(naive.violations(law, table))
    assert error.rows == len(naive.rows_in_violations(law, table))


@pytest.mark.parametrize("first", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("second", ["<", "<="])
def test_rows_of_a_value_are_counted_where_they_are_many(first: str, second: str) -> None:
    by = np.random.default_rng(7)
    values = np.array([by.integers(0, 4, 1500), by.integers(0, 300, 1500)], np.int32)
    rows = RankedRows(values, [True, True])
    columns = columns_of(naive.Table(["a", "b"], []))
    denial = denial_of(parse(f"not(t.a {first} s.a and t.b {second} s.b)"), columns)
    compare = {"<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal}
    sides = [
        compare[symbol](column[:, None], column)
        for symbol, column in zip((first, second), values, strict=True)
    ]
    broken = sides[0] & sides[1] & ~np.eye(1500, dtype=bool)
    error = error_of(denial, Workspace(rows))
    assert error.pairs == broken.sum()
    assert error.rows == (broken.any(axis=0) | broken.any(axis=1)).sum()


@examples(100)
@given(st.data(), tables(max_columns=3, max_rows=8), st.integers(0, 8))
def test_whether_more_rows_must_go_than_are_tolerated(
    data: st.DataObject, table: naive.Table, tolerated: int
) -> None:
    law, work = data.draw(laws_of(table.columns)), Workspace(joint_rows(table))
    denial = denial_of(law, columns_of(table))
    assert needs_more(denial, work, tolerated) == (naive.fewest_removals(law, table) > tolerated)


@examples(100)
@given(st.data())
def test_a_set_of_atoms_denies_what_its_law_does(data: st.DataObject) -> None:
    names = ["a", "b", "c"]
    law = data.draw(laws_of(names)).as_dc()
    codec = Codec.of(names, [law])
    expected = denial_of(law, columns_of(naive.Table(names, [])))
    if expected.possible:
        found = denial_of_set(codec.encode([law]).sets[0], codec.comparisons)
        lines, *allowed = (
            (one.context, [sorted(part.tolist()) for part in one.literals])
            for one in (found, expected, expected.mirrored())
        )
        assert lines in allowed


def test_bounds_are_called_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    by = random.Random(0)
    table = naive.Table(["a", "b", "c"], [tuple(by.randrange(9) for _ in range(3)) for _ in range(30)])
    denial = denial_of(parse("not(t.a < s.a and t.b > s.b and t.c != s.c)"), columns_of(table))
    exact = error_of(denial, Workspace(joint_rows(table)))
    assert exact.exact
    assert "removals_at_least" not in exact.to_json()
    monkeypatch.setattr(law_errors, "SEARCHED", 0)
    bounded = error_of(denial, Workspace(joint_rows(table)))
    assert bounded.removals_at_least <= exact.removals <= bounded.removals
    assert bounded.to_json()["removals_at_least"] == bounded.removals_at_least < bounded.removals


def test_a_missing_column_is_named() -> None:
    table = naive.Table(["zip", "city"], [])
    with pytest.raises(LawfulError, match=r"there is no column 'cty': did you mean 'city'\?"):
        denial_of(parse("{zip} -> cty"), columns_of(table))


@examples(60)
@given(st.sets(st.tuples(st.integers(0, 9), st.integers(0, 9)).filter(lambda pair: pair[0] < pair[1])))
def test_the_fewest_rows_that_hit_all_pairs(pairs: set[tuple[int, int]]) -> None:
    sets = (set(some) for size in range(11) for some in combinations(range(10), size))
    fewest = next(len(some) for some in sets if all(some & {*pair} for pair in pairs))
    found = SmallestCover(partners_in(pairs), 11)
    assert found.complete
    assert found.cover is not None
    assert len(found.cover) == fewest
    assert all(found.cover & {*pair} for pair in pairs)
    assert SmallestCover(partners_in(pairs), fewest).cover is None
    assert disjoint_pairs(partners_in(pairs)) <= fewest
