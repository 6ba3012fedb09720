"""A search for all kinds of law: those with targets first, denial constraints after them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lawful.cover.targets import DENIAL
from lawful.discovery.denial import DenialSearch
from lawful.discovery.denial_space import Space
from lawful.discovery.findings import Sets, proven_only
from lawful.discovery.journal import Journal
from lawful.discovery.loop import Progress, Proven, Search
from lawful.discovery.search_options import Options
from lawful.engine import Engine
from lawful.laws.comparisons import Comparisons, atom_words
from lawful.table.ranked import RankedRows


class WholeSearch:
    """One search for the laws of a table, denial constraints among them. Iterate `laws()` once.

    All laws have sets of the same number of words, whether of columns or of atoms.
    """

    def __init__(
        self,
        rows: RankedRows,
        engine: Engine,
        space: Space,
        options: Options,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        others = tuple(kind for kind in options.kinds if kind != "dc")
        self._first = Search(rows, engine, replace(options, kinds=others), on_progress) if others else None
        self._columns_words = max(-(-rows.columns // 64), 1)
        self._words = max(self._columns_words, atom_words(space.comparisons))
        self._options = options
        self._second = DenialSearch(rows, engine, space, options, on_progress)
        if self._first is not None:
            self._second.progress = self._first.progress
        self.progress = self._second.progress
        self.journal: Journal | None = None

    @property
    def comparisons(self) -> Comparisons:
        """What the atoms of denial constraints belong to."""
        return self._second.comparisons

    def laws(self) -> Iterator[Proven]:
        """The laws as they are proven, in batches."""
        started = time.monotonic()
        if self._first is not None:
            self._first.journal = self.journal
            for batch in self._first.laws():
                yield Proven(batch.targets, self._padded(batch.sets))
        reason, limit = self.progress.reason, self._options.time_limit
        if reason not in (None, "max size"):
            return
        self._second.limit_time(None if limit is None else max(limit - (time.monotonic() - started), 1e-3))
        denial, none = np.array([DENIAL], np.int64), np.empty(0, np.int64)
        for sets in self._second.laws():
            numbers = np.zeros(len(sets), np.int64)
            if self.journal is not None:
                self.journal.record(denial, self.progress.level, proven_only(numbers, sets, False, none))
            yield Proven(denial[numbers], self._padded(sets))
        self.progress.reason = self.progress.reason or reason

    def scores(self, laws: Proven) -> npt.NDArray[np.float64]:
        """The scores of laws."""
        scores = np.empty(len(laws.sets), np.float64)
        denials = laws.targets[:, 0] == DENIAL[0]
        sets = np.ascontiguousarray(laws.sets[denials][:, : atom_words(self.comparisons)])
        scores[denials] = self._second.scores(sets)
        if self._first is not None:
            sets = np.ascontiguousarray(laws.sets[~denials][:, : self._columns_words])
            scores[~denials] = self._first.scores(Proven(laws.targets[~denials], sets))
        return scores

    def _padded(self, sets: Sets) -> Sets:
        return np.pad(sets, ((0, 0), (0, self._words - sets.shape[1])))
