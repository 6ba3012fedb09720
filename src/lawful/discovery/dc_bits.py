"""How surely denial constraints are no mere chance: their bits.

Each column of a law is shuffled (`lawful.discovery.shuffled_laws`). One that stands in several literals must
earn its place in each: it is also shuffled as if the literal had a copy of its own. The bits of a law are the
least of all these, less the logarithm of the number of laws of its size that might have been found instead.
"""

from collections.abc import Callable
from enum import IntEnum
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lawful.cover.atoms import OF_PREDICATES
from lawful.cover.hopeful_laws import EdgeCounts, are_hopeful
from lawful.cover.literal_sets import hitting
from lawful.cover.literal_worth import LiteralSpace, Worth, most_of_all
from lawful.discovery.cell_tables import cells_of, literals_kept, most_across
from lawful.discovery.findings import Scores, Sets
from lawful.discovery.predicate_evidence import CountedEdges
from lawful.discovery.shuffled_laws import FIRST_COLUMN, SECOND_COLUMN, ShuffledLaws
from lawful.laws.comparisons import EQUAL, GREATER, LESS, UNEQUAL, Comparisons, Ints, atom_words
from lawful.validate.bit_tables import bit_tables
from lawful.validate.dc_matching import are_equalities, literals_of
from lawful.validate.edge_pairs import EdgePairs
from lawful.validate.shuffled import Bits
from lawful.words import bit_set, sizes_of, transposed

LITERAL_OUTCOMES = {
    True: (EQUAL, GREATER, LESS, UNEQUAL, GREATER | EQUAL, LESS | EQUAL),
    False: (EQUAL, UNEQUAL),
}
ROUNDING = 1e-6  # of bits: no law is cut off because of it


class Effort(IntEnum):
    """What it takes to see what a shuffled column is worth: more comes later, only up to what others have.

    By its literal, the only one that it stands in unless it is compared with other columns.
    """

    ACROSS = 0  # with another column, or several literals: pairs and cells
    NONE = 1  # `=` where no number of pairs is enough
    ORDER = 2  # chains of rows
    EQUAL = 3  # rows that must be told apart
    UNEQUAL = 4  # rows that pairs connect


