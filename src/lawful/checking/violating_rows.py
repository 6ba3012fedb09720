"""The rows that break a law: in groups (keys, FDs), alone (laws on one row), or in pairs (t, s).

A row is *likely wrong* where the others outvote it: most rows of a group have one value, and it is not the
row's; of a pair it is the row that breaks the law more often.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.checking.denials import Denial
from lawful.checking.law_errors import Conflicts, broken_classes, conflicts_of, violating_pairs
from lawful.laws.comparisons import IN_FIRST, Flags, Ints
from lawful.table.workspace import Workspace
from lawful.validate.dc_literals import DIFFERENCE, FILTERS, JOINS, TESTS
from lawful.validate.partition import RowNumbers
from lawful.validate.removals import mark_outvoted

Manner = Literal["groups", "rows", "pairs"]
NO_SIDE, FIRST, SECOND = 0, 1, 2  # of a pair: t and s
CHUNK = 1 << 18  # pairs that are listed at a time


class ViolatingRows(NamedTuple):
    """Some rows that break a law, a line each."""

    ids: Ints  # of rows
    groups: Ints  # the number of the group or pair that each is in, from 1
    sides: npt.NDArray[np.int8]
    wrong: Flags  # whether it is likely wrong

    def some(self, part: slice) -> ViolatingRows:
        """Those at some places."""
        return ViolatingRows(self.ids[part], self.groups[part], self.sides[part], self.wrong[part])


def manner_of(denial: Denial) -> Manner:
    """How the rows that break a law go together."""
    filters, joins, tests = (denial.literals.sizes[which] for which in (FILTERS, JOINS, TESTS))
    if joins:
        return "pairs"
    if filters:
        alone = len({*denial.literals.filters[:, 0].tolist()}) == 1 and not denial.context
        return "rows" if alone and not tests else "pairs"
    test = denial.literals.tests[:1]
    split = bool(tests == 1 and test[0, 0] == test[0, 1] and test[0, 2] == DIFFERENCE)
    return "groups" if tests == 0 or split else "pairs"


def violating_rows(denial: Denial, work: Workspace) -> Iterator[ViolatingRows]:
    """All rows that break a law, in the order of the source: groups and pairs by their first row."""
    match manner_of(denial):
        case "groups":
            groups = Groups.of(denial, work)
            yield groups.rows_of(np.argsort(groups.firsts))
        case "rows":
            yield rows_alone(denial, work)
        case "pairs":
            yield from _in_pairs(denial, work, conflicts_of(denial, work))


@dataclass(frozen=True)
class Groups:
    """The classes of a key or an FD that break it: then all their rows do."""

    denial: Denial
    work: Workspace
    rows: RowNumbers  # class by class
    starts: RowNumbers  # of the classes
    sizes: Ints
    firsts: Ints  # the id of the first row of each

    @classmethod
    def of(cls, denial: Denial, work: Workspace) -> Groups:
        """All of them."""
        rows, ends = broken_classes(denial, work)
        starts = np.append(np.int32(0), ends)[: len(ends)]
        firsts = work.rows.row_ids(rows[starts])  # in classes rows are in their order
        return cls(denial, work, rows, starts, (ends - starts).astype(np.int64), firsts)

    def rows_of(self, chosen: Ints) -> ViolatingRows:
        """The rows of some groups, which are numbered in the order given."""
        starts, sizes = self.starts[chosen], self.sizes[chosen]
        work, literals = self.work, self.denial.literals
        last = np.cumsum(sizes)
        rows = self.rows[np.arange(sizes.sum()) + np.repeat(starts - last + sizes, sizes)]
        groups, wrong = np.repeat(np.arange(1, len(chosen) + 1), sizes), np.zeros(len(rows), np.bool_)
        if literals.sizes[TESTS]:
            mark_outvoted(rows, last, work.rows.ranks[literals.tests[0, 0]], work.rows.counts, wrong)
        return ViolatingRows(work.rows.row_ids(rows), groups, np.zeros(len(rows), np.int8), wrong)


def rows_alone(denial: Denial, work: Workspace) -> ViolatingRows:
    """The rows that break a law by themselves, with whatever others."""
    conflicts = conflicts_of(denial, work)
    as_first = denial.literals.filters[0, 0] == IN_FIRST
    found = np.flatnonzero((conflicts.as_first if as_first else conflicts.as_second) > 0)
    ids = np.sort(work.rows.row_ids(found))
    every = np.ones(len(ids), np.bool_)
    return ViolatingRows(ids, np.arange(1, len(ids) + 1), np.zeros(len(ids), np.int8), every)


def _in_pairs(denial: Denial, work: Workspace, conflicts: Conflicts) -> Iterator[ViolatingRows]:
    firsts = np.flatnonzero(conflicts.as_first)
    firsts = firsts[np.argsort(work.rows.row_ids(firsts))]
    chunks = np.cumsum(conflicts.as_first[firsts]) // CHUNK
    listed = 0
    for chunk in np.unique(chunks).tolist():
        wanted = np.zeros(work.rows.count, np.bool_)
        wanted[firsts[chunks == chunk]] = True
        pairs = violating_pairs(denial, work, conflicts, wanted)
        yield of_pairs(pairs, work, conflicts, listed)
        listed += len(pairs)


def of_pairs(
    pairs: npt.NDArray[np.int32], work: Workspace, conflicts: Conflicts, before: int = 0
) -> ViolatingRows:
    """Pairs as two lines each, t and s, numbered behind those before them."""
    ids = work.rows.row_ids(pairs.ravel()).reshape(-1, 2)
    order = np.lexsort((ids[:, 1], ids[:, 0]))
    worse = conflicts.of_row[pairs[order]]
    wrong = worse > worse[:, ::-1]
    numbers = np.repeat(np.arange(before + 1, before + 1 + len(pairs)), 2)
    sides = np.tile(np.array([FIRST, SECOND], np.int8), len(pairs))
    return ViolatingRows(ids[order].ravel(), numbers, sides, wrong.ravel())
