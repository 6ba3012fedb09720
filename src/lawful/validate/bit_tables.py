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
from lawful.table.ranked import RankedRows

Numbers = npt.NDArray[np.float64]

EXACT, STEPS = 64, 32  # numbers with a place of their own, and places for each power of two after these
OCTAVE = 6  # the power of two that EXACT is
COARSE = 4  # of so many places one has a tangent of its own to the bits of sorted rows
HALVINGS = 30  # of an interval in which the best tangent is looked for
MOST = 64.0  # bits of a single event: what is impossible is no surer than this
NEGLIGIBLE = 100.0  # bits by which one chance is so much less than another that it does not count
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
def bits_of_chance(chance):
    """A chance as bits, at most MOST."""
    return min(max(-math.log2(max(chance, 2.0**-MOST)), 0.0), MOST)


@kernel
def write_unlike(sizes, times, factorials, numbers, unlike, weight):
    """Write how surely a row is like one of k others; values come `sizes` times each, `times` values do.

    Those that come seldom are first; of those that come often hardly any row is unlike k others.
    """
    total = factorials.shape[0] - 1
    for place in range(numbers.shape[0]):
        k = min(numbers[place], total - 1)
        one, two, square = 0.0, 0.0, 0.0
        of_all = factorials[total - 1 - k] - factorials[total - 1]
        for v in range(sizes.shape[0]):
            size = sizes[v]
            if total - size < k:
                break
            free = 2.0 ** (factorials[total - size] - factorials[total - size - k] + of_all) * size / total
            one += times[v] * free
            square += times[v] * free * free
            if k <= total - 2:
                two += times[v] * free * (size - 1) / (total - 1 - k)
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
def write_alike(sizes, times, factorials, numbers, alike, same):
    """Write how surely c rows are not all alike, and as if values were put back.

    The most frequent values come last; those before them hardly count for many rows.
    """
    total, last = factorials.shape[0] - 1, sizes.shape[0] - 1
    logs = np.log2(sizes / total)
    for place in range(numbers.shape[0]):
        c = numbers[place]
        alike[place] = same[place] = MOST * c if c > 1 else 0.0
        if c < 2 or last < 0:
            continue
        rest, chance = 0.0, 0.0  # as multiples of what the most frequent value gives
        for v in range(last, -1, -1):
            below = c * (logs[v] - logs[last])
            if below < -NEGLIGIBLE:
                break
            rest += times[v] * 2.0**below
            if c <= sizes[v]:
                orders = factorials[sizes[v]] - factorials[sizes[v] - c]
                chance += times[v] * 2.0 ** (orders - factorials[sizes[last]] + factorials[sizes[last] - c])
        same[place] = min(same[place], max(-c * logs[last] - math.log2(rest), 0.0))
        if chance > 0.0:
            orders = factorials[sizes[last]] - factorials[sizes[last] - c]
            orders -= factorials[total] - factorials[total - c]
            alike[place] = min(alike[place], max(-orders - math.log2(chance), 0.0))
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
def bits_of_two(rows, fixed, shuffled, direction, tables):
    """The same for a column, by its number, that is to rise or to fall with the fixed one."""
    low = tables.low[shuffled]
    if direction > 0:
        return bits_sorted(rows, fixed, low, 1.0 - low)
    return bits_sorted(rows, fixed, 1.0 - low, low)


@kernel
def correction(column, rows, tables, total):
    """What a column of few values loses where most rows take part: it runs out of those that would fail."""
    return tables.few[column] * math.log2(max(total / (total - rows + 1.0), 1.0))


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


class PairBits(NamedTuple):
    """The most bits that a pair of rows of a class can stand for: no class has more than its pairs."""

    alike: Numbers  # [column]: of a right side
    sorted: Numbers  # [column]: of a side of an OD


def bits_of_pairs(tables: BitTables) -> PairBits:
    """What a shuffled column can be worth for each pair of rows that agree on the context of a law."""
    numbers = tables.numbers.astype(np.float64)
    # A place is for numbers up to the next one.
    first, last = numbers[2:-1], np.where(numbers[2:-1] < EXACT, numbers[2:-1], numbers[3:])
    pairs = first * (first - 1.0) / 2.0
    alike = np.where(first < EXACT, tables.alike[:, 2:-1], tables.alike[:, 3:])
    rising = tables.rising[:, 2:-1] + (last - first) * tables.slope[:, 2:-1]
    in_pairs = last // 2 * tables.swap[:, None]
    # of a column of two values, whose bits are told exactly: if all rows had its more frequent one
    frequent = np.where(tables.low > 0.0, np.maximum(tables.low, 1.0 - tables.low), 1.0)
    all_alike = -last * np.log2(frequent)[:, None]
    most = np.maximum(np.maximum(rising, in_pairs), all_alike * (first >= EXACT))
    return PairBits((alike / pairs).max(axis=1, initial=0.0), (most / pairs).max(axis=1, initial=0.0))


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
        counts = rows.sizes[column]
        sizes, times = np.unique(counts[counts > 0], return_counts=True)
        low[column] = counts[0] / total if len(counts) == 2 and counts.sum() == total else 0.0
        _write_column(tables, column, sizes, times.astype(np.float64), total)
    return tables


def _write_column(
    tables: BitTables, column: int, sizes: npt.NDArray[np.int64], times: Numbers, total: int
) -> None:
    numbers, unknown = tables.numbers, total - int((sizes * times).sum())
    # NULLs that equal nothing are values that come once.
    all_sizes, all_times = (np.append(1, sizes), np.append(unknown, times)) if unknown else (sizes, times)
    write_unlike(
        all_sizes, all_times, tables.factorials, numbers, tables.unlike[column], tables.weight[column]
    )
    if unknown:  # which is unlike whatever the others drew: they share more luck than equal values do
        np.minimum(tables.weight[column], 1.0, out=tables.weight[column])
    write_apart(numbers, tables.unlike[column], tables.apart[column])
    write_alike(sizes, times, tables.factorials, numbers, tables.alike[column], tables.same[column])
    write_rising(sizes, times, unknown, total, numbers, tables.rising[column], tables.slope[column])
    known, alike = float(total - unknown), float((sizes * (sizes - 1.0) * times).sum())
    pairs = total * (total - 1.0)
    tables.swap[column] = -math.log2(1.0 - (known * (known - 1.0) - alike) / pairs / 2.0)
    values = pairs / alike if alike else math.inf  # as many alike values would be alike as often
    tables.few[column] = min(1.0, 1.0 / (values - 1.0)) if values > 1.0 else 1.0


NO_TABLES = bit_tables(RankedRows(np.empty((0, 0), np.int32), []))  # where no bits are asked for
