"""How surely a denial constraint would break if one of its columns were shuffled: the best of several bounds.

The pairs of rows that break the law without its literals on that column must, all of them, not satisfy those
after the shuffle.

- *Disjoint pairs* are enough for a bound, whatever the literals: `lawful.validate.shuffled` knows what they
  are worth.
- *`!=`*: all rows that pairs connect must be alike, as in the classes of an FD.
- *`=`*: rows must each be told from those that they conflict with, as exceptions of an FD.
- *An order*: a chain of rows, each of which breaks the law with all later ones, must be sorted.
- *Two columns of an order*: each cell that a pair needs has a bound by itself, however pairs overlap.
- *A key, an FD or an OD* that the law states, or more than that: the bits of those.
"""

from functools import cache

import numpy as np
import numpy.typing as npt

from lawful.laws.comparisons import ACROSS, EQUAL, GREATER, UNEQUAL, Comparisons, Ints
from lawful.table.ranked import RankedRows
from lawful.validate.bit_tables import bit_tables, correction
from lawful.validate.dc_matching import (
    SHORT_TABLE,
    are_equalities,
    class_ends,
    disjoint_pairs,
    match_rows,
    rows_of_pairs,
)
from lawful.validate.drawn_shares import share_of, shares_of_pairs
from lawful.validate.pair_blocks import BACK, FORTH
from lawful.validate.pair_graphs import (
    COMPARED_ROWS,
    TINY,
    bits_of_blocks,
    chains_of,
    conflicts_of,
    conflicts_of_keys,
    connected,
    shares_of_cells,
    shares_of_rows,
)
from lawful.validate.shuffled import Bits, ShuffledColumn, bits_unless
from lawful.validate.side_bits import bits_of_right_side, bits_shared_out
from lawful.validate.stated_laws import stated_bits, stated_laws

FIRST_COLUMN, SECOND_COLUMN = 1, 2  # the columns in a line of a literal
LARGE_CLASSES = 64  # rows that a row is compared with: to sort them into classes takes as long
SOME_CLASSES = 8  # one of so many is looked at first: it may be enough
ROWS_A_PAIR = 128  # times as many rows: to find whom the rows of pairs meet takes less than chains of all


