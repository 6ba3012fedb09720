"""The outcomes of a batch of rows with all others, by tiles: what of them is new to an evidence set."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_line
from lawful.evidence.evidence_set import EvidenceSet, Pairs, insert_lines, new_notes
from lawful.evidence.outcomes import (
    EMPTY,
    first_slot,
    line_words,
    mirrored_word,
    outcome_words,
    roomy,
    slot_of,
    turn,
)
from lawful.evidence.sieves import Sieve, Sieves, add_rows_through, have_twins
from lawful.evidence.tiles import (
    BLOCK,
    compare,
    fill_lanes_of_pairs,
    join_lanes,
    narrow,
    new_tile,
    slot_of_column,
)
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons, Ints
from lawful.machine import usable_cores
from lawful.words import Words, numbered_lines

TILE_PAIRS = 1 << 22  # compared at a time: their distinct outcomes must fit memory


class Fresh(NamedTuple):
    """Outcomes that an evidence set does not have, and a pair of rows that shows each."""

    lines: Words
    pairs: Pairs


class Found(NamedTuple):
    """What is found: lines that were seen, and of these the fresh ones, each with a pair of rows."""

    seen: Words  # a set
    fresh: Words
    pairs: Pairs
    counts: Ints  # of both


@kernel
def nothing_found(words):
    """Room for what is found."""
    lines, pairs = np.empty((16, words), np.uint64), np.empty((16, 2), np.int32)
    return Found(np.zeros((EMPTY, words), np.uint64), lines, pairs, np.zeros(2, np.int64))


@kernel
def take_fresh(found, known, tile, pairs, alive, turning, comparisons, line):
    """Put those lines of pairs behind what is found that were not seen and are not known."""
    size, columns, hashes = pairs.shape[0], tile.columns, tile.hashes
    seen = roomy(found.seen, found.counts[0], size)
    fresh, shown, last = found.fresh, found.pairs, columns.shape[0] - 1
    for j in range(size):
        slot = slot_of_column(seen, columns, hashes[j], j)
        if not alive[j] or seen[slot, last] != 0:
            continue
        for w in range(columns.shape[0]):
            seen[slot, w] = line[w] = columns[w, j]
        found.counts[0] += 1
        if turning:
            turn(line, comparisons)
        if known[slot_of(known, line), last] == 0:
            fresh = with_line(fresh, found.counts[1], line)
            shown = with_line(shown, found.counts[1], pairs[j])
            found.counts[1] += 1
    return Found(seen, fresh, shown, found.counts)


@kernel
def fresh_outcomes(ranks, comparisons, turning, alive, rows, stretch, known):
    """The outcomes of some rows with those of a stretch of rows that have a lower number, if not known."""
    words, tile = outcome_words(comparisons), new_tile(comparisons, BLOCK)
    line, pairs, found = np.empty(words, np.uint64), np.empty((BLOCK, 2), np.int32), nothing_found(words)
    for start in range(stretch[0], stretch[1], BLOCK):
        for j in range(BLOCK):
            pairs[j, 1] = start + j
        for t in rows:
            end = min(start + BLOCK, stretch[1], t)
            if end > start:
                compare(ranks, comparisons, t, (start, end), tile)
                for j in range(BLOCK):
                    pairs[j, 0] = t
                some = pairs[: end - start]
                found = take_fresh(found, known, tile, some, alive[start:end], turning, comparisons, line)
    return found.fresh[: found.counts[1]], found.pairs[: found.counts[1]]


@kernel
def sieved_outcomes(ranks, comparisons, turning, alive, rows, stretch, known, sieve):
    """The same, of pairs that go through a sieve: they are compared in all columns when they are many."""
    words, room = outcome_words(comparisons), 2 * BLOCK
    tile = new_tile(comparisons, room)
    masks, all_alive = np.empty((sieve.columns.shape[0] + 2, BLOCK), np.uint8), np.ones(room, np.bool_)
    line, pairs, found = np.empty(words, np.uint64), np.empty((room, 2), np.int32), nothing_found(words)
    count, last_row = 0, rows[rows.shape[0] - 1]
    for start in range(stretch[0], stretch[1], BLOCK):
        for t in rows:
            end = min(start + BLOCK, stretch[1], t)
            if end > start:
                count = add_rows_through(ranks, sieve, t, (start, end), alive, masks, pairs, count)
            if count > BLOCK or (t == last_row and start + BLOCK >= stretch[1]):
                fill_lanes_of_pairs(ranks, comparisons, pairs[:count], tile.lanes)
                join_lanes(tile.lanes, count, tile.columns, tile.hashes)
                found = take_fresh(found, known, tile, pairs[:count], all_alive, turning, comparisons, line)
                count = 0
    return found.fresh[: found.counts[1]], found.pairs[: found.counts[1]]


@kernel
def mirrored_lines(lines, comparisons):
    """The signs of pairs whose rows are exchanged."""
    mirrored, count = np.empty(lines.shape, np.uint64), comparisons.kind.shape[0]
    for k in range(lines.shape[0]):
        for w in range(lines.shape[1]):
            mirrored[k, w] = mirrored_word(lines[k, w])
        mirrored[k, count >> 5] ^= np.uint64(3) << np.uint64(2 * (count & 31))
    return mirrored


@kernel
def showing_pairs(ranks, comparisons, slots, most):
    """For each of some lines, given as a set, up to so many pairs of rows t < s that have it.

    No two of them in a row share a t or an s: one row that goes shall not take all with it.
    """
    words, rows = outcome_words(comparisons), ranks.shape[1]
    tile = new_tile(comparisons, BLOCK)
    columns, hashes = tile.columns, tile.hashes
    pairs, count, mask = np.empty((16, 2), np.int32), 0, slots.shape[0] - 1
    shown = np.zeros(slots.shape[0], np.int64)
    last = np.full((slots.shape[0], 2), -1, np.int64)
    waiting = np.zeros(slots.shape[0], np.int64)  # [first slot]: lines that have too few pairs so far
    for slot in range(slots.shape[0]):
        if slots[slot, words - 1]:
            waiting[first_slot(slots, slots[slot])] += 1
    for start in range(0, rows, BLOCK):
        end = min(start + BLOCK, rows)
        for t in range(end - 1):
            first = max(start, t + 1)
            compare(ranks, comparisons, t, (first, end), tile)
            for j in range(end - first):
                if waiting[np.int64(hashes[j]) & mask] == 0:
                    continue
                slot, s = slot_of_column(slots, columns, hashes[j], j), first + j
                known = slots[slot, words - 1] != 0 and shown[slot] < most
                if known and last[slot, 0] != t and last[slot, 1] != s:
                    shown[slot] += 1
                    if shown[slot] == most:
                        waiting[np.int64(hashes[j]) & mask] -= 1
                    last[slot, 0], last[slot, 1] = t, s
                    pairs = with_line(pairs, count, np.array([t, s], np.int32))
                    count += 1
    return pairs[:count]


def pairs_showing(lines: Words, comparisons: Comparisons, ranks: npt.NDArray[np.int32], most: int) -> Pairs:
    """Pairs of rows of a small table that have some outcomes, up to so many for each.

    Where it does not matter which row of a pair comes first, they are looked at in any order: rows that are
    near each other often go together.
    """
    order = np.arange(ranks.shape[1], dtype=np.int32)
    if np.array_equal(comparisons.mirror, np.arange(len(comparisons.mirror))):
        lines = np.concatenate([lines, mirrored_lines(lines, comparisons)])
        order = np.random.default_rng(0).permutation(order)
    slots = np.zeros((EMPTY, line_words(comparisons)), np.uint64)
    nothing, uncounted = new_notes(EMPTY, False, 0), np.zeros(len(lines), np.int64)
    slots, _, _ = insert_lines(slots, 0, nothing, comparisons, False, lines, uncounted)
    pairs: Pairs = order[showing_pairs(narrow(ranks[:, order]), comparisons, slots, most)]
    return pairs


class Rows(NamedTuple):
    """A table under change: row numbers are ids, those that are gone keep theirs."""

    ranks: npt.NDArray[np.int32]  # [column, row]: perhaps with room for more rows than there are
    alive: npt.NDArray[np.bool_]  # [row]: of all that there ever were


def fresh_of(
    evidence: EvidenceSet,
    rows: Rows,
    new: Ints,
    wanted: Callable[[Fresh], Fresh],
    sieves: Sieves | None = None,
) -> Fresh:
    """The outcomes of pairs with a new row that the evidence does not have, of these those that are wanted.

    The new rows are those with the highest numbers. No pair is wanted that does not go through sieves.
    """
    if not len(new):
        return Fresh(evidence.slots[:0], np.empty((0, 2), np.int32))

    def of_tile(tile: SievedTile) -> Fresh:
        table = rows.ranks, evidence.comparisons, evidence.turning, rows.alive
        given = *table, tile.new, tile.stretch, evidence.slots
        found = fresh_outcomes(*given) if tile.sieve is None else sieved_outcomes(*given, tile.sieve)
        return wanted(Fresh(*found))

    with ThreadPoolExecutor(usable_cores()) as pool:
        return joined_fresh(list(pool.map(of_tile, _tiles(rows, new, sieves))), evidence)


class SievedTile(NamedTuple):
    """New rows, a stretch of rows that they are compared with, and what these go through first."""

    new: Ints
    stretch: tuple[int, int]
    sieve: Sieve | None


def _tiles(rows: Rows, new: Ints, sieves: Sieves | None) -> list[SievedTile]:
    first, last = int(new[0]), int(new[-1])
    if sieves is None:
        return _parted(new, 0, last, None)
    twins = np.zeros(len(new), np.bool_)
    if len(sieves.repeating):
        twins = have_twins(rows.ranks, sieves.repeating, rows.alive, new, first)
    return [
        *_parted(new[twins], 0, first, sieves.of_twins),
        *_parted(new[~twins], 0, first, sieves.of_others),
        *_parted(new, first, last, sieves.of_others),
    ]


def _parted(new: Ints, first: int, last: int, sieve: Sieve | None) -> list[SievedTile]:
    """Tiles of some new rows with all rows from one to another."""
    length = max(TILE_PAIRS // max(len(new), 1), BLOCK)
    starts = range(first, last, length) if len(new) else ()
    return [SievedTile(new, (start, min(start + length, last)), sieve) for start in starts]


def joined_fresh(parts: Sequence[Fresh], evidence: EvidenceSet) -> Fresh:
    """All outcomes of some parts, each once."""
    lines = np.concatenate([evidence.slots[:0], *(part.lines for part in parts)])
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(part.pairs for part in parts)])
    distinct, numbers = numbered_lines(lines)
    first = np.empty(len(distinct), np.int64)
    first[numbers[::-1]] = np.arange(len(lines))[::-1]
    return Fresh(distinct, pairs[first])
