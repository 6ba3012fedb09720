"""Denial constraints on all rows, without comparing all pairs.

DCs come sorted by their contexts, the columns in which t and s are equal, so that each partition is made once
for all DCs that need it (Hydra 6.4). What pairs the search of one finds is tried on all of them.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.contexts import Refinement, partition_of, refinement_for
from lawful.validate.dc_classes import change_partition, new_scratch, search_classes
from lawful.validate.dc_literals import atoms_on, is_context, new_literals, read_literals
from lawful.validate.dc_pairs import Trial, new_seen, try_pair
from lawful.validate.dc_sweep import SWEPT, choose_sweep, new_sweep
from lawful.validate.partition import RowNumbers
from lawful.validate.prefix_walk import aim, new_walk, partition_by, refined
from lawful.words import Words, differ, put

# Half or twice as much of either changes the time by less than a sixth: for 4,000 random DCs on 3,000 rows,
# and for 1,000 on 30,000.
LEAF_ROWS = 64  # rows of a block that are compared with those of another one by one
PAIRS = 64  # violating pairs that the search of a DC looks for


@kernel
def contexts_of(sets, comparisons, columns):
    """For each set of atoms the bit set of the columns that it says are equal."""
    contexts = np.zeros((sets.shape[0], (columns + 63) // 64), np.uint64)
    for k in range(sets.shape[0]):
        for comparison in range(comparisons.kind.shape[0]):
            atoms = atoms_on(sets[k], comparison, comparisons.ordered[comparison])
            if is_context(comparisons, comparison, atoms):
                column = comparisons.left[comparison]
                put(contexts[k], column)
    return contexts


@kernel
def swept_columns(sets, comparisons, information):
    """For each set of atoms the column whose order its search wants, -1 if none."""
    columns, literals, sweep = np.empty(sets.shape[0], np.int64), new_literals(comparisons), new_sweep()
    for k in range(sets.shape[0]):
        wanted = read_literals(sets[k], comparisons, information, literals) and choose_sweep(literals, sweep)
        columns[k] = sweep.swept[0] if wanted and sweep.used[SWEPT] else -1
    return columns


class Arrangement(NamedTuple):
    """An order of DCs in which those that share partitions follow each other."""

    order: Ints
    keys: Words  # the sort keys of the contexts, in this order
    refinement: Refinement


@kernel
def refute(table, comparisons, trial, base, keys, column_at, leaf, pairs, compared):
    """Find pairs that violate the DCs of a trial, which come with their contexts' sort keys in order.

    Returns the number of the first DC that is not decided because of a halt.
    """
    ranks, orders, information, counts, halt = table
    walk, scratch = new_walk(base, 0, column_at), new_scratch(orders, counts)
    seen, literals = new_seen(comparisons), new_literals(comparisons)
    for k in range(keys.shape[0]):
        depth = aim(walk, keys, k)
        if k > 0 and differ(keys[k], keys[k - 1]):
            change_partition(scratch)
        if halt[0] != 0:
            return k
        if trial.found[k] > 0 or not read_literals(trial.sets[k], comparisons, information, literals):
            continue
        walk = refined(walk, depth, ranks, counts)
        rows, ends = partition_by(walk, depth)
        found = search_classes(ranks, literals, rows, ends, scratch, leaf, halt, compared, pairs)
        for place in range(found):
            seen = try_pair(trial, seen, ranks, comparisons, pairs[place, 0], pairs[place, 1])
        if halt[0] != 0 and found == 0:
            return k
    return keys.shape[0]


def violating_pairs_of(
    work: Workspace, comparisons: Comparisons, sets: Words, keep: int
) -> tuple[Ints, RowNumbers]:
    """For each of some DCs, given as sets of atoms, up to `keep` violating pairs (t, s).

    Returns how many pairs each DC got (0: it holds on all rows; -1: not decided because of a halt), and all
    pairs in the order of the DCs: of those met, the ones that agree on the most comparisons.
    """
    return search_violations(work, comparisons, sets, keep)[:2]


def search_violations(
    work: Workspace, comparisons: Comparisons, sets: Words, keep: int
) -> tuple[Ints, RowNumbers, int]:
    """The same, and how many pairs of rows and of blocks were compared in large classes."""
    rows = work.rows
    arranged = arrange(sets, comparisons, rows)
    trial = Trial(
        np.ascontiguousarray(sets[arranged.order]),
        np.zeros(len(sets), np.int64),
        np.zeros((len(sets), keep, 2), np.int32),
        np.zeros((len(sets), keep), np.int64),
    )
    compared = np.zeros(1, np.int64)
    table = (rows.ranks, rows.orders, rows.information, rows.counts, work.halt)
    base, column_at = partition_of((), work), arranged.refinement.columns
    room = np.empty((PAIRS, 2), np.int32)
    decided = refute(table, comparisons, trial, base, arranged.keys, column_at, LEAF_ROWS, room, compared)
    open_ones = trial.found[decided:]
    open_ones[open_ones == 0] = -1
    found, pairs = np.empty_like(trial.found), np.empty_like(trial.pairs)
    found[arranged.order], pairs[arranged.order] = trial.found, trial.pairs
    return found, pairs[np.arange(keep) < found[:, None]], int(compared[0])


def arrange(sets: Words, comparisons: Comparisons, rows: RankedRows) -> Arrangement:
    """A good order for DCs. Those with one context follow each other by the column that they sweep."""
    contexts = contexts_of(sets, comparisons, rows.columns)
    refinement = refinement_for(contexts, rows)
    keys = refinement.keys(contexts)
    swept = swept_columns(sets, comparisons, rows.information)
    order = np.lexsort((*sets.T[::-1], swept, *keys.T[::-1]))
    return Arrangement(order, np.ascontiguousarray(keys[order]), refinement)


def order_of(sets: Words, comparisons: Comparisons, rows: RankedRows) -> Ints:
    """An order of DCs in which those that share work follow each other, to be cut into tasks."""
    return arrange(sets, comparisons, rows).order
