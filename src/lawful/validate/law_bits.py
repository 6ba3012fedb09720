"""How many bits keys, FDs and ODs are worth: how surely each would break if one of its columns were shuffled.

The bits of a law are those of the column with the fewest, less the logarithm of the number of candidates. For
its right side, or its two sides, they are summed over the classes of its context; for a column of its context
over the exceptions that the context has without it. Partitions are made once for all laws that ask for them.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import below
from lawful.kernels import kernel
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, LawArrays
from lawful.laws.comparisons import Ints
from lawful.laws.targets import LEFT, RIGHT, Targets
from lawful.table.ranked import RankedRows, Ranks
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import bit_tables, bits_of_two, place_of
from lawful.validate.candidates import Wanted, log_candidates
from lawful.validate.contexts import Refinement, groups_of, partition_of, refinement_for
from lawful.validate.cuts import most_bits_alike
from lawful.validate.exceptions import (
    fill_demand,
    largest_class,
    longest_run,
    parts_of_class,
    sides_in_order,
    values_of_class,
)
from lawful.validate.ordering import classes_in_order, forget, new_ordering
from lawful.validate.prefix_walk import aim, new_walk, partition_by, refined
from lawful.validate.scan import direction_of
from lawful.words import ONE, Words, differ, words_for

FEW_ROWS, FEW_WAYS = 64, 1 << 15  # of a table and of its values: so many are counted one by one
SIDES = -1  # in place of a column of the context that is shuffled
RUNS = 8  # sorted runs of a class whose rows are told from each other; what is on none of them goes uncounted


class Exceptions(NamedTuple):
    """Exceptions that a context leaves, counted by places."""

    cells: npt.NDArray[np.int64]  # [conflicts, before]: by conflicts, and by exceptions of the class before
    touched: Ints  # [k, 2]: the cells that are not zero
    found: Ints  # how many these are, and how many rows are in classes with exceptions
    demand: npt.NDArray[np.float64]  # of a key: as `fill_demand` has it


@kernel
def new_exceptions(places, total):
    """Room for those of any partition of so many rows."""
    cells = np.zeros((places, places), np.int64)
    room = min(places * places, total)
    return Exceptions(cells, np.empty((room, 2), np.int64), np.zeros(2, np.int64), np.zeros((2, places)))


@kernel
def clear(exceptions):
    """Forget all."""
    for k in range(exceptions.found[0]):
        exceptions.cells[exceptions.touched[k, 0], exceptions.touched[k, 1]] = 0
    exceptions.found[0], exceptions.found[1] = 0, 0
    for place in range(exceptions.demand.shape[1]):
        exceptions.demand[0, place] = exceptions.demand[1, place] = 0.0


@kernel
def add_exception(exceptions, conflicts, before):
    """Count a row that conflicts with so many others, after so many exceptions of its class."""
    at, after = place_of(conflicts), place_of(before)
    if exceptions.cells[at, after] == 0:
        place = exceptions.found[0]
        exceptions.touched[place, 0], exceptions.touched[place, 1] = at, after
        exceptions.found[0] = place + 1
    exceptions.cells[at, after] += 1


@kernel
def add_splits(exceptions, sizes, count):
    """Count the exceptions of a class whose values have these sizes: each is to be told from larger ones."""
    some = sizes[:count]
    some.sort()
    conflicts = some[count - 1]
    for v in range(count - 2, -1, -1):
        for k in range(some[v]):
            add_exception(exceptions, conflicts, k)
        conflicts += some[v]


@kernel
def out_of_order(lefts, rights, count, left, right):
    """How many rows of a sorted run, given by its sides, are out of order with a row."""
    later = below(lefts, count, left) - below(rights, count, right + 1)
    sooner = below(rights, count, right) - below(lefts, count, left + 1)
    return max(later, 0) + max(sooner, 0)


@kernel
def take_run(lefts, rights, count, tails, before, run_lefts, run_rights):
    """Move the longest sorted run out of a class, given by its sorted sides; returns its length."""
    length, last = longest_run(rights, count, tails, before), np.int64(0)
    wanted, left = length, 0
    for i in range(count - 1, -1, -1):
        if before[i] + 1 == wanted and (wanted == length or rights[i] <= last):
            wanted, last = wanted - 1, rights[i]
            run_lefts[wanted], run_rights[wanted] = lefts[i], rights[i]
            before[i] = -1
    for i in range(count):
        if before[i] >= 0:
            lefts[left], rights[left] = lefts[i], rights[i]
            left += 1
    return length


@kernel
def add_swaps(exceptions, room, count):
    """Count the exceptions of a class, given by its sorted sides: what is off the longest sorted run is to be
    told from the rows that it is out of order with. The rows of another run need not be told from each other.

    Returns how many there are.
    """
    lefts, rights, runs_left, runs_right = room[0], room[1], room[4], room[5]
    ends, runs, taken, left = np.zeros(RUNS + 1, np.int64), 0, 0, count
    while left > 0 and runs < RUNS:
        run = take_run(lefts, rights, left, room[2], room[3], runs_left[taken:], runs_right[taken:])
        for i in range(taken, taken + run if runs else taken):
            conflicts = 0
            for k in range(runs):
                some = slice(ends[k], ends[k + 1])
                size = ends[k + 1] - ends[k]
                conflicts += out_of_order(
                    runs_left[some], runs_right[some], size, runs_left[i], runs_right[i]
                )
            add_exception(exceptions, conflicts, i - taken)
        taken, left, runs = taken + run, left - run, runs + 1
        ends[runs] = taken
    return count - ends[1]


@kernel
def count_exceptions(exceptions, ranks, rows, ends, target, numbers, counts, room):
    """Count the exceptions of a partition, whose classes are in the order of a swap's left side."""
    clear(exceptions)
    start = 0
    if target[LEFT] < 0:
        fill_demand(ranks, rows, ends, target, numbers, counts, exceptions.demand)
        exceptions.found[1] = rows.shape[0]
    for k in range(ends.shape[0] if target[LEFT] >= 0 else 0):
        some = rows[start : ends[k]]
        start = ends[k]
        left = ranks[target[LEFT]]
        if target[RIGHT] >= 0:
            right = ranks[target[RIGHT]]
            known = sides_in_order(some, left, right, direction_of(target), room[0], room[1])
            if known > 1 and add_swaps(exceptions, room, known) > 0:
                exceptions.found[1] += known
        else:
            values = parts_of_class(some, left, counts, room[0])
            if values > 1:
                add_splits(exceptions, room[0], values)
                exceptions.found[1] += some.shape[0]


