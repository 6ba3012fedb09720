"""Laws as sets of literals on columns that are compared with themselves: what probes look for.

A line of literals has, for each column, the outcomes that its atoms exclude, as a mask of LESS, EQUAL and
GREATER: `=` is LESS | GREATER, `<=` is GREATER, and 0 says nothing. A pair of rows (t, s) breaks the law if
no literal excludes its outcome. Keys are X=, FDs X=, A!=, ODs X=, A<, B>.
"""

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.codec import OF_ATOMS, LawArrays
from lawful.laws.comparisons import (
    ACROSS,
    EQUAL,
    GREATER,
    LESS,
    UNEQUAL,
    Comparisons,
    Flags,
    Ints,
    mirrored_outcomes,
)
from lawful.laws.targets import LEFT, LEFT_OUTCOMES, RIGHT, RIGHT_OUTCOMES
from lawful.words import has

Excluded = npt.NDArray[np.uint8]  # [law, column]

NEVER_TRUE = LESS | EQUAL | GREATER  # what a literal excludes that no pair satisfies


def of_one_row_each(comparisons: Comparisons) -> Flags:
    """Which comparisons are of a column with itself."""
    own: Flags = (comparisons.kind == ACROSS) & (comparisons.left == comparisons.right)
    return own


@kernel
def excluded_by_atoms(sets, comparisons, columns):
    """The literals of sets of atoms; those on two columns are left out."""
    excluded = np.zeros((sets.shape[0], columns), np.uint8)
    for k in range(sets.shape[0]):
        for c in range(comparisons.kind.shape[0]):
            for which in range(3):
                if comparisons.left[c] == comparisons.right[c] and has(sets[k], 3 * c + which):
                    excluded[k, comparisons.left[c]] |= np.uint8(1 << which)
    return excluded


def excluded_outcomes(laws: LawArrays, comparisons: Comparisons, columns: int) -> Excluded:
    """The literals of laws, none of which compares two columns with each other."""
    of_atoms = np.isin(laws.kinds, OF_ATOMS)
    excluded: Excluded = np.zeros((len(laws.kinds), columns), np.uint8)
    bits = np.unpackbits(laws.sets.view(np.uint8), axis=1, count=columns, bitorder="little")
    excluded[:, : bits.shape[1]] = UNEQUAL * bits
    excluded[of_atoms] = excluded_by_atoms(laws.sets[of_atoms], comparisons, columns)
    for side, outcomes in ((LEFT, LEFT_OUTCOMES), (RIGHT, RIGHT_OUTCOMES)):
        asks = np.flatnonzero(laws.targets[:, side] >= 0)
        excluded[asks, laws.targets[asks, side]] = NEVER_TRUE & ~laws.targets[asks, outcomes]
    return excluded


def as_understood(excluded: Excluded, ordered: Flags) -> Excluded:
    """The literals with `=` for the others on columns without order that speak of more than a difference."""
    unequal = (excluded & UNEQUAL != 0) & ~ordered
    return np.where(unequal, excluded | UNEQUAL, excluded).astype(np.uint8)


def possible(excluded: Excluded, ordered: Flags) -> tuple[Excluded, Ints]:
    """The literals, as they are understood, of the laws that a pair can break at all, and their numbers."""
    understood = as_understood(excluded, ordered)
    numbers = np.flatnonzero(~(understood == NEVER_TRUE).any(axis=1))
    return understood[numbers], numbers


def exchanged(excluded: Excluded) -> Excluded:
    """The literals after t and s are exchanged."""
    turned: Excluded = mirrored_outcomes(excluded)
    return turned
