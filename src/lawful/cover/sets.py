"""Bit sets in bulk: many sets of atoms as lines of 64-bit words."""

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel, lowest_bit

ONE = np.uint64(1)
BITS = np.uint64(63)
MIX = np.uint64(0x9E3779B97F4A7C15)


@kernel
def sort_keys(sets, place_of):  # type: ignore[no-untyped-def]
    """Words that sort sets so that those with common first atoms, by their places, follow each other."""
    keys = np.zeros(sets.shape, np.uint64)
    for k in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            rest = sets[k, w]
            while rest:
                place = place_of[w * 64 + lowest_bit(rest)]
                keys[k, place >> 6] |= ONE << (BITS - (np.uint64(place) & BITS))
                rest &= rest - ONE
    return keys


@kernel
def atoms_of(key, atom_at, out):  # type: ignore[no-untyped-def]
    """Write the atoms of a set, given by its sort key, in the order of their places; returns how many."""
    count = 0
    for w in range(key.shape[0]):
        place = w * 64
        rest = key[w]
        while rest:
            if rest >> BITS:
                out[count] = atom_at[place]
                count += 1
            rest = rest << ONE
            place += 1
    return count


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
def distinct_sets(sets):  # type: ignore[no-untyped-def]
    """Each set once, in the order of their first appearance."""
    size = 4
    while size < 2 * sets.shape[0]:
        size *= 2
    slots = np.zeros(size, np.int32)
    distinct, count = np.empty(sets.shape, np.uint64), 0
    for k in range(sets.shape[0]):
        slot = place_in(slots, distinct, sets[k])
        if slots[slot] == 0:
            copy_items(sets[k], distinct[count])
            count += 1
            slots[slot] = count
    return distinct[:count]


@kernel
def are_among(sets, known):  # type: ignore[no-untyped-def]
    """Which of some sets are among the known ones."""
    size = 4
    while size < 2 * known.shape[0]:
        size *= 2
    slots = np.zeros(size, np.int32)
    for k in range(known.shape[0]):
        slots[place_in(slots, known, known[k])] = k + 1
    found = np.empty(sets.shape[0], np.bool_)
    for k in range(sets.shape[0]):
        found[k] = slots[place_in(slots, known, sets[k])] != 0
    return found
