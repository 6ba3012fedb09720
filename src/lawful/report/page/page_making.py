"""A page of laws and, where it is at hand, of their table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from lawful.checking.checks import checked, suspected
from lawful.discovery import options_of
from lawful.laws import Law
from lawful.report.collection import Laws
from lawful.report.page.page_document import Reported
from lawful.report.page.page_file import check_report_file, write_report
from lawful.report.page.page_verdicts import laws_of_verdicts
from lawful.table import Relation, read


def report_laws(laws: Laws, path: str | Path, source: Any, suspects: bool, force: bool) -> None:
    """Write a page of laws; where their table is given, with what it says of them."""
    check_report_file(path, source, force)
    if source is None:
        write_report(Reported(laws), path)
        return
    relation = read(source)
    found = suspect_cells(relation) if suspects else None
    write_report(reported_on(laws, relation, name_of(source), found), path)


def reported_on(laws: Iterable[Law], relation: Relation, name: str, suspects: pa.Table | None) -> Reported:
    """What a table says of laws that somebody has: they may be those of another one, so they are checked."""
    verdicts = checked(relation, laws.with_equivalences() if isinstance(laws, Laws) else laws)
    if isinstance(laws, Laws) and verdicts.hold and _are_of(laws, relation):
        return Reported(laws, name, relation, suspects=suspects)
    return Reported(laws_of_verdicts(verdicts), name, relation, verdicts, suspects)


def _are_of(laws: Laws, relation: Relation) -> bool:
    """Whether laws seem to have been found in a table, so that all else that is known of them holds too."""
    types = {column.name: column.type for column in relation.columns}
    return laws.facts.types == types and laws.facts.stats.get("rows") == relation.n_rows


def suspect_cells(relation: Relation) -> pa.Table:
    """The cells of a table that are likely wrong, by FDs of two columns."""
    return suspected(relation, options_of("fd", max_size=2))


def name_of(source: Any) -> str:
    """What a source is called: its last part, without what a page is not to tell, such as passwords."""
    if not isinstance(source, str | Path):
        return ""
    if source == "-":
        return "standard input"
    return re.split(r"[?;]", str(source))[0].rstrip("/").rpartition("/")[2]
