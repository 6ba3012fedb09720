"""Counts of distinct lines of words, in a hash table.

A line and its count stand together, since every look at a large table waits for memory. Lines come in blocks
[word, line]: words that stand apart keep the compiler from vectors of one or two words, which take six times
as long. Arrays are taken out of tuples before a loop: counting references there would take as long again.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import ONE, Words, mixed

FIRST_SLOTS = 128


class LineCounts(NamedTuple):
    """Lines and how often each was counted. A line whose count falls to 0 keeps its slot for a while."""

    slots: Words  # [slot, word]: a line, and twice its count plus 1; 0 if empty
    used: Ints  # how many lines there are, as the only number


@kernel
def no_lines(words):
    """Counts of no lines of so many words."""
    return LineCounts(np.zeros((FIRST_SLOTS, words + 1), np.uint64), np.zeros(1, np.int64))


@kernel
def slot_in(slots, block, j):
    """Where line j of a block stands, or the empty slot where it would."""
    words, mask, hashed = slots.shape[1] - 1, slots.shape[0] - 1, np.uint64(0)
    for w in range(words):
        hashed = mixed(hashed, block[w, j])
    slot = np.int64(hashed) & mask
    while slots[slot, words] != 0:
        unlike = np.uint64(0)
        for w in range(words):
            unlike |= slots[slot, w] ^ block[w, j]
        if unlike == 0:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def count_in(slots, slot):
    """The count of the line in a slot, 0 if it is empty."""
    return np.int64(slots[slot, slots.shape[1] - 1]) >> 1


@kernel
def move_lines(slots, larger):
    """Put the lines whose count is not 0 into empty slots; returns how many."""
    words, moved, line = slots.shape[1] - 1, 0, np.empty((slots.shape[1], 1), np.uint64)
    for slot in range(slots.shape[0]):
        if count_in(slots, slot) != 0:
            for w in range(words):
                line[w, 0] = slots[slot, w]
            place = slot_in(larger, line, 0)
            for w in range(words + 1):
                larger[place, w] = slots[slot, w]
            moved += 1
    return moved


@kernel
def room_for(known, more):
    """The counts themselves if they are at most half full with so many more lines, else a copy with room.

    Lines whose count is 0 are left out of the copy.
    """
    slots, used = known
    size = slots.shape[0]
    if 2 * (used[0] + more) <= size:
        return known
    left = more
    for slot in range(slots.shape[0]):
        left += count_in(slots, slot) != 0
    while 8 * left > 3 * size:
        size *= 2
    larger = np.zeros((size, slots.shape[1]), np.uint64)
    used[0] = move_lines(slots, larger)
    return LineCounts(larger, used)


@kernel
def count_line(slots, used, block, j, more):
    """Count line j of a block so many times more, where there is room; returns its count before."""
    slot, words = slot_in(slots, block, j), slots.shape[1] - 1
    if slots[slot, words] == 0:
        for w in range(words):
            slots[slot, w] = block[w, j]
        slots[slot, words] = ONE
        used[0] += 1
    before = count_in(slots, slot)
    slots[slot, words] += np.uint64(2 * more)
    return before


@kernel
def count_block(known, block, weights, weight):
    """Counts with the lines of a block, each counted `weight` times its weight."""
    known = room_for(known, weights.shape[0])
    slots, used = known
    for j in range(weights.shape[0]):
        count_line(slots, used, block, j, weight * weights[j])
    return known


@kernel
def count_changes(known, block, weights, weight):
    """The same, and which of the lines were not counted before, or are not any more."""
    known, turned = room_for(known, weights.shape[0]), np.empty(weights.shape[0], np.bool_)
    slots, used = known
    for j in range(weights.shape[0]):
        before = count_line(slots, used, block, j, weight * weights[j])
        turned[j] = before == 0 or before == -weight * weights[j]
    return known, turned


@kernel
def counted_lines(known):
    """The lines whose count is not 0, and these counts."""
    slots, used = known
    words, found = slots.shape[1] - 1, 0
    lines, counts = np.empty((used[0], words), np.uint64), np.empty(used[0], np.int64)
    for slot in range(slots.shape[0]):
        if count_in(slots, slot) != 0:
            for w in range(words):
                lines[found, w] = slots[slot, w]
            counts[found] = count_in(slots, slot)
            found += 1
    return lines[:found], counts[:found]
