"""Whether laws hold on a table, how far they are from it, what they are worth, which rows break them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from lawful.checking.bits_of_verdicts import BitsOfVerdicts, Judged
from lawful.checking.denials import Denial
from lawful.checking.judged_table import JudgedTable
from lawful.checking.law_errors import LawError
from lawful.checking.measuring import errors_of
from lawful.discovery import MIN_BITS, Options
from lawful.engine import Engine
from lawful.engine.watch import NO_LIMITS, TIME_LIMIT, Limits
from lawful.laws import Law
from lawful.shown import Shown
from lawful.table import Relation

_AS_USUAL = Options()
FEW_WRONG, SOME_WRONG = 0.1, 0.2  # shares of rows
AT_A_TIME = 32  # laws that are judged together where time is limited


@dataclass(frozen=True)
class CheckedLaw:
    """What a table says of a law.

    Attributes:
        law: that was checked.
        error: how far it is from holding.
        bits: how surely it is no mere chance, in spite of the rows against it; of an FD that fails, what it
            saves all the same. NaN: unknown.
        tolerated: whether it fails, but no more than it may.
    """

    law: Law
    error: LawError
    bits: float
    tolerated: bool = False

    @property
    def holds(self) -> bool:
        """Whether no pair of rows breaks the law."""
        return self.error.pairs == 0

    @property
    def is_fact(self) -> bool:
        """Whether it speaks of one column alone, and holds: that needs no bits."""
        return self.holds and len(self.law.columns) <= 1

    @property
    def needs_no_bits(self) -> bool:
        """Whether no bits can speak for it: it is of one column alone, and holds or is tolerated."""
        return self.passes and len(self.law.columns) <= 1

    @property
    def passes(self) -> bool:
        """Whether it holds, or fails no more than it may."""
        return self.holds or self.tolerated

    @property
    def tells_wrong_rows(self) -> bool:
        """Whether rows are likely wrong that break it: few do, or some, and it is no mere chance."""
        few = self.error.removals <= max(1, FEW_WRONG * self.error.total)
        return few or (self.bits >= MIN_BITS and self.error.share_of_rows <= SOME_WRONG)

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        bits = None if math.isnan(self.bits) else round(self.bits, 6)
        error = self.error.to_json()
        return {
            **self.law.to_json(),
            "holds": self.holds,
            "passes": self.passes,
            "error": error,
            "bits": bits,
            "fact": self.is_fact,
        }


class CheckedLaws(Shown, Sequence[CheckedLaw]):
    """What a table says of some laws."""

    def __init__(
        self,
        verdicts: Sequence[CheckedLaw],
        table: JudgedTable,
        reason: str | None = None,
    ) -> None:
        self._verdicts, self.table, self.reason = tuple(verdicts), table, reason

    @overload
    def __getitem__(self, index: int) -> CheckedLaw: ...
    @overload
    def __getitem__(self, index: slice) -> CheckedLaws: ...
    def __getitem__(self, index: int | slice) -> CheckedLaw | CheckedLaws:
        if isinstance(index, slice):
            return self._some(self._verdicts[index])
        return self._verdicts[index]

    def __len__(self) -> int:
        return len(self._verdicts)

    def __repr__(self) -> str:
        return f"<CheckedLaws: {sum(one.holds for one in self)} of {len(self)} laws hold>"

    @property
    def complete(self) -> bool:
        """Whether these are all laws that were asked for; `reason` says why not."""
        return self.reason is None

    @cached_property
    def failing(self) -> CheckedLaws:
        """Those of laws that fail, tolerated or not."""
        return self._some([one for one in self if not one.holds])

    def best_first(self, min_bits: float, reason: str | None) -> CheckedLaws:
        """The laws that pass, the most bits first, without those of too few; where bits are unknown, last.

        `reason` says why laws are missing, if some are.
        """
        enough = [one for one in self if one.passes and (one.needs_no_bits or not one.bits < min_bits)]
        best = sorted(enough, key=lambda one: (_rank(one), -np.nan_to_num(one.bits, nan=-1)))
        return CheckedLaws(best, self.table, reason)

    def _some(self, verdicts: Sequence[CheckedLaw]) -> CheckedLaws:
        return CheckedLaws(verdicts, self.table, self.reason)

    @property
    def relation(self) -> Relation:
        """The table."""
        return self.table.relation

    @property
    def hold(self) -> bool:
        """Whether all laws hold."""
        return all(one.holds for one in self)

    @property
    def passed(self) -> bool:
        """Whether all laws hold, or fail no more than they may."""
        return all(one.passes for one in self)


def _rank(verdict: CheckedLaw) -> int:
    """Facts come first, then what is almost one."""
    return 0 if verdict.is_fact else 1 if verdict.needs_no_bits else 2


def verdicts_of(
    laws: Sequence[Law],
    relation: Relation,
    engine: Engine,
    max_error: float = 0.0,
    of_pairs: bool = False,
    options: Options = _AS_USUAL,
    limits: Limits = NO_LIMITS,
) -> CheckedLaws:
    """Check laws; those that fail by at most a share of the rows to remove, or of pairs, are tolerated.

    The options say among how many laws they would have been found. The last laws are missing where time ends.
    """
    table = JudgedTable.of(laws, relation, engine)
    denials, across = [*map(table.denial, laws)], [*map(table.crosses, laws)]
    rating, verdicts = BitsOfVerdicts(table, options), list[CheckedLaw]()
    step = max(len(laws), 1) if limits.ends is None else AT_A_TIME
    for some in (slice(first, first + step) for first in range(0, len(laws), step)):
        if verdicts and limits.over():
            return CheckedLaws(verdicts, table, TIME_LIMIT)
        errors = _errors(denials[some], across[some], table)
        hold = (error.pairs == 0 for error in errors)
        bits = rating.of([*map(Judged, laws[some], denials[some], hold)])
        tolerated = [(one.share if of_pairs else one.share_of_rows) <= max_error for one in errors]
        verdicts += map(CheckedLaw, laws[some], errors, bits, tolerated)
    return CheckedLaws(verdicts, table)


def _errors(denials: Sequence[Denial], across: Sequence[bool], table: JudgedTable) -> list[LawError]:
    """The errors of laws; those that compare columns with each other need ranks on one scale."""
    found: dict[int, LawError] = {}
    for engine, wanted in ((table.engine, False), (table.scaled, True)):
        places = [place for place, one in enumerate(across) if one == wanted]
        errors = errors_of([denials[place] for place in places], engine)
        found.update(zip(places, errors, strict=True))
    return [found[place] for place in range(len(denials))]
