"""The distinct outcomes of all pairs of a small table, and how many pairs have each.

A row t meets a block of rows s at a time, comparison by comparison. Eight comparisons share 16 bits, so that
the innermost loop runs over narrow integers and the compiler makes it a few vector instructions.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import EMPTY, lines_of, outcome, outcome_words, roomy, slot_of
from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.words import Words, mixed

BLOCK = 1024  # rows s that meet a row t at a time: their ranks must stay in the cache
NARROW = np.int16


class Tile(NamedTuple):
    """Space for the outcomes of a row with a block of others."""

    lanes: npt.NDArray[np.uint16]  # [lane, row]: eight comparisons in each
    columns: Words  # [word, row]: the same as lines of words
    hashes: Words  # of these lines


@kernel
def new_tile(comparisons, size):
    """Space for blocks of so many rows."""
    lanes = np.empty((comparisons.kind.shape[0] // 8 + 1, size), np.uint16)
    return Tile(lanes, np.empty((outcome_words(comparisons), size), np.uint64), np.empty(size, np.uint64))


@kernel
def add_ordered(x, ys, shift, lane):
    for j in range(ys.shape[0]):
        y = ys[j]
        null = np.int16((x | y) < 0)
        less, greater = np.int16(x < y) | null, np.int16(x > y) | null
        lane[j] |= np.uint16((less | (greater << 1)) << shift)


@kernel
def add_unordered(x, ys, shift, lane):
    for j in range(ys.shape[0]):
        y = ys[j]
        differ = np.int16(x != y) | np.int16((x | y) < 0)
        lane[j] |= np.uint16((differ | (differ << 1)) << shift)


@kernel
def add_within(xs, ys, ordered, shift, lane):
    for j in range(ys.shape[0]):
        lane[j] |= np.uint16(outcome(xs[j], ys[j], ordered) << np.uint64(shift))


@kernel
def add_comparison(comparisons, k, left, right, t, block, lane):
    """Add the outcomes of one comparison, given both columns of all rows and `block`, the rows s."""
    kind, ordered, shift = comparisons.kind[k], comparisons.ordered[k], 2 * (k & 7)
    if kind == IN_FIRST:
        bits = np.uint16(outcome(left[t], right[t], ordered) << np.uint64(shift))
        for j in range(block[1] - block[0]):
            lane[j] |= bits
    elif kind == IN_SECOND:
        add_within(left[block[0] : block[1]], right[block[0] : block[1]], ordered, shift, lane)
    elif ordered:
        add_ordered(left[t], right[block[0] : block[1]], shift, lane)
    else:
        add_unordered(left[t], right[block[0] : block[1]], shift, lane)


@kernel
def fill_lanes(ranks, comparisons, t, block, lanes):
    """Write the outcomes of row t with a block of rows, eight comparisons in each lane."""
    count = comparisons.kind.shape[0]
    for q in range(lanes.shape[0]):
        mark, lane = np.uint16(1 << (2 * (count & 7))) if q == count >> 3 else np.uint16(0), lanes[q]
        for j in range(lane.shape[0]):
            lane[j] = mark
    for k in range(count):
        left, right = ranks[comparisons.left[k]], ranks[comparisons.right[k]]
        add_comparison(comparisons, k, left, right, t, block, lanes[k >> 3])


@kernel
def fill_lanes_of_pairs(ranks, comparisons, pairs, lanes):
    """Write the outcomes of pairs of rows, eight comparisons in each lane."""
    count, size = comparisons.kind.shape[0], pairs.shape[0]
    for q in range(lanes.shape[0]):
        mark, lane = np.uint16(1 << (2 * (count & 7))) if q == count >> 3 else np.uint16(0), lanes[q]
        for j in range(size):
            lane[j] = mark
    for k in range(count):
        kind, shift, lane = comparisons.kind[k], np.uint16(2 * (k & 7)), lanes[k >> 3]
        left, right = ranks[comparisons.left[k]], ranks[comparisons.right[k]]
        first, second = np.int64(kind == IN_SECOND), np.int64(kind != IN_FIRST)
        unordered = not comparisons.ordered[k]
        for j in range(size):
            x, y = left[pairs[j, first]], right[pairs[j, second]]
            differ = np.uint16((x | y) < 0) | np.uint16(unordered & (x != y))
            less, greater = np.uint16(x < y) | differ, np.uint16(x > y) | differ
            lane[j] |= (less | (greater << np.uint16(1))) << shift


@kernel
def join_lanes(lanes, size, columns, hashes):
    """Write the words of each of `size` lines, one column a word, and their hashes."""
    for j in range(size):
        hashes[j] = np.uint64(0)
    for w in range(columns.shape[0]):
        column = columns[w]
        for j in range(size):
            column[j] = np.uint64(lanes[4 * w, j])
        for q in range(1, min(4, lanes.shape[0] - 4 * w)):
            lane, shift = lanes[4 * w + q], np.uint64(16 * q)
            for j in range(size):
                column[j] |= np.uint64(lane[j]) << shift
        for j in range(size):
            hashes[j] = mixed(hashes[j], column[j])


@kernel
def compare(ranks, comparisons, t, block, tile):
    """Write the outcomes of row t with a block of rows."""
    fill_lanes(ranks, comparisons, t, block, tile.lanes)
    join_lanes(tile.lanes, block[1] - block[0], tile.columns, tile.hashes)


@kernel
def slot_of_column(slots, columns, hashed, j):
    """Where the line that is column j stands in a set of lines, or the empty slot where it would.

    Nearly all lines stand where their hash says.
    """
    mask, last = slots.shape[0] - 1, slots.shape[1] - 1
    slot = np.int64(hashed) & mask
    while True:
        same = True
        for w in range(columns.shape[0]):
            same &= slots[slot, w] == columns[w, j]
        if same or slots[slot, last] == 0:
            return slot
        slot = (slot + 1) & mask


@kernel
def insert_columns(slots, counts, columns, hashes, size):
    """Add lines, given as columns, to a set with room for them, and count them; how many are new.

    Whether one stands where its hash says is seen here: a call for each would take a quarter longer.
    """
    fresh, mask = 0, slots.shape[0] - 1
    for j in range(size):
        slot, known = np.int64(hashes[j]) & mask, True
        for w in range(columns.shape[0]):
            known &= slots[slot, w] == columns[w, j]
        if not known:
            slot = slot_of_column(slots, columns, hashes[j], j)
            if slots[slot, slots.shape[1] - 1] == 0:
                for w in range(columns.shape[0]):
                    slots[slot, w] = columns[w, j]
                fresh += 1
        counts[slot] += 1
    return fresh


@kernel
def moved_counts(slots, counts, larger):
    """The counts of all lines after these have moved to a larger set."""
    moved = np.zeros(larger.shape[0], np.int64)
    for slot in range(slots.shape[0]):
        if counts[slot]:
            moved[slot_of(larger, slots[slot])] = counts[slot]
    return moved


@kernel
def outcomes_in_blocks(ranks, comparisons, blocks, size, halt):
    """The distinct outcomes of the pairs t < s with s in one of the blocks, each of `size` rows, counted."""
    slots, count = np.zeros((EMPTY, outcome_words(comparisons)), np.uint64), 0
    counts = np.zeros(EMPTY, np.int64)
    tile = new_tile(comparisons, size)
    for block in blocks:
        end = min((block + 1) * size, ranks.shape[1])
        for t in range(end - 1):
            if halt[0] != 0:
                break
            first = max(block * size, t + 1)
            compare(ranks, comparisons, t, (first, end), tile)
            larger = roomy(slots, count, end - first)
            if larger.shape[0] != slots.shape[0]:
                counts, slots = moved_counts(slots, counts, larger), larger
            count += insert_columns(slots, counts, tile.columns, tile.hashes, end - first)
    return lines_of(slots, count), counts[counts > 0]


def narrow(ranks: npt.NDArray[np.int32]) -> npt.NDArray[np.int16] | npt.NDArray[np.int32]:
    """The ranks as 16-bit integers where they fit."""
    return ranks.astype(NARROW) if ranks.max(initial=0) <= np.iinfo(NARROW).max else ranks
