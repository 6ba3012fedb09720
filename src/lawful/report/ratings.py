"""How laws are rated, and the orders that follow from it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.errors import LawfulError

Numbers = npt.NDArray[np.float64]
ORDERS = ("bits", "score", "size")  # in which laws may be wanted


class Rating(NamedTuple):
    """Of one law; NaN is what was not computed."""

    score: float
    bits: float = math.nan


class Ratings(NamedTuple):
    """Of some laws."""

    scores: Numbers
    bits: Numbers

    @classmethod
    def of(cls, ratings: Sequence[Rating]) -> Ratings:
        """Those of single laws, put together."""
        return cls(*np.array(ratings, np.float64).reshape(-1, 2).T.copy())

    def chosen(self, places: npt.NDArray[np.int64]) -> Ratings:
        """Those at some places."""
        return Ratings(self.scores[places], self.bits[places])


def order_keys(
    by: str, ratings: Ratings, sizes: npt.NDArray[np.int64], facts: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.generic], ...]:
    """What laws are put in order by, the most important last, as `np.lexsort` takes it.

    Facts come before whatever bits speak for, since no number of bits does for them.
    """
    if by not in ORDERS:
        raise LawfulError(f"laws cannot be sorted by {by!r}: choose among {', '.join(ORDERS)}")
    scores, bits = -ratings.scores, -ratings.bits
    if by == "score":
        return sizes, bits, scores
    if by == "size":
        return scores, bits, sizes
    bits[facts] = -np.inf
    scores[facts] = 0  # as all keys have, and no constant: that makes neither the better fact
    return sizes, scores, bits
