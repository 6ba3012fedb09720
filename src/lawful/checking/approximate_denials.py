"""All minimal denial constraints and PODs that hold but for a share of pairs or rows, by counted evidence.

All pairs of rows are compared, and each distinct outcome is counted: an edge of that weight. A set of atoms
that misses edges of a tolerated weight is a law that holds almost.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import product

import numpy as np

from lawful.checking.approximate_laws import Tolerance
from lawful.checking.denials_by_rows import RowsToRemove, hitting_but_for_rows
from lawful.cover.atoms import (
    NOT_EQUAL,
    OF_PREDICATES,
    atoms_of_predicates,
    canonical_sets,
    contradictions,
    edges_of_lines,
    mirror_atoms,
)
from lawful.cover.berge import minimal_edges_of
from lawful.cover.mmcs import index_stops
from lawful.cover.weighted_edges import WeightedEdges, almost_hitting
from lawful.discovery import MAX_SIZE, PredicateSpace
from lawful.discovery.predicate_evidence import OutcomesInBlocks
from lawful.discovery.scales import named
from lawful.discovery.search import TOO_MANY
from lawful.engine import Engine, Viewed, dealt
from lawful.engine.watch import NO_LIMITS, TIME_LIMIT, Limits
from lawful.errors import LawfulError
from lawful.evidence.tiles import BLOCK
from lawful.laws import Law
from lawful.laws.codec import DC_KIND, POD_KIND, LawArrays, padded
from lawful.laws.comparisons import Comparisons, Ints, atom_words
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.table.workspace import Workspace
from lawful.words import Words, bit_set, distinct_lines, mapped_sets, members_of, numbered_lines

MOST_ROWS = 100_000  # all pairs of which are compared
MOST_SECONDS = 60.0  # where no limit was given
MOST_LINES = 1 << 23  # outcomes that blocks of rows have: more would take long to search
TOO_LONG = (
    f"ended after {MOST_SECONDS:.0f} s: fewer columns, cross-columns off, a smaller size or a longer time"
)
TOO_DIVERSE = "pairs of rows differ in too many ways: fewer columns, or cross-columns off"
BOUNDS = "rows to remove known within bounds"  # why laws may be missing, or not be minimal
MOST_TOLD = 1_000  # laws of a kind, the smallest: their errors are measured one by one


@dataclass
class ApproximateDenials:
    """A search for denial constraints or PODs that hold but for a share of the pairs (t, s), or rows."""

    engine: Engine
    space: PredicateSpace
    kind: int
    tolerance: Tolerance
    max_size: int | None = None
    limits: Limits = NO_LIMITS
    most_told: int = MOST_TOLD
    reason: str | None = field(default=None, init=False)  # why laws are missing, after the search

    def laws(self) -> Iterator[Law]:
        """The laws, the smallest first."""
        found, codec = self.found(), self.space.codec
        if len(found.sets) > self.most_told:
            self.reason = self.reason or TOO_MANY
            sizes = codec.sizes(found)
            found = found.chosen(sizes <= np.partition(sizes, self.most_told - 1)[self.most_told - 1])
        yield from sorted(codec.decode(found), key=Law.sort_key)[: self.most_told]

    def found(self) -> LawArrays:
        """All laws as arrays, of each and its mirror image one."""
        rows = self.engine.work.rows.count
        if rows > MOST_ROWS:
            raise LawfulError(
                f"DCs and PODs with an error need all pairs of rows: {rows:,} rows are too many"
            )
        run_by = Viewed(self.engine, named(self.space.scales)) if self.space.scales else self.engine
        limited = self.limits.ends is not None
        limits = self.limits if limited else self.limits._replace(ends=time.time() + MOST_SECONDS)
        # The main thread waits, so that Ctrl-C reaches it.
        with run_by.watched(limits) as watch, ThreadPoolExecutor(1) as pool:
            sets = pool.submit(self._almost_minimal, run_by).result()
            ended = TOO_LONG if watch.reason == TIME_LIMIT and not limited else watch.reason
        self.reason = ended or self.reason
        sets = distinct_lines(canonical_sets(sets, mirror_atoms(self._comparisons))[0])
        kinds, targets = np.full(len(sets), self.kind), np.tile(as_targets([DUPLICATE]), (len(sets), 1))
        return LawArrays(kinds, targets, padded(sets, self.space.codec.words))

    @property
    def _comparisons(self) -> Comparisons:
        return self.space.pointwise if self.kind == POD_KIND else self.space.predicates

    def _almost_minimal(self, run_by: Engine) -> Words:
        """The minimal sets of atoms that miss no more than is tolerated, if not too much can be."""
        weighted = self._counted_edges(run_by)
        if weighted is None or run_by.work.halted:
            return np.empty((0, atom_words(self._comparisons)), np.uint64)
        return self._sets(weighted, run_by.work)

    def _counted_edges(self, run_by: Engine) -> WeightedEdges | None:
        """The edges of all pairs (t, s), those of the most pairs first; None for too many."""
        rows, comparisons = run_by.work.rows.count, self._comparisons
        tasks = [OutcomesInBlocks(comparisons, some) for some in dealt(-(-rows // BLOCK), run_by)]
        atoms = atoms_of_predicates(comparisons)
        edges, counts = [np.empty((0, len(atoms.usable)), np.uint64)], [np.empty(0, np.int64)]
        for lines, counted in run_by.run(tasks):
            some = edges_of_lines(lines, len(comparisons.kind), atoms)
            edges += [some, mapped_sets(some, mirror_atoms(comparisons))]
            counts += [counted, counted]
            if sum(map(len, counts)) > 2 * MOST_LINES:
                self.reason = TOO_DIVERSE
                return None
        if run_by.work.halted:
            return None
        distinct, numbers = numbered_lines(np.concatenate(edges))
        weights = np.zeros(len(distinct), np.int64)
        np.add.at(weights, numbers, np.concatenate(counts))
        order = np.argsort(-weights, kind="stable")
        return WeightedEdges(distinct[order], weights[order], self.tolerance.limit_of(rows * (rows - 1)))

    def _sets(self, weighted: WeightedEdges, work: Workspace) -> Words:
        """Those sets of atoms, and of PODs those that they follow from."""
        comparisons, atoms = self._comparisons, atoms_of_predicates(self._comparisons).usable
        most = len(comparisons.kind) if self.max_size is None else self.max_size
        stops, order = index_stops(contradictions(comparisons)), _seldom_first(weighted, atoms)
        if self.tolerance.of_pairs:
            sets, cut = almost_hitting(weighted, atoms, order, OF_PREDICATES, stops, most, work.halt)
        else:
            most_rows = self.tolerance.limit(work.rows.count)
            question = RowsToRemove(weighted, most_rows, work, comparisons)
            sets, cut = hitting_but_for_rows(question, atoms, order, OF_PREDICATES, stops, most, work.halt)
            self.reason = BOUNDS if question.undecided else None
        self.reason = MAX_SIZE if cut else self.reason
        if self.kind == DC_KIND:
            return np.asarray(sets, np.uint64)
        mended = [one for members in sets for one in _mended(members, comparisons)]
        return minimal_edges_of(np.unique(np.array(mended, np.uint64).reshape(-1, len(atoms)), axis=0))


def _seldom_first(weighted: WeightedEdges, atoms: Words) -> Ints:
    """The atoms, those first that hit edges of the least weight."""
    members = members_of(atoms)
    bits = np.unpackbits(weighted.edges.view(np.uint8), axis=1, bitorder="little").astype(np.bool_)
    hit = [int(weighted.weights[bits[:, atom]].sum()) for atom in members.tolist()]
    order: Ints = members[np.argsort(np.array(hit, np.int64), kind="stable")]
    return order


def _mended(members: Words, comparisons: Comparisons) -> Iterator[Words]:
    """Sets with at most one lone `!=`: where there are more, all but one become `<` or `>`."""
    atoms = members_of(members).tolist()
    used = Counter(atom // OF_PREDICATES for atom in atoms)
    lones = [k for k, count in used.items() if count == 1 and OF_PREDICATES * k + NOT_EQUAL in atoms]
    if len(lones) < 2:
        yield members
        return
    for stays in lones:
        others = [k for k in lones if k != stays]
        if all(comparisons.ordered[k] for k in others):
            for sides in product((0, OF_PREDICATES - 1), repeat=len(others)):
                more = [OF_PREDICATES * k + side for k, side in zip(others, sides, strict=True)]
                yield members | bit_set(np.array(more, np.int64), len(members))
