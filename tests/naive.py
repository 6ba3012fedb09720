"""The oracle: what each law means, by all pairs of rows and all sets of columns.

Slow and obvious, for tables of a few columns and some dozens of rows. Every fast path in lawful is compared
with these functions; where they differ, this file is right.

A law speaks of pairs of *different* rows. So every law holds on a table of one row or none, even the empty
ones: there the minimal key is `key {}`, the minimal DC is `not()`, and the minimal FDs are `{} -> a`.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations, permutations, product
from typing import Literal, TypeVar

import pyarrow as pa

from lawful.laws import (
    DC,
    FD,
    OD,
    OPERATORS,
    OUTCOMES,
    POD,
    Cell,
    ConstantOD,
    Key,
    Law,
    Operator,
    PodReading,
    Predicate,
    Term,
)

Nulls = Literal["equal", "distinct"]
Sign = Literal["<", "=", ">", "!="]
CrossColumns = tuple[Literal["ts", "tt", "ss"], str, str]
SomeLaw = TypeVar("SomeLaw", bound=Law)
DENIED: dict[Operator, Operator] = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}


@dataclass(frozen=True)
class Table:
    """Rows of Python values, None for NULL.

    `ordered` says for each column whether its values have an order (all have if not given). `nulls` says what
    NULL is: "equal" to itself and smaller than everything else, or "distinct" from everything, itself
    included, and without order. NaN equals itself and is larger than every number; -0.0 equals 0.0.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[object, ...]]
    ordered: Sequence[bool] | None = None
    nulls: Nulls = "equal"

    @classmethod
    def from_arrow(cls, table: pa.Table) -> "Table":
        """Return the same table; its columns have an order unless their values are lists or structures."""
        ordered = [not pa.types.is_nested(field.type) for field in table.schema]
        rows = list(zip(*(column.to_pylist() for column in table.columns), strict=True))
        return cls(table.column_names, rows, ordered)

    def is_ordered(self, column: str) -> bool:
        """Tell whether the values of a column have an order."""
        return self.ordered is None or self.ordered[self.columns.index(column)]

    def value(self, row: int, column: str) -> object:
        """Return one value."""
        return self.rows[row][self.columns.index(column)]

    @cached_property
    def signs(self) -> dict[str, list[list[Sign]]]:
        """How each row compares with each row in every column: looked up again and again."""
        rows = range(len(self.rows))
        return {
            column: [[_compare(self, (t, column), (s, column)) for s in rows] for t in rows]
            for column in self.columns
        }


def sign(table: Table, column: str, t: int, s: int) -> Sign:
    """Return how row t compares with row s in one column."""
    return table.signs[column][t][s]


def _compare(table: Table, left: tuple[int, str], right: tuple[int, str]) -> Sign:
    """Return how two values compare: "!=" if they differ and no order is defined between them."""
    first, second = table.value(*left), table.value(*right)
    if table.nulls == "distinct" and (first is None or second is None):
        return "!="
    first_place, second_place = _place(first), _place(second)
    if first_place == second_place:
        return "="
    if not (table.is_ordered(left[1]) and table.is_ordered(right[1])):
        return "!="
    return "<" if first_place < second_place else ">"


def _place(value: object) -> tuple[object, ...]:
    """Return a key that sorts NULL first and NaN last."""
    if value is None:
        return (0,)
    if isinstance(value, float) and math.isnan(value):
        return (2,)
    return (1, value)


# What it means that a pair of rows breaks a law.


def _breaks(law: Law, table: Table, t: int, s: int) -> bool:
    match law:
        case Key():
            return _agree(table, law.columns, t, s)
        case FD():
            return _is_split(law, table, t, s)
        case ConstantOD():
            return _is_split(law.to_fd(), table, t, s)
        case OD():
            return _agree(table, law.context, t, s) and _is_swap(law, table, t, s)
        case POD():
            return breaks_reading(PodReading(frozenset(law.lhs), law.rhs), table, t, s)
        case DC():
            return all(_predicate_holds(predicate, table, t, s) for predicate in law.predicates)
    raise TypeError(f"no definition for {law!r}")


