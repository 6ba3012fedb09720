"""What the pairs of rows look like that satisfy some literals: as a graph, between which rows they are.

If a column is shuffled, the pairs that break its law without it must not satisfy its literal. How surely one
does is told by more than disjoint pairs: rows that pairs connect must all be alike for `!=`, chains must be
sorted for an order, and each cell has a bound of its own where it is compared with another column.
"""

import math
from typing import NamedTuple

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, IN_FIRST, Ints
from lawful.validate.dc_matching import are_twins, satisfied, ways_of
from lawful.validate.drawn_shares import share_beside
from lawful.validate.pair_blocks import BACK, FORTH, PARTNERS_A_BLOCK, may_meet, partner_blocks, ways_to_meet

COMPARED_ROWS = 256  # rows of a class that are all compared with each other
TINY = 1e-300  # of a chance


@kernel
def connected(ranks, literals, rows, ends, halt):
    """The rows that pairs of a class connect, as classes of their own; rows of no pair are left out.

    Twins follow each other: what one of them has no pair with, the next has not either.
    """
    found, found_ends = np.empty(rows.shape[0], np.int32), np.empty(rows.shape[0] // 2 + 1, np.int32)
    size, count, start = 0, 0, 0
    for k in range(ends.shape[0]):
        some, left = rows[start : ends[k]].copy(), ends[k] - start
        start = ends[k]
        while left > 1 and halt[0] == 0:
            left -= 1
            first, at, found[size] = size, size, some[left]
            size += 1
            while at < size and left > 0:
                if at == first or not are_twins(ranks, literals, found[at - 1], found[at]):
                    kept = 0
                    for i in range(left):
                        if ways_of(ranks, literals, found[at], some[i]):
                            found[size] = some[i]
                            size += 1
                        else:
                            some[kept] = some[i]
                            kept += 1
                    left = kept
                at += 1
            if size == first + 1:
                size = first
                while left > 0 and are_twins(ranks, literals, found[first], some[left - 1]):
                    left -= 1
            else:
                found_ends[count] = size
                count += 1
    return found[:size], found_ends[:count]


class BlockChains(NamedTuple):
    """Disjoint chains: blocks of rows, each of which satisfies literals with all later ones of its chain.

    Neighbours in a block satisfy them both ways.
    """

    blocks: Ints  # their sizes, chain by chain
    ends: Ints  # where each chain ends among these


@kernel
def goes_on(ranks, literals, before, last, row, all_of_them):
    """Whether a row goes on with a chain, given by its last row and the one before each."""
    fits = satisfied(ranks, literals, last, row)
    while fits and all_of_them and before[last] >= 0:
        last = before[last]
        fits = satisfied(ranks, literals, last, row)
    return fits


@kernel
def chains_of(ranks, literals, rows, ends, transitive, halt):
    """Chains of at least two rows. If literals are transitive, only the last row of a chain is looked at.

    A row goes on with the chain that was the last to grow, so that it leaves room for others; not with those
    that its twin just before it could not go on with.
    """
    total, found, count, start = rows.shape[0], 0, 0, 0
    blocks, chain_ends = np.empty(total, np.int64), np.empty(total // 2 + 1, np.int64)
    tails, before = np.empty(total, np.int64), np.empty(ranks.shape[1], np.int64)
    for k in range(ends.shape[0]):
        chains, chain = 0, -1
        for i in range(start, ends[k] if halt[0] == 0 else start):
            row, tried = rows[i], chain
            chain = chains - 1
            if i > start and are_twins(ranks, literals, rows[i - 1], row):
                joins = goes_on(ranks, literals, before, rows[i - 1], row, not transitive)
                chain = chain if joins else tried - 1
            while chain >= 0 and not goes_on(ranks, literals, before, tails[chain], row, not transitive):
                chain -= 1
            before[row] = tails[chain] if chain >= 0 else -1
            chains += chain < 0
            for later in range(chain if chain >= 0 else chains, chains - 1):
                tails[later] = tails[later + 1]
            tails[chains - 1] = row
        for chain in range(chains):
            if before[tails[chain]] >= 0:
                found = add_blocks(ranks, literals, before, tails[chain], blocks, found)
                chain_ends[count] = found
                count += 1
        start = ends[k]
    return BlockChains(blocks[:found], chain_ends[:count])


@kernel
def add_blocks(ranks, literals, before, last, blocks, found):
    """Write the blocks of a chain; returns how many there are now."""
    first, row = found, last
    blocks[found] = 1
    while before[row] >= 0:
        if satisfied(ranks, literals, row, before[row]):
            blocks[found] += 1
        else:
            found += 1
            blocks[found] = 1
        row = before[row]
    for k in range((found + 1 - first) // 2):
        blocks[first + k], blocks[found - k] = blocks[found - k], blocks[first + k]
    return found + 1


@kernel
def bits_of_blocks(shares, blocks):
    """How surely blocks of drawn values are not, each, equal and, one after the other, sorted.

    The values come in order with their shares, and are put back.
    """
    sums, most, bits = np.ones(shares.shape[0]), 0.0, 0.0
    for share in shares:
        most = max(most, share)
    for block in blocks:
        total = 0.0
        for v in range(shares.shape[0]):
            total += sums[v] * (shares[v] if block == 1 else shares[v] ** block)
            sums[v] = total
        if total > TINY:
            bits -= math.log2(total)
        else:  # too little for floats: forget the order
            bits -= (block - 1) * math.log2(most)
        for v in range(shares.shape[0]):
            sums[v] = sums[v] / total if total > TINY else 1.0
    return bits


@kernel
def fill_pairs(ranks, literals, rows, pairs):
    """Write which rows satisfy literals with which others, in one order or the other; twins do alike."""
    for i in range(rows.shape[0]):
        known = i - 1 if i > 0 and are_twins(ranks, literals, rows[i - 1], rows[i]) else 0
        pairs[i, i] = False
        for j in range(i):
            pairs[i, j] = pairs[i - 1, j] if j < known else ways_of(ranks, literals, rows[i], rows[j]) != 0
            pairs[j, i] = pairs[i, j]


@kernel
def sets_apart(pairs):
    """For each row the number of a set; no pair is within one. Sets are numbered from the largest on."""
    count = pairs.shape[0]
    sets, sizes = np.empty(count, np.int64), np.zeros(count, np.int64)
    for i in range(count):
        taken = np.zeros(count, np.bool_)
        for j in range(i):
            taken[sets[j]] |= pairs[i, j]
        sets[i] = 0
        while taken[sets[i]]:
            sets[i] += 1
        sizes[sets[i]] += 1
    order, numbers = np.argsort(-sizes), np.empty(count, np.int64)
    for place in range(count):
        numbers[order[place]] = place
    for i in range(count):
        sets[i] = numbers[sets[i]]
    return sets


@kernel
def conflicts_of(ranks, literals, rows, ends, halt):
    """Rows that must each be told from others: lines of how many others, and how many like it came before.

    Also the number of rows of classes with such rows.
    """
    found, count, involved, start = np.empty((rows.shape[0], 2), np.int64), 0, 0, 0
    room = np.empty((COMPARED_ROWS, COMPARED_ROWS), np.bool_)
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start, first = ends[k], count
        if some.shape[0] < 2 or some.shape[0] > COMPARED_ROWS or halt[0] != 0:
            continue
        pairs = room[: some.shape[0], : some.shape[0]]
        fill_pairs(ranks, literals, some, pairs)
        sets, before = sets_apart(pairs), np.zeros(some.shape[0], np.int64)
        for i in range(some.shape[0]):
            conflicts = 0
            for j in range(some.shape[0]):
                conflicts += pairs[i, j] and sets[j] < sets[i]
            if conflicts:
                found[count, 0], found[count, 1] = conflicts, before[sets[i]]
                before[sets[i]] += 1
                count += 1
        involved += some.shape[0] if count > first else 0
    return found[:count], involved


def conflicts_of_keys(ends: Ints) -> tuple[Ints, int]:
    """The same where all rows of a class conflict."""
    sizes = np.diff(ends, prepend=0)
    sizes = sizes[(sizes > 1) & (sizes <= COMPARED_ROWS)]
    involved = int(sizes.sum())
    others = np.arange(involved) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    others = others[others > 0]
    return np.column_stack([others, np.zeros_like(others)]), involved


@kernel
def shares_of_rows(ranks, literal, column, values, shares):
    """For each row: how often a drawn value of the column satisfies a literal with that row's other one."""
    other, turned = (literal[1], True) if literal[2] == column else (literal[2], False)
    sums, found = np.zeros(values.shape[0] + 1), np.empty(ranks.shape[1])
    for v in range(values.shape[0]):
        sums[v + 1] = sums[v] + shares[v]
    for row in range(ranks.shape[1]):
        share = share_beside(values, sums, literal[3], turned, ranks[other, row])
        found[row] = min(max(share, 0.0), 1.0)
    return found


@kernel
def shares_of_cells(ranks, rest, literal, column, of_rows, rows, ends, halt):
    """For each cell that a pair of rows needs: how often a value drawn for it would satisfy a literal.

    Rows of a class come with the most frequent first: the first partner is the one that counts.
    """
    cells, found, start = np.empty(rows.shape[0]), 0, 0
    first = literal[0] == IN_FIRST or (literal[0] == ACROSS and literal[1] == column)
    way, blocks = FORTH if first else BACK, partner_blocks(ranks, rest, rows)
    for k in range(ends.shape[0]):
        for i in range(start, ends[k] if halt[0] == 0 else start):
            row, j = rows[i], start
            while j < ends[k]:
                share = of_rows[rows[j] if literal[0] == ACROSS else row]
                if share == 0.0:
                    break
                if j % PARTNERS_A_BLOCK == 0 and not may_meet(ranks, blocks, row, j // PARTNERS_A_BLOCK, way):
                    j += PARTNERS_A_BLOCK
                    continue
                if i != j and ways_to_meet(ranks, blocks, row, rows[j], way):
                    cells[found] = share
                    found += 1
                    break
                j += 1
        start = ends[k]
    return cells[:found]
