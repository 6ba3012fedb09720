"""Fetch: the rows that are above or below a row in two columns, by two binary searches a chain."""

import numpy as np

from lawful.kernels import kernel
from lawful.validate.chains import CHAINS, LEFT_COLUMN, LOOSE, NOBODY, RIGHT_COLUMN, SIGN


@kernel
def count_below(line, sign, rows, start, size, key, near):
    """How many rows of a chain are below a key in one column; the search spreads from a place near by."""
    low, high, step = np.int64(0), size, 1
    near = min(near, size)
    if near < size and sign * np.int64(line[rows[start + near]]) < key:
        low = near + 1
        while near + step < size and sign * np.int64(line[rows[start + near + step]]) < key:
            low = near + step + 1
            step *= 2
        high = min(near + step, size)
    else:
        high = near
        while near - step >= 0 and sign * np.int64(line[rows[start + near - step]]) >= key:
            high = near - step
            step *= 2
        low = max(near - step + 1, 0)
    while low < high:
        middle = (low + high) // 2
        if sign * np.int64(line[rows[start + middle]]) < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def bounds(left, right, chains, c, row, near):
    """How many rows of a chain are below a row and how many not above it: in the left column, in the right."""
    rows, start, size, sign = chains.rows, chains.starts[c], chains.sizes[c], chains.of[SIGN]
    x, y = np.int64(left[row]), sign * np.int64(right[row])
    below = count_below(left, 1, rows, start, size, x, near[c])
    not_above = count_below(left, 1, rows, start, size, x + 1, below)
    near[c] = below
    if chains.of[LEFT_COLUMN] == chains.of[RIGHT_COLUMN]:
        return below, not_above, below, not_above
    right_below = count_below(right, sign, rows, start, size, y, below)
    return below, not_above, right_below, count_below(right, sign, rows, start, size, y + 1, right_below)


@kernel
def with_linked(linked, row, found, count):
    """Write a row and those linked to it behind those found; returns how many there are."""
    while row != NOBODY:
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
def span(up, strict, below, not_above, size):
    """The rows of a chain that are above (up) or below a row in one column, or equal unless `strict`."""
    if up:
        return (not_above if strict else below), size
    return 0, (below if strict else not_above)


@kernel
def fetch(ranks, chains, row, ups, stricts, near, found):
    """Write the rows above (up) or below a row in the left and the right column; returns how many.

    Above means further on in a chain. A row is among those that equal it. `near` has a place in each chain from
    which a search starts, and keeps what it finds.
    """
    left, right, count = ranks[chains.of[LEFT_COLUMN]], ranks[chains.of[RIGHT_COLUMN]], 0
    if (left[row] | right[row]) < 0:
        return count
    for c in range(chains.used[CHAINS]):
        x_below, x_not_above, y_below, y_not_above = bounds(left, right, chains, c, row, near)
        first, last = span(ups[0], stricts[0], x_below, x_not_above, chains.sizes[c])
        y_first, y_last = span(ups[1], stricts[1], y_below, y_not_above, chains.sizes[c])
        count = collect(chains, c, max(first, y_first), min(last, y_last), found, count)
    return count


@kernel
def fetch_others(ranks, chains, row, near, found):
    """Write the rows with other values than a row in the column of value lists; returns how many."""
    column, count = ranks[chains.of[LEFT_COLUMN]], with_linked(chains.linked, chains.used[LOOSE], found, 0)
    for c in range(chains.used[CHAINS]):
        below, not_above = 0, 0
        if column[row] >= 0:
            below, not_above, _, _ = bounds(column, column, chains, c, row, near)
        count = collect(chains, c, 0, below, found, count)
        count = collect(chains, c, not_above, chains.sizes[c], found, count)
    return count
