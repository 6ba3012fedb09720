"""Keys, FDs and ODs: laws whose atoms say that columns are equal.

Keys and FDs come before the ODs of the same size, since an OD whose context determines one of its sides is
not minimal.
"""

from collections.abc import Iterator

import numpy as np

from lawful import costs
from lawful.cover.atoms import atoms_of_columns
from lawful.cover.mmcs import UNLIMITED
from lawful.discovery.findings import Findings, KnownBits, Pairs, Phase, Scores, Sets
from lawful.discovery.first_run import RATING, SETTLING, compile_elsewhere, wait_for
from lawful.discovery.law_ratings import bits_of, portions_of, scores_of
from lawful.discovery.long_tables import settle_long
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.search_options import Options
from lawful.discovery.settle import settle_all
from lawful.discovery.target_covers import settle_small
from lawful.engine import Engine
from lawful.evidence.evidence_set import EvidenceSet
from lawful.evidence.sampling import sample
from lawful.laws.base import KINDS
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, LawArrays
from lawful.laws.targets import DUPLICATE, LEFT, Targets, as_targets, own_columns, splits, swaps
from lawful.table.ranked import SomeRows
from lawful.validate.candidates import Wanted
from lawful.words import bit_set, words_for


class ColumnLaws:
    """The search for keys, FDs and ODs."""

    kinds = (KEY, FD_KIND, OD_KIND)
    start_name = "sample"

    def __init__(
        self,
        engine: Engine,
        space: PredicateSpace,
        options: Options,
        witnesses: int | None = None,
        known: Pairs | None = None,
    ) -> None:
        self._engine, self._columns, self._options, self._shown = engine, space.columns, options, known
        self._sides, self._represented, self._breadth = space.sides, space.represented, space.breadth
        columns = engine.work.rows.columns
        self._evidence = EvidenceSet(engine.work.rows, space.signs, witnesses)
        self._atoms = atoms_of_columns(self._columns, words_for(columns))
        self._determinants: list[list[Sets]] = [[self._atoms.usable[None, :][:0]] for _ in range(columns)]
        for first, others in self._represented.items():
            for other in others:
                self._determinants[other].append(bit_set(np.array([first]), len(self._atoms.usable))[None, :])
        self.largest = len(self._columns)
        small = costs.is_small(engine.work.rows.count, self._breadth) and engine.sees_all_rows
        self._is_small = small and witnesses is None  # who keeps evidence wants no more than it takes
        self._many = options.min_bits > 0 and self.largest > costs.SEARCHED_COLUMNS
        self._given_up: set[int] = set()  # kinds of which there were too many candidates of some size
        self._known, self._known_sides = KnownBits(), KnownBits()

    @property
    def evidence(self) -> int:
        """How much evidence there is."""
        return len(self._evidence)

    def witnesses(self) -> Pairs:
        """Pairs of rows that show the evidence."""
        return self._evidence.witness_pairs

    def start(self) -> None:
        """Compare random rows and neighbours, or the pairs that are known to tell much."""
        compile_elsewhere([RATING if self._is_small else SETTLING])
        if self._shown is not None:
            self._evidence.add_pairs(self._shown)
            return
        rows, seed = self._engine.work.rows, self._options.seed
        if not self._engine.sees_all_rows:
            rows = rows.seen_by(SomeRows(costs.FIRST_SAMPLE, seed))
        chosen = rows.count if self._is_small else self._options.sample_rows
        sample(rows, self._evidence, chosen, seed)

    def explodes(self, most: int) -> bool:
        """Where there are so many columns that even the laws worth showing cannot all be looked for."""
        return self._many

    def phases(self, level: int, deepened: bool) -> Iterator[Phase]:
        """Keys and FDs, then ODs."""
        kinds = set(self._options.kinds)
        targets = [as_targets([DUPLICATE] if "key" in kinds else [])]
        targets.append(splits(self._columns.tolist() if kinds & {"fd", "od"} else []))
        yield self._phase("key and fd", np.concatenate(targets), level, deepened, costs.SEARCHED_NODES)
        if "od" in kinds:
            ordered = self._engine.work.rows.ordered
            sides = [column for column in self._sides if ordered[column] and self._varies(column)]
            yield self._phase("od", swaps(sides), level, deepened, costs.SEARCHED_OD_NODES)

    def settle(self, phase: Phase) -> Iterator[Findings]:
        """Each target alone, by evidence or by rows, or, on a long table, together with others."""
        engine = self._engine
        if self._is_small:
            return settle_small(phase, self._evidence, self._atoms, engine)
        wait_for(SETTLING, engine.work)
        known = self._shown is not None
        long = costs.LONG_KNOWN_TABLE if known else costs.LONG_TABLE
        if engine.work.rows.count < long and engine.sees_all_rows:
            return settle_all(phase, self._evidence, self._atoms, engine)
        return settle_long(phase, self._evidence, self._atoms, engine, self._options.seed, known)

    def remember(self, phase: Phase, findings: Findings) -> None:
        """Keep what determines each column: ODs need it. Keep also what is chance, what sides are worth, and
        what not to search."""
        laws, chance = phase.laws(findings), np.flatnonzero(findings.by_chance())
        self._known.keep(laws.chosen(chance), np.zeros(len(chance)))
        told = np.flatnonzero(~np.isnan(findings.known_sides()))
        self._known_sides.keep(laws.chosen(told), findings.known_sides()[told])
        self._given_up.update(phase.kinds[findings.given_up].tolist())
        if "od" in self._options.kinds:
            for number in np.unique(findings.targets):
                if phase.kinds[number] == FD_KIND:
                    sets, column = findings.sets[findings.targets == number], phase.targets[number, LEFT]
                    for one in (column, *self._represented.get(column, ())):
                        self._determinants[one].append(sets)

    def bits(self, laws: LawArrays, scores: Scores) -> Scores:
        """How surely each law is no mere chance."""
        bits = np.empty(len(scores))
        for part in portions_of(len(scores)):
            some = laws.chosen(part)
            some = some._replace(sets=self._own_words(some))
            bits[part] = self._known.of(some)
            rest = np.flatnonzero(np.isnan(bits[part]))
            some, sides = some.chosen(rest), self._known_sides.of(some.chosen(rest))
            bits[part][rest] = bits_of(some, self._breadth, scores[part][rest], sides, self._engine)
        return bits

    def scores(self, laws: LawArrays) -> Scores:
        """The share of pairs of rows that agree on each context."""
        keys, no_pair = laws.kinds == KEY, float(self._engine.work.rows.count < 2)
        if keys.all():
            return np.full(len(keys), no_pair)
        scores = np.empty(len(keys))
        for part in portions_of(len(keys)):  # keys too: to leave them out would copy all the others
            scores[part] = scores_of(self._own_words(laws.chosen(part)), self._engine)
        scores[keys] = no_pair  # agrees on one
        return scores

    def _own_words(self, laws: LawArrays) -> Sets:
        """The contexts of laws, as wide as the columns of the table need them."""
        return np.ascontiguousarray(laws.sets[:, : len(self._atoms.usable)])

    def _varies(self, column: int) -> bool:
        """Whether a column is not known to be constant."""
        return all(sets.any(axis=1).all() for sets in self._determinants[column])

    def _phase(self, name: str, targets: Targets, level: int, deepened: bool, nodes: int) -> Phase:
        """Targets with their bounds; those have none that have more columns of their own than the level, or
        of whose kind some had too many candidates to try at a lower one.

        Of many columns they share so many nodes of the search; all sets of one column can be tried."""
        own = own_columns(targets)
        kinds = np.array(self.kinds)[own]
        sizes = np.where(np.isin(kinds, [*self._given_up]), -1, level - own)
        return Phase(
            name,
            kinds,
            targets,
            sizes,
            sizes if deepened else np.zeros_like(sizes),
            len(self._atoms.usable),
            self._options.pairs_kept,
            [np.ascontiguousarray(np.concatenate(sets)) for sets in self._determinants],
            Wanted(self._options.min_bits, self._breadth),
            any(KINDS[self.kinds[number]] in self._options.kinds for number in np.unique(own)),
            max(self.largest + 1, nodes // max(len(targets), 1)) if self._many else UNLIMITED,
            self._known,
        )
