"""Lines of 64-bit words in bulk: sets of atoms, signs, candidates."""

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel

MIX = np.uint64(0x9E3779B97F4A7C15)


@kernel
def place_in(slots, lines, line):  # type: ignore[no-untyped-def]
    """The slot of a line in an index of lines: slots hold their numbers, counted from 1, and 0 if empty."""
    hashed = np.uint64(0)
    for w in range(line.shape[0]):
        hashed = (hashed ^ line[w]) * MIX
        hashed ^= hashed >> np.uint64(32)
    mask = slots.shape[0] - 1
    slot = np.int64(hashed) & mask
    while slots[slot] != 0:
        same = True
        for w in range(line.shape[0]):
            same &= lines[slots[slot] - 1, w] == line[w]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def distinct_lines(lines):  # type: ignore[no-untyped-def]
    """Each line once, in the order of their first appearance."""
    size = 4
    while size < 2 * lines.shape[0]:
        size *= 2
    slots = np.zeros(size, np.int32)
    distinct, count = np.empty(lines.shape, np.uint64), 0
    for k in range(lines.shape[0]):
        slot = place_in(slots, distinct, lines[k])
        if slots[slot] == 0:
            copy_items(lines[k], distinct[count])
            count += 1
            slots[slot] = count
    return distinct[:count]


@kernel
def are_among(lines, known):  # type: ignore[no-untyped-def]
    """Which of some lines are among the known ones."""
    size = 4
    while size < 2 * known.shape[0]:
        size *= 2
    slots = np.zeros(size, np.int32)
    for k in range(known.shape[0]):
        slots[place_in(slots, known, known[k])] = k + 1
    found = np.empty(lines.shape[0], np.bool_)
    for k in range(lines.shape[0]):
        found[k] = slots[place_in(slots, known, lines[k])] != 0
    return found
