"""Comparison operators, each understood as the set of outcomes that it allows.

A comparison of two values has one of the outcomes `<`, `=`, `>`; `<=` allows the first two of them.
One operator implies another if it allows no outcome that the other forbids: a subset test.
"""

from collections.abc import Hashable, Mapping
from typing import Literal, TypeVar, get_args

from lawful.errors import LawfulError

Operator = Literal["<", "<=", "=", "!=", ">=", ">"]

OPERATORS: tuple[Operator, ...] = get_args(Operator)

OUTCOMES: dict[Operator, frozenset[str]] = {
    "<": frozenset("<"),
    "<=": frozenset("<="),
    "=": frozenset("="),
    "!=": frozenset("<>"),
    ">=": frozenset(">="),
    ">": frozenset(">"),
}
"""The outcomes that each operator allows; a difference without order satisfies `!=` alone."""

_WITH_OUTCOMES = {outcomes: operator for operator, outcomes in OUTCOMES.items()}
_MIRRORED: dict[Operator, Operator] = {"<": ">", "<=": ">=", "=": "=", "!=": "!=", ">=": "<=", ">": "<"}
_DENIED: dict[Operator, Operator] = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}

Compared = TypeVar("Compared", bound=Hashable)


def checked_operator(text: str) -> Operator:
    """Return `text` as an operator, or say which operators there are."""
    for operator in OPERATORS:
        if operator == text:
            return operator
    raise LawfulError(f"{text!r} is no operator: use one of {' '.join(OPERATORS)}")


def mirrored(operator: Operator) -> Operator:
    """Return the operator that holds for (b, a) exactly when `operator` holds for (a, b)."""
    return _MIRRORED[operator]


def denied(operator: Operator) -> Operator:
    """Return the operator that allows the other outcomes."""
    return _DENIED[operator]


def both(first: Operator, second: Operator) -> Operator | None:
    """Return the operator that says what both say, None if they contradict each other."""
    return _WITH_OUTCOMES.get(OUTCOMES[first] & OUTCOMES[second])


def implies(strong: Operator, weak: Operator) -> bool:
    """Tell whether `weak` holds wherever `strong` does."""
    return OUTCOMES[strong] <= OUTCOMES[weak]


def all_implied(strong: Mapping[Compared, Operator], weak: Mapping[Compared, Operator]) -> bool:
    """Tell whether pairs that satisfy every comparison in `strong` satisfy every one in `weak`."""
    return all(name in strong and implies(strong[name], operator) for name, operator in weak.items())
