"""The ranks of a table and what the kernels want beside them, each made once."""

import math
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.table.rank_files import without_gaps
from lawful.table.relation import Relation
from lawful.table.store import load_codes

Ranks = npt.NDArray[np.int32]


@kernel
def rows_in_order(column, counts, order):
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
def count_ranks(column, sizes):
    """Count the rows of each rank of a column."""
    for row in range(column.shape[0]):
        if column[row] >= 0:
            sizes[column[row]] += 1


class RankedRows:
    """A table as kernels see it. Threads may share it; each gets scratch space of its own.

    Kernels number the rows 0, 1, ... in the order of the ranks, which need not be that of the relation:
    `row_ids` leads back. The rows of a part of a table know their numbers in that (`numbers`).
    """

    def __init__(
        self,
        ranks: Ranks,
        ordered: npt.ArrayLike,
        numbers: Ranks | None = None,
        ids: npt.NDArray[np.integer[Any]] | None = None,
    ) -> None:
        self.ranks = np.ascontiguousarray(ranks, np.int32).view(np.ndarray)
        self.ranks.flags.writeable = False  # one type for the compiler, wherever the ranks come from
        self.ordered = np.ascontiguousarray(ordered, np.bool_)
        self.numbers, self.ids = numbers, ids
        self._own = threading.local()
        self._making = threading.Lock()
        self._orders: Ranks | None = None
        self._sorted = np.zeros(len(self.ranks), np.bool_)  # the columns whose orders are made
        self._views: dict[View, RankedRows] = {}

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

    @property
    def orders(self) -> Ranks:
        """For each column all rows in its order."""
        return self.orders_of(range(self.columns))

    def orders_of(self, columns: Iterable[int]) -> Ranks:
        """The same where some columns are enough: the others may not be filled."""
        with self._making:
            if self._orders is None:
                self._orders = np.empty(self.ranks.shape, np.int32)
            for column in columns:
                if not self._sorted[column]:
                    rows_in_order(self.ranks[column], self.counts, self._orders[column])
                    self._sorted[column] = True
            return self._orders

    def in_table(self, pairs: Ranks) -> Ranks:
        """Pairs of rows by their numbers in the table that these rows are part of."""
        return pairs if self.numbers is None else self.numbers[pairs]

    def row_ids(self, rows: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.int64]:
        """The ids that rows, given by their numbers, have in the relation."""
        return np.asarray(rows if self.ids is None else self.ids[rows], np.int64)

    def numbers_of(self, ids: npt.NDArray[np.integer[Any]]) -> Ranks:
        """The numbers of rows that are given by their ids in the relation."""
        if self.ids is None:
            return np.asarray(ids, np.int32)
        numbers: Ranks = np.empty(int(self.ids.max(initial=-1)) + 1, np.int32)
        numbers[self.ids] = np.arange(self.count)
        found: Ranks = numbers[ids]
        return found

    def seen_by(self, view: "View") -> "RankedRows":
        """What a view makes of this table, made once."""
        with self._making:
            if view not in self._views:
                self._views[view] = view(self)
            return self._views[view]

    @cached_property
    def sizes(self) -> list[npt.NDArray[np.int64]]:
        """For each column how many rows have each rank."""
        counted = [np.zeros(column.max(initial=-1) + 1, np.int64) for column in self.ranks]
        for column, sizes in zip(self.ranks, counted, strict=True):
            count_ranks(column, sizes)
        return counted

    @cached_property
    def information(self) -> npt.NDArray[np.float64]:
        """How much each column tells: minus the logarithm of the share of pairs of rows that agree on it."""
        pairs = np.array([_equal_pairs(sizes, self.count) for sizes in self.sizes])
        told: npt.NDArray[np.float64] = 2 * math.log(max(self.count, 1)) - np.log(np.maximum(pairs, 1))
        return told


def _equal_pairs(sizes: npt.NDArray[np.int64], total: int) -> float:
    """How many pairs of rows, each with itself included, agree on a column whose values have so many rows."""
    # No product of vectors: the threads of BLAS would go on spinning beside ours.
    return float(np.square(sizes.astype(np.float64)).sum()) + total - int(sizes.sum())


View = Callable[[RankedRows], RankedRows]
"""Makes another table of one; views that do the same are equal."""


@dataclass(frozen=True)
class SomeRows:
    """A view: some rows by chance as a table of their own, which knows their numbers."""

    count: int
    seed: int

    def __call__(self, rows: RankedRows) -> RankedRows:
        chosen = np.random.default_rng(self.seed).choice(
            rows.count, min(self.count, rows.count), replace=False
        )
        numbers = np.sort(chosen).astype(np.int32)
        return RankedRows(
            without_gaps(rows.ranks[:, numbers], rows.highest), rows.ordered, numbers, rows.row_ids(numbers)
        )


def chosen(rows: RankedRows, columns: Sequence[int], kept: npt.NDArray[np.bool_]) -> RankedRows:
    """Some columns of some rows as a table of their own."""
    some = rows.ranks[list(columns)][:, kept]
    return RankedRows(without_gaps(some, rows.highest), rows.ordered[list(columns)])


def ranked(relation: Relation) -> RankedRows:
    """The rows of a relation as they are now, in an order that is good to search in."""
    ordered = [column.ordered for column in relation.columns]
    return RankedRows(load_codes(relation.arranged_file()), ordered, ids=relation.arranged_ids())


def as_they_lie(relation: Relation) -> RankedRows:
    """The same in the order of the relation: for work too short to bring like rows together first."""
    return RankedRows(relation.ranks(), [column.ordered for column in relation.columns], ids=relation.row_ids)
