"""How far a law is from holding, counted on all rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lawful.checking.denials import Denial
from lawful.checking.smallest_covers import SmallestCover, disjoint_pairs, partners_in
from lawful.laws.comparisons import Flags, Ints
from lawful.table.ranked import Ranks
from lawful.table.workspace import Workspace
from lawful.validate.break_counts import count_breaks, is_counted
from lawful.validate.breaking import is_broken, is_split, is_swap, keep_broken
from lawful.validate.contexts import partition_of
from lawful.validate.dc_literals import ROW, Literals
from lawful.validate.partition import Partition
from lawful.validate.partner_counts import COUNTING_SIZES, Pairs, count_partners, list_partners
from lawful.validate.removals import cover_of_pairs, mark_removals

LISTED = 1 << 20  # violating pairs that are looked at one by one for better bounds
SEARCHED = 1 << 12  # of which the fewest rows are looked for that take part in all
NO_CLASSES = Partition(np.empty(0, np.int32), np.empty(0, np.int32))


class Counts(NamedTuple):
    """What is counted of the pairs that break a law: pairs (t, s), rows in them, rows to remove."""

    pairs: int = 0
    rows: int = 0
    removals: int = 0
    removals_at_least: int = 0

    def plus(self, other: Counts) -> Counts:
        """Both together."""
        return Counts(*(one + another for one, another in zip(self, other, strict=True)))


@dataclass(frozen=True)
class LawError:
    """How far a law is from holding.

    Attributes:
        pairs: how many pairs of rows break it: for PODs and DCs pairs (t, s), for the others without order.
        share: of all such pairs.
        rows: how many rows take part in such a pair.
        removals: so many rows can be removed so that it holds. These are the fewest for keys, FDs and ODs,
            and for other laws where `removals_at_least` says the same; else the fewest lie between the two.
        removals_at_least: at least so many rows must be removed.
        total: how many rows there are.
    """

    pairs: int
    share: float
    rows: int
    removals: int
    removals_at_least: int
    total: int

    @classmethod
    def of(cls, denial: Denial, counts: Counts, total: int) -> LawError:
        """The error of a law by what was counted, on a table of so many rows."""
        pairs = counts.pairs // (2 if denial.symmetric else 1)
        possible = total * (total - 1) // (1 if denial.directed else 2)
        share = pairs / possible if possible else 0.0
        return cls(pairs, share, counts.rows, counts.removals, counts.removals_at_least, total)

    @property
    def exact(self) -> bool:
        """Whether `removals` are the fewest rows to remove."""
        return self.removals == self.removals_at_least

    @property
    def share_of_rows(self) -> float:
        """The removals as a share of all rows."""
        return self.removals / self.total if self.total else 0.0

    def to_json(self) -> dict[str, Any]:
        """A plain dict; `removals_at_least` stands there only where `removals` are not the fewest."""
        fewest = {} if self.exact else {"removals_at_least": self.removals_at_least}
        return {
            "pairs": self.pairs,
            "share": self.share,
            "rows": self.rows,
            "removals": self.removals,
            **fewest,
        }


@dataclass(frozen=True)
class Conflicts:
    """With how many others each row breaks a law, as t and as s."""

    as_first: Ints
    as_second: Ints

    @cached_property
    def of_row(self) -> Ints:
        """In how many pairs (t, s) a row takes part."""
        return self.as_first + self.as_second


def breaks(denial: Denial, work: Workspace) -> bool:
    """Whether some pair of rows breaks a law: sooner known than how many do."""
    if not denial.possible:
        return False
    (rows, ends), literals = broken_classes(denial, work, 1), denial.between_rows
    if _tells_broken_classes(literals):
        return len(ends) > 0
    ranks, orders, counts = work.rows.ranks, _orders_for(literals, work), work.rows.counts
    return bool(is_broken(ranks, orders, counts, literals, rows, ends, COUNTING_SIZES.leaf, work.halt))


def broken_classes(denial: Denial, work: Workspace, most: int | None = None) -> Partition:
    """The classes of a law's context, of a law like an FD or an OD only those that break it, or some."""
    if not denial.possible:
        return NO_CLASSES
    partition, literals = partition_of(denial.context, work), denial.between_rows
    if not _tells_broken_classes(literals):
        return partition
    out, ends = np.empty_like(partition.rows), np.empty_like(partition.ends)
    most = len(ends) if most is None else most
    size, found = keep_broken(work.rows.ranks, literals, *partition, most, out, ends)
    return Partition(out[:size], ends[:found])


