"""Which denial constraints are worth showing: those of enough bits that do not follow from others."""

import numpy as np

from lawful import costs
from lawful.cover.atoms import OF_PREDICATES
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.findings import Scores, Sets
from lawful.discovery.law_ratings import Rate, rated_in_stretches
from lawful.discovery.predicate_evidence import CountedEdges
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.engine import Engine, Viewed
from lawful.laws.codec import DC_KIND, LawArrays, padded
from lawful.laws.comparisons import Flags
from lawful.laws.dc import DC
from lawful.laws.exchange import denials_between, in_first_names, names_twins
from lawful.laws.implication import without_echoes
from lawful.laws.targets import DUPLICATE, as_targets
from lawful.table.ranked import SomeRows
from lawful.words import members_of, sizes_of

ROWS_A_TASK = 1 << 12  # of denials that are rated in one go: some take long
HOPES_A_TASK = 1000  # laws: a thousandth of a second
SEED = 0  # of the rows of a long table that laws are rated on


def rating_engine(engine: Engine) -> Engine:
    """An engine of this process on the rows that tell bits: a law is worth as much on all rows, and more."""
    few = engine.work.rows.count <= costs.RATED_ROWS
    return engine.nearby if few else Viewed(engine.nearby, SomeRows(costs.RATED_ROWS, SEED))


class ShownDenials:
    """Laws of at least some bits; it remembers what is told by then, from which others may follow.

    `rating` is the engine that sees the rows which tell bits.
    """

    def __init__(self, engine: Engine, space: PredicateSpace, pointwise: bool, min_bits: float) -> None:
        self._work, self.rating = engine.work, rating_engine(engine)
        self._space, self._least = space, min_bits
        self._comparisons = space.pointwise if pointwise else space.predicates
        possible = space.possible(pointwise)
        self.bits = DCBits(ShuffledLaws(self.rating.work.rows, self._comparisons), possible, pointwise)
        self._groups = [one.told(space.names) for one in space.equivalents]
        self._told = [law for group in self._groups for law in denials_between(group)]
        self._known: dict[bytes, float] = {}  # the bits of those that have enough

    def of(self, sets: Sets) -> Sets:
        """Those of some laws that have bits enough, without those that follow from others."""
        bits = self._rated(sets, self._least)
        self._known |= {sets[k].tobytes(): float(bits[k]) for k in np.flatnonzero(bits >= self._least)}
        facts = self._are_facts(sets)
        kept = (bits >= self._least) | facts
        sets, bits, facts = sets[kept], bits[kept], facts[kept]
        laws = self._denials(sets)
        plain = [in_first_names(law, self._groups) for law in laws]
        awkward = [
            law != other or names_twins(law, self._groups) for law, other in zip(laws, plain, strict=True)
        ]
        order = np.lexsort((*sets.T[::-1], -bits.round(6), awkward, ~facts, sizes_of(sets, OF_PREDICATES)))
        self._told += [laws[place] for place in np.flatnonzero(facts)]
        rest = {plain[place]: place for place in order[::-1] if not facts[place]}  # the first of each
        fresh = without_echoes(reversed(rest), self._always_ordered(), self._told)
        self._told += fresh
        return sets[[*np.flatnonzero(facts), *(rest[law] for law in fresh)]]

    def may_have_bits(self, sets: Sets, counted: CountedEdges) -> Flags:
        """Which of some laws may be no mere chance, by the number of pairs of rows behind each edge."""
        are_hopeful = self.bits.hopeful(counted)

        def hope(part: slice) -> Rate:
            return lambda work: are_hopeful(sets[part], work.halt)

        hopeful: Flags = rated_in_stretches(len(sets), self.rating, hope, HOPES_A_TASK) != 0
        return hopeful

    def bits_of(self, sets: Sets) -> Scores:
        """How surely each law is no mere chance; NaN for the larger ones of too many."""
        bits, order = np.full(len(sets), np.nan), np.lexsort((*sets.T[::-1], sizes_of(sets, OF_PREDICATES)))
        bits[:] = [self._known.get(members.tobytes(), np.nan) for members in sets]
        rated = order[: costs.RATED]
        rated = rated[np.isnan(bits[rated])]
        bits[rated] = self._rated(sets[rated])
        return bits

    def _rated(self, sets: Sets, least: float = 0.0) -> Scores:
        """The bits of laws, exact from `least` on, by all cores of this process; NaN after a halt."""

        def rate(part: slice) -> Rate:
            return lambda work: self.bits.of(sets[part], work.halt, least)

        sharing = max(1, ROWS_A_TASK // max(self.rating.work.rows.count, 1))
        return rated_in_stretches(len(sets), self.rating, rate, sharing)

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
        ranks, ordered = self._work.rows.ranks, self._space.ordered
        lowest = ranks.min(axis=1, initial=0)
        return frozenset(self._space.names[k] for k in np.flatnonzero(ordered & (lowest >= 0)))
