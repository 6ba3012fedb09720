"""Keys and FDs that hold but for some rows to remove: the lattice of all sets of a few columns.

What a set does not tell none of its parts does, and what it tells all larger ones do. So large sets come
first, whose partitions are small: from the columns that tell the most the walk goes down to almost keys, and
on the way back a set is asked only for what none of its extensions has refuted. A set that determines a
column without an error has the classes of both together, and tells what these tell (the free sets of FUN,
Novelli and Cicchetti).

A set is a number here: bit k is the k-th of the given columns. What it tells is such a set, too, with a bit
behind the last column that says that it is almost a key.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.partition import every_pair, new_loose_path, partition_at, refine_path
from lawful.validate.tolerated_errors import error_of_classes, fd_exceeds, largest_first
from lawful.words import put


class Lattice(NamedTuple):
    """What is known of each set of columns."""

    tells: Ints  # with a tolerated error
    lacks: Ints  # what it does not tell
    fixes: Ints  # what it tells without an error
    errors: Ints  # as a key, of those sets whose partition was made; else -1


@kernel
def new_lattice(columns):
    """That of so many columns."""
    told = np.zeros((3, 1 << columns), np.int64)
    return Lattice(told[0], told[1], told[2], np.full(1 << columns, -1, np.int64))


@kernel
def add_to_parts(told, members, more):
    """Add something to what is said of a set and all its parts."""
    part = members
    while part > 0:
        told[part] |= more
        part = (part - 1) & members
    told[0] |= more


@kernel
def add_to_larger(told, members, more):
    """Add something to what is said of a set and all that contain it."""
    larger = members
    while larger < told.shape[0]:
        told[larger] |= more
        larger = (larger + 1) | members


@kernel
def unknown_of(lattice, members):
    """What a set may tell or not."""
    return (2 * lattice.tells.shape[0] - 1) & ~(members | lattice.tells[members] | lattice.lacks[members])


@kernel
def learn_from_closed(lattice, members):
    """A set with all columns that it fixes has the same classes: if that is known, it tells the same."""
    closed = members
    while lattice.fixes[closed] & ~closed:
        closed |= lattice.fixes[closed]
    if unknown_of(lattice, closed) == 0:
        add_to_larger(lattice.tells, members, lattice.tells[closed] | closed)


@kernel
def learn_from_error(lattice, members, error, limit):
    """Say whether a set is almost a key, and which sets fix a column since their error is that of both."""
    lattice.errors[members] = error
    is_key = lattice.tells.shape[0]
    if error > limit:
        add_to_parts(lattice.lacks, members, is_key)
    else:
        add_to_larger(lattice.tells, members, 2 * is_key - 1)
    column = np.int64(1)
    while column < is_key:
        if lattice.errors[members ^ column] == error:
            add_to_larger(lattice.fixes, members & ~column, column)
        column *= 2


@kernel
def learn_from_classes(lattice, members, ranks, columns, rows, ends, limit, counts):
    """Ask the partition of a set for the columns of which it is not known whether it tells them."""
    order, error = largest_first(ends), lattice.errors[members]
    for k in range(columns.shape[0]):
        column = np.int64(1) << k
        if unknown_of(lattice, members) & column:
            if fd_exceeds(ranks[columns[k]], rows, ends, order, error, limit, False, counts):
                add_to_parts(lattice.lacks, members, column)
            else:
                add_to_larger(lattice.tells, members, column)


@kernel
def told_by_sets(ranks, orders, columns, limit, counts, halt):
    """What each set of columns tells, and whether that is all: it may have been halted."""
    total, members, depth = columns.shape[0], np.int64(0), 0
    lattice, path = new_lattice(total), new_loose_path(orders, total + 1)
    chosen, branch = np.zeros(total + 1, np.int64), np.zeros(total + 2, np.int64)
    while depth >= 0 and halt[0] == 0:
        if unknown_of(lattice, members):
            learn_from_closed(lattice, members)
        if unknown_of(lattice, members) and lattice.errors[members] < 0:
            path = refine_path(path, ranks, chosen, depth, counts, every_pair())
            learn_from_error(lattice, members, error_of_classes(partition_at(path, depth)[1], False), limit)
        if branch[depth] < total and (lattice.lacks[members] >> total) & 1:
            chosen[depth] = columns[branch[depth]]
            members |= np.int64(1) << branch[depth]
            branch[depth] += 1
            branch[depth + 1] = branch[depth]
            path.made[0] = min(path.made[0], depth)
            depth += 1
        else:
            if unknown_of(lattice, members):
                rows, ends = partition_at(path, depth)
                learn_from_classes(lattice, members, ranks, columns, rows, ends, limit, counts)
            depth -= 1
            if depth >= 0:
                members ^= np.int64(1) << (branch[depth] - 1)
    return lattice.tells, depth < 0


@kernel
def tolerated_by_rows(ranks, orders, columns, limit, counts, halt):
    """Sets of columns, for each what it tells and none of its parts does, and whether these are all.

    The columns should come with those first that tell the most. What a set tells are columns, and one behind
    the last that means that it is almost a key.
    """
    tells, complete = told_by_sets(ranks, orders, columns, limit, counts, halt)
    words, used = (ranks.shape[0] >> 6) + 1, 0
    sets, minimal = np.zeros((tells.shape[0], words), np.uint64), np.zeros((tells.shape[0], words), np.uint64)
    for members in range(tells.shape[0]):
        fresh = tells[members] & ~members
        for k in range(columns.shape[0]):
            if (members >> k) & 1:
                fresh &= ~tells[members ^ (1 << k)]
        for k in range(columns.shape[0] if fresh else 0):
            if (members >> k) & 1:
                put(sets[used], columns[k])
            if (fresh >> k) & 1:
                put(minimal[used], columns[k])
        if (fresh >> columns.shape[0]) & 1:
            put(minimal[used], ranks.shape[0])
        used += fresh != 0
    return sets[:used], minimal[:used], complete
