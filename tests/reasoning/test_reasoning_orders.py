"""Sorting: what the laws of a table say, beside the table sorted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cmp_to_key

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sign_vectors import theories

import naive
from examples import examples
from lawful import LawfulError
from lawful.laws import Law, parse
from lawful.reasoning import SortAdvice, SortItem, Theory, parse_order, set_based
from small_tables import minimal_laws, tables

NAMES = ("a", "b", "c", "d")
Row = tuple[object, ...]


def compared(one: Row, other: Row, items: Sequence[SortItem], columns: Sequence[str]) -> int:
    """How two rows compare by a list, as SQL has it."""
    for item in items:
        place = columns.index(item.column)
        first, second = one[place], other[place]
        if first == second:
            continue
        nulls_first = not item.descending if item.nulls_first is None else item.nulls_first
        if first is None or second is None:
            return -1 if (first is None) == nulls_first else 1
        assert isinstance(first, int)
        assert isinstance(second, int)
        return -1 if (first < second) != item.descending else 1
    return 0


def sorts(table: naive.Table, left: Sequence[SortItem], right: Sequence[SortItem]) -> bool:
    """Whether rows sorted by one list are sorted by another, in whatever order ties come."""

    def by_left(one: Row, other: Row) -> int:
        return compared(one, other, left, table.columns)

    for turned in (False, True):
        rows = sorted(table.rows[:: -1 if turned else 1], key=cmp_to_key(by_left))
        if any(
            compared(rows[i], rows[j], right, table.columns) > 0 for j in range(len(rows)) for i in range(j)
        ):
            return False
    return True


@st.composite
def lists(draw: st.DrawFn, columns: Sequence[str], most: int = 3) -> tuple[SortItem, ...]:
    chosen = draw(st.lists(st.sampled_from(columns), max_size=most, unique=True))
    return tuple(
        SortItem(column, draw(st.booleans()), draw(st.sampled_from([None, None, True, False])))
        for column in chosen
    )


def advice_on(table: naive.Table, laws: Sequence[Law]) -> SortAdvice:
    nullable = [
        name for place, name in enumerate(table.columns) if any(row[place] is None for row in table.rows)
    ]
    return SortAdvice(Theory.of(table.columns, laws), nullable)


@examples(60)
@given(st.data(), tables(min_columns=2, max_columns=4, nulls="equal"))
def test_what_sorts_by_what_is_seen_in_the_sorted_table(data: st.DataObject, table: naive.Table) -> None:
    advice = advice_on(table, [*minimal_laws(table)])
    left, right = data.draw(lists(table.columns)), data.draw(lists(table.columns))
    answer = advice.orders(left, right)
    plain = all(item.plain(advice.nullable).nulls_are_smallest for item in (*left, *right))
    if answer or (plain and all(map(table.is_ordered, table.columns))):
        assert bool(answer) == sorts(table, left, right), answer
    assert advice.same(left, right) == (bool(answer) and bool(advice.orders(right, left)))
    assert all(naive.holds(law, table) for law in answer.used)


@examples(40)
@given(st.data(), tables(min_columns=2, max_columns=4, nulls="equal"))
def test_shorter_lists_and_indexes_give_the_same_order(data: st.DataObject, table: naive.Table) -> None:
    advice = advice_on(table, [*minimal_laws(table)])
    items = data.draw(lists(table.columns))
    short = advice.shortest(items, table.columns)
    assert len(short) <= len(items)
    assert sorts(table, short, items)
    assert sorts(table, items, short)
    for index in advice.serving(items, table.columns):
        back = tuple(item.reversed() for item in index)
        assert sorts(table, index, items) or sorts(table, back, items)


@examples(40)
@given(theories(NAMES), lists(NAMES), lists(NAMES))
def test_answers_follow_from_the_laws_that_they_name(
    known: list[Law], left: tuple[SortItem, ...], right: tuple[SortItem, ...]
) -> None:
    answer = SortAdvice(Theory.of(NAMES, known), NAMES).orders(left, right)
    assert {*answer.used} <= {*known}
    assert bool(answer) == bool(SortAdvice(Theory.of(NAMES, answer.used), NAMES).orders(left, right))


@examples(60)
@given(
    tables(min_columns=3, max_columns=3, nulls="equal"),
    st.sampled_from(
        [
            ("{c1} -> c0", "c1", "c1, c0"),
            ("{c2}: c0 asc ~ c1 desc", "c2, c0, c1 desc", "c2, c1 desc, c0"),
            ("{}: c0 asc ~ c2 asc", "c0, c2", "c2, c0"),
        ]
    ),
)
def test_a_set_based_od_and_its_lists_say_the_same(table: naive.Table, texts: tuple[str, str, str]) -> None:
    if all(map(table.is_ordered, table.columns)):
        law, lists = parse(texts[0]), (parse_order(texts[1]), parse_order(texts[2]))
        assert naive.holds(law, table) == sorts(table, *lists)
        implied = Theory.of(table.columns, [law]).implies
        assert all(implied(own) for (own,) in set_based(*lists))


def test_the_mapping_of_the_paper() -> None:
    """DISTOD's example: [A asc, B desc] -> [C asc, D asc], with the sixth that HyOD adds."""
    laws = [str(law) for (law,) in set_based(parse_order("a, b desc"), parse_order("c, d"))]
    assert laws == [
        "{a, b} -> c",
        "{a, b} -> d",
        "{}: a asc ~ c asc",
        "{c}: a asc ~ d asc",
        "{a}: b asc ~ c desc",
        "{a, c}: b asc ~ d desc",
    ]


def test_nulls_elsewhere_are_another_order() -> None:
    laws = [parse("{}: a asc ~ b asc"), parse("{a} -> b"), parse("{b} -> a")]
    theory = Theory.of(NAMES, laws)
    advice = SortAdvice(theory, ["b"])
    assert advice.orders(parse_order("a"), parse_order("b"))
    assert advice.orders(parse_order("a"), parse_order("b nulls first"))
    assert advice.orders(parse_order("a desc nulls first"), parse_order("b desc"))  # a has no NULLs
    assert not advice.orders(parse_order("a"), parse_order("b nulls last"))
    assert advice.shortest(parse_order("a, b nulls last")) == parse_order("a")
    assert SortAdvice(theory).orders(parse_order("a"), parse_order("b nulls last"))


def test_answers_in_words() -> None:
    advice = SortAdvice(Theory.of(NAMES, [parse("{}: a asc ~ b asc"), parse("{a} -> b")]))
    assert (
        str(advice.orders(parse_order("a"), parse_order("b")))
        == "[a] sorts by [b]: {a} -> b, {}: a asc ~ b asc"
    )
    assert str(advice.orders(parse_order("b"), parse_order("a desc"))) == (
        "[b] need not sort by [a desc], without {b} -> a, {}: a asc ~ b desc"
    )
    assert str(advice.orders(parse_order("a, b"), parse_order("a"))) == "[a, b] sorts by [a]"


@pytest.mark.parametrize("text", ["a b", "a,", "a desc asc", "a nulls"])
def test_lists_that_cannot_be_read(text: str) -> None:
    with pytest.raises(LawfulError, match="cannot read the order"):
        parse_order(text)
