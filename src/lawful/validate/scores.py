"""Scores of many contexts.

Contexts come sorted, so that those with a common beginning follow each other: a prefix tree walked depth
first, in which each partition is made once.
"""

import numpy as np

from lawful.arrays import copy_items
from lawful.cover.sets import atoms_of
from lawful.kernels import kernel
from lawful.validate.partition import coverage, every_pair, new_loose_path, partition_at, refine_path


@kernel
def common_prefix(first, second):  # type: ignore[no-untyped-def]
    """On how many leading columns two contexts agree."""
    for k in range(min(first.shape[0], second.shape[0])):
        if first[k] != second[k]:
            return k
    return min(first.shape[0], second.shape[0])


@kernel
def go_to_context(path, key, atom_at, context, depth, ranks, counts, target):  # type: ignore[no-untyped-def]
    """Lead the path from the context at `depth` to that of a sort key; returns the path and its depth."""
    wanted = np.empty(ranks.shape[0], np.int64)
    size = atoms_of(key, atom_at, wanted)
    shared = common_prefix(context[:depth], wanted[:size])
    path.made[0] = min(path.made[0], shared)
    copy_items(wanted[:size], context)
    return refine_path(path, ranks, context, size, counts, target), size


@kernel
def score_contexts(ranks, orders, keys, atom_at, counts):  # type: ignore[no-untyped-def]
    """The score of each of some contexts, given by their sort keys in order."""
    total = ranks.shape[1]
    path, depth = new_loose_path(orders, 8), 0
    context = np.empty(ranks.shape[0], np.int64)
    scores, target = np.empty(keys.shape[0], np.float64), every_pair()
    for k in range(keys.shape[0]):
        path, depth = go_to_context(path, keys[k], atom_at, context, depth, ranks, counts, target)
        scores[k] = coverage(partition_at(path, depth)[1], total)
    return scores
