"""Signs: how two rows compare on every column, as two bit masks.

For a pair of rows (t, s) the masks `less` and `greater` tell the outcome of each comparison: only `less`:
t < s; only `greater`: t > s; none: equal; both: the values differ and have no order (an unordered column, or
a NULL that equals nothing: a negative rank). A pair and its mirror image are one evidence: the form kept
is the one with `less` at the first column in which the rows have an order.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.words import ONE, lowest_bit


@kernel
def sign_words(ranks, ordered, t, s, less, greater):
    """Write the signs of one pair of rows into the words `less` and `greater`."""
    for word in range(less.shape[0]):
        lt, gt = np.uint64(0), np.uint64(0)
        for column in range(word * 64, min(ranks.shape[0], word * 64 + 64)):
            x, y = ranks[column, t], ranks[column, s]
            bit = ONE << np.uint64(column - word * 64)
            if x < 0 or y < 0 or (x != y and not ordered[column]):
                lt |= bit
                gt |= bit
            elif x < y:
                lt |= bit
            elif x > y:
                gt |= bit
        less[word], greater[word] = lt, gt
    turn(less, greater)


@kernel
def turn(less, greater):
    """Of a pair and its mirror image choose the one that starts with less."""
    for word in range(less.shape[0]):
        strict = less[word] ^ greater[word]
        if strict:
            if greater[word] & (strict & (~strict + ONE)):
                for w in range(word, less.shape[0]):
                    less[w], greater[w] = greater[w], less[w]
            return


@kernel
def signs_of_pairs(ranks, ordered, pairs):
    """The signs of each pair of rows: one line of words a pair, first those of `less`, then of `greater`."""
    words = (ranks.shape[0] + 63) // 64
    signs = np.empty((pairs.shape[0], 2 * words), np.uint64)
    for k in range(pairs.shape[0]):
        sign_words(ranks, ordered, pairs[k, 0], pairs[k, 1], signs[k, :words], signs[k, words:])
    return signs


@kernel
def columns_of_signs(signs, columns):
    """Turn lines of signs into columns: for each the set of lines with `less`, and with `greater`, there."""
    words = signs.shape[1] // 2
    turned = np.zeros((2, columns, (signs.shape[0] + 63) // 64), np.uint64)
    for k in range(signs.shape[0]):
        bit = ONE << np.uint64(k & 63)
        for w in range(2 * words):
            rest = signs[k, w]
            while rest:
                turned[w // words, (w % words) * 64 + lowest_bit(rest), k >> 6] |= bit
                rest &= rest - ONE
    return turned[0], turned[1]
