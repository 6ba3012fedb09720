"""What the pairs of rows look like that satisfy some literals: as a graph, between which rows they are.

If a column is shuffled, the pairs that break its law without it must not satisfy its literal. How surely one
does is told by more than disjoint pairs: rows that pairs connect must all be alike for `!=`, chains must be
sorted for an order, and each cell has a bound of its own where it is compared with another column.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, IN_FIRST
from lawful.validate.dc_matching import satisfied, share_beside


@kernel
def connected(ranks, literals, rows, ends, halt):
    """The rows that pairs of a class connect, as classes of their own; rows of no pair are left out."""
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
                kept = 0
                for i in range(left):
                    if satisfied(ranks, literals, found[at], some[i]) or satisfied(
                        ranks, literals, some[i], found[at]
                    ):
                        found[size] = some[i]
                        size += 1
                    else:
                        some[kept] = some[i]
                        kept += 1
                left, at = kept, at + 1
            if size == first + 1:
                size = first
            else:
                found_ends[count] = size
                count += 1
    return found[:size], found_ends[:count]


@kernel
def chain_sizes(ranks, literals, rows, ends, halt):
    """The sizes of disjoint chains: each row of a chain satisfies the literals with the next one.

    A row goes on with the chain that was the last to grow, so that it leaves room for others.
    """
    sizes, found, start = np.empty(rows.shape[0], np.int64), 0, 0
    tails, lengths = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    for k in range(ends.shape[0]):
        chains = 0
        for i in range(start, ends[k] if halt[0] == 0 else start):
            chain = chains - 1
            while chain >= 0 and not satisfied(ranks, literals, tails[chain], rows[i]):
                chain -= 1
            if chain < 0:
                chain, lengths[chains] = chains, 0
                chains += 1
            length = lengths[chain] + 1
            for later in range(chain, chains - 1):
                tails[later], lengths[later] = tails[later + 1], lengths[later + 1]
            tails[chains - 1], lengths[chains - 1] = rows[i], length
        for chain in range(chains):
            if lengths[chain] > 1:
                sizes[found] = lengths[chain]
                found += 1
        start = ends[k]
    return sizes[:found]


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
    for k in range(ends.shape[0]):
        for i in range(start, ends[k] if halt[0] == 0 else start):
            row = rows[i]
            for j in range(start, ends[k]):
                share = of_rows[rows[j] if literal[0] == ACROSS else row]
                if share == 0.0:
                    break
                t, s = (row, rows[j]) if first else (rows[j], row)
                if i != j and satisfied(ranks, rest, t, s):
                    cells[found] = share
                    found += 1
                    break
        start = ends[k]
    return cells[:found]
