"""How many pairs agree on some columns, from counts of agree-sets: a bit-sliced index.

It has for each column the bit set of the agree-sets with it, and for each binary digit that of the
agree-sets in whose count it is 1.
"""

from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import ONE, Words, bit_count, has, lowest_bit, transposed

ALL = ~np.uint64(0)


class AgreeIndex(NamedTuple):
    """Agree-sets by columns and by digits of their counts."""

    holders: Words  # [column, word]: the agree-sets with the column
    digits: Words  # word by word, lowest digit first: those whose count has the digit
    starts: Ints  # where the digits of each word start
    counts: Ints


def agree_index(sets: Words, counts: Ints, columns: int) -> AgreeIndex:
    """The index of some agree-sets; those with counts of as many digits stand together."""
    lengths = np.frexp(counts)[1].astype(np.int64)
    order = np.argsort(lengths, kind="stable")
    sets, counts = sets[order], counts[order]
    longest = np.maximum.reduceat(lengths[order], np.arange(0, len(order), 64)) if len(order) else lengths
    digits = transposed(counts.view(np.uint64)[:, None], len(counts)).T[np.arange(64) < longest[:, None]]
    starts = np.concatenate([[0], np.cumsum(longest)])
    return AgreeIndex(transposed(sets, len(sets))[:columns], digits, starts, counts)


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
