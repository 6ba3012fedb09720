"""How many pairs agree on some columns, from counts of agree-sets: a bit-sliced index.

It has for each column the bit set of the agree-sets with it, and for each binary digit that of the
agree-sets in whose count it is 1. Both are transposed matrices of bits, made 64 times 64 bits at a time.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import ONE, Words, bit_count, has, lowest_bit

ALL = ~np.uint64(0)


class AgreeIndex(NamedTuple):
    """Agree-sets by columns and by digits of their counts."""

    holders: Words  # [column, word]: the agree-sets with the column
    digits: Words  # [word, digit]: those whose count has the digit
    lengths: Ints  # [word]: how many digits its largest count has
    counts: Ints


@kernel
def transpose(square):
    """Exchange rows and columns of 64 times 64 bits."""
    width, low = 32, np.uint64(0xFFFFFFFF)
    while width > 0:
        shift, k = np.uint64(width), 0
        while k < 64:
            moved = ((square[k] >> shift) ^ square[k + width]) & low
            square[k] ^= moved << shift
            square[k + width] ^= moved
            k = (k + width + 1) & ~width
        width >>= 1
        low ^= low << np.uint64(width)


@kernel
def load_square(lines, first, word, square):
    """Write one word of 64 lines, those after the last as 0."""
    for k in range(64):
        square[k] = lines[first + k, word] if first + k < lines.shape[0] else np.uint64(0)


@kernel
def load_counts(counts, first, square):
    """Write 64 counts, those after the last as 0."""
    for k in range(64):
        square[k] = np.uint64(counts[first + k]) if first + k < counts.shape[0] else np.uint64(0)


@kernel
def transposed_index(lines, counts, columns):
    """The index of agree-sets in the order given."""
    words, square = (lines.shape[0] + 63) // 64, np.empty(64, np.uint64)
    holders, digits = np.empty((columns, words), np.uint64), np.empty((words, 64), np.uint64)
    lengths = np.zeros(words, np.int64)
    for w in range(words):
        for v in range(lines.shape[1]):
            load_square(lines, 64 * w, v, square)
            transpose(square)
            for column in range(64 * v, min(64 * v + 64, columns)):
                holders[column, w] = square[column & 63]
        load_counts(counts, 64 * w, square)
        transpose(square)
        for digit in range(64):
            digits[w, digit] = square[digit]
            if square[digit]:
                lengths[w] = digit + 1
    return AgreeIndex(holders, digits, lengths, counts)


def agree_index(sets: Words, counts: Ints, columns: int) -> AgreeIndex:
    """The index of some agree-sets; those with counts of as many digits stand together."""
    order = np.argsort(np.frexp(counts)[1].astype(np.uint8), kind="stable")
    index: AgreeIndex = transposed_index(sets[order], counts[order], columns)
    return index


@kernel
def pairs_in(counts, digits, lengths, w, found):
    """How many pairs have one of the agree-sets that were found among those of word w."""
    pairs = 0
    if bit_count(found) <= lengths[w]:
        while found:
            pairs += counts[64 * w + lowest_bit(found)]
            found &= found - ONE
    else:
        for digit in range(lengths[w]):
            pairs += bit_count(found & digits[w, digit]) << digit
    return pairs


@kernel
def write_members(members, columns):
    """Write the columns of a set; returns how many."""
    count = 0
    for column in range(columns.shape[0]):
        if has(members, column):
            columns[count] = column
            count += 1
    return count


@kernel
def count_agreeing(index, sets, targets):
    """For each set of columns the pairs that agree on it, and those of them that differ on its target.

    The target -1 asks for none.
    """
    holders, digits, lengths, counts = index
    pairs, columns = np.zeros((sets.shape[0], 2), np.int64), np.empty(holders.shape[0], np.int64)
    for k in range(sets.shape[0]):
        size = write_members(sets[k], columns)
        for w in range(digits.shape[0]):
            found = ALL
            for place in range(size):
                found &= holders[columns[place], w]
            if found:
                pairs[k, 0] += pairs_in(counts, digits, lengths, w, found)
                if targets[k] >= 0:
                    found &= ~holders[targets[k], w]
                    pairs[k, 1] += pairs_in(counts, digits, lengths, w, found)
    return pairs
