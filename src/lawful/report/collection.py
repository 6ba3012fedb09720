"""The laws of a table as a collection.

A million laws are kept as a few arrays; the law objects are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
import numpy.typing as npt

from lawful.cover.targets import DENIAL
from lawful.errors import LawfulError
from lawful.laws import DC, FD, OD, Key, Law
from lawful.laws.comparisons import Comparisons, atom_words
from lawful.report.denials import atoms_of, comparisons_for, denial, places_of, stated
from lawful.words import Words, bit_set

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

KINDS = ("key", "fd", "od", "dc")  # the first by the number of columns that a law has beside its context
OF_DCS = KINDS.index("dc")


@dataclass(frozen=True)
class Facts:
    """What is known of a search beside its laws."""

    complete: bool = True
    reason: str | None = None  # which limit ended the search
    kinds: tuple[str, ...] = KINDS[:OF_DCS]  # that were looked for
    found: int | None = None  # laws in all, where a collection may hold some of them only
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    stats: Mapping[str, int] = field(default_factory=dict)
    version: str = ""


class Laws(Sequence[Law]):
    """Laws by kind, those with the highest score first.

    The score of a law is the share of pairs of rows that agree on its context: how much of the table it
    speaks of. A key has the score of its columns. The score of a DC is the mean of its succinctness and its
    coverage.

    A law is its target and a set: of columns, or for a DC of atoms of the comparisons.
    """

    def __init__(
        self,
        names: Sequence[str],
        targets: npt.NDArray[np.int64],
        sets: npt.NDArray[np.uint64],
        scores: npt.NDArray[np.float64],
        facts: Facts,
        comparisons: Comparisons | None = None,
    ) -> None:
        self.names, self.facts = tuple(names), facts
        self._comparisons = comparisons_for((), names) if comparisons is None else comparisons
        own = (targets[:, :2] >= 0).sum(axis=1)
        sizes = np.bitwise_count(sets).sum(axis=1, dtype=np.int64) + own
        of_dcs = targets[:, 0] == DENIAL[0]
        own[of_dcs], sizes[of_dcs] = OF_DCS, predicate_counts(sets[of_dcs])
        # One number for the target: each key of a sort of a million laws takes its time.
        number = (targets + 1) @ np.array([len(names) + 2, 1, 0]) * 4 + targets[:, 2]
        order = np.lexsort((*sets.T, number, sizes, -scores, own))
        self._targets, self._sets, self._own = targets[order], sets[order], own[order]
        self.scores, self.sizes = scores[order], sizes[order]

    @property
    def complete(self) -> bool:
        """Whether these are all minimal laws of the kinds that were looked for."""
        return self.facts.complete

    @property
    def counts(self) -> dict[str, int]:
        """How many laws there are of each kind that was looked for."""
        return {kind: int((self._own == KINDS.index(kind)).sum()) for kind in self.facts.kinds}

    def __len__(self) -> int:
        return len(self._targets)

    @overload
    def __getitem__(self, index: int) -> Law: ...
    @overload
    def __getitem__(self, index: slice) -> Laws: ...
    def __getitem__(self, index: int | slice) -> Law | Laws:
        if isinstance(index, slice):
            return self._chosen(np.arange(len(self))[index])
        return self._law(range(len(self))[index])

    def __iter__(self) -> Iterator[Law]:
        return map(self._law, range(len(self)))

    def __contains__(self, law: object) -> bool:
        return any(law == own for own in self)

    def items(self) -> Iterator[tuple[Law, float]]:
        """The laws with their scores."""
        return zip(self, self.scores.tolist(), strict=True)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
        return f"<Laws: {counts}; {'complete' if self.complete else f'incomplete ({self.facts.reason})'}>"

    def filter(
        self,
        kind: str | None = None,
        column: str | None = None,
        max_size: int | None = None,
        min_score: float = 0.0,
    ) -> Laws:
        """Those of one kind, about one column, of at most so many attributes, of at least such a score."""
        chosen = self.scores >= min_score
        if kind is not None:
            chosen &= self._own == _known(kind, KINDS, "kind of law")
        if max_size is not None:
            chosen &= self.sizes <= max_size
        if column is not None:
            chosen &= self._speak_of(_known(column, self.names, "column"))
        return self._chosen(np.flatnonzero(chosen))

    def top(self, count: int) -> Laws:
        """The `count` laws with the highest scores, whatever their kinds."""
        if count < 0:
            raise LawfulError(f"top must be at least 0, not {count}")
        return self._chosen(np.sort(np.lexsort((self.sizes, -self.scores))[:count]))

    def to_arrow(self) -> pa.Table:
        """One line a law: kind, text, columns, size, score; for DCs also what they state."""
        import pyarrow as pa

        lines = [(law.kind, str(law), sorted(law.columns), stated(law)) for law in self]
        kinds, texts, columns, simpler = zip(*lines, strict=True) if lines else ((), (), (), ())
        table = pa.table(
            {
                "kind": pa.array(kinds, pa.string()),
                "text": pa.array(texts, pa.string()),
                "columns": pa.array(columns, pa.list_(pa.string())),
                "size": pa.array(self.sizes, pa.int64()),
                "score": pa.array(self.scores, pa.float64()),
                "states": pa.array(simpler, pa.string()),
            }
        )
        return table if "dc" in self.facts.kinds else table.drop_columns("states")

    def to_pandas(self) -> pd.DataFrame:
        """The same as a pandas table."""
        table: pd.DataFrame = self.to_arrow().to_pandas()
        return table

    def to_spark(self, session: SparkSession | None = None) -> DataFrame:
        """The same as a Spark table, of the given session or of the one that is active."""
        from lawful.spark import session as open_session

        with open_session(existing=session) as spark:
            table: DataFrame = spark.createDataFrame(self.to_arrow())
            return table

    def save(self, path: str | Path) -> None:
        """Write the laws and the facts of their search to a .json, .jsonl, .csv or .parquet file."""
        from lawful.report.law_files import save

        save(self, path)

    @classmethod
    def load(cls, path: str | Path) -> Laws:
        """Read what `save` wrote."""
        from lawful.report.law_files import load

        return load(path)

    @classmethod
    def of(cls, names: Sequence[str], scored: Iterable[tuple[Law, float]], facts: Facts) -> Self:
        """A collection of law objects over columns of these names."""
        laws, scores = [], []
        for law, score in scored:
            laws.append(law)
            scores.append(score)
        number = {name: place for place, name in enumerate(names)}
        comparisons = comparisons_for(laws, names)
        places = places_of(comparisons, names)
        targets = np.array([_target(law, number) for law in laws], np.int64).reshape(-1, 3)
        sets = np.zeros((len(laws), max(atom_words(comparisons), -(-len(names) // 64))), np.uint64)
        for line, law in enumerate(laws):
            if isinstance(law, DC):
                atoms = atoms_of(law, comparisons, places)
                sets[line, : len(atoms)] = atoms
                continue
            for name in _context_of(law):
                sets[line, number[name] >> 6] |= np.uint64(1) << np.uint64(number[name] & 63)
        return cls(names, targets, sets, np.array(scores, np.float64), facts, comparisons)

    def _repr_html_(self) -> str:
        from lawful.report.pages import as_html

        return as_html(self)

    def _speak_of(self, column: int) -> npt.NDArray[np.bool_]:
        bits = (self._sets[:, column >> 6] >> np.uint64(column & 63)) & np.uint64(1)
        speaking: npt.NDArray[np.bool_] = (bits == 1) | (self._targets[:, :2] == column).any(axis=1)
        of_dcs = self._own == OF_DCS
        left, right = self._comparisons.left == column, self._comparisons.right == column
        atoms = np.repeat(left | right, 3)
        wanted = bit_set(np.flatnonzero(atoms), self._sets.shape[1])
        speaking[of_dcs] = (self._sets[of_dcs] & wanted).any(axis=1)
        return speaking

    def _chosen(self, places: npt.NDArray[np.int64]) -> Laws:
        """Those at the given places, in that order."""
        nothing = self._targets[:0], self._sets[:0], self.scores[:0]
        chosen = Laws(self.names, *nothing, self.facts, self._comparisons)
        for array in ("_targets", "_sets", "_own", "scores", "sizes"):
            setattr(chosen, array, getattr(self, array)[places])
        return chosen

    def _context(self, place: int) -> frozenset[str]:
        found = []
        for word, bits in enumerate(self._sets[place].tolist()):
            while bits:
                found.append(self.names[word * 64 + (bits & -bits).bit_length() - 1])
                bits &= bits - 1
        return frozenset(found)

    def _law(self, place: int) -> Law:
        left, right, direction = self._targets[place].tolist()
        if left == DENIAL[0]:
            return denial(self._sets[place].tolist(), self._comparisons, self.names)
        context = self._context(place)
        if left < 0:
            return Key(context)
        if right < 0:
            return FD(context, self.names[left])
        return OD(context, self.names[left], self.names[right], direction < 0)


def predicate_counts(sets: Words) -> npt.NDArray[np.int64]:
    """How many comparisons each of some sets has atoms of."""
    counts = np.zeros(len(sets), np.int64)
    for first in range(0, sets.shape[1] * 64 - 2, 3):
        atoms = sets[:, first >> 6] >> np.uint64(first & 63)
        if first & 63 > 61:  # some of the three are in the next word
            atoms |= sets[:, (first >> 6) + 1] << np.uint64(64 - (first & 63))
        counts += (atoms & np.uint64(7)) != 0
    return counts


def _known(value: str, among: Sequence[str], what: str) -> int:
    if value not in among:
        raise LawfulError(f"there is no {what} {value!r}: choose among {', '.join(among)}")
    return among.index(value)


def _context_of(law: Law) -> Iterable[str]:
    match law:
        case Key():
            return law.columns
        case FD():
            return law.lhs
        case OD():
            return law.context
    raise LawfulError(f"{str(law)!r} is no key, FD, order compatible OD or DC: it cannot be kept here")


def _target(law: Law, number: Mapping[str, int]) -> tuple[int, int, int]:
    match law:
        case FD():
            return (number[law.rhs], -1, 0)
        case OD():
            left, right = sorted((number[law.left], number[law.right]))
            return (left, right, -1 if law.descending else 1)
        case DC():
            return DENIAL
    return (-1, -1, 0)
