"""What follows from some laws, whatever the table."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from lawful.laws import DC, FD, OD, POD, Key, Law
from lawful.laws.equivalents import simpler_form
from lawful.laws.implication import follows
from lawful.reasoning.closures import Closures, Columns, Dependency
from lawful.reasoning.order_axioms import OrderAxioms, Proof


@dataclass(frozen=True)
class Theory:
    """Laws over the columns of a table; PODs and DCs that state a key, an FD or an OD count as such."""

    names: tuple[str, ...]
    laws: tuple[Law, ...]
    nulls_equal: bool = True  # whether two values always have an order, NULLs too

    @classmethod
    def of(cls, names: Sequence[str], laws: Iterable[Law], nulls_equal: bool = True) -> Theory:
        """What follows from these laws."""
        return cls(tuple(names), tuple(dict.fromkeys(simpler_form(law) or law for law in laws)), nulls_equal)

    def closure(self, columns: Iterable[str]) -> Columns:
        """All columns that the given ones determine, themselves among them."""
        return self.closures.closure(columns)

    def implies(self, law: Law) -> bool:
        """Tell whether a law follows; False means that it does not, as far as is known."""
        return self.proof(law) is not None

    def proof(self, law: Law) -> Proof | None:
        """The laws that a law follows from; None if it does not follow."""
        simple = simpler_form(law) or law
        found = self._simple_proof(simple)
        return self._denial(simple) if found is None and self._denials else found

    def is_key(self, columns: Columns) -> bool:
        """Whether no two rows agree on the columns."""
        closed = self.closure(columns)
        return any(law.columns <= closed for law in self._keys)

    @cached_property
    def closures(self) -> Closures:
        """Of the keys and FDs."""
        return Closures(self.names, [*self._dependencies()])

    @cached_property
    def orders(self) -> OrderAxioms:
        """Of the ODs."""
        ods = [law for law in self.laws if isinstance(law, OD)]
        return OrderAxioms(self.closures, ods, chains=self.nulls_equal)

    @cached_property
    def _keys(self) -> Collection[Key]:
        return [law for law in self.laws if isinstance(law, Key)]

    def _dependencies(self) -> Iterator[Dependency]:
        for law in self.laws:
            if isinstance(law, Key):
                yield Dependency(law, frozenset(law.columns), frozenset(self.names))
            elif isinstance(law, FD):
                yield Dependency(law, frozenset(law.lhs), frozenset([law.rhs]))

    @cached_property
    def _denials(self) -> Collection[Law]:
        """Laws that state nothing simpler."""
        return [law for law in self.laws if isinstance(law, POD | DC)]

    def _simple_proof(self, law: Law) -> Proof | None:
        match law:
            case Key():
                return self._key(law)
            case FD():
                return self._fd(law)
            case OD():
                return self.orders.proof(law)
        return None

    def _key(self, law: Key) -> Proof | None:
        given, closed = frozenset(law.columns), self.closure(law.columns)
        own = next((key for key in self._keys if key.columns <= closed), None)
        if own is None:
            return None
        return tuple(dict.fromkeys([*self.closures.laws_between(given, frozenset(own.columns)), own]))

    def _fd(self, law: FD) -> Proof | None:
        given, wanted = frozenset(law.lhs), frozenset([law.rhs])
        return tuple(self.closures.laws_between(given, wanted)) if wanted <= self.closure(given) else None

    def _denial(self, law: Law) -> Proof | None:
        """The proof by denial constraints: by one law, or by several together."""
        about = [own for own in self._denials if own.columns <= law.columns]
        if not about:
            return None
        wanted = law.as_dc()
        for own in about:
            if own.as_dc().implies(wanted):
                return (own,)
        known = [own for own in self.laws if own.columns <= law.columns]
        ordered = frozenset(self.names if self.nulls_equal else ())
        return tuple(known) if follows(wanted, (own.as_dc() for own in known), ordered) else None
