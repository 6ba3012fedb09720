"""Outcomes: how a pair of rows compares on all comparisons of denial constraints, two bits for each.

The bits are `less` and `greater` with the meaning that they have in `signs`. One more bit behind the last
comparison is always set, so that no pair has the line of an empty slot in a set of lines.
"""

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import IN_FIRST, IN_SECOND
from lawful.words import ONE, mixed

Pairs = npt.NDArray[np.int32]
EMPTY = 1 << 10  # slots that a set starts with


@kernel
def outcome_words(comparisons):
    """How many 64-bit words a line of outcomes takes."""
    return (2 * comparisons.kind.shape[0]) // 64 + 1


@kernel
def outcome(x, y, ordered):
    """The two bits of one comparison of ranks."""
    if (x | y) < 0 or (x != y and not ordered):
        return np.uint64(3)
    return np.uint64(x < y) | (np.uint64(x > y) << ONE)


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
def slot_of(slots, line):
    """Where a line stands in a set of lines, or the empty slot where it would."""
    hashed = np.uint64(0)
    for w in range(line.shape[0]):
        hashed = mixed(hashed, line[w])
    mask = slots.shape[0] - 1
    slot = np.int64(hashed) & mask
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
    """The lines of a set."""
    lines = np.empty((count, slots.shape[1]), np.uint64)
    place = 0
    for slot in range(slots.shape[0]):
        if slots[slot, slots.shape[1] - 1] != 0:
            for w in range(slots.shape[1]):
                lines[place, w] = slots[slot, w]
            place += 1
    return lines


@kernel
def insert_lines(slots, count, lines):
    """The set with further lines, and how many it has then."""
    for k in range(lines.shape[0]):
        slots = roomy(slots, count, 1)
        count += insert(slots, lines[k])
    return slots, count


@kernel
def insert_pairs(slots, count, ranks, comparisons, pairs):
    """The set with the outcomes of further pairs, and how many it has then."""
    line = np.empty(slots.shape[1], np.uint64)
    for k in range(pairs.shape[0]):
        slots = roomy(slots, count, 1)
        write_outcomes(ranks, comparisons, pairs[k, 0], pairs[k, 1], line)
        count += insert(slots, line)
    return slots, count
