"""The search for denial constraints and PODs of some bits, given all pairs of the rows that tell their bits.

It goes size by size, literal by literal (`lawful.cover.literal_sets`), until no literal can be worth it in
larger laws, or it has tried so much that it leaves larger laws out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from lawful import costs
from lawful.cover.atoms import canonical_sets, mirror_atoms
from lawful.cover.literal_sets import needs_all, roots, sets_from
from lawful.cover.literal_worth import LiteralSpace, Worth
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.findings import Numbers, Sets
from lawful.engine import Engine, dealt
from lawful.laws.comparisons import Comparisons
from lawful.table.workspace import Workspace
from lawful.validate.edge_pairs import EdgePairs
from lawful.words import Words, distinct_lines, mapped_sets, numbered_lines, transposed

TRIAL = 8  # a part of what there is to spend that shows whether a size can be searched to the end
PROBE = 8  # a part of the roots whose trial comes first: if hardly one ends, the others do not either


class FromRoot(NamedTuple):
    """What was found from a root: its sets, whether these are all, and how much of what it had is left."""

    root: int
    sets: Sets
    complete: bool
    left: int


@dataclass(frozen=True)
class SetsFromRoots:
    """A task: the sets of one size from some roots, each with so much patience."""

    literals: LiteralSpace
    worth: Worth
    hitters: Words  # [edge, word]: the literals that hit it
    roots: Numbers
    size: int
    wanted: float
    patience: int

    def __call__(self, work: Workspace) -> Iterator[FromRoot]:
        asked = self.size, self.wanted, self.patience, work.halt
        for root in self.roots.tolist():
            yield FromRoot(root, *sets_from(self.literals, self.worth, self.hitters, root, *asked))


class WorthwhileSets:
    """Minimal sets of atoms that hit all edges and may be worth some bits, size by size."""

    def __init__(
        self, bits: DCBits, comparisons: Comparisons, edges: Sets, pairs: EdgePairs, least: float
    ) -> None:
        self._bits, self._comparisons, self._least = bits, comparisons, least
        self._edges, self._pairs = edges, pairs
        self._literals = bits.literals(edges)
        self._worth = bits.worth(pairs, self._literals)
        self.tired = False  # whether larger sets are left out
        self._patience = costs.PATIENCE  # that is left

    def learn(self, edges: Sets) -> None:
        """Hit these edges, all there are: new ones have no pairs among the rows that tell bits."""
        if len(edges) == len(self._edges):
            return
        self._edges = distinct_lines(np.concatenate([self._edges, edges]))
        mirrored = mapped_sets(self._edges, mirror_atoms(self._comparisons))
        _, numbers = numbered_lines(np.concatenate([self._edges, mirrored]))
        self._pairs = self._pairs.beside(numbers[len(self._edges) :])
        self._literals = self._bits.literals(self._edges)
        self._worth = self._worth._replace(first=self._pairs.first, mirror=self._pairs.mirror)

    def of_size(self, size: int, engine: Engine) -> tuple[Sets, bool]:
        """The sets of one size, one of each mirrored pair; none, and True, where that takes too long."""
        if size == 0:
            return self._literals.atoms[:0] if len(self._edges) else np.zeros(
                (1, self._literals.atoms.shape[1]), np.uint64
            ), False
        if size == 1:
            return self._canonical([self._single()]), False
        found = self._from_roots(size, engine) if not self.tired else None
        self.tired = found is None
        # Better all laws up to a size than some of the next one as well.
        return self._canonical(found or []), self.tired

    def _from_roots(self, size: int, engine: Engine) -> list[Sets] | None:
        """The sets of one size; None where that takes too long.

        All roots have the same share of a part of what there is to spend. If most of them end within it, the
        others share the rest: so the result does not depend on who runs first. Some of them tell at first
        whether hardly one ends.
        """
        literals, worth = self._bits.promising(size, self._least, self._literals, self._worth)
        wanted, hitters = self._bits.wanted(size, self._least), transposed(literals.hits, len(literals.hits))
        open_roots, spare, found = roots(literals), self._patience, list[Sets]()

        def tried(some: Numbers, share: int) -> list[FromRoot]:
            tasks = [
                SetsFromRoots(literals, worth, hitters, some[part], size, wanted, share)
                for part in dealt(len(some), engine)
            ]
            return list(engine.run(tasks))

        share, came = spare // (TRIAL * max(len(open_roots), 1)), list[FromRoot]()
        for first in range(PROBE):
            came += tried(open_roots[first::PROBE], share)
            complete = sum(one.complete for one in came)
            hardly_one = first == 0 and len(came) >= PROBE and 2 * PROBE * complete < len(came)
            if hardly_one or 2 * (len(came) - complete) > len(open_roots):
                return None
        while not engine.work.halted:
            found += [one.sets for one in came if one.complete]
            spare -= sum(share - max(one.left, 0) for one in came)
            many, open_roots = len(came), np.array([one.root for one in came if not one.complete], np.int64)
            if not len(open_roots):
                break
            if 2 * len(open_roots) > many or spare // len(open_roots) < 2 * share:
                return None
            share = spare // len(open_roots)
            came = tried(np.sort(open_roots), share)
        self._patience = spare
        return found

    def may_be_larger(self, size: int) -> bool:
        """Whether there may be sets of more literals."""
        if size >= len(self._comparisons.kind) or not len(self._edges):
            return False
        literals, _ = self._bits.promising(size + 1, self._least, self._literals, self._worth)
        return len(np.unique(literals.comparison)) > size

    def _single(self) -> Sets:
        """The literals that are laws."""
        literals = self._literals
        hit = (literals.hits == literals.edges).all(axis=1) & bool(len(self._edges))
        kept = [k for k in np.flatnonzero(hit) if needs_all(literals, literals.atoms[k])]
        return literals.atoms[kept]

    def _canonical(self, found: list[Sets]) -> Sets:
        everything = np.concatenate([self._literals.atoms[:0], *found])
        sets, _ = canonical_sets(everything, mirror_atoms(self._comparisons))
        distinct: Sets = distinct_lines(sets)
        return distinct
