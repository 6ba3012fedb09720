"""How many bits laws are worth that were checked, whether they hold or not.

Bits tell how surely a law would break if one of its columns were shuffled. A law that fails holds on the rows
that are left when some are removed. After a shuffle it would fail no more than before only if it held without
as many rows, whichever these are: so it is worth what it is worth on the rows that are left, less the
logarithm of the number of ways to choose those that go. FDs that fail have the bits that they save instead.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np
import numpy.typing as npt

from lawful import costs
from lawful.checking.approximate_bits import bits_of_fd
from lawful.checking.denials import Denial
from lawful.checking.judged_table import JudgedTable
from lawful.checking.law_errors import removed_rows
from lawful.discovery import Options, space_of
from lawful.discovery.dc_bits import DCBits
from lawful.discovery.law_ratings import TOGETHER, rated_by
from lawful.discovery.shuffled_laws import ShuffledLaws
from lawful.engine import stretches
from lawful.laws import DC, FD, OD, POD, Key, Law
from lawful.laws.codec import Codec
from lawful.laws.comparisons import Comparisons, comparisons_of
from lawful.table.ranked import SomeRows, chosen
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import Rate, law_bits

SAMPLED_ROWS = 100_000  # by chance that keys and ODs that fail are rated on where there are more
SEED = 0
_ORDERS = ("<", "<=", ">", ">=")

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Judged:
    """A law, what it denies of a table, and whether it holds there."""

    law: Law
    denial: Denial
    holds: bool


@dataclass(frozen=True)
class RateVerdicts:
    """A task of this process: the bits of some laws, each with its number."""

    judged: Sequence[tuple[int, Judged]]
    rate: Callable[[Judged], float]

    def __call__(self, _: Workspace) -> Iterator[tuple[int, float]]:
        for number, one in self.judged:
            yield number, self.rate(one)


class BitsOfVerdicts:
    """What laws are worth on a table, as it lies and with columns that laws compare on one scale."""

    def __init__(self, table: JudgedTable, options: Options) -> None:
        self._relation, self._engine, self._scaled = table.relation, table.engine, table.scaled.work
        self._names, self._options, self._crossings = table.relation.names, options, table.crossings
        self._spaces, self._making = dict[str, Comparisons](), threading.Lock()

    def of(self, judged: Sequence[Judged]) -> list[float]:
        """The bits of laws, never negative; NaN where there is no telling."""
        bits, some = np.full(len(judged), math.nan), [*enumerate(judged)]
        plain = [k for k, one in some if one.holds and isinstance(one.law, Key | FD | OD)]
        rate = partial(rated_by, self._engine)
        bits[plain] = as_they_hold([judged[k].law for k in plain], self._names, self._engine.work, rate)
        others, here = [pair for pair in some if pair[0] not in {*plain}], self._engine.nearby
        parts = stretches(len(others), here, max(1, TOGETHER // max(here.work.rows.count, 1)))
        for number, found in here.run([RateVerdicts(others[part], self._of_one) for part in parts]):
            bits[number] = found
        numbers: list[float] = bits.tolist()
        return numbers

    def _of_one(self, one: Judged) -> float:
        """What a law that fails is worth, or a DC or POD."""
        match one.law:
            case FD():
                right, work = self._names.index(one.law.rhs), self._engine.work
                return bits_of_fd(one.denial.context, right, work, len(self._names))
            case Key() | OD():
                return self._with_exceptions(one.law, one.denial)
            case DC() | POD() if self._can_rate(one):
                return self._of_denial(one)
        return math.nan

    def _with_exceptions(self, law: Law, denial: Denial) -> float:
        """What a key or OD that fails is worth: the less of what it is on all rows and on those left."""
        work = sampled(self._engine.work)
        removed = removed_rows(denial, work)
        columns = [number for number, name in enumerate(self._names) if name in law.columns]
        rest = Workspace(chosen(work.rows, columns, ~removed))
        codec = Codec([self._names[number] for number in columns])
        of_rest = float(law_bits(rest, codec.encode([law]), len(self._names))[0])
        least = min(float(as_they_hold([law], self._names, work)[0]), of_rest)
        return max(0.0, least - log_ways(len(removed), int(removed.sum())))

    def _can_rate(self, one: Judged) -> bool:
        """Whether a DC or POD can be true of no pair, or asks for the order of a column without one."""
        ordered = {column.name for column in self._relation.columns if column.ordered}
        return one.denial.possible and all(
            cell.column in ordered
            for predicate in one.law.as_dc().predicates
            if predicate.operator in _ORDERS
            for cell in predicate.comparison
        )

    def _of_denial(self, one: Judged) -> float:
        """What a DC or POD is worth, among as many as a search for its kind would try."""
        work, shuffled = sampled(self._scaled, costs.RATED_ROWS), self._shuffled
        removed = np.zeros(work.rows.count, np.bool_) if one.holds else removed_rows(one.denial, work)
        if removed.any():
            rows = chosen(work.rows, range(work.rows.columns), ~removed)
            shuffled = ShuffledLaws(rows, self._comparisons)
        possible = self._possible(one.law.kind)
        if len(possible.kind) < one.law.size:
            possible = self._comparisons  # of a stranger law
        rating = DCBits(shuffled, possible, one.law.kind == "pod")
        sets = Codec(self._names, self._comparisons).encode([one.law]).sets
        (bits,) = rating.of(sets, work.halt)
        return max(0.0, float(bits) - log_ways(len(removed), int(removed.sum())))

    @cached_property
    def _shuffled(self) -> ShuffledLaws:
        """What the columns of the rows are worth, for all laws that hold there."""
        return ShuffledLaws(sampled(self._scaled, costs.RATED_ROWS).rows, self._comparisons)

    @cached_property
    def _comparisons(self) -> Comparisons:
        """Those of all laws."""
        ordered = np.array([column.ordered for column in self._relation.columns], np.bool_)
        return comparisons_of([*range(len(self._names))], ordered, [*self._crossings])

    def _possible(self, kind: str) -> Comparisons:
        """The comparisons that a search for DCs, or PODs, would try."""
        with self._making:
            if kind not in self._spaces:
                options = replace(self._options, kinds=(kind,), every_column=True)
                self._spaces[kind] = space_of(self._relation, options).possible(kind == "pod")
            return self._spaces[kind]


def as_they_hold(
    laws: Sequence[Law], names: Sequence[str], work: Workspace, rate: Rate | None = None
) -> Numbers:
    """What keys, FDs and ODs are worth as if they held; `rate` rates shuffles elsewhere than here."""
    if not laws:
        return np.empty(0)
    return law_bits(work, Codec(names).encode(laws), len(names), rate=rate)


def log_ways(rows: int, removed: int) -> float:
    """The logarithm of the number of ways to choose so many of so many rows."""
    kept = math.lgamma(rows - removed + 1.0)
    return (math.lgamma(rows + 1.0) - math.lgamma(removed + 1.0) - kept) / math.log(2.0)


def sampled(work: Workspace, most: int = SAMPLED_ROWS) -> Workspace:
    """The rows, or some of them by chance: what a law is worth on some rows it is on all, and more."""
    return work if work.rows.count <= most else work.seen_by(SomeRows(most, SEED))
