"""Agree-sets of rows that are given by codes, counted by tiles.

A code is a byte: equal codes are equal values, and 0 agrees with nothing. A row meets a block of others at
a time; eight columns share a byte, so that the innermost loop becomes a few vector instructions. The sets of
few columns are counted in a table of all of them.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.line_counts import count_block
from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.words import Words, bit

Codes = npt.NDArray[np.uint8]

AGREE_BLOCK = 2048  # rows that meet another at a time
NO_CODE = np.uint8(255)  # in place of 0 on one side, so that it equals nothing


class AgreeTile(NamedTuple):
    """Space for what a row and a block of others have in common."""

    lanes: Codes  # [byte of the set, row]; three at least
    joined: Words  # [word, row]: the same in words
    table: Ints  # a counter for each set; for none where they are too many


@kernel
def new_agree_tile(planes, words, sets):
    """Space for rows of so many planes, and sets of so many words, with counters for so many sets."""
    lanes = np.zeros((max(planes // 8, 3), AGREE_BLOCK), np.uint8)
    return AgreeTile(lanes, np.empty((words, AGREE_BLOCK), np.uint64), np.zeros(sets, np.int64))


@kernel
def compare_eight(planes, codes, lane):
    """Write on which of eight columns a row, given by its codes, agrees with each of a block of rows."""
    p0, p1, p2, p3 = planes[0], planes[1], planes[2], planes[3]
    p4, p5, p6, p7 = planes[4], planes[5], planes[6], planes[7]
    c0, c1, c2, c3, c4, c5, c6, c7 = (
        codes[0],
        codes[1],
        codes[2],
        codes[3],
        codes[4],
        codes[5],
        codes[6],
        codes[7],
    )
    for j in range(lane.shape[0]):
        low = (p0[j] == c0) | (p1[j] == c1) << 1 | (p2[j] == c2) << 2 | (p3[j] == c3) << 3
        high = (p4[j] == c4) << 4 | (p5[j] == c5) << 5 | (p6[j] == c6) << 6 | (p7[j] == c7) << 7
        lane[j] = np.uint8(low | high)


@kernel
def count_directly(lanes, weights, weight, table):
    """Count the sets of a block where each set of up to 24 columns has a counter."""
    low, middle, high = lanes[0], lanes[1], lanes[2]
    for j in range(weights.shape[0]):
        members = np.int64(low[j]) | np.int64(middle[j]) << 8 | np.int64(high[j]) << 16
        table[members] += weight * weights[j]


@kernel
def join_bytes(lanes, size, joined):
    """Write the words of each of `size` sets, given byte by byte."""
    for w in range(joined.shape[0]):
        word = joined[w][:size]
        for j in range(size):
            word[j] = np.uint64(0)
        for q in range(min(8, lanes.shape[0] - 8 * w)):
            lane, shift = lanes[8 * w + q], np.uint64(8 * q)
            for j in range(size):
                word[j] |= np.uint64(lane[j]) << shift


@kernel
def count_stretch(known, planes, codes, stretch, weights, weight, tile):
    """Count a row, given by its codes, with a stretch of rows, `weight` times their weights."""
    lanes, joined, table = tile
    for start in range(stretch[0], stretch[1], AGREE_BLOCK):
        end = min(start + AGREE_BLOCK, stretch[1])
        for q in range(planes.shape[0] // 8):
            eight = planes[8 * q : 8 * q + 8, start:end]
            compare_eight(eight, codes[8 * q : 8 * q + 8], lanes[q, : end - start])
        if table.shape[0] > 0:
            count_directly(lanes, weights[start:end], weight, table)
        else:
            join_bytes(lanes, end - start, joined)
            known = count_block(known, joined, weights[start:end], weight)
    return known


@kernel
def take_codes(planes, row, codes, joined):
    """Write the codes of a row as they meet others, and where it agrees with itself as the first line."""
    for w in range(joined.shape[0]):
        joined[w, 0] = np.uint64(0)
    for p in range(codes.shape[0]):
        codes[p] = planes[p, row]
        if codes[p] == 0:
            codes[p] = NO_CODE
        else:
            joined[p >> 6, 0] |= bit(p)


@kernel
def count_table(known, table, words):
    """Counts with those of the counters of all sets."""
    members = np.flatnonzero(table)
    joined = np.zeros((words, members.shape[0]), np.uint64)
    for k in range(members.shape[0]):
        joined[0, k] = np.uint64(members[k])
    return count_block(known, joined, table[members], 1)


@kernel
def count_codes(known, planes, batch, others, chosen, sets, halt):
    """Counts with the agree-sets of pairs with a row of a batch, by their codes.

    Equal rows are one with two weights: how often it is in the batch and among the others. Counted are the
    pairs of the chosen rows of the batch with others, and with later rows of the batch. Where `sets` is not
    0, it is the number of possible sets, and each gets a counter.
    """
    size, both, alone, words = planes.shape[1], batch + others, not others.any(), known.slots.shape[1] - 1
    tile, codes = new_agree_tile(planes.shape[0], words, sets), np.empty(planes.shape[0], np.uint8)
    once = np.ones(1, np.int64)
    for row in chosen:
        if halt[0] != 0:
            break
        weight = batch[row]
        take_codes(planes, row, codes, tile.joined)
        known = count_block(known, tile.joined, once, weight * others[row] + weight * (weight - 1) // 2)
        if not alone:
            known = count_stretch(known, planes, codes, (0, row), others, weight, tile)
        known = count_stretch(known, planes, codes, (row + 1, size), both, weight, tile)
    return count_table(known, tile.table, words)
