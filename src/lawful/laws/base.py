"""What every kind of law offers."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Set
from functools import total_ordering
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self, get_args

from lawful.errors import LawfulError

if TYPE_CHECKING:
    from lawful.laws.dc import DC

Kind = Literal["key", "fd", "od", "pod", "dc"]

KINDS: tuple[Kind, ...] = get_args(Kind)


@total_ordering
class Law(ABC):
    """A statement about all pairs of different rows of a table.

    Laws are immutable and hashable; equal laws are equal objects. They sort by size, then by kind, then by
    what they say. Of the FDs, ODs and PODs one that repeats a column, such as `{a} -> a`, is refused: it says
    nothing, or there is a simpler law that says the same.
    """

    __slots__ = ()

    kind: ClassVar[Kind]
    rows_against: ClassVar[Callable[..., Any]]  # `lawful.violations`, which the front names here

    @property
    @abstractmethod
    def columns(self) -> Set[str]:
        """All columns that the law speaks of."""

    @property
    def size(self) -> int:
        """The number of attributes that the law speaks of; of a POD or DC the number of its predicates."""
        return len(self.columns)

    @abstractmethod
    def __str__(self) -> str:
        """Return the text form, which `lawful.laws.parse` reads back."""

    @abstractmethod
    def implies(self, other: "Law") -> bool:
        """Tell whether `other` holds on every table that this law holds on, by the logic of one kind alone.

        Laws of different kinds do not imply each other here.
        """

    @abstractmethod
    def as_dc(self) -> "DC":
        """Return the DC that says the same."""

    @abstractmethod
    def _fields(self) -> dict[str, Any]:
        """Return what `from_json` needs."""

    @classmethod
    @abstractmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the law that `to_json` was called on; `lawful.laws.from_json` picks the class."""

    @abstractmethod
    def _content(self) -> tuple[Any, ...]:
        """Return what orders laws of the same size and class."""

    def to_json(self) -> dict[str, Any]:
        """Return a plain dict: the kind, the text and the parts of the law."""
        return {"kind": self.kind, "text": str(self), **self._fields()}

    def violations(self, source: Any, **how: Any) -> Any:
        """Return all rows of a table that break the law, as `lawful.violations` does."""
        return Law.rows_against(source, self, **how)

    def mirror(self) -> Self:
        """Return the law with the two rows exchanged, which holds on the same tables."""
        return self

    def canonical(self) -> Self:
        """Return the one of the law and its mirror image that stands for both."""
        return self

    def __lt__(self, other: object) -> bool:
        if not isinstance(other, Law):
            return NotImplemented
        return self.sort_key() < other.sort_key()

    def sort_key(self) -> tuple[Any, ...]:
        """Return what laws sort by: `sorted(laws, key=Law.sort_key)` is the fast way for many of them."""
        return (self.size, KINDS.index(self.kind), self._content())


def refuse_repeated(column: str, columns: Set[str], law: object) -> None:
    """Raise if `column` occurs among `columns`, the other columns of `law`."""
    if column in columns:
        raise LawfulError(f"{column!r} occurs twice in {str(law)!r}: a column may occur once")
