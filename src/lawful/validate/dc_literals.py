"""The literals of one denial constraint, by what is done with them.

Literals on one row are *filters* of the rows that can be t or s (Hydra 6.3). Equality of a column with itself
makes the context, and that of two columns a *join*. What is left are *tests* of pairs: `<`, `<=`, `>`, `>=`
and `!=`. That t and s are different rows is one more test, `!=` of the row numbers, unless another test says
so.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, UNEQUAL, Ints
from lawful.words import has

ROW = np.int64(-1)  # stands for a column with the row's number
MISSING = np.int32(-(2**31))  # the place of a NULL that has no order

FILTERS, JOINS, TESTS = np.int64(0), np.int64(1), np.int64(2)
DIFFERENCE = np.int64(0)  # the direction of `!=`


class Literals(NamedTuple):
    """The literals of one DC; `sizes` tells how many lines of each table are used."""

    filters: Ints  # lines of kind, left column, right column, atoms
    joins: Ints  # lines of left column, right column
    tests: Ints  # lines of left column, right column, direction (1: <, -1: >, DIFFERENCE), 1 if strict
    sizes: Ints


@kernel
def new_literals(comparisons):
    """Room for the literals of any DC."""
    most = comparisons.kind.shape[0] + 1
    return Literals(
        np.empty((most, 4), np.int64),
        np.empty((most, 2), np.int64),
        np.empty((most, 4), np.int64),
        np.zeros(3, np.int64),
    )


@kernel
def atoms_on(members, comparison, ordered):
    """The atoms of one comparison in a set; without order, one that excludes a difference is equality."""
    atoms = 0
    for which in range(3):
        place = 3 * comparison + which
        if has(members, place):
            atoms |= 1 << which
    return atoms | UNEQUAL if atoms & UNEQUAL and not ordered else atoms


@kernel
def is_context(comparisons, comparison, atoms):
    """Whether the literal is that a column equals itself."""
    return (
        atoms == UNEQUAL
        and comparisons.kind[comparison] == ACROSS
        and comparisons.left[comparison] == comparisons.right[comparison]
    )


@kernel
def add_line(lines, sizes, which, line):
    """Add a literal to its table."""
    for k in range(len(line)):
        lines[sizes[which], k] = line[k]
    sizes[which] += 1


@kernel
def idleness(test, information):
    """Sorts tests: first those that a column with few values can refute for all pairs of a class at once."""
    if test[0] == ROW:
        return np.inf
    return information[test[0]] + (0.0 if test[2] == DIFFERENCE or test[3] == 1 else 1e6)


@kernel
def sort_tests(literals, information):
    """Bring the tests that exclude most to the front."""
    tests = literals.tests
    for last in range(1, literals.sizes[TESTS]):
        at = last
        while at > 0 and idleness(tests[at], information) < idleness(tests[at - 1], information):
            for k in range(4):
                tests[at, k], tests[at - 1, k] = tests[at - 1, k], tests[at, k]
            at -= 1


@kernel
def read_literals(members, comparisons, information, literals):
    """Write the literals of a set of atoms, its context left out; False if no pair can satisfy them."""
    filters, joins, tests, sizes = literals
    for k in range(3):
        sizes[k] = 0
    apart = False  # whether some test says that t and s are different rows
    for k in range(comparisons.kind.shape[0]):
        atoms = atoms_on(members, k, comparisons.ordered[k])
        left, right = comparisons.left[k], comparisons.right[k]
        if atoms == UNEQUAL | EQUAL:
            return False
        if atoms == 0 or is_context(comparisons, k, atoms):
            continue
        if comparisons.kind[k] != ACROSS:
            add_line(filters, sizes, FILTERS, (comparisons.kind[k], left, right, atoms))
        elif atoms == UNEQUAL:
            add_line(joins, sizes, JOINS, (left, right))
        elif atoms == EQUAL:
            add_line(tests, sizes, TESTS, (left, right, DIFFERENCE, np.int64(0)))
            apart |= left == right
        else:
            strict = atoms >> 1 & 1
            add_line(tests, sizes, TESTS, (left, right, 1 if atoms & GREATER else -1, strict))
            apart |= left == right and strict == 1
    if not apart:
        add_line(tests, sizes, TESTS, (ROW, ROW, DIFFERENCE, np.int64(0)))
    sort_tests(literals, information)
    return True


@kernel
def place(ranks, column, row, direction):
    """The value of a row in a test.

    Tests compare places: `place(t) + strict <= place(s)` is an order literal, `place(t) != place(s)` is `!=`.
    There a NULL that equals nothing has a place of its own, so it differs from all other rows.
    """
    if column == ROW:
        return np.int32(row)
    rank = ranks[column, row]
    if direction == DIFFERENCE:
        return np.int32(rank if rank >= 0 else -1 - row)
    return np.int32(direction * rank if rank >= 0 else MISSING)


@kernel
def satisfies(ranks, literals, t, s):
    """Whether a pair of rows passes all tests."""
    for k in range(literals.sizes[TESTS]):
        test = literals.tests[k]
        direction, strict = test[2], test[3]
        x, y = place(ranks, test[0], t, direction), place(ranks, test[1], s, direction)
        if direction == DIFFERENCE:
            if x == y:
                return False
        elif x == MISSING or y == MISSING or x + strict > y:
            return False
    return True
