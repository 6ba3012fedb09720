"""What the sides of laws are worth, told while the laws are validated: the classes of contexts are at hand.

Most laws are chance by their sides: few pairs of rows that agree on a context say little of them, whatever
they are. Laws that have too few need not be looked at again.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.codec import LawArrays
from lawful.laws.targets import LEFT, RIGHT
from lawful.table.ranked import RankedRows
from lawful.validate.bit_tables import bit_tables, bits_of_pairs
from lawful.validate.candidates import Wanted, bits_of_candidates
from lawful.validate.law_bits import Truths
from lawful.validate.rating import Bits, bits_of_both
from lawful.validate.side_bits import bits_of_right_side

SUM_ROUNDING = 1e-9  # the share of itself that a sum may be wrong by


class Floors(NamedTuple):
    """What laws need, each by its number, to be no mere chance."""

    bits: Bits  # of each of their columns; 0: it is not asked
    pairs: Bits  # of rows that agree on their contexts: no fewer say as much of their sides

    def only(self, part: slice) -> "Floors":
        """Those of some laws."""
        return Floors(self.bits[part], self.pairs[part])


def floors_of(rows: RankedRows, laws: LawArrays, wanted: Wanted) -> Floors:
    """What some laws need for the bits that are wanted, or for any."""
    bits = wanted.bits + bits_of_candidates(laws, wanted.columns)
    return Floors(bits, _pairs_needed(rows, laws, bits))


def no_floors(count: int) -> Floors:
    """Those of so many laws of which it is not asked."""
    return Floors(np.zeros(count), np.zeros(count))


def may_have_bits(rows: RankedRows, laws: LawArrays, columns: int, scores: Bits) -> Truths:
    """Which laws may have any bits, as far as scores tell, the shares of pairs that agree on contexts."""
    needed = _pairs_needed(rows, laws, bits_of_candidates(laws, columns))
    may: Truths = (needed == 0) | (scores * rows.count * (rows.count - 1.0) / 2.0 > needed)
    return may


def _pairs_needed(rows: RankedRows, laws: LawArrays, bits: Bits) -> Bits:
    """How many pairs of rows must agree on the context of each law if its sides are to have so many bits, at
    least; 0 where that is not told."""
    pairs, (left, right) = bits_of_pairs(bit_tables(rows)), laws.targets[:, [LEFT, RIGHT]].T
    of_pair = np.where(right < 0, pairs.alike[left], np.minimum(pairs.sorted[left], pairs.sorted[right]))
    told = (left >= 0) & laws.sets.any(axis=1)  # of all rows together more can be told than of classes
    with np.errstate(divide="ignore", invalid="ignore"):
        needed: Bits = np.where(told, bits / (of_pair * (1.0 + SUM_ROUNDING)), 0.0)
    return needed


@kernel
def pairs_within(ends):
    """How many pairs of rows are of one class."""
    pairs, start = 0.0, 0
    for k in range(ends.shape[0]):
        size = ends[k] - start
        pairs, start = pairs + size * (size - 1.0) / 2.0, ends[k]
    return pairs


@kernel
def rate_sides(ranks, orders, classes, targets, found, floors, tables, counts, room, sides):
    """Write the bits of the sides of those laws of a context that hold, as exactly as tells them from their
    floors; the others, and keys, which have none, stay as they are."""
    _, rows, ends, _ = classes
    pairs = -1.0
    for k in range(targets.shape[0]):
        target, floor = targets[k], floors.bits[k]
        if found[k] != 0 or floor <= 0.0 or target[LEFT] < 0:
            continue
        pairs = pairs_within(ends) if pairs < 0.0 else pairs
        if pairs < floors.pairs[k]:
            sides[k] = 0.0
        elif target[RIGHT] >= 0:
            sides[k] = bits_of_both(ranks, orders, classes, target, floor, tables, counts, room)
        else:
            sides[k] = bits_of_right_side(ranks, rows, ends, target[LEFT], tables, counts)
