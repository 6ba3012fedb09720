"""Comparisons: what of a pair of rows (t, s) a denial constraint may look at.

The outcome of a comparison is `<`, `=`, `>`, or "different without order": a comparison without order knows
only `=` and that, and so does one with a NULL that equals nothing. An *atom* excludes an outcome: the atom
`3 * k` of comparison k excludes `<`, `3 * k + 1` excludes `=`, `3 * k + 2` excludes `>`, and the first and
the last exclude a difference without order as well. A comparison without order uses the first two only.

Columns that are compared with each other have ranks on one scale.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.words import words_for

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

ACROSS, IN_FIRST, IN_SECOND = 0, 1, 2  # t.left ? s.right, t.left ? t.right, s.left ? s.right
# The outcomes of a comparison, as bits of a mask. The first three bits of a comparison's atoms exclude these.
LESS, EQUAL, GREATER, UNORDERED = 1, 2, 4, 8
DIFFERENT = LESS | GREATER | UNORDERED
UNEQUAL = LESS | GREATER  # what `=` excludes


def mirrored_outcomes(outcomes: Any) -> Any:
    """A mask of outcomes, or an array of such, after the two rows are exchanged."""
    return outcomes & (EQUAL | UNORDERED) | (outcomes & LESS) << 2 | (outcomes & GREATER) >> 2


class Comparisons(NamedTuple):
    """Some comparisons as flat arrays, so that kernels can take them."""

    kind: Ints  # which rows: one of the three above
    left: Ints  # the column on the left
    right: Ints  # the column on the right
    ordered: Flags  # whether there are three outcomes or two
    mirror: Ints  # the comparison that this one becomes when t and s are exchanged
    turned: Flags  # whether that turns its outcome: `<` becomes `>`


class Crossing(NamedTuple):
    """Two columns that are compared with each other."""

    left: int
    right: int
    ordered: bool


def comparisons_of(columns: list[int], ordered: Flags, crossings: list[Crossing]) -> Comparisons:
    """Each column with itself, and for each crossing a, b: t.a ? s.b, t.b ? s.a, t.a ? t.b, s.a ? s.b."""
    lines = [
        (ACROSS, column, column, bool(ordered[column]), number, True) for number, column in enumerate(columns)
    ]
    for left, right, with_order in crossings:
        first = len(lines)
        lines += [
            (ACROSS, left, right, with_order, first + 1, True),
            (ACROSS, right, left, with_order, first, True),
            (IN_FIRST, left, right, with_order, first + 3, False),
            (IN_SECOND, left, right, with_order, first + 2, False),
        ]
    table = np.array(lines, np.int64).reshape(-1, 6)
    kind, lefts, rights, three, mirror, turned = (line.copy() for line in table.T)
    return Comparisons(kind, lefts, rights, three.astype(np.bool_), mirror, turned.astype(np.bool_))


def atom_words(comparisons: Comparisons) -> int:
    """How many 64-bit words a set of atoms takes."""
    return words_for(3 * len(comparisons.kind))
