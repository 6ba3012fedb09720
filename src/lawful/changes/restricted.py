"""Restricted tables: where new rows can break a law.

Rows that break a law agree on its context. So one of them being new, both are among the rows that have, in a
column of the context, the value of a new row. Of all columns of the context the one is taken for which these
rows are fewest, and the kernels that validate any table judge the law on them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lawful.changes.kept_family import KeptFamily
from lawful.discovery.findings import Numbers, Pairs, Sets
from lawful.discovery.rounds import Candidates, judged
from lawful.engine import Engine, Threads
from lawful.evidence.batches import Rows
from lawful.table.ranked import RankedRows
from lawful.table.workspace import Workspace
from lawful.words import members_of

EVERY_ROW = -1  # in place of a column: laws without a context, or without one that leaves many rows out
SMALL = 0.5  # of all rows: larger tables are not made, so that laws share what they have in common


class RestrictedTables:
    """The restricted tables of one batch of new rows, each made once."""

    def __init__(self, rows: Rows, new: npt.NDArray[np.int64], family: KeptFamily) -> None:
        self._rows, self._new, self._family = rows, new, family
        self._ids: dict[int, Numbers] = {}
        self._engines: dict[int, Engine] = {}

    def pairs_breaking(self, laws: Candidates) -> Pairs:
        """Some pairs of rows that break laws: those of each that is broken."""
        found, columns = [np.empty((0, 2), np.int32)], self._columns(self._family.contexts(laws))
        for column in np.unique(columns).tolist():
            engine = self._engine(column)
            _, tasks = self._family.judges(laws[columns == column], engine)
            for judgement in judged(engine, tasks, parted=False):
                found.append(engine.work.rows.row_ids(judgement.learned).astype(np.int32))
        return np.concatenate(found)

    def _columns(self, contexts: Sets) -> Numbers:
        """For each context the column whose restricted table is smallest, if it leaves many rows out."""
        chosen = np.full(len(contexts), EVERY_ROW, np.int64)
        for place, context in enumerate(contexts):
            within = members_of(context)
            if len(within):
                column = min(within.tolist(), key=lambda column: len(self._rows_of(column)))
                if len(self._rows_of(column)) <= SMALL * len(self._rows_of(EVERY_ROW)):
                    chosen[place] = column
        return chosen

    def _rows_of(self, column: int) -> Numbers:
        """The rows that have the value of a new row in a column."""
        if column not in self._ids:
            alive = self._rows.alive
            if column != EVERY_ROW:
                values = self._rows.ranks[column, : len(alive)]
                new = values[self._new]
                alive = alive & np.isin(values, new[new >= 0])
            self._ids[column] = np.flatnonzero(alive)
        return self._ids[column]

    def _engine(self, column: int) -> Engine:
        if column not in self._engines:
            ids = self._rows_of(column)
            rows = RankedRows(_dense(self._rows.ranks[:, ids]), self._family.ordered, ids=ids)
            self._engines[column] = Threads(Workspace(rows))
        return self._engines[column]


def _dense(numbers: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """Ranks without gaps, on one scale for all columns; negative ones stay."""
    dense = np.where(numbers < 0, numbers, 0).astype(np.int32)
    known = numbers >= 0
    dense[known] = np.unique(numbers[known], return_inverse=True)[1]
    return dense