def _agree(table: Table, columns: Iterable[str], t: int, s: int) -> bool:
    return all(sign(table, column, t, s) == "=" for column in columns)


def _is_split(law: FD, table: Table, t: int, s: int) -> bool:
    """The same on the left, not the same on the right."""
    return _agree(table, law.lhs, t, s) and not _agree(table, [law.rhs], t, s)


def _is_swap(law: OD, table: Table, t: int, s: int) -> bool:
    """Sorting the two rows by one side puts the other side in the wrong order."""
    swaps = [("<", "<"), (">", ">")] if law.descending else [("<", ">"), (">", "<")]
    return (sign(table, law.left, t, s), sign(table, law.right, t, s)) in swaps


def breaks_reading(reading: PodReading, table: Table, t: int, s: int) -> bool:
    """The left side is true, and so is the denial of the right one, if there is one."""
    right = reading.rhs
    return all(_term_holds(term, table, t, s) for term in reading.lhs) and (
        right is None or _satisfies(sign(table, right.column, t, s), DENIED[right.operator])
    )


def _term_holds(term: Term, table: Table, t: int, s: int) -> bool:
    return _satisfies(sign(table, term.column, t, s), term.operator)


def _predicate_holds(predicate: Predicate, table: Table, t: int, s: int) -> bool:
    row_number = {"t": t, "s": s}
    left, right = predicate.left, predicate.right
    first, second = row_number[left.row], row_number[right.row]
    if left.column == right.column:
        return _satisfies(sign(table, left.column, first, second), predicate.operator)
    return _satisfies(_compare(table, (first, left.column), (second, right.column)), predicate.operator)


def _satisfies(outcome: Sign, operator: Operator) -> bool:
    return operator == "!=" if outcome == "!=" else outcome in OUTCOMES[operator]


# Holding, violations, error.


def holds(law: Law, table: Table) -> bool:
    """Tell whether no pair of rows breaks the law."""
    return next(_violations(law, table), None) is None


def violations(law: Law, table: Table) -> set[tuple[int, int]]:
    """Return the pairs of row numbers that break the law.

    Pairs have no order for keys, FDs and ODs, and are given as (i, j) with i < j. For PODs and DCs they are
    pairs (t, s): the same two rows may break the law one way, the other way, or both.
    """
    return set(_violations(law, table))


def error(law: Law, table: Table) -> float:
    """Return the share of pairs that break the law, 0.0 if there are no pairs.

    That is DynASt's error of approximate FDs and keys: violations by n (n - 1) / 2 pairs without order. ODs
    are measured in the same way, PODs and DCs by their n (n - 1) pairs with order. A key or an FD has the
    error of the DC that says the same; an OD has twice that, since each swap breaks its DC one way only.
    """
    pairs = list(_pairs(law, table))
    return len(violations(law, table)) / len(pairs) if pairs else 0.0


def rows_in_violations(law: Law, table: Table) -> set[int]:
    """Return the rows that take part in a pair that breaks the law."""
    return {row for pair in _violations(law, table) for row in pair}


def fewest_removals(law: Law, table: Table) -> int:
    """Return the smallest number of rows without which the law holds, by trying all sets of rows."""
    pairs = violations(law, table)
    sizes = range(len(table.rows) + 1)
    removed = (set(some) for size in sizes for some in combinations(range(len(table.rows)), size))
    return next(len(some) for some in removed if all(some & {*pair} for pair in pairs))


def _violations(law: Law, table: Table) -> Iterator[tuple[int, int]]:
    return ((t, s) for t, s in _pairs(law, table) if _breaks(law, table, t, s))


def _pairs(law: Law, table: Table) -> Iterator[tuple[int, int]]:
    rows = range(len(table.rows))
    return permutations(rows, 2) if isinstance(law, POD | DC) else combinations(rows, 2)


