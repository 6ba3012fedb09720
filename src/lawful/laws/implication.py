"""Whether a denial constraint follows from others: the field's implication test (FASTDC, Hydra).

Suppose two rows break it. What its predicates say of their cells is closed under transitivity: from
`t.a < s.b` and `s.b <= s.c` comes `t.a < s.c`. A law that is known denies the last of its predicates where
all the others hold. If nothing is left that two cells can be to each other, no two rows break it, and it
follows. The test is sound, and finds all that comes of these steps.
"""

from collections.abc import Iterable, Mapping, Set
from itertools import product

import numpy as np

from lawful.laws.comparisons import DIFFERENT, EQUAL, GREATER, LESS, UNORDERED, mirrored_outcomes
from lawful.laws.dc import DC, Cell, Predicate
from lawful.laws.operators import Operator

ANYTHING = EQUAL | DIFFERENT
_ALLOWED: Mapping[Operator, int] = {
    "<": LESS,
    "<=": LESS | EQUAL,
    "=": EQUAL,
    "!=": DIFFERENT,
    ">=": GREATER | EQUAL,
    ">": GREATER,
}
_OUTCOMES = (LESS, EQUAL, GREATER, UNORDERED)


def _then(first: int, second: int) -> int:
    """What a can be to c, if a is the first to b and b the second to c."""
    if EQUAL in (first, second):
        return second if first == EQUAL else first
    return first if first == second != UNORDERED else ANYTHING


def _composed(first: int, second: int) -> int:
    """The same for several outcomes each."""
    result = 0
    for x, y in product(_OUTCOMES, repeat=2):
        if x & first and y & second:
            result |= _then(x, y)
    return result


_COMPOSED = np.array(
    [[_composed(first, second) for second in range(ANYTHING + 1)] for first in range(ANYTHING + 1)]
)


class _Cells:
    """What the cells of two rows can be to each other."""

    def __init__(self, columns: Iterable[str], ordered: Set[str]) -> None:
        cells = [Cell(row, column) for column in columns for row in ("t", "s")]
        self._places = {cell: place for place, cell in enumerate(cells)}
        known = np.array([cell.column in ordered for cell in cells], np.bool_)
        self._between = np.where(known[:, None] & known, ANYTHING & ~UNORDERED, ANYTHING)
        np.fill_diagonal(self._between, EQUAL)

    def allow(self, predicate: Predicate, outcomes: int) -> bool:
        """Restrict what the cells of a predicate can be to each other; whether that says anything new."""
        left, right = self._places[predicate.left], self._places[predicate.right]
        before = int(self._between[left, right])
        now = before & outcomes
        self._between[left, right], self._between[right, left] = now, mirrored_outcomes(now)
        return now != before

    def close(self) -> None:
        """Draw all conclusions by transitivity."""
        between, changed = self._between, True
        while changed:
            before = between.copy()
            for via in range(len(between)):
                between &= _COMPOSED[between[:, via, None], between[via]]
            changed = bool((between != before).any())

    def apply(self, law: DC) -> bool:
        """Deny the one predicate of a law that is open, if it is one; whether that says anything new."""
        open_ones = [
            predicate
            for predicate in law.predicates
            if int(self._between[self._places[predicate.left], self._places[predicate.right]])
            & ~_ALLOWED[predicate.operator]
        ]
        if not open_ones:
            return self.allow(next(iter(law.predicates)), 0)
        return len(open_ones) == 1 and self.allow(open_ones[0], ~_ALLOWED[open_ones[0].operator])

    @property
    def impossible(self) -> bool:
        return not self._between.all()


def follows(law: DC, known: Iterable[DC], ordered: Set[str] = frozenset()) -> bool:
    """Tell whether a denial constraint follows from known ones, each of which may have one column more.

    The values of `ordered` columns all have an order: there are no NULLs that equal nothing.
    """
    near = [
        other for other in known if len(other.columns - law.columns) <= 1 <= len(other.columns & law.columns)
    ]
    rules = [one for other in near for one in (other, other.mirror())]
    cells = _Cells(sorted({*law.columns}.union(*(other.columns for other in near))), ordered)
    for predicate in law.predicates:
        cells.allow(predicate, _ALLOWED[predicate.operator])
    cells.close()
    changed = True
    while changed and not cells.impossible:
        changed = sum(cells.apply(rule) for rule in rules) > 0
        if changed:
            cells.close()
    return cells.impossible


def without_echoes(laws: Iterable[DC], ordered: Set[str], known: Iterable[DC] = ()) -> list[DC]:
    """The laws that do not follow from known ones and from those before them."""
    before, kept = [*known], []
    for law in laws:
        if not follows(law, before, ordered):
            before.append(law)
            kept.append(law)
    return kept
