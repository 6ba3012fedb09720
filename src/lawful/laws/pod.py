"""Pointwise order dependencies."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import Kind, Law, refuse_repeated
from lawful.laws.operators import OPERATORS, Operator, all_implied, checked_operator, mirrored
from lawful.laws.operators import implies as operator_implies
from lawful.laws.text import quoted


@dataclass(frozen=True, slots=True)
class Term:
    """`a <`: the first row's a is smaller than the second row's a."""

    column: str
    operator: Operator

    def __post_init__(self) -> None:
        if checked_operator(self.operator) == "!=":
            raise LawfulError(f"'!=' after {self.column!r}: a pointwise order dependency has no '!='")

    def __str__(self) -> str:
        return f"{quoted(self.column)} {self.operator}"

    def mirror(self) -> "Term":
        """Return the same condition with the two rows exchanged."""
        return Term(self.column, mirrored(self.operator))

    def to_json(self) -> dict[str, Any]:
        """Return the term as a plain dict."""
        return {"column": self.column, "operator": self.operator}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Term":
        """Return the term that `to_json` was called on."""
        return cls(fields.text(data, "column"), checked_operator(fields.text(data, "operator")))


@dataclass(frozen=True, slots=True)
class POD(Law):
    """`a >, b <= => c <`: if a row's a is larger and its b not larger than another's, its c is smaller."""

    kind: ClassVar[Kind] = "pod"

    lhs: Set[Term]
    rhs: Term

    def __post_init__(self) -> None:
        object.__setattr__(self, "lhs", frozenset(self.lhs))
        seen = {self.rhs.column}
        for term in self._terms():
            refuse_repeated(term.column, seen, self)
            seen.add(term.column)

    @property
    def columns(self) -> Set[str]:
        return {term.column for term in self.lhs} | {self.rhs.column}

    def __str__(self) -> str:
        arrow = f"=> {self.rhs}"
        return f"{', '.join(map(str, self._terms()))} {arrow}" if self.lhs else arrow

    def mirror(self) -> Self:
        return type(self)(frozenset(term.mirror() for term in self.lhs), self.rhs.mirror())

    def canonical(self) -> Self:
        return min(self, self.mirror(), key=POD._directions)

    def implies(self, other: Law) -> bool:
        return isinstance(other, POD) and (self._implies_as_is(other) or self.mirror()._implies_as_is(other))

    def _implies_as_is(self, other: "POD") -> bool:
        return (
            self.rhs.column == other.rhs.column
            and operator_implies(self.rhs.operator, other.rhs.operator)
            and all_implied(other._conditions(), self._conditions())
        )

    def _conditions(self) -> dict[str, Operator]:
        return {term.column: term.operator for term in self.lhs}

    def _terms(self) -> list[Term]:
        return sorted(self.lhs, key=lambda term: (term.column, OPERATORS.index(term.operator)))

    def _directions(self) -> list[int]:
        # The right side decides first: `<`, `<=` and `=` are the canonical operators there.
        return [OPERATORS.index(term.operator) for term in (self.rhs, *self._terms())]

    def _fields(self) -> dict[str, Any]:
        return {"lhs": [term.to_json() for term in self._terms()], "rhs": self.rhs.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        lhs = frozenset(map(Term.from_json, fields.parts(data, "lhs")))
        return cls(lhs, Term.from_json(fields.part(data, "rhs")))

    def _content(self) -> tuple[Any, ...]:
        return ([term.column for term in self._terms()], self.rhs.column, self._directions())
