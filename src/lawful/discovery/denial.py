"""The search for denial constraints: evidence, cover, and validation where the evidence is not complete.

The outcomes of all pairs of a small table are soon known; then one cover gives all laws. A larger table is
sampled, and cover and validation take turns, unless there are so many candidates that all pairs cost less
than to validate them. Under a limit that may strike at any time the search deepens,
size by size, so that what is proven by then are the smallest laws.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import edges_of, mirror_atoms, mirrored_sets, whole_comparisons
from lawful.cover.branches import Bounds, Branch, branches_of, sets_found_soon, sets_of, whole_search
from lawful.cover.mmcs import index_stops
from lawful.discovery.denial_scales import named
from lawful.discovery.denial_scores import denial_scores
from lawful.discovery.denial_space import Space
from lawful.discovery.judging import Judgement, judged, shares
from lawful.discovery.loop import Progress
from lawful.discovery.rounds import Pairs, Sets, Verdict, settle_in_rounds
from lawful.discovery.search_options import Options
from lawful.engine import Engine, Viewed, Watch, stretches
from lawful.evidence.denials import DenialEvidence
from lawful.evidence.focused import sample_focused
from lawful.evidence.tiles import BLOCK, narrow, outcomes_in_blocks
from lawful.laws.comparisons import Comparisons, usable_atoms
from lawful.table.ranked import RankedRows
from lawful.validate.dc_validation import contexts_of, order_of, violating_pairs_of
from lawful.words import Words, distinct_lines

UNIT = 3  # atoms of a comparison
# CPU seconds, measured: what a pair costs, what each comparison of it costs, what a candidate costs on a row,
# and what is too short to think about
A_PAIR, A_COMPARISON, A_CANDIDATE, SHORT = 3e-9, 0.3e-9, 10e-9, 0.5
SHARING = 4000  # candidates that a task validates at least: each pair that it meets is tried on all of them
COARSER = 4  # times as coarse as others are tasks here: each finds the same evidence anew


@dataclass(frozen=True)
class OutcomesInBlocks:
    """A task: the distinct outcomes of all rows with those of some blocks."""

    comparisons: Comparisons
    blocks: Sequence[int]

    def __call__(self, rows: RankedRows) -> Iterator[Words]:
        blocks = np.array(self.blocks, np.int64)
        yield outcomes_in_blocks(narrow(rows.ranks), self.comparisons, blocks, BLOCK, rows.halt)


@dataclass(frozen=True)
class CoverBranch:
    """A task: the minimal sets of a branch, and whether the bounds cut some off."""

    comparisons: Comparisons
    branch: Branch
    bounds: Bounds

    def __call__(self, rows: RankedRows) -> Iterator[tuple[Sets, bool]]:
        stops = index_stops(whole_comparisons(self.comparisons))
        return sets_of(self.branch, stops, self.bounds, mirror_atoms(self.comparisons), rows.halt)


@dataclass(frozen=True)
class ValidateDenials:
    """A task: judge candidates; `first` is the number of the first one."""

    first: int
    comparisons: Comparisons
    sets: Sets
    keep: int

    def __len__(self) -> int:
        return len(self.sets)

    def __call__(self, rows: RankedRows) -> Iterator[Judgement]:
        found, pairs = violating_pairs_of(rows, self.comparisons, self.sets, self.keep)
        yield Judgement(self.first, found, rows.in_table(pairs))


def _dealt_blocks(rows: int, engine: Engine) -> list[range]:
    """Deal blocks of rows out to tasks, every n-th block to the same: the later ones take longer."""
    blocks = -(-rows // BLOCK)
    tasks = min(blocks, max(engine.tasks // COARSER, 1))
    return [range(first, blocks, tasks) for first in range(tasks)]


class DenialSearch:
    """One search for the denial constraints of a table. Iterate `laws()` once; `progress` tells the rest."""

    def __init__(
        self,
        rows: RankedRows,
        engine: Engine,
        space: Space,
        options: Options,
        on_progress: Callable[[Progress], None] = lambda progress: None,
        all_pairs: bool | None = None,
    ) -> None:
        self._watched, self._rows, self._engine = rows, rows, engine
        if space.scales:
            scales = named(space.scales)
            self._rows, self._engine = rows.seen_by(scales), Viewed(engine, scales)
        self._space, self._options, self._on_progress = space, options, on_progress
        self._evidence = DenialEvidence(self._rows, space.comparisons)
        self._all_pairs = all_pairs  # None: whatever is cheaper
        self._complete = False  # whether the evidence is that of all pairs
        self._edges: Words | None = None
        self._pending: Sets | None = None  # the candidates of the next round, where they are known already
        self._bounds = Bounds(UNIT, 0)
        self._cut = False
        self.progress = Progress(deepening=options.smallest_first)

    @property
    def comparisons(self) -> Comparisons:
        """What the atoms of the laws belong to."""
        return self._space.comparisons

    def limit_time(self, seconds: float | None) -> None:
        """Set how long the search may take, where part of the time is gone already."""
        self._options = replace(self._options, time_limit=seconds)

    def laws(self) -> Iterator[Sets]:
        """The laws as they are proven, in batches: sets of atoms, one of each mirrored pair."""
        self._engine.limits = self._options.limits()
        with Watch(self._watched, self._engine.limits, interrupts=True) as watch:
            try:
                with self.progress.clock("dc evidence"):
                    self._start_evidence()
                yield from self._levels()
                self.progress.reason = watch.reason or ("max size" if self._cut else None)
            finally:  # also where the caller wants no more: no task must run on
                self._rows.halt[0] = 1

    def scores(self, sets: Sets) -> npt.NDArray[np.float64]:
        """The scores of laws."""
        return denial_scores(sets, self._rows, self.comparisons)

    def _seconds_of_all_pairs(self) -> float:
        """About what the outcomes of all pairs cost."""
        pairs = self._rows.count * (self._rows.count - 1.0) / 2
        return pairs * (A_PAIR + A_COMPARISON * len(self.comparisons.kind))

    def _start_evidence(self) -> None:
        if self._all_pairs or (self._all_pairs is None and self._seconds_of_all_pairs() < SHORT):
            self._take_all_pairs()
        else:
            columns, ordered = self._space.columns, self._space.ordered
            sample_focused(self._rows, columns, ordered, self._evidence, self._options.seed)

    def _take_all_pairs(self) -> None:
        blocks = _dealt_blocks(self._rows.count, self._engine)
        for lines in self._engine.run([OutcomesInBlocks(self.comparisons, some) for some in blocks]):
            self._evidence.add_lines(lines)
        self._edges, self._complete = None, not self._rows.halt[0]

    def _levels(self) -> Iterator[Sets]:
        """All sizes at once or, under a limit that may strike, one after the other."""
        most = len(self.comparisons.kind) if self._options.max_size is None else self._options.max_size
        first = min(1, most) if self._options.smallest_first else most
        for level in range(first, most + 1):
            self.progress.level, self._cut = level, False
            self._bounds = Bounds(UNIT, level, level if level > first else 0)
            with self.progress.clock("dc"):
                yield from self._level()
            if not self._cut or self._rows.halt[0]:
                break

    def _level(self) -> Iterator[Sets]:
        if not self._complete and not self._rows.halt[0]:
            self._pending = self.candidates()
            validation = A_CANDIDATE * len(self._pending) * self._rows.count
            if self._all_pairs is None and validation > self._seconds_of_all_pairs():
                self._take_all_pairs()
        if not self._rows.halt[0]:
            yield from self._of_all_pairs() if self._complete else self._in_rounds()

    def _of_all_pairs(self) -> Iterator[Sets]:
        """The laws of complete evidence."""
        for sets in self._cover():
            yield from self._told(Verdict(sets, np.empty((0, 2), np.int32), 0))

    def _in_rounds(self) -> Iterator[Sets]:
        for verdict in settle_in_rounds(self, lambda: bool(self._rows.halt[0])):
            self.progress.left -= len(verdict.proven) + verdict.refuted
            self.progress.validated += len(verdict.proven) + verdict.refuted
            self.progress.refuted += verdict.refuted
            yield from self._told(verdict)

    def _told(self, verdict: Verdict) -> Iterator[Sets]:
        sets = verdict.proven
        if self._options.min_score > 0:
            sets = sets[self.scores(sets) >= self._options.min_score]
        self.progress.found += len(sets)
        self._on_progress(self.progress)
        if len(sets):
            yield sets

    def candidates(self) -> Sets:
        """The minimal sets that hit all evidence."""
        sets, self._pending = self._pending, None
        if sets is None:
            sets = np.concatenate([usable_atoms(self.comparisons)[None, :][:0], *self._cover()])
        return sets

    def verdicts(self, candidates: Sets) -> Iterator[Verdict]:
        """What the rows say of candidates."""
        self.progress.left = len(candidates)
        contexts = contexts_of(candidates, self.comparisons, self._rows.columns)
        for engine, chosen in shares(self._engine, contexts, self._rows):
            some = candidates[chosen]
            some = some[order_of(some, self.comparisons, self._rows)]
            tasks = [
                ValidateDenials(part.start, self.comparisons, some[part], self._options.pairs_kept)
                for part in stretches(len(some), engine, SHARING)
            ]
            for first, found, learned in judged(engine, tasks, engine is not self._engine):
                part = some[first : first + len(found)]
                yield Verdict(part[found == 0], learned, int((found > 0).sum()))

    def learn(self, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence."""
        if self._evidence.add_pairs(pairs):
            self._edges = None

    def _cover(self) -> Iterator[Sets]:
        """The minimal sets within the bounds that hit all evidence."""
        mirror, atoms = mirror_atoms(self.comparisons), usable_atoms(self.comparisons)
        if self._edges is None:
            edges = edges_of(self._evidence.lines, self.comparisons)
            self._edges = distinct_lines(np.concatenate([edges, mirrored_sets(edges, mirror)]))
        self.progress.evidence = len(self._edges)
        whole = whole_search(self._edges, atoms, mirror)
        stops = index_stops(whole_comparisons(self.comparisons))
        soon = sets_found_soon(whole, stops, self._bounds, mirror, self._rows.halt)
        parts = branches_of(whole, self._engine.tasks // COARSER) if soon is None else []
        tasks = [CoverBranch(self.comparisons, part, self._bounds) for part in parts]
        for sets, cut in [soon] if soon is not None else self._engine.run(tasks):
            self._cut |= cut
            yield sets