class DCBits:
    """The bits of denial constraints over some comparisons of a table, or over more that are `possible`.

    Those of PODs, if `pointwise`, which have one `!=` at most.
    """

    def __init__(
        self, laws: ShuffledLaws, possible: Comparisons | None = None, pointwise: bool = False
    ) -> None:
        self._laws, self._rows, self._comparisons = laws, laws.rows, laws.comparisons
        self._possible = laws.comparisons if possible is None else possible
        self._pointwise = pointwise

    @cached_property
    def penalties(self) -> Bits:
        """log2 of the number of candidates of each size: sets of comparisons with an operator each.

        Where larger sets are fewer again, it stays.
        """
        ways, with_one = np.array([0.0]), np.array([-np.inf])  # of PODs without and with a lone `!=`
        for ordered in self._possible.ordered:
            operators = np.log2(len(LITERAL_OUTCOMES[bool(ordered)]) - int(self._pointwise))
            if self._pointwise:
                with_one = np.logaddexp2(_longer(with_one, operators), np.append(-np.inf, ways))
            ways = _longer(ways, operators)
        return np.maximum.accumulate(np.logaddexp2(ways, with_one))

    def of(self, sets: Sets, halt: Ints, least: float = 0.0) -> Scores:
        """The bits of some laws, exact from `least` on; NaN for those after a halt."""
        penalties = self.penalties[sizes_of(sets, OF_PREDICATES)]
        rated = np.full(len(sets), np.nan)
        for k in range(len(sets)):
            bits = self._least(literals_of(sets[k], self._comparisons), float(penalties[k]) + least, halt)
            if halt[0]:
                break
            rated[k] = max(bits - penalties[k], 0.0)
        return rated

    def of_column(self, members: Sets, column: int, halt: Ints) -> float:
        """How surely a law would break if one of its columns were shuffled, whatever the other laws."""
        literals = literals_of(members, self._comparisons)
        if _are_alike(literals):
            return self._either(literals, halt)
        return self._laws.bits(literals, _speak_of(literals, column), column, halt)

    def promising(
        self, size: int, least: float, literals: LiteralSpace, worth: Worth
    ) -> tuple[LiteralSpace, Worth]:
        """The literals that can be worth it in a law of some size."""
        own = worth.columns[literals.comparison]
        most = np.array(
            [most_of_all(literals, worth, literal) for literal in range(len(literals.excluded))], np.float64
        )
        kept = (most >= self.wanted(size, least)) | ((own[:, 0] == own[:, 1]) & (size == 2))
        some = literals._replace(
            atoms=literals.atoms[kept],
            hits=literals.hits[kept],
            comparison=literals.comparison[kept],
            excluded=literals.excluded[kept],
        )
        return some, worth._replace(across=worth.across[kept], cells=literals_kept(worth.cells, kept))

    def wanted(self, size: int, least: float) -> float:
        """What every column of a law must be worth for so many bits."""
        return float(self.penalties[min(size, len(self.penalties) - 1)]) + least - ROUNDING

    def literals(self, edges: Sets) -> LiteralSpace:
        """All literals, given all edges."""
        comparisons = self._comparisons
        lines = [
            (
                k,
                excluded,
                [OF_PREDICATES * k + which for which in range(OF_PREDICATES) if excluded >> which & 1],
            )
            for k, ordered in enumerate(comparisons.ordered.tolist())
            for excluded in LITERAL_OUTCOMES[ordered]
        ]
        words, hit_by = atom_words(comparisons), transposed(edges, len(edges))
        usable = [[atom for atom in atoms if comparisons.ordered[k] or atom % 3 < 2] for k, _, atoms in lines]
        atoms = np.array([bit_set(np.array(some), words) for some in usable]).reshape(-1, words)
        return LiteralSpace(
            atoms,
            hitting(hit_by, atoms),
            hit_by,
            np.array([k for k, _, _ in lines], np.int64),
            np.array([excluded for _, excluded, _ in lines], np.int64),
            bit_set(np.arange(len(edges)), hit_by.shape[1]),
            1 if self._pointwise else len(comparisons.kind) + 1,
        )

    def hopeful(self, counted: CountedEdges) -> Callable[[Sets, Ints], Scores]:
        """What tells which laws may be worth any bits: 1 for these, 0 for others."""
        edges, mirror, pairs = counted
        literals = self.literals(edges)
        unlisted = EdgePairs(np.zeros(len(edges) + 1, np.int64), np.empty((0, 2), np.int32), mirror)
        worth = self.worth(unlisted, literals)
        smallest = np.argsort(np.bitwise_count(literals.hits).sum(axis=1), kind="stable")
        others = np.arange(1, self._rows.count + 1)
        steepest = (worth.unlike[:-1, 1:] / others).max(axis=1, initial=0.0)
        counts = EdgeCounts(pairs, smallest, steepest)

        def hope(laws: Sets, halt: Ints) -> Scores:
            wanted = self.penalties[sizes_of(laws, OF_PREDICATES)] - ROUNDING
            found: Scores = are_hopeful(literals, worth, counts, laws, wanted, halt).astype(np.float64)
            return found

        return hope

    def worth(self, pairs: EdgePairs, literals: LiteralSpace) -> Worth:
        """What the pairs of rows behind edges can be worth."""
        shuffled = [self._laws.column(column) for column in range(self._rows.columns)]
        rows, tables = self._rows.count, bit_tables(self._rows)
        cells = cells_of(self._laws, literals)
        places = np.searchsorted(tables.numbers, np.arange(rows + 1), side="right") - 1
        return Worth(
            pairs.first,
            pairs.rows,
            pairs.mirror,
            np.column_stack([self._comparisons.left, self._comparisons.right]),
            np.array([column.difference for column in shuffled]),
            np.array([column.alike for column in shuffled]),
            np.ascontiguousarray(np.vstack([tables.unlike[:, places], np.log2(1.0 + np.arange(rows + 1))])),
            most_across(self._laws, literals, cells),
            cells,
        )

    def _least(self, literals: Ints, enough: float, halt: Ints) -> float:
        """The least that a column is worth, in all its literals and in each; exact if that is enough."""
        if _are_alike(literals):
            return self._either(literals, halt, enough)
        least = np.inf
        for column, some in sorted(
            _shuffles(literals), key=lambda one: self._effort(literals, one[0], one[1], enough)
        ):
            least = min(least, self._laws.bits(literals, some, column, halt, enough, least))
            if least < enough or least == 0 or halt[0]:
                break
        return least if np.isfinite(least) else 0.0

    def _effort(self, literals: Ints, column: int, some: npt.NDArray[np.bool_], enough: float) -> Effort:
        """What it takes to see what a shuffled column is worth."""
        spoken = literals[some]
        if len(spoken) > 1 or spoken[0, FIRST_COLUMN] != spoken[0, SECOND_COLUMN]:
            return Effort.ACROSS
        excluded = int(spoken[0, 3])
        if excluded == UNEQUAL:
            alone = not are_equalities(literals[~some]).any()  # then disjoint pairs tell what there is
            return Effort.NONE if alone and self._laws.most_apart(column) < enough else Effort.EQUAL
        return Effort.UNEQUAL if excluded == EQUAL else Effort.ORDER

    def _either(self, literals: Ints, halt: Ints, enough: float = 0.0) -> float:
        """What either of two columns is worth: to shuffle one against the other is to shuffle that."""
        most = 0.0
        for column, some in _shuffles(literals):
            most = max(most, self._laws.bits(literals, some, column, halt, max(enough, most)))
        return most


def _longer(ways: Bits, operators: float) -> Bits:
    """The logarithms of how many sets of each size there are when another comparison may join them."""
    longer: Bits = np.logaddexp2(np.append(ways, -np.inf), np.append(-np.inf, ways + operators))
    return longer


def _speak_of(literals: Ints, column: int) -> npt.NDArray[np.bool_]:
    speaking: npt.NDArray[np.bool_] = (literals[:, FIRST_COLUMN] == column) | (
        literals[:, SECOND_COLUMN] == column
    )
    return speaking


def _are_alike(literals: Ints) -> bool:
    """Whether a law has two columns, each compared with itself."""
    return len(literals) == 2 and bool((literals[:, FIRST_COLUMN] == literals[:, SECOND_COLUMN]).all())


def _shuffles(literals: Ints) -> list[tuple[int, npt.NDArray[np.bool_]]]:
    """Each column of a law with its literals and, where there are several, with each of them."""
    found = []
    for column in np.unique(literals[:, FIRST_COLUMN : SECOND_COLUMN + 1]).tolist():
        some = _speak_of(literals, column)
        found.append((column, some))
        for literal in np.flatnonzero(some) if some.sum() > 1 else ():
            found.append((column, np.arange(len(literals)) == literal))
    return found
