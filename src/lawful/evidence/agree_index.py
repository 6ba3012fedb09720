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
    digits: Words  # word by word, lowest digit first: those whose count has the digit
    starts: Ints  # where the digits of each word start
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
def transposed_index(lines, counts, starts, columns):
    """The index of agree-sets in the order given, with room for the digits of the counts of each word."""
    words, square = starts.shape[0] - 1, np.empty(64, np.uint64)
    holders, digits = np.empty((columns, words), np.uint64), np.empty(starts[-1], np.uint64)
    for w in range(words):
        for v in range(lines.shape[1]):
            load_square(lines, 64 * w, v, square)
            transpose(square)
            for column in range(64 * v, min(64 * v + 64, columns)):
                holders[column, w] = square[column & 63]
        load_counts(counts, 64 * w, square)
        transpose(square)
        for digit in range(starts[w + 1] - starts[w]):
            digits[starts[w] + digit] = square[digit]
    return AgreeIndex(holders, digits, starts, counts)


def agree_index(sets: Words, counts: Ints, columns: int) -> AgreeIndex:
    """The index of some agree-sets; those with counts of as many digits stand together."""
    lengths = np.frexp(counts)[1].astype(np.uint8)
    order = np.argsort(lengths, kind="stable")
    longest = np.maximum.reduceat(lengths[order], np.arange(0, len(order), 64)) if len(order) else lengths
    starts = np.concatenate([[0], np.cumsum(longest, dtype=np.int64)])
    index: AgreeIndex = transposed_index(sets[order], counts[order], starts, columns)
    return index


@kernel
def pairs_with(index, found):
    """How many pairs have one of the agree-sets that were found."""
    _, digits, starts, counts = index
    pairs = 0
    for w in range(found.shape[0]):
        rest, length = found[w], starts[w + 1] - starts[w]
        if bit_count(rest) <= length:
            while rest:
                pairs += counts[64 * w + lowest_bit(rest)]
                rest &= rest - ONE
        else:
            for digit in range(length):
                pairs += bit_count(rest & digits[starts[w] + digit]) << digit
    return pairs


@kernel
def keep_holders(holders, members, count, found):
    """Write which of so many agree-sets have all columns of a set."""
    for w in range(found.shape[0]):
        found[w] = ALL
    if count & 63:
        found[-1] = (ONE << np.uint64(count & 63)) - ONE
    for column in range(holders.shape[0]):
        if has(members, column):
            own = holders[column]
            for w in range(found.shape[0]):
                found[w] &= own[w]


@kernel
def count_agreeing(index, sets, targets):
    """For each set of columns the pairs that agree on it, and those of them that differ on its target.

    The target -1 asks for none.
    """
    holders, found = index.holders, np.empty(index.starts.shape[0] - 1, np.uint64)
    pairs = np.zeros((sets.shape[0], 2), np.int64)
    for k in range(sets.shape[0]):
        keep_holders(holders, sets[k], index.counts.shape[0], found)
        pairs[k, 0] = pairs_with(index, found)
        if targets[k] >= 0:
            other = holders[targets[k]]
            for w in range(found.shape[0]):
                found[w] &= ~other[w]
            pairs[k, 1] = pairs_with(index, found)
    return pairs
