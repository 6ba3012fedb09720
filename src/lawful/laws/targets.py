"""Targets: which pairs of rows count against a law.

A target asks for outcomes of up to two comparisons and is four numbers: a comparison and a mask of outcomes,
then another one and its mask; -1 stands for no comparison. It counts a pair of rows if the pair, or its
mirror image, has one of these outcomes on both. A *duplicate* asks for nothing and counts every pair. A
*split* counts those that differ on A. A *swap* counts those with A less and B greater, or both less.
Their laws are keys, FDs `X -> A`, and ODs `X: A asc ~ B asc` and `X: A asc ~ B desc`. Denial constraints
have the target of keys.
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from lawful.laws.comparisons import DIFFERENT, GREATER, LESS

Targets = npt.NDArray[np.int64]

NO_COMPARISON = -1  # in place of a comparison
LEFT, LEFT_OUTCOMES, RIGHT, RIGHT_OUTCOMES = 0, 1, 2, 3  # where a target has what


DUPLICATE = (NO_COMPARISON, 0, NO_COMPARISON, 0)


def split(column: int) -> tuple[int, int, int, int]:
    """The target of FDs with this column on the right."""
    return (column, DIFFERENT, NO_COMPARISON, 0)


def swap(left: int, right: int, descending: bool) -> tuple[int, int, int, int]:
    """The target of ODs between two columns."""
    return (left, LESS, right, LESS if descending else GREATER)


def as_targets(lines: Iterable[tuple[int, int, int, int]]) -> Targets:
    """Targets as an array."""
    return np.array(list(lines), np.int64).reshape(-1, 4)


def splits(columns: Iterable[int]) -> Targets:
    """The targets of FDs: one for each column on the right."""
    return as_targets(map(split, columns))


def swaps(columns: npt.ArrayLike) -> Targets:
    """The targets of ODs: both directions of each pair of columns, of which there may be millions."""
    sides = np.asarray(columns, np.int64)
    left, right = (np.repeat(sides[places], 2) for places in np.triu_indices(len(sides), 1))
    outcomes = np.tile([GREATER, LESS], len(left) // 2)
    return np.column_stack([left, np.full_like(left, LESS), right, outcomes])


def own_columns(targets: Targets) -> npt.NDArray[np.int64]:
    """How many columns a law has beside its context: 0 for a key, 1 for an FD, 2 for an OD."""
    return (targets[:, LEFT] >= 0).astype(np.int64) + (targets[:, RIGHT] >= 0)