# Minimal laws: those that hold and that no other law that holds implies.


def minimal_keys(table: Table) -> set[Key]:
    """Return the minimal keys."""
    return _minimal([Key(columns) for columns in _subsets(table.columns)], table)


def minimal_fds(table: Table) -> set[FD]:
    """Return the minimal FDs; the right column is not on the left."""
    return _minimal([FD(lhs, rhs) for rhs in table.columns for lhs in _subsets(_without(table, rhs))], table)


def minimal_ods(table: Table) -> set[OD]:
    """Return the minimal order compatible ODs between columns with an order, whatever their contexts.

    One whose context determines a side is not minimal: that FD, which is a constant OD, says more.
    """
    sides = combinations([column for column in table.columns if table.is_ordered(column)], 2)
    candidates = [
        OD(context, left, right, descending)
        for left, right in sides
        for descending in (False, True)
        for context in _subsets(_without(table, left, right))
    ]
    return {law for law in _minimal(candidates, table) if not _determines_a_side(law, table)}


def _determines_a_side(law: OD, table: Table) -> bool:
    return any(holds(FD(law.context, side), table) for side in (law.left, law.right))


def minimal_pods(table: Table) -> set[POD]:
    """Return the minimal PODs, one of each mirrored pair.

    A POD denies that columns compare in some way all at once, with `!=` for one of them at most: that is the
    denial of `=` on the right. Fewer and weaker conditions say more. A column without order has = and !=.
    """
    comparisons = [(Cell("t", column), Cell("s", column)) for column in table.columns]
    candidates = [DC(choice) for choice in _choices([_predicates(table, *cells) for cells in comparisons])]
    with_one = [law for law in candidates if sum(p.operator == "!=" for p in law.predicates) <= 1]
    return {pod.canonical() for law in _minimal(with_one, table) if (pod := law.as_pod()) is not None}


def minimal_readings(table: Table) -> set[PodReading]:
    """Return IncPOD's minimal PODs `X => B op`, with their mirror images; = only where there is no order.

    A valid one is minimal if there is no other for B with fewer or weaker terms on the left, or a stronger
    operator on the right.
    """
    candidates = [
        PodReading(lhs, rhs)
        for column in table.columns
        for rhs in _terms(table, column)
        for lhs in _choices([_terms(table, other) for other in _without(table, column)])
    ]
    pairs = list(permutations(range(len(table.rows)), 2))
    valid = [one for one in candidates if not any(breaks_reading(one, table, t, s) for t, s in pairs)]
    return _minimal_of(valid)


def readings_from(pods: Iterable[POD], table: Table) -> set[PodReading]:
    """Derive the same from the minimal PODs in constraint form.

    `X => B op` is valid if X and the denial of `B op` contain all that some POD denies: for each B and op
    take what X must have for that, with a lone `!=` of another column as `<` or as `>`.
    """
    denied = {frozenset(one.denied().items()) for pod in pods for one in (pod, pod.mirror())}
    valid = set()
    for compared, column in product(map(dict, denied), table.columns):
        own, others = compared.get(column), {name: op for name, op in compared.items() if name != column}
        rights = [
            rhs
            for rhs in _terms(table, column)
            if own is None or OUTCOMES[DENIED[rhs.operator]] <= OUTCOMES[own]
        ]
        ways = [
            [term for term in _terms(table, name) if OUTCOMES[term.operator] <= OUTCOMES[op]]
            for name, op in others.items()
        ]
        valid |= {PodReading(frozenset(lhs), rhs) for rhs in rights for lhs in product(*ways)}
    return _minimal_of(valid)


def _minimal_of(readings: Iterable[PodReading]) -> set[PodReading]:
    """Those that none of the others implies, by the terms of the paper."""
    found: list[tuple[frozenset[object], PodReading]] = []
    for atoms, reading in sorted(((_reading_atoms(one), one) for one in readings), key=lambda p: len(p[0])):
        if not any(fewer <= atoms for fewer, _ in found):
            found.append((atoms, reading))
    return {reading for _, reading in found}


