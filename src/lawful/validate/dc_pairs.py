"""Denial constraints refuted by pairs of rows.

A pair whose outcomes were not seen before is tried on all DCs: whatever brought it up, it refutes all that it
can. So the rows of a small class are compared pair by pair once, for all DCs whose context it obeys.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES, Atoms, write_edge
from lawful.evidence.outcomes import EMPTY, insert, outcome_words, roomy, slot_of, write_outcomes
from lawful.evidence.tiles import Tile, compare, new_tile, slot_of_column
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import Words, meet

FEW_IN_CLASS = 12  # rows of a class that are compared without copies of their ranks


class Trial(NamedTuple):
    """Some DCs and the pairs that refute them."""

    sets: Words
    found: Ints  # how many pairs each DC has
    pairs: npt.NDArray[np.int32]  # [DC, place, row]: the pairs that agree on the most comparisons
    agreeing: Ints  # [DC, place]: on how many
    refuted: Ints  # [0]: how many DCs have pairs


class Seen(NamedTuple):
    """The outcomes that were tried, as a set of lines."""

    slots: Words
    size: Ints  # [0]: how many
    line: Words  # space for one


@kernel
def new_seen(comparisons):
    words = outcome_words(comparisons)
    return Seen(np.zeros((EMPTY, words), np.uint64), np.zeros(1, np.int64), np.empty(words, np.uint64))


@kernel
def add_pair(trial, k, t, s, agreeing):
    """Give a DC one more pair; where it has enough, in place of the one that agrees least."""
    keep, at = trial.pairs.shape[1], trial.found[k]
    if at < keep:
        trial.found[k] += 1
        trial.refuted[0] += at == 0
    else:
        at = 0
        for other in range(1, keep):
            if trial.agreeing[k, other] < trial.agreeing[k, at]:
                at = other
        if trial.agreeing[k, at] >= agreeing:
            return
    trial.pairs[k, at, 0], trial.pairs[k, at, 1], trial.agreeing[k, at] = t, s, agreeing


@kernel
def comparisons_agreeing(line, comparisons):
    """On how many comparisons the outcome is equality."""
    equal = 0
    for k in range(comparisons):
        equal += (line[k >> 5] >> np.uint64(2 * (k & 31))) & np.uint64(3) == 0
    return equal


@kernel
def try_line(trial, line, comparisons, t, s):
    """Refute the DCs that a pair with these outcomes violates."""
    words, count = trial.sets.shape[1], comparisons.kind.shape[0]
    edge, agreeing = np.empty(words, np.uint64), comparisons_agreeing(line, count)
    write_edge(line, count, Atoms(OF_PREDICATES, ~np.zeros(words, np.uint64)), edge)
    for k in range(trial.sets.shape[0]):
        if not meet(trial.sets[k], edge):
            add_pair(trial, k, t, s, agreeing)


@kernel
def try_pair(trial, seen, ranks, comparisons, t, s):
    """Try a pair and its mirror image on all DCs unless their outcomes are known."""
    seen = Seen(roomy(seen.slots, seen.size[0], 2), seen.size, seen.line)
    for _ in range(2):
        write_outcomes(ranks, comparisons, t, s, seen.line)
        if insert(seen.slots, seen.line):
            seen.size[0] += 1
            try_line(trial, seen.line, comparisons, t, s)
        t, s = s, t
    return seen


class ClassTile(NamedTuple):
    """Scratch space for the outcomes of a row with the others of its class."""

    ranks: npt.NDArray[np.int32]
    tile: Tile


@kernel
def new_class_tile(ranks, comparisons, rows):
    return ClassTile(np.empty((ranks.shape[0], rows), np.int32), new_tile(comparisons, rows))


@kernel
def try_few(trial, seen, ranks, comparisons, rows):
    """Try all pairs of very few rows."""
    for i in range(rows.shape[0] - 1):
        for j in range(i + 1, rows.shape[0]):
            write_outcomes(ranks, comparisons, rows[i], rows[j], seen.line)
            if seen.slots[slot_of(seen.slots, seen.line), seen.line.shape[0] - 1] == 0:
                seen = try_pair(trial, seen, ranks, comparisons, rows[i], rows[j])
    return seen


@kernel
def try_class(trial, seen, ranks, comparisons, rows, room):
    """Try all pairs of a class for which there is room."""
    size, tile = rows.shape[0], room.tile
    if size <= FEW_IN_CLASS:
        return try_few(trial, seen, ranks, comparisons, rows)
    for column in range(ranks.shape[0]):
        line, ranks_of_class = ranks[column], room.ranks[column]
        for i in range(size):
            ranks_of_class[i] = line[rows[i]]
    columns, hashes, last = tile.columns, tile.hashes, tile.columns.shape[0] - 1
    for i in range(size - 1):
        compare(room.ranks, comparisons, i, (i + 1, size), tile)
        for j in range(size - i - 1):
            if seen.slots[slot_of_column(seen.slots, columns, hashes[j], j), last] == 0:
                seen = try_pair(trial, seen, ranks, comparisons, rows[i], rows[i + 1 + j])
    return seen
