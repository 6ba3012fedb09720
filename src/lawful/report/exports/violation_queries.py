"""SQL that finds what breaks a law: it returns no row exactly if the law holds.

Any column may hold NULLs, also one that held none when the law was found. Laws have NULL equal to NULL and
smaller than every value, or, where NULLs are distinct, equal to nothing and without order. SQL's own
operators are neither.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lawful.laws import FD, Key, Law, Operator, Predicate
from lawful.report.exports.pair_forms import JoinForm, RowForm, SweepForm, form_of
from lawful.report.sql_names import identifier

if TYPE_CHECKING:
    from lawful.report.consequences import Consequences

_TURNED: dict[Operator, Operator] = {">": "<", ">=": "<="}

TOO_MANY_PAIRS = "every two rows would have to be compared, which takes too long in SQL"
# How a value of a group before compares with one of this group, and two of this group with each other, where
# NULL is the lowest value. What is before the first group is NULL, and so is what is said of it.
_EXTREMES = {"low": "MIN", "high": "MAX", "null": "MAX", "rows": "SUM"}
_LOOKED_AT: dict[Operator, tuple[str, ...]] = {
    ">": ("high",),
    ">=": ("high", "rows"),
    "<": ("low", "null"),
    "<=": ("low", "null"),
}
_BEFORE: dict[Operator, str] = {
    ">": "before_high > lawful_low OR (before_high IS NOT NULL AND lawful_null = 1)",
    ">=": "before_high >= lawful_low OR (before_rows > 0 AND lawful_null = 1)",
    "<": "before_low < lawful_high OR (before_null = 1 AND lawful_high IS NOT NULL)",
    "<=": "before_low <= lawful_high OR before_null = 1",
}
_DIFFERENT = "lawful_low < lawful_high OR (lawful_null = 1 AND lawful_high IS NOT NULL)"
_TOGETHER: dict[Operator, str] = {
    ">": _DIFFERENT,
    "<": _DIFFERENT,
    ">=": "lawful_rows > 1",
    "<=": "lawful_rows > 1",
}


def compared(left: str, operator: Operator, right: str, nulls_equal: bool) -> str:
    """A condition on two SQL expressions; it may be NULL where it is not true."""
    if operator in _TURNED:
        left, operator, right = right, _TURNED[operator], left
    return _equal(left, operator, right) if nulls_equal else _distinct(left, operator, right)


def _equal(left: str, operator: Operator, right: str) -> str:
    match operator:
        case "=":
            return f"{left} IS NOT DISTINCT FROM {right}"
        case "!=":
            return f"{left} IS DISTINCT FROM {right}"
        case "<":
            return f"({left} < {right} OR ({left} IS NULL AND {right} IS NOT NULL))"
        case _:
            return f"({left} <= {right} OR {left} IS NULL)"


def _distinct(left: str, operator: Operator, right: str) -> str:
    if operator == "!=":
        return f"({left} <> {right} OR {left} IS NULL OR {right} IS NULL)"
    return f"{left} {operator} {right}"


@dataclass(frozen=True)
class ViolationQueries:
    """Queries over the table of some laws."""

    laws: Consequences
    table: str  # as it stands in FROM
    mark: str = '"'  # around names

    def query(self, law: Law) -> str | None:
        """A query that returns no row exactly if the law holds; None where it would compare all pairs."""
        match form := form_of(law):
            case Key():
                return self._key(form.columns)
            case FD():
                return self._fd(form)
            case RowForm():
                return f"SELECT * FROM {self.table} WHERE {self.row_condition(form.predicates)}"
            case SweepForm():
                return self._sweep(form)
            case JoinForm():
                return self._join(form.predicates) if form.bounded else None

    def row_condition(self, predicates: Iterable[Predicate]) -> str:
        """What a row that breaks a law of single rows satisfies; it may be NULL where it does not."""
        return " AND ".join(self._predicate(one, "", "") for one in predicates)

    @property
    def nulls_equal(self) -> bool:
        """Whether NULL equals NULL and is the smallest value, or equals nothing."""
        return self.laws.facts.nulls_equal

    def _key(self, columns: Collection[str]) -> str:
        if not columns:
            rows = f"SELECT COUNT(*) AS lawful_rows FROM {self.table}"
            return f"SELECT * FROM ({rows}) AS q WHERE lawful_rows > 1"
        names = self._names(sorted(columns))
        counted = f"SELECT {names}, COUNT(*) AS lawful_rows FROM {self._counting(columns)}"
        return f"{counted} GROUP BY {names} HAVING COUNT(*) > 1"

    def _fd(self, law: FD) -> str:
        """Groups with several values, NULL among them: COUNT(DISTINCT) forgets that."""
        right, source = self._name(law.rhs), self._counting(law.lhs)
        counted = f"COUNT(DISTINCT {right}) + {self._has_null(law.rhs)}"
        if not self.nulls_equal:
            # A NULL differs from all others: it is allowed where it is alone.
            counted = f"CASE WHEN COUNT(*) > COUNT({right}) THEN COUNT(*) ELSE COUNT(DISTINCT {right}) END"
        if not law.lhs:
            values = f"SELECT {counted} AS lawful_values FROM {source}"
            return f"SELECT * FROM ({values}) AS q WHERE lawful_values > 1"
        names = self._names(sorted(law.lhs))
        return (
            f"SELECT {names}, {counted} AS lawful_values FROM {source} GROUP BY {names} HAVING {counted} > 1"
        )

    def _sweep(self, form: SweepForm) -> str:
        """In the order of one column, the extremes of another among all rows before."""
        (first, how), (second, operator) = form.first, form.second
        by, value = self._names([*sorted(form.context), first]), self._ordered(second)
        groups = (
            f"SELECT {by}, COUNT(*) AS lawful_rows, MIN({value}) AS lawful_low, MAX({value}) AS lawful_high, "
            f"{self._has_null(second)} AS lawful_null "
            f"FROM {self._counting([*form.context, first, second])} GROUP BY {by}"
        )
        window = self._window(form.context, first)
        before = ", ".join(
            f"{_EXTREMES[name]}(lawful_{name}) OVER {window} AS before_{name}"
            for name in _LOOKED_AT[operator]
        )
        condition = _BEFORE[operator]
        if how == "<=":
            condition = f"({condition}) OR {_TOGETHER[operator]}"
        return f"SELECT {by} FROM (SELECT g.*, {before} FROM ({groups}) AS g) AS w WHERE {condition}"

    def _window(self, context: Collection[str], column: str) -> str:
        partition = f"PARTITION BY {self._names(sorted(context))} " if context else ""
        name = self._name(column)
        nulls_first = f"CASE WHEN {name} IS NULL THEN 0 ELSE 1 END, {name}"
        return f"({partition}ORDER BY {nulls_first} ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)"

    def _join(self, predicates: Iterable[Predicate]) -> str:
        """Both rows, numbered so that none is paired with itself: only identical rows may change numbers."""
        everything = self._names(self.laws.names)
        rows = f"(SELECT *, ROW_NUMBER() OVER (ORDER BY {everything}) AS lawful_row FROM {self.table})"
        conditions = " AND ".join(self._predicate(one, "t.", "s.") for one in predicates)
        different = "t.lawful_row <> s.lawful_row"
        return f"SELECT t.* FROM {rows} AS t JOIN {rows} AS s ON {different} AND {conditions}"

    def _predicate(self, predicate: Predicate, first: str, second: str) -> str:
        cells = predicate.comparison
        left, right = ((first if cell.row == "t" else second) + self._name(cell.column) for cell in cells)
        return compared(left, predicate.operator, right, self.nulls_equal)

    def _counting(self, columns: Collection[str]) -> str:
        """The table without rows that have a NULL which equals nothing."""
        if self.nulls_equal or not columns:
            return self.table
        known = " AND ".join(f"{self._name(column)} IS NOT NULL" for column in sorted(columns))
        return f"{self.table} WHERE {known}"

    def _has_null(self, column: str) -> str:
        return f"MAX(CASE WHEN {self._name(column)} IS NULL THEN 1 ELSE 0 END)"

    def _ordered(self, column: str) -> str:
        """A column that MIN and MAX can take: not all databases have those of BOOLEAN."""
        name = self._name(column)
        is_boolean = self.laws.facts.types.get(column) == "boolean"
        return f"CASE WHEN {name} THEN 1 WHEN NOT {name} THEN 0 END" if is_boolean else name

    def _name(self, column: str) -> str:
        return identifier(column, self.mark)

    def _names(self, columns: Iterable[str]) -> str:
        return ", ".join(self._name(column) for column in columns)
