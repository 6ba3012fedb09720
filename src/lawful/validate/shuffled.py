"""What becomes of pairs of rows when a column is shuffled.

Here are the chances, as bits (minus log2 of the chance), that disjoint pairs of rows have harmless values
after a column is shuffled among all rows: that they are all equal, say. Shuffling is drawing without
replacement, so the pairs are not independent, and every figure here is exact or on the low side:

- *all equal*: exact for tables that are not long, by the generating function of the ways to fill pairs with
  equal values.
- *all different*: one pair after the other. Whatever the pairs before took away, the next one is equal at
  least as often as if they had taken the most frequent values.
- *in order*: given which values meet in each pair, their order is fair and independent, so that is a matter
  of how many are equal.
- *anything else*, and long tables: as if drawn with replacement, less what that can be wrong by. There are
  n^k draws of k rows with replacement and n (n - 1) ... without: a chance is at most their ratio too small.
"""

import math
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import EQUAL, UNEQUAL

Bits = npt.NDArray[np.float64]

EXACT_ROWS = 5000  # up to which all-equal pairs are counted exactly
LOG2 = float(np.log(2))
ROUNDING = 1e-6  # of a number of rows
NEGLIGIBLE_POWERS = 1000  # powers of two by which a summand is too small to count
ALMOST = 1 - 1e-15  # the share of what always happens, as far as bits are concerned
IMPOSSIBLE = 64.0  # bits of a row that cannot be like others: more than any number of rows has


@kernel
def ways_to_be_equal(counts, log_factorial, pairs):
    """For k up to `pairs`: the logarithm of the ways to fill k pairs with equal values, divided by k!.

    The ways are a product of polynomials, one for each value. Their coefficients are too large for floats,
    and logarithms of sums would take their time: so each has an exponent beside it.
    """
    ways, exponents, known = np.zeros(pairs + 1), np.zeros(pairs + 1, np.int64), 0
    ways[0] = 1.0
    powers = np.ones(NEGLIGIBLE_POWERS)
    for k in range(1, NEGLIGIBLE_POWERS):
        powers[k] = powers[k - 1] / 2
    for count in counts:
        own = count // 2
        drawn, steps = np.empty(own + 1), np.empty(own + 1, np.int64)
        for j in range(own + 1):
            bits = (log_factorial[count] - log_factorial[count - 2 * j] - log_factorial[j]) / LOG2
            steps[j] = np.int64(np.floor(bits))
            drawn[j] = 2.0 ** (bits - steps[j])
        for k in range(min(known + own, pairs), -1, -1):
            first, last = max(0, k - known), min(own, k)
            highest, total = exponents[k - first] + steps[first], 0.0
            for j in range(first + 1, last + 1):
                highest = max(highest, exponents[k - j] + steps[j])
            for j in range(first, last + 1):
                lower = highest - exponents[k - j] - steps[j]
                if lower < NEGLIGIBLE_POWERS:
                    total += ways[k - j] * drawn[j] * powers[lower]
            ways[k], exponent = math.frexp(total)
            exponents[k] = highest + exponent
        known = min(known + own, pairs)
    for k in range(pairs + 1):
        ways[k] = np.log(ways[k]) + exponents[k] * LOG2
    return ways


@kernel
def bits_of_difference(counts, rows, pairs):
    """Bits of being different, for up to so many pairs, at least."""
    top, equal, left = 1, 0.0, rows
    for count in counts:
        top = max(top, count)
    values = np.zeros(top + 1, np.int64)
    for count in counts:
        values[count] += 1
    for count in counts:
        equal += count * (count - 1.0)
    bits = np.zeros(pairs + 1)
    for k in range(pairs):
        share = equal / (left * (left - 1.0))
        bits[k + 1] = bits[k] - np.log1p(-share) / LOG2 if share < 1.0 else np.inf
        for _ in range(2):
            while top > 1 and values[top] == 0:
                top -= 1
            if top > 1:
                values[top] -= 1
                values[top - 1] += 1
                equal -= 2.0 * (top - 1)
        left -= 2
    return bits


@lru_cache(4)
def log_factorials(most: int) -> Bits:
    """The logarithms of the factorials of all numbers up to one."""
    return np.array([math.lgamma(k + 1.0) for k in range(most + 1)])