def _tells_broken_classes(literals: Literals) -> bool:
    """Whether a law is like an FD or an OD: it is soon known which classes break it."""
    return bool(is_split(literals) or is_swap(literals))


def _orders_for(literals: Literals, work: Workspace) -> Ranks:
    """The orders of the columns that tests compare."""
    columns = {*literals.tests[:, :2].ravel().tolist()} - {ROW}
    return work.rows.orders_of(columns)


def conflicts_of(denial: Denial, work: Workspace) -> Conflicts:
    """With how many others each row breaks a law."""
    classes = broken_classes(denial, work)
    as_first = _partners_of(denial, classes, work)
    as_second = as_first if denial.symmetric else _partners_of(denial.mirrored(), classes, work)
    return Conflicts(as_first, as_second)


def _partners_of(denial: Denial, classes: Partition, work: Workspace) -> Ints:
    """For each row t of some classes the number of rows s with which it breaks a law."""
    out = np.zeros(work.rows.count, np.int64)
    if denial.possible:
        table, literals = work.rows, denial.literals
        orders, sizes = _orders_for(literals, work), COUNTING_SIZES
        count_partners(table.ranks, orders, table.counts, literals, *classes, sizes, work.halt, out)
    return out


def counts_of(denial: Denial, work: Workspace) -> Counts:
    """What is counted of the pairs that break a law; parts of a table that share no class add up."""
    if is_counted(denial.literals):
        return _counted(denial, work)
    if not breaks(denial, work):
        return Counts()
    conflicts = conflicts_of(denial, work)
    at_least, removed = _bounds(denial, work, conflicts)
    pairs, rows = conflicts.as_first.sum(), np.count_nonzero(conflicts.of_row)
    return Counts(int(pairs), int(rows), int(np.count_nonzero(removed)), at_least)


def _counted(denial: Denial, work: Workspace) -> Counts:
    """The same where the fewest rows to remove are a count."""
    rows, ends = broken_classes(denial, work)
    if not len(ends):
        return Counts()
    orders, ranks, counts = _orders_for(denial.literals, work), work.rows.ranks, work.rows.counts
    pairs, involved, fewest = count_breaks(ranks, orders, denial.literals, rows, ends, counts)
    return Counts(int(pairs), int(involved), int(fewest), int(fewest))


def removed_rows(denial: Denial, work: Workspace) -> Flags:
    """Rows without which a law holds: as few as can be where that is a count, else not many more."""
    if not is_counted(denial.literals):
        return _bounds(denial, work, conflicts_of(denial, work))[1]
    removed = np.zeros(work.rows.count, np.bool_)
    if denial.possible:
        rows, ends = partition_of(denial.context, work)
        mark_removals(work.rows.ranks, denial.literals, rows, ends, work.rows.counts, removed)
    return removed


def needs_more(denial: Denial, work: Workspace, tolerated: int) -> bool | None:
    """Whether more than so many rows must be removed so that a law holds; None where bounds do not tell."""
    if not denial.possible:
        return False
    if is_counted(denial.literals):
        return removals_of(denial, work) > tolerated
    at_least, removed = _bounds(denial, work, conflicts_of(denial, work), tolerated)
    if at_least <= tolerated < np.count_nonzero(removed):
        return None
    return at_least > tolerated


