"""Validation of many candidates, grouped by context.

Contexts come sorted, so that those with a common beginning follow each other: a prefix tree walked depth
first, in which each partition is made once. For the left side of swaps the classes are brought into the
column's order once a context, without sorting where the partition is large.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items, with_lines
from lawful.cover.sets import atoms_of
from lawful.cover.targets import duplicates
from lawful.kernels import kernel
from lawful.validate.partition import coverage, new_path, partition_at, refine_path
from lawful.validate.scan import PAIRS_SCANNED, keep_closest, violating_pairs

EVERY_PAIR = duplicates()[0]
SMALL = 8  # a partition of less than one in so many rows is brought into an order by sorting its classes


@kernel
def common_prefix(first, second):  # type: ignore[no-untyped-def]
    """On how many leading columns two contexts agree."""
    for k in range(min(first.shape[0], second.shape[0])):
        if first[k] != second[k]:
            return k
    return min(first.shape[0], second.shape[0])


@kernel
def differ(first, second):  # type: ignore[no-untyped-def]
    """Whether two lines of words differ."""
    different = np.uint64(0)
    for w in range(first.shape[0]):
        different |= first[w] ^ second[w]
    return different != 0


@kernel
def mark_classes(rows, ends, class_of):  # type: ignore[no-untyped-def]
    """Write the class of each row, -1 for rows that are alone."""
    for row in range(class_of.shape[0]):
        class_of[row] = -1
    start = 0
    for k in range(ends.shape[0]):
        for i in range(start, ends[k]):
            class_of[rows[i]] = k
        start = ends[k]


@kernel
def deal_in_order(order, class_of, ends, places, out):  # type: ignore[no-untyped-def]
    """Bring the rows of every class into an order of all rows: deal them out to their classes."""
    start = 0
    for k in range(ends.shape[0]):
        places[k] = start
        start = ends[k]
    for i in range(order.shape[0]):
        row = order[i]
        k = class_of[row]
        if k >= 0:
            out[places[k]] = row
            places[k] += 1


@kernel
def sort_in_classes(rows, ends, column, out):  # type: ignore[no-untyped-def]
    """The same for small partitions: sort each class."""
    start = 0
    for k in range(ends.shape[0]):
        end = ends[k]
        if end - start <= 16:
            for i in range(start, end):
                row, j = rows[i], i
                while j > start and column[out[j - 1]] > column[row]:
                    out[j] = out[j - 1]
                    j -= 1
                out[j] = row
        else:
            keys = np.empty(end - start, np.int64)
            for i in range(start, end):
                keys[i - start] = (np.int64(column[rows[i]]) << 32) | rows[i]
            keys.sort()
            for i in range(start, end):
                out[i] = np.int32(keys[i - start] & 0xFFFFFFFF)
        start = end


class Ordering(NamedTuple):
    """Scratch space to bring the classes of a partition into a column's order."""

    rows: npt.NDArray[np.int32]  # the result
    class_of: npt.NDArray[np.int32]  # [row]
    places: npt.NDArray[np.int64]  # [class]
    done: npt.NDArray[np.int64]  # whether class_of is filled, which column the rows are ordered by (or -1)


@kernel
def new_ordering(total):  # type: ignore[no-untyped-def]
    return Ordering(
        np.empty(total, np.int32),
        np.empty(total, np.int32),
        np.empty(total // 2 + 1, np.int64),
        np.array([0, -1]),
    )


@kernel
def classes_in_order(ordering, rows, ends, column, ranks, orders):  # type: ignore[no-untyped-def]
    """The partition's rows, each class in the order of a column; nothing to do if that was asked last."""
    if ordering.done[1] != column:
        ordering.done[1] = column
        if len(rows) * SMALL < ranks.shape[1]:
            sort_in_classes(rows, ends, ranks[column], ordering.rows)
        else:
            if not ordering.done[0]:
                mark_classes(rows, ends, ordering.class_of)
                ordering.done[0] = 1
            deal_in_order(orders[column], ordering.class_of, ends, ordering.places, ordering.rows)
    return ordering.rows[: len(rows)]


@kernel
def go_to_context(path, key, atom_at, context, depth, ranks, counts):  # type: ignore[no-untyped-def]
    """Lead the path from the context at `depth` to that of a sort key; returns the path and its depth."""
    wanted = np.empty(ranks.shape[0], np.int64)
    size = atoms_of(key, atom_at, wanted)
    shared = common_prefix(context[:depth], wanted[:size])
    path.made[0] = min(path.made[0], shared)
    copy_items(wanted[:size], context)
    return refine_path(path, ranks, context, size, counts, EVERY_PAIR), size


@kernel
def validate_batch(ranks, orders, keys, atom_at, targets, min_score, keep, halt, counts):  # type: ignore[no-untyped-def]
    """Validate candidates sorted by context and left side.

    Returns for each the score of its context, and the number of violating pairs found: 0 if the candidate
    holds, -1 if it was not validated (a score too low, a halt); and all the pairs.
    """
    total = ranks.shape[1]
    path, depth, score = new_path(np.arange(total, dtype=np.int32), 8), 0, 1.0
    context = np.empty(ranks.shape[0], np.int64)
    ordering = new_ordering(total)
    scores, found = np.zeros(len(targets), np.float64), np.zeros(len(targets), np.int64) - 1
    some, pairs, learned = np.empty((PAIRS_SCANNED, 2), np.int32), np.empty((64, 2), np.int32), 0
    for k in range(len(targets)):
        if halt[0]:
            break
        if k == 0 or differ(keys[k], keys[k - 1]):
            path, depth = go_to_context(path, keys[k], atom_at, context, depth, ranks, counts)
            score = coverage(partition_at(path, depth)[1], total)
            ordering.done[0], ordering.done[1] = 0, -1
        scores[k] = score
        if score < min_score:
            continue
        rows, ends = partition_at(path, depth)
        if targets[k, 1] >= 0:
            rows = classes_in_order(ordering, rows, ends, targets[k, 0], ranks, orders)
        found[k] = keep_closest(ranks, some, violating_pairs(ranks, rows, ends, targets[k], some), keep)
        pairs = with_lines(pairs, learned, some, found[k])
        learned += found[k]
    return scores, found, pairs[:learned]


@kernel
def score_contexts(ranks, keys, atom_at, counts):  # type: ignore[no-untyped-def]
    """The score of each of some contexts, given by their sort keys in order."""
    total = ranks.shape[1]
    path, depth = new_path(np.arange(total, dtype=np.int32), 8), 0
    context = np.empty(ranks.shape[0], np.int64)
    scores = np.empty(keys.shape[0], np.float64)
    for k in range(keys.shape[0]):
        path, depth = go_to_context(path, keys[k], atom_at, context, depth, ranks, counts)
        scores[k] = coverage(partition_at(path, depth)[1], total)
    return scores
