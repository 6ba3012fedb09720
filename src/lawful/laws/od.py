"""Set-based bidirectional order dependencies: order compatible and constant."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import Kind, Law, refuse_repeated
from lawful.laws.dc import DC
from lawful.laws.fd import FD
from lawful.laws.operators import Operator
from lawful.laws.text import braced, quoted


@dataclass(frozen=True, slots=True)
class OD(Law):
    """`{c}: a asc ~ b asc`: among rows that agree on c, no two have a and b in opposite order.

    With `b desc`: no two have a and b in the same order. Exchanging a and b, or both directions, does not
    change the meaning, so the smaller name stands on the left and is ascending.
    """

    kind: ClassVar[Kind] = "od"

    context: Set[str]
    left: str
    right: str
    descending: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", frozenset(self.context))
        first, second = sorted((self.left, self.right))
        object.__setattr__(self, "left", first)
        object.__setattr__(self, "right", second)
        refuse_repeated(self.left, self.context | {self.right}, self)
        refuse_repeated(self.right, self.context, self)

    @property
    def columns(self) -> Set[str]:
        return self.context | {self.left, self.right}

    @property
    def direction(self) -> str:
        """The direction of the right column while the left one ascends: asc or desc."""
        return "desc" if self.descending else "asc"

    def __str__(self) -> str:
        return f"{braced(self.context)}: {quoted(self.left)} asc ~ {quoted(self.right)} {self.direction}"

    def implies(self, other: Law) -> bool:
        return isinstance(other, OD) and self._sides() == other._sides() and self.context <= other.context

    def as_dc(self) -> DC:
        """Return the DC that says the same, with t before s in the left column."""
        sides: dict[str, Operator] = {self.left: "<", self.right: "<" if self.descending else ">"}
        return DC.denying({**dict.fromkeys(self.context, "="), **sides})

    def _sides(self) -> tuple[str, str, bool]:
        return (self.left, self.right, self.descending)

    def _fields(self) -> dict[str, Any]:
        return {
            "context": sorted(self.context),
            "left": self.left,
            "right": self.right,
            "direction": self.direction,
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        direction = fields.text(data, "direction")
        if direction not in ("asc", "desc"):
            raise LawfulError(f"{direction!r} is no direction: use asc or desc")
        left, right = fields.text(data, "left"), fields.text(data, "right")
        return cls(fields.texts(data, "context"), left, right, direction == "desc")

    def _content(self) -> tuple[Any, ...]:
        return (sorted(self.context), self._sides())


@dataclass(frozen=True, slots=True)
class ConstantOD(Law):
    """`{a, b}: [] -> c`: c is constant among rows that agree on a and b; the FD `{a, b} -> c` as an OD."""

    kind: ClassVar[Kind] = "od"

    context: Set[str]
    column: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "context", frozenset(self.context))
        refuse_repeated(self.column, self.context, self)

    def to_fd(self) -> FD:
        """Return the FD that says the same."""
        return FD(self.context, self.column)

    @property
    def columns(self) -> Set[str]:
        return self.context | {self.column}

    def __str__(self) -> str:
        return f"{braced(self.context)}: [] -> {quoted(self.column)}"

    def implies(self, other: Law) -> bool:
        return isinstance(other, ConstantOD) and self.to_fd().implies(other.to_fd())

    def as_dc(self) -> DC:
        return self.to_fd().as_dc()

    def _fields(self) -> dict[str, Any]:
        return {"context": sorted(self.context), "constant": self.column}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(fields.texts(data, "context"), fields.text(data, "constant"))

    def _content(self) -> tuple[Any, ...]:
        return (sorted(self.context), self.column)
