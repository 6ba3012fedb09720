"""Rows in sorted chains: IncPOD's index of two marked attributes (sections IV and V), and value lists.

In every chain both columns rise from row to row, or the left one rises and the right one falls, where equal
values may follow each other. So the rows that are above or below a given row in both columns, in whichever
direction, are one span of each chain, and the same chains serve `<`, `<=`, `>=` and `>`. Of rows with the
same two values one is in a chain, and the others are linked to it. A column with itself is one chain that has
each value once: its value lists.

An index may have a context, columns that come before the left and the right one: chains then rise from class
to class of the context, and within each class as said above. That serves laws with `=` on all these columns.

Fetch takes two binary searches a chain. What they find, the *bounds* of a row in a chain, are six numbers:
how many rows of the chain are below it and how many are not above it in the left column, then in the right
one, then in the context.

Chains hold row numbers only. What is compared are the ranks, which may be renumbered as long as they keep
their order. A row with a NULL that equals nothing (a negative rank) is in no chain; such rows are linked too.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.kernels import kernel
from lawful.laws.comparisons import Ints
from lawful.table.ranked import Ranks
from lawful.validate.partition import RowNumbers

LEFT_COLUMN, RIGHT_COLUMN, SIGN, CONTEXT = 0, 1, 2, 3  # where an index has what it is of
CHAINS, PLACES, LOOSE = 0, 1, 2  # in use: so many chains, so many places; the first row outside chains
NO_ROW = np.int32(-1)  # ends a list of linked rows
MOST_NUMBERS = 1 << 62

_NO_ROWS, _NO_INTS = np.empty(0, np.int32), np.empty(0, np.int64)
BOUNDS_OF_ROW = 6  # of a row in a chain
LOWEST, HIGHEST = np.int64(-(2**62)), np.int64(2**62)  # below and above the values of all rows


class Chains(NamedTuple):
    """Chain c has `sizes[c]` rows from place `starts[c]` on, and room for `rooms[c]`."""

    of: Ints  # left column, right column, 1 if both rise and -1 if the right one falls, then the context
    rows: RowNumbers
    starts: Ints
    sizes: Ints
    rooms: Ints
    linked: RowNumbers  # [row]: another row with the same two values
    used: Ints


NO_CHAINS = Chains(
    np.array([0, 0, 1]), _NO_ROWS, _NO_INTS, _NO_INTS, _NO_INTS, _NO_ROWS, np.array([0, 0, int(NO_ROW)])
)


@kernel
def link(chains, head, row):
    """Put a row behind another one with the same values."""
    chains.linked[row] = chains.linked[head]
    chains.linked[head] = row


@kernel
def link_loose(chains, rows):
    """Link the rows that are in no chain."""
    for i in range(rows.shape[0]):
        chains.linked[rows[i]] = chains.used[LOOSE]
        chains.used[LOOSE] = rows[i]


@kernel
def room_for_rows(size):
    """The places that a chain of so many rows gets."""
    return size + size // 4 + 4


@kernel
def fitting_tail(tails, count, place):
    """The chain that ends nearest below or at a place in the right column; `count` if none does.

    Chains in the order in which they were begun end lower and lower.
    """
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if tails[middle] <= place:
            high = middle
        else:
            low = middle + 1
    return low


@kernel
def laid_out(of, chain_of, heads, sizes, capacity):
    """Chains of some rows, whose chains are known."""
    count = sizes.shape[0]
    starts, rooms, places = np.empty(count, np.int64), np.empty(count, np.int64), 0
    for c in range(count):
        starts[c], rooms[c] = places, room_for_rows(sizes[c])
        places += rooms[c]
    rows, filled = np.empty(places, np.int32), starts.copy()
    for i in range(heads.shape[0]):
        rows[filled[chain_of[i]]] = heads[i]
        filled[chain_of[i]] += 1
    linked, used = np.full(capacity, NO_ROW, np.int32), np.array([count, places, NO_ROW])
    return Chains(of, rows, starts, sizes, rooms, linked, used)


@kernel
def minimum_chains(of, rows, numbers, places, capacity):
    """OptIndex: as few chains as possible of rows in the order of the left column and then the right one.

    Each row goes to the chain that ends nearest below it in the right column, in which the rows have these
    `places`, or begins one if all end above it. Rows with the same values have the same `numbers`.
    """
    heads, chain_of = np.empty(rows.shape[0], np.int32), np.empty(rows.shape[0], np.int64)
    tails, sizes = np.empty(rows.shape[0], np.int64), np.zeros(rows.shape[0], np.int64)
    count, chains = 0, 0
    for i in range(rows.shape[0]):
        if i and numbers[i] == numbers[i - 1]:
            continue
        c = fitting_tail(tails, chains, places[i])
        chains += c == chains
        tails[c], heads[count], chain_of[count] = places[i], rows[i], c
        sizes[c] += 1
        count += 1
    index = laid_out(of, chain_of, heads[:count], sizes[:chains].copy(), capacity)
    head = NO_ROW
    for i in range(rows.shape[0]):
        if i and numbers[i] == numbers[i - 1]:
            link(index, head, rows[i])
        else:
            head = rows[i]
    return index


def _in_one(columns: Sequence[npt.NDArray[Any]]) -> Ints:
    """Numbers in the order of the first column, then of the second one, and so on."""
    numbers = columns[0].astype(np.int64)
    for column in columns[1:]:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        if (int(numbers.max(initial=0)) + 1) * (high - low + 1) > MOST_NUMBERS:
            numbers = np.unique(numbers, return_inverse=True)[1].astype(np.int64)
        numbers = numbers * (high - low + 1) + column.astype(np.int64) - low
    return numbers


class Ordered(NamedTuple):
    """Some rows in the order of an index: by context, left column and then the right one."""

    rows: RowNumbers
    numbers: Ints  # which are the same for rows with the same values
    loose: RowNumbers  # that chains cannot have


def in_order(ranks: Ranks, of: Ints, rows: RowNumbers) -> Ordered:
    """Rows as chains can have them."""
    left, right, sign, *context = of.tolist()
    values = np.array([ranks[column, rows] for column in (*context, left, right)])
    known = (values >= 0).all(axis=0)
    values = values[:, known]
    values[-1] *= sign
    numbers = _in_one([*values[:-1]] if left == right else [*values])
    order = np.argsort(numbers)
    return Ordered(rows[known][order], numbers[order], rows[~known])


def chains_of(ranks: Ranks, of: tuple[int, ...], rows: RowNumbers, capacity: int) -> Chains:
    """The index of two columns over some rows: left, right, 1 if both rise or -1 if right falls, its context.

    There will be room for `capacity` rows, whichever these are.
    """
    columns = np.array(of, np.int64)
    left, right, sign, *context = of
    ordered = in_order(ranks, columns, rows)
    places = ordered.numbers
    if left != right:
        values = [ranks[column, ordered.rows] for column in (*context, right)]
        places = _in_one([*values[:-1], sign * values[-1]])
    chains: Chains = minimum_chains(columns, ordered.rows, ordered.numbers, places, capacity)
    link_loose(chains, ordered.loose)
    return chains


@kernel
def is_below(ranks, context, line, sign, other, row, key):
    """Whether another row is in a lower class than a row, or in the same one and below a key in a column."""
    for k in range(context.shape[0]):
        x, y = ranks[context[k], other], ranks[context[k], row]
        if x != y:
            return x < y
    return sign * np.int64(line[other]) < key


@kernel
def count_below(ranks, context, line, sign, rows, span, row, key, near):
    """How many rows of a chain are below a row in its context, with a key for its value in one column.

    The chain has the places of a span; the search spreads from a place near by.
    """
    start, size = span
    low, high, step = np.int64(0), size, 1
    near = min(near, size)
    if near < size and is_below(ranks, context, line, sign, rows[start + near], row, key):
        low = near + 1
        while near + step < size and is_below(
            ranks, context, line, sign, rows[start + near + step], row, key
        ):
            low = near + step + 1
            step *= 2
        high = min(near + step, size)
    else:
        high = near
        while near - step >= 0 and not is_below(
            ranks, context, line, sign, rows[start + near - step], row, key
        ):
            high = near - step
            step *= 2
        low = max(near - step + 1, np.int64(0))
    while low < high:
        middle = (low + high) // 2
        if is_below(ranks, context, line, sign, rows[start + middle], row, key):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def write_bounds(ranks, chains, row, bounds):
    """Write the bounds of a row in all chains; searches start at those that stand there."""
    left, right = ranks[chains.of[LEFT_COLUMN]], ranks[chains.of[RIGHT_COLUMN]]
    sign, rows, context = chains.of[SIGN], chains.rows, chains.of[CONTEXT:]
    x, y = np.int64(left[row]), sign * np.int64(right[row])
    for c in range(chains.used[CHAINS]):
        span, own = (chains.starts[c], chains.sizes[c]), bounds[c]
        own[0] = count_below(ranks, context, left, 1, rows, span, row, x, own[0])
        own[1] = count_below(ranks, context, left, 1, rows, span, row, x + 1, own[0])
        if chains.of[LEFT_COLUMN] == chains.of[RIGHT_COLUMN]:
            own[2], own[3] = own[0], own[1]
        else:
            own[2] = count_below(ranks, context, right, sign, rows, span, row, y, own[0])
            own[3] = count_below(ranks, context, right, sign, rows, span, row, y + 1, own[2])
        own[4], own[5] = 0, chains.sizes[c]
        if context.shape[0]:
            own[4] = count_below(ranks, context, left, 1, rows, span, row, LOWEST, own[0])
            own[5] = count_below(ranks, context, left, 1, rows, span, row, HIGHEST, own[1])


@kernel
def with_linked(linked, row, found, count):
    """Write a row and those linked to it behind those found; returns how many there are."""
    while row != NO_ROW:
        found[count] = row
        count += 1
        row = linked[row]
    return count


@kernel
def collect(chains, c, first, last, found, count):
    """Write the rows of a span of one chain behind those found; returns how many there are."""
    for i in range(chains.starts[c] + first, chains.starts[c] + last):
        count = with_linked(chains.linked, chains.rows[i], found, count)
    return count


@kernel
def span(up, strict, below, not_above, first, last):
    """The part of a class that is above (up) or below a row in one column, or equal unless `strict`."""
    if up:
        return (not_above if strict else below), last
    return first, (below if strict else not_above)


@kernel
def has_context(ranks, chains, row):
    """Whether a row has values in all columns of the context."""
    for k in range(CONTEXT, chains.of.shape[0]):
        if ranks[chains.of[k], row] < 0:
            return False
    return True


@kernel
def has_places(ranks, chains, row):
    """Whether a row has values in all columns of an index."""
    own = ranks[chains.of[LEFT_COLUMN], row] | ranks[chains.of[RIGHT_COLUMN], row]
    return own >= 0 and has_context(ranks, chains, row)


@kernel
def fetch(chains, bounds, ups, stricts, found):
    """Write the rows above (up) or below one with these bounds, in the left and the right column.

    Above means further on in a chain, and includes equal values unless `strict`. Returns how many there are.
    """
    count = 0
    for c in range(chains.used[CHAINS]):
        own = bounds[c]
        first, last = span(ups[0], stricts[0], own[0], own[1], own[4], own[5])
        right_first, right_last = span(ups[1], stricts[1], own[2], own[3], own[4], own[5])
        count = collect(chains, c, max(first, right_first), min(last, right_last), found, count)
    return count


@kernel
def fetch_others(chains, bounds, found):
    """Write the rows with another value in the left column than one with these bounds, which may have none.

    They have the same values in the context, or miss one somewhere. Returns how many there are.
    """
    count = with_linked(chains.linked, chains.used[LOOSE], found, 0)
    for c in range(chains.used[CHAINS]):
        count = collect(chains, c, bounds[c, 4], bounds[c, 0], found, count)
        count = collect(chains, c, bounds[c, 1], bounds[c, 5], found, count)
    return count
