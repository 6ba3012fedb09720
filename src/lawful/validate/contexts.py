"""Contexts that share partitions: in which order their columns are refined, and which partitions are kept.

Contexts are walked as a prefix tree, and a product costs what its partition holds. So columns come first that
are in many contexts, which makes prefixes common, and that tell much, which makes partitions small. The
partitions of the first columns are the largest; they are kept for other tasks.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.table.ranked import RankedRows
from lawful.validate.partition import RowNumbers, one_class, product, runs
from lawful.words import members_in_order, sort_keys

Numbers = npt.NDArray[np.int64]
Sets = npt.NDArray[np.uint64]

BASE = 2  # columns whose partitions are kept
WORTH_KEEPING = 1 << 15  # rows of a table from which on they are


@dataclass(frozen=True)
class Refinement:
    """An order of all columns."""

    columns: Numbers

    @property
    def places(self) -> Numbers:
        """The place of each column in the order."""
        places = np.empty_like(self.columns)
        places[self.columns] = np.arange(len(self.columns))
        return places

    def keys(self, sets: Sets) -> Sets:
        """What sorts contexts so that common beginnings in this order follow each other."""
        keys: Sets = sort_keys(sets, self.places)
        return keys


def refinement_for(sets: Sets, rows: RankedRows) -> Refinement:
    """A good order for the partitions of these contexts."""
    bits = np.unpackbits(sets.view(np.uint8), axis=1, count=rows.columns, bitorder="little")
    frequency = bits.sum(axis=0, dtype=np.int64)
    return Refinement(np.argsort(-frequency * rows.information, kind="stable"))


class Partition(NamedTuple):
    """A stripped partition, as `lawful.validate.partition` says."""

    rows: RowNumbers
    ends: RowNumbers


class Group(NamedTuple):
    """Contexts that follow each other and have their first columns in common."""

    part: slice
    shared: int  # how many columns that are
    base: Partition  # by these columns


def groups_of(keys: Sets, refinement: Refinement, rows: RankedRows) -> Iterator[Group]:
    """Contexts, given by their sort keys in order, group by group."""
    base = BASE if rows.count >= WORTH_KEEPING else 0
    first = _first_columns(keys, refinement.columns, np.full((len(keys), base), -1, np.int64))
    changes = 1 + np.flatnonzero((first[1:] != first[:-1]).any(axis=1))
    for start, end in pairwise([0, *changes.tolist(), len(keys)] if len(keys) else []):
        shared = tuple(column for column in first[start].tolist() if column >= 0)
        yield Group(slice(start, end), len(shared), partition_of(shared, rows))


@kernel
def _first_columns(keys, column_at, out):
    room = np.empty(column_at.shape[0], np.int64)
    for k in range(keys.shape[0]):
        for place in range(min(members_in_order(keys[k], column_at, room), out.shape[1])):
            out[k, place] = room[place]
    return out


def partition_of(columns: tuple[int, ...], rows: RankedRows) -> Partition:
    """The partition of all rows by some columns: one that was kept, or made of that by all but the last."""
    return Partition(*rows.keep(frozenset(columns), lambda: _made(columns, rows)))


def _made(columns: tuple[int, ...], rows: RankedRows) -> Partition:
    if not columns:
        return Partition(np.arange(rows.count, dtype=np.int32), one_class(rows.count))
    last = rows.ranks[columns[-1]]
    if len(columns) == 1:
        out, ends = np.empty(rows.count, np.int32), np.empty(rows.count // 2 + 1, np.int32)
        size, found = runs(rows.orders[columns[0]], last, out, ends)
    else:
        base = partition_of(columns[:-1], rows)
        out, ends = np.empty(len(base.rows) + 1, np.int32), np.empty(len(base.rows) // 2 + 1, np.int32)
        size, found = product(base.rows, base.ends, last, rows.counts, out, ends)
    return Partition(out[:size].copy(), ends[:found].copy())
