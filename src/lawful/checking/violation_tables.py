"""The rows that break laws as Arrow tables, with where they stand in the source and their values.

The columns of our own begin with an underscore: `_law`; `_group` or `_pair`, the number of the group or pair
that a row is in; `_side`, t or s; `_source` and `_row`, the file and the number in it, from 1;
`_likely_wrong`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.violating_rows import CHUNK, NO_SIDE, ViolatingRows
from lawful.table import Relation
from lawful.table.column_names import unique_names

_SIDES = (None, "t", "s")
_OWN = ("_law", "_group", "_pair", "_side", "_source", "_row", "_likely_wrong")


def violation_tables(verdicts: CheckedLaws, names: Sequence[str]) -> Iterator[pa.Table]:
    """All rows that break laws, law by law, with their values in some columns; at least an empty table."""
    yield _table("", _NONE, verdicts.relation, names)
    for verdict in verdicts.failing:
        for rows in verdicts.table.violating_rows(verdict.law):
            for start in range(0, len(rows.ids), CHUNK):
                part = rows.some(slice(start, start + CHUNK))
                part = part._replace(wrong=part.wrong & verdict.tells_wrong_rows)
                yield _table(str(verdict.law), part, verdicts.relation, names)


_NONE = ViolatingRows(
    np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.int8), np.empty(0, np.bool_)
)


def columns_of_violations(
    verdicts: Sequence[CheckedLaw], relation: Relation, show: Sequence[str]
) -> list[str]:
    """The columns that violations are shown with: those of laws that fail, and further ones."""
    spoken = {name for one in verdicts if not one.holds for name in one.law.columns}
    return [name for name in relation.names if name in spoken or name in show]


def _table(law: str, rows: ViolatingRows, relation: Relation, names: Sequence[str]) -> pa.Table:
    places, paired = relation.locate(rows.ids), rows.sides != NO_SIDE
    own = [
        pa.array([law] * len(places), pa.string()),
        pa.array(rows.groups, pa.int64(), mask=paired),
        pa.array(rows.groups, pa.int64(), mask=~paired),
        pa.array(_SIDES, pa.string()).take(pa.array(rows.sides)),
        pa.array([place.source for place in places], pa.string()),
        pa.array([place.row for place in places], pa.int64()),
        pa.array(rows.wrong),
    ]
    values = relation.rows(rows.ids, names)
    titles = unique_names([*names, *_OWN])[len(names) :]
    return pa.Table.from_arrays([*own, *values.columns], names=[*titles, *names])
