"""A table on which given laws are judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lawful.checking.denials import Denial, crossings_of, denial_of, require_columns_of
from lawful.checking.law_errors import Conflicts, breaks, conflicts_of
from lawful.checking.violating_rows import ViolatingRows, violating_rows
from lawful.discovery.predicate_space import scales_of
from lawful.discovery.scales import named
from lawful.engine import Engine, Viewed
from lawful.laws import Law
from lawful.laws.comparisons import Crossing
from lawful.table import Relation
from lawful.table.workspace import Workspace


@dataclass(frozen=True)
class JudgedTable:
    """The rows of a table as they lie, and with columns that laws compare with each other on one scale."""

    relation: Relation
    crossings: Sequence[Crossing]
    engine: Engine
    scaled: Engine

    @classmethod
    def of(cls, laws: Sequence[Law], relation: Relation, engine: Engine) -> JudgedTable:
        """A table for some laws; one that they cannot be judged on is an error."""
        require_columns_of(laws, relation.names)
        crossings = crossings_of(laws, relation.columns)
        scaled = Viewed(engine, named(scales_of(relation, crossings))) if crossings else engine
        return cls(relation, crossings, engine, scaled)

    def denial(self, law: Law) -> Denial:
        """What a law denies of the table."""
        return denial_of(law, self.relation.columns)

    def crosses(self, law: Law) -> bool:
        """Whether a law compares columns with each other."""
        return bool(crossings_of([law], self.relation.columns))

    def work(self, law: Law) -> Workspace:
        """Where the rows lie that a law is about."""
        return (self.scaled if self.crosses(law) else self.engine).work

    def breaks(self, law: Law) -> bool:
        """Whether some rows break a law."""
        return breaks(self.denial(law), self.work(law))

    def conflicts(self, law: Law) -> Conflicts:
        """With how many others each row breaks a law."""
        return conflicts_of(self.denial(law), self.work(law))

    def violating_rows(self, law: Law) -> Iterator[ViolatingRows]:
        """All rows that break a law."""
        return violating_rows(self.denial(law), self.work(law))
