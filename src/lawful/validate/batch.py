"""Validation of many candidates, grouped by context.

Contexts come sorted, so that those with a common beginning follow each other: a prefix tree walked depth
first, in which each partition is made once for all targets. For the left side of a swap the classes are
brought into the column's order once a context.
"""

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_lines
from lawful.kernels import kernel
from lawful.table.ranked import RankedRows
from lawful.validate.contexts import Refinement, Sets, groups_of
from lawful.validate.coverage import go_to_context
from lawful.validate.ordering import classes_in_order, new_ordering
from lawful.validate.partition import coverage, every_pair, partition_at, path_from
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs
from lawful.words import differ


@kernel
def last_beside(keys, targets, k):
    """Behind the last candidate that has the context of k and wants the rows in the same order."""
    end = k + 1
    while end < targets.shape[0] and not differ(keys[end], keys[k]):
        swaps = targets[end, 1] >= 0
        if swaps != (targets[k, 1] >= 0) or (swaps and targets[end, 0] != targets[k, 0]):
            break
        end += 1
    return end


@kernel
def validate_group(ranks, orders, base, shared, keys, atom_at, targets, min_score, keep, halt, counts):
    """Validate candidates, sorted by context and left side, whose contexts share their first columns.

    Returns for each the number of violating pairs found: 0 if it holds, -1 if it was not validated (a score
    too low, a halt); and all the pairs.
    """
    total, k = ranks.shape[1], 0
    path, depth, score, any_pair = path_from(base[0], base[1], 8), 0, 1.0, every_pair()
    context, ordering = np.empty(ranks.shape[0], np.int64), new_ordering(total)
    found = np.zeros(targets.shape[0], np.int64) - 1
    some, pairs, learned = np.empty((1, PAIRS_SCANNED, 2), np.int32), np.empty((64, 2), np.int32), 0
    while k < targets.shape[0] and halt[0] == 0:
        if k == 0 or differ(keys[k], keys[k - 1]):
            path, depth = go_to_context(
                path, keys[k], atom_at, shared, context, depth, ranks, counts, any_pair
            )
            score = coverage(partition_at(path, depth)[1], total)
            ordering.done[0], ordering.done[1] = 0, -1
        first, k = k, last_beside(keys, targets, k)
        if score < min_score:
            continue
        rows, ends = partition_at(path, depth)
        if targets[first, 1] >= 0:
            rows = classes_in_order(ordering, rows, ends, targets[first, 0], ranks, orders)
        if some.shape[0] < k - first:
            some = np.empty((k - first, PAIRS_SCANNED, 2), np.int32)
        violating_pairs(ranks, rows, ends, targets[first:k], some, found[first:k])
        for one in range(first, k):
            found[one] = keep_closest(ranks, some[one - first], found[one], keep)
            pairs = with_lines(pairs, learned, some[one - first], found[one])
            learned += found[one]
    return found, pairs[:learned]


def validate_batch(
    rows: RankedRows,
    keys: Sets,
    refinement: Refinement,
    targets: npt.NDArray[np.int64],
    min_score: float,
    keep: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    """The same for any candidates that are sorted by context and left side."""
    found, pairs = np.full(len(keys), -1, np.int64), [np.empty((0, 2), np.int32)]
    for part, shared, base in groups_of(keys, refinement, rows):
        if rows.halt[0]:
            break
        found[part], learned = validate_group(
            rows.ranks,
            rows.orders,
            base,
            shared,
            keys[part],
            refinement.columns,
            targets[part],
            min_score,
            keep,
            rows.halt,
            rows.counts,
        )
        pairs.append(learned)
    return found, np.concatenate(pairs)
