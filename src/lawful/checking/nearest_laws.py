"""The laws nearest to a law that hold on a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import islice

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.denials import denial_of
from lawful.checking.law_errors import breaks
from lawful.laws import Key, Law
from lawful.laws.neighbours import stronger, weaker
from lawful.validate.contexts import partition_of

STEPS_AWAY = 3  # to laws that say less
ROWS = 200_000_000  # that are looked at for them, about
WIDTH = 100  # laws of one size that are followed to smaller ones


class Neighbourhood:
    """The laws around one that was checked, each tried on the rows of the table."""

    def __init__(self, verdicts: CheckedLaws, verdict: CheckedLaw) -> None:
        self._law, self._relation = verdict.law, verdicts.relation
        # No law nearby compares columns with each other that this one does not.
        self._work = verdicts.table.work(verdict.law)

    def smaller(self) -> list[Law]:
        """The smallest laws that hold and say more than the law; none where that is minimal."""
        found, level = list[Law](), [self._law]
        while level := [*islice(filter(self._holds, _steps(level, stronger)), WIDTH)]:
            found = level
        return found

    def larger(self) -> list[Law]:
        """The minimal laws from which those follow that hold and say the least less than the law, if there
        are some a few steps away.

        Those that speak of no pair of rows at all, because a key is on the left, are no answer.
        """
        names, level = self._relation.names, [self._law]
        left = max(ROWS // max(self._relation.n_rows, 1), len(names))
        for _ in range(STEPS_AWAY):
            level = [*islice(_steps(level, lambda law: weaker(law, names)), left)]
            if found := [law for law in level if self._holds(law) and not self._is_idle(law)]:
                return [*dict.fromkeys(map(self._minimal, found))]
            left -= len(level)
        return []

    def _holds(self, law: Law) -> bool:
        denial = denial_of(law, self._relation.columns)
        return denial.possible and not breaks(denial, self._work)

    def _minimal(self, law: Law) -> Law:
        """A minimal law from which one that holds follows."""
        more = next(filter(self._holds, stronger(law)), None)
        return law if more is None else self._minimal(more)

    def _is_idle(self, law: Law) -> bool:
        denial = denial_of(law, self._relation.columns)
        return not isinstance(law, Key) and len(partition_of(denial.context, self._work).rows) == 0


def _steps(level: Iterable[Law], step: Callable[[Law], Iterable[Law]]) -> Iterable[Law]:
    """What is a step away from some laws, each once, in order."""
    return dict.fromkeys(law for one in level for law in step(one))
