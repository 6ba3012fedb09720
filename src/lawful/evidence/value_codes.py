"""Codes of frequent values: rows become few distinct combinations of codes, and rare values are left out.

Pairs of combinations cost the same however many rows have them; a rare value is cheaper found by a list of
its rows. Codes are bytes, 0 for what is rare or a NULL that equals nothing, and numbers of their own: those
of the table may change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.evidence.agree_tiles import Codes
from lawful.evidence.shared_values import Rows, place_of_value
from lawful.kernels import kernel
from lawful.laws.comparisons import Flags, Ints
from lawful.table.ranked import Ranks
from lawful.words import Words, new_index, numbered_lines

MOST_CODES = 254  # of a column besides 0; 255 is for comparing

ABSENT = -1  # the combination of a row that is not there


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


@kernel
def code_values(column, place, codes, samples, rows, coded):
    """Write the codes of some rows in a column, as a sample row of each combination, or -1, shows them."""
    slots, values = new_index(2 * MOST_CODES), np.empty(MOST_CODES, np.int32)
    for k in range(samples.shape[0]):
        code = codes[k, place]
        if code != 0 and samples[k] >= 0:
            values[code - 1] = column[samples[k]]
            slots[place_of_value(slots, values, values[code - 1])] = code
    for k in range(rows.shape[0]):
        if column[rows[k]] >= 0:
            coded[k, place] = slots[place_of_value(slots, values, column[rows[k]])]


class ValueCodes:
    """The rows of a table as combinations of codes."""

    def __init__(self, order: Ints, codes: Codes, combinations: Rows) -> None:
        self.order = order  # the column at each place
        self.codes = codes  # [combination, place]; a multiple of eight places
        self.combinations = combinations  # of each row; -1 where there is none
        self.weights = np.bincount(combinations[combinations >= 0], minlength=len(codes))

    @classmethod
    def of(cls, ranks: Ranks, rows: Rows) -> ValueCodes:
        """The codes of least cost for some rows of a table."""
        best = choose_codes([NumberedColumn.of(column[rows]) for column in ranks], len(rows))
        combinations = np.full(ranks.shape[1], ABSENT, np.int32)
        combinations[rows] = best.combinations
        return cls(best.order, best.codes, combinations)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> ValueCodes:
        """What was kept."""
        return cls(arrays["order"], arrays["codes"], arrays["combinations"].copy())

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that must be kept."""
        return {"order": self.order, "codes": self.codes, "combinations": self.combinations}

    @property
    def rows(self) -> Rows:
        """The rows that are there."""
        return np.flatnonzero(self.combinations >= 0).astype(np.int32)

    @property
    def count(self) -> int:
        """How many rows are there."""
        return int(self.weights.sum())

    @property
    def places(self) -> int:
        """Up to which place there are codes."""
        return int(self.codes.shape[1])

    @property
    def words(self) -> Words:
        """The codes of each combination as words of eight."""
        words: Words = self.codes.view(np.uint64)
        return words

    def has(self, rows: Rows) -> Flags:
        """Which of some rows are there."""
        known = rows < len(self.combinations)
        known[known] = self.combinations[rows[known]] >= 0
        return known

    def add(self, ranks: Ranks, rows: Rows) -> None:
        """Rows come."""
        there, samples = self.rows, np.full(len(self.codes), ABSENT, np.int32)
        samples[self.combinations[there]] = there
        added = np.zeros((len(rows), self.places), np.uint8)
        for place, column in enumerate(self.order[: self.places]):
            code_values(ranks[column], place, self.codes, samples, rows, added)
        words, numbers = numbered_lines(np.concatenate([self.words, added.view(np.uint64)]))
        numbers = numbers[len(self.codes) :]
        self.codes = words.view(np.uint8)
        self.combinations = _longer(self.combinations, ranks.shape[1], ABSENT)
        self.combinations[rows] = numbers
        self.weights = _longer(self.weights, len(words), 0) + np.bincount(numbers, minlength=len(words))

    def remove(self, rows: Rows) -> None:
        """Rows go."""
        self.weights -= np.bincount(self.combinations[rows], minlength=len(self.weights))
        self.combinations[rows] = ABSENT


def _longer(numbers: npt.NDArray[Any], length: int, fill: int) -> npt.NDArray[Any]:
    """An array of at least such a length."""
    return np.pad(numbers, (0, max(length - len(numbers), 0)), constant_values=fill)
