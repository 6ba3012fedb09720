"""Contexts that share partitions: in which order their columns are refined, and which partitions are kept.

Contexts are walked as a prefix tree, and a product costs what its partition holds. So columns come first that
are in many contexts, which makes prefixes common, and that tell much, which makes partitions small. The
partitions of the first columns are the largest; they are kept for other tasks, and made one of the other as
long as there is room for them (DISTOD 7.3.1, 7.4).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.partition import Partition, product, runs
from lawful.words import Words, members_in_order, sort_keys

BASE = 2  # columns whose partitions are kept
# Measured on 10 random columns: where no other task asks for what is kept, scores and validation take a
# quarter longer on 100,000 rows, and up to twice as long on 2,000.
WORTH_KEEPING = 1 << 15  # rows of a table from which on they are


@dataclass(frozen=True)
class Refinement:
    """An order of all columns."""

    columns: Ints

    def keys(self, sets: Words) -> Words:
        """What sorts contexts so that common beginnings in this order follow each other."""
        return sort_keys(sets, np.argsort(self.columns))


def refinement_for(sets: Words, rows: RankedRows) -> Refinement:
    """A good order for the partitions of these contexts."""
    bits = np.unpackbits(sets.view(np.uint8), axis=1, count=rows.columns, bitorder="little")
    frequency = bits.sum(axis=0, dtype=np.int64)
    return Refinement(np.argsort(-frequency * rows.information, kind="stable"))


class Group(NamedTuple):
    """Contexts that follow each other and have their first columns in common."""

    part: slice
    base: Partition  # by these columns
    base_depth: int  # how many they are


def groups_of(keys: Words, refinement: Refinement, work: Workspace) -> Iterator[Group]:
    """Contexts, given by their sort keys in order, group by group; none after a halt."""
    base = BASE if work.rows.count >= WORTH_KEEPING else 0
    first = np.full((len(keys), base), -1, np.int64)
    if base:
        write_first_columns(keys, refinement.columns, first)
    changes = 1 + np.flatnonzero((first[1:] != first[:-1]).any(axis=1))
    for start, end in pairwise([0, *changes.tolist(), len(keys)] if len(keys) else []):
        shared = tuple(column for column in first[start].tolist() if column >= 0)
        if work.halted:
            return
        yield Group(slice(start, end), partition_of(shared, work), len(shared))


def first_columns(sets: Words, columns: Ints) -> Ints:
    """The first column of each set in an order of all columns; -1 for an empty set."""
    first = np.full((len(sets), 1), -1, np.int64)
    write_first_columns(Refinement(columns).keys(sets), columns, first)
    return first[:, 0]


@kernel
def write_first_columns(keys, column_at, out):
    """Write the first columns of each context."""
    room = np.empty(column_at.shape[0], np.int64)
    for k in range(keys.shape[0]):
        for place in range(min(members_in_order(keys[k], column_at, room), out.shape[1])):
            out[k, place] = room[place]


def partition_of(columns: tuple[int, ...], work: Workspace) -> Partition:
    """The partition of all rows by some columns: one that was kept, or made of that by all but the last."""
    return Partition(*work.keep(frozenset(columns), lambda: _made(columns, work)))


def _made(columns: tuple[int, ...], work: Workspace) -> Partition:
    if not columns:
        return whole(work.rows)
    base = partition_of(columns[:-1], work) if len(columns) > 1 else None
    return split_by(columns[-1], work.rows, base)


def whole(rows: RankedRows) -> Partition:
    """All rows in one class."""
    size = rows.count if rows.count > 1 else 0  # there are no classes of one row
    return Partition(np.arange(size, dtype=np.int32), np.full(min(size, 1), size, np.int32))


def split_by(column: int, rows: RankedRows, base: Partition | None = None) -> Partition:
    """The partition of all rows by a column, or of the classes of another partition."""
    room = rows.count if base is None else len(base.rows)
    out, ends = np.empty(room + 1, np.int32), np.empty(room // 2 + 1, np.int32)
    if base is None:
        size, found = runs(rows.orders_of([column])[column], rows.ranks[column], out, ends)
    else:
        size, found = product(*base, rows.ranks[column], rows.counts, out, ends)
    return Partition(out[:size].copy(), ends[:found].copy())
