"""Denial constraints and PODs: laws whose atoms exclude outcomes of comparisons.

The outcomes of all pairs of a small table are soon known; then one cover gives all laws. A larger table is
sampled, and cover and validation take turns (Hydra), unless there are so many candidates that all pairs cost
less than to validate them.

Where laws must have some bits, those of a table all of whose pairs can be listed are found literal by literal
(`lawful.discovery.worthwhile`); of those of a larger table the others are dropped when they are proven. Laws
that follow from shorter ones, or from others of their size that have more bits, are left out.
"""

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.cover.atoms import (
    OF_PREDICATES,
    atoms_of_predicates,
    contradictions,
    edges_of_lines,
    mirror_atoms,
)
from lawful.cover.berge import minimal_edges_of
from lawful.cover.branches import Branch, branches_of, root_branch, sets_found_soon, sets_of
from lawful.cover.lones import Stops, StopsOfPods
from lawful.cover.mmcs import Bounds, index_stops
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.dc_scores import dc_scores
from lawful.discovery.findings import Findings, Numbers, Pairs, Phase, Scores, Sets
from lawful.discovery.judging import Judgement
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.rounds import Candidates, settle_in_rounds
from lawful.discovery.scales import named
from lawful.discovery.search_options import Options
from lawful.discovery.worthwhile import WorthwhileSets
from lawful.engine import Engine, Viewed, stretches
from lawful.evidence.batches import pairs_showing
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.focused import sample_focused
from lawful.evidence.tiles import BLOCK, narrow, outcomes_in_blocks
from lawful.laws.base import KINDS
from lawful.laws.codec import DC_KIND, POD_KIND, LawArrays, padded
from lawful.laws.comparisons import Comparisons, Flags, atom_words
from lawful.laws.dc import DC
from lawful.laws.implication import without_echoes
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.table.ranked import RankedRows, SomeRows
from lawful.table.workspace import Workspace
from lawful.validate.dc_validation import contexts_of, order_of, violating_pairs_of
from lawful.validate.edge_pairs import edge_pairs
from lawful.words import Words, are_among, mapped_sets, members_of, numbered_lines, sizes_of

SHARING = 4000  # candidates that a task validates at least: each pair that it meets is tried on all of them
SEED = 0  # of the rows of a long table that laws are rated on
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


def dc_judges(
    comparisons: Comparisons, candidates: Candidates, keep: int, rows: RankedRows, engine: Engine
) -> tuple[Candidates, list[ValidateDCs]]:
    """Candidates in an order in which those that share contexts follow each other, and who judges them."""
    candidates = candidates[order_of(candidates, comparisons, rows)]
    return candidates, [
        ValidateDCs(part.start, comparisons, candidates[part], keep)
        for part in stretches(len(candidates), engine, SHARING)
    ]


class Pending(NamedTuple):
    """Sets that are known before they are asked for, and whether the bounds cut others off."""

    sets: Sets
    cut: bool


