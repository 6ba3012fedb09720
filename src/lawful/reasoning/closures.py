"""What functional dependencies and keys determine: the closure of a set of columns (Armstrong's axioms)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.laws import Law
from lawful.words import bit_set, members_of, words_for

Columns = frozenset[str]
Flags = npt.NDArray[np.bool_]
GIVEN = -1  # the dependency that a column is owed to, where it was there from the start


class Dependency(NamedTuple):
    """Rows that agree on the left columns agree on the right ones, by a law."""

    law: Law
    lhs: Columns
    rhs: Columns


class Closures:
    """Closures under some dependencies, which are bit sets: a million of them take milliseconds."""

    def __init__(self, names: Sequence[str], dependencies: Sequence[Dependency]) -> None:
        self.names, self.dependencies = tuple(names), tuple(dependencies)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._words = words_for(len(self.names))
        self._lhs = self._sets(one.lhs for one in self.dependencies)
        self._rhs = self._sets(one.rhs for one in self.dependencies)
        self._known: dict[Columns, Columns] = {}

    def closure(self, columns: Iterable[str]) -> Columns:
        """All columns that the given ones determine, themselves among them."""
        given = frozenset(columns)
        if given not in self._known:
            self._known[given] = frozenset(self._owed(given, self.all_of_them))
        return self._known[given]

    def without(self, columns: Columns, used: Flags) -> Columns:
        """The closure under some of the dependencies only."""
        return frozenset(self._owed(columns, used))

    def split_up(self) -> Iterator[tuple[Columns, str]]:
        """Each dependency with one column on the right, and nothing that it says of its own left side."""
        for _, lhs, rhs in self.dependencies:
            yield from ((lhs, column) for column in in_order(rhs - lhs, self.names))

    @property
    def all_of_them(self) -> Flags:
        """A flag for each dependency, set."""
        return np.ones(len(self.dependencies), np.bool_)

    def laws_between(self, given: Columns, wanted: Columns) -> list[Law]:
        """Laws by which the given columns determine those that are wanted, each law once."""
        owed = self._owed(given, self.all_of_them)
        used: dict[int, None] = {}
        left = [name for name in self.names if name in wanted]
        while left:
            number = owed[left.pop()]
            if number != GIVEN and number not in used:
                used[number] = None
                left += self.dependencies[number].lhs
        return [self.dependencies[number].law for number in sorted(used)]

    def steps_from(self, known: Columns) -> Iterator[Dependency]:
        """The dependencies by which columns determine others."""
        here = self._set(known)
        apply = ~(self._lhs & ~here).any(axis=1) & (self._rhs & ~here).any(axis=1)
        return (self.dependencies[number] for number in np.flatnonzero(apply).tolist())

    def _owed(self, columns: Columns, used: Flags) -> dict[str, int]:
        """For each column of the closure the dependency that it is owed to."""
        owed, known, left = dict.fromkeys(columns, GIVEN), self._set(columns), used.copy()
        while True:
            apply = left & ~(self._lhs & ~known).any(axis=1)
            left &= ~apply
            new = apply & (self._rhs & ~known).any(axis=1)
            if not new.any():
                return owed
            for number in np.flatnonzero(new).tolist():
                for place in members_of(self._rhs[number] & ~known).tolist():
                    owed[self.names[place]] = number
                known = known | self._rhs[number]

    def _sets(self, sets: Iterable[Columns]) -> npt.NDArray[np.uint64]:
        lines = [self._set(columns) for columns in sets]
        return np.array(lines, np.uint64).reshape(len(lines), self._words)

    def _set(self, columns: Iterable[str]) -> npt.NDArray[np.uint64]:
        members = np.array([self._places[name] for name in columns], np.int64)
        return bit_set(members, self._words)


def in_order(columns: Iterable[str], names: Sequence[str]) -> tuple[str, ...]:
    """Columns in the order of the table."""
    wanted = frozenset(columns)
    return tuple(name for name in names if name in wanted)
