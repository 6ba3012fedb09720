"""PODs and denial constraints under change: one target, whose edges come with their mirror images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.changes.kept_columns import NO_HALT
from lawful.changes.kept_family import KeptFamily
from lawful.cover.atoms import (
    OF_PREDICATES,
    atoms_of_predicates,
    canonical_sets,
    edges_of_lines,
    mirror_atoms,
)
from lawful.cover.berge import (
    Frame,
    are_minimal,
    extended_sets,
    first_missed,
    minimal_edges_of,
)
from lawful.cover.branches import begin_branch, more_sets
from lawful.cover.mmcs import UNLIMITED, Bounds
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.predicate_evidence import dc_judges, stops_of
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.rounds import Candidates, Judge
from lawful.discovery.search_options import Options
from lawful.engine import Engine
from lawful.evidence.evidence_set import EvidenceSet, EvidenceTable, HasRanks, table_of
from lawful.laws.codec import POD_KIND, LawArrays
from lawful.laws.comparisons import Flags, atom_words
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.validate.dc_validation import contexts_of
from lawful.words import Words, distinct_lines, mapped_sets, members_of, transposed


class _KnownEdges(NamedTuple):
    """The minimal edges of so many lines of evidence."""

    evidence: EvidenceSet
    lines: int
    edges: Words


class KeptPredicateLaws(KeptFamily):
    """The laws whose atoms exclude outcomes: of each law and its mirror image the canonical one."""

    def __init__(
        self,
        rows: HasRanks,
        space: PredicateSpace,
        options: Options,
        laws: LawArrays,
        pairs: Pairs,
        kind: int,
    ) -> None:
        comparisons = space.pointwise if kind == POD_KIND else space.predicates
        target, words = as_targets([DUPLICATE]), atom_words(comparisons)
        super().__init__(rows, comparisons, target, np.array([kind]), words, laws, pairs)
        self._columns, self._options = len(space.names), options
        self._mirror = mirror_atoms(comparisons)
        self._stops = stops_of(comparisons, kind == POD_KIND)
        most = len(comparisons.kind) if options.max_size is None else options.max_size
        self._frame = Frame(atoms_of_predicates(comparisons).usable, most, OF_PREDICATES)
        self._known_edges = _KnownEdges(self.evidence, -1, self.sets[0][:0])

    def first_broken(self, lines: Words) -> tuple[list[Numbers], Flags]:
        """For each set the first of some lines that breaks it, or -1; which lines break some."""
        edges = self._both(self._edges_of(lines))
        counted = _all_of(edges)
        missed = np.zeros_like(counted)
        first = first_missed(self.sets[0], transposed(edges, len(edges)), counted, missed)
        breaking = np.zeros(len(lines), np.bool_)
        if len(lines):
            breaking[members_of(missed) % len(lines)] = True
            first = np.where(first < 0, -1, first % len(lines))
        return [first], breaking

    def _extend(self, lines: Words, pairs: Pairs) -> None:
        edges, added = self.edges(0), self.edges(0, table_of(lines, self.comparisons))
        self.sets[0] = self.extended(0, self.sets[0], edges, added)
        self.evidence.add_pairs(pairs)
        # Each of these edges is missed by a set that hits all others: it contains none of them.
        self._known_edges = _KnownEdges(self.evidence, len(self.evidence), minimal_edges_of(edges, added))

    def edges(self, number: int, table: EvidenceTable | None = None) -> Words:
        """The minimal edges of some evidence, or of all that there is, and their mirror images."""
        if table is not None:
            return self._minimal_edges(table.lines)
        evidence, lines, edges = self._known_edges
        if evidence is not self.evidence or lines != len(evidence):
            edges = self._minimal_edges(self.evidence.lines)
            self._known_edges = _KnownEdges(self.evidence, len(self.evidence), edges)
        return edges

    def _minimal_edges(self, lines: Words) -> Words:
        return minimal_edges_of(distinct_lines(self._both(self._edges_of(lines))))

    def extended(self, number: int, sets: Sets, edges: Words, added: Words) -> Sets:
        """The minimal sets after edges were added to others."""
        if len(added) > costs.MANY_EDGES:
            return self._canonical(self._covered(np.concatenate([edges, added]), self._frame.usable))
        return self._canonical(extended_sets(self._closed(sets), edges, added, self._frame, self._stops))

    def phases(self) -> list[Numbers]:
        """One target."""
        return [np.zeros(1, np.int64)]

    def rests_on(self, number: int) -> list[int]:
        """On no other target."""
        return []

    def lost_edges(self, number: int, lost: EvidenceTable) -> Words:
        """The edges of lost evidence that contain none of what is left, and their mirror images."""
        edges, left = self.edges(0, lost), self.edges(0)
        every = _all_of(left)
        within = first_missed(~edges, transposed(left, len(left)), every, np.empty_like(every))
        lost_ones: Words = edges[within < 0]
        return lost_ones

    def shrunk(self, number: int, edges: Words, lost: Words) -> Sets:
        """The minimal sets after edges were lost, given those that are left."""
        some = self._canonical(lost)
        if len(some) > costs.MANY_EDGES:
            return self._canonical(self._covered(edges, self._frame.usable))
        closed = self._closed(self.sets[0])
        kept = closed[are_minimal(closed, edges, self._stops)]
        found = [self._covered(edges, self._frame.usable & ~edge) for edge in some]
        return self._canonical(np.concatenate([kept, *found]))

    def _covered(self, edges: Words, usable: Words) -> Sets:
        """The minimal sets of some atoms, from scratch."""
        nothing_chosen = np.empty(0, np.int64)
        search, _ = begin_branch(edges & usable, usable, nothing_chosen, self._stops)
        sets: Sets = more_sets(search, self._stops, Bounds(self._frame.most), UNLIMITED, NO_HALT)[2]
        return sets

    def contexts(self, candidates: Candidates) -> Sets:
        """The columns that candidates say are equal."""
        sets: Sets = contexts_of(_sets(candidates), self.comparisons, self._columns)
        return sets

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, Sequence[Judge]]:
        """Candidates that share contexts follow each other."""
        keep, rows = self._options.pairs_kept, engine.work.rows
        sets, tasks = dc_judges(self.comparisons, _sets(candidates), keep, rows, engine)
        return np.pad(sets, ((0, 0), (1, 0))), tasks

    def _edges_of(self, lines: Words) -> Words:
        atoms = atoms_of_predicates(self.comparisons)
        edges: Words = edges_of_lines(lines, len(self.comparisons.kind), atoms)
        return edges

    def _both(self, sets: Words) -> Words:
        """Sets, then their mirror images in the same order."""
        return np.concatenate([sets, mapped_sets(sets, self._mirror)])

    def _closed(self, sets: Sets) -> Sets:
        closed: Sets = distinct_lines(self._both(sets))
        return closed

    def _canonical(self, sets: Sets) -> Sets:
        """One of each set and its mirror image."""
        canonical: Sets = distinct_lines(canonical_sets(sets, self._mirror)[0])
        return canonical


def _all_of(edges: Words) -> Words:
    """All of some edges as a set."""
    every = np.zeros(-(-len(edges) // 64), np.uint64)
    every.view(np.uint8)[: len(edges) // 8] = 255
    if len(edges) % 64:
        every[-1] = (1 << (len(edges) % 64)) - 1
    return every


def _sets(candidates: Candidates) -> Sets:
    return np.ascontiguousarray(candidates[:, 1:])
