"""What the values of each column say of chance: tables that the bits of laws are summed up from.

Bits are minus the logarithm (to base 2) of a probability. Each table has a line for every column, and a place
for every number of rows: for each number below 64, then 32 for every power of two.

A column is shuffled, so rows draw its values without putting them back. Where a formula supposes that they
are put back, as for equal and for sorted values, it errs to the low side.
"""

import math
from threading import Lock
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.targets import RIGHT
from lawful.table.ranked import RankedRows
from lawful.validate.scan import direction_of

Numbers = npt.NDArray[np.float64]

EXACT, STEPS = 64, 32  # numbers with a place of their own, and places for each power of two after these
OCTAVE = 6  # the power of two that EXACT is
COARSE = 4  # of so many places one has a tangent of its own to the bits of sorted rows
HALVINGS = 30  # of an interval in which the best tangent is looked for
MOST = 64.0  # bits of a single event: what is impossible is no surer than this
UNSHARED = 1e9  # so many draws before one that another changes nothing
_making = Lock()


class BitTables(NamedTuple):
    """Bits for every column and number of rows; k and c stand for the number at a place."""

    numbers: npt.NDArray[np.int64]  # [place]: the least number that has it
    unlike: Numbers  # that a row is unlike each of k other rows
    apart: Numbers  # that c rows are all unlike
    weight: (
        Numbers  # how many draws the chance of `unlike` is known from: few, and one row's luck is all rows'
    )
    alike: Numbers  # that c rows are all alike
    same: Numbers  # the same if values were put back
    rising: Numbers  # that c rows are in a given order: a tangent from below,
    slope: Numbers  # and how much it rises with each row
    swap: Numbers  # [column]: that two rows are not in the wrong order
    few: Numbers  # [column]: 1 for a column of two values, less for one of many
    low: Numbers  # [column]: the share of the lower value of a column of two; 0 for others
    factorials: Numbers  # [number]: the logarithms of their factorials


_tables: WeakKeyDictionary[RankedRows, BitTables] = WeakKeyDictionary()


def place_numbers(rows: int) -> npt.NDArray[np.int64]:
    """The least number of every place, up to the first that is more than so many rows."""
    numbers, octave = [*range(EXACT)], OCTAVE
    while numbers[-1] <= rows:
        numbers += [(STEPS + step) << (octave - 5) for step in range(STEPS)]
        octave += 1
    return np.array(numbers, np.int64)


@kernel
def place_of(number):
    """The place of a number."""
    if number < EXACT:
        return number
    octave = OCTAVE
    while number >> (octave + 1):
        octave += 1
    return EXACT + (octave - OCTAVE) * STEPS + ((number >> (octave - 5)) & (STEPS - 1))


@kernel
def log_choose(n, k):
    """The logarithm of the number of ways to choose k of n."""
    return math.lgamma(n + 1.0) - math.lgamma(k + 1.0) - math.lgamma(n - k + 1.0)


@kernel
def bits_of_chance(chance):
    """A chance as bits, at most MOST."""
    return min(max(-math.log2(max(chance, 2.0**-MOST)), 0.0), MOST)


@kernel
def write_unlike(sizes, times, total, numbers, unlike, weight):
    """Write how surely a row is like one of k others; values come `sizes` times each, `times` values do."""
    for place in range(numbers.shape[0]):
        k = min(numbers[place], total - 1)
        one, two, square = 0.0, 0.0, 0.0
        for v in range(sizes.shape[0]):
            size = sizes[v]
            if total - size >= k:
                free = math.exp(log_choose(total - size, k) - log_choose(total - 1, k)) * size / total
                one += times[v] * free
                square += times[v] * free * free
                if size > 1 and k <= total - 2:
                    both = math.exp(log_choose(total - size, k) - log_choose(total - 2, k))
                    two += times[v] * both * size / total * (size - 1) / (total - 1)
        one = min(max(one, 2.0**-MOST), 1.0)
        two += max(one * one - square, 0.0) * total / max(total - 1, 1)
        again = min(max(two / one, one), 1.0)  # the chance of a second row after the first
        unlike[place] = bits_of_chance(one)
        # Of a beta distribution with these two moments; more than the second one's truth, so bits are few.
        weight[place] = min(max((1.0 - again) / max(again - one, 1.0 / UNSHARED), 1.0 / UNSHARED), UNSHARED)


@kernel
def write_apart(numbers, unlike, apart):
    """Write how surely two of c rows are alike: the second like the first, the third like one of them, ..."""
    apart[0] = 0.0
    for place in range(1, numbers.shape[0]):
        before = numbers[place - 1]
        apart[place] = apart[place - 1] + (numbers[place] - before) * (unlike[place - 1] if before else 0.0)


@kernel
def write_alike(sizes, times, total, numbers, alike, same):
    """Write how surely c rows are not all alike, and as if values were put back."""
    for place in range(numbers.shape[0]):
        c = numbers[place]
        alike[place] = same[place] = MOST * c if c > 1 else 0.0
        highest, chance, rest = 0.0, 0.0, 0.0
        for v in range(sizes.shape[0]):
            highest = max(highest, sizes[v] / total)
        if c < 2 or highest == 0.0:
            continue
        for v in range(sizes.shape[0]):
            rest += times[v] * (sizes[v] / total / highest) ** c
            if c <= sizes[v]:
                chance += times[v] * math.exp(log_choose(sizes[v], c) - log_choose(total, c))
        same[place] = min(same[place], max(-c * math.log2(highest) - math.log2(rest), 0.0))
        if chance > 0.0:
            alike[place] = min(alike[place], max(-math.log2(chance), 0.0))
        alike[place] = max(alike[place], same[place])


