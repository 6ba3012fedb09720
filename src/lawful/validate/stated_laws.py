"""Denial constraints that say no less than a key, an FD or an OD: they have the bits of that, at least."""

from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

import numpy as np

from lawful.laws.comparisons import EQUAL, UNEQUAL, Ints
from lawful.laws.targets import DUPLICATE, as_targets, split, swap
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.rating import Shuffles, in_order, rated
from lawful.words import bit_set, words_for

NO_FLOOR = -1.0  # of bits: all of them are asked for


class StatedLaw(NamedTuple):
    """A key, an FD or an OD: its context, and the target."""

    context: frozenset[int]
    target: tuple[int, int, int, int]


def stated_laws(literals: Ints, column: int, rows: RankedRows) -> Iterator[StatedLaw]:
    """What a denial constraint, given by lines of kind, left column, right column, atoms, says at least.

    Only what speaks for a column of an equality or of an order. `<=` and `>=` are equalities, and more; `<`
    denies any difference, but not that of NULLs that equal nothing.
    """
    _, lefts, rights, atoms = literals.T
    if (lefts != rights).any():
        return
    excluded = dict(zip(lefts.tolist(), atoms.tolist(), strict=True))
    others = [other for other in excluded if excluded[other] != UNEQUAL]
    weak = {other for other in others if not excluded[other] & EQUAL}
    for kept in chain(*(combinations(others, size) for size in range(3))):
        context, orders = frozenset(excluded) - {*kept}, [excluded[side] & UNEQUAL for side in kept]
        told = excluded[column] == UNEQUAL or (column in kept and (len(kept) == 2 or column not in weak))
        if not told or not weak >= {*others} - {*kept}:
            continue
        if not kept:
            yield StatedLaw(context, DUPLICATE)
        elif len(kept) == 1:
            if excluded[kept[0]] == EQUAL or rows.ranks[kept[0]].min(initial=0) >= 0:
                yield StatedLaw(context, split(kept[0]))
        elif all(orders):
            yield StatedLaw(context, swap(kept[0], kept[1], descending=orders[0] == orders[1]))


def stated_bits(law: StatedLaw, column: int, rows: RankedRows, halt: Ints) -> float:
    """How surely a stated law would break if a column, of its context or a side, were shuffled."""
    beside = np.array(sorted(law.context - {column}), np.int64)
    context = bit_set(beside, words_for(rows.columns)).reshape(1, -1)
    shuffles = Shuffles(np.zeros(1, np.int64), context, np.array([column]))
    _, some = in_order(shuffles, as_targets([law.target]), np.array([NO_FLOOR]), rows)
    return float(np.nan_to_num(rated(Workspace(rows, halt), some)[0]))