@dataclass
class ShuffledColumn:
    """A column of ranks whose values are drawn by chance; negative ranks are NULLs that equal nothing."""

    ranks: npt.NDArray[np.int32]
    ordered: bool
    _equality: Bits = field(default_factory=lambda: np.zeros(1))  # of as many pairs as were asked for
    _known_worth: dict[tuple[int, int], float] = field(default_factory=dict)  # by outcomes and pairs

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.ranks)

    @property
    def pairs(self) -> int:
        """How many disjoint pairs of rows there are."""
        return self.rows // 2

    @cached_property
    def values(self) -> npt.NDArray[np.int64]:
        """The ranks that there are, in order."""
        return np.flatnonzero(np.bincount(self.ranks[self.ranks >= 0]))

    @cached_property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many rows have each of the values."""
        return np.bincount(self.ranks[self.ranks >= 0]).astype(np.int64)[self.values]

    @property
    def drawn(self) -> tuple[npt.NDArray[np.int64], Bits, int]:
        """The values with their shares, those that equal nothing last, and whether there are any of these."""
        values, counts = self.values, self.counts
        if self.missing:
            values, counts = np.append(values, -1), np.append(counts, self.missing)
        return values, counts / max(self.rows, 1), int(self.missing > 0)

    @cached_property
    def missing(self) -> int:
        """How many NULLs that equal nothing."""
        return self.rows - int(self.counts.sum())

    @property
    def _log_factorial(self) -> Bits:
        return log_factorials(self.rows)

    @cached_property
    def too_small(self) -> Bits:
        """For k pairs: by how many bits their chance may be too small if drawn with replacement."""
        drawn = 2 * np.arange(self.pairs + 1)
        without = self._log_factorial[self.rows] - self._log_factorial[self.rows - drawn]
        bits: Bits = np.maximum(drawn * np.log(max(self.rows, 1)) - without, 0.0) / LOG2
        return bits

    @cached_property
    def exact_counts(self) -> float:
        """Bits of drawing each value exactly as often as it is there, with replacement.

        A chance without replacement is at most that much larger than the one with it.
        """
        counts = np.append(self.counts, self.missing)
        counts = counts[counts > 0]
        drawn = self._log_factorial[self.rows] - self._log_factorial[counts].sum()
        return max(-float(drawn + (counts * np.log(counts / max(self.rows, 1))).sum()) / LOG2, 0.0)

    @cached_property
    def equal_share(self) -> float:
        """The share of equal values among pairs drawn with replacement."""
        return float(np.square(self.counts / max(self.rows, 1)).sum())

    @cached_property
    def ordered_share(self) -> float:
        """The share of pairs whose values have an order, if drawn with replacement."""
        return max((1 - self.missing / max(self.rows, 1)) ** 2 - self.equal_share, 0.0)

    def equality(self, pairs: int) -> Bits:
        """Bits of k pairs all being equal, for k up to so many."""
        known = self._equality  # other threads may change it
        if len(known) <= pairs:  # of all pairs it takes long
            self._equality = known = self._bits_of_equality(min(2 * pairs, self.pairs))
        return known[: pairs + 1]

    def _bits_of_equality(self, pairs: int) -> Bits:
        k, logs = np.arange(pairs + 1), self._log_factorial
        if self.rows > EXACT_ROWS:
            return self.at_best(float(bits_unless(1 - self.equal_share)))
        ways = ways_to_be_equal(self.counts[self.counts > 1], logs, pairs)
        chance = ways + logs[k] - (logs[self.rows] - logs[self.rows - 2 * k])
        bits: Bits = np.maximum(-chance / LOG2, 0.0)
        return bits

    @cached_property
    def alike(self) -> Bits:
        """Bits of r rows all being equal; at most `IMPOSSIBLE` a row, where no value comes so often."""
        bits, logs = IMPOSSIBLE * np.arange(self.rows + 1.0), self._log_factorial
        sizes, times = np.unique(self.counts, return_counts=True)
        ways = np.full(self.rows + 1, -np.inf)
        for size, time in zip(sizes.tolist(), times.tolist(), strict=True):
            of_size = np.log(time) + logs[size] - logs[size - np.arange(size + 1)]
            ways[: size + 1] = np.logaddexp(ways[: size + 1], of_size)
        draws = logs[self.rows] - logs[self.rows - np.arange(self.rows + 1)]
        most: Bits = np.minimum(bits, np.maximum(draws - ways, 0.0) / LOG2)
        most[:2] = 0.0
        return most

    @cached_property
    def difference(self) -> Bits:
        """Bits of k pairs all being different."""
        bits: Bits = bits_of_difference(self.counts, self.rows, self.pairs)
        return bits

    def alone(self, excluded: int, one_way: int, both_ways: int) -> float:
        """Bits of so many pairs not satisfying one literal, which excludes some outcomes, of the column.

        For some pairs one order of the rows counts, for the others both.
        """
        pairs = one_way + both_ways
        if excluded == EQUAL:
            return float(self.equality(pairs)[-1])
        if excluded == UNEQUAL or not self.ordered:
            return float(self.difference[pairs])
        if self.missing:
            share = self.ordered_share / 2 + (0.0 if excluded & EQUAL else self.equal_share)
            bits = self.independent(np.full(pairs, bits_unless(share)))
            return bits if excluded & EQUAL else min(bits, float(pairs + self.difference[pairs]))
        if excluded & EQUAL:
            return self._unless_less(one_way, both_ways)
        return float(one_way + self.difference[pairs]) if not both_ways else np.inf

    def pairs_for(self, excluded: int, bits: float) -> int:
        """A number of pairs that are worth so many bits, in whichever order their rows are."""
        some = self._some_pairs if bits < np.inf else []
        return next((k for k in some if self._worth_of_pairs(excluded, k) >= bits), self.pairs)

    def _worth_of_pairs(self, excluded: int, pairs: int) -> float:
        if (excluded, pairs) not in self._known_worth:
            self._known_worth[excluded, pairs] = self.alone(excluded, pairs, 0)
        return self._known_worth[excluded, pairs]

    @cached_property
    def _some_pairs(self) -> list[int]:
        """Numbers of pairs, each but for the first few at most half as large again as the one before."""
        numbers = {k for n in range(self.pairs.bit_length()) for k in (1 << n, 3 << n >> 1)}
        return sorted(k for k in numbers if k <= self.pairs)

    def _unless_less(self, one_way: int, both_ways: int) -> float:
        """Bits of pairs being equal or, those that count one way, greater."""
        k = np.arange(one_way + 1)
        logs = self._log_factorial
        chosen = logs[one_way] - logs[k] - logs[one_way - k]
        terms = chosen - self.equality(one_way + both_ways)[both_ways:] * LOG2
        most = terms.max()
        if most == -np.inf:
            return np.inf
        return max(float(one_way - (most + np.log(np.exp(terms - most).sum())) / LOG2), 0.0)

    def independent(self, bits: Bits) -> float:
        """Bits of pairs that are worth so many each if drawn with replacement."""
        best = np.cumsum(-np.sort(-bits)) - self.too_small[1 : len(bits) + 1]
        return max(float(best.max(initial=0.0)), float(bits.sum()) - self.exact_counts, 0.0)

    def nested(self, shares: Bits) -> float:
        """Bits of cells not being beyond their thresholds, all on one side, that such shares of values are.

        The values within a threshold are among those within a higher one: to fill the cells from the lowest
        threshold on takes one value from each of the others, which is all that there is to count.
        """
        k = np.arange(len(shares))
        within = np.maximum(np.sort(self.within(shares)) - k, 1.0)
        return max(float(np.log2((self.rows - k) / within).sum()), 0.0)

    def within(self, shares: npt.ArrayLike) -> Bits:
        """How many values are not beyond thresholds that such shares are."""
        within: Bits = np.ceil(self.rows * (1 - np.asarray(shares, np.float64)) - ROUNDING)
        return within

    def strictly_sorted(self, sizes: npt.NDArray[np.int64]) -> float:
        """Bits of chains of such sizes being strictly sorted.

        Given which values meet in a chain, all their orders are as likely, and independent of other chains.
        """
        different = float(self.difference[int((sizes // 2).sum())])
        return float(self._log_factorial[sizes].sum()) / LOG2 + different

    def at_best(self, bits: float) -> Bits:
        """The same for k pairs of one worth."""
        k = np.arange(self.pairs + 1)
        best = np.maximum.accumulate(bits * k - self.too_small)
        most: Bits = np.maximum(np.maximum(best, bits * k - self.exact_counts), 0.0)
        return most


def bits_unless(shares: npt.ArrayLike) -> Bits:
    """Bits of something not happening that happens so often."""
    bits: Bits = 0.0 - np.log1p(-np.minimum(np.asarray(shares, np.float64), ALMOST)) / LOG2
    return bits
