"""Which table of a query some laws speak of, and whether a join leaves them true."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from lawful.errors import LawfulError
from lawful.laws import FD, OD, Key, Law

Node = Any  # of sqlglot's tree
_BEYOND = ("laterals", "with_", "pivots")


def table_of(tree: Node, exp: Any, name: str | None) -> Node:
    """The table of the laws: the only one, or among those that are joined the one of this name."""
    source = tree.args.get("from_") if isinstance(tree, exp.Select) else None
    joins = tree.args.get("joins") or []
    tables = [] if source is None else [source.this, *(join.this for join in joins)]
    plain = [one for one in tables if isinstance(one, exp.Table) and not one.args.get("joins")]
    if not plain or len(plain) < len(tables) or _goes_beyond(tree):
        raise LawfulError("laws speak of a table: give a SELECT from tables, without subqueries and WITH")
    if not joins:
        return tables[0]
    chosen = [one for one in tables if name is not None and name.casefold() == one.alias_or_name.casefold()]
    if len(chosen) != 1:
        known = ", ".join(one.alias_or_name for one in tables)
        raise LawfulError(f"the query joins tables: say which one the laws speak of (--name), of {known}")
    _refuse_added_rows(tables.index(chosen[0]), [join.side for join in joins])
    return chosen[0]


def _goes_beyond(tree: Node) -> bool:
    return any(tree.args.get(part) for part in _BEYOND)


def _refuse_added_rows(place: int, sides: list[str]) -> None:
    """An outer join adds rows of NULLs for a table, of which its laws know nothing."""
    joined_by = "" if place == 0 else sides[place - 1]
    if joined_by or not {*sides[place:]} <= {"", "LEFT"}:
        raise LawfulError(
            "an outer join adds rows of NULLs to the table of the laws: give it the outer side, or join inner"
        )


def true_after_joins(laws: Iterable[Law], names: Iterable[str]) -> Iterator[Law]:
    """What is left of laws where rows are repeated: keys only determine, DCs say nothing of equal rows."""
    every = frozenset(names)
    for law in laws:
        if isinstance(law, Key):
            yield from (FD(law.columns, name) for name in sorted(every - law.columns))
        elif isinstance(law, FD | OD):
            yield law
