"""What kind of query finds the rows that break a law."""

from __future__ import annotations

from dataclasses import dataclass

from lawful.laws import DC, FD, OD, Key, Law, Operator, Predicate
from lawful.laws.equivalents import simpler_form
from lawful.laws.operators import mirrored

_LESS: tuple[Operator, ...] = ("<", "<=")
_ORDERS: tuple[Operator, ...] = ("<", "<=", ">=", ">")


@dataclass(frozen=True)
class RowForm:
    """A law of single rows: none satisfies all of these predicates."""

    predicates: tuple[Predicate, ...]


@dataclass(frozen=True)
class SweepForm:
    """Rows that agree on a context never compare so on two columns; the first operator is `<` or `<=`."""

    context: frozenset[str]
    first: tuple[str, Operator]
    second: tuple[str, Operator]


@dataclass(frozen=True)
class JoinForm:
    """Two rows must be put side by side; `bounded` says that equal values bring them together."""

    predicates: tuple[Predicate, ...]
    bounded: bool


Form = Key | FD | RowForm | SweepForm | JoinForm


def form_of(law: Law) -> Form:
    """The simplest form of a law."""
    simple = simpler_form(law) or law
    match simple:
        case Key() | FD():
            return simple
        case OD():
            context, other = frozenset(simple.context), ("<" if simple.descending else ">")
            return SweepForm(context, (simple.left, "<"), (simple.right, "<" if other == "<" else ">"))
    return _of_denial(simple.as_dc())


def _of_denial(law: DC) -> Form:
    predicates = tuple(sorted(law.predicates, key=str))
    if len({cell.row for one in predicates for cell in one.comparison}) == 1:
        return RowForm(predicates)
    own = [one for one in predicates if one.left.column == one.right.column]
    others = [one for one in predicates if one not in own or one.operator != "="]
    if len(others) == 2 and all(one in own and one.operator in _ORDERS for one in others):
        first, second = ((one.left.column, one.operator) for one in others)
        if first[1] not in _LESS:
            first, second = (first[0], mirrored(first[1])), (second[0], mirrored(second[1]))
        return SweepForm(law.context, first, second)
    between = [one for one in predicates if one.left.row != one.right.row]
    return JoinForm(predicates, any(one.operator == "=" for one in between))
