"""Targets: which pairs of rows count against a law.

A target is three numbers `(left, right, direction)`. A *duplicate* (-1, -1, 0) counts every pair, a *split*
(A, -1, 0) the pairs that differ on A, a *swap* (A, B, +1) those that A and B order the opposite way, and
(A, B, -1) those that they order the same way. Their laws are keys, FDs `X -> A` and ODs `X: A asc ~ B asc`
(`desc` for -1).
"""

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.words import put

Targets = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

DENIAL = (-2, -2, 0)  # stands for the target of a denial constraint, which has none


def duplicates() -> Targets:
    """The one target of keys."""
    return np.array([[-1, -1, 0]], np.int64)


def splits(columns: int) -> Targets:
    """The targets of FDs: one for each column on the right."""
    return np.array([[column, -1, 0] for column in range(columns)], np.int64).reshape(-1, 3)


def swaps(columns: Flags) -> Targets:
    """The targets of ODs: both directions of each pair of the given columns."""
    chosen = np.flatnonzero(columns)
    pairs = [(a, b, d) for i, a in enumerate(chosen) for b in chosen[i + 1 :] for d in (1, -1)]
    return np.array(pairs, np.int64).reshape(-1, 3)


def own_columns(targets: Targets) -> npt.NDArray[np.int64]:
    """How many columns a law has beside its context: 0 for a key, 1 for an FD, 2 for an OD."""
    sides: npt.NDArray[np.int64] = (targets[:, :2] >= 0).sum(axis=1)
    return sides


@kernel
def free_atoms(columns, target):
    """The atoms that a target's laws may use: every column but its own."""
    atoms = np.zeros(max((columns + 63) // 64, 1), np.uint64)
    for column in range(columns):
        if column != target[0] and column != target[1]:
            put(atoms, column)
    return atoms
