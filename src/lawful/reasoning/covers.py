"""Minimal covers: as few laws as say what all of them say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lawful.laws import FD, OD, Key, Law
from lawful.reasoning.candidate_keys import key_within
from lawful.reasoning.closures import Closures, Columns
from lawful.reasoning.theory import Theory


def minimal_cover(theory: Theory) -> list[Law]:
    """Laws that all others follow from, none of which follows from the rest, nor could spare a column.

    The first ones stay if they can. PODs and DCs that state nothing simpler stay as they are.
    """
    kept = _needed(theory.names, [_shortened(theory.closures, law) for law in theory.laws])
    for law in reversed([law for law in kept if isinstance(law, OD)]):
        others = [one for one in kept if one != law]
        if Theory(theory.names, tuple(others), theory.nulls_equal).implies(law):
            kept = others
    return kept


def fd_cover(theory: Theory) -> list[FD]:
    """The same for FDs alone, where a key is the FDs of all other columns: as normal forms need it.

    Where left sides determine each other, the shortest one leads to the other columns if it can, and the
    others lead to it.
    """
    closures = theory.closures
    split = [FD(lhs, column) for lhs, column in closures.split_up()]
    found = [law for law in dict.fromkeys(_shortened(closures, law) for law in split) if isinstance(law, FD)]
    shortest: dict[Columns, Columns] = {}
    for law in sorted(found, key=lambda law: (len(law.lhs), sorted(map(theory.names.index, law.lhs)))):
        shortest.setdefault(closures.closure(law.lhs), frozenset(law.lhs))

    def detour(law: FD) -> int:
        leading = shortest[closures.closure(law.lhs)]
        return 0 if law.lhs == leading else 1 if law.rhs in leading else 2

    ordered: list[FD] = sorted(found, key=detour)
    return [law for law in _needed(theory.names, ordered) if isinstance(law, FD)]


def _shortened(closures: Closures, law: Law) -> Law:
    """A key or FD without columns that it can spare on its left side."""
    match law:
        case Key():
            return Key(key_within(closures, frozenset(law.columns), frozenset(closures.names)))
        case FD():
            return FD(key_within(closures, frozenset(law.lhs), frozenset([law.rhs])), law.rhs)
    return law


def _needed(names: Sequence[str], laws: Sequence[Law]) -> list[Law]:
    """The laws without keys and FDs that follow from others, where the last ones go first."""
    laws = list(dict.fromkeys(laws))
    closures = Theory.of(names, laws).closures
    used, keys = closures.all_of_them, [law for law in laws if isinstance(law, Key)]
    for number in reversed(range(len(used))):
        one = closures.dependencies[number]
        used[number] = False
        closed = closures.without(one.lhs, used)
        if isinstance(one.law, Key):
            needed = not any(key.columns <= closed for key in keys if key != one.law)
            keys = keys if needed else [key for key in keys if key != one.law]
        else:
            needed = not one.rhs <= closed
        used[number] = needed
    dropped = {closures.dependencies[number].law for number in np.flatnonzero(~used).tolist()}
    return [law for law in laws if law not in dropped]