@kernel
def bits_sorted(rows, column, low, high):
    """How surely a shuffled column of two values is not sorted in a class that is sorted by another column.

    `low` is the share of the value that is to come first, `high` that of the other one.
    """
    all_low, sorted_high, alike = 1.0, 0.0, 0
    for i in range(rows.shape[0]):
        if column[rows[i]] < 0:
            continue
        alike += 1
        if i + 1 == rows.shape[0] or column[rows[i + 1]] != column[rows[i]]:
            first = low**alike
            sorted_high = sorted_high * high**alike + all_low * (1.0 - first)
            all_low *= first
            alike = 0
    return max(-math.log2(max(all_low + sorted_high, 2.0**-1000.0)), 0.0)


@kernel
def bits_of_two(rows, left, target, tables):
    """The same for the right side of a swap, in a class that is in the order of the left one."""
    low = tables.low[target[RIGHT]]
    if direction_of(target) > 0:
        return bits_sorted(rows, left, low, 1.0 - low)
    return bits_sorted(rows, left, 1.0 - low, low)


@kernel
def write_rising(sizes, times, unknown, total, numbers, rising, slope):
    """Write how surely c rows, drawn in a given order, are not sorted by their values.

    For few rows the chance is a sum over all sorted draws (a complete homogeneous symmetric polynomial of the
    shares); for many a bound by its generating function. Rows without a value are never in the wrong order.
    """
    exact = min(EXACT, numbers.shape[0])
    powers, chances = np.zeros(exact, np.float64), np.zeros(exact, np.float64)
    chances[0] = 1.0
    highest, free = 0.0, unknown / total
    for v in range(sizes.shape[0]):
        share = sizes[v] / total
        highest = max(highest, share)
        for k in range(1, exact):
            powers[k] += times[v] * share**k
    for c in range(1, exact):
        for k in range(1, c + 1):
            chances[c] += powers[k] * chances[c - k] / c
    for c in range(exact):
        chance, ways = 0.0, 1.0
        for k in range(c + 1):
            chance += ways * chances[c - k]
            ways *= free * (c - k) / (k + 1)
        rising[c], slope[c] = max(-math.log2(max(chance, 2.0**-1000.0)), 0.0), 0.0
    low = 0.0
    for place in range(exact, numbers.shape[0]):
        if highest == 0.0:
            rising[place], slope[place] = 0.0, 0.0
        elif (place - exact) % COARSE:
            rising[place] = rising[place - 1] + (numbers[place] - numbers[place - 1]) * slope[place - 1]
            slope[place] = slope[place - 1]
        else:
            high = 1.0 / highest
            for _ in range(HALVINGS):
                middle, expected = (low + high) / 2, 0.0
                for v in range(sizes.shape[0]):
                    odds = sizes[v] / total * middle
                    expected += times[v] * odds / max(1.0 - odds, 1e-300)
                if expected * (1.0 + free * middle) < numbers[place]:
                    low = middle
                else:
                    high = middle
            slope[place] = -math.log2(free + 1.0 / low)
            rising[place] = numbers[place] * slope[place]
            for v in range(sizes.shape[0]):
                rising[place] += times[v] * math.log2(1.0 - sizes[v] / total * low)
            rising[place] = max(rising[place], 0.0)


def bit_tables(rows: RankedRows) -> BitTables:
    """The tables of some rows, made once: threads that share the rows share them."""
    with _making:
        if rows not in _tables:
            _tables[rows] = _made(rows)
        return _tables[rows]


def _made(rows: RankedRows) -> BitTables:
    numbers, total = place_numbers(rows.count), rows.count
    unlike, apart, weight, alike, same, rising, slope = np.zeros((7, rows.columns, len(numbers)))
    swap, few, low = np.zeros((3, rows.columns))
    factorials = np.cumsum(np.log2(np.maximum(np.arange(total + 1), 1)))
    tables = BitTables(numbers, unlike, apart, weight, alike, same, rising, slope, swap, few, low, factorials)
    for column in range(rows.columns if total > 1 else 0):
        known = rows.ranks[column][rows.ranks[column] >= 0]
        counts = np.bincount(known)
        sizes, times = np.unique(counts[counts > 0], return_counts=True)
        low[column] = counts[0] / total if len(counts) == 2 and len(known) == total else 0.0
        _write_column(tables, column, sizes, times.astype(np.float64), total)
    return tables


def _write_column(
    tables: BitTables, column: int, sizes: npt.NDArray[np.int64], times: Numbers, total: int
) -> None:
    numbers, unknown = tables.numbers, total - int((sizes * times).sum())
    # NULLs that equal nothing are values that come once.
    all_sizes, all_times = (np.append(sizes, 1), np.append(times, unknown)) if unknown else (sizes, times)
    write_unlike(all_sizes, all_times, total, numbers, tables.unlike[column], tables.weight[column])
    if unknown:  # which is unlike whatever the others drew: they share more luck than equal values do
        np.minimum(tables.weight[column], 1.0, out=tables.weight[column])
    write_apart(numbers, tables.unlike[column], tables.apart[column])
    write_alike(sizes, times, total, numbers, tables.alike[column], tables.same[column])
    write_rising(sizes, times, unknown, total, numbers, tables.rising[column], tables.slope[column])
    known, alike = float(total - unknown), float((sizes * (sizes - 1.0) * times).sum())
    pairs = total * (total - 1.0)
    tables.swap[column] = -math.log2(1.0 - (known * (known - 1.0) - alike) / pairs / 2.0)
    values = pairs / alike if alike else math.inf  # as many alike values would be alike as often
    tables.few[column] = min(1.0, 1.0 / (values - 1.0)) if values > 1.0 else 1.0
