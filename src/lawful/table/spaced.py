"""Ranks that follow a relation's changes: a small batch writes the numbers of its own rows only."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lawful.table.numbering import Numbering, RoomyArray
from lawful.table.relation import Relation
from lawful.table.store import Codes


class SpacedRanks:
    """Numbers in the order of the values of each column, with gaps, for all rows that a relation ever had.

    The number of a row is its id. `groups` are columns that share one scale: equal values have equal numbers
    in all of them. NULL has the least number where it equals NULL, else -1.

    Attributes:
        renumbered: the columns in which older rows have got other numbers with the last change.
    """

    def __init__(self, relation: Relation, groups: Sequence[Sequence[int]] = ()) -> None:
        """Number all values of the present version."""
        self._relation = relation
        columns = range(len(relation.names))
        grouped = {column for group in groups for column in group}
        alone = ((column,) for column in columns if column not in grouped)
        self._numberings = [Numbering(relation.now, scale) for scale in (*groups, *alone)]
        self._ranks = RoomyArray(np.empty((len(columns), 0), np.int32))
        self._alive = RoomyArray(np.empty(0, np.bool_))
        self._deleted = 0
        self.renumbered = frozenset(columns)
        self._add_rows()

    @property
    def ranks(self) -> Codes:
        """The numbers, one line for each column, without a copy, and with room for rows to come.

        `follow` writes into it: the numbers of new rows and of renumbered columns.
        """
        return self._ranks.whole

    @property
    def alive(self) -> npt.NDArray[np.bool_]:
        """Which rows are there."""
        return self._alive.view

    def dense(self, ids: npt.NDArray[np.int64]) -> Codes:
        """Ranks of some rows that are or were there; values that none of them has leave gaps."""
        now = self._relation.now
        ranks = np.empty((len(self.ranks), len(ids)), np.int32)
        for scale in self._numberings:
            for column, of_codes in scale.ranks().items():
                np.take(of_codes, now.codes_since(column, 0)[ids], out=ranks[column], mode="clip")
        return ranks

    def follow(self) -> None:
        """Number the rows that the relation has got since, and mark those that have gone."""
        moved = [scale for scale in self._numberings if scale.follow(self._relation.now)]
        self.renumbered = frozenset(column for scale in moved for column in scale.columns)
        self._add_rows()

    def _add_rows(self) -> None:
        now, before = self._relation.now, len(self._ranks)
        self._ranks.grow(now.total)
        for scale in self._numberings:
            for column in scale.columns:
                start = 0 if column in self.renumbered else before
                np.take(
                    scale.numbers(column),
                    now.codes_since(column, start),
                    out=self._ranks.view[column, start:],
                    mode="clip",
                )
        self._alive.grow(now.total)
        self.alive[before:] = True
        self.alive[now.deleted_since(self._deleted)] = False
        self._deleted = now.n_deleted
