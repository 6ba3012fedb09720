"""Every law as a denial: what no two different rows t and s may be, by what is done with it.

The columns in which both are equal are its context; the other conditions are `Literals`, without one that t
and s are different rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from lawful.errors import LawfulError
from lawful.laws import DC, FD, POD, Key, Law, Predicate
from lawful.laws.codec import EXCLUDED
from lawful.laws.comparisons import (
    ACROSS,
    EQUAL,
    GREATER,
    IN_FIRST,
    IN_SECOND,
    UNEQUAL,
    Comparisons,
    Crossing,
    Ints,
)
from lawful.table.column_names import unknown_columns
from lawful.table.columns import Column
from lawful.table.kinds import MOMENTS, NUMBERS
from lawful.validate.dc_literals import DIFFERENCE, ROW, TESTS, Literals
from lawful.validate.dc_matching import literals_of
from lawful.validate.probe_literals import NEVER_TRUE
from lawful.words import Words

Line = tuple[int, int, int, int]


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
    lines = [_line(one, numbers, columns) for one in law.as_dc().predicates]
    denial = _denied(line for line in lines if line[-1] != NEVER_TRUE)
    return replace(
        denial,
        possible=all(line[-1] != NEVER_TRUE for line in lines),
        directed=isinstance(law, POD | DC),
        symmetric=isinstance(law, Key | FD),
    )


def _line(predicate: Predicate, numbers: Mapping[str, int], columns: Sequence[Column]) -> Line:
    """A predicate as `literals_of` has it; without order, what excludes a difference is equality."""
    first, second = predicate.comparison
    left, right = numbers[first.column], numbers[second.column]
    excluded = EXCLUDED[predicate.operator]
    if excluded & UNEQUAL and not (columns[left].ordered and columns[right].ordered):
        excluded |= UNEQUAL
    kind = ACROSS if first.row != second.row else IN_FIRST if first.row == "t" else IN_SECOND
    return kind, left, right, excluded


def denial_of_set(members: Words, comparisons: Comparisons) -> Denial:
    """What a set of atoms denies, if it does not exclude all outcomes of a comparison."""
    return _denied(literals_of(members, comparisons).tolist())


def _denied(lines: Iterable[Line]) -> Denial:
    """What literals deny that are lines of kind, left column, right column and excluded outcomes."""
    context, filters, joins, tests = [], list[Line](), [], list[Line]()
    for kind, left, right, excluded in lines:
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
    sizes = np.array([len(filters), len(joins), len(tests)], np.int64)
    literals = Literals(_lines(filters, 4), _lines(joins, 2), _lines(sorted(tests), 4), sizes)
    return Denial(tuple(sorted(context)), literals)


def _lines(lines: Sequence[tuple[int, ...]], width: int) -> Ints:
    return np.array(lines, np.int64).reshape(-1, width)


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
    alike = len(types) < 2 or types <= {*NUMBERS} or types <= {*MOMENTS}
    if not alike or "category" in types:
        compared = f"{left.name!r} is {left.type}, {right.name!r} is {right.type}"
        raise LawfulError(f"{str(law)!r} compares columns of different types ({compared}): --type decides")
