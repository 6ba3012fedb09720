"""Fetch: the rows that are above or below a row in two columns, by two binary searches a chain.

What the searches find, the *bounds* of a row in a chain, are six numbers: how many rows of the chain are
below it and how many are not above it in the left column, then in the right one, then in the context.
"""

import numpy as np

from lawful.kernels import kernel
from lawful.validate.chains import CHAINS, CONTEXT, LEFT_COLUMN, LOOSE, NO_ROW, RIGHT_COLUMN, SIGN

BOUNDS_OF_ROW = 6  # of a row in a chain
LOWEST, HIGHEST = np.int64(-(2**62)), np.int64(2**62)  # below and above the values of all rows


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
