"""What laws say about a query: what ORDER BY, GROUP BY and DISTINCT can spare, which indexes serve it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lawful.laws import OD, Key, Law
from lawful.laws.text import quoted
from lawful.reasoning import SortAdvice, SortItem, Theory, key_within, parse_order
from lawful.report.law_sentences import in_words
from lawful.report.parsed_query import ParsedQuery
from lawful.report.sql_names import comment
from lawful.shown import Shown

if TYPE_CHECKING:
    from lawful.report.consequences import Consequences

Items = tuple[SortItem, ...]
_INDEXES = 8  # shown


@dataclass(frozen=True)
class QueryAdvice(Shown):
    """A query that does the same with less work, and why."""

    sql: str
    order_by: Items  # the list that is enough
    group_by_spared: tuple[str, ...]
    distinct_spared: tuple[str, ...]
    indexes: tuple[Items, ...]  # that serve the order, read from either end
    used: tuple[Law, ...]  # laws that all this follows from
    notes: tuple[str, ...]

    def __str__(self) -> str:
        return "\n".join([*map(comment, self.notes), self.sql])

    def to_json(self) -> dict[str, Any]:
        """A plain dict."""
        return {
            "sql": self.sql,
            "order_by": [str(item) for item in self.order_by],
            "group_by_spared": list(self.group_by_spared),
            "distinct_spared": list(self.distinct_spared),
            "indexes": [[str(item) for item in index] for index in self.indexes],
            "used": [law.to_json() for law in self.used],
            "notes": list(self.notes),
        }


def advise(
    laws: Consequences,
    sql: str,
    dialect: str = "spark",
    indexes: Sequence[str] = (),
    table: str | None = None,
) -> QueryAdvice:
    """What the laws of a table say about a query over it; `indexes` are lists such as "a, b desc"."""
    return _Advising(laws, ParsedQuery.of(sql, dialect, laws, table), indexes).advice()


class _Advising:
    """One query and the laws of its rows."""

    def __init__(self, laws: Consequences, query: ParsedQuery, indexes: Sequence[str]) -> None:
        self.laws, self.query = laws, query
        self.ordered, self.distinct = query.ordered, query.distinct
        self.items = tuple(item for item, _ in self.ordered)
        known = [*query.laws_of_rows()]
        grouped = [*query.key_of_groups()]
        names = (*laws.names, *query.others)  # all expressions are met by now
        self.rows = Theory.of(names, known)
        self.sorting = SortAdvice(Theory.of(names, [*known, *grouped]), {*laws.nullable, *query.others})
        self.columns = () if query.hides_columns else laws.names  # that it may sort by
        self.indexes = [parse_order(text) for text in indexes]
        self.used: dict[Law, None] = {}

    def advice(self) -> QueryAdvice:
        """All of it; the query is changed."""
        groups, distinct, best = self._groups(), self._distinct(), self._order()
        found = tuple(self._serving(best))[:_INDEXES]
        notes = tuple(self._notes(best, groups, distinct, found))
        if best != self.items:
            nodes = dict(self.ordered)
            self.query.sort_by([(item, nodes.get(item)) for item in best])
        return QueryAdvice(self.query.sql(), best, groups, distinct, found, tuple(self.used), notes)

    def _serving(self, best: Items) -> Iterator[Items]:
        """Indexes from which rows come in order; what a join makes of their order nobody knows."""
        return iter(()) if self.query.is_joined else self.sorting.serving(best, self.laws.names)

    def _order(self) -> Items:
        """The list that is enough to sort by."""
        best = self.sorting.shortest(self.items, self.columns)
        for lists in ((best, self.items), (self.items, best)):
            self.used.update(dict.fromkeys(self.sorting.orders(*lists).used))
        return best

    def _groups(self) -> tuple[str, ...]:
        """What GROUP BY can spare; left out of the query where nothing else there needs it."""
        grouped = self.query.grouped
        spared = self._determined([name for name, _ in grouped])
        kept = [node for name, node in grouped if name not in spared or self.query.needs(node)]
        if 0 < len(kept) < len(grouped):
            self.query.group_by(kept)
        return spared

    def _distinct(self) -> tuple[str, ...]:
        """What DISTINCT need not compare: everything where rows differ anyway."""
        if self.distinct is None:
            return ()
        proof = self.rows.proof(Key(frozenset(self.distinct)))
        if proof is not None:
            self.used.update(dict.fromkeys(proof))
            self.query.drop_distinct()
            return tuple(self.distinct)
        return self._determined(self.distinct)

    def _determined(self, names: Sequence[str]) -> tuple[str, ...]:
        """Columns that others of them determine."""
        everything = frozenset(names)
        kept = key_within(self.rows.closures, everything, everything)
        self.used.update(dict.fromkeys(self.rows.closures.laws_between(kept, everything)))
        return tuple(name for name in dict.fromkeys(names) if name not in kept)

    def _notes(
        self, best: Items, groups: Sequence[str], distinct: Sequence[str], found: Sequence[Items]
    ) -> Iterator[str]:
        if best != self.items:
            enough = f"{self._shown(best)} is enough" if best else "all rows are alike in it, it can go"
            yield f"ORDER BY {self._shown(self.items)}: {enough}"
        elif self.items:
            yield f"ORDER BY {self._shown(self.items)}: no shorter list is known"
        if groups:
            yield f"GROUP BY can spare {_listed(groups)} (ANY_VALUE of it, where SELECT needs it)"
        if distinct and self.distinct is not None:
            some = f"need not compare {_listed(distinct)}"
            yield f"DISTINCT {some if len(distinct) < len(self.distinct) else 'can go: rows differ anyway'}"
        if found:
            lists = ", ".join(f"({self._shown(one)})" for one in found)
            yield f"indexes that serve it, from either end: {lists}"
        for index in self.indexes:
            served = "serves it" if self.sorting.serves(index, self.items) else "is not known to serve it"
            yield f"index ({self._shown(index)}) {served}"
        yield from self._conditions(best)
        if self.used:
            yield f"by {', '.join(map(str, self.used))}"

    def _conditions(self, best: Items) -> Iterator[str]:
        """What must be so in the database: where NULLs stand, how texts are ordered."""
        plain = tuple(SortItem(*item[:2]) for item in self.items)
        shorter = best if plain == self.items else self.sorting.shortest(plain, self.columns)
        if len(shorter) < len(best):
            odd = _listed([item.column for item in self.items if not item.nulls_are_smallest])
            yield (
                f"NULLs: the laws have NULL before all values, this order of {odd} has not; "
                f"with NULLS FIRST (with DESC: LAST) {self._shown(shorter)} would be enough"
            )
        sides = {side for law in self.used if isinstance(law, OD) for side in (law.left, law.right)}
        texts = [side for side in sorted(sides) if self.laws.facts.types.get(side, "string") == "string"]
        if texts:
            yield f'texts: the laws order {_listed(texts)} by code point (PostgreSQL: COLLATE "C")'

    def _shown(self, items: Items) -> str:
        """A list as text, expressions as they stand in the query."""
        texts = [(str(item), item.column) for item in items]
        others = self.query.others
        return ", ".join(
            text.replace(quoted(name), name, 1) if name in others else text for text, name in texts
        )


def _listed(names: Collection[str]) -> str:
    return in_words([quoted(name) for name in names])
