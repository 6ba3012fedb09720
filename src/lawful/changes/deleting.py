"""The laws after rows have gone.

Evidence that has lost its witnesses goes, and the sets that are minimal since then are candidates: they miss
an edge that was lost, or they would have been minimal before. The rows that are left judge them: a pair that
refutes one is evidence with a witness again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from lawful.changes.kept_family import KeptFamily
from lawful.cover.berge import hit_all
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.rounds import Candidates, Judge, settle_in_rounds
from lawful.engine import Engine
from lawful.evidence.evidence_set import EvidenceTable, table_of
from lawful.laws.comparisons import Flags
from lawful.words import Words


class Fallback:
    """Rounds for targets that lost edges: what fails gets the edges that refute it."""

    def __init__(
        self, family: KeptFamily, edges: Mapping[int, Words], lost: Mapping[int, Words], engine: Engine
    ) -> None:
        self._family, self._edges, self._lost, self._engine = family, dict(edges), lost, engine

    def candidates(self) -> Candidates:
        """The minimal sets of these targets that were none before."""
        return new_sets(self._family, self._lost)

    def contexts(self, candidates: Candidates) -> Sets:
        """The columns that each candidate says are equal."""
        return self._family.contexts(candidates)

    def judges(self, candidates: Candidates, engine: Engine) -> tuple[Candidates, Sequence[Judge]]:
        """Candidates in an order in which neighbours share work, and the tasks that judge them."""
        return self._family.judges(candidates, engine)

    def learn(self, refuted: Candidates, pairs: Pairs) -> None:
        """Add the pairs of rows that refuted candidates to the evidence, and extend what they refute."""
        if not len(refuted):
            return
        family = self._family
        lines = family.learn(self._engine.work.rows.row_ids(pairs).astype(np.int32))
        table = table_of(lines, family.comparisons)
        for number in np.unique(refuted[:, 0]).astype(np.int64).tolist():
            added = family.edges(number, table)
            family.sets[number] = family.extended(number, family.sets[number], self._edges[number], added)
            self._edges[number] = np.concatenate([self._edges[number], added])


def lost_share(family: KeptFamily, alive: Flags) -> float:
    """How much of the evidence has gone with rows, those that are not alive."""
    shown = family.still_shown(alive)
    return float(np.count_nonzero(~shown) / max(len(shown), 1))


def delete(family: KeptFamily, alive: Flags, engine: Callable[[], Engine]) -> None:
    """Keep a family's laws true after rows, those that are not alive, have gone; an engine where needed."""
    before, lost = list(family.sets), table_of(family.lose(alive), family.comparisons)
    if len(lost.lines):
        for numbers in family.phases():
            _settle(family, numbers, before, lost, engine)


def _settle(
    family: KeptFamily,
    numbers: Numbers,
    before: Sequence[Sets],
    lost: EvidenceTable,
    engine: Callable[[], Engine],
) -> None:
    """Settle those of some targets that lost edges, or rest on others that changed."""
    edges, missed = dict[int, Words](), dict[int, Words]()
    for number in numbers.tolist():
        gone = family.lost_edges(number, lost)
        rests_on_changed = any(family.sets[other] is not before[other] for other in family.rests_on(number))
        if len(gone) or rests_on_changed:
            edges[number], missed[number] = family.edges(number), gone
            family.sets[number] = family.shrunk(number, edges[number], gone)
    if len(new_sets(family, missed)):
        made = engine()
        for _ in settle_in_rounds(Fallback(family, edges, missed, made), made):
            pass
        if made.work.halted:  # nobody watches limits here: there was no more memory, and laws are missing
            raise MemoryError


def new_sets(family: KeptFamily, lost: Mapping[int, Words]) -> Candidates:
    """The sets of targets, behind their numbers, that miss one of the edges that these have lost."""
    sets = {number: family.sets[number] for number in lost}
    return numbered({number: some[~hit_all(some, lost[number])] for number, some in sets.items()}, family)


def numbered(sets: Mapping[int, Sets], family: KeptFamily) -> Candidates:
    """Sets behind the numbers of their targets."""
    nothing = np.empty((0, 1 + family.sets[0].shape[1]), np.uint64)
    return np.concatenate(
        [nothing, *(np.pad(some, ((0, 0), (1, 0)), constant_values=number) for number, some in sets.items())]
    )
