"""Atoms of comparisons: which ones exclude a pair of rows, and what exchanging the two rows makes of them."""

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import NOT_EQUAL, NOT_GREATER, Comparisons, Ints, atom_words, usable_atoms
from lawful.words import ONE, Words, bit, bit_set, lowest_bit, put

# The atoms that exclude each outcome (equal, less, greater, different without order), as three bits
EXCLUDING = np.array([0b010, 0b001, 0b100, 0b101], np.uint64)


@kernel
def excluding_atoms(lines, comparisons, usable):
    """The edge of each line of outcomes: the usable atoms that exclude it."""
    edges = np.zeros((lines.shape[0], usable.shape[0]), np.uint64)
    for k in range(lines.shape[0]):
        for comparison in range(comparisons):
            outcome = (lines[k, comparison >> 5] >> np.uint64(2 * (comparison & 31))) & np.uint64(3)
            for atom in range(3):
                if (EXCLUDING[outcome] >> np.uint64(atom)) & ONE:
                    place = 3 * comparison + atom
                    edges[k, place >> 6] |= bit(place) & usable[place >> 6]
    return edges


@kernel
def mirrored_sets(sets, mirror):
    """Sets of atoms after the two rows are exchanged; mirror[atom] is what an atom becomes."""
    mirrored = np.zeros(sets.shape, np.uint64)
    for k in range(sets.shape[0]):
        for w in range(sets.shape[1]):
            rest = sets[k, w]
            while rest:
                atom = mirror[w * 64 + lowest_bit(rest)]
                put(mirrored[k], atom)
                rest &= rest - ONE
    return mirrored


def edges_of(lines: Words, comparisons: Comparisons) -> Words:
    """The edge of each line of outcomes."""
    edges: Words = excluding_atoms(lines, len(comparisons.kind), usable_atoms(comparisons))
    return edges


def mirror_atoms(comparisons: Comparisons) -> Ints:
    """What each atom becomes when t and s are exchanged."""
    kinds = np.arange(3)
    kept = np.where((comparisons.turned & comparisons.ordered)[:, None], NOT_GREATER - kinds, kinds)
    mirror = np.arange(atom_words(comparisons) * 64)
    mirror[: 3 * len(comparisons.kind)] = (3 * comparisons.mirror[:, None] + kept).ravel()
    return mirror


def whole_comparisons(comparisons: Comparisons) -> Words:
    """For each comparison the set of all its usable atoms, which excludes every outcome."""
    words = atom_words(comparisons)
    sets = [
        bit_set(np.arange(3 * k, 3 * k + (NOT_GREATER if ordered else NOT_EQUAL) + 1), words)
        for k, ordered in enumerate(comparisons.ordered)
    ]
    return np.array(sets, np.uint64).reshape(-1, words)


def canonical_sets(sets: Words, mirror: Ints) -> tuple[Words, npt.NDArray[np.bool_]]:
    """Of each set and its mirror image the smaller one, and which of the sets were that already."""
    other: Words = mirrored_sets(sets, mirror)
    smaller, same = np.zeros(len(sets), np.bool_), np.ones(len(sets), np.bool_)
    for w in range(sets.shape[1]):
        smaller |= same & (sets[:, w] < other[:, w])
        same &= sets[:, w] == other[:, w]
    kept = smaller | same
    return np.where(kept[:, None], sets, other), kept