@kernel
def correction(column, rows, tables, total):
    """What a column of few values loses where most rows take part: it runs out of those that would fail."""
    return tables.few[column] * math.log2(max(total / (total - rows + 1.0), 1.0))


@kernel
def bits_of_column(exceptions, column, tables, total):
    """How surely a shuffled column fails to tell the exceptions from what they conflict with.

    Exceptions of one class share their luck: what the rows that they conflict with leave free is free for all
    of them.
    """
    bits = 0.0
    for place in range(exceptions.demand.shape[1]):
        bits += exceptions.demand[0, place] * tables.apart[column, place]
        bits += exceptions.demand[1, place] * tables.unlike[column, place]
    for k in range(exceptions.found[0]):
        at, after = exceptions.touched[k, 0], exceptions.touched[k, 1]
        before = tables.numbers[after] if after < 64 else tables.numbers[after + 1] - 1
        weight = tables.weight[column, at]
        chance = (2.0 ** -tables.unlike[column, at] * weight + before) / (weight + before)
        bits -= exceptions.cells[at, after] * math.log2(chance)
    return max(bits - correction(column, exceptions.found[1], tables, total), 0.0)


@kernel
def bits_alike(rows, ends, column, tables, total):
    """How surely a shuffled column has more than one value in some class: the better of two bounds."""
    together, put_back, start, factorials = 0.0, 0.0, 0, tables.factorials
    for k in range(ends.shape[0]):
        size = ends[k] - start
        start, place = ends[k], place_of(size)
        before, after = tables.same[column, place], tables.same[column, place + 1]
        step = tables.numbers[place + 1] - tables.numbers[place]
        put_back += before + (after - before) * (size - tables.numbers[place]) / step
        together += tables.alike[column, place] - (factorials[total] - factorials[total - size])
    together += factorials[total] - factorials[total - rows.shape[0]]
    return max(put_back - correction(column, rows.shape[0], tables, total) / 2, together, 0.0)


@kernel
def values_to_share(column, counts, sizes):
    """Write how often the values come that more than one row has; returns how many these are."""
    values, found = values_of_class(np.arange(column.shape[0]), column, counts, sizes), 0
    for v in range(values):
        if sizes[v] > 1:
            sizes[found] = sizes[v]
            found += 1
    return found


