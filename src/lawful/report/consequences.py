"""What follows from a collection of laws."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from lawful.errors import LawfulError
from lawful.laws import FD, Key, Law, parse
from lawful.laws.exchange import laws_between
from lawful.reasoning import (
    OrderAnswer,
    SortAdvice,
    Theory,
    candidate_keys,
    in_order,
    minimal_cover,
    parse_order,
)
from lawful.shown import Shown
from lawful.table.column_names import unknown_column

if TYPE_CHECKING:
    from lawful.report.collection import Facts
    from lawful.report.explanations import Explanation
    from lawful.report.normalized_schema import NormalizedSchema
    from lawful.report.query_advice import QueryAdvice

MOST_KEYS = 1_000  # a table may have very many
FILTERED = "filtered"  # the reason of a collection that lacks laws which were found


class Consequences(Shown, Sequence[Law]):
    """Laws over the columns of a table, and what follows from them without a look at its rows."""

    facts: Facts

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""

    def closure(self, *columns: str) -> tuple[str, ...]:
        """All columns that the given ones determine by these laws, in the order of the table."""
        return in_order(self.theory.closure(self._known(columns)), self.names)

    def implies(self, law: Law | str) -> bool:
        """Tell whether a law follows from these; where they are not all laws, False leaves it open."""
        return self.proof(law) is not None

    def proof(self, law: Law | str) -> tuple[Law, ...] | None:
        """The laws that a law follows from; None where it does not follow."""
        wanted = parse(law) if isinstance(law, str) else law
        self._known(wanted.columns)
        return self.theory.proof(wanted)

    def explain(self, law: Law | str) -> Explanation:
        """What a law means, and which of these laws it follows from; `lawful.explain` asks the table too."""
        from lawful.report.explanations import explained_by

        return explained_by(self, law)

    def minimal_cover(self) -> list[Law]:
        """Laws that all others follow from, none of which follows from the rest."""
        return minimal_cover(self.theory)

    def candidate_keys(self, most: int = MOST_KEYS) -> list[tuple[str, ...]]:
        """The smallest sets of columns that determine all others, at most so many, the short ones first.

        Where the table has no identical rows, these are its keys.
        """
        found = islice(candidate_keys(self.theory.closures), most)
        keys = [in_order(key, self.names) for key in found]
        return sorted(keys, key=lambda key: (len(key), key))

    def normalize(self, form: str = "3nf") -> NormalizedSchema:
        """The table in parts of third ("3nf") or Boyce-Codd normal form ("bcnf"), with `sql()` for them."""
        from lawful.report.normalized_schema import NormalizedSchema

        return NormalizedSchema.of(self, form)

    def orders(self, left: str, right: str) -> OrderAnswer:
        """Whether rows that are sorted by one list of columns are sorted by another, as in "a, b desc".

        The answer is true or false and has the laws that were `used`, or those that are `missing`. Where
        these are not all laws, False leaves it open.
        """
        lists = parse_order(left), parse_order(right)
        self._known(item.column for items in lists for item in items)
        return self.sort_advice.orders(*lists)

    def advise(
        self, query: str, dialect: str = "spark", indexes: Sequence[str] = (), table: str | None = None
    ) -> QueryAdvice:
        """What these laws say about a query over the table: a shorter ORDER BY, indexes that serve it, what
        GROUP BY and DISTINCT can spare. Where the query joins tables, `table` is the one that the laws speak
        of. Needs sqlglot (`lawful[sql]`)."""
        from lawful.report.query_advice import advise

        return advise(self, query, dialect, indexes, table)

    @property
    def sort_advice(self) -> SortAdvice:
        """What these laws say about sorting the table."""
        return SortAdvice(self.sql_theory, self.nullable)

    @cached_property
    def theory(self) -> Theory:
        """What follows from these laws, as they are meant."""
        return Theory.of(self.names, self._all_known(), self.facts.nulls_equal)

    @cached_property
    def sql_theory(self) -> Theory:
        """What follows where NULL equals NULL and sorts first, as in SQL's GROUP BY and ORDER BY."""
        if self.facts.nulls_equal:
            return self.theory
        return Theory.of(self.names, filter(self._is_true_in_sql, self.theory.laws))

    @property
    def nullable(self) -> frozenset[str]:
        """The columns that may hold NULLs: all where nothing is known of them."""
        return frozenset(self.facts.nulls if self.facts.types else self.names)

    def with_equivalences(self) -> list[Law]:
        """These laws and, unless some were chosen, what makes columns equivalent: laws between the first of a
        group, which laws name, and others. What these laws say of the others follows."""
        groups = () if self.facts.reason == FILTERED else self.facts.equivalents
        between = (
            law
            for group in groups
            for law in laws_between({**group, "kinds": _stating(group["kinds"])})
            if group["columns"][0] in law.columns
        )
        return [*dict.fromkeys([*self, *between])]

    def _all_known(self) -> Iterator[Law]:
        yield from self.with_equivalences()
        facts = self.facts
        if facts.complete and "key" in facts.kinds and facts.duplicates is None:
            yield Key(frozenset(self.names))  # no two rows are identical

    def _is_true_in_sql(self, law: Law) -> bool:
        """Whether a law that was found with NULLs that equal nothing also holds if they equal each other."""
        left = law.lhs if isinstance(law, FD) else law.columns
        return left.isdisjoint(self.nullable)

    def _known(self, columns: Iterable[str]) -> frozenset[str]:
        """The columns, each of which the table must have."""
        wanted = frozenset(columns)
        for name in sorted(wanted - {*self.names}):
            raise LawfulError(unknown_column(name, self.names))
        return wanted


def _stating(kinds: Iterable[str]) -> set[str]:
    """The kinds of law that say of columns that each stands for the other in places of these kinds."""
    said = {"equal": {"fd"}, "dc": {"fd", "od"}, "order": {"fd", "od"}}
    return set[str]().union(*(said.get(kind, {kind}) for kind in kinds))
