"""A walk through many contexts that makes each partition once.

Contexts come by their sort keys in order, so that those with a common beginning follow each other: a prefix
tree walked depth first (Hydra 6.4). The walk is a state and some steps; what is done at a context, the leaf,
is its caller's: aim at a context, refine down to it or to a depth on the way, look at the partition.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.validate.partition import Path, every_pair, partition_at, path_from, refine_path
from lawful.words import bit_count, members_in_order


class Walk(NamedTuple):
    """Where a walk is. Depths count all columns of a context; those of the base come first."""

    path: Path  # the partitions from the base on
    columns: Ints  # those of the context aimed at
    column_at: Ints  # all columns in the order of the sort keys
    base_depth: int  # how many columns the partition has that the path starts from


@kernel
def new_walk(base, base_depth, column_at):
    """A walk through contexts that have their first columns in common, from the partition by these."""
    path = path_from(base.rows, base.ends, 8)
    return Walk(path, np.empty(column_at.shape[0], np.int64), column_at, base_depth)


@kernel
def common_depth(first, second):
    """On how many first columns two contexts, given by their sort keys, agree."""
    depth = 0
    for w in range(first.shape[0]):
        differing = first[w] ^ second[w]
        for k in range(6):
            differing |= differing >> np.uint64(1 << k)  # all bits from the first that differs on
        depth += bit_count(first[w] & ~differing)
        if differing:
            break
    return depth


@kernel
def aim(walk, keys, k):
    """Aim at context k after the one before it: go back to what they have in common; returns its depth."""
    if k > 0:
        made = walk.path.made
        made[0] = min(made[0], common_depth(keys[k - 1], keys[k]) - walk.base_depth)
    return members_in_order(keys[k], walk.column_at, walk.columns)


@kernel
def refined(walk, depth, ranks, counts):
    """The walk with all partitions down to a depth of the context that it aims at."""
    return refined_for(walk, depth, ranks, counts, every_pair())


@kernel
def refined_for(walk, depth, ranks, counts, target):
    """The same without the classes, but those of the base, in which no pair violates a target."""
    columns = walk.columns[walk.base_depth :]
    path = refine_path(walk.path, ranks, columns, depth - walk.base_depth, counts, target)
    return Walk(path, walk.columns, walk.column_at, walk.base_depth)


@kernel
def partition_by(walk, depth):
    """The partition by the first, `depth` columns of the context: its rows and the ends of its classes."""
    return partition_at(walk.path, depth - walk.base_depth)
