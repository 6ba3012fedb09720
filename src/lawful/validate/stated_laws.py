"""Denial constraints that say no less than a key, an FD or an OD: they have the bits of that, at least."""

from typing import NamedTuple

import numpy as np

from lawful.laws.comparisons import EQUAL, Ints
from lawful.laws.targets import DUPLICATE, as_targets, split, swap
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.dc_literals import UNEQUAL
from lawful.validate.law_bits import SIDES, Shuffles, rated
from lawful.words import bit_set, words_for


class StatedLaw(NamedTuple):
    """A key, an FD or an OD: its context, and the target."""

    context: frozenset[int]
    target: tuple[int, int, int, int]


def stated_law(literals: Ints) -> StatedLaw | None:
    """What a denial constraint, given by lines of kind, left column, right column, atoms, says at least."""
    _, lefts, rights, atoms = literals.T
    if (lefts != rights).any():
        return None
    context = frozenset(lefts[atoms == UNEQUAL].tolist())
    different, ordered = lefts[atoms == EQUAL].tolist(), (atoms != EQUAL) & (atoms != UNEQUAL)
    sides, excluded = lefts[ordered].tolist(), atoms[ordered] & UNEQUAL
    if not different and not sides:
        return StatedLaw(context, DUPLICATE)
    if len(different) == 1 and not sides:
        return StatedLaw(context, split(different[0]))
    if not different and len(sides) == 2:
        return StatedLaw(context, swap(sides[0], sides[1], descending=bool(excluded[0] == excluded[1])))
    return None


def stated_bits(law: StatedLaw, column: int, rows: RankedRows, halt: Ints) -> float:
    """How surely a stated law would break if a column, or the lesser of its sides, were shuffled."""
    work = Workspace(rows)
    work.halt = halt
    beside = np.array(sorted(law.context - {column}), np.int64)
    context = bit_set(beside, words_for(rows.columns)).reshape(1, -1)
    shuffled = np.array([column if column in law.context else SIDES])
    bits = rated(work, Shuffles(np.zeros(1, np.int64), context, shuffled), as_targets([law.target]))
    return float(np.nan_to_num(bits[0]))
