"""Every law as a denial: what no two different rows t and s may be, by what is done with it.

The columns in which both are equal are its context; the other conditions are `Literals`, without one that t
and s are different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lawful.errors import LawfulError
from lawful.laws import DC, FD, OUTCOMES, POD, ConstantOD, Key, Law, Operator, Predicate
from lawful.laws.comparisons import (
    ACROSS,
    EQUAL,
    GREATER,
    IN_FIRST,
    IN_SECOND,
    LESS,
    UNEQUAL,
    Comparisons,
    Crossing,
    Ints,
)
from lawful.table.column_names import unknown_columns
from lawful.table.columns import Column
from lawful.validate.dc_literals import DIFFERENCE, ROW, TESTS, Literals
from lawful.validate.dc_matching import literals_of
from lawful.words import Words

Lines = Sequence[tuple[int, ...]]
_OUTCOME_BITS = {"<": LESS, "=": EQUAL, ">": GREATER}


@dataclass(frozen=True)
class Denial:
    """What a law denies of the rows of a table."""

    context: tuple[int, ...]
    literals: Literals
    possible: bool = True  # False: no pair of rows of any table can be so
    directed: bool = True  # its pairs are (t, s), as with PODs and DCs; else they have no order
    symmetric: bool = False  # whoever breaks it as t does so as s: keys and FDs

    @property
    def between_rows(self) -> Literals:
        """The literals with a test that t and s are different rows, unless another test says so."""
        tests = self.literals.tests
        apart = (tests[:, 0] == tests[:, 1]) & ((tests[:, 2] == DIFFERENCE) | (tests[:, 3] == 1))
        if apart.any():
            return self.literals
        sizes = self.literals.sizes.copy()
        sizes[TESTS] += 1
        line = np.array([[ROW, ROW, DIFFERENCE, 0]], np.int64)
        return self.literals._replace(tests=np.concatenate([tests, line]), sizes=sizes)

    def mirrored(self) -> Denial:
        """The same with t and s exchanged."""
        filters, joins, tests, sizes = self.literals
        kinds = np.where(filters[:, :1] == IN_FIRST, IN_SECOND, IN_FIRST)
        literals = Literals(
            np.hstack([kinds, filters[:, 1:]]),
            joins[:, ::-1].copy(),
            np.column_stack([tests[:, 1], tests[:, 0], -tests[:, 2], tests[:, 3]]),
            sizes,
        )
        return replace(self, literals=literals)


def require_columns_of(laws: Sequence[Law], names: Sequence[str]) -> None:
    """Raise for all columns that laws speak of and that a table lacks."""
    known = {*names}
    lacking = [law for law in laws if not law.columns <= known]
    if lacking:
        missing = sorted({name for law in lacking for name in law.columns} - known)
        which = f"{str(laws[0])!r}" if len(laws) == 1 else f"{len(lacking):,} of {len(laws):,} laws"
        raise LawfulError(f"{which} cannot be checked: {unknown_columns(missing, names)}")


def denial_of(law: Law, columns: Sequence[Column]) -> Denial:
    """What a law denies, over the columns of a table; a missing one is an error."""
    names = [column.name for column in columns]
    require_columns_of([law], names)
    numbers = {name: number for number, name in enumerate(names)}
    ordered = {column.name for column in columns if column.ordered}
    conditions = [
        one.without_order() if one.names - ordered else one for one in map(_Condition, law.as_dc().predicates)
    ]
    return Denial(
        _context(conditions, numbers),
        _literals(conditions, numbers),
        possible=all(one.operator is not None for one in conditions),
        directed=isinstance(law, POD | DC),
        symmetric=isinstance(law, Key | FD | ConstantOD),
    )


def denial_of_set(members: Words, comparisons: Comparisons) -> Denial:
    """What a set of atoms denies, if it does not exclude all outcomes of a comparison."""
    context, filters, joins, tests = [], [], [], []
    for kind, left, right, excluded in literals_of(members, comparisons).tolist():
        if kind != ACROSS:
            filters.append((kind, left, right, excluded))
        elif excluded == UNEQUAL and left == right:
            context.append(left)
        elif excluded == UNEQUAL:
            joins.append((left, right))
        elif excluded == EQUAL:
            tests.append((left, right, int(DIFFERENCE), 0))
        else:
            tests.append((left, right, 1 if excluded & GREATER else -1, int(excluded & EQUAL > 0)))
    return Denial(tuple(sorted(context)), _as_literals(filters, joins, tests))


def crossings_of(laws: Iterable[Law], columns: Sequence[Column]) -> list[Crossing]:
    """The columns that laws compare with each other; those of types that do not compare are an error."""
    numbers = {column.name: number for number, column in enumerate(columns)}
    found = set()
    for law in laws:
        for predicate in law.as_dc().predicates:
            left, right = sorted(numbers[cell.column] for cell in predicate.comparison)
            if left != right:
                _check_types(law, columns[left], columns[right])
                found.add(Crossing(left, right, ordered=True))
    return sorted(found)


def _check_types(law: Law, left: Column, right: Column) -> None:
    types = {left.type, right.type} - {"null"}
    alike = len(types) < 2 or types <= {"integer", "decimal", "float"} or types <= {"date", "timestamp"}
    if not alike or "category" in types:
        compared = f"{left.name!r} is {left.type}, {right.name!r} is {right.type}"
        raise LawfulError(f"{str(law)!r} compares columns of different types ({compared}): --type decides")


@dataclass(frozen=True)
class _Condition:
    """A predicate; `operator` is another one where a column has no order, None where it is never true."""

    predicate: Predicate
    changed: tuple[Operator | None] | None = None

    @property
    def names(self) -> set[str]:
        return {cell.column for cell in self.predicate.comparison}

    @property
    def operator(self) -> Operator | None:
        return self.predicate.operator if self.changed is None else self.changed[0]

    @property
    def is_context(self) -> bool:
        """Whether it says that a column is equal in both rows."""
        left, right = self.predicate.comparison
        return self.operator == "=" and left.column == right.column

    def without_order(self) -> _Condition:
        """What is left where values are equal or differ, but are neither less nor greater."""
        weaker: dict[str, Operator | None] = {"<": None, ">": None, "<=": "=", ">=": "="}
        operator = self.predicate.operator
        return _Condition(self.predicate, (weaker.get(operator, operator),))


def _context(conditions: Sequence[_Condition], numbers: Mapping[str, int]) -> tuple[int, ...]:
    own = (one for one in conditions if one.is_context)
    return tuple(sorted(numbers[one.predicate.left.column] for one in own))


def _literals(conditions: Sequence[_Condition], numbers: Mapping[str, int]) -> Literals:
    filters, joins, tests = [], [], []
    for one in conditions:
        first, second = one.predicate.comparison
        left, right = numbers[first.column], numbers[second.column]
        if one.operator is None or one.is_context:
            continue
        if first.row == second.row:
            which = IN_FIRST if first.row == "t" else IN_SECOND
            filters.append((which, left, right, _excluded(one.operator)))
        elif one.operator == "=":
            joins.append((left, right))
        else:
            tests.append((left, right, *_DIRECTIONS[one.operator]))
    return _as_literals(filters, joins, tests)


def _as_literals(filters: Lines, joins: Lines, tests: Lines) -> Literals:
    sizes = np.array([len(filters), len(joins), len(tests)], np.int64)
    return Literals(_lines(filters, 4), _lines(joins, 2), _lines(sorted(tests), 4), sizes)


_DIRECTIONS: dict[Operator, tuple[int, int]] = {
    "<": (1, 1),
    "<=": (1, 0),
    ">": (-1, 1),
    ">=": (-1, 0),
    "!=": (int(DIFFERENCE), 0),
}


def _excluded(operator: Operator) -> int:
    return sum(bit for outcome, bit in _OUTCOME_BITS.items() if outcome not in OUTCOMES[operator])


def _lines(lines: Lines, width: int) -> Ints:
    return np.array(lines, np.int64).reshape(-1, width)
