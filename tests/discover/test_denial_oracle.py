"""The search for denial constraints finds what the oracle finds, whatever the way, workers and seed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from denial_tables import crossed_tables, denials, found_denials, score_of, settings_of_search
from examples import examples
from small_tables import tables


def assert_same(table: naive.Table, crossed: list[naive.CrossColumns], chosen: dict[str, Any]) -> None:
    result = found_denials(table, crossed, **chosen)
    laws, progress = result.laws, result.progress
    expected = naive.minimal_dcs(table, crossed)
    assert progress.reason is None
    assert denials(laws) == expected
    assert len(laws) == len(expected), "a law was found twice"
    assert progress.found == len(laws)
    for law, (score, _) in laws.items():
        assert score == pytest.approx(score_of(law, table), rel=1e-9)


@examples(250)
@given(tables(max_columns=4, max_rows=9), settings_of_search())
def test_denials_of_single_columns(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, [], chosen)


@examples(250)
@given(crossed_tables(), settings_of_search())
def test_denials_across_columns(
    made: tuple[naive.Table, list[naive.CrossColumns]], chosen: dict[str, Any]
) -> None:
    assert_same(*made, chosen)


@examples(200)
@given(crossed_tables(), settings_of_search())
def test_denials_are_found_without_a_sample(
    made: tuple[naive.Table, list[naive.CrossColumns]], chosen: dict[str, Any]
) -> None:
    assert_same(*made, {**chosen, "all_pairs": False, "sampled": False})


@examples(60)
@given(tables(min_columns=2, max_columns=3, max_rows=40), settings_of_search())
def test_denials_of_longer_tables(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, [], chosen)


@examples(100)
@given(tables(max_columns=4, max_rows=9), settings_of_search(), st.integers(0, 3))
def test_a_bound_on_size_counts_predicates(table: naive.Table, chosen: dict[str, Any], most: int) -> None:
    result = found_denials(table, **chosen, max_size=most)
    laws, progress = result.laws, result.progress
    expected = naive.minimal_dcs(table)
    assert denials(laws) == {law for law in expected if law.size <= most}
    assert progress.reason == "max size" or denials(laws) == expected


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_tables_without_pairs_of_rows_deny_everything(rows: int, all_pairs: bool) -> None:
    laws = found_denials(naive.Table(["a", "b"], [(1, 2)] * rows), all_pairs=all_pairs).laws
    assert [str(law) for law in laws] == ["not()"]
    assert laws.scores.tolist() == [1.0]


def test_two_equal_rows_obey_nothing_that_speaks_of_equality() -> None:
    laws = found_denials(naive.Table(["a"], [(1,), (1,)])).laws
    assert [str(law) for law in laws] == ["not(t.a != s.a)"]
