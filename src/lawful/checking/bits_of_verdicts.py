"""How many bits laws are worth that were checked, whether they hold or not.

Bits tell how surely a law would break if one of its columns were shuffled. A law that fails holds on the rows
that are left when some are removed. After a shuffle it would fail no more than before only if it held without
as many rows, whichever these are: so it is worth what it is worth on the rows that are left, less the
logarithm of the number of ways to choose those that go. FDs that fail have the bits that they save instead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.checking.approximate_bits import bits_of_fd
from lawful.checking.denials import Denial, crossings_of, denial_of
from lawful.checking.law_errors import removals_of, removed_rows
from lawful.discovery import Options, space_of
from lawful.discovery.dc_bits import DCBits
from lawful.laws import DC, FD, OD, POD, Key, Law
from lawful.laws.codec import Codec
from lawful.laws.comparisons import Comparisons, comparisons_of
from lawful.table import Relation
from lawful.table.ranked import SomeRows, chosen
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits

RATED_ROWS = 100_000  # by chance that keys and ODs that fail are rated on where there are more
SEED = 0
_ORDERS = ("<", "<=", ">", ">=")

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A law, what it denies of a table, and whether it holds there."""

    law: Law
    denial: Denial
    holds: bool


class BitsOfVerdicts:
    """What laws are worth on a table, as it lies and with columns that laws compare on one scale."""

    def __init__(self, relation: Relation, work: Workspace, scaled: Workspace, options: Options) -> None:
        self._relation, self._work, self._scaled = relation, work, scaled
        self._names, self._options = relation.names, options

    def of(self, judged: Sequence[Judged]) -> list[float]:
        """The bits of laws, never negative; NaN where there is no telling."""
        bits = np.full(len(judged), math.nan)
        plain = [k for k, one in enumerate(judged) if one.holds and isinstance(one.law, Key | FD | OD)]
        bits[plain] = self._as_they_hold([judged[k].law for k in plain], self._work)
        for k, one in enumerate(judged):
            if isinstance(one.law, FD) and not one.holds:
                right = self._names.index(one.law.rhs)
                bits[k] = bits_of_fd(one.denial.context, right, self._work, len(self._names))
            elif isinstance(one.law, Key | OD) and not one.holds:
                bits[k] = self._with_exceptions(one.law, one.denial)
        denials = [k for k, one in enumerate(judged) if isinstance(one.law, DC | POD) and self._can_rate(one)]
        bits[denials] = [*self._denials([judged[k] for k in denials])]
        numbers: list[float] = bits.tolist()
        return numbers

    def at_most(self, laws: Sequence[Law]) -> Iterator[float]:
        """No fewer bits than each of some keys and ODs has, whether it holds or not; sooner known."""
        work = self._some_rows
        of_all = self._as_they_hold(laws, work)
        for law, bits in zip(laws, of_all.tolist(), strict=True):
            removals = removals_of(denial_of(law, self._relation.columns), work) if bits else 0
            yield max(0.0, bits - log_ways(work.rows.count, removals))

    def _as_they_hold(self, laws: Sequence[Law], work: Workspace) -> Numbers:
        """What keys, FDs and ODs are worth as if they held."""
        if not laws:
            return np.empty(0)
        return law_bits(work, Codec(self._names).encode(laws), len(self._names))

    def _with_exceptions(self, law: Law, denial: Denial) -> float:
        """What a key or OD that fails is worth: the less of what it is on all rows and on those left."""
        work = self._some_rows
        removed = removed_rows(denial, work)
        columns = [number for number, name in enumerate(self._names) if name in law.columns]
        rest = Workspace(chosen(work.rows, columns, ~removed))
        codec = Codec([self._names[number] for number in columns])
        of_rest = float(law_bits(rest, codec.encode([law]), len(self._names))[0])
        least = min(float(self._as_they_hold([law], work)[0]), of_rest)
        return max(0.0, least - log_ways(len(removed), int(removed.sum())))

    @cached_property
    def _some_rows(self) -> Workspace:
        return _sampled(self._work, RATED_ROWS)

    def _can_rate(self, one: Judged) -> bool:
        """Whether a DC or POD can be true of no pair, or asks for the order of a column without one."""
        ordered = {column.name for column in self._relation.columns if column.ordered}
        law = one.law.as_dc() if isinstance(one.law, POD) else one.law
        assert isinstance(law, DC)
        return one.denial.possible and all(
            cell.column in ordered
            for predicate in law.predicates
            if predicate.operator in _ORDERS
            for cell in predicate.comparison
        )

    def _denials(self, judged: Sequence[Judged]) -> Iterator[float]:
        """What DCs and PODs are worth."""
        if not judged:
            return
        laws = [one.law for one in judged]
        ordered = np.array([column.ordered for column in self._relation.columns], np.bool_)
        crossings = crossings_of(laws, self._relation.columns)
        comparisons = comparisons_of([*range(len(self._names))], ordered, crossings)
        sets = Codec(self._names, comparisons).encode(laws).sets
        work = _sampled(self._scaled, costs.RATED_ROWS)
        every = np.ones(work.rows.count, np.bool_)
        for k, one in enumerate(judged):
            removed = ~every if one.holds else removed_rows(one.denial, work)
            rows = chosen(work.rows, range(work.rows.columns), ~removed) if removed.any() else work.rows
            possible = self._possible(one.law.kind)
            possible = possible if len(possible.kind) >= one.law.size else comparisons  # of a stranger law
            rating = DCBits(rows, comparisons, possible, one.law.kind == "pod")
            (bits,) = rating.of(sets[[k]], work.halt)
            yield max(0.0, float(bits) - log_ways(len(removed), int(removed.sum())))

    def _possible(self, kind: str) -> Comparisons:
        """The comparisons that a search for DCs, or PODs, would try."""
        if kind not in self._spaces:
            options = replace(self._options, kinds=(kind,), every_column=True)
            self._spaces[kind] = space_of(self._relation, options).possible(kind == "pod")
        return self._spaces[kind]

    @cached_property
    def _spaces(self) -> dict[str, Comparisons]:
        return {}


def log_ways(rows: int, removed: int) -> float:
    """The logarithm of the number of ways to choose so many of so many rows."""
    kept = math.lgamma(rows - removed + 1.0)
    return (math.lgamma(rows + 1.0) - math.lgamma(removed + 1.0) - kept) / math.log(2.0)


def _sampled(work: Workspace, most: int) -> Workspace:
    """The rows, or some of them by chance: what a law is worth on some rows it is on all, and more."""
    return work if work.rows.count <= most else work.seen_by(SomeRows(most, SEED))
