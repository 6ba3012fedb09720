"""All minimal contexts with which a law holds almost, for one target: dualize and advance (Gunopulos et al.).

The error only falls when a context grows. So a context that exceeds what is tolerated is grown as long as it
does so, and every context of a law has a column outside of that. These columns are an edge, and the contexts
of laws are the minimal hitting sets of all such edges. The search is that for laws that hold (`cover.mmcs`):
a leaf is either a law, which is minimal, or gives a new edge. It visits the border between what is tolerated
and what is not, and nothing beyond.
"""

from typing import NamedTuple

import numpy as np

from lawful.arrays import copy_items, with_line
from lawful.cover.mmcs import (
    CUT,
    DEPTH,
    DONE,
    LEAF,
    SHALLOWEST,
    TOO_DEEP,
    advance,
    enlarge,
    index_stops,
    new_enumeration,
    with_edge,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.laws.targets import LEFT, RIGHT
from lawful.table.ranked import Ranks
from lawful.validate.partition import (
    cut_partition,
    keep_violating,
    new_loose_path,
    new_path,
    partition_at,
    product,
    refine_path,
)
from lawful.validate.tolerated_errors import exceeds
from lawful.words import Words, has, put


class TolerantQuestion(NamedTuple):
    """What is looked for, and in what."""

    ranks: Ranks
    orders: Ranks  # for each column all rows in its order
    target: Ints
    atoms: Words  # the columns that a context may have
    columns: Ints  # all columns in the order in which contexts grow: those that tell little first
    forbidden: Words  # sets that no context may contain
    limit: int  # of the error
    of_pairs: bool  # or of rows to remove


@kernel
def add_while_exceeding(question, rows, ends, members, counts, room, room_for_ends, halt):
    """Add columns to a context, given by its partition, as long as its error exceeds what is tolerated."""
    ranks, target, here = question.ranks, question.target, 0
    for k in range(question.columns.shape[0]):
        column = question.columns[k]
        if halt[0] != 0:
            return
        if has(members, column) or not has(question.atoms, column):
            continue
        out, out_ends = room[here], room_for_ends[here]
        size, found = product(rows, ends, ranks[column], counts, out, out_ends)
        if target[LEFT] >= 0:
            size, found = keep_violating(ranks, out[:size], out_ends[:found], target)
        out, out_ends = out[:size], out_ends[:found]
        if exceeds(ranks, out, out_ends, target, question.limit, question.of_pairs, counts):
            rows, ends, here = out, out_ends, 1 - here
            put(members, column)


@kernel
def root_of(question):
    """The path of the empty context, whose class goes where no pair of rows is against the target."""
    ranks, orders, target = question.ranks, question.orders, question.target
    path = new_path(orders[target[LEFT]], 8) if target[RIGHT] >= 0 else new_loose_path(orders, 8)
    if target[LEFT] >= 0:
        rows, ends = partition_at(path, 0)
        size, classes = keep_violating(ranks, rows, ends, target)
        cut_partition(path, 0, size, classes)
    return path


@kernel
def almost_minimal(question, most, halt, counts):
    """All minimal contexts of at most so many columns; also whether there may be larger ones."""
    ranks, target, atoms, limit = question.ranks, question.target, question.atoms, question.limit
    stops, path = index_stops(question.forbidden), root_of(question)
    search = new_enumeration(question.forbidden[:0], atoms, 64, 8)
    room = np.empty((2, ranks.shape[1] + 1), np.int32)
    room_for_ends = np.empty((2, ranks.shape[1] // 2 + 1), np.int32)
    sets, edge = np.empty((16, atoms.shape[0]), np.uint64), np.empty(atoms.shape[0], np.uint64)
    proven, state = 0, LEAF
    while state != DONE:
        state = advance(search, stops, most, halt)
        path.made[0] = min(path.made[0], max(search.at[SHALLOWEST], 0))
        if state == TOO_DEEP:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        elif state == LEAF:
            path = refine_path(path, ranks, search.chosen, search.at[DEPTH], counts, target)
            rows, ends = partition_at(path, search.at[DEPTH])
            if exceeds(ranks, rows, ends, target, limit, question.of_pairs, counts):
                copy_items(search.members, edge)
                add_while_exceeding(question, rows, ends, edge, counts, room, room_for_ends, halt)
                for w in range(edge.shape[0]):
                    edge[w] = atoms[w] & ~edge[w]
                search = with_edge(search, edge)
            else:
                sets = with_line(sets, proven, search.members)
                proven += 1
    return sets[:proven], search.at[CUT] > 0
