"""Laws a step away from a law: those that say a little more, and those that say a little less."""

from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import replace

from lawful.laws.base import Law
from lawful.laws.dc import DC, Cell, Predicate
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.operators import OPERATORS, OUTCOMES, Operator
from lawful.laws.pod import POD


def stronger(law: Law) -> Iterator[Law]:
    """Laws that say a little more: a column less on the left, a condition less, or one that allows more."""
    match law:
        case Key() | FD() | OD():
            yield from (_with_context(law, _context(law) - {name}) for name in sorted(_context(law)))
        case DC():
            yield from _wider(law)
        case POD():
            yield from _as_pods(_wider(law.as_dc()))


def weaker(law: Law, names: Sequence[str]) -> Iterator[Law]:
    """Laws that say a little less, over columns of these names: a column more on the left, or a condition
    that allows less."""
    more = [name for name in names if name not in law.columns]
    match law:
        case Key() | FD() | OD():
            yield from (_with_context(law, _context(law) | {name}) for name in more)
        case DC():
            yield from _narrower(law, more)
        case POD():
            yield from _as_pods(_narrower(law.as_dc(), more))


def _context(law: Key | FD | OD) -> Set[str]:
    match law:
        case Key():
            return law.columns
        case FD():
            return law.lhs
    return law.context


def _with_context(law: Key | FD | OD, context: Set[str]) -> Law:
    match law:
        case Key():
            return Key(context)
        case FD():
            return replace(law, lhs=context)
    return replace(law, context=context)


def _wider(law: DC) -> Iterator[DC]:
    for predicate in sorted(law.predicates, key=str):
        others = law.predicates - {predicate}
        wider = [one for one in OPERATORS if OUTCOMES[one] > OUTCOMES[predicate.operator]]
        yield from (DC(others | {replace(predicate, operator=operator)}) for operator in wider)
        if not wider:
            yield DC(others)


def _narrower(law: DC, more: Iterable[str]) -> Iterator[DC]:
    for predicate in sorted(law.predicates, key=str):
        others = law.predicates - {predicate}
        for operator in _narrower_operators(predicate.operator):
            yield DC(others | {replace(predicate, operator=operator)})
    for name in more:
        yield DC(law.predicates | {Predicate(Cell("t", name), "=", Cell("s", name))})


def _narrower_operators(operator: Operator) -> Collection[Operator]:
    return [one for one in OPERATORS if OUTCOMES[one] < OUTCOMES[operator]]


def _as_pods(laws: Iterable[DC]) -> Iterator[Law]:
    return (pod for pod in (law.as_pod() for law in laws) if pod is not None)
