"""Whether laws hold on a table, how far they are from it, what they are worth, which rows break them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload

import numpy as np

from lawful.checking.approximate_bits import bits_of_fd
from lawful.checking.denials import Denial, crossings_of, denial_of
from lawful.checking.law_errors import Conflicts, LawError, conflicts_of
from lawful.checking.measuring import errors_of
from lawful.checking.violating_rows import ViolatingRows, violating_rows
from lawful.discovery.predicate_space import scales_of
from lawful.discovery.scales import named
from lawful.engine import Engine, Viewed
from lawful.laws import FD, OD, Key, Law
from lawful.laws.codec import Codec
from lawful.notebooks import ShownInNotebooks
from lawful.table import Relation
from lawful.table.workspace import Workspace
from lawful.validate.law_bits import law_bits


@dataclass(frozen=True)
class CheckedLaw:
    """What a table says of a law.

    Attributes:
        law: that was checked.
        error: how far it is from holding.
        bits: how surely it is no mere chance; of an FD that fails, what it saves all the same. NaN: unknown.
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
        """Whether it is a constant or a key of one column, and holds: that needs no bits."""
        return self.holds and self.law.size <= 1 and self.law.kind in ("key", "fd")

    @property
    def passes(self) -> bool:
        """Whether it holds, or fails no more than it may."""
        return self.holds or self.tolerated

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
        }


class CheckedLaws(ShownInNotebooks, Sequence[CheckedLaw]):
    """What a table says of some laws."""

    def __init__(
        self,
        verdicts: Sequence[CheckedLaw],
        relation: Relation,
        work: Workspace,
        scaled: Workspace,
        reason: str | None = None,
    ) -> None:
        self._verdicts, self.relation, self.reason = tuple(verdicts), relation, reason
        self._work, self._scaled = work, scaled  # as it is, and with comparable columns on one scale

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
        """The laws with the most bits first, without FDs of too few; where bits are unknown, last.

        `reason` says why laws are missing, if some are.
        """
        enough = [one for one in self if one.law.kind != "fd" or one.is_fact or one.bits >= min_bits]
        best = sorted(enough, key=lambda one: (not one.is_fact, -np.nan_to_num(one.bits, nan=-1)))
        return CheckedLaws(best, self.relation, self._work, self._scaled, reason)

    def _some(self, verdicts: Sequence[CheckedLaw]) -> CheckedLaws:
        return CheckedLaws(verdicts, self.relation, self._work, self._scaled, self.reason)

    def work(self, verdict: CheckedLaw) -> Workspace:
        """Where the rows lie that the law of a verdict is about."""
        return self._scaled if crossings_of([verdict.law], self.relation.columns) else self._work

    @property
    def hold(self) -> bool:
        """Whether all laws hold."""
        return all(one.holds for one in self)

    @property
    def passed(self) -> bool:
        """Whether all laws hold, or fail no more than they may."""
        return all(one.passes for one in self)

    def denial(self, verdict: CheckedLaw) -> Denial:
        """What the law of a verdict denies of the table."""
        return denial_of(verdict.law, self.relation.columns)

    def conflicts(self, verdict: CheckedLaw) -> Conflicts:
        """With how many others each row breaks the law of a verdict."""
        return conflicts_of(self.denial(verdict), self.work(verdict))

    def violating_rows(self, verdict: CheckedLaw) -> Iterator[ViolatingRows]:
        """All rows that break the law of a verdict."""
        return violating_rows(self.denial(verdict), self.work(verdict), self.conflicts(verdict))


def verdicts_of(
    laws: Sequence[Law], relation: Relation, engine: Engine, max_error: float = 0.0, of_pairs: bool = False
) -> CheckedLaws:
    """Check laws; those that fail by at most a share of the rows to remove, or of pairs, are tolerated."""
    denials = [denial_of(law, relation.columns) for law in laws]
    crossings = crossings_of(laws, relation.columns)
    scaled = Viewed(engine, named(scales_of(relation, crossings))) if crossings else engine
    across = [bool(crossings_of([law], relation.columns)) for law in laws]
    errors = _errors(denials, across, engine, scaled)
    bits = _bits(laws, errors, relation.names, engine.work)
    tolerated = [(one.share if of_pairs else one.share_of_rows) <= max_error for one in errors]
    verdicts = map(CheckedLaw, laws, errors, bits, tolerated)
    return CheckedLaws([*verdicts], relation, engine.work, scaled.work)


def _errors(
    denials: Sequence[Denial], across: Sequence[bool], engine: Engine, scaled: Engine
) -> list[LawError]:
    """The errors of laws; those that compare columns with each other need ranks on one scale."""
    found: dict[int, LawError] = {}
    for run_by, wanted in ((engine, False), (scaled, True)):
        places = [place for place, one in enumerate(across) if one == wanted]
        errors = errors_of([denials[place] for place in places], run_by)
        found.update(zip(places, errors, strict=True))
    return [found[place] for place in range(len(denials))]


def _bits(
    laws: Sequence[Law], errors: Sequence[LawError], names: Sequence[str], work: Workspace
) -> list[float]:
    """The bits of keys, FDs and ODs that hold, and of FDs that fail."""
    bits = np.full(len(laws), math.nan)
    columns = [k for k, law in enumerate(laws) if errors[k].pairs == 0 and isinstance(law, Key | FD | OD)]
    if columns:
        some = [laws[k] for k in columns]
        bits[columns] = law_bits(work, Codec.of(names, some).encode(some), len(names))
    for k, law in enumerate(laws):
        if errors[k].pairs and isinstance(law, FD):
            left = map(names.index, law.lhs)
            bits[k] = bits_of_fd(left, names.index(law.rhs), work, len(names))
    numbers: list[float] = bits.tolist()
    return numbers
