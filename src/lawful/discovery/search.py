"""The driver of every search: levels, limits and progress, over whatever kinds of law are asked for.

Under a limit that may strike at any time the search deepens, size by size, so that what is proven by then are
the smallest laws. Kinds of which there may be laws without end (PODs, denial constraints) always do.
"""

import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.discovery.column_laws import ColumnLaws
from lawful.discovery.findings import Findings, Pairs, Phase, Scores
from lawful.discovery.journal import Journal
from lawful.discovery.predicate_laws import PointwiseLaws, PredicateLaws
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.progress import Progress
from lawful.discovery.search_options import OVERTIME, Options
from lawful.engine import Engine
from lawful.engine.watch import BY_CTRL_C
from lawful.halting import TIME, heeding, until_halted
from lawful.kernels import told_of_compiling
from lawful.laws.base import KINDS
from lawful.laws.codec import LawArrays, padded
from lawful.laws.targets import own_columns

Family = ColumnLaws | PredicateLaws  # kinds of law that share their atoms and their evidence
Some = npt.NDArray[np.bool_] | slice

# The reasons of a search that left larger laws out, because it was told to, or by itself
MAX_SIZE, TOO_MANY = "max size", "too many candidates"


class Search:
    """One search for the laws of a table. Iterate `laws()` once; `progress` tells how it goes and went.

    `codec` makes law objects of what is found, in the `rows`, of what `space` allows. `witnesses`, if a
    number, are pairs of rows to keep for each line of evidence. `known`, for the kinds of families, are pairs
    of rows that show evidence of an earlier search: there is no need to sample. `progress` is that of one
    whose laws are only to be rated. `started` is the time of day from which on a limit of time counts.
    """

    def __init__(
        self,
        engine: Engine,
        space: PredicateSpace,
        options: Options,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        journal: Journal | None = None,
        witnesses: int | None = None,
        known: Mapping[tuple[int, ...], Pairs] | None = None,
        progress: Progress | None = None,
        started: float | None = None,
    ) -> None:
        self._engine, self._options, self._on_progress = engine, options, on_progress
        self.codec, self.journal = space.codec, journal
        self.space, self.rows = space, engine.work.rows
        self._asked = np.array([kind in options.kinds for kind in KINDS])
        families = (ColumnLaws, PointwiseLaws, PredicateLaws)
        self._families: list[Family] = [
            family(engine, space, options, witnesses, (known or {}).get(family.kinds))
            for family in families
            if self._asked[[*family.kinds]].any()
        ]
        self._searched: set[tuple[int, ...]] = set()  # targets that are settled up to a size, by this search
        self._not_started = [*self._families]
        self._seconds = {family.kinds: 0.0 for family in self._families}
        self.progress = progress or Progress()
        self._started, self._held = started or time.time(), 0  # when, and bytes of laws since then

    def witnesses(self) -> dict[tuple[int, ...], Pairs]:
        """For the kinds of each family pairs of rows that show its evidence, up to so many for each line."""
        found = {}
        for family in self._families:
            with self._clock(family, family.start_name):
                found[family.kinds] = family.witnesses()
        return found

    def seconds(self) -> dict[tuple[int, ...], float]:
        """For the kinds of each family how many CPU seconds this process has searched for them."""
        return self._seconds

    def laws(self) -> Iterator[LawArrays]:
        """The laws as they are proven, in batches."""
        limits = self._options.limits(self._started)
        with (
            told_of_compiling(self._note_compiling),
            self._engine.watched(limits) as watch,
            closing(self._levels()) as levels,
        ):
            cut = yield from until_halted(levels, self._engine.work.halt)
            bounded = TOO_MANY if self._options.max_size is None else MAX_SIZE
            self.progress.reason = watch.reason or (bounded if cut else None)

    def _note_compiling(self) -> None:
        self.progress.compiled = True

    def scores(self, laws: LawArrays) -> Scores:
        """The scores of laws, after the search. Limits and Ctrl-C leave some without a score (NaN)."""
        return self._rated("score", laws, lambda family, own: family.scores(laws.chosen(own)))

    def bits(self, laws: LawArrays, scores: Scores) -> Scores:
        """How many bits laws with these scores are worth, after the search; NaN as for scores."""
        return self._rated("bits", laws, lambda family, own: family.bits(laws.chosen(own), scores[own]))

    def _rated(self, what: str, laws: LawArrays, rate: Callable[[Family, Some], Scores]) -> Scores:
        """A number for each law from the family that it is of."""
        rated = np.full(len(laws.sets), np.nan)
        before = self.progress.reason
        limits = self._options.overtime(self._started, before)
        with self.progress.clock(what), self._engine.watched(limits) as watch:
            for family in self._families:
                own = np.isin(laws.kinds, family.kinds)
                # To choose all of millions of laws would copy them.
                with heeding(self._engine.work.halt):
                    rated[own] = rate(family, slice(None) if own.all() else own)
            # After Ctrl-C what is left of the time is a limit, too: that is not why laws are missing.
            self.progress.reason = before if before == BY_CTRL_C else watch.reason or before
        return rated

    def _levels(self) -> Generator[LawArrays, None, bool]:
        """The laws of all sizes; whether some are left.

        Under a limit that may strike the kinds deepen together, else each for itself where it must.
        """
        most = self._options.max_size
        if most is None:
            most = max(family.largest for family in self._families)
        if self._options.smallest_first:
            return (yield from self._deepened(self._families, min(1, most), most))
        cut = False
        for family in self._families:
            self._start(family)
            with self._clock(family, family.start_name):
                first = min(1, most) if family.explodes(most) else most
            cut |= yield from self._deepened([family], first, most)
        return cut

    def _deepened(
        self, families: Sequence[Family], first: int, most: int
    ) -> Generator[LawArrays, None, bool]:
        """The laws of some kinds, size by size: first all of `first` attributes or less."""
        self.progress.deepening = first < most
        for level in range(first, most + 1):
            self.progress.level, cut = level, []
            for family in families:
                self._start(family)  # not sooner: the laws before it must not wait for its evidence
                if (yield from self._level(family, level, deepened=level > first)):
                    cut.append(family)
            families = cut
            if not families or self._engine.work.halted:
                break
        return bool(families)

    def _start(self, family: Family) -> None:
        """Gather the first evidence of a family, once."""
        if family in self._not_started and not self._engine.work.halted:
            self._not_started.remove(family)
            with self._clock(family, family.start_name):
                family.start()

    def _level(self, family: Family, level: int, deepened: bool) -> Generator[LawArrays, None, bool]:
        """The laws of one family and size; whether the bound on size left some out."""
        cut = False
        phases = family.phases(level, deepened)
        while not self._engine.work.halted and (phase := next(phases, None)) is not None:
            within = phase.most >= 0
            left_out = yield from self._settle(family, phase.only(np.flatnonzero(within)))
            cut |= bool(self._asked[phase.kinds].any()) and (left_out or not within.all())
        return cut

    def _settle(self, family: Family, phase: Phase) -> Generator[LawArrays, None, bool]:
        """The laws of a phase, of the kinds that are asked for; whether the bound on size left some out."""
        targets_left, cut = len(phase.targets), False
        with self._clock(family, phase.name):
            for findings in self._journaled(family, phase):
                family.remember(phase, findings)
                laws = phase.laws(findings)
                asked = self._asked[laws.kinds]
                laws = laws if asked.all() else laws.chosen(asked)
                targets_left -= len(findings.settled)
                cut |= findings.cut
                for kind in phase.kinds[findings.given_up].tolist():
                    self.progress.left_out.setdefault(KINDS[kind], self.progress.level)
                self._report(findings, len(laws.sets), targets_left, family.evidence)
                self._leave_time_for(laws)
                if len(laws.sets):
                    yield laws._replace(sets=padded(laws.sets, self.codec.words))
        return cut

    @contextmanager
    def _clock(self, family: Family, name: str) -> Iterator[None]:
        """Adds the seconds of a block to those of a name, and of a family."""
        started = time.process_time()
        try:
            with self.progress.clock(name):
                yield
        finally:
            self._seconds[family.kinds] += time.process_time() - started

    def _leave_time_for(self, laws: LawArrays) -> None:
        """End the search where the rest of its time goes into scoring and ordering what it found."""
        self._held += sum(part.nbytes for part in laws)
        limit, halt = self._options.time_limit, self._engine.work.halt
        needed = costs.COLLECT * self._held - OVERTIME
        if limit is not None and time.time() + needed > self._started + limit and not halt[0]:
            halt[0] = TIME

    def _report(self, findings: Findings, found: int, targets_left: int, evidence: int) -> None:
        progress = self.progress
        progress.found += found
        progress.left = findings.waiting or targets_left
        progress.validated += findings.validated
        progress.refuted += findings.refuted
        progress.evidence = evidence
        self._on_progress(progress)

    def _journaled(self, family: Family, phase: Phase) -> Iterator[Findings]:
        """What a journal knows of a phase, then what is left to find, which the journal is told."""
        if self.journal is None:
            yield from family.settle(phase)
            return
        known = self.journal.recall(phase, self.progress.level)
        self.progress.resumed += len(known.settled)
        yield known
        left = np.setdiff1d(np.arange(len(phase.targets)), known.settled)
        rest = phase.only(left)
        for some in family.settle(self._from_the_start(rest)) if len(left) else ():
            self._searched.update(rest.only(some.settled).names())
            wanted = self._wanted(rest, some)
            findings = wanted._replace(
                targets=left[wanted.targets],
                settled=left[wanted.settled],
                given_up=left[wanted.given_up],
            )
            self.journal.record(phase, self.progress.level, findings)
            yield findings

    def _from_the_start(self, phase: Phase) -> Phase:
        """The same phase without a least size for the targets that this search did not search before.

        A journal knows their smaller laws, but not what refuted their other small candidates. As long as
        these pass for laws, nothing larger is looked for in their place.
        """
        known = np.array([name in self._searched for name in phase.names()], np.bool_)
        return replace(phase, least=np.where(known, phase.least, 0))

    def _wanted(self, phase: Phase, findings: Findings) -> Findings:
        """Findings without the laws that are smaller than the phase asks for."""
        laws = phase.laws(findings)
        large = self.codec.sizes(laws) - own_columns(laws.targets) >= phase.least[findings.targets]
        return findings.only(large)
