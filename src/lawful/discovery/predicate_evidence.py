"""What pairs of rows show of predicates, the minimal sets of atoms that hit it all, and who judges these."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.cover.atoms import atoms_of_predicates, contradictions, edges_of_lines, mirror_atoms
from lawful.cover.berge import minimal_edges_of
from lawful.cover.branches import Branch, branches_of, root_branch, sets_found_soon, sets_of
from lawful.cover.lones import Stops, StopsOfPods
from lawful.cover.mmcs import Bounds, index_stops
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.rounds import Candidates, Judgement
from lawful.engine import Engine, stretches
from lawful.evidence.batches import pairs_showing
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.tiles import BLOCK, narrow, outcomes_in_blocks
from lawful.laws.comparisons import Comparisons, Ints
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.validate.dc_validation import order_of, violating_pairs_of
from lawful.validate.edge_pairs import EdgePairs, KnownLines, edge_pairs
from lawful.words import Words, are_among, mapped_sets, numbered_lines

CANDIDATES_A_TASK = (
    4000  # candidates that a task validates at least: each pair that it meets is tried on all of them
)
SPLIT_BLOCK = 1000  # rows of a block where some rows are compared before all others
COARSER = 4  # times as coarse as others are tasks here: each finds the same evidence anew


@dataclass(frozen=True)
class OutcomesInBlocks:
    """A task: the distinct outcomes of all rows with those of some blocks, and of how many pairs each.

    Rows may come in an order of their own, in which each is compared with those before it.
    """

    comparisons: Comparisons
    blocks: Sequence[int]
    size: int = BLOCK
    order: Numbers | None = None

    def __call__(self, work: Workspace) -> Iterator[tuple[Words, Ints]]:
        blocks, ranks = np.array(self.blocks, np.int64), work.rows.ranks
        ranks = ranks if self.order is None else np.take(ranks, self.order, axis=1)
        yield outcomes_in_blocks(narrow(ranks), self.comparisons, blocks, self.size, work.halt)


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


def dc_judges(
    comparisons: Comparisons, candidates: Candidates, keep: int, rows: RankedRows, engine: Engine
) -> tuple[Candidates, list[ValidateDCs]]:
    """Candidates in an order in which those that share contexts follow each other, and who judges them."""
    candidates = candidates[order_of(candidates, comparisons, rows)]
    return candidates, [
        ValidateDCs(part.start, comparisons, candidates[part], keep)
        for part in stretches(len(candidates), engine, CANDIDATES_A_TASK)
    ]


def stops_of(comparisons: Comparisons, pointwise: bool) -> Stops | StopsOfPods:
    """The contradictions, which no law is; of PODs also what tells where a second lone `!=` can be mended."""
    stops: Stops = index_stops(contradictions(comparisons))
    return StopsOfPods(stops.sets, stops.first, comparisons.ordered) if pointwise else stops


class Edges(NamedTuple):
    """The edges of evidence and of its mirror images."""

    sets: Words
    mirror: Numbers  # [edge]: the number of its mirror image
    of_lines: Numbers  # [line]: the number of its edge


class CountedEdges(NamedTuple):
    """Edges, and how many pairs of rows stand behind each or, with t and s exchanged, its mirror image."""

    sets: Words
    mirror: Numbers
    pairs: Numbers


class PredicateEvidence:
    """The evidence of some pairs of rows, or of all."""

    def __init__(
        self, engine: Engine, comparisons: Comparisons, pointwise: bool, witnesses: int | None
    ) -> None:
        self._engine, self._comparisons, self._pointwise = engine, comparisons, pointwise
        self._witnesses = witnesses or 0
        self.lines = EvidenceSet(engine.work.rows, comparisons, witnesses)
        self.is_complete = False  # whether it is that of all pairs
        self._edges: Edges | None = None  # of the evidence as it is now

    @property
    def seconds_to_complete(self) -> float:
        """What it would take to compare all pairs."""
        return costs.tile_seconds(self._engine.work.rows.count, len(self._comparisons.kind))

    def complete(self, rated: Engine) -> None:
        """Compare all pairs of rows. Those that tell bits, which an engine sees, are counted."""
        few, rows = rated.work.rows, self._engine.work.rows
        self.compare_all(rated if few.count < rows.count else self._engine)
        if few.count < rows.count:
            self._compare_others(np.asarray(few.numbers, np.int64))
        self.is_complete = not self._engine.work.halted

    def _compare_others(self, rows: Numbers) -> None:
        """Compare all pairs of rows but those of some rows, which were compared."""
        count = self._engine.work.rows.count
        order = np.append(rows, np.setdiff1d(np.arange(count), rows))
        size = int(np.gcd(len(rows), SPLIT_BLOCK))
        blocks = range(len(rows) // size, -(-count // size))
        for lines, counts in self._engine.run(self._tasks(self._engine, blocks, size, order)):
            self.lines.add_lines(lines, np.zeros_like(counts))
        self._edges = None

    def compare_all(self, engine: Engine) -> None:
        """Compare all pairs of the rows that an engine sees.

        Blocks of rows are dealt out, every n-th one to the same task: the later ones take longer.
        """
        for lines, counts in engine.run(self._tasks(engine, range(-(-engine.work.rows.count // BLOCK)))):
            self.lines.add_lines(lines, counts)
        self._edges = None

    def _tasks(
        self, engine: Engine, blocks: range, size: int = BLOCK, order: Numbers | None = None
    ) -> list[OutcomesInBlocks]:
        count = min(len(blocks), max(engine.tasks // COARSER, 1))
        return [
            OutcomesInBlocks(self._comparisons, blocks[first::count], size, order) for first in range(count)
        ]

    def learn(self, pairs: Pairs) -> None:
        """Add pairs of rows."""
        if self.lines.add_pairs(pairs):
            self._edges = None

    def witnesses(self) -> Pairs:
        """Pairs of rows that show the evidence: of all pairs those that matter."""
        if not self.is_complete:
            return self.lines.witness_pairs
        lines, ranks = self.lines.lines, self._engine.work.rows.ranks
        needed = lines[are_among(self._edges_of_lines(), minimal_edges_of(self.edges()))]
        return pairs_showing(needed, self._comparisons, ranks, self._witnesses)

    def edges(self) -> Words:
        """The edges of the evidence and of its mirror images."""
        return self._mirrored_edges().sets

    def with_pairs(self, work: Workspace) -> tuple[Words, EdgePairs]:
        """The edges, and the pairs of some rows, all of which were compared, behind each of them."""
        edges, lines = self._mirrored_edges(), self.lines
        known = KnownLines(lines.lines, edges.of_lines, edges.mirror, lines.turning)
        return edges.sets, edge_pairs(work.rows.ranks, self._comparisons, known, work.halt)

    def counted(self) -> CountedEdges:
        """The edges, and how many pairs of the rows that were compared stand behind each, at most."""
        (edges, mirror, of_lines), lines = self._mirrored_edges(), self.lines
        pairs = np.bincount(of_lines, lines.compared, len(edges)).astype(np.int64)
        # An edge and its mirror image have the same pairs.
        return CountedEdges(
            edges, mirror, pairs + np.where(mirror == np.arange(len(mirror)), 0, pairs[mirror])
        )

    def cover(self, bounds: Bounds) -> Iterator[tuple[Sets, bool]]:
        """The minimal sets within the bounds that hit all evidence, and whether the bounds cut some off."""
        soon = self._soon(bounds)
        if soon is not None:
            yield soon
            return
        parts = branches_of(self._root(), self._engine.tasks // COARSER)
        tasks = [CoverBranch(self._comparisons, self._pointwise, part, bounds) for part in parts]
        yield from self._engine.run(tasks)

    def _soon(self, bounds: Bounds) -> tuple[Sets, bool] | None:
        """The same at once; None where that takes longer."""
        mirror, stops = mirror_atoms(self._comparisons), stops_of(self._comparisons, self._pointwise)
        return sets_found_soon(self._root(), stops, bounds, mirror, self._engine.work.halt)

    def _root(self) -> Branch:
        """The search of all sets."""
        usable = atoms_of_predicates(self._comparisons).usable
        return root_branch(self.edges(), usable, mirror_atoms(self._comparisons))

    def _edges_of_lines(self) -> Words:
        atoms = atoms_of_predicates(self._comparisons)
        edges: Words = edges_of_lines(self.lines.lines, len(self._comparisons.kind), atoms)
        return edges

    def _mirrored_edges(self) -> Edges:
        """All edges, made once for the evidence as it is."""
        if self._edges is None:
            edges = self._edges_of_lines()
            mirrored = mapped_sets(edges, mirror_atoms(self._comparisons))
            distinct, numbers = numbered_lines(np.concatenate([edges, mirrored]))
            mirror = np.empty(len(distinct), np.int64)
            mirror[numbers] = np.roll(numbers, len(edges))
            self._edges = Edges(distinct, mirror, numbers[: len(edges)])
        return self._edges
