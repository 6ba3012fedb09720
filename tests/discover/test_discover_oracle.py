"""Discovery finds what the oracle finds, law by law, whatever the way, the workers and the seed."""

from __future__ import annotations

from functools import cache
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from examples import examples
from lawful.costs import FIRST_SAMPLE, LONG_TABLE, SMALL_ROWS
from lawful.discovery import DEFAULT_KINDS
from lawful.laws import FD, OD, Key, Law
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate.contexts import WORTH_KEEPING
from small_tables import found, minimal_laws, random_rows, rows_of, score_of, tables

SUBSETS = list(
    chain.from_iterable(combinations(DEFAULT_KINDS, size) for size in range(1, len(DEFAULT_KINDS) + 1))
)


@st.composite
def settings_of_search(draw: st.DrawFn) -> dict[str, Any]:
    """Everything that must not change a result."""
    return {
        "workers": draw(st.integers(1, 3)),
        "long": draw(st.sampled_from([0, LONG_TABLE])),
        "small": draw(st.sampled_from([0, SMALL_ROWS])),
        "sample": draw(st.sampled_from([1, 2, FIRST_SAMPLE])),
        "partition_memory": draw(st.sampled_from([None, 0, 200])),
        "worth_keeping": draw(st.sampled_from([0, WORTH_KEEPING])),
        "seed": draw(st.integers(0, 2**32)),
        "sample_rows": draw(st.sampled_from([0, 2, 100])),
        "pairs_kept": draw(st.sampled_from([1, 10])),
        "time_limit": draw(st.sampled_from([None, 1e6])),  # a limit makes the search deepen size by size
    }


def assert_same(expected: set[Law], table: naive.Table, chosen: dict[str, Any]) -> None:
    laws, progress = (result := found(table.columns, rows_of(table), **chosen)).laws, result.progress
    assert progress.reason is None
    assert set(laws) == expected
    assert len(laws) == len(expected), "a law was found twice"
    assert progress.found == len(laws)
    assert progress.left == 0
    assert progress.validated - progress.refuted >= len(laws)
    for law, (score, _) in laws.items():
        assert score == pytest.approx(score_of(law, table), rel=1e-12)


