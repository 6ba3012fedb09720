"""Validation of many candidates, and scores of many contexts: each partition is made once for all of them.

For the left side of a swap the classes are brought into the column's order once a context. Of the violating
pairs the closest are kept (HyOD's top n). Where it is asked, it is told what the
sides of laws that hold are worth.
"""

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_lines
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.laws.targets import LEFT, RIGHT, Targets
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import NO_TABLES, bit_tables
from lawful.validate.contexts import Refinement, groups_of
from lawful.validate.exceptions import largest_class
from lawful.validate.known_sides import Floors, rate_sides
from lawful.validate.ordering import classes_in_order, forget, new_ordering
from lawful.validate.partition import RowNumbers, coverage, coverage_of_product
from lawful.validate.prefix_walk import aim, common_depth, new_walk, partition_by, refined
from lawful.validate.rating import Bits
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs
from lawful.words import Words, differ


@kernel
def last_beside(keys, targets, k):
    """Behind the last candidate that has the context of k and wants the rows in the same order."""
    end = k + 1
    while end < targets.shape[0] and not differ(keys[end], keys[k]):
        swaps = targets[end, RIGHT] >= 0
        if swaps != (targets[k, RIGHT] >= 0) or (swaps and targets[end, LEFT] != targets[k, LEFT]):
            break
        end += 1
    return end


@kernel
def validate_group(
    ranks, orders, base, base_depth, keys, column_at, targets, keep, floors, tables, halt, counts
):
    """Validate candidates, sorted by context and left side, whose contexts share their first columns.

    Returns for each the number of violating pairs found, 0 if it holds, -1 if it was not validated because of
    a halt; all the pairs; and what the sides are worth of those that hold, NaN where that is not asked.
    """
    walk, ordering = new_walk(base, base_depth, column_at), new_ordering(ranks.shape[1])
    k, depth = 0, base_depth
    found, sides = np.zeros(targets.shape[0], np.int64) - 1, np.full(targets.shape[0], np.nan)
    asked = floors.bits.max() > 0.0
    room = np.empty((1, largest_class(base.ends) if asked else 0), np.int64)
    some, pairs, learned = np.empty((1, PAIRS_SCANNED, 2), np.int32), np.empty((64, 2), np.int32), 0
    while k < targets.shape[0] and halt[0] == 0:
        if k == 0 or differ(keys[k], keys[k - 1]):
            depth = aim(walk, keys, k)
            walk = refined(walk, depth, ranks, counts)
            forget(ordering)
        first, k = k, last_beside(keys, targets, k)
        rows, ends = partition_by(walk, depth)
        if targets[first, RIGHT] >= 0:
            rows = classes_in_order(ordering, rows, ends, targets[first, LEFT], ranks, orders)
        if some.shape[0] < k - first:
            some = np.empty((k - first, PAIRS_SCANNED, 2), np.int32)
        violating_pairs(ranks, rows, ends, targets[first:k], some, found[first:k])
        for one in range(first, k):
            found[one] = keep_closest(ranks, some[one - first], found[one], keep)
            pairs = with_lines(pairs, learned, some[one - first], found[one])
            learned += found[one]
        if asked:
            classes = (ordering, *partition_by(walk, depth), depth)
            own = Floors(floors.bits[first:k], floors.pairs[first:k])
            some_laws = targets[first:k], found[first:k], own
            rate_sides(ranks, orders, classes, *some_laws, tables, counts, room, sides[first:k])
    return found, pairs[:learned], sides


def validate_batch(
    work: Workspace, keys: Words, refinement: Refinement, targets: Targets, keep: int, floors: Floors
) -> tuple[Ints, RowNumbers, Bits]:
    """The same for any candidates that are sorted by context and left side."""
    found, pairs, rows = np.full(len(keys), -1, np.int64), [np.empty((0, 2), np.int32)], work.rows
    sides, tables = np.full(len(keys), np.nan), bit_tables(rows) if floors.bits.any() else NO_TABLES
    for part, base, depth in groups_of(keys, refinement, work):
        found[part], learned, sides[part] = validate_group(
            rows.ranks,
            rows.orders,
            base,
            depth,
            keys[part],
            refinement.columns,
            targets[part],
            keep,
            floors.only(part),
            tables,
            work.halt,
            rows.counts,
        )
        pairs.append(learned)
    return found, np.concatenate(pairs), sides


@kernel
def score_group(ranks, base, base_depth, keys, column_at, counts):
    """The score of each of some contexts, given by their sort keys in order, that share their first columns.

    The last product of a context is made only if the next one needs it.
    """
    total, walk = ranks.shape[1], new_walk(base, base_depth, column_at)
    scores = np.empty(keys.shape[0], np.float64)
    for k in range(keys.shape[0]):
        depth = aim(walk, keys, k)
        needed = k + 1 < keys.shape[0] and common_depth(keys[k], keys[k + 1]) == depth
        made = depth if needed or depth == base_depth else depth - 1
        walk = refined(walk, made, ranks, counts)
        rows, ends = partition_by(walk, made)
        if made == depth:
            scores[k] = coverage(ends, total)
        else:
            scores[k] = coverage_of_product(rows, ends, ranks[walk.columns[made]], counts, total)
    return scores


def score_contexts(work: Workspace, keys: Words, refinement: Refinement) -> npt.NDArray[np.float64]:
    """The score of each of some contexts, given by their sort keys in order; NaN after a halt."""
    scores, rows = np.full(len(keys), np.nan), work.rows
    for part, base, depth in groups_of(keys, refinement, work):
        scores[part] = score_group(rows.ranks, base, depth, keys[part], refinement.columns, rows.counts)
    return scores
