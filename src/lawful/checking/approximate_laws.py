"""All minimal keys, FDs and ODs that hold almost: contexts size by size, as TANE goes through them.

Both measures, rows to remove and pairs, only fall when a context grows. So a law is minimal if it holds
almost with its context and with no smaller one, and is looked at only where it failed with all smaller ones.
An OD is not minimal where its context almost determines a side, as with laws that hold.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from lawful.checking.denials import Denial, denial_of
from lawful.checking.law_errors import breaks, partners_of, removals_of
from lawful.laws import FD, OD, Key, Law
from lawful.table.columns import Column
from lawful.table.workspace import Workspace

Context = tuple[int, ...]


class Aim(NamedTuple):
    """What laws with some context may say: a key without sides, an FD of one, an OD of two."""

    sides: tuple[int, ...] = ()
    descending: bool = False

    def law(self, context: Context, names: Sequence[str]) -> Law:
        """The law of a context."""
        left = frozenset(names[column] for column in context)
        match self.sides:
            case ():
                return Key(left)
            case (right,):
                return FD(left, names[right])
        first, second = self.sides
        return OD(left, names[first], names[second], self.descending)


@dataclass(frozen=True)
class Tolerance:
    """How large a share of rows to remove, or of pairs, may be against a law."""

    share: float
    of_pairs: bool = False

    def allows(self, denial: Denial, work: Workspace) -> bool:
        """Whether a law is no further from holding."""
        total = work.rows.count
        if not breaks(denial, work):
            return True
        if self.of_pairs:
            pairs = int(partners_of(denial, work).sum()) // (2 if denial.symmetric else 1)
            return pairs / (total * (total - 1) // 2) <= self.share
        return removals_of(denial, work) / total <= self.share


@dataclass
class ApproximateSearch:
    """A search for laws that hold almost, over some columns of a table, some of which may be put in order."""

    work: Workspace
    columns: Sequence[Column]
    usable: Sequence[int]
    ordered: Sequence[int]
    kinds: frozenset[str]
    tolerance: Tolerance
    max_size: int | None = None
    ends: float | None = None  # the time of day
    reason: str | None = field(default=None, init=False)  # why laws are missing, after the search

    def laws(self) -> Iterator[Law]:
        """The laws, smallest first; those before the time ends."""
        failed: dict[Context, frozenset[Aim]] = {}
        level: dict[Context, frozenset[Aim]] = {(): frozenset(self._aims())}
        while level:
            for context, aims in level.items():
                still_open = set[Aim]()
                for aim in sorted(aims, key=lambda aim: len(aim.sides)):
                    if self._late:
                        self.reason = "time limit"
                        return
                    if not self._is_worth(aim, context, still_open):
                        continue
                    law = aim.law(context, self._names)
                    if not self.tolerance.allows(denial_of(law, self.columns), self.work):
                        still_open.add(aim)
                    elif law.kind in self.kinds:
                        yield law
                failed[context] = frozenset(still_open)
            level = dict(self._next(level, failed))

    @property
    def _names(self) -> list[str]:
        return [column.name for column in self.columns]

    @property
    def _late(self) -> bool:
        return self.ends is not None and time.time() > self.ends

    def _aims(self) -> Iterator[Aim]:
        if "key" in self.kinds:
            yield Aim()
        if {"fd", "od"} & self.kinds:
            yield from (Aim((right,)) for right in self.usable)
        if "od" in self.kinds:
            for place, left in enumerate(self.ordered):
                for right in self.ordered[place + 1 :]:
                    yield from (Aim((left, right)), Aim((left, right), True))

    def _is_worth(self, aim: Aim, context: Context, failed: set[Aim]) -> bool:
        """Whether a law is small enough, and no FD makes it say nothing."""
        if len(aim.sides) == 2 and not all(Aim((side,)) in failed for side in aim.sides):
            return False
        if self.max_size is None or len(context) + len(aim.sides) <= self.max_size:
            return True
        self.reason = "max size"
        return False

    def _next(
        self, level: dict[Context, frozenset[Aim]], failed: dict[Context, frozenset[Aim]]
    ) -> Iterator[tuple[Context, frozenset[Aim]]]:
        """The contexts with one column more, each with what failed in all that are one column smaller."""
        for context in level:
            for column in self.usable:
                if (context and column <= context[-1]) or not failed[context]:
                    continue
                larger = (*context, column)
                smaller = [larger[:k] + larger[k + 1 :] for k in range(len(larger))]
                aims = frozenset.intersection(*(failed.get(one, frozenset()) for one in smaller))
                left = frozenset(aim for aim in aims if column not in aim.sides)
                if left:
                    yield larger, left
