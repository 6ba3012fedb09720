"""All that a page says, as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pyarrow as pa

from lawful.checking.checked_laws import CheckedLaws
from lawful.checking.suspect_cells import BETWEEN_LAWS
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report.collection import Laws
from lawful.report.overview import overview
from lawful.report.page.page_columns import columns_document
from lawful.report.page.page_laws import laws_document
from lawful.report.page.page_rows import rows_document
from lawful.report.page.page_verdicts import verdicts_document
from lawful.report.sentences import NAMES, remarks, summary
from lawful.report.verdict_words import verdicts_summary
from lawful.table import Relation

_SUSPECTS, _CHANGES = 500, 500  # that a page has room for
_WITHOUT_TABLE = (
    "Made from a file of laws alone: histograms and example rows need the table "
    "(lawful report TABLE --laws FILE)."
)


@dataclass(frozen=True)
class Reported:
    """What a page is made of.

    Attributes:
        laws: that it shows.
        source: what the table is called.
        relation: the table, where it is at hand.
        verdicts: what the table says of the laws, where these were checked.
        suspects: cells that are likely wrong, where asked for.
        history: what happened to the state that the laws come from.
    """

    laws: Laws
    source: str = ""
    relation: Relation | None = None
    verdicts: CheckedLaws | None = None
    suspects: pa.Table | None = None
    history: Sequence[Mapping[str, Any]] | None = None

    def __post_init__(self) -> None:
        if self.relation is not None and self.relation.names != self.laws.names:
            raise LawfulError("the laws are those of a table with other columns: give the one they are of")

    def document(self) -> dict[str, Any]:
        """The page as plain data."""
        laws, relation = self.laws, self.relation
        holding = laws if self.verdicts is None else held(laws, self.verdicts)
        return {
            "title": self.source or "Laws of a table",
            "made": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
            "version": version("lawful"),
            "rows": laws.facts.stats.get("rows") if relation is None else relation.n_rows,
            "columns": columns_document(laws, relation),
            "equivalents": [list(group["columns"]) for group in laws.facts.equivalents],
            "kinds": [{"kind": kind, "one": one, "many": many} for kind, (one, many) in NAMES.items()],
            "counts": laws.counts,
            "said": [
                *([] if self.verdicts is None else [verdicts_summary(self.verdicts)]),
                *overview(holding),
            ],
            "remarks": [summary(laws), *remarks(laws), *([_WITHOUT_TABLE] if relation is None else [])],
            "notes": [] if relation is None else [*relation.notes],
            "laws": laws_document(laws),
            "failing": None if self.verdicts is None else verdicts_document(laws, self.verdicts),
            "sample": None if relation is None else rows_document(relation, laws),
            "suspects": None if self.suspects is None else _suspects(self.suspects),
            "history": None if self.history is None else [*map(dict, self.history[-_CHANGES:])],
        }


def held(laws: Laws, verdicts: CheckedLaws) -> Laws:
    """Those of some laws that hold."""
    true: set[Law] = {one.law for one in verdicts if one.holds}
    return Laws.of(laws.names, [pair for pair in laws.items() if pair[0] in true], laws.facts)


def _suspects(found: pa.Table) -> dict[str, Any]:
    """Cells with the first of the laws against them, and how many more there are."""
    cells = found.slice(0, _SUSPECTS).to_pylist()
    laws = [cell["laws"].split(BETWEEN_LAWS) for cell in cells]
    told = [
        {**cell, "laws": against[0], "more": len(against) - 1}
        for cell, against in zip(cells, laws, strict=True)
    ]
    return {"count": found.num_rows, "cells": told}
