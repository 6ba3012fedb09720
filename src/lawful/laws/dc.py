"""Denial constraints."""

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import Kind, Law
from lawful.laws.operators import OPERATORS, Operator, all_implied, both, checked_operator, mirrored
from lawful.laws.text import quoted

if TYPE_CHECKING:
    from lawful.laws.pod import POD

Row = Literal["t", "s"]


class Cell(NamedTuple):
    """`t.a`: the value of column a in the first row; `s.a` in the second."""

    row: Row
    column: str

    def __str__(self) -> str:
        return f"{self.row}.{quoted(self.column)}"

    def mirror(self) -> "Cell":
        """Return the cell of the same column in the other row."""
        return Cell("s" if self.row == "t" else "t", self.column)

    def to_json(self) -> dict[str, Any]:
        """Return the cell as a plain dict."""
        return {"row": self.row, "column": self.column}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Cell":
        """Return the cell that `to_json` was called on."""
        row = fields.text(data, "row")
        if row not in ("t", "s"):
            raise LawfulError(f"{row!r} is no row: use t or s")
        return cls("t" if row == "t" else "s", fields.text(data, "column"))


class Comparison(NamedTuple):
    """The two cells that a predicate compares."""

    left: Cell
    right: Cell


@dataclass(frozen=True, slots=True)
class Predicate:
    """`t.a < s.b`: one comparison of a DC and the outcomes it allows.

    A cell of t stands left of one of s, and within one row the smaller column name stands left.
    """

    left: Cell
    operator: Operator
    right: Cell

    def __post_init__(self) -> None:
        checked_operator(self.operator)
        if self.left == self.right:
            raise LawfulError(f"{str(self)!r} compares a value with itself")
        if (self.left.row == "s", self.left.column) > (self.right.row == "s", self.right.column):
            self._exchange_sides()

    def _exchange_sides(self) -> None:
        left, right = self.left, self.right
        object.__setattr__(self, "left", right)
        object.__setattr__(self, "right", left)
        object.__setattr__(self, "operator", mirrored(self.operator))

    @property
    def comparison(self) -> Comparison:
        """What is compared, without the operator."""
        return Comparison(self.left, self.right)

    def __str__(self) -> str:
        return f"{self.left} {self.operator} {self.right}"

    def mirror(self) -> "Predicate":
        """Return the same condition with the two rows exchanged."""
        return Predicate(self.left.mirror(), self.operator, self.right.mirror())

    def to_json(self) -> dict[str, Any]:
        """Return the predicate as a plain dict."""
        return {"left": self.left.to_json(), "operator": self.operator, "right": self.right.to_json()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Predicate":
        """Return the predicate that `to_json` was called on."""
        left, right = fields.part(data, "left"), fields.part(data, "right")
        operator = checked_operator(fields.text(data, "operator"))
        return cls(Cell.from_json(left), operator, Cell.from_json(right))


@dataclass(frozen=True, slots=True)
class DC(Law):
    """`not(t.a = s.a and t.b < s.b)`: no two different rows t and s satisfy all the predicates.

    Predicates on one comparison are merged: `t.a <= s.a and t.a != s.a` is `t.a < s.a`.
    `not()` allows one row at most.
    """

    kind: ClassVar[Kind] = "dc"

    predicates: Set[Predicate]

    def __post_init__(self) -> None:
        object.__setattr__(self, "predicates", frozenset(_merged(self.predicates)))

    @property
    def columns(self) -> Set[str]:
        return {cell.column for predicate in self.predicates for cell in predicate.comparison}

    @property
    def size(self) -> int:
        return len(self.predicates)

    def __str__(self) -> str:
        return f"not({' and '.join(map(str, self._sorted()))})"

    def mirror(self) -> Self:
        return type(self)(frozenset(predicate.mirror() for predicate in self.predicates))

    def canonical(self) -> Self:
        return min(self, self.mirror())

    def implies(self, other: Law) -> bool:
        return isinstance(other, DC) and (
            all_implied(other._conditions(), self._conditions())
            or all_implied(other._conditions(), self.mirror()._conditions())
        )

    @classmethod
    def denying(cls, compared: Mapping[str, Operator]) -> Self:
        """Return the law that no two rows compare so, each column with itself."""
        return cls(
            frozenset(Predicate(Cell("t", name), one, Cell("s", name)) for name, one in compared.items())
        )

    @property
    def context(self) -> frozenset[str]:
        """The columns in which both rows are equal."""
        own = (one for one in self.predicates if one.left.column == one.right.column)
        return frozenset(one.left.column for one in own if one.operator == "=")

    def as_dc(self) -> Self:
        return self

    def as_pod(self) -> "POD | None":
        """Return the POD that says the same, if there is one.

        It compares each column with itself, and at most one by `!=`.
        """
        from lawful.laws.pod import POD  # which knows DCs

        compared = {left.column: operator for (left, _), operator in self._conditions().items()}
        pointwise = all(
            left.column == right.column and left.row != right.row for left, right in self._conditions()
        )
        if not pointwise or [*compared.values()].count("!=") > 1:
            return None
        return POD.denying(compared)

    def _conditions(self) -> dict[Comparison, Operator]:
        return {predicate.comparison: predicate.operator for predicate in self.predicates}

    def _sorted(self) -> list[Predicate]:
        return sorted(self.predicates, key=_predicate_order)

    def _fields(self) -> dict[str, Any]:
        return {"predicates": [predicate.to_json() for predicate in self._sorted()]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        return cls(frozenset(map(Predicate.from_json, fields.parts(data, "predicates"))))

    def _content(self) -> tuple[Any, ...]:
        return tuple(map(_predicate_order, self._sorted()))


def _predicate_order(predicate: Predicate) -> tuple[Any, ...]:
    left, right = predicate.comparison
    rows = (left.row == "s", right.row == "t")
    return (left.column, right.column, rows, OPERATORS.index(predicate.operator))


def _merged(predicates: Iterable[Predicate]) -> Iterable[Predicate]:
    merged: dict[Comparison, Predicate] = {}
    for predicate in sorted(predicates, key=_predicate_order):
        known = merged.setdefault(predicate.comparison, predicate)
        operator = both(known.operator, predicate.operator)
        if operator is None:
            conflict = f"{known} and {predicate}"
            raise LawfulError(f"{conflict!r} is never true: a law that denies it is true of every table")
        merged[predicate.comparison] = Predicate(predicate.left, operator, predicate.right)
    return merged.values()
