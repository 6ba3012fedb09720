"""Atoms: what laws are sets of, and which of them exclude a pair of rows.

A law of columns (a key, FD or OD) has one atom for a comparison: the column is equal. A law of predicates (a
DC) has three, each excluding one outcome, as `lawful.laws.comparisons` says. Atom a belongs to the comparison
a // width.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import LESS_BITS
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints, atom_words
from lawful.words import ONE, Words, bit, bit_set, mapped_sets, put

OF_COLUMNS, OF_PREDICATES = 1, 3  # atoms of a comparison
NOT_EQUAL = 1  # which of its three atoms excludes `=`
# The atoms that exclude each outcome (equal, less, greater, different without order), as three bits
EXCLUDING = np.array([0b010, 0b001, 0b100, 0b101], np.uint64)


class Atoms(NamedTuple):
    """The atoms that a law may use."""

    width: int  # one of the two above
    usable: Words  # as a set


def atoms_of_columns(columns: Ints, words: int) -> Atoms:
    """That some columns are equal."""
    return Atoms(OF_COLUMNS, bit_set(columns, words))


def atoms_of_predicates(comparisons: Comparisons) -> Atoms:
    """Every operator of every comparison."""
    usable = np.ones((len(comparisons.kind), OF_PREDICATES), np.bool_)
    usable[:, 2] = comparisons.ordered  # without order, `not <` excludes every difference
    return Atoms(OF_PREDICATES, bit_set(np.flatnonzero(usable), atom_words(comparisons)))


@kernel
def atoms_beside(atoms, target):
    """The atoms without those of the comparisons that a target asks for."""
    usable = atoms.usable.copy()
    for side in (0, 2):
        if target[side] >= 0:
            for atom in range(target[side] * atoms.width, (target[side] + 1) * atoms.width):
                usable[atom >> 6] &= ~bit(atom)
    return Atoms(atoms.width, usable)


@kernel
def differences(word):
    """Which of the 32 comparisons in a word of outcomes differ, as the lower bits of a word."""
    bits = (word | word >> ONE) & LESS_BITS
    bits = (bits | bits >> np.uint64(1)) & np.uint64(0x3333333333333333)
    bits = (bits | bits >> np.uint64(2)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    bits = (bits | bits >> np.uint64(4)) & np.uint64(0x00FF00FF00FF00FF)
    bits = (bits | bits >> np.uint64(8)) & np.uint64(0x0000FFFF0000FFFF)
    return (bits | bits >> np.uint64(16)) & np.uint64(0x00000000FFFFFFFF)


@kernel
def write_edge(line, comparisons, atoms, edge):
    """Write the edge of a line of so many outcomes: the usable atoms that exclude it."""
    for w in range(edge.shape[0]):
        edge[w] = np.uint64(0)
    if atoms.width == OF_COLUMNS:
        for w in range(line.shape[0]):
            if w >> 1 < edge.shape[0]:
                edge[w >> 1] |= differences(line[w]) << np.uint64(32 * (w & 1))
    else:
        for comparison in range(comparisons):
            outcome = (line[comparison >> 5] >> np.uint64(2 * (comparison & 31))) & np.uint64(3)
            for atom in range(3):
                if (EXCLUDING[outcome] >> np.uint64(atom)) & ONE:
                    put(edge, 3 * comparison + atom)
    for w in range(edge.shape[0]):
        edge[w] &= atoms.usable[w]


@kernel
def edges_of_lines(lines, comparisons, atoms):
    """The edge of each line of outcomes."""
    edges = np.empty((lines.shape[0], atoms.usable.shape[0]), np.uint64)
    for k in range(lines.shape[0]):
        write_edge(lines[k], comparisons, atoms, edges[k])
    return edges


def mirror_atoms(comparisons: Comparisons) -> Ints:
    """What each atom of predicates becomes when t and s are exchanged."""
    kinds = np.arange(OF_PREDICATES)
    kept = np.where((comparisons.turned & comparisons.ordered)[:, None], kinds[::-1], kinds)
    mirror = np.arange(atom_words(comparisons) * 64)
    mirror[: OF_PREDICATES * len(comparisons.kind)] = (
        OF_PREDICATES * comparisons.mirror[:, None] + kept
    ).ravel()
    return mirror


def contradictions(comparisons: Comparisons) -> Words:
    """For each comparison the set of all its usable atoms, which excludes every outcome."""
    sets = np.zeros((len(comparisons.kind), atom_words(comparisons)), np.uint64)
    for atom in range(OF_PREDICATES):
        own = np.flatnonzero(comparisons.ordered | (atom < 2))
        atoms = OF_PREDICATES * own + atom
        sets[own, atoms >> 6] |= ONE << (atoms & 63).astype(np.uint64)
    return sets


def canonical_sets(sets: Words, mirror: Ints) -> tuple[Words, npt.NDArray[np.bool_]]:
    """Of each set and its mirror image the smaller one, and which of the sets were that already."""
    other: Words = mapped_sets(sets, mirror)
    smaller, same = np.zeros(len(sets), np.bool_), np.ones(len(sets), np.bool_)
    for w in range(sets.shape[1]):
        smaller |= same & (sets[:, w] < other[:, w])
        same &= sets[:, w] == other[:, w]
    kept = smaller | same
    return np.where(kept[:, None], sets, other), kept
