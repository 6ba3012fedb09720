"""All minimal keys, FDs and ODs that hold almost.

Both measures, rows to remove and pairs, only fall when a context grows: a law is minimal if it holds almost
with its context and with no smaller one. An OD is not minimal where its context almost determines a side, as
with laws that hold: then it holds almost too, but says nothing. So FDs come first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from lawful.discovery import MAX_SIZE
from lawful.discovery.agreeing_sets import agreeing_sets
from lawful.discovery.dualizing import TolerantQuestion, almost_minimal
from lawful.discovery.tolerant_lattice import tolerated_by_rows
from lawful.engine import Engine
from lawful.engine.watch import NO_LIMITS, Limits
from lawful.halting import until_halted
from lawful.laws import KINDS, Law
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, Codec, LawArrays
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, Targets, as_targets, own_columns, splits, swaps
from lawful.table.workspace import Workspace
from lawful.words import Words, bit_set, words_for


@dataclass(frozen=True)
class Tolerance:
    """How large a share of rows to remove, or of pairs, may be against a law."""

    share: float
    of_pairs: bool = False

    def limit(self, rows: int) -> int:
        """How many rows to remove, or pairs without order, that are of a table of so many rows."""
        return self.limit_of(rows * (rows - 1) // 2 if self.of_pairs else rows)

    def limit_of(self, total: int) -> int:
        """The share of so many."""
        total = max(total, 1)
        most = int(self.share * total)
        while most / total > self.share:  # a share is a quotient, which may be rounded either way
            most -= 1
        while (most + 1) / total <= self.share:
            most += 1
        return most


# If there are more, targets come one by one.
MOST_SETS = 1 << 14  # that are not almost keys, where pairs are counted
MOST_COLUMNS_BY_ROWS = 10


class AlmostFound(NamedTuple):
    """The contexts of the laws of one target, and whether there may be larger ones."""

    target: int
    contexts: Words
    cut: bool


@dataclass(frozen=True)
class SettleAlmost:
    """A task: all laws of a target that hold almost."""

    number: int
    target: tuple[int, ...]
    usable: Sequence[int]
    forbidden: Words
    tolerance: Tolerance
    most: int

    def __call__(self, work: Workspace) -> Iterator[AlmostFound]:
        if work.halted:
            return
        rows, target = work.rows, np.array(self.target, np.int64)
        sides = (target[LEFT], target[RIGHT])
        atoms = np.array([column for column in self.usable if column not in sides], np.int64)
        question = TolerantQuestion(
            rows.ranks,
            rows.orders,
            target,
            bit_set(atoms, words_for(rows.columns)),
            np.argsort(rows.information, kind="stable"),
            self.forbidden,
            self.tolerance.limit(rows.count),
            self.tolerance.of_pairs,
        )
        yield AlmostFound(self.number, *almost_minimal(question, self.most, work.halt, rows.counts))


@dataclass
class ApproximateSearch:
    """A search for laws that hold almost, over some columns of a table, some of which may be put in order."""

    engine: Engine
    names: Sequence[str]
    usable: Sequence[int]
    ordered: Sequence[int]
    kinds: frozenset[str]
    tolerance: Tolerance
    max_size: int | None = None
    limits: Limits = NO_LIMITS
    reason: str | None = field(default=None, init=False)  # why laws are missing, after the search

    def laws(self) -> Iterator[Law]:
        """The laws; those that were found before a limit ended the search."""
        codec = Codec(self.names)
        for found in self.found():
            yield from codec.decode(found)

    def found(self) -> Iterator[LawArrays]:
        """The same as arrays."""
        with self.engine.watched(self.limits) as watch:
            yield from until_halted(self._of_all_kinds(), self.engine.work.halt)
            self.reason = watch.reason or self.reason

    def _of_all_kinds(self) -> Iterator[LawArrays]:
        nothing = np.empty((0, words_for(len(self.names))), np.uint64)
        determinants = {column: [nothing] for column in self.usable}
        if "key" in self.kinds:
            yield from self._found(KEY, as_targets([DUPLICATE]), [nothing])
        if {"fd", "od"} & self.kinds:
            forbidden = [nothing] * len(self.usable)
            yield from self._found(FD_KIND, splits(self.usable), forbidden, determinants)
        if "od" in self.kinds:
            contexts = {column: np.concatenate(sets) for column, sets in determinants.items()}
            targets = swaps([column for column in self.ordered if contexts[column].any(axis=1).all()])
            sides = targets[:, [LEFT, RIGHT]].tolist()
            forbidden = [np.concatenate([contexts[left], contexts[right]]) for left, right in sides]
            yield from self._found(OD_KIND, targets, forbidden)

    def _found(
        self,
        kind: int,
        targets: Targets,
        forbidden: Sequence[Words],
        contexts: dict[int, list[Words]] | None = None,
    ) -> Iterator[LawArrays]:
        """The laws of some targets, if the kind is wanted; their contexts are kept by their left sides."""
        if self.engine.work.halted:
            return
        wanted, tasks = KINDS[kind] in self.kinds, [*self._tasks(targets, forbidden)]
        self.reason = MAX_SIZE if wanted and len(tasks) < len(targets) else self.reason
        at_once = None if kind == OD_KIND else self._at_once(targets)
        for number, sets, cut in self.engine.run(tasks) if at_once is None else at_once:
            if contexts is not None:
                contexts[targets[number, LEFT]].append(sets)
            if wanted:
                self.reason = MAX_SIZE if cut else self.reason
                lines = np.full(len(sets), kind, np.int64), np.repeat(targets[[number]], len(sets), axis=0)
                yield LawArrays(*lines, sets)

    def _at_once(self, targets: Targets) -> list[AlmostFound] | None:
        """The laws of keys and FDs, all right sides at once; None if there are too many sets for that."""
        if self._told is None:
            return None
        sets, minimal = self._told
        bits = np.unpackbits(minimal.view(np.uint8), axis=1, bitorder="little").view(np.bool_)
        words = words_for(len(self.names))
        places = np.where(targets[:, LEFT] < 0, len(self.names), targets[:, LEFT]).tolist()
        return [
            AlmostFound(number, np.ascontiguousarray(sets[bits[:, place], :words]), False)
            for number, place in enumerate(places)
        ]

    @cached_property
    def _told(self) -> tuple[Words, Words] | None:
        """Sets of columns, and what each tells almost and none of its parts does."""
        if self.max_size is not None:
            return None
        rows, halt = self.engine.work.rows, self.engine.work.halt
        columns = np.array(self.usable, np.int64)
        columns = columns[np.argsort(-rows.information[columns], kind="stable")]
        table = rows.ranks, rows.orders, columns, self.tolerance.limit(rows.count)
        if self.tolerance.of_pairs:
            sets, minimal, complete = agreeing_sets(*table, MOST_SETS, rows.counts, halt)
        elif len(columns) <= MOST_COLUMNS_BY_ROWS:
            sets, minimal, complete = tolerated_by_rows(*table, rows.counts, halt)
        else:
            complete = False
        return (sets, minimal) if complete else None

    def _tasks(self, targets: Targets, forbidden: Sequence[Words]) -> Iterator[SettleAlmost]:
        most = len(self.names) if self.max_size is None else self.max_size
        for number, (target, sides, stops) in enumerate(
            zip(targets.tolist(), own_columns(targets).tolist(), forbidden, strict=True)
        ):
            if sides <= most:
                yield SettleAlmost(number, tuple(target), self.usable, stops, self.tolerance, most - sides)
