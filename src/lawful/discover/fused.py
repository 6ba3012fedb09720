"""Search and validation in one: each leaf of the search is validated where it is found.

The partition of a node is its parent's refined by one column, made when a leaf below needs it. A leaf that
fails gives new edges at once and the search goes on from there. Suits tables of moderate length; see
`rounds` for long ones.
"""

import numpy as np

from lawful.cover.edges import contains_any, edge_of
from lawful.cover.search import DEPTH, DONE, EDGES, LEAF, SHALLOWEST, advance, enlarge, grow, new_search
from lawful.evidence.signs import sign_words
from lawful.kernels import kernel
from lawful.validate.partition import coverage, new_path, refine_path
from lawful.validate.scan import keep_closest, violating_pairs


@kernel
def with_room(array, used, more):  # type: ignore[no-untyped-def]
    """The array itself if `more` lines fit behind the used ones, else a copy at least twice as long."""
    if used + more <= array.shape[0]:
        return array
    longer = np.empty((2 * array.shape[0] + more, array.shape[1]), array.dtype)
    longer[:used] = array[:used]
    return longer


@kernel
def learn(search, ranks, ordered, target, pairs):  # type: ignore[no-untyped-def]
    """Turn violating pairs into edges of the search at its current node."""
    words = search.members.shape[0]
    less, greater, edge = np.empty(words, np.uint64), np.empty(words, np.uint64), np.empty(words, np.uint64)
    known = search.at[EDGES]
    for k in range(pairs.shape[0]):
        if search.at[EDGES] == search.edges.shape[0]:
            search = enlarge(search, 2 * search.edges.shape[0], search.chosen.shape[0] - 1)
        sign_words(ranks, ordered, pairs[k, 0], pairs[k, 1], less, greater)
        edge_of(less, greater, target, edge)
        if not contains_any(edge, search.edges[known:], search.at[EDGES] - known):
            grow(search, edge)
    return search


@kernel
def settle(ranks, ordered, order, target, atoms, edges, stops, max_size, keep, work):  # type: ignore[no-untyped-def]
    """All minimal laws of a target: their sets, their scores, and the violating pairs met on the way."""
    words = atoms.shape[0]
    search = new_search(edges, atoms, edges.shape[0] + 64, 8)
    path = new_path(order, 8)
    sets = np.empty((16, words), np.uint64)
    scores = np.empty((16, 1), np.float64)
    learned = np.empty((64, 2), np.int32)
    pairs = np.empty((200, 2), np.int32)
    proven, refuting, refuted = 0, 0, 0
    state = advance(search, stops, max_size)
    while state != DONE:
        depth = search.at[DEPTH]
        if state == LEAF:
            path = refine_path(path, ranks, search.chosen, depth, work)
            first_row, first_class = path.first_row[depth], path.first_class[depth]
            rows, ends = path.rows[first_row:], path.ends[first_class:]
            classes = path.first_class[depth + 1] - first_class
            found = violating_pairs(ranks, rows, ends, classes, target, pairs)
            if found == 0:
                sets, scores = with_room(sets, proven, 1), with_room(scores, proven, 1)
                sets[proven] = search.members
                scores[proven, 0] = coverage(ends, classes, order.shape[0])
                proven += 1
            else:
                found = keep_closest(ranks, pairs, found, keep)
                search = learn(search, ranks, ordered, target, pairs[:found])
                learned = with_room(learned, refuting, found)
                learned[refuting : refuting + found] = pairs[:found]
                refuting += found
                refuted += 1
        else:
            search = enlarge(search, search.edges.shape[0], 2 * search.chosen.shape[0])
        state = advance(search, stops, max_size)
        path.made[0] = min(path.made[0], search.at[SHALLOWEST])
    return sets[:proven], scores[:proven, 0], learned[:refuting], refuted
