"""What must be true of all laws, on random ones; implication is held against the oracle."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from lawful.laws import (
    DC,
    FD,
    OD,
    OPERATORS,
    POD,
    Cell,
    Comparison,
    Key,
    Law,
    Predicate,
    Term,
    from_json,
    parse,
)

NASTY_NAMES = [
    "a",
    "b",
    "t",
    "s",
    "key",
    "not",
    "and",
    "asc",
    "",
    " ",
    ".",
    '"',
    '""',
    "a.b",
    "x\ny",
    "->",
    "{",
]
TERM_OPERATORS = [operator for operator in OPERATORS if operator != "!="]


def comparisons(names: Sequence[str]) -> list[Comparison]:
    cells = [Cell(row, name) for name in names for row in ("t", "s")]
    return [Comparison(left, right) for left, right in combinations(cells, 2)]


def laws(names: list[str]) -> st.SearchStrategy[Law]:
    """Draw a law over at least two names."""
    return st.permutations(names).map(tuple).flatmap(laws_about)


@cache  # hypothesis takes long to look through new strategies
def laws_about(names: tuple[str, ...]) -> st.SearchStrategy[Law]:
    """Draw a law with the first name on the right side, and the second beside it in an OD."""
    first, second, *rest = names
    context = st.frozensets(st.sampled_from(rest)) if rest else st.just(frozenset())
    lhs = st.frozensets(st.sampled_from([second, *rest]))
    return st.one_of(
        st.builds(Key, st.sets(st.sampled_from(names))),
        st.builds(FD, lhs, st.just(first)),
        st.builds(OD, context, st.just(first), st.just(second), st.booleans()),
        st.builds(POD, lhs.flatmap(marked), st.builds(Term, st.just(first), st.sampled_from(TERM_OPERATORS))),
        st.builds(POD, lhs.flatmap(marked)),
        st.frozensets(st.sampled_from(comparisons(names)), max_size=4).flatmap(denied).map(DC),
    )


@cache
def marked(columns: frozenset[str]) -> st.SearchStrategy[set[Term]]:
    operators = st.sampled_from(TERM_OPERATORS)
    return st.tuples(*(st.builds(Term, st.just(column), operators) for column in sorted(columns))).map(set)


@cache
def denied(compared: frozenset[Comparison]) -> st.SearchStrategy[set[Predicate]]:
    operators = st.sampled_from(OPERATORS)
    return st.tuples(
        *(st.builds(Predicate, st.just(left), operators, st.just(right)) for left, right in sorted(compared))
    ).map(set)


def laws_with_any_names() -> st.SearchStrategy[Law]:
    names = st.lists(st.sampled_from(NASTY_NAMES) | st.text(), min_size=2, max_size=4, unique=True)
    return names.flatmap(laws)


def tables() -> st.SearchStrategy[naive.Table]:
    value = st.none() | st.integers(0, 2)
    return st.builds(
        naive.Table,
        st.just("abc"),
        st.lists(st.tuples(value, value, value), max_size=4),
        st.tuples(st.booleans(), st.booleans(), st.booleans()),
        st.sampled_from(["equal", "distinct"]),
    )


@given(laws_with_any_names())
def test_text_round_trip(law: Law) -> None:
    assert parse(str(law)) == law
    assert str(parse(str(law))) == str(law)


@given(laws_with_any_names())
def test_every_reading_of_a_pod_is_the_same_law(law: Law) -> None:
    if isinstance(law, POD):
        for reading in law.readings():
            assert parse(str(reading)) == law
        assert law.as_dc().as_pod() == law


@given(laws(["a", "b", "c"]), tables())
def test_a_pod_holds_where_its_denial_constraint_does(law: Law, table: naive.Table) -> None:
    if isinstance(law, POD):
        assert naive.holds(law, table) == naive.holds(law.as_dc(), table)
        for reading in law.readings():
            broken = naive.meeting(naive.conditions_of_reading(reading), table)
            assert naive.holds(law, table) == (not broken)


@given(laws_with_any_names())
def test_json_round_trip(law: Law) -> None:
    assert from_json(law.to_json()) == law


@given(laws_with_any_names())
def test_mirror_is_an_involution(law: Law) -> None:
    assert law.mirror().mirror() == law
    assert law.canonical() in (law, law.mirror())
    assert law.canonical() == law.mirror().canonical()


@given(laws(["a", "b", "c"]), tables())
def test_a_mirror_image_holds_on_the_same_tables(law: Law, table: naive.Table) -> None:
    assert naive.holds(law, table) == naive.holds(law.mirror(), table)


@given(st.lists(laws(["a", "b", "c"]), max_size=6))
def test_order_is_total_and_agrees_with_equality(some: list[Law]) -> None:
    for first, second in combinations(sorted(some), 2):
        assert (first < second) != (first == second)
        assert not second < first


@given(st.lists(laws(["a", "b", "c"]), max_size=12), tables())
def test_implication_is_sound(some: list[Law], table: naive.Table) -> None:
    holding = [law for law in some if naive.holds(law, table)]
    for strong, weak in product(holding, some):
        if strong.implies(weak):
            assert naive.holds(weak, table), f"{strong} holds, {weak} does not"


def all_pods() -> list[Law]:
    marks = product(TERM_OPERATORS, ["a", "b"], [None, *TERM_OPERATORS])
    return [
        POD({Term("b" if right == "a" else "a", left)} if left else set(), Term(right, operator))
        for operator, right, left in marks
    ]


def all_dcs() -> list[Law]:
    pairs = product([None, *OPERATORS], repeat=2)
    return [
        DC(
            {
                Predicate(Cell("t", column), operator, Cell("s", column))
                for column, operator in zip("ab", pair, strict=True)
                if operator
            }
        )
        for pair in pairs
    ]


@pytest.mark.parametrize("some", [all_pods(), all_dcs()], ids=["pod", "dc"])
@pytest.mark.parametrize("nulls", ["equal", "distinct"])
def test_implication_is_sound_on_all_tables_of_two_rows_and_columns(
    some: list[Law], nulls: naive.Nulls
) -> None:
    """A pair of rows decides, so two rows with every combination of signs are all there is to try."""
    rows = list(product([None, 0, 1], repeat=2))
    every_table = [naive.Table("ab", [t, s], nulls=nulls) for t in rows for s in rows]
    holding = {law: {i for i, table in enumerate(every_table) if naive.holds(law, table)} for law in some}
    for strong, weak in product(some, repeat=2):
        if strong.implies(weak):
            assert holding[strong] <= holding[weak], f"{strong} does not imply {weak}"


@given(tables())
def test_minimal_laws_do_not_imply_each_other(table: naive.Table) -> None:
    for found in (naive.minimal_keys(table), naive.minimal_fds(table), naive.minimal_ods(table)):
        assert not any(one.implies(other) for one, other in product(found, repeat=2) if one != other)
