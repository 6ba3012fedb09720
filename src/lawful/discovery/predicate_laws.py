"""Denial constraints and PODs: laws whose atoms exclude outcomes of comparisons.

The outcomes of all pairs of a small table are soon known; then one cover gives all laws. A larger table is
sampled, and cover and validation take turns (Hydra), unless there are so many candidates that all pairs cost
less than to validate them.

Where laws must have some bits, they are found literal by literal (`lawful.discovery.worthwhile`) on the rows
that tell bits; if these are not all rows, what is found is validated on all, and what fails teaches further
evidence. Laws that follow from shorter ones, or from others of their size that have more bits, are left out.
"""

from collections.abc import Generator, Iterator
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.cover.mmcs import Bounds
from lawful.discovery.dc_scores import dc_scores
from lawful.discovery.findings import Findings, Numbers, Pairs, Phase, Scores, Sets
from lawful.discovery.predicate_evidence import PredicateEvidence, ValidateDCs, dc_judges
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.rounds import Candidates, settle_in_rounds
from lawful.discovery.scales import named
from lawful.discovery.search_options import Options
from lawful.discovery.shown_denials import ShownDenials
from lawful.discovery.worthwhile import WorthwhileSets
from lawful.engine import Engine, Viewed
from lawful.evidence.sampling import sample_focused
from lawful.laws.base import KINDS
from lawful.laws.codec import DC_KIND, POD_KIND, LawArrays
from lawful.laws.comparisons import atom_words
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.validate.dc_validation import contexts_of


class Pending(NamedTuple):
    """Sets that are known before they are asked for, and whether the bounds cut others off."""

    sets: Sets
    cut: bool


