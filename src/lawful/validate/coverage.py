"""Scores of many contexts.

Contexts come sorted, so that those with a common beginning follow each other: a prefix tree walked depth
first, in which each partition is made once.
"""

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.table.ranked import RankedRows
from lawful.validate.contexts import Refinement, Sets, groups_of
from lawful.validate.partition import (
    coverage,
    coverage_of_product,
    every_pair,
    partition_at,
    path_from,
    refine_path,
)
from lawful.words import members_in_order


@kernel
def common_prefix(first, second):
    """On how many leading columns two contexts agree."""
    for k in range(min(first.shape[0], second.shape[0])):
        if first[k] != second[k]:
            return k
    return min(first.shape[0], second.shape[0])


@kernel
def go_to_columns(path, context, depth, wanted, ranks, counts, target):
    """Lead the path from the context at `depth` to the wanted one, and write that to `context`."""
    shared = common_prefix(context[:depth], wanted)
    path.made[0] = min(path.made[0], shared)
    copy_items(wanted, context)
    return refine_path(path, ranks, context, wanted.shape[0], counts, target)


@kernel
def go_to_context(path, key, atom_at, shared, context, depth, ranks, counts, target):
    """Lead the path from the context at `depth` to that of a sort key; returns the path and its depth.

    The path starts from the partition by the first, `shared` columns.
    """
    wanted = np.empty(ranks.shape[0], np.int64)
    size = members_in_order(key, atom_at, wanted)
    return go_to_columns(path, context, depth, wanted[shared:size], ranks, counts, target), size - shared


@kernel
def score_group(ranks, base, shared, keys, atom_at, counts):
    """The score of each of some contexts, given by their sort keys in order, that share their first columns.

    The last product of a context is made only if the next one needs it.
    """
    total, columns = ranks.shape[1], ranks.shape[0]
    path, depth, any_pair = path_from(base[0], base[1], 8), 0, every_pair()
    context, wanted, coming = np.empty((3, columns), np.int64)
    scores, size = np.empty(keys.shape[0], np.float64), members_in_order(keys[0], atom_at, wanted)
    for k in range(keys.shape[0]):
        more = members_in_order(keys[k + 1], atom_at, coming) if k + 1 < keys.shape[0] else 0
        made = size - int(size > shared and common_prefix(wanted[:size], coming[:more]) < size)
        path = go_to_columns(path, context, depth, wanted[shared:made], ranks, counts, any_pair)
        depth = made - shared
        rows, ends = partition_at(path, depth)
        if made == size:
            scores[k] = coverage(ends, total)
        else:
            scores[k] = coverage_of_product(rows, ends, ranks[wanted[made]], counts, total)
        wanted, coming, size = coming, wanted, more
    return scores


def score_contexts(rows: RankedRows, keys: Sets, refinement: Refinement) -> npt.NDArray[np.float64]:
    """The score of each of some contexts, given by their sort keys in order; 0 after a halt."""
    scores = np.zeros(len(keys), np.float64)
    for part, shared, base in groups_of(keys, refinement, rows):
        if rows.halt[0]:
            break
        scores[part] = score_group(rows.ranks, base, shared, keys[part], refinement.columns, rows.counts)
    return scores
