"""Which columns rise or fall together, by the axioms of set-based order dependencies (Szlichta et al., 2017).

`X: a ~ b` follows from
- *propagation*: X determines a, or b;
- *augmentation*: `Y: a ~ b` where X determines Y;
- *chain*: `X: a ~ c1`, `X: c1 ~ c2`, ..., `X: cn ~ b`, and `X and ci: a ~ b` for each ci. Two rows that
  swapped a and b would have to differ in each ci, in a's order: then in b's order too. (Where NULLs equal
  nothing they may differ without order, so that there is no such conclusion.)

The axioms are complete; chains within chains are followed a few steps, so that an answer takes milliseconds.
All that is said to follow does.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lawful.laws import OD, Law
from lawful.reasoning.closures import Closures, Columns

AXIOM_DEPTH = 2  # of chains within chains

Proof = tuple[Law, ...]  # the laws that something follows from


class _Link(NamedTuple):
    """A column that another one rises with, or falls against, in a context."""

    column: str
    turned: bool
    law: OD


class OrderAxioms:
    """What follows of order from some ODs, where closures say what determines what."""

    def __init__(self, closures: Closures, ods: Iterable[OD], chains: bool = True) -> None:
        self._closures, self._depth = closures, AXIOM_DEPTH if chains else 0
        self._links: dict[str, list[_Link]] = defaultdict(list)
        self._proofs: dict[tuple[Columns, OD, int], Proof | None] = {}
        for law in sorted(ods, key=Law.sort_key):  # small contexts first
            self._links[law.left].append(_Link(law.right, law.descending, law))
            self._links[law.right].append(_Link(law.left, law.descending, law))

    def proof(self, law: OD) -> Proof | None:
        """Laws that an OD follows from; None if it does not follow."""
        return self._proof(frozenset(law.context), law, self._depth)

    def _proof(self, context: Columns, law: OD, depth: int) -> Proof | None:
        question = context, law, depth
        if question not in self._proofs:
            self._proofs[question] = self._found(context, law, depth)
        return self._proofs[question]

    def _found(self, context: Columns, law: OD, depth: int) -> Proof | None:
        for side in (law.left, law.right):
            if side in self._closures.closure(context):
                return self._determined(context, frozenset([side]))
        for link in self._links_from(law.left, context):
            if (link.column, link.turned) == (law.right, law.descending):
                return self._of_link(context, link)
        return self._chain(context, law, depth) if depth else None

    def _chain(self, context: Columns, law: OD, depth: int) -> Proof | None:
        """A way from the left side to the right one over columns without which the law holds."""
        known = self._closures.closure(context)
        ways: list[tuple[str, bool, Proof]] = [(law.left, False, ())]
        seen = {(law.left, False)}
        for column, turned, way in ways:  # which grows
            for link in self._links_from(column, context):
                step = link.column, link.turned ^ turned
                if step == (law.right, law.descending):
                    return _once(*way, *self._of_link(context, link))
                if step in seen or link.column in known | law.columns:
                    continue
                seen.add(step)
                without = self._proof(context | {link.column}, law, depth - 1)
                if without is not None:
                    ways.append((*step, (*way, *self._of_link(context, link), *without)))
        return None

    def _links_from(self, column: str, context: Columns) -> Iterator[_Link]:
        known = self._closures.closure(context)
        return (link for link in self._links[column] if link.law.context <= known)

    def _of_link(self, context: Columns, link: _Link) -> Proof:
        return _once(*self._determined(context, frozenset(link.law.context)), link.law)

    def _determined(self, context: Columns, columns: Columns) -> Proof:
        return tuple(self._closures.laws_between(context, columns))


def _once(*laws: Law) -> Proof:
    return tuple(dict.fromkeys(laws))
