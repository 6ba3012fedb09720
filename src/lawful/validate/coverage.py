"""Scores of many contexts: the share of pairs of rows that agree on each (DISTOD 9.1)."""

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.table.workspace import Workspace
from lawful.validate.contexts import Refinement, groups_of
from lawful.validate.partition import coverage, coverage_of_product
from lawful.validate.prefix_walk import aim, common_depth, new_walk, partition_by, refined
from lawful.words import Words


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