class ShuffledLaws:
    """What the columns of denial constraints over some comparisons of a table are worth."""

    def __init__(self, rows: RankedRows, comparisons: Comparisons) -> None:
        self.rows, self.comparisons = rows, comparisons
        self.column = cache(self._shuffled_column)
        self.share = cache(self._share_of_literal)
        self.rising = cache(self._bits_of_chains)

    def bits(
        self,
        law: Ints,
        some: npt.NDArray[np.bool_],
        column: int,
        halt: Ints,
        least: float = 0.0,
        most: float = np.inf,
    ) -> float:
        """How surely a law would break if some literals saw a column shuffled.

        Exact from `least` to `most`; what is less, or more, is so by any number.
        """
        literals, rest = law[some], law[~some]
        left, right, excluded = literals[0, FIRST_COLUMN:].tolist()
        if len(literals) > 1:
            pairs = self._pairs(law, rest, column, halt)
            found = shares_of_pairs(self.rows.ranks, literals, column, pairs, *self.column(column).drawn)
            return self.column(column).independent(bits_unless(found))
        if left != right:
            return self._across(law, rest, literals[0], column, halt)
        if excluded == EQUAL:
            return self._alike(rest, column, halt, most)
        return self._of_its_own(law, rest, column, excluded, halt, (least, most))

    def _of_its_own(
        self, law: Ints, rest: Ints, column: int, excluded: int, halt: Ints, asked: tuple[float, float]
    ) -> float:
        """Of `=` or an order of one column: the best of bounds, as long as they matter."""
        (least, most), bits = asked, 0.0
        for one in stated_laws(law, column, self.rows):
            bits = max(bits, stated_bits(one, column, self.rows, halt))
            if bits >= most:
                return bits
        if excluded == UNEQUAL:
            if self.most_apart(column) > max(bits, least):
                bits = max(bits, self._alone(law, rest, column, excluded, halt, most)[0])
            return bits if bits >= most else max(bits, self._apart(rest, column, halt, most))
        alone, pairs = self._alone(law, rest, column, excluded, halt, most)
        bits = max(bits, alone)
        return bits if bits >= most else max(bits, self._in_chains(rest, column, excluded, pairs, halt))

    def most_apart(self, column: int) -> float:
        """What disjoint pairs can be worth at most for `=`."""
        return float(self.column(column).difference[-1])

    def _alone(
        self, law: Ints, rest: Ints, column: int, excluded: int, halt: Ints, most: float
    ) -> tuple[float, Ints]:
        """What disjoint pairs are worth, up to `most`, and these pairs."""
        shuffled = self.column(column)
        pairs = self._pairs(law, rest, column, halt, shuffled.pairs_for(excluded, most))
        both = int((pairs[:, 2] == FORTH | BACK).sum())
        return shuffled.alone(excluded, len(pairs) - both, both), pairs

    def shares_in_rows(self, literal: Ints, column: int) -> Bits:
        """For each row: how often a value drawn for a column would satisfy a literal with another."""
        values, shares, missing = self.column(column).drawn
        known = len(values) - missing
        found: Bits = shares_of_rows(self.rows.ranks, literal, column, values[:known], shares[:known])
        return found

    def _pairs(
        self, law: Ints, rest: Ints, column: int, halt: Ints, enough: int = np.iinfo(np.int64).max
    ) -> Ints:
        columns = np.unique(law[:, FIRST_COLUMN : SECOND_COLUMN + 1])
        return disjoint_pairs(self.rows.ranks, rest, columns[columns != column], halt, enough)

    def _across(self, law: Ints, rest: Ints, literal: Ints, column: int, halt: Ints) -> float:
        """Of a literal of two columns."""
        left, right, excluded = literal[FIRST_COLUMN:].tolist()
        shuffled, most = self.column(column), self.share(left, right, excluded)
        if excluded in (EQUAL, UNEQUAL):
            pairs = self._pairs(law, rest, column, halt)
            found = shares_of_pairs(self.rows.ranks, literal.reshape(1, -1), column, pairs, *shuffled.drawn)
            return shuffled.independent(bits_unless(np.minimum(found, most)))
        of_rows = self.shares_in_rows(literal, column)
        rows, ends = self._classes(rest, [-of_rows])
        cells = shares_of_cells(self.rows.ranks, rest, literal, column, of_rows, rows, ends, halt)
        return shuffled.nested(np.minimum(cells, most) if literal[0] == ACROSS else cells)

    def _alike(self, rest: Ints, column: int, halt: Ints, most: float) -> float:
        """Of `!=`."""
        rows, ends = self._classes(rest, [])
        rest = rest[~are_equalities(rest)]
        if self._are_surely_unlike(rest, column, rows, ends, most, halt):
            return most
        rows, ends = connected(self.rows.ranks, rest, rows, ends, halt)
        if 2 * len(ends) == len(rows):
            return float(self.column(column).equality(len(ends))[-1])
        tables, counts, ranks = bit_tables(self.rows), self.rows.counts, self.rows.ranks
        exactly = float(bits_shared_out(rows, ends, ranks[column], tables, counts))
        if exactly >= 0:
            return exactly + 0.0  # no -0.0
        return float(bits_of_right_side(ranks, rows, ends, column, tables, counts))

    def _are_surely_unlike(
        self, rest: Ints, column: int, rows: Ints, ends: Ints, most: float, halt: Ints
    ) -> bool:
        """Whether disjoint pairs show soon that rows which pairs connect are not alike, by so many bits.

        All rows of a large class are compared to find what they are connected with.
        """
        tables, count = bit_tables(self.rows), self.rows.count
        if np.square(np.diff(ends, prepend=0)).sum() < LARGE_CLASSES * count or count <= COMPARED_ROWS:
            return False
        of_row = (tables.same[column, 2:] / tables.numbers[2:]).min()
        lost = float(correction(column, count, tables, count)) / 2
        pairs = (most + lost) / max(2 * of_row, TINY)
        if pairs > count // 4 or self.column(column).equality(int(pairs) + 1)[-1] < most:
            return False
        enough = int(pairs) + 1
        return len(match_rows(self.rows.ranks, rest, rows, ends, count, enough, halt)) == enough

    def _in_chains(self, rest: Ints, column: int, excluded: int, pairs: Ints, halt: Ints) -> float:
        """Of an order: chains of rows must be sorted. Few disjoint pairs tell which rows may be in one."""
        shuffled, ranks, tables = self.column(column), self.rows.ranks, bit_tables(self.rows)
        if shuffled.missing and not excluded & EQUAL:
            return 0.0
        sides = rest[(rest[:, FIRST_COLUMN] == rest[:, SECOND_COLUMN]) & (rest[:, 3] != UNEQUAL)]
        keys = [ranks[line[FIRST_COLUMN]] * (1 if line[3] & GREATER else -1) for line in sides]
        rows, ends = self._classes(rest, keys)
        others = rest[~are_equalities(rest)]
        if ROWS_A_PAIR * len(pairs) < self.rows.count <= SHORT_TABLE:
            kept = rows_of_pairs(ranks, others, rows, ends, pairs)[rows]
            rows, ends = rows[kept], np.append(0, np.cumsum(kept))[ends]
        chains = chains_of(ranks, others, rows, ends, _is_transitive(rest), halt)
        if not len(chains.ends):
            return 0.0
        starts = np.append(0, chains.ends[:-1])
        sizes = np.add.reduceat(chains.blocks, starts)
        if not excluded & EQUAL or len(shuffled.counts) == shuffled.rows:
            return shuffled.strictly_sorted(sizes)
        if shuffled.missing or chains.blocks.max() == 1:
            return float(self.rising(column)[sizes].sum())
        shares = np.ascontiguousarray(shuffled.drawn[1][:: -1 if excluded & GREATER else 1])
        blocks = np.split(chains.blocks, chains.ends[:-1])
        bits = sum(float(bits_of_blocks(shares, some)) for some in blocks)
        return max(bits - float(correction(column, sizes.sum(), tables, shuffled.rows)) / 2, 0.0)

    def _apart(self, rest: Ints, column: int, halt: Ints, most: float) -> float:
        """Of `=`: rows must each be told from those that they conflict with. Exact up to `most`."""
        same = are_equalities(rest)
        if self.rows.count > COMPARED_ROWS and not same.any():
            return 0.0  # one class, too large to look at
        rows, ends = self._classes(rest, [])
        if same.all():
            return self._told_apart(column, *conflicts_of_keys(ends))
        others, ranks = rest[~same], self.rows.ranks
        some = ends[: len(ends) // SOME_CLASSES]
        if np.isfinite(most) and len(some):
            conflicts, _ = conflicts_of(ranks, others, rows, some, halt)
            bits = self._told_apart(column, conflicts, self.rows.count)
            if bits >= most:
                return bits
        return self._told_apart(column, *conflicts_of(ranks, others, rows, ends, halt))

    def _told_apart(self, column: int, conflicts: Ints, involved: int) -> float:
        """What rows are worth that must be told from others, if so many rows at most are involved."""
        tables = bit_tables(self.rows)
        places = np.searchsorted(tables.numbers, conflicts[:, 0], side="right") - 1
        weight, before = tables.weight[column, places], conflicts[:, 1]
        chances = (np.exp2(-tables.unlike[column, places]) * weight + before) / (weight + before)
        loss = float(correction(column, involved, tables, self.rows.count))
        return max(-float(np.log2(chances).sum()) - loss, 0.0)

    def _classes(self, rest: Ints, keys: list[npt.NDArray[np.number]]) -> tuple[Ints, Ints]:
        """The classes that equalities make, with the rows of each in the order of keys, twins together."""
        context, ranks = rest[are_equalities(rest), FIRST_COLUMN], self.rows.ranks
        beside = np.setdiff1d(rest[:, FIRST_COLUMN : SECOND_COLUMN + 1], context)
        by = [*ranks[beside], *keys[::-1], *ranks[context[::-1]]]
        rows = np.lexsort(by) if by else np.arange(self.rows.count)
        return rows, class_ends(ranks, context, rows)

    def _share_of_literal(self, left: int, right: int, excluded: int) -> float:
        """How often a literal of two columns is satisfied by values drawn from both."""
        values = np.union1d(self.column(left).values, self.column(right).values)
        shares = np.zeros((2, len(values) + 1))
        for side, column in enumerate((left, right)):
            shuffled = self.column(column)
            shares[side, np.searchsorted(values, shuffled.values)] = shuffled.counts / shuffled.rows
            shares[side, -1] = shuffled.missing / max(shuffled.rows, 1)
        return float(share_of(shares[0], shares[1], excluded, 1))

    def _shuffled_column(self, column: int) -> ShuffledColumn:
        own = (self.comparisons.left == column) & (self.comparisons.right == column)
        return ShuffledColumn(self.rows.ranks[column], bool(self.comparisons.ordered[own].all()))

    def _bits_of_chains(self, column: int) -> Bits:
        """That c rows are not sorted, for every c."""
        tables, sizes = bit_tables(self.rows), np.arange(self.rows.count + 1)
        places = np.searchsorted(tables.numbers, sizes, side="right") - 1
        further = (sizes - tables.numbers[places]) * tables.slope[column, places]
        bits: Bits = tables.rising[column, places] + further
        return bits


def _is_transitive(literals: Ints) -> bool:
    """Whether two pairs of rows (t, u) and (u, s) that satisfy literals make a third one, (t, s)."""
    own = (literals[:, FIRST_COLUMN] == literals[:, SECOND_COLUMN]) & (literals[:, 3] != EQUAL)
    return bool(own.all())
