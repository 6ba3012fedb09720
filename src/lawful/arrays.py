"""Arrays that grow inside kernels, and sorted ones.

Copies are written as loops: assignments to slices take the compiler many times as long.
"""

import numpy as np

from lawful.kernels import kernel


@kernel
def copy_lines(lines, first, last, into, place):
    """Copy the lines first..last - 1 of a table of numbers to another, from line `place` on."""
    for k in range(first, last):
        for w in range(lines.shape[1]):
            into[place + k - first, w] = lines[k, w]


@kernel
def copy_items(items, into):
    """Copy all numbers of one array to the beginning of another."""
    for k in range(items.shape[0]):
        into[k] = items[k]


@kernel
def with_room(array, used, more):
    """The array itself if `more` lines fit behind the used ones, else a copy at least twice as long."""
    if used + more <= array.shape[0]:
        return array
    longer = np.empty((2 * array.shape[0] + more, array.shape[1]), array.dtype)
    copy_lines(array, 0, used, longer, 0)
    return longer


@kernel
def with_lines(array, used, lines, count):
    """The array with the first `count` of some lines behind the used ones."""
    array = with_room(array, used, count)
    copy_lines(lines, 0, count, array, used)
    return array


@kernel
def with_line(array, used, line):
    """The array with one more line behind the used ones."""
    return with_lines(array, used, line.reshape(1, line.shape[0]), 1)


@kernel
def below(values, count, value):
    """How many of some sorted values are less than a value."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low
