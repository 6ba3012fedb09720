"""The ranks of a table and what the kernels want beside them, each made once."""

import math
import threading
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.table.relation import Relation

Ranks = npt.NDArray[np.int32]


@kernel
def rows_in_order(column, counts, order):  # type: ignore[no-untyped-def]
    """Write all rows in the order of a column's ranks (negative ranks first), by counting."""
    negative = 0
    for row in range(column.shape[0]):
        if column[row] < 0:
            negative += 1
        else:
            counts[column[row]] += 1
    place = negative
    for rank in range(counts.shape[0]):
        count = counts[rank]
        counts[rank] = place
        place += count
    negative = 0
    for row in range(column.shape[0]):
        if column[row] < 0:
            order[negative] = row
            negative += 1
        else:
            order[counts[column[row]]] = row
            counts[column[row]] += 1
    for rank in range(counts.shape[0]):
        counts[rank] = 0


@kernel
def equal_pairs(column, counts):  # type: ignore[no-untyped-def]
    """How many pairs of rows, each with itself included, agree on a column."""
    pairs = 0
    for row in range(column.shape[0]):
        if column[row] < 0:
            pairs += 1
        else:
            pairs += 2 * counts[column[row]] + 1
            counts[column[row]] += 1
    for row in range(column.shape[0]):
        if column[row] >= 0:
            counts[column[row]] = 0
    return pairs


class RankedRows:
    """A table as kernels see it. Threads may share it; each gets scratch space of its own."""

    def __init__(self, ranks: Ranks, ordered: npt.ArrayLike) -> None:
        self.ranks = np.ascontiguousarray(ranks, np.int32).view(np.ndarray)
        self.ranks.flags.writeable = False  # one type for the compiler, wherever the ranks come from
        self.ordered = np.ascontiguousarray(ordered, np.bool_)
        self.numbers: Ranks | None = None  # of the rows in the table that they are part of, if there is one
        self.halt = np.zeros(1, np.int64)  # kernels stop at the next safe place when this is not zero
        self._own = threading.local()
        self._making = threading.Lock()
        self._some: RankedRows | None = None

    @property
    def columns(self) -> int:
        return int(self.ranks.shape[0])

    @property
    def count(self) -> int:
        return int(self.ranks.shape[1])

    @property
    def counts(self) -> Ranks:
        """Scratch space of the calling thread: a counter for each rank, zero between calls."""
        if not hasattr(self._own, "counts"):
            self._own.counts = np.zeros(self.highest + 1, np.int32)
        counts: Ranks = self._own.counts
        return counts

    @cached_property
    def highest(self) -> int:
        """The highest rank of any column."""
        return int(self.ranks.max(initial=0))

    @cached_property
    def orders(self) -> Ranks:
        """For each column all rows in its order."""
        with self._making:
            orders = np.empty(self.ranks.shape, np.int32)
            for column in range(self.columns):
                rows_in_order(self.ranks[column], self.counts, orders[column])
            return orders

    def in_table(self, pairs: Ranks) -> Ranks:
        """Pairs of rows by their numbers in the whole table."""
        return pairs if self.numbers is None else self.numbers[pairs]

    def some(self, count: int, seed: int) -> "RankedRows":
        """Some rows by chance as a table of their own, which knows their numbers here; made once."""
        with self._making:
            if self._some is None:
                chosen = np.random.default_rng(seed).choice(self.count, min(count, self.count), replace=False)
                numbers = np.sort(chosen).astype(np.int32)
                few = RankedRows(_dense(self.ranks[:, numbers]), self.ordered)
                few.halt, few.numbers = self.halt, numbers
                self._some = few
            return self._some

    @cached_property
    def information(self) -> npt.NDArray[np.float64]:
        """How much each column tells: minus the logarithm of the share of pairs of rows that agree on it."""
        pairs = np.array([float(equal_pairs(column, self.counts)) for column in self.ranks])
        told: npt.NDArray[np.float64] = 2 * math.log(max(self.count, 1)) - np.log(np.maximum(pairs, 1))
        return told


def _dense(ranks: Ranks) -> Ranks:
    """The same ranks without gaps; columns on one scale stay so, and negative ranks stay."""
    known = ranks >= 0
    dense = np.where(known, 0, ranks)
    dense[known] = np.unique(ranks[known], return_inverse=True)[1]
    return dense.astype(np.int32)


def ranked(relation: Relation) -> RankedRows:
    """The rows of a relation as they are now."""
    return RankedRows(relation.ranks(), [column.ordered for column in relation.columns])
