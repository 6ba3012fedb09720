"""Cells that are likely wrong, by the laws that the table itself obeys almost.

The laws are FDs that save bits. In each class of such a law the value that most rows have votes for the cells
of all; a law weighs the more, the fewer exceptions it has. A wrong value on the left of some laws moves a row
to another class, where those alone are against the rest of the row, and other laws in favour. A cell is a
suspect if the laws against it weigh so much more than those in favour that it is wrong as likely as not where
one cell in 32 is.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.checking.approximate_bits import bits_of_fd
from lawful.laws import FD
from lawful.laws.comparisons import Ints
from lawful.table import Relation
from lawful.table.workspace import Workspace
from lawful.validate.contexts import partition_of

NO_VOTE = -1
ENOUGH = 5.0  # bits against a cell
MOST_CELLS = 1 << 28  # that are looked at for laws of missing cells: a few seconds
BETWEEN_LAWS = "; "  # of which the last column has several
SUSPECTS_SCHEMA = pa.schema(
    [
        ("row", pa.int64()),
        ("column", pa.string()),
        ("value", pa.string()),
        ("expected", pa.string()),
        ("bits", pa.float64()),
        ("laws", pa.string()),
    ]
)


class SavingFD(NamedTuple):
    """An FD that saves bits."""

    left: tuple[int, ...]
    right: int
    bits: float
    fills: bool = False  # whether it is asked for missing cells only

    def law(self, names: Sequence[str]) -> FD:
        """The law itself."""
        return FD(frozenset(names[column] for column in self.left), names[self.right])


def saving_fds(
    work: Workspace, usable: Sequence[int], max_left: int, min_bits: float, minimal: bool = False
) -> list[SavingFD]:
    """All FDs of at least so many bits and at most so many columns on the left, the most bits first.

    `minimal`: without those that have more columns on the left than another one has.
    """
    found: list[SavingFD] = []
    for size in range(1, max_left + 1):
        for left in combinations(usable, size):
            for right in usable if not work.halted else ():
                if right in left or (minimal and _is_said(left, right, found)):
                    continue
                bits = bits_of_fd(left, right, work, len(usable), max(min_bits, 1e-9))
                if bits >= max(min_bits, 1e-9):
                    found.append(SavingFD(left, right, bits))
    return sorted(found, key=lambda law: -law.bits)


def filling_fds(
    relation: Relation, work: Workspace, usable: Sequence[int], size: int, min_bits: float
) -> list[SavingFD]:
    """FDs of columns with missing values, of so many columns on the left; none where that would take long.

    Such a law has more exceptions by chance than a smaller one. But a missing cell has no value that would
    speak against what it expects.
    """
    rights = [right for right in usable if relation.columns[right].nulls]
    if math.comb(len(usable), size) * len(rights) * work.rows.count > MOST_CELLS:
        return []
    rated = (
        SavingFD(left, right, bits_of_fd(left, right, work, len(usable), min_bits), fills=True)
        for left in combinations(usable, size)
        for right in rights
        if right not in left
    )
    return [law for law in rated if law.bits >= max(min_bits, 1e-9)]


def _is_said(left: Iterable[int], right: int, found: Iterable[SavingFD]) -> bool:
    return any(one.right == right and {*one.left} < {*left} for one in found)


def suspects_of(relation: Relation, work: Workspace, laws: Sequence[SavingFD]) -> pa.Table:
    """The cells that laws outvote, those against which there are the most bits first."""
    parts = [
        _Column(relation, work, right, [law for law in laws if law.right == right]).suspects()
        for right in sorted({law.right for law in laws})
    ]
    found = pa.concat_tables([SUSPECTS_SCHEMA.empty_table(), *parts])
    return found.sort_by([("bits", "descending"), ("row", "ascending"), ("column", "ascending")])


class _Column:
    """The votes on the cells of one column."""

    def __init__(self, relation: Relation, work: Workspace, right: int, laws: Sequence[SavingFD]) -> None:
        self._relation, self._work, self._right, self._laws = relation, work, right, laws
        self._own: npt.NDArray[np.int32] = work.rows.ranks[right]
        self._votes = [expected_values(law, relation, work) for law in laws]

    def suspects(self) -> pa.Table:
        """The cells that are outvoted."""
        against, in_favour = np.zeros(len(self._own)), np.zeros(len(self._own))
        for votes in self._votes:
            weight = weight_of(votes.exceptions, len(self._own))
            against += weight * self._outvoted(votes.expected)
            in_favour += weight * (votes.expected == self._own)
        rows = np.flatnonzero(against - in_favour >= ENOUGH)
        bits = np.round((against - in_favour)[rows], 6)
        name = self._relation.names[self._right]
        places = self._relation.locate(self._work.rows.row_ids(rows))
        values = self._texts()
        lines = {
            "row": [place.row for place in places],
            "column": [name] * len(rows),
            "value": values.take(pa.array(self._own[rows])),
            "expected": values.take(pa.array(self._expected(rows))),
            "bits": bits,
            "laws": [BETWEEN_LAWS.join(self._laws_against(row)) for row in rows.tolist()],
        }
        return pa.table(lines, schema=SUSPECTS_SCHEMA)

    def _outvoted(self, expected: Ints) -> npt.NDArray[np.bool_]:
        outvoted: npt.NDArray[np.bool_] = (expected != NO_VOTE) & (expected != self._own)
        return outvoted

    def _expected(self, rows: Ints) -> Ints:
        """What the law with the most bits expects of those that are against a cell."""
        expected = np.full(len(rows), NO_VOTE)
        for votes in self._votes:
            some = (expected == NO_VOTE) & self._outvoted(votes.expected)[rows]
            expected[some] = votes.expected[rows][some]
        return expected

    def _laws_against(self, row: int) -> Iterator[str]:
        for law, votes in zip(self._laws, self._votes, strict=True):
            if votes.expected[row] not in (NO_VOTE, self._own[row]):
                yield str(law.law(self._relation.names))

    def _texts(self) -> pa.Array:
        """The values of the column by rank, as texts."""
        return pc.cast(self._relation.dictionary(self._relation.names[self._right]), pa.string())


class Votes(NamedTuple):
    """What an FD expects of each row: the rank that most rows of its class have, or NO_VOTE."""

    expected: Ints
    exceptions: int


def expected_values(law: SavingFD, relation: Relation, work: Workspace) -> Votes:
    """What an FD expects of the cells on its right: the value of the most rows, of at least two.

    Where most are missing it expects nothing. Missing values on the left are not alike, and one on the right
    is no exception: it says nothing of how often rows disobey the law.
    """
    (rows, ends), base = partition_of(law.left, work), work.rows.highest + 1
    classes, values = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), work.rows.ranks[law.right]
    told = values[rows] >= 0
    for column in law.left if relation.nulls_are_equal else ():
        told &= (work.rows.ranks[column, rows] > 0) | (relation.columns[column].nulls == 0)
    rows, classes = rows[told], classes[told]
    parts, counts = np.unique(classes * base + values[rows], return_counts=True)
    part_classes, part_values = parts // base, parts % base
    missing = (part_values == 0) & (relation.nulls_are_equal and relation.columns[law.right].nulls > 0)
    most, most_known = np.zeros((2, len(ends)), np.int64)
    np.maximum.at(most, part_classes, counts)
    np.maximum.at(most_known, part_classes[~missing], counts[~missing])
    first = (counts == most[part_classes]) & (counts > 1)
    first &= np.bincount(part_classes[first], minlength=len(ends))[part_classes] == 1
    winner, expected = np.full(len(ends), NO_VOTE), np.full(work.rows.count, NO_VOTE)
    winner[part_classes[first & ~missing]] = part_values[first & ~missing]
    expected[rows] = winner[classes]
    if law.fills:
        expected[values > 0] = NO_VOTE
    most_known[part_classes[first & missing]] = 0
    return Votes(expected, int(counts[~missing].sum() - most_known.sum()))


def weight_of(exceptions: int, rows: int) -> float:
    """How much a law with so many exceptions says, in bits."""
    share = max(exceptions, 1) / max(rows, 1)
    return math.log2((1 - share) / share) if share < 0.5 else 0.0
