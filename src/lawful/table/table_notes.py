"""What a user should know of a table as a whole: row numbers, a row or a first line that is none of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from lawful.table.dialect import DELIMITERS

if TYPE_CHECKING:
    from lawful.table.relation import Relation

# What pandas, R and spreadsheets call the numbers of rows that they write, without signs between letters.
_ROW_NUMBERS = frozenset({"", "index", "row", "rowid", "rowname", "rownames", "rownumber", "unnamed0"})
_LONE_SHARE = 0.5  # of the columns, which a total leaves empty


def table_notes(relation: Relation) -> Iterator[tuple[list[str], str]]:
    """Sentences on columns, with these before them."""
    for column, stored in zip(relation.columns, relation.now.manifest.columns, strict=True):
        called = column.name if stored.rule.renamed is None else stored.rule.renamed
        numbers = column.type == "integer" and column.distinct == relation.n_rows > 1
        if numbers and re.sub(r"[\W_]", "", called).lower() in _ROW_NUMBERS:
            yield [column.name], f"seems to number the rows; --exclude {column.name} finds laws without it"
    if row := _lone_row(relation):
        yield row
    yield from _title(relation)


def _title(relation: Relation) -> Iterator[tuple[list[str], str]]:
    """One column of lines with more of them: the first line may be a title above the table."""
    if len(relation.names) > 1 or relation.columns[0].type != "string":
        return
    rule, values = relation.now.manifest.columns[0].rule, relation.now.dictionary(0).values.drop_null()
    named = rule.mode == "text" and relation.options.header and rule.renamed is None
    for mark in DELIMITERS if named and not rule.name.startswith("#") else ():
        if pc.all(pc.match_substring(values, mark)).as_py():
            cure = f"if the name is a title above the table, --comment {rule.name!r} passes over it"
            yield [rule.name], f"all values have a {mark!r}; {cure}"
            return


def _lone_row(relation: Relation) -> tuple[list[str], str] | None:
    """The one row that lacks what all others have, as a total at the end of a sheet does."""
    columns = relation.columns
    places = [place for place, column in enumerate(columns) if column.nulls == 1 and column.distinct > 0]
    known = sum(column.distinct > 0 for column in columns)
    if len(places) < 2 or len(places) < _LONE_SHARE * known:
        return None
    rows = {int(relation.ranks()[place].argmin()) for place in places}  # NULL has the smallest rank
    if len(rows) > 1:
        return None
    (where,) = relation.locate(relation.row_ids[[*rows]])
    said = f"only row {where.row:,} has none; if it is a total or a remark, take it out"
    return [columns[place].name for place in places], said
