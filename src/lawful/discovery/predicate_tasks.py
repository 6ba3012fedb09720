"""The tasks of the search for denial constraints and PODs: outcomes of all pairs, covers, validation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lawful.cover.atoms import contradictions, mirror_atoms
from lawful.cover.branches import Branch, branches_of, sets_of
from lawful.cover.lones import Stops, StopsOfPods
from lawful.cover.mmcs import Bounds, index_stops
from lawful.discovery.findings import Sets
from lawful.discovery.judging import Judgement
from lawful.discovery.rounds import Candidates
from lawful.engine import Engine, stretches
from lawful.evidence.tiles import BLOCK, narrow, outcomes_in_blocks
from lawful.laws.comparisons import Comparisons
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.dc_validation import order_of, violating_pairs_of
from lawful.words import Words

SHARING = 4000  # candidates that a task validates at least: each pair that it meets is tried on all of them
COARSER = 4  # times as coarse as others are tasks here: each finds the same evidence anew


@dataclass(frozen=True)
class OutcomesInBlocks:
    """A task: the distinct outcomes of all rows with those of some blocks."""

    comparisons: Comparisons
    blocks: Sequence[int]

    def __call__(self, work: Workspace) -> Iterator[Words]:
        blocks = np.array(self.blocks, np.int64)
        yield outcomes_in_blocks(narrow(work.rows.ranks), self.comparisons, blocks, BLOCK, work.halt)


@dataclass(frozen=True)
class CoverBranch:
    """A task: the minimal sets of a branch, and whether the bounds cut some off."""

    comparisons: Comparisons
    pointwise: bool  # whether PODs are looked for
    branch: Branch
    bounds: Bounds

    def __call__(self, work: Workspace) -> Iterator[tuple[Sets, bool]]:
        if work.halted:
            return iter(())
        stops = stops_of(self.comparisons, self.pointwise)
        return sets_of(self.branch, stops, self.bounds, mirror_atoms(self.comparisons), work.halt)


@dataclass(frozen=True)
class ValidateDCs:
    """A task: judge candidates; `first` is the number of the first one."""

    first: int
    comparisons: Comparisons
    sets: Sets
    keep: int

    def __len__(self) -> int:
        return len(self.sets)

    def __call__(self, work: Workspace) -> Iterator[Judgement]:
        found, pairs = violating_pairs_of(work, self.comparisons, self.sets, self.keep)
        yield Judgement(self.first, found, work.rows.in_table(pairs))


def all_outcomes(comparisons: Comparisons, engine: Engine) -> list[OutcomesInBlocks]:
    """Deal blocks of rows out to tasks, every n-th block to the same: the later ones take longer."""
    blocks = -(-engine.work.rows.count // BLOCK)
    tasks = min(blocks, max(engine.tasks // COARSER, 1))
    return [OutcomesInBlocks(comparisons, range(first, blocks, tasks)) for first in range(tasks)]


def cover_branches(
    comparisons: Comparisons, pointwise: bool, root: Branch, bounds: Bounds, engine: Engine
) -> list[CoverBranch]:
    """The search of all sets, dealt out to tasks."""
    parts = branches_of(root, engine.tasks // COARSER)
    return [CoverBranch(comparisons, pointwise, part, bounds) for part in parts]


def dc_judges(
    comparisons: Comparisons, candidates: Candidates, keep: int, rows: RankedRows, engine: Engine
) -> tuple[Candidates, list[ValidateDCs]]:
    """Candidates in an order in which those that share contexts follow each other, and who judges them."""
    candidates = candidates[order_of(candidates, comparisons, rows)]
    return candidates, [
        ValidateDCs(part.start, comparisons, candidates[part], keep)
        for part in stretches(len(candidates), engine, SHARING)
    ]


def stops_of(comparisons: Comparisons, pointwise: bool) -> Stops | StopsOfPods:
    """The contradictions, which no law is; of PODs also what tells where a second lone `!=` can be mended."""
    stops: Stops = index_stops(contradictions(comparisons))
    return StopsOfPods(stops.sets, stops.first, comparisons.ordered) if pointwise else stops
