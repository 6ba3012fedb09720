"""A query over a table, as far as laws can say something about it: also where it joins others to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lawful.errors import LawfulError
from lawful.laws import FD, OD, Key, Law
from lawful.reasoning import SortItem
from lawful.report.sql_names import needs_quotes
from lawful.table.column_names import unknown_column
from lawful.table.kinds import EXACT_NUMBERS

if TYPE_CHECKING:
    from lawful.report.consequences import Consequences

Node = Any  # of sqlglot's tree
_BEYOND = ("laterals", "with_", "pivots")

_EXACT = ("spark", "databricks", "postgres", "duckdb", "sqlite")  # texts are equal if they are identical


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


@dataclass
class ParsedQuery:
    """One SELECT; what is no plain column in it is a column of its own, of which no law speaks."""

    tree: Node
    dialect: str
    laws: Consequences  # of the table
    table: Node
    others: list[str] = field(default_factory=list)  # the expressions that were met

    @classmethod
    def of(cls, sql: str, dialect: str, laws: Consequences, name: str | None = None) -> ParsedQuery:
        """The query that a text is, over the table of some laws, which has this name if others are joined."""
        sqlglot = _sqlglot()
        try:
            tree = sqlglot.parse_one(sql, read=dialect)
        except (sqlglot.errors.SqlglotError, ValueError) as error:
            raise _unreadable(_reason(error)) from None
        if isinstance(tree, sqlglot.exp.Condition | sqlglot.exp.Alias | sqlglot.exp.Command):  # no statement
            word = (sql.split() or [""])[0]
            raise _unreadable(f"it begins with {word!r}, not with SELECT")
        query = cls(tree, dialect, laws, table_of(tree, sqlglot.exp, name))
        query._check_groups()
        return query

    @property
    def is_joined(self) -> bool:
        """Whether rows of the table may come several times, beside those of others."""
        return bool(self.tree.args.get("joins"))

    def laws_of_rows(self) -> Iterator[Law]:
        """What is true of the rows of the table where they stand in the query."""
        known = self.laws.sql_theory.laws
        yield from true_after_joins(known, self.laws.names) if self.is_joined else known
        yield from self._constants()

    @property
    def ordered(self) -> list[tuple[SortItem, Node]]:
        """What the query sorts by, each with its place in the tree."""
        return [(self._item(node), node) for node in self._parts("order")]

    @property
    def grouped(self) -> list[tuple[str, Node]]:
        """What the query groups by."""
        return [(self._grouped_name(node), node) for node in self._parts("group")]

    @property
    def distinct(self) -> list[str] | None:
        """What a SELECT DISTINCT compares; None where there is none, or more than that."""
        kind = self.tree.args.get("distinct")
        if kind is None or kind.args.get("on") is not None or self._parts("group"):
            return None
        if any(node.is_star for node in self.tree.expressions):
            return None if self.is_joined else [*self.laws.names]
        return list(dict.fromkeys(self._name(node.unalias()) for node in self.tree.expressions))

    @property
    def hides_columns(self) -> bool:
        """Whether it could not be sorted by columns that it does not name."""
        aggregates = self.tree.find(_sqlglot().exp.AggFunc) is not None
        return aggregates or bool(self._parts("group")) or self.tree.args.get("distinct") is not None

    def _constants(self) -> Iterator[Law]:
        """What WHERE makes constant: columns that it compares with one value of their type."""
        exp, where = _sqlglot().exp, self.tree.args.get("where")
        condition: Node = None if where is None else where.this.unnest()
        for node in condition.flatten() if isinstance(condition, exp.And) else [condition]:
            is_comparison = isinstance(node, exp.EQ) and self._is_column(node.this)
            if is_comparison and self._is_exact(node.this, node.expression):
                yield FD(frozenset(), self._column(node.this.name))

    def key_of_groups(self) -> Iterator[Law]:
        """What GROUP BY makes a key of the query's rows."""
        if self.grouped:
            yield Key(frozenset(name for name, _ in self.grouped))

    def needs(self, node: Node) -> bool:
        """Whether what the query groups by also stands elsewhere in it, outside an aggregate."""
        exp, name = _sqlglot().exp, self._grouped_name(node)
        having = self.tree.args.get("having")
        places = [*self.tree.expressions, *([] if having is None else [having]), *self._parts("order")]
        columns = [column for place in places for column in place.find_all(exp.Column)]
        outside = [column for column in columns if column.find_ancestor(exp.AggFunc) is None]
        return any(name in (self._name(column), column.name) for column in outside)

    def sort_by(self, items: Sequence[tuple[SortItem, Node | None]]) -> None:
        """Put another list, of nodes of the tree or of columns, in the place of ORDER BY's."""
        nodes = [node or self._ordered_node(item) for item, node in items]
        self.tree.set("order", _sqlglot().exp.Order(expressions=nodes) if nodes else None)

    def group_by(self, nodes: Sequence[Node]) -> None:
        """Leave only these nodes of GROUP BY's."""
        self.tree.args["group"].set("expressions", list(nodes))

    def drop_distinct(self) -> None:
        """Leave out the word DISTINCT."""
        self.tree.set("distinct", None)

    def sql(self) -> str:
        """The query as text."""
        return str(self.tree.sql(dialect=self.dialect))

    def _check_groups(self) -> None:
        exp, group = _sqlglot().exp, self.tree.args.get("group")
        if group is None:
            return
        several = group.find(exp.Rollup, exp.Cube, exp.GroupingSets) is not None
        if several or group.args.get("all") or group.args.get("totals"):
            raise LawfulError("GROUP BY with ROLLUP, CUBE, GROUPING SETS or ALL: name the columns instead")

    def _parts(self, clause: str) -> list[Node]:
        node = self.tree.args.get(clause)
        return [] if node is None else list(node.expressions)

    def _item(self, node: Node) -> SortItem:
        name, descending = self._name(node.this), bool(node.args.get("desc"))
        item = SortItem(name, descending, bool(node.args.get("nulls_first")))
        return item.plain({*self.laws.nullable, *self.others})

    def _name(self, node: Node) -> str:
        """The column of the table that a node is, or the text of an expression."""
        node = self._meant(node)
        if self._is_column(node):
            return self._column(node.name)
        text = str(node.sql(dialect=self.dialect))
        if text not in self.others:
            self.others.append(text)
        return text

    def _grouped_name(self, node: Node) -> str:
        """The same in GROUP BY, where a column of the table goes before an alias."""
        is_column = self._is_column(node) and node.name in self.laws.names
        return str(node.name) if is_column else self._name(node)

    def _is_column(self, node: Node) -> bool:
        """Whether a node is a column of the table: the s of s.b may be a column with parts.

        What has no table's name in a join is a column of the one table that has it.
        """
        if not isinstance(node, _sqlglot().exp.Column):
            return False
        if self.is_joined and not node.table:
            return node.name.casefold() in [name.casefold() for name in self.laws.names]
        if self.is_joined:
            return bool(node.table == self.table.alias_or_name)
        return node.table in ("", self.table.name, self.table.alias)

    def _meant(self, node: Node) -> Node:
        """The expression of SELECT that a number or an alias stands for."""
        exp, chosen = _sqlglot().exp, self.tree.expressions
        if isinstance(node, exp.Literal) and node.is_int and 1 <= int(node.this) <= len(chosen):
            return chosen[int(node.this) - 1].unalias()
        if isinstance(node, exp.Column) and not node.table:
            for one in chosen:
                if isinstance(one, exp.Alias) and one.alias.casefold() == node.name.casefold():
                    return one.this
        return node

    def _column(self, name: str) -> str:
        if name in self.laws.names:
            return name
        alike = [own for own in self.laws.names if own.casefold() == name.casefold()]
        if len(alike) != 1:
            raise LawfulError(unknown_column(name, self.laws.names))
        return alike[0]

    def _is_exact(self, column: Node, literal: Node) -> bool:
        """Whether only one value of a column equals a literal: elsewhere A equals a, and 05 equals 5."""
        if not isinstance(literal, _sqlglot().exp.Literal):
            return False
        kind = self.laws.facts.types.get(self._column(column.name))
        if literal.is_string:
            return kind == "string" and self.dialect in _EXACT
        return kind in EXACT_NUMBERS

    def _ordered_node(self, item: SortItem) -> Node:
        """A column to sort by, with a word on NULLs only where it may hold some."""
        sqlglot, direction = _sqlglot(), " DESC" * item.descending
        example = sqlglot.parse_one(f"SELECT 1 ORDER BY c{direction}", read=self.dialect)
        node = example.find(sqlglot.exp.Ordered)
        table = self.table.alias_or_name if self.is_joined else None
        node.set("this", sqlglot.exp.column(item.column, table, quoted=needs_quotes(item.column)))
        if item.column in self.laws.nullable:
            node.set("nulls_first", not item.descending)
        return node


def _unreadable(why: str) -> LawfulError:
    return LawfulError(f"cannot read the query: {why}; check it, or choose another dialect")


def _reason(error: Exception) -> str:
    """Why a query cannot be parsed, and where."""
    for one in getattr(error, "errors", ()):
        what = "something is missing" if "<class" in one["description"] else one["description"].rstrip(".")
        return f"{what} before character {one['col'] + 1} of line {one['line']}"
    return (str(error).splitlines() or ["it is empty"])[0].rstrip(".")


def _sqlglot() -> Any:
    try:
        import sqlglot
        import sqlglot.errors
    except ImportError:
        raise LawfulError("queries are read by sqlglot: pip install 'lawful[sql]'") from None
    return sqlglot
