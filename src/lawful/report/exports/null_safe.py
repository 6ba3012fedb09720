"""Comparisons in SQL that are right about NULL.

Laws have NULL equal to NULL and smaller than every value, or, where NULLs are distinct, equal to nothing and
without order. SQL's own operators are neither.
"""

from __future__ import annotations

from lawful.laws import Operator

_TURNED: dict[Operator, Operator] = {">": "<", ">=": "<="}


def compared(left: str, operator: Operator, right: str, nulls_equal: bool) -> str:
    """A condition on two SQL expressions; it may be NULL where it is not true."""
    if operator in _TURNED:
        left, operator, right = right, _TURNED[operator], left
    return _equal(left, operator, right) if nulls_equal else _distinct(left, operator, right)


def _equal(left: str, operator: Operator, right: str) -> str:
    match operator:
        case "=":
            return f"{left} IS NOT DISTINCT FROM {right}"
        case "!=":
            return f"{left} IS DISTINCT FROM {right}"
        case "<":
            return f"({left} < {right} OR ({left} IS NULL AND {right} IS NOT NULL))"
        case _:
            return f"({left} <= {right} OR {left} IS NULL)"


def _distinct(left: str, operator: Operator, right: str) -> str:
    if operator == "!=":
        return f"({left} <> {right} OR {left} IS NULL OR {right} IS NULL)"
    return f"{left} {operator} {right}"
