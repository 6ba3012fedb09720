"""Fetch: the rows that are above or below a row in two columns, by two binary searches a chain.

What the searches find, the *bounds* of a row in a chain, are four numbers: how many rows of the chain are
below it and how many are not above it in the left column, then the same in the right one.
"""

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
        low = max(near - step + 1, np.int64(0))
    while low < high:
        middle = (low + high) // 2
        if sign * np.int64(line[rows[start + middle]]) < key:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def write_bounds(ranks, chains, row, bounds):
    """Write the bounds of a row with values in all chains; searches start at those that stand there."""
    left, right = ranks[chains.of[LEFT_COLUMN]], ranks[chains.of[RIGHT_COLUMN]]
    sign, rows = chains.of[SIGN], chains.rows
    x, y = np.int64(left[row]), sign * np.int64(right[row])
    for c in range(chains.used[CHAINS]):
        start, size = chains.starts[c], chains.sizes[c]
        bounds[c, 0] = count_below(left, 1, rows, start, size, x, bounds[c, 0])
        bounds[c, 1] = count_below(left, 1, rows, start, size, x + 1, bounds[c, 0])
        if chains.of[LEFT_COLUMN] == chains.of[RIGHT_COLUMN]:
            bounds[c, 2], bounds[c, 3] = bounds[c, 0], bounds[c, 1]
        else:
            bounds[c, 2] = count_below(right, sign, rows, start, size, y, bounds[c, 0])
            bounds[c, 3] = count_below(right, sign, rows, start, size, y + 1, bounds[c, 2])


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
def has_places(ranks, chains, row):
    """Whether a row has values in both columns."""
    return (ranks[chains.of[LEFT_COLUMN], row] | ranks[chains.of[RIGHT_COLUMN], row]) >= 0


@kernel
def fetch(chains, bounds, ups, stricts, found):
    """Write the rows above (up) or below one with these bounds, in the left and the right column.

    Above means further on in a chain, and includes equal values unless `strict`. Returns how many there are.
    """
    count = 0
    for c in range(chains.used[CHAINS]):
        first, last = span(ups[0], stricts[0], bounds[c, 0], bounds[c, 1], chains.sizes[c])
        right_first, right_last = span(ups[1], stricts[1], bounds[c, 2], bounds[c, 3], chains.sizes[c])
        count = collect(chains, c, max(first, right_first), min(last, right_last), found, count)
    return count


@kernel
def fetch_others(chains, bounds, missing, found):
    """Write the rows that differ in one column from a row with these bounds, or with a `missing` value.

    Returns how many there are.
    """
    count = with_linked(chains.linked, chains.used[LOOSE], found, 0)
    for c in range(chains.used[CHAINS]):
        count = collect(chains, c, 0, chains.sizes[c] if missing else bounds[c, 0], found, count)
        if not missing:
            count = collect(chains, c, bounds[c, 1], chains.sizes[c], found, count)
    return count
