"""Laws on other columns: the same statement with other names, and what follows of equivalent columns.

A group of equivalent columns is plain data, as files have it: its `columns`, of which the first stands for
the others; those whose order is `reversed`; the `kinds` of places that it counts for: "fd" wherever laws
speak of equality only (keys, FDs, contexts of ODs), "od" as a side of an OD, "dc" in PODs and DCs. Where DCs
compare columns with others, any of a group may be named for all: "equal" where it is said whether a column is
equal to itself, "order" wherever it is compared with itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import combinations, permutations, product
from typing import Any

from lawful.laws.base import Law
from lawful.laws.dc import DC, Cell, Predicate
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.operators import mirrored
from lawful.laws.pod import POD

Group = Mapping[str, Any]
Members = Mapping[str, Collection[tuple[str, bool]]]  # what can take a column's place, and whether reversed


def standing_for(column: str, groups: Iterable[Group]) -> frozenset[str]:
    """The columns that laws may name where they mean a column: itself, or one that stands for it."""
    return frozenset([column, *(group["columns"][0] for group in groups if column in group["columns"])])


def exchanged(law: Law, groups: Iterable[Group]) -> Iterator[Law]:
    """The law with each column that stands for others replaced by each of them, and as it is."""
    groups = list(groups)
    equal, sides = (_members(groups, kind) for kind in ("fd", "od"))
    match law:
        case Key():
            for columns in _choices(law.columns, equal):
                yield Key(columns)
        case FD():
            for lhs, (rhs, _) in product(_choices(law.lhs, equal), _others(law.rhs, equal)):
                yield FD(lhs, rhs)
        case OD():
            choices = _choices(law.context, equal), _others(law.left, sides), _others(law.right, sides)
            for context, (left, turned), (right, turned_too) in product(*choices):
                yield OD(context, left, right, law.descending ^ turned ^ turned_too)
        case POD():
            pods = (one.as_pod() for one in exchanged(law.as_dc(), groups) if isinstance(one, DC))
            yield from (pod.canonical() for pod in pods if pod is not None)
        case DC():
            own = sorted(law.columns)
            for others in product(*(_in_denials(column, law, groups) for column in own)):
                yield _exchanged(law, dict(zip(own, others, strict=True))).canonical()


def laws_between(group: Group) -> Iterator[Law]:
    """The FDs and ODs between two columns of a group, as it counts for these kinds."""
    if "fd" in group["kinds"]:
        for left, right in permutations(group["columns"], 2):
            yield FD({left}, right)
    if "od" in group["kinds"]:
        for left, right in combinations(group["columns"], 2):
            opposite = (left in group["reversed"]) != (right in group["reversed"])
            yield OD(frozenset(), left, right, opposite)


def denials_between(group: Group) -> Iterator[DC]:
    """What makes columns the same where DCs compare them with themselves, as the group counts for that."""
    first, *others = group["columns"]
    for column in others:
        if "order" in group["kinds"]:
            turned = column in group["reversed"]
            yield DC.denying({first: "<", column: "<=" if turned else ">="})
            yield DC.denying({first: "<=", column: "<" if turned else ">"})
        if "equal" in group["kinds"]:
            yield DC.denying({first: "=", column: "!="})
            yield DC.denying({first: "!=", column: "="})


def in_first_names(law: DC, groups: Iterable[Group]) -> DC:
    """The same law with the first columns of groups in the place of others, where they can take it."""
    groups = list(groups)
    for column in sorted(law.columns):
        members = dict(_in_denials(column, law, groups))
        for group in groups:
            first = group["columns"][0]
            if column in group["columns"] and first in members:
                law = _exchanged(law, {column: (first, members[first])})
                break
    return law.canonical()


def names_twins(law: Law, groups: Iterable[Group]) -> bool:
    """Whether a law names two columns of a group."""
    return any(len(law.columns & {*group["columns"]}) > 1 for group in groups)


def _members(groups: Iterable[Group], kind: str) -> Members:
    """For each column that stands for others in laws of a kind all of the group."""
    return {
        group["columns"][0]: [(column, column in group["reversed"]) for column in group["columns"]]
        for group in groups
        if kind in group["kinds"]
    }


def _others(column: str, members: Members) -> Collection[tuple[str, bool]]:
    return members.get(column, [(column, False)])


def _choices(columns: Iterable[str], members: Members) -> Iterator[frozenset[str]]:
    for choice in product(*(_others(column, members) for column in columns)):
        yield frozenset(column for column, _ in choice)


def _in_denials(column: str, law: DC, groups: Iterable[Group]) -> Collection[tuple[str, bool]]:
    """What can take a column's place in a DC, and whether reversed."""
    named = [one for one in law.predicates if column in (one.left.column, one.right.column)]
    places = {"order", "equal"} if all(one.operator in ("=", "!=") for one in named) else {"order"}
    crossed = any(one.left.column != one.right.column for one in named)
    members = {column: False}
    for group in groups:
        columns, turned = group["columns"], {*group["reversed"]}
        if "dc" in group["kinds"] and columns[0] == column:
            members |= {other: other in turned for other in columns}
        if not crossed and column in columns and places & {*group["kinds"]}:
            others = {*columns} - law.columns
            members |= {other: (other in turned) != (column in turned) for other in others}
    return members.items()


def _exchanged(law: DC, places: Mapping[str, tuple[str, bool]]) -> DC:
    """A DC with other columns in the place of some, and whether these are reversed."""
    return DC(frozenset(_replaced(one, places) for one in law.predicates))


def _replaced(predicate: Predicate, places: Mapping[str, tuple[str, bool]]) -> Predicate:
    """The predicate on other columns. Two columns are compared with each other as they are: none of them is
    reversed, since only one with the same values takes the place of one of these."""
    left, turned = places.get(predicate.left.column, (predicate.left.column, False))
    right, _ = places.get(predicate.right.column, (predicate.right.column, False))
    operator = mirrored(predicate.operator) if turned else predicate.operator
    return Predicate(Cell(predicate.left.row, left), operator, Cell(predicate.right.row, right))


def renamed(law: Law, names: Mapping[str, str]) -> Law:
    """The law with another name for each of its columns; names that differ must go on to differ."""
    match law:
        case Key():
            return Key({names[one] for one in law.columns})
        case FD():
            return FD({names[one] for one in law.lhs}, names[law.rhs])
        case OD():
            return OD({names[one] for one in law.context}, names[law.left], names[law.right], law.descending)
        case POD():
            return POD.denying({names[one]: operator for one, operator in law.denied().items()})
    return _exchanged(law.as_dc(), {one: (names[one], False) for one in law.columns})
