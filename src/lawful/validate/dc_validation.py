"""Denial constraints on all rows, without comparing all pairs.

DCs come sorted by their contexts, the columns in which t and s are equal: a prefix tree in which each
partition is made once. In the classes of a node that are small beside the number of DCs below, all pairs are
tried on all DCs at once, and the classes leave the tree. In the others each DC searches on its own.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.table.ranked import RankedRows
from lawful.validate.contexts import Refinement, refinement_for
from lawful.validate.coverage import common_prefix
from lawful.validate.dc_classes import new_orders, search_classes
from lawful.validate.dc_literals import atoms_on, is_context, new_literals, read_literals
from lawful.validate.dc_pairs import Trial, new_seen, new_tile, try_class, try_pair
from lawful.validate.dc_sweep import SWEPT, choose_sweep, new_sweep
from lawful.validate.partition import every_pair, new_path, partition_at, refine_path
from lawful.words import LAST, Words, members_in_order, put

Pairs = npt.NDArray[np.int32]


class Limits(NamedTuple):
    """Sizes on which no result depends."""

    leaf: int = 64  # rows of a block that are compared with those of another one by one
    fewest: int = 3  # rows of a class whose pairs are tried even for one DC
    most: int = 128  # and however many DCs there are
    shared: int = 10  # pairs of rows, times comparisons, that take as long as a DC takes for a row
    pairs: int = 64  # violating pairs that a DC's own search looks for


LIMITS = Limits()

EVERY = 16  # classes after which it is judged anew which ones are small


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
def open_below(keys, k, found, place, most):
    """How many DCs from k on are open whose contexts begin like k's up to a place; at most so many."""
    count, words = 0, (place + 64) >> 6
    for other in range(k, keys.shape[0]):
        for w in range(words):
            differing = keys[other, w] ^ keys[k, w]
            if w == words - 1:
                differing >>= LAST - (np.uint64(place) & LAST)
            if differing:
                return count
        count += found[other] == 0
        if count == most:
            break
    return count


@kernel
def small_for(open_dcs, comparisons, limits):
    """The number of rows up to which it is worth while to compare all pairs of a class for so many DCs."""
    rows = open_dcs * limits.shared // (8 + comparisons.kind.shape[0])
    return min(max(rows, limits.fewest), limits.most) if open_dcs else 0


@kernel
def keep_class(rows, start, end, size):
    """Move a class to the first `size` rows of a partition that stay."""
    if size < start:
        for i in range(start, end):
            rows[size + i - start] = rows[i]
    return size + end - start


@kernel
def try_small_classes(trial, seen, ranks, comparisons, path, depth, keys, k, place, limits, tile, halt):
    """Try the pairs of small classes, and drop these from the last partition of a path.

    What is small depends on how many DCs from k on are open in it, so it gets less as they are refuted.
    """
    rows, ends = partition_at(path, depth)
    size, classes, start, small, refuted = 0, 0, 0, 0, -1
    for number in range(ends.shape[0]):
        end = ends[number]
        if number % EVERY == 0 and trial.refuted[0] != refuted:
            refuted = trial.refuted[0]
            small = small_for(open_below(keys, k, trial.found, place, limits.most), comparisons, limits)
        if end - start <= small and halt[0] == 0:
            seen = try_class(trial, seen, ranks, comparisons, rows[start:end], tile)
        else:
            size = keep_class(rows, start, end, size)
            ends[classes] = size
            classes += 1
        start = end
    path.first_row[depth + 1] = path.first_row[depth] + size
    path.first_class[depth + 1] = path.first_class[depth] + classes
    return seen


@kernel
def validate(table, comparisons, trial, arrangement, limits, work):
    """Find pairs that violate the DCs of a trial, which are in the order of the arrangement.

    Returns the number of the first DC that is not decided because of a halt.
    """
    ranks, orders, information, counts, halt = table
    keys, column_at, place_of = arrangement
    path, target = new_path(np.arange(ranks.shape[1], dtype=np.int32), 8), every_pair()
    context, wanted = np.empty(ranks.shape[0], np.int64), np.empty(ranks.shape[0], np.int64)
    seen, tile = new_seen(comparisons), new_tile(ranks, comparisons, min(limits.most, ranks.shape[1]))
    literals, pairs = new_literals(comparisons), np.empty((limits.pairs, 2), np.int32)
    sorted_rows = new_orders(orders)
    counters, partition, begun = (counts, np.zeros(counts.shape[0], np.int32)), 0, False
    for k in range(keys.shape[0]):
        size = members_in_order(keys[k], column_at, wanted)
        path.made[0] = common_prefix(context[: path.made[0]], wanted[:size])
        copy_items(wanted[:size], context)
        while trial.found[k] == 0 and halt[0] == 0 and (not begun or path.made[0] < size):
            depth = path.made[0] + begun
            if begun:
                path = refine_path(path, ranks, context, depth, counts, target)
            place = place_of[context[depth - 1]] if depth else -1
            seen = try_small_classes(
                trial, seen, ranks, comparisons, path, depth, keys, k, place, limits, tile, halt
            )
            partition += 1
            begun = True
        if halt[0] != 0:
            return k
        rows, ends = partition_at(path, size)
        if trial.found[k] > 0 or rows.shape[0] == 0:
            continue
        if read_literals(trial.sets[k], comparisons, information, literals):
            found = search_classes(
                ranks, sorted_rows, literals, rows, ends, partition, limits.leaf, counters, halt, work, pairs
            )
            for place in range(found):
                seen = try_pair(trial, seen, ranks, comparisons, pairs[place, 0], pairs[place, 1])
            if halt[0] != 0 and found == 0:
                return k
    return keys.shape[0]


def violating_pairs_of(
    rows: RankedRows, comparisons: Comparisons, sets: Words, keep: int
) -> tuple[Ints, Pairs]:
    """For each of some DCs, given as sets of atoms, up to `keep` violating pairs (t, s).

    Returns how many pairs each DC got (0: it holds on all rows; -1: not decided because of a halt), and all
    pairs in the order of the DCs: of those met, the ones that agree on the most comparisons.
    """
    return search_violations(rows, comparisons, sets, keep)[:2]


def search_violations(
    rows: RankedRows, comparisons: Comparisons, sets: Words, keep: int
) -> tuple[Ints, Pairs, int]:
    """The same, and how many pairs of rows and of blocks were compared in large classes."""
    arranged = arrange(sets, comparisons, rows)
    trial = Trial(
        np.ascontiguousarray(sets[arranged.order]),
        np.zeros(len(sets), np.int64),
        np.zeros((len(sets), keep, 2), np.int32),
        np.zeros((len(sets), keep), np.int64),
        np.zeros(1, np.int64),
    )
    work = np.zeros(1, np.int64)
    table = (rows.ranks, rows.orders, rows.information, rows.counts, rows.halt)
    keys = (arranged.keys, arranged.refinement.columns, arranged.refinement.places)
    decided = validate(table, comparisons, trial, keys, LIMITS, work)
    open_ones = trial.found[decided:]
    open_ones[open_ones == 0] = -1
    found, pairs = np.empty_like(trial.found), np.empty_like(trial.pairs)
    found[arranged.order], pairs[arranged.order] = trial.found, trial.pairs
    return found, pairs[np.arange(keep) < found[:, None]], int(work[0])


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
