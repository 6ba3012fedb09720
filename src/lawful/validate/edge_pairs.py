"""Which pairs of rows stand behind each edge of a table's complete evidence."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import Atoms, write_edge
from lawful.evidence.outcomes import outcome_words, write_outcomes
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.words import Words, new_index, place_in


class EdgePairs(NamedTuple):
    """The pairs of rows of some edges: those of edge k from first[k] on, unless its mirror image has them.

    An edge and its mirror image, what it becomes when t and s are exchanged, have the same pairs; the one
    with the lower number has them.
    """

    first: Ints
    rows: npt.NDArray[np.int32]  # [place, 2]: t and s
    mirror: Ints  # [edge]

    def beside(self, mirror: Ints) -> "EdgePairs":
        """The same with further edges of no pairs; what is the mirror image of which, of all edges."""
        first = np.pad(self.first, (0, len(mirror) - len(self.mirror)), mode="edge")
        return EdgePairs(first, self.rows, mirror)


@kernel
def edges_of_pairs(ranks, comparisons, atoms, edges, mirror, halt):
    """For all pairs t < s the number of their edge, or of its mirror image where that is lower."""
    rows, count = ranks.shape[1], 0
    numbers = np.empty(rows * (rows - 1) // 2, np.int32)
    slots = new_index(edges.shape[0])
    for k in range(edges.shape[0]):
        slots[place_in(slots, edges, edges[k])] = k + 1
    line, edge = np.empty(outcome_words(comparisons), np.uint64), np.empty(edges.shape[1], np.uint64)
    turned = np.zeros(numbers.shape[0], np.bool_)
    for t in range(rows):
        if halt[0] != 0:
            break
        for s in range(t + 1, rows):
            write_outcomes(ranks, comparisons, t, s, line)
            write_edge(line, comparisons.kind.shape[0], atoms, edge)
            number = slots[place_in(slots, edges, edge)] - 1
            turned[count] = mirror[number] < number
            numbers[count] = min(number, mirror[number])
            count += 1
    return numbers, turned


@kernel
def listed_pairs(numbers, turned, rows, edges):
    """Where the pairs of each edge start, and the pairs."""
    first = np.zeros(edges + 1, np.int64)
    for k in range(numbers.shape[0]):
        first[numbers[k] + 1] += 1
    for k in range(edges):
        first[k + 1] += first[k]
    places, listed, at = first[:-1].copy(), np.empty((numbers.shape[0], 2), np.int32), 0
    for t in range(rows):
        for s in range(t + 1, rows):
            place = places[numbers[at]]
            places[numbers[at]] += 1
            listed[place, 0], listed[place, 1] = (s, t) if turned[at] else (t, s)
            at += 1
    return first, listed


def edge_pairs(
    ranks: npt.NDArray[np.int32],
    comparisons: Comparisons,
    atoms: Atoms,
    edges: Words,
    mirror: Ints,
    halt: Ints,
) -> EdgePairs:
    """The pairs of all edges of a table; after a halt some are missing."""
    numbers, turned = edges_of_pairs(ranks, comparisons, atoms, edges, mirror, halt)
    if halt[0]:
        numbers, turned = numbers[:0], turned[:0]
    first, rows = listed_pairs(numbers, turned, ranks.shape[1] if len(numbers) else 0, len(edges))
    return EdgePairs(first, rows, mirror)
