"""The loop: sample, cover, validate, until nothing is left to refute.

Keys and FDs come before the ODs of the same size, since an OD whose context determines one of its sides is
not minimal. Under a limit that may strike at any time the search deepens, size by size, so that what is
proven by then are the smallest laws.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from lawful.cover.targets import Flags, Targets, duplicates, own_columns, splits, swaps
from lawful.discovery.by_context import SAMPLE, settle_long
from lawful.discovery.findings import Bounds, Findings, Phase, Sets
from lawful.discovery.journal import Journal
from lawful.discovery.scores import scores_of
from lawful.discovery.search_options import KINDS, Options
from lawful.discovery.settle import settle_all
from lawful.engine import Engine, Limits, Watch
from lawful.evidence.evidence import Evidence
from lawful.evidence.sample import sample
from lawful.table.ranked import RankedRows, SomeRows

OF_FDS = KINDS.index("fd")
LONG = 1 << 17  # rows from which on targets may share partitions


@dataclass
class Progress:
    """What a search has done so far; `reason` says which limit ended it, if one did."""

    level: int = 0  # attributes in the laws looked for
    deepening: bool = False  # whether the search goes size by size
    found: int = 0
    left: int = 0  # targets still to be settled in this phase
    validated: int = 0
    refuted: int = 0
    evidence: int = 0
    reason: str | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def clock(self, name: str) -> Iterator[None]:
        """Adds the seconds of a block to those of this name."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - started


@dataclass(frozen=True)
class Proven:
    """Some laws of a search: the target and the context of each."""

    targets: Targets
    sets: Sets


