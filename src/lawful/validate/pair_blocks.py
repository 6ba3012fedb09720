"""Rows in an order, as partners of other rows under some literals, in blocks with their extremes.

Who looks for a partner passes over a block where the extremes rule out that any of its rows is one.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.evidence.outcomes import excludes
from lawful.kernels import kernel
from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, IN_FIRST, LESS, UNEQUAL, Ints, mirrored_outcomes

FORTH, BACK = 1, 2  # the ways in which a pair of rows satisfies literals: as (t, s), as (s, t)
PARTNERS_A_BLOCK = 32  # rows


class PartnerBlocks(NamedTuple):
    """Rows in an order, and the literals; those on one row say which of t and s it can be.

    Bits of `roles` are the ways of a pair of which the row is the first: FORTH if it can be t, BACK if s.
    """

    across: Ints  # the literals on both rows: lines of kind, left column, right column, atoms
    roles: npt.NDArray[np.uint8]  # [row]
    of_block: npt.NDArray[np.uint8]  # [block]: the roles that some row of it has
    low: npt.NDArray[np.int32]  # [block, side of a literal]: the left sides of all, then the right ones
    high: npt.NDArray[np.int32]


@kernel
def partner_blocks(ranks, literals, rows):
    """The blocks of some rows."""
    across, blocks = (
        literals[literals[:, 0] == ACROSS],
        (rows.shape[0] + PARTNERS_A_BLOCK - 1) // PARTNERS_A_BLOCK,
    )
    count = across.shape[0]
    roles, of_block = np.full(ranks.shape[1], FORTH | BACK, np.uint8), np.zeros(blocks, np.uint8)
    for k in range(literals.shape[0]):
        kind, left, right, atoms = literals[k, 0], literals[k, 1], literals[k, 2], literals[k, 3]
        if kind != ACROSS:
            for row in range(ranks.shape[1]):
                if excludes(atoms, ranks[left, row], ranks[right, row]):
                    roles[row] &= BACK if kind == IN_FIRST else FORTH
    low, high = np.empty((blocks, 2 * count), np.int32), np.empty((blocks, 2 * count), np.int32)
    for block in range(blocks):
        some = rows[block * PARTNERS_A_BLOCK : (block + 1) * PARTNERS_A_BLOCK]
        for row in some:
            of_block[block] |= roles[row]
        for k in range(2 * count):
            line = ranks[across[k % count, 1 + k // count]]
            low[block, k] = high[block, k] = line[some[0]]
            for row in some:
                low[block, k], high[block, k] = min(low[block, k], line[row]), max(high[block, k], line[row])
    return PartnerBlocks(across, roles, of_block, low, high)


@kernel
def turned_role(role):
    """The role of a partner in the ways that a row's own role allows: who is t meets rows s."""
    return (role & FORTH) << 1 | role >> 1


@kernel
def may_satisfy(atoms, x, low, high):
    """Whether atoms leave an outcome of x, compared with something between the extremes."""
    if x < 0 or (low < 0 and atoms & UNEQUAL == 0):
        return atoms & UNEQUAL == 0
    outcomes = (LESS if x < high else 0) | (GREATER if x > low else 0)
    outcomes |= EQUAL if low <= x <= high else 0
    return outcomes & ~atoms != 0


turned = kernel(mirrored_outcomes)  # atoms of a comparison whose sides are exchanged


@kernel
def may_meet(ranks, blocks, row, block, ways):
    """In which of some ways a row, the first of the pair, may satisfy the literals with a row of a block."""
    ways &= blocks.roles[row] & turned_role(blocks.of_block[block])
    across, low, high = blocks.across, blocks.low[block], blocks.high[block]
    count = across.shape[0]
    for k in range(count):
        atoms = across[k, 3]
        if ways & FORTH and not may_satisfy(atoms, ranks[across[k, 1], row], low[count + k], high[count + k]):
            ways &= BACK
        if ways & BACK and not may_satisfy(turned(atoms), ranks[across[k, 2], row], low[k], high[k]):
            ways &= FORTH
        if ways == 0:
            break
    return ways


@kernel
def ways_to_meet(ranks, blocks, row, other, ways):
    """In which of some ways two rows satisfy the literals, the one being the first of the pair."""
    ways &= blocks.roles[row] & turned_role(blocks.roles[other])
    across = blocks.across
    for k in range(across.shape[0] if ways else 0):
        left, right, atoms = across[k, 1], across[k, 2], across[k, 3]
        if ways & FORTH and excludes(atoms, ranks[left, row], ranks[right, other]):
            ways &= BACK
        if ways & BACK and excludes(atoms, ranks[left, other], ranks[right, row]):
            ways &= FORTH
        if ways == 0:
            break
    return ways
