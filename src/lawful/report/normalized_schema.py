"""A table in parts of a normal form, as text and as SQL."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lawful.laws import FD
from lawful.laws.text import braced
from lawful.reasoning import Decomposition, SchemaPart, normalized
from lawful.report.sql_names import comment, identifier, listed_names, plain_name, sql_type
from lawful.shown import Shown

if TYPE_CHECKING:
    from lawful.report.consequences import Consequences

_FORMS = {"3nf": "third normal form", "bcnf": "Boyce-Codd normal form"}

_WORDS = 3  # of a name


@dataclass(frozen=True)
class NormalizedSchema(Shown):
    """The parts of a table; joined they are the table again."""

    laws: Consequences
    decomposition: Decomposition

    @classmethod
    def of(cls, laws: Consequences, form: str) -> NormalizedSchema:
        """The table of some laws in a normal form."""
        return cls(laws, normalized(laws.sql_theory, form))

    @property
    def parts(self) -> tuple[SchemaPart, ...]:
        """The tables, those that others refer to first."""
        return tuple(_referred_to_first(self.decomposition.parts))

    @property
    def kept(self) -> tuple[FD, ...]:
        """The dependencies that keys of the parts keep."""
        return self.decomposition.kept

    @property
    def lost(self) -> tuple[FD, ...]:
        """The dependencies that only a join of parts can check."""
        return self.decomposition.lost

    @property
    def lossless(self) -> bool:
        """Whether a join of the parts gives back the table."""
        return self.decomposition.lossless

    def __str__(self) -> str:
        return "\n".join(self._said())

    def _said(self) -> Iterator[str]:
        yield f"{_FORMS[self.decomposition.form]}, {len(self.parts)} {'parts' if self.parts[1:] else 'part'}:"
        for number, part in enumerate(self.parts, 1):
            keys = ", ".join(f"key {braced(key)}" for key in part.keys)
            yield f"{number}. {braced_in_order(part.columns)} with {keys}"
        if self.lossless:
            yield "lossless: the parts joined have the rows of the table and no others (proven by the chase)"
        kept = ", ".join(map(str, self.kept))
        yield f"kept: {kept}" if kept else "there are no dependencies to keep"
        if self.lost:
            yield f"lost, checked by a join only: {', '.join(map(str, self.lost))}"
        if not self.decomposition.distinct:
            yield "identical rows, if there are any, are stored once: the parts do not count them"

    def to_json(self, table: str = "data") -> dict[str, Any]:
        """A plain dict, with names of the parts of a table."""
        return {
            "form": self.decomposition.form,
            "lossless": self.lossless,
            "parts": [
                {"name": name, "columns": list(part.columns), "keys": [sorted(key) for key in part.keys]}
                for name, part in zip(self._names(table), self.parts, strict=True)
            ],
            "kept": [law.to_json() for law in self.kept],
            "lost": [law.to_json() for law in self.lost],
            "sql": self.sql(table),
        }

    def sql(self, table: str = "data") -> str:
        """SQL that makes the parts of a table, fills them from it and joins them to a view."""
        names = self._names(table)
        blocks = [comment(str(self))]
        for number, part in enumerate(self.parts):
            blocks.append(self._create(number, names))
            columns, own = listed_names(part.columns), identifier(names[number])
            blocks.append(f"INSERT INTO {own}\nSELECT DISTINCT {columns} FROM {identifier(table)};")
        return "\n\n".join([*blocks, self._view(table, names)]) + "\n"

    def _names(self, table: str) -> list[str]:
        """A name for each part, after its shortest key where that is no long one."""
        names: list[str] = []
        for number, part in enumerate(self.parts, 1):
            words = part.keys[0] if len(part.keys[0]) <= _WORDS else [f"part_{number}"]
            name = plain_name(table, *(words or ["constants"]))
            names.append(name if name not in names else f"{name}_{number}")
        return names

    def _create(self, number: int, names: list[str]) -> str:
        part = self.parts[number]
        lines = [self._column(name, part) for name in part.columns]
        lines += [self._constraint(key, key == part.keys[0]) for key in part.keys if key]
        for other in range(number):
            key = self.parts[other].keys[0]
            if key and {*key} <= {*part.columns} and self._is_primary(key):
                columns = listed_names(key)
                there = identifier(names[other])
                lines.append(f"FOREIGN KEY ({columns}) REFERENCES {there} ({columns})")
        inside = ",\n    ".join(lines)
        return f"CREATE TABLE {identifier(names[number])} (\n    {inside}\n);"

    def _column(self, name: str, part: SchemaPart) -> str:
        filled = "" if name in self.laws.nullable else " NOT NULL"
        return f"{identifier(name)} {sql_type(name, self.laws.facts.types)}{filled}"

    def _constraint(self, key: Collection[str], first: bool) -> str:
        primary = first and self._is_primary(key)
        return f"{'PRIMARY KEY' if primary else 'UNIQUE'} ({listed_names(key)})"

    def _is_primary(self, key: Collection[str]) -> bool:
        """A primary key holds no NULLs; with UNIQUE databases let NULL stand in several rows."""
        return self.laws.nullable.isdisjoint(key)

    def _view(self, table: str, names: list[str]) -> str:
        """A view that joins the parts."""
        place: dict[str, str] = {}
        joins = []
        for number in self._joining_order():
            part, own, alias = self.parts[number], identifier(names[number]), f"p{number + 1}"
            conditions = [
                f"{place[name]} {self._equals(name)} {alias}.{identifier(name)}"
                for name in part.columns
                if name in place
            ]
            on = f"JOIN {own} AS {alias} ON {' AND '.join(conditions)}"
            joins.append(on if conditions else f"{'CROSS JOIN' if place else 'FROM'} {own} AS {alias}")
            for name in part.columns:
                place.setdefault(name, f"{alias}.{identifier(name)}")
        columns = ", ".join(f"{place[name]} AS {identifier(name)}" for name in self.laws.names)
        view = identifier(plain_name(table, "joined"))
        return f"CREATE VIEW {view} AS\nSELECT {columns}\n" + "\n".join(joins) + ";"

    def _joining_order(self) -> Iterator[int]:
        """The part with a key of the whole first, then one whose key is there, as long as there is one."""
        theory, left, joined = self.laws.sql_theory, [*range(len(self.parts))], set[str]()
        chosen = max(left, key=lambda number: len(theory.closure(self.parts[number].columns)))
        while left:
            left.remove(chosen)
            joined |= {*self.parts[chosen].columns}
            yield chosen
            chosen = max(left, key=lambda number: self._fits(self.parts[number], joined), default=chosen)

    def _fits(self, part: SchemaPart, joined: set[str]) -> tuple[bool, int]:
        return any({*key} <= joined for key in part.keys), len(joined & {*part.columns})

    def _equals(self, name: str) -> str:
        return "IS NOT DISTINCT FROM" if name in self.laws.nullable else "="


def braced_in_order(names: Collection[str]) -> str:
    """Columns in braces, in their order."""
    return "{" + ", ".join(braced([name])[1:-1] for name in names) + "}"


def _referred_to_first(parts: Collection[SchemaPart]) -> Iterator[SchemaPart]:
    left = list(parts)
    while left:
        free = [part for part in left if not any(_refers(part, other) for other in left)]
        chosen = (free or left)[0]
        left.remove(chosen)
        yield chosen


def _refers(part: SchemaPart, other: SchemaPart) -> bool:
    """Whether a part has the key of another one, and that not its own."""
    return part != other and {*other.keys[0]} <= {*part.columns} and not {*part.keys[0]} <= {*other.columns}
