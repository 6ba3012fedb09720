"""The agree-sets of a batch of rows with all others and with each other, in parts that can run anywhere."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.evidence.agree_tiles import Codes, count_codes
from lawful.evidence.line_counts import count_block, counted_lines, no_lines
from lawful.evidence.shared_values import NO_LIST, Lists, Rows, count_lists, lists_of_column
from lawful.evidence.value_codes import ValueCodes
from lawful.laws.comparisons import Ints
from lawful.machine import usable_cores
from lawful.table.ranked import Ranks
from lawful.words import Words, mapped_sets, words_for


class Counted(NamedTuple):
    """Distinct agree-sets, and of how many pairs each is the one."""

    sets: Words
    counts: Ints


class AgreeBatch(NamedTuple):
    """A batch of rows of a table beside the others, as kernels take them."""

    rows: Rows
    planes: Codes  # [place, combination]
    weights: Ints  # how many rows of the batch have each combination
    others: Ints  # and how many others
    words: Words  # the codes of all combinations, eight a word
    combinations: Rows  # of each row
    order: Ints  # the column at each place
    list_of: Rows  # these three are Lists
    starts: Ints
    listed: Rows

    @classmethod
    def of(cls, ranks: Ranks, coded: ValueCodes, rows: Rows) -> AgreeBatch:
        """A batch of rows that the codes know already."""
        weights = np.bincount(coded.combinations[rows], minlength=len(coded.weights))
        live = np.flatnonzero(coded.weights)
        planes, others = np.ascontiguousarray(coded.codes[live].T), (coded.weights - weights)[live]
        codes = (coded.words, coded.combinations, coded.order)
        return cls(rows, planes, weights[live], others, *codes, *lists_of_batch(ranks, coded, rows))

    @property
    def seconds(self) -> float:
        """About how many CPU seconds the pairs of the batch take."""
        by_codes = costs.agree_set_seconds(
            len(self.weights), self._coded, int(np.count_nonzero(self.weights))
        )
        shared = np.diff(self.starts)[self.list_of[self.list_of >= 0]].sum()
        return by_codes + costs.SHARED_VALUE * float(shared)

    @property
    def _coded(self) -> int:
        """Up to which place columns have codes."""
        return int(np.flatnonzero(self.planes.any(axis=1)).max(initial=-1)) + 1

    def part(self, number: int, parts: int, halt: Ints) -> Counted:
        """The pairs of one of several equal parts of the batch."""
        known = no_lines(words_for(len(self.order)))
        mine = np.flatnonzero(self.weights)[number::parts].copy()
        counters = self._counters(len(mine))
        known = count_codes(known, self.planes, self.weights, self.others, mine, counters, halt)
        mine = np.flatnonzero((self.list_of >= 0).any(axis=1))[number::parts].copy()
        lists = Lists(self.list_of, self.starts, self.listed)
        known = count_lists(known, self.rows, mine, lists, self.words, self.combinations, halt)
        sets, counts = counted_lines(known)
        moved = (self.order != np.arange(len(self.order))).any()
        return Counted(mapped_sets(sets, self.order) if moved else sets, counts)

    def _counters(self, rows: int) -> int:
        """How many counters of sets so many rows are worth: one for each possible set, or none."""
        sets = 1 << min(self._coded, costs.COUNTED_DIRECTLY + 1)
        return sets if sets <= min(rows * len(self.weights), 1 << costs.COUNTED_DIRECTLY) else 0


def lists_of_batch(ranks: Ranks, coded: ValueCodes, rows: Rows) -> Lists:
    """The lists of the rare values of a batch."""
    there = coded.combinations >= 0
    there[rows] = False
    others, codes = np.flatnonzero(there).astype(np.int32), coded.codes[coded.combinations[rows]]
    asking = ranks[coded.order[:, None], rows] >= 0
    asking[: coded.places] &= codes.T[: len(asking)] == 0
    list_of = np.full((len(ranks), len(rows)), NO_LIST)
    starts, listed, lists, length = [np.zeros(1, np.int64)], [rows[:0]], 0, 0
    for place in np.flatnonzero(asking.any(axis=1)):
        own, ends, members = lists_of_column(ranks[coded.order[place]], rows, asking[place], others)
        list_of[place] = np.where(own >= 0, own + lists, NO_LIST)
        starts.append(ends[1:] + length)
        listed.append(members)
        lists, length = lists + len(ends) - 1, length + len(members)
    return Lists(np.ascontiguousarray(list_of.T), np.concatenate(starts), np.concatenate(listed))


def added_up(parts: Iterable[Counted], columns: int) -> Counted:
    """The counts of all parts."""
    known = no_lines(words_for(columns))
    for sets, counts in parts:
        known = count_block(known, np.ascontiguousarray(sets.T), counts, 1)
    return Counted(*counted_lines(known))


def agree_sets_of_batch(batch: AgreeBatch) -> Counted:
    """The agree-sets of all pairs with a row of a batch, on all cores where that is worth it."""
    cores = usable_cores() if batch.seconds > costs.SHORT_AGREE_SETS else 1
    part = partial(batch.part, parts=cores, halt=np.zeros(1, np.int64))
    if cores == 1:
        return part(0)
    with ThreadPoolExecutor(cores) as pool:
        return added_up(pool.map(part, range(cores)), len(batch.order))