def _dealt_blocks(rows: int, engine: Engine) -> list[range]:
    """Deal blocks of rows out to tasks, every n-th block to the same: the later ones take longer."""
    blocks = -(-rows // BLOCK)
    tasks = min(blocks, max(engine.tasks // COARSER, 1))
    return [range(first, blocks, tasks) for first in range(tasks)]


class PredicateLaws:
    """The search for denial constraints. All have the one target that counts every pair."""

    kinds: tuple[int, ...] = (DC_KIND,)
    start_name = "dc evidence"
    pointwise = False  # whether they are PODs

    def __init__(
        self, engine: Engine, space: PredicateSpace, options: Options, witnesses: int | None = None
    ) -> None:
        self._engine = Viewed(engine, named(space.scales)) if space.scales else engine
        self._space, self._options, self._witnesses = space, options, witnesses or 0
        self._comparisons = space.pointwise if self.pointwise else space.predicates
        self._evidence = EvidenceSet(self._engine.work.rows, self._comparisons, witnesses)
        self._knows_all_pairs = False
        self._edges: Words | None = None  # of the evidence as it is now
        self._pending: Pending | None = None
        self._bounds, self._cut = Bounds(0), False
        rows = self._engine.work.rows
        if rows.count > costs.RATED_ROWS:  # what a law is worth on some rows it is on all, and more
            rows = rows.seen_by(SomeRows(costs.RATED_ROWS, SEED))
        self._bits = DCBits(rows, self._comparisons, space.possible)
        self._tired = False  # whether there were too many laws of a size to rate
        self._search: WorthwhileSets | None = None
        self._told: list[DC] = []  # laws of at least the bits that are asked for
        self.largest = len(self._comparisons.kind)

    @property
    def _by_literals(self) -> bool:
        """Whether laws are found literal by literal: bits are asked for, and all pairs can be listed."""
        listed = self._engine.work.rows.count <= costs.LISTED_ROWS
        return self._options.min_bits > 0 and listed and not self.pointwise

    @property
    def _most_at_once(self) -> int:
        """How many sets are looked for whatever their size: more are looked for size by size."""
        return costs.RATED if self._options.min_bits > 0 else costs.EXPLOSION

    @property
    def evidence(self) -> int:
        """How much evidence there is, mirror images counted."""
        return len(self._all_edges())

    def witnesses(self) -> Pairs:
        """Pairs of rows that show the evidence: of all pairs those that matter."""
        if not self._knows_all_pairs:
            return self._evidence.witness_pairs
        comparisons, lines = self._comparisons, self._evidence.lines
        edges = edges_of_lines(lines, len(comparisons.kind), atoms_of_predicates(comparisons))
        minimal = minimal_edges_of(self._all_edges())
        return pairs_showing(
            lines[are_among(edges, minimal)], comparisons, self._engine.work.rows.ranks, self._witnesses
        )

    def start(self) -> None:
        """Compare all pairs of rows, or some."""
        if self._by_literals or self._seconds_of_all_pairs() < costs.SHORT_TILES:
            self._take_all_pairs()
        else:
            columns, ordered = self._space.compared, self._space.ordered
            sample_focused(self._engine.work, columns, ordered, self._evidence, self._options.seed)

    def explodes(self, most: int) -> bool:
        """Try to find all sets at once; whether there are too many. If not, they are kept.

        Those that must have some bits are found size by size.
        """
        if self._by_literals:
            return True
        self._bounds, self._cut = Bounds(most), False
        cover, found, count = self._cover(), [self._no_sets()], 0
        for sets in cover:
            found.append(sets)
            count += len(sets)
            if count > self._most_at_once and not self._engine.work.halted:
                cover.close()
                self._engine.work.go_on()
                return True
        self._pending = Pending(np.concatenate(found), self._cut)
        return False

    def phases(self, level: int, deepened: bool) -> Iterator[Phase]:
        """One target."""
        most, least = np.array([level]), np.array([level if deepened else 0])
        words, targets = atom_words(self._comparisons), as_targets([DUPLICATE])
        name, kept = KINDS[self.kinds[0]], self._options.pairs_kept
        yield Phase(name, np.array(self.kinds), targets, most, least, words, kept)

    def settle(self, phase: Phase) -> Iterator[Findings]:
        """Find all sets within the bounds."""
        self._bounds, self._cut = phase.bounds(0), False
        if self._by_literals and self._knows_all_pairs:
            yield from self._worthwhile()
        elif self._tired:
            self._cut = True
        else:
            yield from self._worth_showing(self._minimal())
        settled = np.zeros(int(not self._engine.work.halted), np.int64)
        yield Findings(settled[:0], self._no_sets(), cut=self._cut, settled=settled)

    def _minimal(self) -> Iterator[Findings]:
        """All minimal laws within the bounds."""
        if not self._knows_all_pairs:
            self._pending = Pending(self.candidates(), self._cut)
            validation = costs.CANDIDATE * len(self._pending.sets) * self._engine.work.rows.count
            if validation > self._seconds_of_all_pairs() and not self._engine.work.halted:
                self._take_all_pairs()
                self._pending = None
        yield from self._of_all_pairs() if self._knows_all_pairs else self._in_rounds()

    def _worthwhile(self) -> Iterator[Findings]:
        """The laws within the bounds that have bits enough, size by size."""
        if self._search is None:
            self._search = self._new_search()
        for size in range(self._bounds.least, self._bounds.most + 1):
            sets, missing = self._search.of_size(size, self._engine.nearby)
            self._cut |= missing
            shown = self._shown_of(sets)
            yield Findings(_first(shown), shown)
            if missing or not self._search.may_be_larger(size) or self._engine.work.halted:
                return
        self._cut = True

    def _new_search(self) -> WorthwhileSets:
        edges, mirror = self._mirrored_edges()
        work, comparisons = self._engine.work, self._comparisons
        atoms = atoms_of_predicates(comparisons)
        pairs = edge_pairs(work.rows.ranks, comparisons, atoms, edges, mirror, work.halt)
        return WorthwhileSets(self._bits, comparisons, edges, pairs, self._options.min_bits)

    def _worth_showing(self, findings: Iterator[Findings]) -> Iterator[Findings]:
        """Findings without the laws that have too few bits or follow from others: when all are found."""
        if self._options.min_bits == 0:
            yield from findings
            return
        held = [self._no_sets()]
        for some in findings:
            held.append(some.sets)
            yield some._replace(targets=some.targets[:0], sets=self._no_sets())
        sets = np.concatenate(held)
        self._tired = len(sets) > costs.RATED
        self._cut |= self._tired
        shown = self._shown_of(sets[:0] if self._tired else sets)
        yield Findings(_first(shown), shown)

    def _shown_of(self, sets: Sets) -> Sets:
        """Those of some laws that have bits enough, without those that follow from others."""
        bits = self._bits.of(sets, self._engine.work.halt, self._options.min_bits)
        kept = (bits >= self._options.min_bits) | self._are_facts(sets)
        sets, bits = sets[kept], bits[kept]
        order = np.lexsort((*sets.T[::-1], -bits, sizes_of(sets, OF_PREDICATES)))
        laws = self._denials(sets[order])
        fresh = without_echoes(laws, self._always_ordered(), self._told)
        self._told += fresh
        places = {law: place for place, law in enumerate(laws)}
        return sets[order][[places[law] for law in fresh]]

    def _are_facts(self, sets: Sets) -> Flags:
        """Which laws speak of one column or none: they are shown whatever their bits."""
        comparisons = self._comparisons
        used = [np.unique(members_of(members) // OF_PREDICATES) for members in sets]
        columns = [np.union1d(comparisons.left[some], comparisons.right[some]) for some in used]
        return np.array([len(some) <= 1 for some in columns], np.bool_)

    def _denials(self, sets: Sets) -> list[DC]:
        targets = np.tile(as_targets([DUPLICATE]), (len(sets), 1))
        kinds = np.full(len(sets), DC_KIND)
        laws = self._space.codec.decode(LawArrays(kinds, targets, padded(sets, self._space.codec.words)))
        return [law for law in laws if isinstance(law, DC)]

    def _always_ordered(self) -> frozenset[str]:
        """The columns all of whose values have an order."""
        ranks, ordered = self._engine.work.rows.ranks, self._space.ordered
        lowest = ranks.min(axis=1, initial=0)
        return frozenset(self._space.names[k] for k in np.flatnonzero(ordered & (lowest >= 0)))

    def remember(self, phase: Phase, findings: Findings) -> None:
        """Nothing: there is one phase."""

    def bits(self, laws: LawArrays) -> Scores:
        """How surely each law is no mere chance; NaN for the larger ones of too many."""
        sets = np.ascontiguousarray(laws.sets[:, : atom_words(self._comparisons)])
        bits, order = np.full(len(sets), np.nan), np.lexsort((*sets.T[::-1], sizes_of(sets, OF_PREDICATES)))
        rated = order[: costs.RATED]
        bits[rated] = self._bits.of(sets[rated], self._engine.work.halt)
        return bits

    def scores(self, laws: LawArrays) -> Scores:
        """The mean of succinctness and coverage."""
        sets = np.ascontiguousarray(laws.sets[:, : atom_words(self._comparisons)])
        return dc_scores(sets, self._engine.work.rows, self._comparisons)

    def candidates(self) -> Candidates:
        """The minimal sets that hit all evidence."""
        return np.concatenate([self._no_sets(), *self._sets()])

    def contexts(self, candidates: Candidates) -> Sets:
        """The columns that candidates say are equal."""
        contexts: Sets = contexts_of(candidates, self._comparisons, self._engine.work.rows.columns)
        return contexts

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, list[ValidateDCs]]:
        """Candidates that share contexts follow each other."""
        rows, keep = self._engine.work.rows, self._options.pairs_kept
        return dc_judges(self._comparisons, candidates, keep, rows, engine)

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        """Add pairs of rows to the evidence."""
        if self._evidence.add_pairs(pairs):
            self._edges = None

    def _seconds_of_all_pairs(self) -> float:
        return costs.tile_seconds(self._engine.work.rows.count, len(self._comparisons.kind))

    def _take_all_pairs(self) -> None:
        blocks = _dealt_blocks(self._engine.work.rows.count, self._engine)
        for lines in self._engine.run([OutcomesInBlocks(self._comparisons, some) for some in blocks]):
            self._evidence.add_lines(lines)
        self._edges, self._knows_all_pairs = None, not self._engine.work.halted

    def _of_all_pairs(self) -> Iterator[Findings]:
        """The laws of complete evidence."""
        for sets in self._sets():
            yield Findings(_first(sets), sets)

    def _in_rounds(self) -> Iterator[Findings]:
        for proven, refuted, learned, waiting in settle_in_rounds(self, self._engine):
            validated = len(proven) + len(refuted)
            yield Findings(_first(proven), proven, learned, validated, len(refuted), waiting=waiting)

    def _all_edges(self) -> Words:
        """The edges of the evidence and of its mirror images."""
        if self._edges is None:
            self._edges = self._mirrored_edges()[0]
        return self._edges

    def _mirrored_edges(self) -> tuple[Words, Numbers]:
        """The same, and for each edge the number of its mirror image."""
        comparisons = self._comparisons
        atoms = atoms_of_predicates(comparisons)
        edges = edges_of_lines(self._evidence.lines, len(comparisons.kind), atoms)
        mirrored = mapped_sets(edges, mirror_atoms(comparisons))
        distinct, numbers = numbered_lines(np.concatenate([edges, mirrored]))
        mirror = np.empty(len(distinct), np.int64)
        mirror[numbers] = np.roll(numbers, len(edges))
        return distinct, mirror

    def _sets(self) -> Iterator[Sets]:
        """The minimal sets within the bounds that hit all evidence; those that are known already, once."""
        pending, self._pending = self._pending, None
        if pending is None:
            yield from self._cover()
        else:
            self._cut |= pending.cut
            yield pending.sets

    def _cover(self) -> Generator[Sets, None, None]:
        """The minimal sets within the bounds that hit all evidence."""
        soon = self._soon(self._bounds)
        parts = branches_of(self._root(), self._engine.tasks // COARSER) if soon is None else []
        tasks = [CoverBranch(self._comparisons, self.pointwise, part, self._bounds) for part in parts]
        for sets, cut in [soon] if soon is not None else self._engine.run(tasks):
            self._cut |= cut
            yield sets

    def _soon(self, bounds: Bounds) -> tuple[Sets, bool] | None:
        """The same at once, and whether the bounds cut some off; None where that takes longer."""
        mirror, stops = mirror_atoms(self._comparisons), stops_of(self._comparisons, self.pointwise)
        return sets_found_soon(self._root(), stops, bounds, mirror, self._engine.work.halt)

    def _root(self) -> Branch:
        """The search of all sets."""
        usable = atoms_of_predicates(self._comparisons).usable
        return root_branch(self._all_edges(), usable, mirror_atoms(self._comparisons))

    def _no_sets(self) -> Sets:
        return np.empty((0, atom_words(self._comparisons)), np.uint64)


class PointwiseLaws(PredicateLaws):
    """The search for PODs: each column is compared with itself, and at most one by `!=`."""

    kinds = (POD_KIND,)
    start_name = "pod evidence"
    pointwise = True


def stops_of(comparisons: Comparisons, pointwise: bool) -> Stops | StopsOfPods:
    """The contradictions, which no law is; of PODs also what tells where a second lone `!=` can be mended."""
    stops: Stops = index_stops(contradictions(comparisons))
    return StopsOfPods(stops.sets, stops.first, comparisons.ordered) if pointwise else stops


def _first(sets: Sets) -> Numbers:
    """All belong to the first target."""
    return np.zeros(len(sets), np.int64)
