"""The oracle: what each law means, by all pairs of rows and all sets of columns.

Slow and obvious, for tables of a few columns and some dozens of rows. Every fast path in lawful is compared
with these functions; where they differ, this file is right.

A law speaks of pairs of *different* rows. So every law holds on a table of one row or none, even the empty
ones: there the minimal key is `key {}`, the minimal DC is `not()`, and the minimal FDs are `{} -> a`.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations, permutations, product
from typing import Generic, Literal, NamedTuple, TypeVar

import pyarrow as pa

from lawful.laws import (
    DC,
    FD,
    OD,
    OPERATORS,
    OUTCOMES,
    POD,
    Cell,
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
Pairs = int  # a set of pairs of rows: the bit t * rows + s stands for the pair (t, s)
Place = tuple[object, ...]

NULL: Place = (0,)
EQUAL: frozenset[Sign] = frozenset(["="])
DIFFERENT: frozenset[Sign] = frozenset(["<", ">", "!="])
DENIED: dict[Operator, Operator] = {"<": ">=", "<=": ">", "=": "!=", "!=": "=", ">=": "<", ">": "<="}


class Condition(NamedTuple):
    """How two cells of a pair of rows compare."""

    left: Cell
    outcomes: frozenset[str]
    right: Cell


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
    # Looked up again and again.
    known_signs: dict[tuple[str, str], list[list[Sign]]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )
    known_pairs: dict[Condition, Pairs] = field(default_factory=dict, init=False, repr=False, compare=False)

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
    def places(self) -> dict[str, list[Place]]:
        """A key for each value of every column that sorts NULL first and NaN last."""
        return {name: [_place(row[number]) for row in self.rows] for number, name in enumerate(self.columns)}

    @cached_property
    def pairs(self) -> Pairs:
        """All pairs of different rows."""
        return sum(1 << t * len(self.rows) + s for t, s in permutations(range(len(self.rows)), 2))


def sign(table: Table, column: str, t: int, s: int) -> Sign:
    """Return how row t compares with row s in one column."""
    return signs(table, column, column)[t][s]


def signs(table: Table, left: str, right: str) -> list[list[Sign]]:
    """Return how each row's value in one column compares with each row's value in another, or the same."""
    if (left, right) not in table.known_signs:
        ordered = table.is_ordered(left) and table.is_ordered(right)
        table.known_signs[left, right] = [
            [_compare(first, second, ordered, table.nulls) for second in table.places[right]]
            for first in table.places[left]
        ]
    return table.known_signs[left, right]


def _compare(first: Place, second: Place, ordered: bool, nulls: Nulls) -> Sign:
    """Return how two values compare: "!=" if they differ and no order is defined between them."""
    if nulls == "distinct" and NULL in (first, second):
        return "!="
    if first == second:
        return "="
    if not ordered:
        return "!="
    return "<" if first < second else ">"


def _place(value: object) -> Place:
    if value is None:
        return NULL
    if isinstance(value, float) and math.isnan(value):
        return (2,)
    return (1, value)


# A pair of rows breaks a law if it meets all of the law's conditions.


def conditions(law: Law) -> Iterator[Condition]:
    """Yield what no pair of different rows (t, s) may meet all of."""
    match law:
        case Key():
            yield from _agreeing(law.columns)
        case FD():
            yield from (*_agreeing(law.lhs), _compared(law.rhs, DIFFERENT))
        case OD():  # sorting the two rows by one side puts the other side in the wrong order
            swapped = frozenset("<" if law.descending else ">")
            yield from (*_agreeing(law.context), _compared(law.left, frozenset("<")))
            yield _compared(law.right, swapped)
        case POD():
            yield from conditions_of_reading(PodReading(frozenset(law.lhs), law.rhs))
        case DC():
            for predicate in law.predicates:
                yield Condition(predicate.left, _satisfying(predicate.operator), predicate.right)
        case _:
            raise TypeError(f"no definition for {law!r}")


def conditions_of_reading(reading: PodReading) -> Iterator[Condition]:
    """Yield the left side, and the denial of the right one, if there is one."""
    yield from (_compared(term.column, _satisfying(term.operator)) for term in reading.lhs)
    if reading.rhs is not None:
        yield _compared(reading.rhs.column, _satisfying(DENIED[reading.rhs.operator]))


def _agreeing(columns: Iterable[str]) -> Iterator[Condition]:
    return (_compared(column, EQUAL) for column in columns)


def _compared(column: str, outcomes: frozenset[str]) -> Condition:
    return Condition(Cell("t", column), outcomes, Cell("s", column))


def _satisfying(operator: Operator) -> frozenset[str]:
    return DIFFERENT if operator == "!=" else OUTCOMES[operator]


def meeting(some: Iterable[Condition], table: Table) -> Pairs:
    """Return the pairs of different rows that meet all of some conditions."""
    pairs = table.pairs
    for condition in some:
        pairs &= _meeting_one(condition, table)
    return pairs


def _meeting_one(condition: Condition, table: Table) -> Pairs:
    if condition not in table.known_pairs:
        (left_row, left), outcomes, (right_row, right) = condition
        compared, count, pairs = signs(table, left, right), len(table.rows), 0
        for t, s in permutations(range(count), 2):
            if compared[t if left_row == "t" else s][t if right_row == "t" else s] in outcomes:
                pairs |= 1 << t * count + s
        table.known_pairs[condition] = pairs
    return table.known_pairs[condition]


# Holding, violations, error.


def holds(law: Law, table: Table) -> bool:
    """Tell whether no pair of rows breaks the law."""
    return not meeting(conditions(law), table)


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
    broken, count, ordered = meeting(conditions(law), table), len(table.rows), isinstance(law, POD | DC)
    for t, s in permutations(range(count), 2):
        if broken >> t * count + s & 1:
            yield (t, s) if ordered else (min(t, s), max(t, s))


def _pairs(law: Law, table: Table) -> Iterator[tuple[int, int]]:
    rows = range(len(table.rows))
    return permutations(rows, 2) if isinstance(law, POD | DC) else combinations(rows, 2)


# Minimal laws: those that hold and that no other law that holds implies.


class Candidate(NamedTuple, Generic[SomeLaw]):
    """What may be a minimal law: its atoms, the pairs of rows that break it, and how it is made."""

    atoms: frozenset[object]
    broken: Pairs
    make: Callable[[], SomeLaw]


class Part(NamedTuple):
    """A predicate of a DC, its atoms, and the pairs of rows that satisfy it."""

    predicate: Predicate
    atoms: frozenset[object]
    pairs: Pairs


def minimal_keys(table: Table) -> set[Key]:
    """Return the minimal keys."""
    return _minimal(_candidate(Key(columns), table) for columns in _subsets(table.columns))


def minimal_fds(table: Table) -> set[FD]:
    """Return the minimal FDs; the right column is not on the left."""
    return _minimal(
        _candidate(FD(lhs, rhs), table) for rhs in table.columns for lhs in _subsets(_without(table, rhs))
    )


def minimal_ods(table: Table) -> set[OD]:
    """Return the minimal order compatible ODs between columns with an order, whatever their contexts.

    One whose context determines a side is not minimal: that FD, which is a constant OD, says more.
    """
    sides = combinations([column for column in table.columns if table.is_ordered(column)], 2)
    candidates = [
        _candidate(OD(context, left, right, descending), table)
        for left, right in sides
        for descending in (False, True)
        for context in _subsets(_without(table, left, right))
    ]
    return {law for law in _minimal(candidates) if not _determines_a_side(law, table)}


def _determines_a_side(law: OD, table: Table) -> bool:
    return any(holds(FD(law.context, side), table) for side in (law.left, law.right))


def minimal_pods(table: Table, tolerated: int = 0, of_rows: bool = False) -> set[POD]:
    """Return the minimal PODs, one of each mirrored pair, that so many pairs (t, s) at most break.

    Or, `of_rows`, that hold without so many rows.

    A POD denies that columns compare in some way all at once, with `!=` for one of them at most: that is the
    denial of `=` on the right. Fewer and weaker conditions say more. A column without order has = and !=.
    """
    comparisons = [(Cell("t", column), Cell("s", column)) for column in table.columns]
    with_one = [
        _denial(parts, table)
        for parts in _choices([_parts(table, *cells) for cells in comparisons])
        if sum(part.predicate.operator == "!=" for part in parts) <= 1
    ]
    found = _minimal(with_one, tolerated, len(table.rows) if of_rows else 0)
    return {pod.canonical() for law in found if (pod := law.as_pod()) is not None}


def minimal_readings(table: Table) -> set[PodReading]:
    """Return IncPOD's minimal PODs `X => B op`, with their mirror images; = only where there is no order.

    A valid one is minimal if there is no other for B with fewer or weaker terms on the left, or a stronger
    operator on the right.
    """
    candidates = [
        PodReading(frozenset(lhs), rhs)
        for column in table.columns
        for rhs in _terms(table, column)
        for lhs in _choices([_terms(table, other) for other in _without(table, column)])
    ]
    return _minimal_of(one for one in candidates if not meeting(conditions_of_reading(one), table))


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


def minimal_dcs(
    table: Table, cross_columns: Iterable[CrossColumns] = (), tolerated: int = 0, of_rows: bool = False
) -> set[DC]:
    """Return the minimal DCs, one of each mirrored pair, that so many pairs (t, s) at most break.

    Or, `of_rows`, that hold without so many rows.

    Each column is compared with itself; `cross_columns` adds comparisons of two columns: ("ts", a, b) is
    t.a ? s.b, ("tt", a, b) is t.a ? t.b and ("ss", a, b) is s.a ? s.b, each with its mirror image. Columns
    without order have the operators = and != only. Fewer predicates and weaker operators say more.
    """
    comparisons = {(Cell("t", column), Cell("s", column)) for column in table.columns}
    for (left_row, right_row), left, right in cross_columns:
        cells = (Cell("t" if left_row == "t" else "s", left), Cell("t" if right_row == "t" else "s", right))
        comparisons |= {cells, (cells[0].mirror(), cells[1].mirror())}
    parts = [_parts(table, left, right) for left, right in comparisons]
    choices = (_denial(choice, table) for choice in _choices(parts))
    return _minimal(choices, tolerated, len(table.rows) if of_rows else 0)


def _terms(table: Table, column: str) -> list[Term]:
    ordered = table.is_ordered(column)
    return [
        Term(column, operator) for operator in OPERATORS if operator == "=" or (ordered and operator != "!=")
    ]


def _parts(table: Table, left: Cell, right: Cell) -> list[Part]:
    ordered = table.is_ordered(left.column) and table.is_ordered(right.column)
    operators = [operator for operator in OPERATORS if ordered or operator in ("=", "!=")]
    predicates = [Predicate(left, operator, right) for operator in operators]
    known = [_candidate(DC({predicate}), table) for predicate in predicates]
    return [Part(one, law.atoms, law.broken) for one, law in zip(predicates, known, strict=True)]


def _without(table: Table, *columns: str) -> list[str]:
    return [column for column in table.columns if column not in columns]


def _subsets(columns: Sequence[str]) -> Iterator[frozenset[str]]:
    for size in range(len(columns) + 1):
        yield from map(frozenset, combinations(columns, size))


Choice = TypeVar("Choice")


def _choices(options: Sequence[Sequence[Choice]]) -> Iterator[tuple[Choice, ...]]:
    """Yield every way to choose at most one of each of the options."""
    for choice in product(*([None, *some] for some in options)):
        yield tuple(item for item in choice if item is not None)


def _minimal(candidates: Iterable[Candidate[SomeLaw]], tolerated: int = 0, rows: int = 0) -> set[SomeLaw]:
    """Return the laws that hold and that no other one that holds implies, one of each mirrored pair.

    A law holds if at most the tolerated number of pairs breaks it or, where the number of rows is given, if
    no pair does without the tolerated number of these.
    """
    kept = [_pairs_among(some, rows) for some in combinations(range(rows), max(rows - tolerated, 0))]
    found = set()
    known: list[frozenset[object]] = []
    for atoms, broken, make in sorted(candidates, key=lambda candidate: len(candidate.atoms)):
        holds = any(broken & among == 0 for among in kept) if rows else broken.bit_count() <= tolerated
        if holds and not any(fewer <= atoms for fewer in known):
            law = make()
            found.add(law.canonical())
            known += [atoms, _atoms(law.mirror())]
    return found


def _pairs_among(some: Iterable[int], rows: int) -> int:
    """All pairs (t, s) of some rows, as a set of bits."""
    return sum(1 << t * rows + s for t, s in permutations(some, 2))


def _candidate(law: SomeLaw, table: Table) -> Candidate[SomeLaw]:
    return Candidate(_atoms(law), meeting(conditions(law), table), lambda: law)


def _denial(parts: Sequence[Part], table: Table) -> Candidate[DC]:
    """Return what is known of a DC from its parts. There are many, and few that must be made."""
    atoms, broken = frozenset[object]().union(*(part.atoms for part in parts)), table.pairs
    for part in parts:
        broken &= part.pairs
    return Candidate(atoms, broken, lambda: DC({part.predicate for part in parts}))


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