def _reading_atoms(reading: PodReading) -> frozenset[object]:
    """Return a set such that one reading implies another if its set is a subset of the other's."""
    assert reading.rhs is not None
    left = [(term.column, outcome) for term in reading.lhs for outcome in _excluded(term.operator)]
    right = [("right", reading.rhs.column, outcome) for outcome in OUTCOMES[reading.rhs.operator]]
    return frozenset([*left, *right])


def minimal_dcs(table: Table, cross_columns: Iterable[CrossColumns] = ()) -> set[DC]:
    """Return the minimal DCs, one of each mirrored pair.

    Each column is compared with itself; `cross_columns` adds comparisons of two columns: ("ts", a, b) is
    t.a ? s.b, ("tt", a, b) is t.a ? t.b and ("ss", a, b) is s.a ? s.b, each with its mirror image. Columns
    without order have the operators = and != only. Fewer predicates and weaker operators say more.
    """
    comparisons = {(Cell("t", column), Cell("s", column)) for column in table.columns}
    for (left_row, right_row), left, right in cross_columns:
        cells = (Cell("t" if left_row == "t" else "s", left), Cell("t" if right_row == "t" else "s", right))
        comparisons |= {cells, (cells[0].mirror(), cells[1].mirror())}
    predicates = [_predicates(table, left, right) for left, right in comparisons]
    return _minimal([DC(choice) for choice in _choices(predicates)], table)


def _terms(table: Table, column: str) -> list[Term]:
    ordered = table.is_ordered(column)
    return [
        Term(column, operator) for operator in OPERATORS if operator == "=" or (ordered and operator != "!=")
    ]


def _predicates(table: Table, left: Cell, right: Cell) -> list[Predicate]:
    ordered = table.is_ordered(left.column) and table.is_ordered(right.column)
    return [Predicate(left, operator, right) for operator in OPERATORS if ordered or operator in ("=", "!=")]


def _without(table: Table, *columns: str) -> list[str]:
    return [column for column in table.columns if column not in columns]


def _subsets(columns: Sequence[str]) -> Iterator[frozenset[str]]:
    for size in range(len(columns) + 1):
        yield from map(frozenset, combinations(columns, size))


Choice = TypeVar("Choice")


def _choices(options: Sequence[Sequence[Choice]]) -> Iterator[frozenset[Choice]]:
    """Yield every way to choose at most one of each of the options."""
    for choice in product(*([None, *some] for some in options)):
        yield frozenset(item for item in choice if item is not None)


def _minimal(candidates: Iterable[SomeLaw], table: Table) -> set[SomeLaw]:
    """Return the laws that hold and that no other one that holds implies, one of each mirrored pair."""
    found = set()
    known: list[frozenset[object]] = []
    by_atoms = [(_atoms(law), law) for law in candidates]
    for atoms, law in sorted(by_atoms, key=lambda pair: len(pair[0])):
        if not any(fewer <= atoms for fewer in known) and holds(law, table):
            found.add(law.canonical())
            known += [atoms, _atoms(law.mirror())]
    return found


def _atoms(law: Law) -> frozenset[object]:
    """Return a set such that one law implies another if its set is a subset of the other's.

    A condition is the set of outcomes that it excludes: a weaker one excludes fewer.
    """
    match law:
        case Key():
            return frozenset(law.columns)
        case FD():
            return frozenset([*law.lhs, ("right", law.rhs)])
        case OD():
            return frozenset([*law.context, ("sides", law.left, law.right, law.descending)])
        case POD():
            return _atoms(law.as_dc())
        case DC():
            return frozenset(
                (predicate.comparison, outcome)
                for predicate in law.predicates
                for outcome in _excluded(predicate.operator)
            )
    raise TypeError(f"no definition for {law!r}")


def _excluded(operator: Operator) -> frozenset[str]:
    return frozenset("<=>") - OUTCOMES[operator]
