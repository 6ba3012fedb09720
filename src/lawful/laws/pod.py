"""Pointwise order dependencies."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import Kind, Law, refuse_repeated
from lawful.laws.dc import DC
from lawful.laws.operators import OPERATORS, Operator, all_implied, checked_operator, denied, mirrored
from lawful.laws.text import quoted

# Right sides that people prefer: equality, then the strictest.
_PREFERENCE: tuple[tuple[Operator, ...], ...] = (("=",), ("<", ">"), ("<=", ">="))


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


class PodReading(NamedTuple):
    """One way to read a POD: if the left side, then the right one; without a right side, never the left."""

    lhs: frozenset[Term]
    rhs: Term | None = None

    def terms(self) -> list[Term]:
        """The left side in order."""
        return sorted(self.lhs, key=lambda term: (term.column, OPERATORS.index(term.operator)))

    def __str__(self) -> str:
        arrow = f"=> {'never' if self.rhs is None else self.rhs}"
        return f"{', '.join(map(str, self.terms()))} {arrow}" if self.lhs else arrow


@dataclass(frozen=True, slots=True)
class POD(Law):
    """`a >, b <= => c <`: if a row's a is larger and its b not larger than another's, its c is smaller.

    That is: `a >`, `b <=` and the denial of `c <`, which is `c >=`, never come together. `a >, c >= => b >`
    and `b <=, c >= => a <=` say the same, so they are the same law, kept as the reading that people prefer.
    Where a value has no order, as with a NULL that is distinct from everything, neither `c <` nor `c >=` is
    true. `a =, b = => never` has nothing on the right: the denial of `=` is `!=`, which no term has.
    """

    kind: ClassVar[Kind] = "pod"

    lhs: Set[Term]
    rhs: Term | None = None

    def __post_init__(self) -> None:
        given, seen = PodReading(frozenset(self.lhs), self.rhs), set[str]()
        for term in [*given.terms(), *([] if self.rhs is None else [self.rhs])]:
            refuse_repeated(term.column, seen, given)
            seen.add(term.column)
        object.__setattr__(self, "lhs", given.lhs)  # of what all readings are made
        preferred = self.readings()[0]
        object.__setattr__(self, "lhs", preferred.lhs)
        object.__setattr__(self, "rhs", preferred.rhs)

    @property
    def columns(self) -> Set[str]:
        return {*self.denied()}

    def denied(self) -> dict[str, Operator]:
        """How columns never compare all at once: those of the left side, and the denial of the right one."""
        compared = {term.column: term.operator for term in self.lhs}
        return compared if self.rhs is None else {**compared, self.rhs.column: denied(self.rhs.operator)}

    @classmethod
    def denying(cls, compared: Mapping[str, Operator]) -> Self:
        """Return the POD that says that columns never compare so, all at once."""
        right = next((name for name, operator in compared.items() if operator == "!="), None)
        lhs = frozenset(Term(name, operator) for name, operator in compared.items() if name != right)
        return cls(lhs, None if right is None else Term(right, "="))

    def readings(self) -> list[PodReading]:
        """Return every way to read the law, the preferred one first."""
        compared = self.denied()
        different = [name for name, operator in compared.items() if operator == "!="]
        rights = different or [name for name, operator in compared.items() if operator != "="]
        found = [
            PodReading(
                frozenset(Term(other, operator) for other, operator in compared.items() if other != name),
                Term(name, denied(compared[name])),
            )
            for name in sorted(rights, reverse=True)
        ]
        return sorted(found, key=_preference) or [PodReading(frozenset(self.lhs))]

    def as_dc(self) -> DC:
        return DC.denying(self.denied())

    def __str__(self) -> str:
        return str(self._reading())

    def mirror(self) -> Self:
        rhs = None if self.rhs is None else self.rhs.mirror()
        return type(self)(frozenset(term.mirror() for term in self.lhs), rhs)

    def canonical(self) -> Self:
        return min(self, self.mirror(), key=POD._directions)

    def implies(self, other: Law) -> bool:
        return isinstance(other, POD) and (
            all_implied(other.denied(), self.denied()) or all_implied(other.denied(), self.mirror().denied())
        )

    def _reading(self) -> PodReading:
        return PodReading(frozenset(self.lhs), self.rhs)

    def _directions(self) -> list[int]:
        # The right side decides first: `<`, `<=` and `=` are the canonical operators there.
        right = [] if self.rhs is None else [self.rhs]
        return [OPERATORS.index(term.operator) for term in (*right, *self._reading().terms())]

    def _fields(self) -> dict[str, Any]:
        rhs = None if self.rhs is None else self.rhs.to_json()
        return {"lhs": [term.to_json() for term in self._reading().terms()], "rhs": rhs}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        lhs = frozenset(map(Term.from_json, fields.parts(data, "lhs")))
        rhs = fields.part_or_nothing(data, "rhs")
        return cls(lhs, None if rhs is None else Term.from_json(rhs))

    def _content(self) -> tuple[Any, ...]:
        right = "" if self.rhs is None else self.rhs.column
        return ([term.column for term in self._reading().terms()], right, self._directions())


def _preference(reading: PodReading) -> int:
    """The place of a reading with a right side among others."""
    return next(
        place
        for place, operators in enumerate(_PREFERENCE)
        if reading.rhs is not None and reading.rhs.operator in operators
    )
