"""Laws as arrays and back: what the arrays say of a law is what the law says."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from examples import examples
from lawful.laws import (
    DC,
    FD,
    KINDS,
    OD,
    OPERATORS,
    POD,
    Cell,
    Key,
    Law,
    Operator,
    Predicate,
    Term,
)
from lawful.laws.codec import Codec, joined

NAMES = [f"c{number}" for number in range(70)]


@st.composite
def laws(draw: st.DrawFn) -> Law:
    """Laws of every kind that is kept in arrays, over columns of any number."""
    columns = draw(st.lists(st.sampled_from(NAMES), min_size=2, max_size=6, unique=True))
    first, second, *others = columns
    match draw(st.sampled_from(["key", "fd", "od", "pod", "dc"])):
        case "key":
            return Key({*columns[: draw(st.integers(0, 6))]})
        case "fd":
            return FD({*others}, first)
        case "od":
            return OD({*others}, first, second, draw(st.booleans()))
        case "pod":
            operators: list[Operator] = [operator for operator in OPERATORS if operator != "!="]
            first_term, *terms = [Term(name, draw(st.sampled_from(operators))) for name in columns]
            return POD(frozenset(terms), draw(st.sampled_from([first_term, None]))).canonical()
    rows = [("t", "s"), ("t", "t"), ("s", "s"), ("s", "t")]
    predicates: dict[object, Predicate] = {}
    for left, right in draw(st.lists(st.tuples(*[st.sampled_from(columns)] * 2), max_size=4)):
        one, other = draw(st.sampled_from(rows if left != right else [rows[0], rows[3]]))
        operator = draw(st.sampled_from(OPERATORS))
        predicate = Predicate(
            Cell("t" if one == "t" else "s", left), operator, Cell("t" if other == "t" else "s", right)
        )
        predicates[predicate.comparison] = predicate
    return DC(frozenset(predicates.values())).canonical()


@examples(200)
@given(st.lists(laws(), max_size=5), st.sampled_from(NAMES))
def test_arrays_give_back_the_laws(given: list[Law], name: str) -> None:
    codec = Codec.of(NAMES, given)
    arrays = codec.encode(given)
    assert list(codec.decode(arrays)) == given
    assert [KINDS[kind] for kind in arrays.kinds] == [law.kind for law in given]
    assert codec.sizes(arrays).tolist() == [law.size for law in given]
    speaking = codec.speak_of(arrays, NAMES.index(name))
    assert speaking.tolist() == [name in law.columns for law in given]
    parts = [arrays.chosen(np.array([place])) for place in range(len(given))]
    assert list(codec.decode(joined(parts, codec.words + 1))) == given


def test_sets_of_columns_may_have_fewer_words_than_sets_of_atoms() -> None:
    """A search for FDs alone keeps its sets short."""
    law = FD({"c3", "c60"}, "c5")
    codec = Codec(NAMES)
    arrays = codec.encode([law])
    short = arrays._replace(sets=arrays.sets[:, :1].copy())
    assert list(codec.decode(short)) == [law]
    assert [codec.speak_of(short, column).tolist() for column in (3, 5, 60, 4)] == [[True]] * 3 + [[False]]
