"""Denial constraints refuted by pairs of rows.

A pair whose outcomes were not seen before is tried on all DCs: whatever brought it up, it refutes all that it
can. So the rows of a small class are compared pair by pair once, for all DCs whose context it obeys.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES, Atoms, write_edge
from lawful.evidence.outcomes import EMPTY, insert, outcome_words, roomy, slot_of, write_outcomes
from lawful.evidence.tiles import fill_lanes, join_lanes
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import Words

FEW_ROWS = 12  # rows of a class that are compared without copies of their ranks


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


@kernel
def new_seen(comparisons):
    return Seen(np.zeros((EMPTY, outcome_words(comparisons)), np.uint64), np.zeros(1, np.int64))


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
    edge, agreeing = np.empty(words, np.uint64), comparisons_agreeing(line[0], count)
    write_edge(line[0], count, Atoms(OF_PREDICATES, ~np.zeros(words, np.uint64)), edge)
    for k in range(trial.sets.shape[0]):
        hit = np.uint64(0)
        for w in range(words):
            hit |= trial.sets[k, w] & edge[w]
        if hit == 0:
            add_pair(trial, k, t, s, agreeing)


@kernel
def try_pair(trial, seen, ranks, comparisons, t, s):
    """Try a pair and its mirror image on all DCs unless their outcomes are known."""
    seen = Seen(roomy(seen.slots, seen.size[0], 2), seen.size)
    line = np.empty((1, seen.slots.shape[1]), np.uint64)
    for _ in range(2):
        write_outcomes(ranks, comparisons, t, s, line[0])
        if insert(seen.slots, line[0]):
            seen.size[0] += 1
            try_line(trial, line, comparisons, t, s)
        t, s = s, t
    return seen


class Tile(NamedTuple):
    """Scratch space for the outcomes of a row with the others of its class."""

    ranks: npt.NDArray[np.int32]
    lanes: npt.NDArray[np.uint16]
    words: Words
    hashes: Words
    line: Words


@kernel
def new_tile(ranks, comparisons, rows):
    words = outcome_words(comparisons)
    return Tile(
        np.empty((ranks.shape[0], rows), np.int32),
        np.empty((comparisons.kind.shape[0] // 8 + 1, rows), np.uint16),
        np.empty((words, rows), np.uint64),
        np.empty(rows, np.uint64),
        np.empty(words, np.uint64),
    )


@kernel
def is_new(seen, line):
    return seen.slots[slot_of(seen.slots, line), line.shape[0] - 1] == 0


@kernel
def is_new_in(seen, tile, j):
    """Whether line j of a tile is new; nearly all are known and stand where their hash says."""
    slot = np.int64(tile.hashes[j]) & (seen.slots.shape[0] - 1)
    known = True
    for w in range(tile.words.shape[0]):
        known &= seen.slots[slot, w] == tile.words[w, j]
    if known:
        return False
    for w in range(tile.words.shape[0]):
        tile.line[w] = tile.words[w, j]
    return is_new(seen, tile.line)


@kernel
def try_few(trial, seen, ranks, comparisons, rows, tile):
    """Try all pairs of very few rows."""
    for i in range(rows.shape[0] - 1):
        for j in range(i + 1, rows.shape[0]):
            write_outcomes(ranks, comparisons, rows[i], rows[j], tile.line)
            if is_new(seen, tile.line):
                seen = try_pair(trial, seen, ranks, comparisons, rows[i], rows[j])
    return seen


@kernel
def try_class(trial, seen, ranks, comparisons, rows, tile):
    """Try all pairs of a class that a tile has room for."""
    size = rows.shape[0]
    if size <= FEW_ROWS:
        return try_few(trial, seen, ranks, comparisons, rows, tile)
    for column in range(ranks.shape[0]):
        line, ranks_of_class = ranks[column], tile.ranks[column]
        for i in range(size):
            ranks_of_class[i] = line[rows[i]]
    for i in range(size - 1):
        fill_lanes(tile.ranks, comparisons, i, (i + 1, size), tile.lanes)
        join_lanes(tile.lanes, size - i - 1, tile.words, tile.hashes)
        for j in range(size - i - 1):
            if is_new_in(seen, tile, j):
                seen = try_pair(trial, seen, ranks, comparisons, rows[i], rows[i + 1 + j])
    return seen
