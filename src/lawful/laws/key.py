"""Keys."""

from collections.abc import Mapping, Set
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from lawful.laws import fields
from lawful.laws.base import Kind, Law
from lawful.laws.dc import DC
from lawful.laws.text import braced


@dataclass(frozen=True, slots=True)
class Key(Law):
    """`key {a, b}`: no two rows agree on all the columns. `key {}` allows one row at most."""

    kind: ClassVar[Kind] = "key"

    columns: Set[str]

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", frozenset(self.columns))

    def __str__(self) -> str:
        return f"key {braced(self.columns)}"

    def implies(self, other: Law) -> bool:
        return isinstance(other, Key) and self.columns <= other.columns

    def as_dc(self) -> DC:
        return DC.denying(dict.fromkeys(self.columns, "="))

    def _fields(self) -> dict[str, Any]:
        return {"columns": sorted(self.columns)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(fields.texts(data, "columns"))

    def _content(self) -> tuple[Any, ...]:
        return tuple(sorted(self.columns))
