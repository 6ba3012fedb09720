"""Set-based bidirectional order dependencies that say that columns are order compatible.

Those that say that one is constant are FDs.
"""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import Kind, Law, refuse_repeated
from lawful.laws.dc import DC
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
