"""From how many rows on a value gets a code: chosen by what the agree-sets of all pairs of rows cost then."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.evidence.agree_tiles import Codes
from lawful.laws.comparisons import Ints
from lawful.words import numbered_lines

MOST_CODES = 254  # of a column besides 0; 255 is for comparing


class NumberedColumn(NamedTuple):
    """The values of a column numbered anew."""

    numbers: npt.NDArray[np.int32]
    sizes: Ints  # how many rows have each value; 0 for a NULL that equals nothing

    @classmethod
    def of(cls, column: npt.NDArray[np.int32]) -> NumberedColumn:
        """Number the values of a column."""
        distinct, numbers = numbered_lines(column.astype(np.int64).view(np.uint64)[:, None])
        sizes = np.bincount(numbers, minlength=len(distinct))
        sizes[distinct[:, 0].view(np.int64) < 0] = 0
        return cls(numbers.astype(np.int32), sizes)

    def codes(self, least: int) -> Codes:
        """The codes of all rows where values of at least so many rows are frequent."""
        frequent = self.sizes >= least
        codes: Codes = np.where(frequent, np.cumsum(frequent), 0).astype(np.uint8)[self.numbers]
        return codes

    def rare_pairs(self, least: int) -> int:
        """How many pairs of rows share a value that is not frequent then."""
        rare = self.sizes[self.sizes < least]
        return int((rare * (rare - 1) // 2).sum())


class CodeChoice(NamedTuple):
    """Rows as combinations of codes, and the CPU seconds of their agree-sets."""

    order: Ints  # the column at each place
    codes: Codes  # [combination, place]
    combinations: Ints  # of each row
    by_codes: float  # seconds for the pairs of combinations
    by_lists: float  # seconds for the pairs that share a value without a code

    @property
    def seconds(self) -> float:
        """For all pairs."""
        return self.by_codes + self.by_lists

    @classmethod
    def of(cls, columns: list[NumberedColumn], rows: int, least: int) -> CodeChoice:
        """Codes for the values of at least so many rows."""
        coded = np.array([column.sizes.max(initial=0) >= least for column in columns], np.bool_)
        count, order = int(coded.sum()), np.arange(len(columns))
        if count <= costs.COUNTED_DIRECTLY:  # then those with codes come first: their sets are few numbers
            order = np.argsort(~coded, kind="stable")
        places = np.flatnonzero(coded[order])
        codes = np.zeros((rows, 8 * -(-(int(places.max(initial=-1)) + 1) // 8)), np.uint8)
        for place in places:
            codes[:, place] = columns[order[place]].codes(least)
        words, combinations = numbered_lines(codes.view(np.uint64))
        by_codes = costs.agree_set_seconds(len(words), count, len(words))
        by_lists = costs.SHARED_VALUE * sum(column.rare_pairs(least) for column in columns)
        return cls(order, words.copy().view(np.uint8), combinations, by_codes, by_lists)


def choose_codes(columns: list[NumberedColumn], rows: int) -> CodeChoice:
    """The codes of least cost."""
    return min(_choices(columns, rows), key=lambda choice: choice.seconds)


def _choices(columns: list[NumberedColumn], rows: int) -> Iterator[CodeChoice]:
    """Fewer and more codes: until the pairs of combinations alone cost more than the best did."""
    least, fewest, best = rows + 1, max(-(-rows // MOST_CODES), 2), np.inf
    while True:
        choice = CodeChoice.of(columns, rows, least)
        yield choice
        best = min(best, choice.seconds)
        if choice.by_codes > best or least <= fewest:
            return
        least = max(least // 2, fewest)
