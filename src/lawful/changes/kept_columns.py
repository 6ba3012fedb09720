"""Keys, FDs and ODs under change."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lawful import costs
from lawful.changes.kept_family import KeptFamily
from lawful.cover.atoms import OF_COLUMNS, atoms_of_columns
from lawful.cover.berge import Frame, are_minimal, extended_sets, first_missed
from lawful.cover.branches import more_sets
from lawful.cover.edges import mark_counted, minimal_edges
from lawful.cover.lones import Stops
from lawful.cover.mmcs import UNLIMITED, Bounds, index_stops, new_enumeration
from lawful.discovery.findings import Numbers, Pairs, Phase, Sets
from lawful.discovery.long_tables import judges_of
from lawful.discovery.predicate_space import PredicateSpace
from lawful.discovery.rounds import Candidates, Judge
from lawful.discovery.search_options import Options
from lawful.engine import Engine
from lawful.evidence.evidence_set import EvidenceTable, HasRanks, order_of_lines, table_of
from lawful.laws.codec import FD_KIND, KEY, OD_KIND, LawArrays
from lawful.laws.comparisons import Flags
from lawful.laws.targets import DUPLICATE, LEFT, RIGHT, Targets, as_targets, own_columns, splits, swaps
from lawful.words import Words, distinct_lines, members_of, words_for

NO_HALT = np.zeros(1, np.int64)  # a halt flag that nobody raises


class KeptColumnLaws(KeptFamily):
    """The laws whose atoms say that columns are equal."""

    def __init__(
        self, rows: HasRanks, space: PredicateSpace, options: Options, laws: LawArrays, pairs: Pairs
    ) -> None:
        targets = _targets(space, options)
        words = words_for(len(space.names))
        self._atoms = atoms_of_columns(space.columns, words)
        self._options = options
        own = own_columns(targets)
        largest = len(space.columns) if options.max_size is None else options.max_size
        self._most = largest - own
        kinds = np.array([KEY, FD_KIND, OD_KIND])[own]
        super().__init__(rows, space.signs, targets, kinds, words, laws, pairs)
        self._fd_of = {int(targets[number, LEFT]): number for number in np.flatnonzero(own == 1)}
        self._empty: Sets = np.empty((0, words), np.uint64)

    def first_broken(self, lines: Words) -> tuple[list[Numbers], Flags]:
        """For each set of each target the first line that breaks it, or -1; which of the lines break some."""
        order = order_of_lines(lines)
        table = table_of(lines, self.comparisons)
        hit_by, words = table.less | table.greater, table.less.shape[1]
        missed, counted = np.zeros(words, np.uint64), np.empty(words, np.uint64)
        first = []
        for target, sets in zip(self.targets, self.sets, strict=True):
            if len(sets):
                mark_counted(table, target, counted)
            found = first_missed(sets, hit_by, counted, missed)
            first.append(np.where(found < 0, -1, order[found]) if len(order) else found)
        breaking = np.zeros(len(lines), np.bool_)
        breaking[order[members_of(missed)]] = True
        return first, breaking

    def _extend(self, lines: Words, pairs: Pairs) -> None:
        old, new, touched = self.evidence.table, table_of(lines, self.comparisons), self._touched(lines)
        self.evidence.add_pairs(pairs)
        uncovered = {int(self.targets[number, LEFT]) for number in touched if self.kinds[number] == FD_KIND}
        for number in self._in_order(touched, uncovered):
            left, right = self.targets[number, [LEFT, RIGHT]].tolist()
            if right >= 0 and not uncovered.isdisjoint((left, right)):
                # Sets that an FD made no minimal ODs may be ones now.
                self.sets[number] = self._covered(number, self.edges(number))
            else:
                edges, added = self.edges(number, old), self.edges(number, new)
                self.sets[number] = self.extended(number, self.sets[number], edges, added)

    def _touched(self, lines: Words) -> list[int]:
        return [number for number, first in enumerate(self.first_broken(lines)[0]) if (first >= 0).any()]

    def _in_order(self, touched: Sequence[int], uncovered: set[int]) -> list[int]:
        """The targets that are touched, and the ODs that one of these FDs may have implied."""
        ods = self.targets[:, RIGHT] >= 0
        beside = np.isin(self.targets[:, [LEFT, RIGHT]], [*uncovered]).any(axis=1)
        return sorted({*touched, *np.flatnonzero(ods & beside).tolist()})

    def edges(self, number: int, table: EvidenceTable | None = None) -> Words:
        """The minimal edges of some evidence for a target; of all that there is if none is given."""
        most, table = max(int(self._most[number]), 0), table or self.evidence.table
        edges: Words = minimal_edges(table, self.targets[number], self._atoms, most)[0]
        return edges

    def extended(self, number: int, sets: Sets, edges: Words, added: Words) -> Sets:
        """The minimal sets of a target after edges were added to others."""
        if not self._has_laws(number):
            return self._empty
        if len(added) > costs.MANY_EDGES_OF_COLUMNS:
            return self._covered(number, np.concatenate([edges, added]))
        longer: Sets = extended_sets(sets, edges, added, self._frame(number), self._stops(number))
        return longer

    def phases(self) -> list[Numbers]:
        """Keys and FDs, then ODs."""
        ods = self.targets[:, RIGHT] >= 0
        return [np.flatnonzero(~ods), np.flatnonzero(ods)]

    def lost_edges(self, number: int, lost: EvidenceTable) -> Words:
        """The edges of lost evidence for a target that contain none of what is left."""
        edges, table = self.edges(number, lost), self.evidence.table
        if len(edges):
            counted = np.empty(table.less.shape[1], np.uint64)
            mark_counted(table, self.targets[number], counted)
            others = self._frame(number).usable & ~edges  # what these edges leave free misses those within
            within = first_missed(others, table.less | table.greater, counted, np.empty_like(counted))
            edges = edges[within < 0]
        return edges

    def shrunk(self, number: int, edges: Words, lost: Words) -> Sets:
        """The minimal sets of a target after edges were lost, given those that are left."""
        if not self._has_laws(number):
            return self._empty
        if len(lost) > costs.MANY_EDGES_OF_COLUMNS:
            return self._covered(number, edges)
        before, stops = self.sets[number], self._stops(number)
        kept = before[are_minimal(before, edges, stops) & ~_contain_any(before, stops)]
        found = [self._covered(number, edges, without=edge) for edge in lost]
        sets: Sets = distinct_lines(np.concatenate([kept, *found]))
        return sets

    def contexts(self, candidates: Candidates) -> Sets:
        """The sets themselves."""
        return np.ascontiguousarray(candidates[:, 1:])

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, Sequence[Judge]]:
        """Candidates sorted by context."""
        least = np.zeros_like(self._most)
        words, keep = self._empty.shape[1], self._options.pairs_kept
        phase = Phase("changes", self.kinds, self.targets, self._most, least, words, keep)
        return judges_of(phase, candidates, engine.work.rows, engine)

    def _covered(self, number: int, edges: Words, without: Words | None = None) -> Sets:
        """The minimal sets of a target, from scratch: all, or those without an atom of an edge."""
        if not self._has_laws(number):
            return self._empty
        frame = self._frame(number)
        usable = frame.usable if without is None else frame.usable & ~without
        search = new_enumeration(edges & usable, usable, len(edges), 8)
        sets: Sets = more_sets(search, self._stops(number), Bounds(frame.most), UNLIMITED, NO_HALT)[2]
        return sets

    def _frame(self, number: int) -> Frame:
        usable = self._atoms.usable.copy()
        for column in self.targets[number, [LEFT, RIGHT]]:
            if column >= 0:
                usable[column >> 6] &= ~(np.uint64(1) << np.uint64(column & 63))
        return Frame(usable, int(self._most[number]), OF_COLUMNS)

    def _has_laws(self, number: int) -> bool:
        """Whether a target may have laws: not an OD with a constant side, nor one too large by itself."""
        constant = any(not sets.any(axis=1).all() for sets in self._determinants(number))
        return self._most[number] >= 0 and not constant

    def rests_on(self, number: int) -> list[int]:
        """The FDs that determine a side of an OD."""
        left, right = self.targets[number, [LEFT, RIGHT]].tolist()
        return [] if right < 0 else [int(self._fd_of[left]), int(self._fd_of[right])]

    def _determinants(self, number: int) -> list[Sets]:
        return [self.sets[fd] for fd in self.rests_on(number)]

    def _stops(self, number: int) -> Stops:
        stops: Stops = index_stops(np.concatenate([self._empty, *self._determinants(number)]))
        return stops


def _targets(space: PredicateSpace, options: Options) -> Targets:
    """Every target that laws of the kinds asked for may have: constants may change."""
    kinds = set(options.kinds)
    keys = as_targets([DUPLICATE] if "key" in kinds else [])
    fds = splits(space.columns.tolist() if kinds & {"fd", "od"} else [])
    sides = [column for column in space.columns.tolist() if space.signs.ordered[column]]
    return np.concatenate([keys, fds, swaps(sides if "od" in kinds else [])])


def _contain_any(sets: Sets, stops: Stops) -> Flags:
    """Which sets contain a stop."""
    found = np.zeros(len(sets), np.bool_)
    for stop in np.unique(stops.sets, axis=0):
        found |= ((sets & stop) == stop).all(axis=1)
    return found
