"""Laws ready for export: each with a name, a sentence, and the query that finds what breaks it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lawful.laws import FD, Key, Law
from lawful.laws.text import quoted, visible
from lawful.report.collection import Laws
from lawful.report.exports.pair_forms import Form, RowForm, SweepForm, form_of
from lawful.report.exports.violation_queries import TOO_MANY_PAIRS, ViolationQueries
from lawful.report.exports.window_conditions import WindowConditions
from lawful.report.law_sentences import sentence
from lawful.report.sql_names import plain_name


@dataclass(frozen=True)
class LawCheck:
    """One law as a check."""

    number: int
    law: Law
    queries: ViolationQueries

    @property
    def name(self) -> str:
        """A name that no other check has, of letters, digits and underscores."""
        return plain_name("law", str(self.number), self.law.kind, *sorted(self.law.columns))

    @property
    def text(self) -> str:
        """The law, on one line."""
        return visible(str(self.law))

    @property
    def says(self) -> str:
        """The law in words, on one line."""
        return visible(sentence(self.law))

    @property
    def form(self) -> Form:
        """What kind of check it is."""
        return form_of(self.law)

    @cached_property
    def query(self) -> str | None:
        """What finds rows that break the law."""
        return self.queries.query(self.law)

    @property
    def key(self) -> list[str]:
        """The columns of a key; none if it is no key."""
        return sorted(self.form.columns) if isinstance(self.form, Key) else []

    @property
    def group(self) -> list[str]:
        """Columns that tell the groups of rows apart which the query returns; none if it returns rows."""
        match self.form:
            case Key() as key:
                return sorted(key.columns)
            case FD() as law:
                return sorted(law.lhs)
            case SweepForm() as form:
                return [*sorted(form.context), form.first[0]]
        return []

    @property
    def nulls_equal(self) -> bool:
        """Whether NULL equals NULL."""
        return self.queries.nulls_equal

    @property
    def fd(self) -> FD | None:
        """The functional dependency that it is."""
        return self.form if isinstance(self.form, FD) else None

    @property
    def row_condition(self) -> str | None:
        """What a row that breaks a law of single rows satisfies; never NULL."""
        if not isinstance(self.form, RowForm):
            return None
        return f"COALESCE({self.queries.row_condition(self.form.predicates)}, FALSE)"

    @property
    def window_condition(self) -> str | None:
        """What a row that breaks a law among others satisfies, by window functions; never NULL."""
        condition = WindowConditions(self.nulls_equal, self.queries.mark).condition(self.form)
        return None if condition is None else f"COALESCE({condition}, FALSE)"


@dataclass(frozen=True)
class LawExport:
    """The laws of a table, for one tool."""

    laws: Laws
    table: str  # its plain name

    def checks(self, source: str, mark: str = '"') -> Iterator[LawCheck]:
        """The laws that can be stated, over a table that is written so in FROM."""
        yield from (check for check in self._all(source, mark) if check.query is not None)

    def left_out(self) -> list[str]:
        """A sentence for each law that no query can check in bearable time."""
        return [f"{check.text}: {TOO_MANY_PAIRS}" for check in self._all("t", '"') if check.query is None]

    def conditions(self) -> Iterator[str]:
        """What must be so in the database for the checks to mean what the laws mean."""
        laws, types = self.laws, self.laws.facts.types
        nulls = "equals NULL and sorts first" if laws.facts.nulls_equal else "equals nothing"
        yield f"NULL {nulls}, as when the laws were found."
        texts = [quoted(name) for name in laws.names if types.get(name) == "string"]
        if texts and {"od", "pod", "dc"} & {law.kind for law in laws.with_equivalences()}:
            yield 'Texts are ordered by code point (PostgreSQL: COLLATE "C").'

    def head(self) -> str:
        """The conditions and what is left out, as comments of YAML."""
        lines = [*self.conditions(), *(f"not checked: {sentence}" for sentence in self.left_out())]
        return "".join(f"# {line}\n" for line in lines)

    def _all(self, source: str, mark: str) -> Iterator[LawCheck]:
        queries = ViolationQueries(self.laws, source, mark)
        laws = self.laws.with_equivalences()
        return (LawCheck(number, law, queries) for number, law in enumerate(laws, 1))
