"""What pairs of rows show of predicates, and the minimal sets of atoms that hit all of it."""

from collections.abc import Iterator

import numpy as np

from lawful import costs
from lawful.cover.atoms import atoms_of_predicates, edges_of_lines, mirror_atoms
from lawful.cover.berge import minimal_edges_of
from lawful.cover.branches import Branch, root_branch, sets_found_soon
from lawful.cover.mmcs import Bounds
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.predicate_tasks import all_outcomes, cover_branches, stops_of
from lawful.engine import Engine
from lawful.evidence.batches import pairs_showing
from lawful.evidence.evidence_set import EvidenceSet
from lawful.laws.comparisons import Comparisons
from lawful.table.workspace import Workspace
from lawful.validate.edge_pairs import EdgePairs, edge_pairs
from lawful.words import Words, are_among, mapped_sets, numbered_lines


class PredicateEvidence:
    """The evidence of some pairs of rows, or of all."""

    def __init__(
        self, engine: Engine, comparisons: Comparisons, pointwise: bool, witnesses: int | None
    ) -> None:
        self._engine, self._comparisons, self._pointwise = engine, comparisons, pointwise
        self._witnesses = witnesses or 0
        self.lines = EvidenceSet(engine.work.rows, comparisons, witnesses)
        self.is_complete = False  # whether it is that of all pairs
        self._edges: Words | None = None  # of the evidence as it is now

    @property
    def seconds_to_complete(self) -> float:
        """What it would take to compare all pairs."""
        return costs.tile_seconds(self._engine.work.rows.count, len(self._comparisons.kind))

    def complete(self) -> None:
        """Compare all pairs of rows."""
        self.compare_all(self._engine)
        self.is_complete = not self._engine.work.halted

    def compare_all(self, engine: Engine) -> None:
        """Compare all pairs of the rows that an engine sees."""
        for lines in engine.run(all_outcomes(self._comparisons, engine)):
            self.lines.add_lines(lines)
        self._edges = None

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
        if self._edges is None:
            self._edges = self._mirrored_edges()[0]
        return self._edges

    def with_pairs(self, work: Workspace) -> tuple[Words, EdgePairs]:
        """The edges, and the pairs of some rows, all of which were compared, behind each of them."""
        edges, mirror = self._mirrored_edges()
        atoms = atoms_of_predicates(self._comparisons)
        return edges, edge_pairs(work.rows.ranks, self._comparisons, atoms, edges, mirror, work.halt)

    def cover(self, bounds: Bounds) -> Iterator[tuple[Sets, bool]]:
        """The minimal sets within the bounds that hit all evidence, and whether the bounds cut some off."""
        soon = self._soon(bounds)
        if soon is not None:
            yield soon
            return
        tasks = cover_branches(self._comparisons, self._pointwise, self._root(), bounds, self._engine)
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

    def _mirrored_edges(self) -> tuple[Words, Numbers]:
        """All edges, and for each the number of its mirror image."""
        edges = self._edges_of_lines()
        mirrored = mapped_sets(edges, mirror_atoms(self._comparisons))
        distinct, numbers = numbered_lines(np.concatenate([edges, mirrored]))
        mirror = np.empty(len(distinct), np.int64)
        mirror[numbers] = np.roll(numbers, len(edges))
        return distinct, mirror