class PredicateLaws:
    """The search for denial constraints. All have the one target that counts every pair."""

    kinds: tuple[int, ...] = (DC_KIND,)
    start_name = "dc evidence"
    pointwise = False  # whether they are PODs

    def __init__(
        self,
        engine: Engine,
        space: PredicateSpace,
        options: Options,
        witnesses: int | None = None,
        known: Pairs | None = None,
    ) -> None:
        self._known = known
        self._engine = Viewed(engine, named(space.scales)) if space.scales else engine
        self._space, self._options = space, options
        self._comparisons = space.pointwise if self.pointwise else space.predicates
        self._evidence = PredicateEvidence(self._engine, self._comparisons, self.pointwise, witnesses)
        self._shown = ShownDenials(self._engine, space, self.pointwise, options.min_bits)
        self._pending: Pending | None = None
        self._bounds, self._cut = Bounds(0), False
        self._search: WorthwhileSets | None = None
        self.largest = len(self._comparisons.kind)

    @property
    def _by_literals(self) -> bool:
        """Whether laws are found literal by literal: bits are asked for."""
        return self._options.min_bits > 0

    @property
    def evidence(self) -> int:
        """How much evidence there is, mirror images counted."""
        return len(self._evidence.edges())

    def witnesses(self) -> Pairs:
        """Pairs of rows that show the evidence: of all pairs those that matter."""
        return self._evidence.witnesses()

    def start(self) -> None:
        """Compare all pairs of rows, or some: those that are known to tell much, if any are."""
        all_rated = self._by_literals and self._engine.work.rows.count <= costs.RATED_ROWS
        if all_rated or self._evidence.seconds_to_complete < costs.SHORT_TILES:
            self._evidence.complete(self._shown.rating)
            return
        if self._by_literals:
            self._evidence.compare_all(self._shown.rating)
        if self._known is not None:
            self._evidence.learn(self._known)
            return
        columns, ordered = self._space.compared, self._space.ordered
        sample_focused(self._engine.work, columns, ordered, self._evidence.lines, self._options.seed)

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
            if count > costs.EXPLOSION and not self._engine.work.halted:
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
        yield from self._worthwhile() if self._by_literals else self._minimal()
        settled = np.zeros(int(not self._engine.work.halted), np.int64)
        given_up = settled[: int(self._search is not None and self._search.tired)]
        yield Findings(settled[:0], self._no_sets(), cut=self._cut, settled=settled, given_up=given_up)

    def _minimal(self) -> Iterator[Findings]:
        """All minimal laws within the bounds."""
        if not self._evidence.is_complete:
            self._pending = Pending(self.candidates(), self._cut)
            validation = costs.CANDIDATE * len(self._pending.sets) * self._engine.work.rows.count
            if validation > self._evidence.seconds_to_complete and not self._engine.work.halted:
                self._evidence.complete(self._shown.rating)
                self._pending = None
        yield from self._of_all_pairs() if self._evidence.is_complete else self._in_rounds()

    def _worthwhile(self) -> Iterator[Findings]:
        """The laws within the bounds that have bits enough, size by size."""
        within = self._bounds
        for size in range(within.least, within.most + 1):
            self._bounds, held = Bounds(size, size), [self._no_sets()]
            for some in self._minimal():
                held.append(some.sets)
                yield some._replace(targets=some.targets[:0], sets=self._no_sets())
            yield _found(self._shown.of(np.concatenate(held)))
            if self._cut or not self._searched().may_be_larger(size) or self._engine.work.halted:
                return
        self._cut = True

    def _searched(self) -> WorthwhileSets:
        """The search literal by literal, which knows all evidence."""
        if self._search is None:
            edges, pairs = self._evidence.with_pairs(self._shown.rating.work)
            least = self._options.min_bits
            self._search = WorthwhileSets(self._shown.bits, self._comparisons, edges, pairs, least)
        self._search.learn(self._evidence.edges())
        return self._search

    def remember(self, phase: Phase, findings: Findings) -> None:
        """Nothing: there is one phase."""

    def bits(self, laws: LawArrays, _scores: Scores) -> Scores:
        """How surely each law is no mere chance; NaN for the larger ones of too many.

        Where all were asked for, nearly all of them are: the numbers of pairs tell which, sooner than bits.
        """
        sets, work, counted = self._own_words(laws), self._engine.work, self._evidence.is_complete
        few = len(sets) <= (0 if counted else costs.FEW_RATED)
        if self._by_literals or few or work.halted:
            return self._shown.bits_of(sets)
        if not counted:
            self._evidence.compare_all(self._shown.rating)
        hopeful = self._shown.may_have_bits(sets, self._evidence.counted())
        bits = np.full(len(sets), np.nan if work.halted else 0.0)
        bits[hopeful] = self._shown.bits_of(sets[hopeful])
        return bits

    def scores(self, laws: LawArrays) -> Scores:
        """The mean of succinctness and coverage."""
        return dc_scores(self._own_words(laws), self._engine.work.rows, self._comparisons)

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
        self._evidence.learn(pairs)

    def _of_all_pairs(self) -> Iterator[Findings]:
        """The laws of complete evidence."""
        yield from map(_found, self._sets())

    def _in_rounds(self) -> Iterator[Findings]:
        for proven, refuted, learned, waiting, _ in settle_in_rounds(self, self._engine):
            validated = len(proven) + len(refuted)
            yield Findings(_first(proven), proven, learned, validated, len(refuted), waiting=waiting)

    def _sets(self) -> Iterator[Sets]:
        """The minimal sets within the bounds that hit all evidence; those that are known already, once."""
        pending, self._pending = self._pending, None
        if pending is None:
            yield from self._cover()
        else:
            self._cut |= pending.cut
            yield pending.sets

    def _cover(self) -> Generator[Sets, None, None]:
        """The minimal sets within the bounds that hit all evidence, and may have bits enough."""
        if self._by_literals:
            sets, self._cut = self._searched().of_size(self._bounds.most, self._shown.rating)
            yield sets
            return
        for sets, cut in self._evidence.cover(self._bounds):
            self._cut |= cut
            yield sets

    def _own_words(self, laws: LawArrays) -> Sets:
        """The sets of laws, as wide as the comparisons of this search need them."""
        return np.ascontiguousarray(laws.sets[:, : atom_words(self._comparisons)])

    def _no_sets(self) -> Sets:
        return np.empty((0, atom_words(self._comparisons)), np.uint64)


class PointwiseLaws(PredicateLaws):
    """The search for PODs: each column is compared with itself, and at most one by `!=`."""

    kinds = (POD_KIND,)
    start_name = "pod evidence"
    pointwise = True


def _found(sets: Sets) -> Findings:
    return Findings(_first(sets), sets)


def _first(sets: Sets) -> Numbers:
    """All belong to the first target."""
    return np.zeros(len(sets), np.int64)
