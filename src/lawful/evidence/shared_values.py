"""Pairs of rows that share a value too rare to have a code: found by lists of the rows of each such value."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.line_counts import count_block
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import MIX, bit, new_index

Rows = npt.NDArray[np.int32]

PARTNER_BLOCK = 256  # partners that are counted at a time
SPARSE = 8  # slots of an index of values for each value: most of those that are looked up are not there
LOW_BITS = np.uint64(0x7F7F7F7F7F7F7F7F)
LAST_OF_BYTES = np.uint64(0x0101010101010101)
GATHER = np.uint64(0x0102040810204080)
NO_LIST = np.int32(-1)


class Lists(NamedTuple):
    """The rows of each rare value of some column that a row of the batch has, those of the batch first."""

    list_of: Rows  # [row of the batch, place of the column]: its list, -1 for none
    starts: Ints
    rows: Rows


@kernel
def place_of_value(slots, values, value):
    """The slot of a value in an index of values: slots hold their numbers, counted from 1, and 0 if empty."""
    mask = slots.shape[0] - 1
    slot = np.int64((np.uint64(value) * MIX) >> np.uint64(32)) & mask
    while slots[slot] != 0 and values[slots[slot] - 1] != value:
        slot = (slot + 1) & mask
    return slot


@kernel
def number_values(column, batch, asking, list_of):
    """Number the values that some rows of the batch ask for; returns an index of these."""
    slots, values, count = new_index(SPARSE * batch.shape[0]), np.empty(batch.shape[0], np.int32), 0
    for k in range(batch.shape[0]):
        list_of[k] = NO_LIST
        if asking[k]:
            slot = place_of_value(slots, values, column[batch[k]])
            if slots[slot] == 0:
                values[count] = column[batch[k]]
                count += 1
                slots[slot] = count
            list_of[k] = slots[slot] - 1
    return slots, values[:count]


@kernel
def rows_of_values(column, others, slots, values):
    """The other rows with one of the values of an index, and which value it is."""
    rows, numbers, count = np.empty(others.shape[0], np.int32), np.empty(others.shape[0], np.int32), 0
    for k in range(others.shape[0]):
        number = slots[place_of_value(slots, values, column[others[k]])]
        if number != 0:
            rows[count], numbers[count] = others[k], number - 1
            count += 1
    return rows[:count], numbers[:count]


@kernel
def lists_of_column(column, batch, asking, others):
    """The list of each row of the batch that asks for its value, where the lists start, and their rows."""
    list_of = np.empty(batch.shape[0], np.int32)
    slots, values = number_values(column, batch, asking, list_of)
    found, numbers = rows_of_values(column, others, slots, values)
    starts = np.zeros(values.shape[0] + 2, np.int64)  # moved by two: filling moves each back by one
    for k in range(list_of.shape[0]):
        starts[list_of[k] + 2] += list_of[k] >= 0
    for k in range(numbers.shape[0]):
        starts[numbers[k] + 2] += 1
    for k in range(1, starts.shape[0]):
        starts[k] += starts[k - 1]
    rows = np.empty(starts[-1], np.int32)
    for k in range(list_of.shape[0]):
        if list_of[k] >= 0:
            rows[starts[list_of[k] + 1]] = batch[k]
            starts[list_of[k] + 1] += 1
    for k in range(numbers.shape[0]):
        rows[starts[numbers[k] + 1]] = found[k]
        starts[numbers[k] + 1] += 1
    return list_of, starts[:-1], rows


@kernel
def write_agreeing_codes(codes, first, second, joined, j):
    """Write, as line j of a block, where two combinations have the same code; eight codes are a word."""
    for w in range(joined.shape[0]):
        joined[w, j] = np.uint64(0)
    for q in range(codes.shape[1]):
        code, unlike = codes[first, q], codes[first, q] ^ codes[second, q]
        coded = (((code & LOW_BITS) + LOW_BITS) | code) >> np.uint64(7)
        same = ~(((unlike & LOW_BITS) + LOW_BITS) | unlike) >> np.uint64(7)
        members = ((same & coded & LAST_OF_BYTES) * GATHER) >> np.uint64(56)
        joined[q >> 3, j] |= members << np.uint64(8 * (q & 7))


@kernel
def is_unmarked(marks, row):
    """Whether a row has no mark."""
    marked = np.uint64(0)
    for w in range(marks.shape[1]):
        marked |= marks[row, w]
    return marked == 0


@kernel
def mark_partners(row, k, lists, marks, partners):
    """Mark where the partners of row k of the batch in its lists share a value with it; returns how many."""
    list_of, starts, rows = lists
    count = 0
    for place in range(list_of.shape[1]):
        if list_of[k, place] < 0:
            continue
        at = starts[list_of[k, place] + 1] - 1
        while rows[at] != row:
            if is_unmarked(marks, rows[at]):
                partners[count] = rows[at]
                count += 1
            marks[rows[at], place >> 6] |= bit(place)
            at -= 1
    return count


@kernel
def count_partners(known, own, partners, marks, codes, combinations, joined, ones):
    """Counts with the partners of a row, which leave the sets that their codes say; unmarks them."""
    for first in range(0, partners.shape[0], joined.shape[1]):
        some = partners[first : first + joined.shape[1]]
        for j in range(some.shape[0]):
            write_agreeing_codes(codes, own, combinations[some[j]], joined, j)
        known = count_block(known, joined, ones[: some.shape[0]], -1)
        for j in range(some.shape[0]):
            for w in range(joined.shape[0]):
                joined[w, j] |= marks[some[j], w]
                marks[some[j], w] = np.uint64(0)
        known = count_block(known, joined, ones[: some.shape[0]], 1)
    return known


@kernel
def count_lists(known, batch, chosen, lists, codes, combinations, halt):
    """Counts of agree-sets that know only codes with what rare values change.

    Counted are the pairs of the chosen rows of the batch with others, and with later rows of the batch.
    """
    words = known.slots.shape[1] - 1
    marks, joined = (
        np.zeros((combinations.shape[0], words), np.uint64),
        np.empty((words, PARTNER_BLOCK), np.uint64),
    )
    partners, ones = np.empty(combinations.shape[0], np.int32), np.ones(PARTNER_BLOCK, np.int64)
    for k in chosen:
        if halt[0] != 0:
            break
        count, own = mark_partners(batch[k], k, lists, marks, partners), combinations[batch[k]]
        known = count_partners(known, own, partners[:count], marks, codes, combinations, joined, ones)
    return known
