"""Functional dependencies."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from lawful.laws import fields
from lawful.laws.base import Kind, Law, refuse_repeated
from lawful.laws.dc import DC
from lawful.laws.text import braced, quoted


@dataclass(frozen=True, slots=True)
class FD(Law):
    """`{a, b} -> c`: rows that agree on a and b agree on c. `{} -> c` says that c is constant."""

    kind: ClassVar[Kind] = "fd"

    lhs: Set[str]
    rhs: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "lhs", frozenset(self.lhs))
        refuse_repeated(self.rhs, self.lhs, self)

    @property
    def columns(self) -> Set[str]:
        return self.lhs | {self.rhs}

    def __str__(self) -> str:
        return f"{braced(self.lhs)} -> {quoted(self.rhs)}"

    def implies(self, other: Law) -> bool:
        return isinstance(other, FD) and self.rhs == other.rhs and self.lhs <= other.lhs

    def as_dc(self) -> DC:
        return DC.denying({**dict.fromkeys(self.lhs, "="), self.rhs: "!="})

    def _fields(self) -> dict[str, Any]:
        return {"lhs": sorted(self.lhs), "rhs": self.rhs}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(fields.texts(data, "lhs"), fields.text(data, "rhs"))

    def _content(self) -> tuple[Any, ...]:
        return (sorted(self.lhs), self.rhs)
