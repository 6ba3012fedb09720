"""The outcomes of a batch of rows with all others, by tiles: what of them is new to an evidence set."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.arrays import with_line
from lawful.evidence.evidence_set import EvidenceSet, Pairs, insert_lines
from lawful.evidence.outcomes import (
    EMPTY,
    insert,
    line_words,
    mirrored_word,
    outcome_words,
    roomy,
    slot_of,
    turn,
)
from lawful.evidence.tiles import BLOCK, fill_lanes, join_lanes, narrow
from lawful.kernels import kernel
from lawful.laws.comparisons import Comparisons
from lawful.machine import usable_cores
from lawful.words import Words, numbered_lines

PAIRS = 1 << 22  # compared at a time: their distinct outcomes must fit memory


class Fresh(NamedTuple):
    """Outcomes that an evidence set does not have, and a pair of rows that shows each."""

    lines: Words
    pairs: Pairs


@kernel
def take_fresh(
    slots, known, columns, hashes, block, t, alive, turning, comparisons, line, fresh, pairs, count
):
    """Put lines that neither set has behind those found; how many lines are new to the first set.

    Nearly all are in the first set already and stand where their hash says.
    """
    added, mask = 0, slots.shape[0] - 1
    for j in range(block[1] - block[0]):
        slot, same = np.int64(hashes[j]) & mask, alive[block[0] + j]
        for w in range(columns.shape[0]):
            same &= slots[slot, w] == columns[w, j]
        if same or not alive[block[0] + j]:
            continue
        for w in range(columns.shape[0]):
            line[w] = columns[w, j]
        if insert(slots, line):
            added += 1
            if turning:
                turn(line, comparisons)
            if known[slot_of(known, line), line.shape[0] - 1] == 0:
                fresh = with_line(fresh, count, line)
                pairs = with_line(pairs, count, np.array([t, block[0] + j], np.int32))
                count += 1
    return added, fresh, pairs, count


@kernel
def fresh_outcomes(ranks, comparisons, turning, alive, rows, stretch, known):
    """The outcomes of some rows with those of a stretch of rows that have a lower number, if not known."""
    words = outcome_words(comparisons)
    slots, held = np.zeros((EMPTY, words), np.uint64), 0
    lanes = np.empty((comparisons.kind.shape[0] // 8 + 1, BLOCK), np.uint16)
    columns, hashes = np.empty((words, BLOCK), np.uint64), np.empty(BLOCK, np.uint64)
    line, count = np.empty(words, np.uint64), 0
    fresh, pairs = np.empty((16, words), np.uint64), np.empty((16, 2), np.int32)
    for start in range(stretch[0], stretch[1], BLOCK):
        for t in rows:
            end = min(start + BLOCK, stretch[1], t)
            if end > start:
                fill_lanes(ranks, comparisons, t, (start, end), lanes)
                join_lanes(lanes, end - start, columns, hashes)
                slots = roomy(slots, held, end - start)
                added, fresh, pairs, count = take_fresh(
                    slots,
                    known,
                    columns,
                    hashes,
                    (start, end),
                    t,
                    alive,
                    turning,
                    comparisons,
                    line,
                    fresh,
                    pairs,
                    count,
                )
                held += added
    return fresh[:count], pairs[:count]


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
    """For each of some lines, given as a set, up to so many pairs of rows t < s that have it."""
    words, rows = outcome_words(comparisons), ranks.shape[1]
    lanes = np.empty((comparisons.kind.shape[0] // 8 + 1, BLOCK), np.uint16)
    columns, hashes = np.empty((words, BLOCK), np.uint64), np.empty(BLOCK, np.uint64)
    pairs, count, mask = np.empty((16, 2), np.int32), 0, slots.shape[0] - 1
    line, shown = np.empty(words, np.uint64), np.zeros(slots.shape[0], np.int64)
    for start in range(0, rows, BLOCK):
        end = min(start + BLOCK, rows)
        for t in range(end - 1):
            first = max(start, t + 1)
            fill_lanes(ranks, comparisons, t, (first, end), lanes)
            join_lanes(lanes, end - first, columns, hashes)
            for j in range(end - first):
                if slots[np.int64(hashes[j]) & mask, words - 1] == 0:
                    continue
                for w in range(words):
                    line[w] = columns[w, j]
                slot = slot_of(slots, line)
                if slots[slot, words - 1] != 0 and shown[slot] < most:
                    shown[slot] += 1
                    pairs = with_line(pairs, count, np.array([t, first + j], np.int32))
                    count += 1
    return pairs[:count]


def pairs_showing(lines: Words, comparisons: Comparisons, ranks: npt.NDArray[np.int32], most: int) -> Pairs:
    """Pairs of rows of a small table that have some outcomes, up to so many for each."""
    if np.array_equal(comparisons.mirror, np.arange(len(comparisons.mirror))):
        lines = np.concatenate([lines, mirrored_lines(lines, comparisons)])
    slots = np.zeros((EMPTY, line_words(comparisons)), np.uint64)
    slots, _ = insert_lines(slots, 0, comparisons, False, lines)
    pairs: Pairs = showing_pairs(narrow(ranks), comparisons, slots, most)
    return pairs


class Rows(NamedTuple):
    """A table under change: row numbers are ids, those that are gone keep theirs."""

    ranks: npt.NDArray[np.int32]  # [column, row]: perhaps with room for more rows than there are
    alive: npt.NDArray[np.bool_]  # [row]: of all that there ever were


def fresh_of(
    evidence: EvidenceSet,
    rows: Rows,
    new: npt.NDArray[np.int64],
    wanted: Callable[[Fresh], Fresh],
) -> Fresh:
    """The outcomes of pairs with a new row that the evidence does not have, of these those that are wanted.

    The new rows are those with the highest numbers.
    """
    last = int(new[-1]) if len(new) else 0
    length = max(PAIRS // max(len(new), 1), BLOCK)
    stretches = [(start, min(start + length, last)) for start in range(0, last, length)]

    def of_stretch(stretch: tuple[int, int]) -> Fresh:
        lines, pairs = fresh_outcomes(
            rows.ranks, evidence.comparisons, evidence.turning, rows.alive, new, stretch, evidence.slots
        )
        return wanted(Fresh(lines, pairs))

    with ThreadPoolExecutor(usable_cores()) as pool:
        return joined_fresh(list(pool.map(of_stretch, stretches)), evidence)


def joined_fresh(parts: Sequence[Fresh], evidence: EvidenceSet) -> Fresh:
    """All outcomes of some parts, each once."""
    lines = np.concatenate([evidence.slots[:0], *(part.lines for part in parts)])
    pairs = np.concatenate([np.empty((0, 2), np.int32), *(part.pairs for part in parts)])
    distinct, numbers = numbered_lines(lines)
    first = np.empty(len(distinct), np.int64)
    first[numbers[::-1]] = np.arange(len(lines))[::-1]
    return Fresh(distinct, pairs[first])
