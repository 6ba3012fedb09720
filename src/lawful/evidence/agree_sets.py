"""The multiset of agree-sets of a table that changes (DynASt): how many pairs of rows agree on exactly what.

Pairs with a row that comes are counted, those with a row that goes are subtracted; deletes come first. What
is counted how is said in `lawful.evidence.value_codes`, and does not change a count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.evidence.agree_batches import AgreeBatch, Counted, agree_sets_of_batch
from lawful.evidence.agree_index import AgreeIndex, agree_index, count_agreeing
from lawful.evidence.line_counts import LineCounts, count_changes, counted_lines, no_lines
from lawful.evidence.shared_values import Rows
from lawful.evidence.value_codes import ValueCodes
from lawful.laws.comparisons import Flags, Ints
from lawful.table.ranked import Ranks
from lawful.words import Words, bit_set, words_for

STALE = 2  # codes are chosen anew when the table has become so many times as large, or as small


class AgreeSets:
    """Counts of the agree-sets of all pairs of rows of a table.

    `ranks` [column, row] has equal numbers for equal values, and negative ones for NULLs that equal nothing;
    other numbers may stand for the same values in each call.
    """

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self._known: LineCounts = no_lines(words_for(columns))
        nothing = np.empty((columns, 0), np.int32)
        self._coded = ValueCodes.of(nothing, np.empty(0, np.int32))
        self._planned = 0  # rows that the codes were chosen for
        self._index: AgreeIndex | None = None

    def __len__(self) -> int:
        return len(self.counted.counts)

    @property
    def counted(self) -> Counted:
        """The distinct agree-sets and their counts."""
        return Counted(*counted_lines(self._known))

    def insert(self, ranks: Ranks, new_rows: npt.ArrayLike) -> Words:
        """Count the pairs with rows that come; returns the agree-sets that appear."""
        ranks, rows = _unwritable(ranks), _batch(new_rows)
        if self._coded.has(rows).any():
            raise ValueError("rows that are counted already cannot be inserted")
        self._coded.add(ranks, rows)
        return self._count(ranks, rows, 1)

    def delete(self, ranks: Ranks, gone_rows: npt.ArrayLike) -> Words:
        """Subtract the pairs with rows that go; returns the agree-sets that vanish."""
        ranks, rows = _unwritable(ranks), _batch(gone_rows)
        if not self._coded.has(rows).all():
            raise ValueError("rows that are not counted cannot be deleted")
        vanished = self._count(ranks, rows, -1)
        self._coded.remove(rows)
        return vanished

    def pairs(self, agreeing: Sequence[int], differing: int | None = None) -> int:
        """How many pairs agree on some columns and, if one is given, differ on another."""
        sets = bit_set(np.array(agreeing, np.int64), words_for(self.columns))[None]
        target = np.array([-1 if differing is None else differing])
        return int(self.pairs_of(sets, target)[0, int(differing is not None)])

    def pairs_of(self, sets: Words, targets: Ints) -> Ints:
        """For each set of columns the pairs that agree on it, and those of them that differ on its target."""
        if self._index is None:
            self._index = agree_index(*self.counted, self.columns)
        pairs: Ints = count_agreeing(self._index, sets, targets)
        return pairs

    def as_table(self, names: Sequence[str]) -> pa.Table:
        """The agree-sets by the names of their columns, those of the most pairs first."""
        sets, counts = self.counted
        order = np.lexsort((*sets.T, -counts))
        bits = np.unpackbits(sets[order].view(np.uint8), axis=1, bitorder="little")
        ends = np.concatenate([[0], np.cumsum(bits.sum(axis=1, dtype=np.int32))])
        members = pa.array(names, pa.string()).take(pa.array(np.nonzero(bits)[1]))
        lists = pa.ListArray.from_arrays(pa.array(ends, pa.int32()), members)
        return pa.table({"agree_set": lists, "count": counts[order]})

    def arrays(self) -> dict[str, npt.NDArray[Any]]:
        """All that must be kept, as plain arrays."""
        numbers = {"columns": np.array(self.columns), "planned": np.array(self._planned)}
        return {**numbers, **self.counted._asdict(), **self._coded.arrays()}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]]) -> AgreeSets:
        """What was kept."""
        kept = cls(int(arrays["columns"]))
        kept._add(Counted(arrays["sets"], arrays["counts"]), 1)
        kept._planned, kept._coded = int(arrays["planned"]), ValueCodes.from_arrays(arrays)
        return kept

    def _count(self, ranks: Ranks, rows: Rows, sign: int) -> Words:
        """Count the pairs of a batch that the codes know; these are chosen anew for another table by now."""
        if not self._planned <= STALE * self._coded.count <= STALE**2 * self._planned:
            there = self._coded.rows
            self._coded, self._planned = ValueCodes.of(ranks, there), len(there)
        return self._add(agree_sets_of_batch(AgreeBatch.of(ranks, self._coded, rows)), sign)

    def _add(self, counted: Counted, sign: int) -> Words:
        """Add or subtract counts; returns the agree-sets that appear or vanish."""
        sets, counts = counted
        turned: Flags
        self._known, turned = count_changes(self._known, np.ascontiguousarray(sets.T), counts, sign)
        self._index = None
        return sets[turned]


def _batch(rows: npt.ArrayLike) -> Rows:
    """The rows of a batch, each once."""
    return np.unique(np.asarray(rows, np.int32))


def _unwritable(ranks: Ranks) -> Ranks:
    """The ranks as one type for the compiler, wherever they come from."""
    plain = np.asarray(ranks, np.int32).view(np.ndarray)
    plain.flags.writeable = False
    return plain
