"""Made laws of every kind over the columns of a made table."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

import naive
from lawful.laws import DC, FD, OD, OPERATORS, POD, Cell, Key, Law, Operator, Predicate
from lawful.table.columns import Column

ROWS: list[tuple[str, str]] = [("t", "s"), ("t", "s"), ("t", "t"), ("s", "s")]


def columns_of(table: naive.Table) -> list[Column]:
    """The columns as a relation tells of them."""
    return [
        Column(name=name, type="integer", ordered=table.is_ordered(name), distinct=0, nulls=0)
        for name in table.columns
    ]


@st.composite
def laws_of(draw: st.DrawFn, names: Sequence[str]) -> Law:
    """A law of any kind, whether it holds or not."""
    some = draw(st.permutations(names))
    rest = draw(st.integers(0, len(some)))
    kinds = ["key", "fd", "pod", "dc", "dc", "dc", *["od"] * (len(some) > 1)]
    match draw(st.sampled_from(kinds)):
        case "key":
            return Key(frozenset(some[:rest]))
        case "fd":
            return FD(frozenset(some[1 : 1 + rest]), some[0])
        case "od":
            return OD(frozenset(some[2 : 2 + rest]), some[0], some[1], draw(st.booleans()))
        case "pod":
            return draw(_pods(some[:rest]))
    return draw(_dcs(names))


@st.composite
def _pods(draw: st.DrawFn, names: Sequence[str]) -> POD:
    compared: dict[str, Operator] = {
        name: draw(st.sampled_from([one for one in OPERATORS if one != "!="])) for name in names
    }
    different = draw(st.integers(0, 1))
    if compared and different:
        compared[names[0]] = "!="
    return POD.denying(compared)


@st.composite
def _dcs(draw: st.DrawFn, names: Sequence[str]) -> DC:
    predicates: dict[object, Predicate] = {}
    for _ in range(draw(st.integers(0, 5))):
        left, right = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        first, second = draw(st.sampled_from(ROWS))
        if (first, left) != (second, right):
            operator = draw(st.sampled_from([*OPERATORS, "="]))
            one = Predicate(_cell(first, left), operator, _cell(second, right))
            predicates[one.comparison] = one
    return DC(frozenset(predicates.values()))


def _cell(row: str, column: str) -> Cell:
    return Cell("t" if row == "t" else "s", column)