class Search:
    """One search for the laws of a table. Iterate `laws()` once; `progress` tells how it goes and went."""

    def __init__(
        self,
        rows: RankedRows,
        engine: Engine,
        options: Options,
        on_progress: Callable[[Progress], None] = lambda progress: None,
    ) -> None:
        self._rows, self._engine, self._options, self._on_progress = rows, engine, options, on_progress
        self._evidence = Evidence(rows)
        self._nothing: Sets = np.empty((0, self._evidence.signs.shape[1] // 2), np.uint64)
        self._determinants: list[list[Sets]] = [[self._nothing] for _ in range(rows.columns)]
        self._cut = False
        self._searched: set[tuple[int, ...]] = set()  # targets that are settled up to a size, by this search
        self.long, self.sample = LONG, SAMPLE
        self.journal: Journal | None = None
        self.progress = Progress(deepening=options.smallest_first)

    def laws(self) -> Iterator[Proven]:
        """The laws as they are proven, in batches."""
        self._engine.limits = self._options.limits()
        with Watch(self._rows, self._engine.limits, interrupts=True) as watch:
            try:
                with self.progress.clock("sample"):
                    seed, whole = self._options.seed, self._engine.whole
                    rows = self._rows if whole else self._rows.seen_by(SomeRows(self.sample, seed))
                    sample(rows, self._evidence, self._options.sample_rows, seed)
                yield from self._levels()
                self.progress.reason = watch.reason or ("max size" if self._cut else None)
            finally:  # also where the caller wants no more: no task must run on
                self._rows.halt[0] = 1

    def scores(self, laws: Proven) -> npt.NDArray[np.float64]:
        """The scores of laws. Ctrl-C leaves the laws, but some without a score."""
        self._engine.limits = Limits(kept=self._options.partition_memory)
        with self.progress.clock("score"), Watch(self._rows, self._engine.limits, interrupts=True) as watch:
            scores = np.full(len(laws.sets), 1 / max(self._rows.count, 1))  # of keys: no pair agrees
            others = laws.targets[:, 0] >= 0
            scores[others] = scores_of(laws.sets[others], self._engine, self._rows)
            self.progress.reason = watch.reason or self.progress.reason
            return scores

    def _levels(self) -> Iterator[Proven]:
        """All sizes at once or, under a limit that may strike, one after the other."""
        most = self._rows.columns if self._options.max_size is None else self._options.max_size
        first = min(1, most) if self._options.smallest_first else most
        for level in range(first, most + 1):
            self.progress.level, self._cut = level, False
            yield from self._level(level, deepened=level > first)
            if not self._cut or self._rows.halt[0]:
                break

    def _level(self, level: int, deepened: bool) -> Iterator[Proven]:
        """The laws of at most `level` attributes; where the search deepens, only those of exactly so many."""
        kinds = self._options.kinds
        targets = np.concatenate(
            [
                duplicates()[: "key" in kinds],
                splits(self._rows.columns)[: None if {"fd", "od"} & set(kinds) else 0],
            ]
        )
        yield from self._settle("key and fd", self._phase(targets, level, deepened))
        self._cut &= bool({"key", "fd"} & set(kinds))
        if "od" in kinds and not self._rows.halt[0]:
            varying = np.array(
                [all(sets.any(axis=1).all() for sets in found) for found in self._determinants]
            )
            targets = swaps(self._rows.ordered & varying)
            yield from self._settle("od", self._phase(targets, level, deepened))

    def _phase(self, targets: Targets, level: int, deepened: bool) -> Phase:
        """Targets with their bounds."""
        sizes = level - own_columns(targets)
        self._cut |= bool((sizes < 0).any())
        targets, sizes = targets[sizes >= 0], sizes[sizes >= 0]
        options = self._options
        return Phase(
            targets,
            [np.concatenate(sets) for sets in self._determinants] or [self._nothing],
            [
                Bounds(int(size), int(size) if deepened else 0, options.min_score, options.pairs_kept)
                for size in sizes
            ],
        )

    def _settle(self, name: str, phase: Phase) -> Iterator[Proven]:
        """Settle a phase; the laws of the kinds that are asked for."""
        self.progress.left = len(phase.targets)
        kinds = own_columns(phase.targets)
        asked = np.isin(kinds, [own for own, kind in enumerate(KINDS) if kind in self._options.kinds])
        with self.progress.clock(name):
            for findings in self._journaled(phase):
                if "od" in self._options.kinds:
                    self._remember(phase.targets, kinds == OF_FDS, findings)
                chosen = asked[findings.targets]
                self._report(findings, int(chosen.sum()))
                if chosen.any():
                    yield Proven(phase.targets[findings.targets[chosen]], findings.sets[chosen])

    def _journaled(self, phase: Phase) -> Iterator[Findings]:
        """What a journal knows of a phase, then what is left to find, which the journal is told."""
        if self.journal is None:
            yield from self._findings(phase)
            return
        known = self.journal.recall(phase, self.progress.level)
        yield known
        left = np.setdiff1d(np.arange(len(phase.targets)), known.settled)
        rest = phase.only(left)
        for some in self._findings(self._from_the_start(rest)) if len(left) else ():
            self._searched.update(map(tuple, rest.targets[some.settled].tolist()))
            wanted = rest.reported(some)
            findings = replace(wanted, targets=left[wanted.targets], settled=left[wanted.settled])
            self.journal.record(phase.targets, self.progress.level, findings)
            yield findings

    def _from_the_start(self, phase: Phase) -> Phase:
        """The same phase without a least size for the targets that this search did not search before.

        A journal knows their smaller laws, but not what refuted their other small candidates. As long as
        these pass for laws, nothing larger is looked for in their place.
        """
        bounds = [
            bound if tuple(target) in self._searched else bound._replace(least=0)
            for target, bound in zip(phase.targets.tolist(), phase.bounds, strict=True)
        ]
        return replace(phase, bounds=bounds)

    def _findings(self, phase: Phase) -> Iterator[Findings]:
        if self._rows.count < self.long and self._engine.whole:
            return settle_all(phase, self._evidence, self._engine)
        return settle_long(phase, self._evidence, self._engine, self._rows, self.sample, self._options.seed)

    def _remember(self, targets: Targets, are_fds: Flags, findings: Findings) -> None:
        """Keep what determines each column: ODs need it."""
        for number in np.unique(findings.targets):
            if are_fds[number]:
                self._determinants[targets[number, 0]].append(findings.sets[findings.targets == number])

    def _report(self, findings: Findings, asked: int) -> None:
        progress = self.progress
        progress.found += asked
        progress.left -= len(findings.settled)
        progress.validated += findings.validated
        progress.refuted += findings.refuted
        progress.evidence = len(self._evidence)
        self._cut |= findings.cut
        self._on_progress(progress)
