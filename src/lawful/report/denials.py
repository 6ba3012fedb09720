"""Denial constraints between the bit sets of a search and the law objects of a reader."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from lawful.laws import DC, FD, OD, Key, Law, Predicate
from lawful.laws.comparisons import (
    ACROSS,
    IN_FIRST,
    IN_SECOND,
    Comparisons,
    Crossing,
    atom_words,
    comparisons_of,
)
from lawful.laws.dc import Cell, Comparison, Row
from lawful.laws.operators import OUTCOMES, Operator

Sets = npt.NDArray[np.uint64]

# The operator that excludes what the atoms "not <", "not =", "not >" (bits 1, 2, 4) of a set exclude
_OPERATORS: dict[int, Operator] = {
    sum(bit for bit, outcome in ((1, "<"), (2, "="), (4, ">")) if outcome not in outcomes): operator
    for operator, outcomes in OUTCOMES.items()
}
_ATOMS: dict[Operator, int] = {operator: atoms for atoms, operator in _OPERATORS.items()}
_EQUAL = _ATOMS["="]
_ROWS: dict[int, tuple[Row, Row]] = {ACROSS: ("t", "s"), IN_FIRST: ("t", "t"), IN_SECOND: ("s", "s")}


def denial(line: Sequence[int], comparisons: Comparisons, names: Sequence[str]) -> DC:
    """The law of a set of atoms, given as the words of its line."""
    bits = sum(word << (64 * place) for place, word in enumerate(line))
    predicates = []
    for k in range(len(comparisons.kind)):
        atoms = bits >> (3 * k) & 7
        if atoms:
            operator = _OPERATORS[atoms if comparisons.ordered[k] or atoms == _ATOMS["!="] else _EQUAL]
            left, right = cells_of(comparisons, k, names)
            predicates.append(Predicate(left, operator, right))
    return DC(frozenset(predicates)).canonical()


def cells_of(comparisons: Comparisons, k: int, names: Sequence[str]) -> Comparison:
    """What a comparison compares."""
    first, second = _ROWS[int(comparisons.kind[k])]
    return Comparison(Cell(first, names[comparisons.left[k]]), Cell(second, names[comparisons.right[k]]))


def comparisons_for(laws: Iterable[Law], names: Sequence[str]) -> Comparisons:
    """Comparisons that the given denial constraints can be written with."""
    number = {name: place for place, name in enumerate(names)}
    crossed = set()
    for law in laws:
        if isinstance(law, DC):
            for predicate in law.predicates:
                left, right = (number[cell.column] for cell in predicate.comparison)
                if left != right:
                    crossed.add((min(left, right), max(left, right)))
    crossings = [Crossing(left, right, ordered=True) for left, right in sorted(crossed)]
    return comparisons_of(list(range(len(names))), np.ones(len(names), np.bool_), crossings)


def atoms_of(law: DC, comparisons: Comparisons, places: Mapping[Comparison, tuple[int, bool]]) -> list[int]:
    """The words of a law's set of atoms; `places` finds comparisons as `places_of` lists them."""
    bits = 0
    for predicate in law.predicates:
        k, turned = places[predicate.comparison]
        atoms = _ATOMS[predicate.operator]
        if turned:
            atoms = (atoms & 2) | (atoms & 1) << 2 | atoms >> 2
        bits |= atoms << (3 * k)
    return [bits >> (64 * word) & (2**64 - 1) for word in range(atom_words(comparisons))]


def places_of(comparisons: Comparisons, names: Sequence[str]) -> dict[Comparison, tuple[int, bool]]:
    """The number of each comparison as predicates write it, and whether its sides are exchanged there."""
    places = {}
    for k in range(len(comparisons.kind)):
        left, right = cells_of(comparisons, k, names)
        written = Predicate(left, "=", right).comparison
        places[written] = (k, written != Comparison(left, right))
    return places


def states(law: Law) -> Law | None:
    """The key, FD or OD that a denial constraint states, if it states one."""
    if not isinstance(law, DC) or any(p.left.column != p.right.column for p in law.predicates):
        return None
    equal = frozenset(p.left.column for p in law.predicates if p.operator == "=")
    others = [predicate for predicate in law.predicates if predicate.operator != "="]
    if not others:
        return Key(equal)
    if len(others) == 1 and others[0].operator == "!=":
        return FD(equal, others[0].left.column)
    if len(others) == 2 and all(predicate.operator in ("<", ">") for predicate in others):
        left, right = others
        return OD(equal, left.left.column, right.left.column, left.operator == right.operator)
    return None


def stated(law: Law) -> str | None:
    """The text of what a denial constraint states, if it states a key, an FD or an OD."""
    simpler = states(law)
    return None if simpler is None else str(simpler)
