"""Laws over several rows as conditions on single rows, by window functions.

For tools that look at rows one by one: such checks stand side by side in one pass over the table, while
queries would be joined to it one after another.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lawful.laws import FD
from lawful.report.exports.pair_forms import Form, SweepForm
from lawful.report.sql_names import identifier, listed_names


@dataclass(frozen=True)
class WindowConditions:
    """Conditions on the rows of a table."""

    nulls_equal: bool
    mark: str  # around names

    def condition(self, form: Form) -> str | None:
        """What only rows that break a law satisfy, one of them at least; it may be NULL where it is not true.

        None where no window tells them.
        """
        match form:
            case FD():
                return self._fd(form)
            case SweepForm(_, (_, "<"), (_, "<" | ">")):
                return self._swap(form)
        return None

    def _fd(self, law: FD) -> str:
        """The rows of groups with several values, NULL among them."""
        right = identifier(law.rhs, self.mark)
        window = self._window(law.lhs)
        differ = f"MIN({right}) OVER {window} < MAX({right}) OVER {window}"
        known, rows = f"COUNT({right}) OVER {window}", f"COUNT(*) OVER {window}"
        if self.nulls_equal:
            return f"({differ} OR {known} BETWEEN 1 AND {rows} - 1)"
        # A NULL differs from all others: it is allowed where it is alone.
        return self._where_known(law.lhs, f"({differ} OR ({known} < {rows} AND {rows} > 1))")

    def _swap(self, form: SweepForm) -> str:
        """The rows with an extreme before them that may not be there.

        Of rows with the same first value, those come first that may be before this one: they never count.
        """
        (first, _), (second, operator) = form.first, form.second
        counting = [*form.context, first]
        value = identifier(second, self.mark)
        seen = value if self.nulls_equal else f"CASE WHEN {self._known(counting)} THEN {value} END"
        window = self._window(form.context, first, f"{value} {_TIES[operator]}")
        if operator == ">":
            extreme = f"MAX({seen}) OVER {window}"
            broken, lowest = f"{extreme} > {value}", f"({extreme} IS NOT NULL AND {value} IS NULL)"
        else:
            extreme = f"MIN({seen}) OVER {window}"
            null_before = f"MAX(CASE WHEN {value} IS NULL THEN 1 ELSE 0 END) OVER {window} = 1"
            broken, lowest = f"{extreme} < {value}", f"({null_before} AND {value} IS NOT NULL)"
        return f"({broken} OR {lowest})" if self.nulls_equal else self._where_known(counting, broken)

    def _window(self, context: Collection[str], first: str = "", ties: str = "") -> str:
        """All rows of a group, or those before this one in the order of a column."""
        parts = [f"PARTITION BY {listed_names(sorted(context), self.mark)}"] if context else []
        if first:
            order = f"ORDER BY {identifier(first, self.mark)} ASC NULLS FIRST, {ties}"
            parts += [order, "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING"]
        return f"({' '.join(parts)})"

    def _where_known(self, columns: Collection[str], condition: str) -> str:
        return f"({self._known(columns)} AND {condition})" if columns else condition

    def _known(self, columns: Iterable[str]) -> str:
        return " AND ".join(f"{identifier(name, self.mark)} IS NOT NULL" for name in sorted(columns))


# The order of rows with the same first value, by the operator of the second: NULL is the lowest value.
_TIES = {">": "ASC NULLS FIRST", "<": "DESC NULLS LAST"}
