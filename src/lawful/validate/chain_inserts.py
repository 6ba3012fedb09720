"""Rows that come into chains, a batch at a time and without a copy of the index (IncPOD, section V-C)."""

import numpy as np

from lawful.arrays import copy_items
from lawful.kernels import kernel
from lawful.table.ranked import Ranks
from lawful.validate.chains import (
    BOUNDS_OF_ROW,
    CHAINS,
    CONTEXT,
    NO_ROW,
    PLACES,
    RIGHT_COLUMN,
    SIGN,
    Chains,
    in_order,
    link,
    link_loose,
    room_for_rows,
    write_bounds,
)
from lawful.validate.partition import RowNumbers

NO_CHAIN = -1  # no chain fits


@kernel
def longer(array, used, more):
    """The array itself if `more` items fit behind the used ones, else a copy at least twice as long."""
    if used + more <= array.shape[0]:
        return array
    copy = np.empty(2 * array.shape[0] + more, array.dtype)
    copy_items(array[:used], copy)
    return copy


@kernel
def begun_chain(chains):
    """The index with one more chain, which has no rows yet."""
    c = chains.used[CHAINS]
    starts, sizes = longer(chains.starts, c, 1), longer(chains.sizes, c, 1)
    rooms = longer(chains.rooms, c, 1)
    starts[c], sizes[c], rooms[c] = chains.used[PLACES], 0, 0
    chains.used[CHAINS] += 1
    return Chains(chains.of, chains.rows, starts, sizes, rooms, chains.linked, chains.used)


@kernel
def moved_chain(chains, c, size):
    """The index with one chain moved behind all others, with room for so many rows and more."""
    room, start, first = room_for_rows(size), chains.used[PLACES], chains.starts[c]
    rows = longer(chains.rows, start, room)
    for i in range(chains.sizes[c]):
        rows[start + i] = rows[first + i]
    chains.starts[c], chains.rooms[c] = start, room
    chains.used[PLACES] += room
    return Chains(chains.of, rows, chains.starts, chains.sizes, chains.rooms, chains.linked, chains.used)


@kernel
def fits_behind(ranks, of, row, tail):
    """Whether a row of a batch in order can follow another one of it."""
    if tail == NO_ROW:
        return True
    for k in range(CONTEXT, of.shape[0]):
        if ranks[of[k], tail] != ranks[of[k], row]:
            return True
    right, sign = of[RIGHT_COLUMN], of[SIGN]
    return sign * np.int64(ranks[right, tail]) <= sign * np.int64(ranks[right, row])


@kernel
def place_for(ranks, chains, row, tails, coming, bounds):
    """Where a row goes: the longest chain that it fits, the place in it, and a row with the same values.

    `tails` are the last rows of the batch that came to each chain, and `coming` their numbers.
    """
    chain, at = NO_CHAIN, np.int64(0)
    for c in range(chains.used[CHAINS]):
        first, last = max(bounds[c, 0], bounds[c, 2]), min(bounds[c, 1], bounds[c, 3])
        if first < last:
            return NO_CHAIN, first, chains.rows[chains.starts[c] + first]
        fits = first == last and fits_behind(ranks, chains.of, row, tails[c])
        if fits and (chain == NO_CHAIN or chains.sizes[c] + coming[c] > chains.sizes[chain] + coming[chain]):
            chain, at = c, first
    return chain, at, NO_ROW


@kernel
def merge_into(chains, c, batch, at):
    """Move the rows of a chain apart and put those of a batch, in order, before the rows at their places."""
    start, old, new = chains.starts[c], chains.sizes[c], batch.shape[0]
    to = old + new
    chains.sizes[c] = to
    for k in range(new - 1, -1, -1):
        while old > at[k]:
            old, to = old - 1, to - 1
            chains.rows[start + to] = chains.rows[start + old]
        to -= 1
        chains.rows[start + to] = batch[k]


@kernel
def merged(chains, batch, chain_of, at, coming):
    """The index with the rows of a batch in their chains."""
    count = chains.used[CHAINS]
    ends, filled = np.zeros(count + 1, np.int64), np.zeros(count, np.int64)
    for c in range(count):
        ends[c + 1], filled[c] = ends[c] + coming[c], ends[c]
    rows, places = np.empty(batch.shape[0], np.int32), np.empty(batch.shape[0], np.int64)
    for i in range(batch.shape[0]):
        c = chain_of[i]
        rows[filled[c]], places[filled[c]] = batch[i], at[i]
        filled[c] += 1
    for c in range(count):
        if coming[c]:
            if chains.sizes[c] + coming[c] > chains.rooms[c]:
                chains = moved_chain(chains, c, chains.sizes[c] + coming[c])
            merge_into(chains, c, rows[ends[c] : ends[c + 1]], places[ends[c] : ends[c + 1]])
    return chains


@kernel
def with_batch(ranks, chains, rows, numbers):
    """The index with more rows, which come in its order; those with the same values have the same numbers."""
    most = chains.used[CHAINS] + rows.shape[0]
    tails, coming, bounds = (
        np.full(most, NO_ROW, np.int32),
        np.zeros(most, np.int64),
        np.zeros((most, BOUNDS_OF_ROW), np.int64),
    )
    batch, count, head = np.empty(rows.shape[0], np.int32), 0, NO_ROW
    chain_of, at = np.empty(rows.shape[0], np.int64), np.empty(rows.shape[0], np.int64)
    for i in range(rows.shape[0]):
        row = rows[i]
        if i and numbers[i] == numbers[i - 1]:
            link(chains, head, row)
            continue
        write_bounds(ranks, chains, row, bounds)
        c, place, head = place_for(ranks, chains, row, tails, coming, bounds)
        if head != NO_ROW:
            link(chains, head, row)
            continue
        head = row
        if c == NO_CHAIN:
            c = chains.used[CHAINS]
            chains = begun_chain(chains)
        tails[c], batch[count], chain_of[count], at[count] = row, row, c, place
        coming[c] += 1
        count += 1
    return merged(chains, batch[:count], chain_of, at, coming)


def inserted(ranks: Ranks, chains: Chains, rows: RowNumbers) -> Chains:
    """The index with more rows; its arrays are moved only where they have no room left."""
    most = int(rows.max(initial=-1)) + 1
    if most > len(chains.linked):
        room = max(most, len(chains.linked) * 5 // 4)
        linked = np.concatenate([chains.linked, np.full(room - len(chains.linked), NO_ROW, np.int32)])
        chains = chains._replace(linked=linked)
    ordered = in_order(ranks, chains.of, rows)
    link_loose(chains, ordered.loose)
    grown: Chains = with_batch(ranks, chains, ordered.rows, ordered.numbers)
    return grown
