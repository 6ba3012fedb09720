"""What the literals of a denial constraint can be worth at best, by the pairs of rows that only they exclude.

The pairs that only one literal of a law excludes get fewer with every literal that is added. How many bits
they can be worth is bounded by how many of them each row is in, its degree.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.cell_worth import NONE, Cells, may_cells_be_worth
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, UNEQUAL, Ints
from lawful.words import ONE, Words, lowest_bit

Bits = npt.NDArray[np.float64]

EDGE_STRIDE = 7919  # words from one edge to the next that is tried: edges nearby are hit by the same literals
PAIR_WORDS = 2  # words that are looked at in the time that it takes to count a pair of rows
JOINED_AT_ONCE = 8  # words that are joined in the time that it takes to look at one


class LiteralSpace(NamedTuple):
    """All literals that laws may have."""

    atoms: Words  # [literal, word]
    hits: Words  # [literal, word]: the edges that it hits
    hit_by: Words  # [atom, word]: the edges that an atom hits
    comparison: Ints  # [literal]
    excluded: Ints  # [literal]: the outcomes that its atoms exclude
    edges: Words  # all of them, as a set
    differences: int  # literals `!=` that a law may have: of a POD one


class Worth(NamedTuple):
    """The pairs of rows behind the edges, and what pairs can be worth at most, in bits."""

    first: Ints  # [edge]: where its pairs start, unless those are listed with its mirror image
    pairs: npt.NDArray[np.int32]  # [place, 2]: rows t and s
    mirror: Ints  # [edge]: the edge of the same pairs with t and s exchanged
    columns: Ints  # [comparison, 2]
    difference: Bits  # [column, pairs]: that so many pairs are not equal
    alike: Bits  # [column, rows]: that so many rows are equal
    unlike: Bits  # [column, rows]: that a row differs from so many; last: that it is the least beside them
    across: Bits  # [literal, rows]: that so many do not satisfy a literal of two columns
    cells: Cells  # the same told by each cell


class Spare(NamedTuple):
    """Room for what is looked at of a law."""

    edges: Words
    cells: npt.NDArray[np.int32]  # [which, row]


@kernel
def new_spare(literals, worth):
    """Such room."""
    return Spare(
        np.empty(literals.edges.shape[0], np.uint64), np.empty((3, worth.cells.ranks.shape[1]), np.int32)
    )


class Tally(NamedTuple):
    """What is counted of some pairs of rows; sides are t and s, or only one where it does not matter."""

    base: Ints  # [0]: from which degrees count; lower ones are left from counts before
    degrees: Ints  # [side, row]: how many pairs a row has, and the base
    rows: Ints  # [side]: how many rows there are; and how many pairs both ways
    sums: Bits  # [side]: what the rows are worth by their degrees


BOTH = 2  # where `rows` has the pairs both ways
ABOVE = 1 << 32  # all degrees


@kernel
def new_tally(rows):
    """Room for the pairs of so many rows."""
    return Tally(
        np.zeros(1, np.int64),
        np.zeros((2, rows + 1), np.int64),
        np.zeros(BOTH + 1, np.int64),
        np.zeros(2, np.float64),
    )


@kernel
def clear_tally(tally):
    """Start a new count."""
    tally.base[0] += ABOVE
    for k in range(tally.rows.shape[0]):
        tally.rows[k] = 0
    tally.sums[0] = tally.sums[1] = 0.0


@kernel
def most_bits(literals, worth, literal, tally):
    """What a literal can be worth at most, if it excludes the pairs of a tally.

    A row that must differ from d others, or come before d others, is worth no more than if nothing else were
    asked. There are at most as many disjoint pairs as different rows t, and as different rows s.
    """
    excluded, rows = literals.excluded[literal], tally.rows
    column, other = worth.columns[literals.comparison[literal]]
    if column != other:
        return worth.across[literal, rows[0]]
    if excluded == EQUAL:
        return worth.alike[column, rows[0]]
    if excluded == UNEQUAL:
        return tally.sums[0]
    in_order = min(tally.sums[0], tally.sums[1])
    if excluded & EQUAL:
        alike = worth.alike[column, min(rows[0] + rows[1], worth.alike.shape[1] - 1)]
        return alike if rows[BOTH] else min(alike, in_order)
    return in_order + worth.difference[column, min(rows[0], rows[1], worth.difference.shape[1] - 1)]


@kernel
def most_of_all(literals, worth, literal):
    """What a literal can be worth at most, whatever pairs it excludes."""
    rows, tally = worth.alike.shape[1] - 1, new_tally(0)
    for side in range(2):
        tally.rows[side], tally.sums[side] = rows, rows * weights_of(literals, worth, literal)[rows]
    tally.rows[BOTH] = 1
    return most_bits(literals, worth, literal, tally)


@kernel
def weights_of(literals, worth, literal):
    """What a row is worth by the number of its pairs, for a literal of one column."""
    column = worth.columns[literals.comparison[literal], 0]
    return worth.unlike[column if literals.excluded[literal] == UNEQUAL else worth.unlike.shape[0] - 1]


@kernel
def one_more(degrees, base, row):
    """Count another pair of a row; returns how many it had."""
    degree = max(degrees[row], base)
    degrees[row] = degree + 1
    return degree - base


@kernel
def add_pairs(tally, weights, pairs, turned, second, both):
    """Count pairs of rows; the rows s are counted on the `second` side."""
    base, of_t, of_s, ways = tally.base[0], tally.degrees[0], tally.degrees[second], 1 + int(second and both)
    rows_t, rows_s, sum_t, sum_s = 0, 0, 0.0, 0.0  # here, not in the tally: that would take thrice the time
    for k in range(pairs.shape[0]):
        t, s = pairs[k, turned], pairs[k, 1 - turned]
        for _ in range(ways):
            degree = one_more(of_t, base, t)
            rows_t += degree == 0
            sum_t += weights[degree + 1] - weights[degree]
            degree = one_more(of_s, base, s)
            rows_s += degree == 0
            sum_s += weights[degree + 1] - weights[degree]
            t, s = s, t
    tally.rows[0] += rows_t
    tally.rows[second] += rows_s
    tally.sums[0] += sum_t
    tally.sums[second] += sum_s
    tally.rows[BOTH] += pairs.shape[0] if both else 0


@kernel
def may_be_worth(edges, literals, worth, literal, wanted, tally, patience):
    """Whether the pairs of a set of edges may give a literal the bits that are wanted."""
    weights, count, judged = weights_of(literals, worth, literal), 0, 1
    column, other = worth.columns[literals.comparison[literal]]
    excluded = literals.excluded[literal]
    second = int(column == other and excluded != EQUAL and excluded != UNEQUAL)
    clear_tally(tally)
    patience[0] -= edges.shape[0]
    for w in range(edges.shape[0]):
        rest = edges[w]
        while rest:
            edge = (w << 6) + lowest_bit(rest)
            rest &= rest - ONE
            mirror = worth.mirror[edge]
            both = (edges[mirror >> 6] >> np.uint64(mirror & 63)) & ONE != 0
            if mirror < edge and both:
                continue
            listed = min(edge, mirror)
            pairs = worth.pairs[worth.first[listed] : worth.first[listed + 1]]
            add_pairs(tally, weights, pairs, int(mirror < edge), second, both)
            count += pairs.shape[0]
            if count >= judged:  # not with every edge: to judge takes longer than to count
                judged = count + 1 + count // 4
                if most_bits(literals, worth, literal, tally) >= wanted:
                    patience[0] -= PAIR_WORDS * count
                    return True
    patience[0] -= PAIR_WORDS * count
    return most_bits(literals, worth, literal, tally) >= wanted


@kernel
def only_hit_by(literals, chosen, count, which, edges):
    """Write the edges that none of the chosen literals but one hits."""
    for w in range(edges.shape[0]):
        edges[w] = literals.edges[w]
    for k in range(count):
        if k != which:
            for w in range(edges.shape[0]):
                edges[w] &= ~literals.hits[chosen[k], w]


@kernel
def all_may_be_worth(literals, worth, chosen, count, wanted, spare, tally, patience):
    """Whether each of the chosen literals has pairs enough that only it can exclude.

    Cells tell it of many sooner, unless so many pairs share an edge that these take less time.
    """
    edges = spare.edges
    if cells_come_first(edges, worth) and not all_cells_may_be_worth(
        worth, chosen, count, wanted, spare, patience
    ):
        return False
    for k in range(count - 1, -1, -1):
        patience[0] -= count * edges.shape[0] // JOINED_AT_ONCE
        only_hit_by(literals, chosen, count, k, edges)
        if not may_be_worth(edges, literals, worth, chosen[k], wanted, tally, patience):
            return False
    return True


@kernel
def cells_come_first(edges, worth):
    """Whether the cells of a column are less to look at than the words of all edges."""
    return edges.shape[0] >= worth.cells.ranks.shape[1]


@kernel
def all_cells_may_be_worth(worth, chosen, count, wanted, spare, patience):
    """Whether each of the chosen literals has cells enough."""
    for k in range(count):
        patience[0] -= count * spare.cells.shape[1] * int(worth.cells.lines[chosen[k], 0] != NONE)
        if not may_cells_be_worth(worth.cells, chosen[k], chosen, count, wanted, spare.cells):
            return False
    return True


@kernel
def is_worth_it(literals, worth, chosen, count, wanted, spare, tally, patience):
    """Whether a law may be worth what is wanted.

    Of two columns, each compared with itself, it does not matter which is shuffled: one must be worth it.
    """
    edges = spare.edges
    if count == 2:
        first, second = literals.comparison[chosen[0]], literals.comparison[chosen[1]]
        own = worth.columns[first, 0] == worth.columns[first, 1]
        if own and worth.columns[second, 0] == worth.columns[second, 1]:
            for k in range(2):
                patience[0] -= 2 * edges.shape[0] // JOINED_AT_ONCE
                only_hit_by(literals, chosen, 2, k, edges)
                if may_be_worth(edges, literals, worth, chosen[k], wanted, tally, patience):
                    return True
            return False
    if not all_may_be_worth(literals, worth, chosen, count, wanted, spare, tally, patience):
        return False
    return cells_come_first(edges, worth) or all_cells_may_be_worth(
        worth, chosen, count, wanted, spare, patience
    )
