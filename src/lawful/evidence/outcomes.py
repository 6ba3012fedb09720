"""Outcomes: how a pair of rows (t, s) compares on all of some comparisons, two bits for each.

The bits are `less` and `greater`: only `less`: t < s; only `greater`: t > s; none: equal; both: the values
differ and have no order (an unordered column, or a NULL that equals nothing: a negative rank). One more bit
behind the last comparison is always set, so that no pair has the line of an empty slot in a set of lines.

Where every comparison is of a column with itself (then outcomes are called *signs*), a pair and its mirror
image are one evidence: the line kept is the one with `less` at the first column in which the rows have an
order.
"""

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, IN_FIRST, IN_SECOND, LESS, UNEQUAL, Comparisons
from lawful.words import ONE, mixed

EMPTY = 1 << 10  # slots that a set starts with
LESS_BITS = np.uint64(0x5555555555555555)


def line_words(comparisons: Comparisons) -> int:
    """How many 64-bit words a line of outcomes takes."""
    return (2 * len(comparisons.kind)) // 64 + 1


outcome_words = kernel(line_words)  # the same for kernels


@kernel
def outcome(x, y, ordered):
    """The two bits of one comparison of ranks."""
    if (x | y) < 0 or (x != y and not ordered):
        return np.uint64(3)
    return np.uint64(x < y) | (np.uint64(x > y) << ONE)


@kernel
def excludes(atoms, x, y):
    """Whether atoms of one comparison exclude the outcome of two ranks."""
    if (x | y) < 0:
        return atoms & UNEQUAL != 0
    if x == y:
        return atoms & EQUAL != 0
    return atoms & (LESS if x < y else GREATER) != 0


@kernel
def write_outcomes(ranks, comparisons, t, s, line):
    """Write the outcomes of one pair of rows."""
    for w in range(line.shape[0]):
        line[w] = np.uint64(0)
    count = comparisons.kind.shape[0]
    for k in range(count):
        first = s if comparisons.kind[k] == IN_SECOND else t
        second = t if comparisons.kind[k] == IN_FIRST else s
        x, y = ranks[comparisons.left[k], first], ranks[comparisons.right[k], second]
        line[k >> 5] |= outcome(x, y, comparisons.ordered[k]) << np.uint64(2 * (k & 31))
    line[count >> 5] |= ONE << np.uint64(2 * (count & 31))


@kernel
def first_slot(slots, line):
    """Where a line stands in a set of lines if no other one does."""
    hashed = np.uint64(0)
    for w in range(line.shape[0]):
        hashed = mixed(hashed, line[w])
    return np.int64(hashed) & (slots.shape[0] - 1)


@kernel
def slot_of(slots, line):
    """Where a line stands in a set of lines, or the empty slot where it would."""
    mask, slot = slots.shape[0] - 1, first_slot(slots, line)
    marked = line.shape[0] - 1
    while slots[slot, marked] != 0:
        same = True
        for w in range(line.shape[0]):
            same &= slots[slot, w] == line[w]
        if same:
            break
        slot = (slot + 1) & mask
    return slot


@kernel
def insert(slots, line):
    """Add a line to a set with room for it; whether it is new."""
    slot = slot_of(slots, line)
    if slots[slot, line.shape[0] - 1] != 0:
        return False
    for w in range(line.shape[0]):
        slots[slot, w] = line[w]
    return True


@kernel
def roomy(slots, count, more):
    """The set itself if it stays at most a quarter full with so many more lines, else a larger copy."""
    size = slots.shape[0]
    while 4 * (count + more) > size:
        size *= 2
    if size == slots.shape[0]:
        return slots
    larger = np.zeros((size, slots.shape[1]), np.uint64)
    for slot in range(slots.shape[0]):
        if slots[slot, slots.shape[1] - 1] != 0:
            insert(larger, slots[slot])
    return larger


@kernel
def lines_of(slots, count):
    """The lines of a set, of which there are so many."""
    lines, place = np.empty((count, slots.shape[1]), np.uint64), 0
    for slot in range(slots.shape[0]):
        if slots[slot, slots.shape[1] - 1] != 0:
            copy_items(slots[slot], lines[place])
            place += 1
    return lines


@kernel
def mirrored_word(word):
    """The outcomes of a column with itself after t and s are exchanged."""
    return ((word & LESS_BITS) << ONE) | ((word >> ONE) & LESS_BITS)


@kernel
def make_mirrored(line, comparisons):
    """Make the line of a pair that of its mirror image."""
    for w in range(line.shape[0]):
        line[w] = mirrored_word(line[w])
    count = comparisons.kind.shape[0]
    line[count >> 5] ^= np.uint64(3) << np.uint64(2 * (count & 31))


@kernel
def turn(line, comparisons):
    """Of a pair and its mirror image choose the one that starts with less; whether it is the mirror image."""
    for w in range(line.shape[0]):
        strict = (line[w] ^ (line[w] >> ONE)) & LESS_BITS
        if strict:
            if line[w] & (strict & (~strict + ONE)):
                return False
            make_mirrored(line, comparisons)
            return True
    return False
