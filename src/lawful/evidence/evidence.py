"""The evidence: the distinct signs seen so far, those with the fewest differing columns first."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.signs import columns_of_signs, signs_of_pairs
from lawful.table.ranked import RankedRows
from lawful.words import distinct_lines

Signs = npt.NDArray[np.uint64]


class SignTable(NamedTuple):
    """Signs as kernels take them, by lines and by columns."""

    signs: Signs  # [evidence, word]: first the words of `less`, then those of `greater`
    less: Signs  # [column, word]: the evidences with t < s there, or without order
    greater: Signs


class Evidence:
    """Distinct signs of pairs of rows of one table; it only grows."""

    def __init__(self, rows: RankedRows) -> None:
        self._rows = rows
        words = -(-rows.columns // 64)
        self.signs: Signs = np.empty((0, 2 * max(words, 1)), np.uint64)

    def __len__(self) -> int:
        return len(self.signs)

    @cached_property
    def table(self) -> SignTable:
        """The signs as they are now."""
        return SignTable(self.signs, *columns_of_signs(self.signs, self._rows.columns))

    def add_pairs(self, pairs: npt.NDArray[np.int32]) -> int:
        """Add the signs of pairs of rows; returns how many were new."""
        before = len(self.signs)
        if len(pairs):
            fresh = signs_of_pairs(self._rows.ranks, self._rows.ordered, pairs)
            self.signs = _closest_first(distinct_lines(np.concatenate([self.signs, fresh])))
            self.__dict__.pop("table", None)
        return len(self.signs) - before


def _closest_first(signs: Signs) -> Signs:
    """In an order that does not depend on who found what first."""
    words = signs.shape[1] // 2
    differing = np.bitwise_count(signs[:, :words] | signs[:, words:]).sum(axis=1)
    return np.ascontiguousarray(signs[np.lexsort((*signs.T, differing))])