def _bounds(
    denial: Denial, work: Workspace, conflicts: Conflicts, tolerated: int | None = None
) -> tuple[int, Flags]:
    """At least how many rows must be removed, and rows whose removal is enough.

    A row with more partners than rows need go must go itself; the pairs of the others are looked at. Bounds
    that tell whether more than are tolerated must go are good enough.
    """
    at_least, removed = _by_degrees(conflicts)
    must_go = np.maximum(conflicts.as_first, conflicts.as_second) > np.count_nonzero(removed)
    firsts = (conflicts.as_first > 0) & ~must_go
    if _are_close(at_least, removed, tolerated) or conflicts.as_first[firsts].sum() > LISTED:
        return at_least, removed
    pairs = violating_pairs(denial, work, conflicts, firsts)
    pairs = np.ascontiguousarray(pairs[~must_go[pairs[:, 1]]])
    disjoint, covering = cover_of_pairs(pairs, np.bincount(pairs.ravel(), minlength=len(must_go)))
    at_least = max(at_least, int(disjoint) + int(must_go.sum()))
    removed = min(removed, covering | must_go, key=np.count_nonzero)
    if _are_close(at_least, removed, tolerated) or len(pairs) > SEARCHED:
        return at_least, removed
    return _by_search(pairs, must_go, at_least, removed, tolerated)


def _are_close(at_least: int, removed: Flags, tolerated: int | None) -> bool:
    """Whether bounds are the same, or on the same side of what is tolerated."""
    count = int(np.count_nonzero(removed))
    return at_least == count or (tolerated is not None and not at_least <= tolerated < count)


def _by_search(
    pairs: Pairs, must_go: Flags, at_least: int, removed: Flags, tolerated: int | None
) -> tuple[int, Flags]:
    """Better bounds: most often the fewest rows, or that these are more than are tolerated."""
    beside, count = int(must_go.sum()), int(removed.sum())
    partners = partners_in((t, s) for t, s in pairs.tolist())
    fewer_than = (count if tolerated is None else min(count, tolerated + 1)) - beside
    found = SmallestCover(partners, fewer_than)
    if found.cover is not None:
        removed = must_go.copy()
        removed[[*found.cover]] = True
    if found.complete:
        return beside + (fewer_than if found.cover is None else len(found.cover)), removed
    return max(at_least, beside + disjoint_pairs(partners)), removed


def removals_of(denial: Denial, work: Workspace) -> int:
    """The fewest rows to remove so that a law holds for which that is a count: any key, FD or OD."""
    return _counted(denial, work).removals


def _by_degrees(conflicts: Conflicts) -> tuple[int, Flags]:
    """Bounds of the rows to remove by what each row takes part in.

    A removed row takes its pairs along, so that those with the most must be enough; the rows that are t, or
    those that are s, or all but one of both, always are.
    """
    degrees = np.sort(conflicts.of_row)[::-1]
    pairs = conflicts.as_first.sum()
    at_least = 1 + int(np.searchsorted(np.cumsum(degrees), pairs)) if pairs else 0
    but_one = conflicts.of_row > 0
    but_one[np.flatnonzero(but_one)[:1]] = False
    return at_least, min(conflicts.as_first > 0, conflicts.as_second > 0, but_one, key=np.count_nonzero)


def violating_pairs(
    denial: Denial, work: Workspace, conflicts: Conflicts, firsts: Flags | None = None
) -> Pairs:
    """All pairs (t, s) that break a law, or those of some rows t."""
    wanted = conflicts.as_first > 0 if firsts is None else firsts
    pairs = np.empty((int(conflicts.as_first[wanted].sum()), 2), np.int32)
    found = 0
    if len(pairs):
        (rows, ends), leaf = partition_of(denial.context, work), COUNTING_SIZES.leaf
        ranks, counts = work.rows.ranks, work.rows.counts
        found = list_partners(ranks, counts, denial.literals, rows, ends, wanted, leaf, work.halt, pairs)
    return pairs[:found]  # fewer than there are if the search was halted
