"""The search for PODs finds what the oracle finds, whatever the way, workers and seed."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from denial_tables import found_denials, score_of, settings_of_search
from examples import examples
from lawful.report.collection import Laws
from small_tables import tables


@st.composite
def mixed_tables(draw: st.DrawFn, max_columns: int = 4, max_rows: int = 9) -> naive.Table:
    """Tables whose columns have an order or none, as often."""
    table = draw(tables(max_columns=max_columns, max_rows=max_rows))
    ordered = draw(st.lists(st.booleans(), min_size=len(table.columns), max_size=len(table.columns)))
    return naive.Table(table.columns, table.rows, ordered, table.nulls)


def assert_same(table: naive.Table, chosen: dict[str, Any]) -> None:
    result = found_denials(table, kinds=("pod",), **chosen)
    expected = naive.minimal_pods(table)
    assert result.progress.reason is None
    assert set(result.laws) == expected
    assert len(result.laws) == len(expected), "a law was found twice"
    for law, (score, _) in result.laws.items():
        assert score == pytest.approx(score_of(law, table), rel=1e-9)


@examples(50)
@given(tables(max_columns=4, max_rows=9), settings_of_search())
def test_pods(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, chosen)


@examples(50)
@given(mixed_tables(), settings_of_search())
def test_pods_of_columns_without_order(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, chosen)


@examples(40)
@given(mixed_tables(), settings_of_search())
def test_pods_are_found_without_a_sample(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, {**chosen, "all_pairs": False, "sampled": False})


@examples(30)
@given(mixed_tables(max_columns=3, max_rows=40), settings_of_search())
def test_pods_of_longer_tables(table: naive.Table, chosen: dict[str, Any]) -> None:
    assert_same(table, chosen)


@examples(40)
@given(mixed_tables(), settings_of_search(), st.integers(0, 3))
def test_a_bound_on_size_counts_predicates(table: naive.Table, chosen: dict[str, Any], most: int) -> None:
    result = found_denials(table, kinds=("pod",), **chosen, max_size=most)
    expected = naive.minimal_pods(table)
    assert set(result.laws) == {law for law in expected if law.size <= most}
    assert result.progress.reason == "max size" or set(result.laws) == expected


@examples(40)
@given(mixed_tables(max_columns=3, max_rows=6), settings_of_search())
def test_pods_and_denials_in_one_search(table: naive.Table, chosen: dict[str, Any]) -> None:
    crossed: list[naive.CrossColumns] = [("tt", "c0", "c1")] if len(table.columns) == 2 else []
    laws = found_denials(table, crossed, kinds=("pod", "dc"), **chosen).laws
    assert of_kind(laws, "pod") == naive.minimal_pods(table)
    assert of_kind(laws, "dc") == naive.minimal_dcs(table, crossed)


def of_kind(laws: Laws, kind: str) -> set[object]:
    return {*laws.filter(kind=kind)}


@examples(40)
@given(mixed_tables(max_columns=3, max_rows=6))
def test_the_papers_pods_follow_from_those_in_constraint_form(table: naive.Table) -> None:
    pods = {*found_denials(table, kinds=("pod",)).laws}
    assert naive.readings_from(pods, table) == naive.minimal_readings(table)


@pytest.mark.parametrize("rows", [0, 1])
@pytest.mark.parametrize("all_pairs", [False, True])
def test_tables_without_pairs_of_rows_allow_nothing(rows: int, all_pairs: bool) -> None:
    table = naive.Table(["a", "b"], [(1, 2)] * rows)
    laws = found_denials(table, kinds=("pod",), all_pairs=all_pairs).laws
    assert [str(law) for law in laws] == ["=> never"]
    assert laws.scores.tolist() == [1.0]


def test_of_two_lone_inequalities_one_becomes_an_order() -> None:
    """No two rows agree on c and differ on a and b: that DC has two `!=`, so it is no POD."""
    rows = [(1, 1, 0), (1, 2, 0), (1, 1, 1), (2, 1, 1), (2, 2, 2), (3, 3, 3)]
    table = naive.Table("abc", rows, ordered=[True, True, False])
    denials = {str(law) for law in found_denials(table).laws}
    assert "not(t.a != s.a and t.b != s.b and t.c = s.c)" in denials
    laws = {str(law) for law in found_denials(table, kinds=("pod",)).laws}
    assert laws == {"a <, c = => b =", "b <, c = => a =", "a =, b =, c = => never"}
