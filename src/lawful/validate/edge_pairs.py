"""Which pairs of rows stand behind each edge of a table's complete evidence."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import copy_items
from lawful.evidence.outcomes import EMPTY, insert, make_mirrored, roomy, slot_of
from lawful.evidence.tiles import BLOCK, compare, narrow, new_tile, slot_of_column
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.words import Words


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


class KnownLines(NamedTuple):
    """Lines of outcomes, those of all pairs of rows among them, and the edges of each.

    If `turning`, a pair may have the mirror image of a line instead.
    """

    lines: Words
    edges: Ints  # [line]: the number of its edge
    mirror: Ints  # [edge]
    turning: bool


class Slots(NamedTuple):
    """A hash set of lines, and the number of the edge of each."""

    lines: Words
    numbers: npt.NDArray[np.int32]


@kernel
def numbered_slots(known, comparisons):
    """The slots of lines whose edges are known, and of their mirror images if pairs may have these."""
    lines, mirrored = known.lines, np.empty(known.lines.shape[1], np.uint64)
    slots = roomy(np.zeros((EMPTY, lines.shape[1]), np.uint64), 0, lines.shape[0] * (1 + known.turning))
    numbers = np.zeros(slots.shape[0], np.int32)
    for k in range(lines.shape[0]):
        insert(slots, lines[k])
        numbers[slot_of(slots, lines[k])] = known.edges[k]
        if known.turning:
            copy_items(lines[k], mirrored)
            make_mirrored(mirrored, comparisons)
            insert(slots, mirrored)
            numbers[slot_of(slots, mirrored)] = known.mirror[known.edges[k]]
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
    ranks: npt.NDArray[np.int32], comparisons: Comparisons, known: KnownLines, halt: Ints
) -> EdgePairs:
    """The pairs of all edges of a table; after a halt some are missing."""
    slots, rows = numbered_slots(known, comparisons), ranks.shape[1]
    numbers = edges_of_pairs(narrow(ranks), comparisons, slots, BLOCK, halt)
    first, listed = listed_pairs(numbers[: 0 if halt[0] else None], known.mirror, 0 if halt[0] else rows)
    return EdgePairs(first, listed, known.mirror)
