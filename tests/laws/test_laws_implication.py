"""Denial constraints that follow from others: never one that some table refutes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from denial_tables import crossed_tables
from examples import examples
from lawful.laws import DC, parse
from lawful.laws.implication import follows, without_echoes


def denial(text: str) -> DC:
    law = parse(text)
    assert isinstance(law, DC)
    return law


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("not(t.a < s.a and t.b > s.b)", ["not(t.a < s.a)"]),  # more predicates
        ("not(t.a > s.a and t.b = s.b)", ["not(t.a < s.a and t.b = s.b)"]),  # t and s exchanged
        ("not(t.a < s.b and s.b < t.c and t.c < t.a)", []),  # a circle
        ("not(t.a < s.b and s.b < s.c and t.d = s.d)", ["not(t.a < s.c)"]),  # by transitivity
        ("not(t.a = s.a and t.b < s.b)", ["not(t.a <= s.a and t.b < s.b)"]),
        ("not(t.a = s.a and t.c != s.c)", ["not(t.a = s.a and t.b != s.b)", "not(t.b = s.b and t.c != s.c)"]),
    ],
)
def test_what_follows(text: str, known: list[str]) -> None:
    assert follows(denial(text), [denial(one) for one in known], frozenset("abcd"))


def test_what_does_not_follow() -> None:
    assert not follows(denial("not(t.a = s.a)"), [denial("not(t.a = s.a and t.b = s.b)")])
    order = [denial("not(t.a <= s.a and t.b > s.b)")]
    assert follows(denial("not(t.a = s.a and t.b != s.b)"), order, frozenset("ab"))
    assert not follows(denial("not(t.a = s.a and t.b != s.b)"), order), (
        "b may have a NULL that equals nothing"
    )


def test_echoes_are_dropped_in_order() -> None:
    laws = [denial("not(t.a <= s.a and t.b > s.b)"), denial("not(t.a = s.a and t.b != s.b)")]
    assert without_echoes(laws, frozenset("ab")) == laws[:1]
    assert without_echoes(laws[1:], frozenset("ab"), laws[:1]) == []
    assert without_echoes(laws[::-1], frozenset("ab")) == laws[::-1]


@examples(100)
@given(crossed_tables(max_rows=6, max_columns=3), st.data())
def test_what_follows_holds(made: tuple[naive.Table, list[naive.CrossColumns]], data: st.DataObject) -> None:
    """Laws of another table follow from those of this one only if this one obeys them."""
    table, crossed = made
    known = sorted(naive.minimal_dcs(table, crossed))
    some = naive.Table(table.columns, table.rows[:-1], table.ordered, table.nulls)
    ordered = frozenset(
        name
        for number, name in enumerate(table.columns)
        if table.is_ordered(name)
        and (table.nulls == "equal" or all(row[number] is not None for row in table.rows))
    )
    for law in sorted(naive.minimal_dcs(some, crossed))[:20]:
        if follows(law, known, ordered):
            assert naive.holds(law, table)