@kernel
def ways_to_share(ends, sizes, states):
    """In how many ways each class can be given a value, by how many rows that takes of each value.

    A state is a number with a digit for each value. A value has so many rows as `sizes` says.
    """
    ways, start = np.zeros(states), 0
    ways[0] = 1.0
    for k in range(ends.shape[0]):
        size, after, stride = ends[k] - start, np.zeros(states), 1
        start = ends[k]
        for v in range(sizes.shape[0]):
            base = sizes[v] + 1
            for state in range(states):
                if ways[state] > 0.0 and (state // stride) % base + size <= sizes[v]:
                    after[state + size * stride] += ways[state]
            stride *= base
        ways = after
    return ways


@kernel
def bits_shared_out(rows, ends, column, tables, counts):
    """How surely a shuffled column has more than one value in some class: exactly, for a few rows.

    Returns -1 where there are too many ways to share its values out to the classes.
    """
    total, factorials = column.shape[0], tables.factorials
    if total > FEW_ROWS or ends.shape[0] == 0:
        return -1.0
    sizes, states = np.empty(total, np.int64), 1
    values = values_to_share(column, counts, sizes)
    for v in range(values):
        states *= sizes[v] + 1
        if states * values * ends.shape[0] > FEW_WAYS:
            return -1.0
    ways, chance = ways_to_share(ends, sizes[:values], states), 0.0
    for state in range(states):
        if ways[state] > 0.0:
            rest, orders = state, 0.0
            for v in range(values):
                taken = rest % (sizes[v] + 1)
                rest //= sizes[v] + 1
                orders += factorials[sizes[v]] - factorials[sizes[v] - taken]
            chance += ways[state] * 2.0 ** (orders - factorials[total] + factorials[total - rows.shape[0]])
    return max(-math.log2(max(chance, 2.0**-1000.0)), 0.0)


@kernel
def bits_of_right_side(ranks, rows, ends, column, tables, counts):
    """How surely a shuffled column has more than one value in some class, as exactly as it can be told."""
    exactly = bits_shared_out(rows, ends, ranks[column], tables, counts)
    bits = bits_alike(rows, ends, column, tables, ranks.shape[1])
    # No more than cuts suppose, which do not know that what one class takes is not left for another.
    return max(bits, min(exactly, most_bits_alike(ends, column, tables)))


@kernel
def bits_in_order(rows, ends, fixed, shuffled, tables, counts, sizes):
    """How surely a shuffled column, by its number, is out of order with a fixed one in some class.

    Either all rows of a class are sorted, or so are pairs of them: the better of two bounds.
    """
    bits, start = 0.0, 0
    for k in range(ends.shape[0]):
        some = rows[start : ends[k]]
        start = ends[k]
        values = values_of_class(some, fixed, counts, sizes)
        known, most, ties = 0, 0, 0.0
        for v in range(values):
            known, most = known + sizes[v], max(most, sizes[v])
            ties += math.lgamma(sizes[v] + 1.0)
        place = place_of(known)
        sorted_bits = tables.rising[shuffled, place]
        sorted_bits += (known - tables.numbers[place]) * tables.slope[shuffled, place] - ties / math.log(2.0)
        pairs = min(known // 2, known - most)
        bits += max(sorted_bits, pairs * tables.swap[shuffled], 0.0)
    return bits


@kernel
def bits_of_margins(lefts, rights, count):
    """How surely a shuffled column is out of order with another in all rows: of all tables with the same
    values on both sides only one has no swap."""
    bits, lefts_alike, both_alike = math.lgamma(count + 1.0), 0, 0
    ordered = np.sort(rights[:count])
    rights_alike = 0
    for i in range(count + 1):
        same_left = 0 < i < count and lefts[i] == lefts[i - 1]
        if not same_left:
            bits -= math.lgamma(lefts_alike + 1.0)
            lefts_alike = 0
        if not (same_left and rights[i] == rights[i - 1]):
            bits += math.lgamma(both_alike + 1.0)
            both_alike = 0
        if not (0 < i < count and ordered[i] == ordered[i - 1]):
            bits -= math.lgamma(rights_alike + 1.0)
            rights_alike = 0
        lefts_alike, both_alike, rights_alike = lefts_alike + 1, both_alike + 1, rights_alike + 1
    return max(bits / math.log(2.0), 0.0)


@kernel
def bits_of_sides(ranks, rows, ends, target, tables, counts, room):
    """How surely a law breaks if its right side, or the lesser of its two sides, is shuffled."""
    if target[RIGHT] < 0:
        return bits_of_right_side(ranks, rows, ends, target[LEFT], tables, counts)
    left, right = ranks[target[LEFT]], ranks[target[RIGHT]]
    if ends.shape[0] == 1 and rows.shape[0] == ranks.shape[1]:
        known = sides_in_order(rows, left, right, direction_of(target), room[0], room[1])
        if known == rows.shape[0]:
            return bits_of_margins(room[0], room[1], known)
    of_left = bits_in_order(rows, ends, right, target[LEFT], tables, counts, room[0])
    if tables.low[target[RIGHT]] == 0.0:
        return min(of_left, bits_in_order(rows, ends, left, target[RIGHT], tables, counts, room[0]))
    of_right, start = 0.0, 0
    for k in range(ends.shape[0]):
        of_right += bits_of_two(rows[start : ends[k]], left, target, tables)
        start = ends[k]
    return min(of_left, of_right)


@kernel
def rate_group(ranks, orders, base, base_depth, keys, column_at, targets, shuffled, tables, halt, counts):
    """The bits of one shuffled column, or of the sides, of each of some laws.

    They come sorted by context, without the column that is shuffled, and by target; their contexts share
    their first columns. NaN after a halt.
    """
    total = ranks.shape[1]
    walk, ordering = new_walk(base, base_depth, column_at), new_ordering(total)
    exceptions = new_exceptions(tables.numbers.shape[0], total)
    room, bits = np.empty((6, 0), np.int64), np.full(keys.shape[0], np.nan)
    depth, counted = base_depth, -1
    for k in range(keys.shape[0]):
        if halt[0]:
            break
        if k == 0 or differ(keys[k], keys[k - 1]):
            depth = aim(walk, keys, k)
            walk = refined(walk, depth, ranks, counts)
            forget(ordering)
            counted = -1
        rows, ends = partition_by(walk, depth)
        if room.shape[1] < largest_class(ends):
            room = np.empty((6, largest_class(ends)), np.int64)
        if targets[k, RIGHT] >= 0:
            rows = classes_in_order(ordering, rows, ends, targets[k, LEFT], ranks, orders)
        if shuffled[k] < 0:
            bits[k] = bits_of_sides(ranks, rows, ends, targets[k], tables, counts, room)
            continue
        if counted < 0 or not same_target(targets[counted], targets[k]):
            count_exceptions(exceptions, ranks, rows, ends, targets[k], tables.numbers, counts, room)
            counted = k
        bits[k] = bits_of_column(exceptions, shuffled[k], tables, total)
    return bits


@kernel
def same_target(first, second):
    """Whether two targets are the same."""
    for k in range(4):
        if first[k] != second[k]:
            return False
    return True


class Shuffles(NamedTuple):
    """What to rate: of each law, by its number, one column or the sides."""

    laws: Ints
    contexts: Words  # without the column
    columns: Ints  # that are shuffled, or SIDES

    def only(self, places: Ints | npt.NDArray[np.bool_]) -> "Shuffles":
        """Some of them."""
        return Shuffles(self.laws[places], self.contexts[places], self.columns[places])


def are_wanted(work: Workspace, laws: LawArrays, wanted: Wanted) -> npt.NDArray[np.bool_]:
    """Which laws are worth the bits that are wanted. Constants and keys of one column always are."""
    sizes = np.bitwise_count(laws.sets).sum(axis=1, dtype=np.int64)
    facts = sizes <= np.where(laws.kinds == KEY, 1, np.where(laws.kinds == FD_KIND, 0, -1))
    worth: npt.NDArray[np.bool_] = facts
    doubted = np.flatnonzero(~facts)
    worth[doubted] = law_bits(work, laws.chosen(doubted), wanted.columns, wanted.bits) >= wanted.bits
    return worth


def law_bits(work: Workspace, laws: LawArrays, columns: int, least: float = 0.0) -> npt.NDArray[np.float64]:
    """The bits of each of some keys, FDs and ODs over so many columns, never negative; NaN after a halt.

    They are exact from `least` on: a law of which one column has fewer need not be looked at any further.
    """
    sets = np.ascontiguousarray(laws.sets[:, : words_for(work.rows.columns)])
    sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64)
    kinds, of_kind = np.unique(np.column_stack([laws.kinds, sizes]), axis=0, return_inverse=True)
    chances = np.array([log_candidates(kind, size, columns) for kind, size in kinds.tolist()])
    bits = np.full(len(sets), np.inf)
    sided = np.flatnonzero(laws.targets[:, LEFT] >= 0)
    sides = Shuffles(sided, sets[sided], np.full(len(sided), SIDES))
    bits[sided] = rated(work, sides, laws.targets)
    chance = chances[of_kind.ravel()] if len(sets) else bits
    # To shuffle the only column on the left of an FD is to shuffle the right one.
    several = (sizes > 1) | (laws.targets[:, RIGHT] >= 0)
    open_laws = np.flatnonzero(_in_doubt(bits, chance, least) & several)
    for contexts in _idlest_first(each_column(open_laws, sets), work):
        some = contexts.only(_in_doubt(bits, chance, least)[contexts.laws])
        with np.errstate(invalid="ignore"):  # NaN after a halt
            np.minimum.at(bits, some.laws, rated(work, some, laws.targets))
    bits[np.isinf(bits)] = 0.0  # a key of one column or none: no shuffle breaks it
    worth: npt.NDArray[np.float64] = np.maximum(bits - chance, 0.0)
    return worth


def _in_doubt(
    bits: npt.NDArray[np.float64], chance: npt.NDArray[np.float64], least: float
) -> npt.NDArray[np.bool_]:
    """Which laws may have any bits, and `least` of them, as far as is known; not those after a halt."""
    return (bits > chance) & (bits - chance >= least)


def bits_between(ranks: Ranks, columns: int) -> tuple[float, float]:
    """The bits of the FD and of the OD between two columns that have the same classes, as these ranks tell.

    They depend on the sizes of the classes alone, and there are only sides to shuffle: the formulas of
    `bits_of_sides` without what contexts need, whose kernels take long to compile.
    """
    rows = RankedRows(np.stack([ranks, ranks]), [True, True])
    classes, total = partition_of((0,), Workspace(rows)), rows.count
    fd = bits_of_right_side(rows.ranks, *classes, 1, bit_tables(rows), rows.counts)
    fd -= log_candidates(FD_KIND, 1, columns)
    if ranks.min() >= 0:
        sizes, times = np.unique(np.bincount(ranks), return_counts=True)
        alike = sum(count * math.lgamma(size + 1) for size, count in zip(sizes, times, strict=True))
        od = max(math.lgamma(total + 1) - alike, 0.0) / math.log(2)  # of all orders one has no swap
    else:
        everything, room = np.array([total], np.int32), np.empty(total, np.int64)
        order, tables = rows.orders[0], bit_tables(rows)
        od = bits_in_order(order, everything, rows.ranks[1], 0, tables, rows.counts, room)
    return max(float(fd), 0.0), max(float(od) - log_candidates(OD_KIND, 0, columns), 0.0)


def each_column(laws: Ints, sets: Words) -> Shuffles:
    """A shuffle for each column of the contexts of some laws."""
    bits = np.unpackbits(sets[laws].view(np.uint8), axis=1, bitorder="little")
    places, columns = np.nonzero(bits)
    contexts = sets[laws[places]]
    contexts[np.arange(len(contexts)), columns >> 6] ^= ONE << (columns & 63).astype(np.uint64)
    return Shuffles(laws[places], contexts, columns)


def _idlest_first(shuffles: Shuffles, work: Workspace) -> Iterator[Shuffles]:
    """The shuffle of each law's column that tells least, then those of the others.

    Most laws are chance, and that column shows it.
    """
    order = np.lexsort((work.rows.information[shuffles.columns], shuffles.laws))
    firsts = np.diff(shuffles.laws[order], prepend=-1) != 0
    yield shuffles.only(order[firsts])
    yield shuffles.only(order[~firsts])


def rated(work: Workspace, shuffles: Shuffles, targets: Targets) -> npt.NDArray[np.float64]:
    """The bits of each shuffle."""
    rows, of_each = work.rows, targets[shuffles.laws]
    bits = np.full(len(of_each), np.nan)
    if not len(of_each):
        return bits
    refinement: Refinement = refinement_for(shuffles.contexts, rows)
    keys = refinement.keys(shuffles.contexts)
    order = np.lexsort((*of_each.T[::-1], *keys.T[::-1]))
    keys, of_each = np.ascontiguousarray(keys[order]), np.ascontiguousarray(of_each[order])
    shuffled, tables = shuffles.columns[order], bit_tables(work.rows)
    for part, base, depth in groups_of(keys, refinement, work):
        bits[order[part]] = rate_group(
            rows.ranks,
            rows.orders,
            base,
            depth,
            keys[part],
            refinement.columns,
            of_each[part],
            shuffled[part],
            tables,
            work.halt,
            rows.counts,
        )
    return bits
