"""How many bits keys, FDs and ODs are worth: how surely each would break if one of its columns were shuffled.

The bits of a law are those of the column with the fewest, less the logarithm of the number of candidates.
Most laws are chance, and one column shows it: those come first that are rated soon or that tell least, one
after the other, and a law that is known to have no bits is not looked at any further.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from lawful.laws.codec import FD_KIND, KEY, LawArrays
from lawful.laws.comparisons import Ints
from lawful.laws.targets import LEFT, RIGHT
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.candidates import Wanted, bits_of_candidates
from lawful.validate.contexts import first_columns
from lawful.validate.rating import SIDES, Bits, InOrder, Shuffles, in_order, rated
from lawful.words import ONE, Words, words_for

Truths = npt.NDArray[np.bool_]
Rate = Callable[[InOrder], Bits]


def bits_wanted(
    work: Workspace, laws: LawArrays, wanted: Wanted, rate: Rate | None = None, sides: Bits | None = None
) -> Bits:
    """The bits of the laws that are worth as many as are wanted, NaN for the others.

    Constants and keys of one column always are: without end.
    """
    sizes = np.bitwise_count(laws.sets).sum(axis=1, dtype=np.int64)
    facts = sizes <= np.where(laws.kinds == KEY, 1, np.where(laws.kinds == FD_KIND, 0, -1))
    worth, doubted = np.full(len(sizes), np.inf), np.flatnonzero(~facts)
    known = None if sides is None else sides[doubted]
    bits = law_bits(work, laws.chosen(doubted), wanted.columns, wanted.bits, rate, known)
    worth[doubted] = np.where(bits >= wanted.bits, bits, np.nan)
    return worth


def law_bits(
    work: Workspace,
    laws: LawArrays,
    columns: int,
    least: float = 0.0,
    rate: Rate | None = None,
    sides: Bits | None = None,
) -> Bits:
    """The bits of each of some keys, FDs and ODs over so many columns, never negative; NaN after a halt.

    They are exact from `least` on: a law of which one column has fewer need not be looked at any further.
    `rate` rates shuffles elsewhere than here. `sides` says what sides are worth, NaN where that is not known.
    """
    here: Rate = partial(rated, work)
    known = np.full(len(laws.kinds), np.nan) if sides is None else sides
    rating = _Rating(work.rows, laws, bits_of_candidates(laws, columns), least, rate or here, known)
    left, right = laws.targets[:, LEFT], laws.targets[:, RIGHT]
    # To shuffle the only column on the left of an FD is to shuffle the right one, and a key of one is a fact.
    several = (np.bitwise_count(rating.sets).sum(axis=1) > 1) | (right >= 0)
    several &= rating.sets.any(axis=1)
    # Where every FD is rated, those by chance have no bits for a column on the left, most often. Where few
    # will do, or with ODs in the same walk, the right side tells as much for less.
    first = least > 0.0 or (right >= 0).any()
    unknown = (left >= 0) & np.isnan(known)
    both = first and SIDES in rating.shuffle_sides(unknown, np.where(right >= 0, SIDES, left))
    rating.shuffle_idlest(several)
    rating.shuffle_sides(unknown & ((right >= 0) & (not both) | (not first)), left)
    rating.shuffle_others(several)
    return rating.worth()


class _Rating:
    """What is known of the bits of some laws while their columns are shuffled in turn."""

    def __init__(
        self, rows: RankedRows, laws: LawArrays, chance: Bits, least: float, rate: Rate, known: Bits
    ) -> None:
        self._rows, self._targets, self._rate_all = rows, laws.targets, rate
        self._chance, self._least = chance, least
        self.sets: Words = np.ascontiguousarray(laws.sets[:, : words_for(rows.columns)])
        self._bits = np.where(np.isnan(known), np.inf, known)
        self._left = self.sets.copy()  # the columns that are still to be shuffled
        self._idlest_first = np.argsort(rows.information, kind="stable")

    def worth(self) -> Bits:
        """The bits less those of chance."""
        self._bits[np.isinf(self._bits)] = 0.0  # a key of one column or none: no shuffle breaks it
        worth: Bits = np.maximum(self._bits - self._chance, 0.0)
        return worth

    def shuffle_sides(self, which: Truths, columns: Ints) -> Ints:
        """Shuffle a side of some laws, or both; which it was."""
        laws = self._in_doubt(which)
        return self._rate(Shuffles(laws, self.sets[laws], columns[laws]))

    def shuffle_idlest(self, which: Truths) -> bool:
        """Shuffle the column that tells least of those left in the contexts of some laws; whether any was."""
        laws = self._in_doubt(which & self._left.any(axis=1))
        columns = first_columns(self._left[laws], self._idlest_first)
        self._left[laws] = without_columns(laws, self._left, columns).contexts
        self._rate(without_columns(laws, self.sets, columns))
        return len(laws) > 0

    def shuffle_others(self, which: Truths) -> None:
        """Shuffle all other columns of their contexts: most laws do not need the last."""
        while self.shuffle_idlest(which):
            pass

    def _in_doubt(self, which: Truths) -> Ints:
        """Which laws may have any bits, and `least` of them, as far as is known; not those after a halt."""
        more = self._bits - self._chance
        return np.flatnonzero(which & (more > 0.0) & (more >= self._least))

    def _rate(self, shuffles: Shuffles) -> Ints:
        if not len(shuffles.laws):
            return shuffles.columns
        order, some = in_order(shuffles, self._targets, self._chance + self._least, self._rows, self._bits)
        with np.errstate(invalid="ignore"):  # NaN after a halt
            np.minimum.at(self._bits, shuffles.laws[order], self._rate_all(some))
        return some.columns


def without_columns(laws: Ints, sets: Words, columns: Ints) -> Shuffles:
    """A shuffle of a column of the context of each of some laws."""
    contexts = sets[laws]
    contexts[np.arange(len(contexts)), columns >> 6] ^= ONE << (columns & 63).astype(np.uint64)
    return Shuffles(laws, contexts, columns)
