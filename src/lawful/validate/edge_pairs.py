"""Which pairs of rows stand behind each edge of a table's complete evidence."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import Atoms, edges_of_lines
from lawful.evidence.outcomes import EMPTY, insert, roomy, slot_of
from lawful.evidence.tiles import BLOCK, compare, narrow, new_tile, outcomes_in_blocks, slot_of_column
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


class Slots(NamedTuple):
    """A hash set of lines, and the number of the edge of each."""

    lines: Words
    numbers: npt.NDArray[np.int32]


@kernel
def numbered_slots(lines, edges, known):
    """The slots of some lines with these edges, which are among the known ones."""
    slots, index = np.zeros((EMPTY, lines.shape[1]), np.uint64), new_index(known.shape[0])
    slots = roomy(slots, 0, lines.shape[0])
    numbers = np.zeros(slots.shape[0], np.int32)
    for k in range(known.shape[0]):
        index[place_in(index, known, known[k])] = k + 1
    for k in range(lines.shape[0]):
        insert(slots, lines[k])
        numbers[slot_of(slots, lines[k])] = index[place_in(index, known, edges[k])] - 1
    return Slots(slots, numbers)


@kernel
def write_numbers(slots, columns, hashes, numbers):
    """Write the numbers of lines, given as columns."""
    lines, number_of = slots
    for j in range(numbers.shape[0]):
        numbers[j] = number_of[slot_of_column(lines, columns, hashes[j], j)]


@kernel
def edges_of_pairs(ranks, comparisons, slots, size, halt):
    """For all pairs t < s the number of their edge: by tiles, as in `lawful.evidence.tiles`."""
    rows, tile = ranks.shape[1], new_tile(comparisons, size)
    numbers = np.empty(rows * (rows - 1) // 2, np.int32)
    for start in range(0, rows, size):
        end = min(start + size, rows)
        for t in range(end - 1):
            if halt[0] != 0:
                break
            first = max(start, t + 1)
            compare(ranks, comparisons, t, (first, end), tile)
            at = t * rows - t * (t + 1) // 2 + first - t - 1
            write_numbers(slots, tile.columns, tile.hashes, numbers[at : at + end - first])
    return numbers


@kernel
def listed_pairs(numbers, mirror, rows):
    """Where the pairs of each edge start, and the pairs."""
    first = np.zeros(mirror.shape[0] + 1, np.int64)
    for number in numbers:
        first[min(number, mirror[number]) + 1] += 1
    for k in range(mirror.shape[0]):
        first[k + 1] += first[k]
    places, listed, at = first[:-1].copy(), np.empty((numbers.shape[0], 2), np.int32), 0
    for t in range(rows):
        for s in range(t + 1, rows):
            number = numbers[at]
            edge = min(number, mirror[number])
            place = places[edge]
            places[edge] += 1
            listed[place, 0], listed[place, 1] = (s, t) if edge < number else (t, s)
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
    small, rows = narrow(ranks), ranks.shape[1]
    blocks = np.arange(-(-rows // BLOCK))
    lines = outcomes_in_blocks(small, comparisons, blocks, BLOCK, halt)
    slots = numbered_slots(lines, edges_of_lines(lines, len(comparisons.kind), atoms), edges)
    numbers = edges_of_pairs(small, comparisons, slots, BLOCK, halt)
    first, listed = listed_pairs(numbers[: 0 if halt[0] else None], mirror, 0 if halt[0] else rows)
    return EdgePairs(first, listed, mirror)
