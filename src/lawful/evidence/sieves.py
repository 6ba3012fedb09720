"""Sieves: which rows are worth comparing with a new one in all columns.

A pair of rows breaks a law only if it passes every literal of it. So pairs that do not even pass a few of its
literals are left out at once: a *mesh* is a set of literals, and a pair goes through a sieve if it passes all
literals of some mesh. A row t meets a block of rows s at a time, and a literal is a byte for each of them.
"""

from typing import NamedTuple

import numpy as np

from lawful.evidence.tiles import BLOCK
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Ints


class Sieve(NamedTuple):
    """Meshes whose literals are of a column with itself; a literal has the outcomes that it excludes."""

    columns: Ints  # [literal]
    excluded: Ints  # [literal]: a mask of LESS, EQUAL and GREATER
    lone: int  # so many literals, the first ones, are meshes by themselves
    first: Ints  # [other mesh], and one behind the last: where its literals begin in `members`
    members: Ints


class Sieves(NamedTuple):
    """What old rows go through to new ones that have a twin, an old row like them in some columns.

    New rows without one, and pairs of new rows, have a sieve of their own.
    """

    repeating: Ints  # these columns; none if twins are not asked for
    of_twins: Sieve
    of_others: Sieve
    seconds: float  # for a pair, about


@kernel
def add_passing(column, excluded, t, block, mask):
    """Mark the rows s of a block for which (t, s) passes a literal; NULL, which is negative, only differs."""
    x, ys = column[t], column[block[0] : block[1]]
    if x < 0:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(excluded == EQUAL)
    elif excluded == LESS | GREATER:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x == ys[j])
    elif excluded == EQUAL:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x != ys[j])
    elif excluded == EQUAL | GREATER:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x < ys[j])
    elif excluded == GREATER:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x <= ys[j])
    elif excluded == LESS | EQUAL:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x > ys[j]) & np.uint8(ys[j] >= 0)
    else:
        for j in range(ys.shape[0]):
            mask[j] |= np.uint8(x >= ys[j]) & np.uint8(ys[j] >= 0)


@kernel
def add_mesh(masks, members, size, through, whole):
    """Mark the rows that pass all literals of a mesh; `whole` is a place for the literals together."""
    first, second = masks[members[0]], masks[members[1]]
    for j in range(size):
        whole[j] = first[j] & second[j]
    for k in range(2, members.shape[0]):
        other = masks[members[k]]
        for j in range(size):
            whole[j] &= other[j]
    for j in range(size):
        through[j] |= whole[j]


@kernel
def add_rows_through(ranks, sieve, t, block, alive, masks, pairs, count):
    """Write the pairs of t and rows of a block that go through a sieve behind others; how many there are.

    `masks` has a line of BLOCK bytes for each literal, and two more.
    """
    size, literals = block[1] - block[0], sieve.columns.shape[0]
    through, whole = masks[literals], masks[literals + 1]
    for j in range(BLOCK):
        through[j] = 0
    for k in range(literals):
        mask = through
        if k >= sieve.lone:
            mask = masks[k]
            for j in range(size):
                mask[j] = 0
        add_passing(ranks[sieve.columns[k]], sieve.excluded[k], t, block, mask)
    for mesh in range(sieve.first.shape[0] - 1):
        add_mesh(masks, sieve.members[sieve.first[mesh] : sieve.first[mesh + 1]], size, through, whole)
    eights = through.view(np.uint64)
    for word in range((size + 7) // 8):
        if eights[word]:
            for j in range(8 * word, min(8 * word + 8, size)):
                pairs[count, 0], pairs[count, 1] = t, block[0] + j
                count += through[j] and alive[block[0] + j]
    return count


@kernel
def has_twin_in(ranks, columns, t, block, alive, mask):
    """Whether a row of a block has the values of t in some columns."""
    size = block[1] - block[0]
    for j in range(size):
        mask[j] = np.uint8(alive[block[0] + j])
    for column in columns:
        x, ys, some = ranks[column, t], ranks[column, block[0] : block[1]], np.uint8(0)
        for j in range(size):
            mask[j] &= np.uint8(x == ys[j])
            some |= mask[j]
        if not some:
            return False
    return True


@kernel
def have_twins(ranks, columns, alive, rows, end):
    """Which rows have all values in some columns, and a row before `end` that has the same there.

    The last ones are looked at first: they are likely to be alike.
    """
    found, mask = np.zeros(rows.shape[0], np.bool_), np.empty(BLOCK, np.uint8)
    for i in range(rows.shape[0]):
        known = True
        for column in columns:
            known &= ranks[column, rows[i]] >= 0
        last = end if known else 0
        while last > 0 and not found[i]:
            start = max(last - BLOCK, 0)
            found[i] = has_twin_in(ranks, columns, rows[i], (start, last), alive, mask)
            last = start
    return found