@examples(1000)
@given(tables(), settings_of_search())
def test_discovery_finds_exactly_the_minimal_laws(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(minimal_laws(table), table, chosen)


@examples(200)
@given(tables(max_columns=4, max_rows=40), settings_of_search())
def test_discovery_finds_exactly_the_minimal_laws_of_longer_tables(
    table: naive.Table, chosen: dict[str, Any]
) -> None:
    assert_same(minimal_laws(table), table, chosen)


@examples(100)
@given(tables(min_columns=6, max_columns=7, max_rows=40), settings_of_search())
def test_discovery_finds_exactly_the_minimal_laws_of_wider_tables(
    table: naive.Table, chosen: dict[str, Any]
) -> None:
    assert_same(minimal_laws(table), table, chosen)


@examples(150)
@given(tables(max_columns=4), settings_of_search())
def test_each_choice_of_kinds_gives_its_share_of_all_laws(table: naive.Table, chosen: dict[str, Any]) -> None:
    for kinds in SUBSETS:
        assert_same(minimal_laws(table, kinds), table, {**chosen, "kinds": kinds})


@examples(80)
@given(tables(max_columns=4), st.data(), settings_of_search())
def test_columns_of_any_number_are_found_among_many(
    table: naive.Table, data: st.DataObject, chosen: dict[str, Any]
) -> None:
    """Constants around a small table change nothing but add themselves; sets then take two or three words."""
    width = data.draw(st.sampled_from([64, 65, 100, 130]))
    places = data.draw(
        st.lists(
            st.integers(0, width - 1), min_size=len(table.columns), max_size=len(table.columns), unique=True
        )
    )
    names = [f"constant {number}" for number in range(width)]
    for column, place in zip(table.columns, places, strict=True):
        names[place] = column
    wide = naive.Table(
        names,
        [
            tuple(row[list(table.columns).index(name)] if name in table.columns else 7 for name in names)
            for row in table.rows
        ],
        [name not in table.columns or table.is_ordered(name) for name in names],
        table.nulls,
    )
    constants = [name for name in names if name not in table.columns]
    laws = found(names, rows_of(wide), **chosen).laws
    assert set(laws) == minimal_laws(table) | {FD(frozenset(), constant) for constant in constants}
    assert len(laws) == len(set(laws))


@pytest.mark.parametrize("rows", [0, 1])
def test_tables_without_pairs_of_rows_obey_the_empty_laws(rows: int) -> None:
    table = naive.Table(["a", "b"], [(1, 2)] * rows)
    laws = found(table.columns, rows_of(table)).laws
    assert [str(law) for law in laws] == ["key {}", "{} -> a", "{} -> b"]
    assert laws.scores.tolist() == [1.0, 1.0, 1.0]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("options", [{}, {"time_limit": 1e6}, {"sample_rows": 2}, {"pairs_kept": 1}], ids=str)
def test_laws_that_need_much_evidence_are_all_found(seed: int, options: dict[str, Any]) -> None:
    """More than 64 edges a target, learned on the way: too much for the oracle."""
    names, rows, expected = much_evidence(seed)
    laws = found(names, rows, workers=2, **options).laws
    assert set(laws) == expected
    assert len(laws) == len(set(laws))


@cache
def much_evidence(seed: int) -> tuple[list[str], RankedRows, set[Law]]:
    """A table of chance and its laws."""
    rows = random_rows(10 + seed % 3, 150, 3, seed)
    names = [f"c{number}" for number in range(rows.columns)]
    keys_and_fds = minimal_keys_and_fds(names, rows.ranks)
    return names, rows, keys_and_fds | minimal_ods(names, rows.ranks, keys_and_fds)


def minimal_keys_and_fds(names: list[str], ranks: Ranks) -> set[Law]:
    """By the number of distinct rows of every set of columns, the smallest sets first."""
    columns = range(len(names))
    distinct = {
        chosen: len(np.unique(ranks[list(chosen)], axis=1).T) if chosen else 1
        for size in range(len(names) + 1)
        for chosen in combinations(columns, size)
    }
    laws: set[Law] = set()
    for right in (None, *columns):
        minimal: list[set[int]] = []
        for chosen, count in distinct.items():
            if right in chosen or any(smaller <= {*chosen} for smaller in minimal):
                continue
            whole = ranks.shape[1] if right is None else distinct[tuple(sorted((*chosen, right)))]
            if count == whole:
                minimal.append({*chosen})
                left = frozenset(names[column] for column in chosen)
                laws.add(Key(left) if right is None else FD(left, names[right]))
    return laws


def minimal_ods(names: list[str], ranks: Ranks, keys_and_fds: set[Law]) -> set[Law]:
    """By the signs of all pairs of rows that agree on a context, the smallest contexts first."""
    t, s = np.triu_indices(ranks.shape[1], 1)
    signs = np.sign(ranks[:, t] - ranks[:, s])
    minimal: dict[tuple[int, int, int], list[set[str]]] = {}
    for size in range(len(names) - 1):
        for context in combinations(range(len(names)), size):
            agreeing = signs[:, (signs[list(context)] == 0).all(axis=0)]
            orders = agreeing[:, None] * agreeing[None]
            swapped = {1: (orders < 0).any(axis=2), -1: (orders > 0).any(axis=2)}
            for direction, broken in swapped.items():
                for sides in combinations([c for c in range(len(names)) if c not in context], 2):
                    smaller = minimal.setdefault((*sides, direction), [])
                    chosen = {names[column] for column in context}
                    if not broken[sides] and not any(other <= chosen for other in smaller):
                        smaller.append(chosen)
    determined = [fd for fd in keys_and_fds if isinstance(fd, FD)]
    return {
        OD(context, names[left], names[right], direction < 0)
        for (left, right, direction), contexts in minimal.items()
        for context in contexts
        if not any(fd.lhs <= context and fd.rhs in (names[left], names[right]) for fd in determined)
    }
