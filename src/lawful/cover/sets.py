"""Bit sets in bulk: many sets of atoms as lines of 64-bit words."""

import numpy as np

from lawful.kernels import kernel, lowest_bit

ONE = np.uint64(1)
BITS = np.uint64(63)


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
