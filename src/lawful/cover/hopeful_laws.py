"""Which laws may be worth any bits, by how many pairs of rows stand behind each edge.

The pairs that only one literal of a law excludes are few for most laws, whose literals came in to exclude the
last few of them. What so many pairs can be worth at most, whatever rows they have, tells it of nearly all.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES
from lawful.cover.literal_worth import (
    BOTH,
    all_cells_may_be_worth,
    most_bits,
    new_spare,
    new_tally,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, UNEQUAL, Ints
from lawful.words import ONE, has, lowest_bit

NO_PATIENCE = 1 << 62  # is asked of those who look at a law


class EdgeCounts(NamedTuple):
    """How many pairs of rows stand behind edges, and what a pair may add to the worth of a row."""

    pairs: Ints  # [edge]: with those of its mirror image
    smallest: Ints  # the literals, those that hit the fewest edges first
    steepest: npt.NDArray[np.float64]  # [column]: bits of a row that differs from others, for each of them


@kernel
def are_hopeful(literals, worth, counted, sets, wanted, halt):
    """Which sets of atoms, all of them laws, may be worth what is wanted of each."""
    numbers = np.full((worth.columns.shape[0], 8), -1)
    for place in range(counted.smallest.shape[0]):
        literal = counted.smallest[place]
        comparison = literals.comparison[literal]
        numbers[comparison, atoms_of(literals.atoms[literal], comparison)] = place
    hopeful, places = np.zeros(sets.shape[0], np.bool_), np.empty(numbers.shape[0], np.int64)
    spare, patience = new_spare(literals, worth), np.full(1, NO_PATIENCE)
    tally, twice = new_tally(0), np.empty_like(spare.edges)
    for k in range(sets.shape[0]):
        if halt[0] != 0:
            break
        count = 0
        for comparison in range(numbers.shape[0]):
            atoms = atoms_of(sets[k], comparison)
            if atoms:
                places[count] = numbers[comparison, atoms]
                count += 1
        chosen = counted.smallest[np.sort(places[:count])]
        hopeful[k] = may_pairs_be_worth(
            literals, worth, counted, chosen, wanted[k], spare.edges, twice, tally
        ) and all_cells_may_be_worth(worth, chosen, count, wanted[k], spare, patience)
    return hopeful


@kernel
def atoms_of(members, comparison):
    """Which atoms of a comparison are in a set, as three bits."""
    atoms = 0
    for which in range(OF_PREDICATES):
        atoms |= int(has(members, OF_PREDICATES * comparison + which)) << which
    return atoms


@kernel
def may_pairs_be_worth(literals, worth, counted, chosen, wanted, single, twice, tally):
    """Whether each of the literals of a law has pairs enough that only it excludes.

    Of two columns, each compared with itself, it does not matter which is shuffled: one must have them.
    """
    write_single(literals.hits, chosen, single, twice)
    enough, count = 0, chosen.shape[0]
    own = count == 2
    for k in range(count):
        columns = worth.columns[literals.comparison[chosen[k]]]
        own &= columns[0] == columns[1]
    for k in range(count):
        if may_count_be_worth(literals, worth, counted, chosen[k], wanted, single, tally):
            enough += 1
        elif not own:
            return False
    return enough > 0 or count == 0


@kernel
def write_single(hits, chosen, single, twice):
    """Write the edges that a single one of the chosen literals hits."""
    for w in range(single.shape[0]):
        single[w] = twice[w] = np.uint64(0)
    for literal in chosen:
        own = hits[literal]
        for w in range(single.shape[0]):
            twice[w] |= single[w] & own[w]
            single[w] |= own[w]
    for w in range(single.shape[0]):
        single[w] &= ~twice[w]


@kernel
def may_count_be_worth(literals, worth, counted, literal, wanted, single, tally):
    """Whether the pairs of a literal's edges among those that a single one hits are enough."""
    hits, pairs, both, judged = literals.hits[literal], 0, 0, 1
    for w in range(single.shape[0]):
        rest = single[w] & hits[w]
        while rest:
            edge = (w << 6) + lowest_bit(rest)
            rest &= rest - ONE
            mirror = worth.mirror[edge]
            meet = has(single, mirror) and has(hits, mirror)
            if mirror >= edge or not meet:
                pairs += counted.pairs[edge]
                both += counted.pairs[edge] if meet else 0
        if pairs >= judged:
            judged = 2 * pairs
            if most_of_pairs(literals, worth, counted, literal, pairs, both, tally) >= wanted:
                return True
    return most_of_pairs(literals, worth, counted, literal, pairs, both, tally) >= wanted


@kernel
def most_of_pairs(literals, worth, counted, literal, pairs, both, tally):
    """What a literal can be worth at most, if it excludes so many pairs, of which some both ways."""
    column, other = worth.columns[literals.comparison[literal]]
    excluded, rows = literals.excluded[literal], worth.alike.shape[1] - 1
    if column == other and excluded != EQUAL and excluded != UNEQUAL:
        ends = pairs + both  # on each side
        tally.sums[0] = tally.sums[1] = ends  # a row before d others has log2(1 + d) bits
    else:
        ends = 2 * pairs
        tally.sums[0] = ends * counted.steepest[column]
    tally.rows[0] = tally.rows[1] = min(ends, rows)
    tally.rows[BOTH] = both
    return most_bits(literals, worth, literal, tally)
