"""The laws of a table as a collection.

A million laws are kept as a few arrays; the law objects are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from lawful.errors import LawfulError
from lawful.laws import FD, KINDS, OD, Law
from lawful.laws.codec import Codec, LawArrays
from lawful.laws.equivalents import simpler_form
from lawful.laws.targets import LEFT, RIGHT, RIGHT_OUTCOMES
from lawful.words import Words, numbered_lines

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession


FEW_WORDS = 4  # of a set: so many are quickly sorted by
STATING = frozenset({"pod", "dc"})  # kinds whose laws may state what a simpler one says
FILTERED = "filtered"  # the reason of a collection that lacks laws which were found


@dataclass(frozen=True)
class Facts:
    """What is known of a search beside its laws."""

    complete: bool = True
    reason: str | None = None  # why laws are missing: the limit that ended the search, or a filter
    kinds: tuple[str, ...] = KINDS[:3]  # that were looked for
    found: int | None = None  # laws in all, where a collection may hold some of them only
    hidden: Mapping[str, int] = field(
        default_factory=dict
    )  # laws of each kind that options of the search hid
    notes: tuple[str, ...] = ()  # on the search, for people
    duplicates: Mapping[str, Any] | None = None  # identical rows, where these are why there is no key
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    stats: Mapping[str, int] = field(default_factory=dict)
    version: str = ""


class Laws(Sequence[Law]):
    """Laws, found by kind, those with the highest score first.

    The score of a law is the share of pairs of rows that agree on its context: how much of the table it
    speaks of. No pair of rows agrees on a key: its score is 0. The score of a DC is the mean of its
    succinctness and its coverage. A law whose score was not computed, because a limit ended the search, has
    the score NaN and comes last.
    """

    def __init__(self, codec: Codec, laws: LawArrays, scores: npt.NDArray[np.float64], facts: Facts) -> None:
        self.facts, self.scores, self.sizes = facts, scores, codec.sizes(laws)
        self._codec, self._laws = codec, laws

    @classmethod
    def best_first(cls, codec: Codec, laws: LawArrays, scores: npt.NDArray[np.float64], facts: Facts) -> Laws:
        """Laws in order: by kind, those with the highest score first. The arrays are put in order themselves:
        there may be no room for others."""
        # One number for the target: each key of a sort of a million laws takes its time.
        number = 16 * ((laws.targets[:, LEFT] + 1) * (len(codec.names) + 2) + laws.targets[:, RIGHT] + 1)
        number += laws.targets[:, RIGHT_OUTCOMES]
        sets = laws.sets.T if laws.sets.shape[1] <= FEW_WORDS else [_places(laws.sets)]
        order = np.lexsort((*sets, number, codec.sizes(laws), -scores, laws.kinds))
        del number
        for array in (*laws, scores):
            array[:] = array[order]
        return cls(codec, laws, scores, facts)

    def with_facts(self, **facts: Any) -> Laws:
        """The same laws, with other facts in place of some."""
        return Laws(self._codec, self._laws, self.scores, replace(self.facts, **facts))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self._codec.names

    @property
    def complete(self) -> bool:
        """Whether these are all minimal laws of the kinds that were looked for: none filtered out or cut."""
        return self.facts.complete

    @property
    def counts(self) -> dict[str, int]:
        """How many laws there are of each kind that was looked for."""
        numbers = np.bincount(self._laws.kinds, minlength=len(KINDS)).tolist()
        return {kind: count for kind, count in zip(KINDS, numbers, strict=True) if kind in self.facts.kinds}

    def __len__(self) -> int:
        return len(self._laws.kinds)

    @overload
    def __getitem__(self, index: int) -> Law: ...
    @overload
    def __getitem__(self, index: slice) -> Laws: ...
    def __getitem__(self, index: int | slice) -> Law | Laws:
        if isinstance(index, slice):
            return self._chosen(np.arange(len(self))[index])
        place = range(len(self))[index]
        return next(self._codec.decode(self._laws.chosen(np.array([place]))))

    def __iter__(self) -> Iterator[Law]:
        return self._codec.decode(self._laws)

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
        laws = self if kind is None else self._of_kind(kind)
        return laws.split(column, max_size, min_score)[0]

    def split(
        self, column: str | None = None, max_size: int | None = None, min_score: float = 0.0
    ) -> tuple[Laws, Laws]:
        """What `filter` keeps, and what it leaves out."""
        kept = np.ones(len(self), np.bool_) if min_score == 0 else self.scores >= min_score
        if max_size is not None:
            kept &= self.sizes <= max_size
        if column is not None:
            kept &= self._codec.speak_of(self._laws, _known(column, self.names, "column"))
        if kept.all():
            return self, self[:0]
        return self._chosen(np.flatnonzero(kept)), self._chosen(np.flatnonzero(~kept))

    def _of_kind(self, kind: str) -> Laws:
        """Those of one kind: all that were looked for, if it was."""
        places = np.flatnonzero(self._laws.kinds == _known(kind, KINDS, "kind of law"))
        kinds = tuple(one for one in self.facts.kinds if one == kind)
        facts = replace(self.facts, kinds=kinds, complete=self.facts.complete and kinds != ())
        return Laws(self._codec, self._laws.chosen(places), self.scores[places], facts)

    def top(self, count: int) -> Laws:
        """The `count` laws with the highest scores, whatever their kinds."""
        if count < 0:
            raise LawfulError(f"top must be at least 0, not {count}")
        return self._chosen(np.sort(np.lexsort((self.sizes, -self.scores))[:count]))

    def to_arrow(self) -> pa.Table:
        """One line a law: kind, text, columns, lhs and rhs (of FDs), context (of ODs), size, score.

        For PODs and DCs also what they state.
        """
        import pyarrow as pa

        lines = [(law.kind, str(law), sorted(law.columns), *_sides(law), stated(law)) for law in self]
        kinds, texts, columns, lhs, rhs, context, simpler = zip(*lines, strict=True) if lines else ((),) * 7
        names = pa.list_(pa.string())
        table = pa.table(
            {
                "kind": pa.array(kinds, pa.string()),
                "text": pa.array(texts, pa.string()),
                "columns": pa.array(columns, names),
                "lhs": pa.array(lhs, names),
                "rhs": pa.array(rhs, pa.string()),
                "context": pa.array(context, names),
                "size": pa.array(self.sizes, pa.int64()),
                "score": pa.array(self.scores, pa.float64()),
                "states": pa.array(simpler, pa.string()),
            }
        )
        return table.drop_columns("states") if STATING.isdisjoint(self.facts.kinds) else table

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
    def of(cls, names: Sequence[str], scored: Iterable[tuple[Law, float]], facts: Facts) -> Laws:
        """A collection of law objects over columns of these names."""
        laws, scores = [], []
        for law, score in scored:
            laws.append(law)
            scores.append(score)
        codec = Codec.of(names, laws)
        return cls.best_first(codec, codec.encode(laws), np.array(scores, np.float64), facts)

    def _repr_html_(self) -> str:
        from lawful.report.pages import as_html

        return as_html(self)

    def _chosen(self, places: npt.NDArray[np.int64]) -> Laws:
        """Those at the given places, in that order; they are complete only if they are all."""
        facts = self.facts
        if facts.complete and len(places) < len(self):
            facts = replace(facts, complete=False, reason=FILTERED)
        return Laws(self._codec, self._laws.chosen(places), self.scores[places], facts)


def _places(sets: Words) -> npt.NDArray[np.int64]:
    """A number for each set that sorts as its words do: many laws of wide tables have the same context."""
    distinct, numbers = numbered_lines(sets)
    places = np.empty(len(distinct), np.int64)
    places[np.lexsort(distinct.T)] = np.arange(len(distinct))
    chosen: npt.NDArray[np.int64] = places[numbers]
    return chosen


def _sides(law: Law) -> tuple[list[str] | None, str | None, list[str] | None]:
    """The left and the right side of an FD, the context of an OD."""
    return (
        sorted(law.lhs) if isinstance(law, FD) else None,
        law.rhs if isinstance(law, FD) else None,
        sorted(law.context) if isinstance(law, OD) else None,
    )


def stated(law: Law) -> str | None:
    """The text of what a POD or a denial constraint states, if it states a key, an FD or an OD."""
    simpler = simpler_form(law)
    return None if simpler is None else str(simpler)


def _known(value: str, among: Sequence[str], what: str) -> int:
    if value not in among:
        raise LawfulError(f"there is no {what} {value!r}: choose among {', '.join(among)}")
    return among.index(value)
