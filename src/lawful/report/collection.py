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
from lawful.laws import FD, KINDS, OD, Law, parse
from lawful.laws.codec import AT_ONCE, FD_KIND, Codec, LawArrays, items_of
from lawful.laws.comparisons import Flags
from lawful.laws.equivalents import simpler_form
from lawful.laws.exchange import Group, exchanged, laws_between, standing_for
from lawful.laws.targets import LEFT, RIGHT, RIGHT_OUTCOMES
from lawful.report.consequences import FILTERED, Consequences
from lawful.report.ratings import Rating, Ratings, order_keys
from lawful.words import Words, numbered_lines

if TYPE_CHECKING:
    from pathlib import Path

    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

    from lawful.checking.checked_laws import CheckedLaws
    from lawful.table import Relation

FEW_WORDS = 4  # of a set: so many are quickly sorted by
STATING = frozenset({"pod", "dc"})  # kinds whose laws may state what a simpler one says


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
    # Groups of equivalent columns, of which laws speak of the first: "columns", "reversed" (those in reverse
    # order) and "ordered" (whether order is the same at all).
    equivalents: tuple[Mapping[str, Any], ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    seconds: Mapping[str, float] = field(default_factory=dict)
    stats: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)  # of all columns; none where they are not known
    nulls: Mapping[str, int] = field(default_factory=dict)  # how many columns hold, those that hold some
    nulls_equal: bool = True  # whether NULL equals NULL and sorts first, or equals nothing
    version: str = ""

    @classmethod
    def of_table(cls, relation: Relation, stats: Mapping[str, int] | None = None, **others: Any) -> Facts:
        """What is known of a table, and what else is given."""
        return cls(
            stats={"rows": relation.n_rows, "columns": len(relation.names), **(stats or {})},
            types={column.name: column.type for column in relation.columns},
            nulls={column.name: column.nulls for column in relation.columns if column.nulls},
            nulls_equal=relation.nulls_are_equal,
            **others,
        )


class Laws(Consequences):
    """Laws, found by kind, those first that chance explains least.

    The *bits* of a law tell how surely it is no mere chance. If one of its columns were shuffled, whichever,
    the probability that it, or another candidate of its kind and size, still held would be at most 2 to the
    power of minus so many bits. Constants and keys of one column are *facts*: no bits speak for them, but
    they come first. The *score* of a law is the share of pairs of rows that agree on its context: how much of
    the table it speaks of. No pair of rows agrees on a key: its score is 0. The score of a DC is the mean of
    its succinctness and its coverage. What was not computed, because a limit ended the search, is NaN, and
    such laws come last.
    """

    def __init__(self, codec: Codec, laws: LawArrays, ratings: Ratings, facts: Facts) -> None:
        self.facts, self.sizes = facts, codec.sizes(laws)
        self.scores, self.bits = ratings
        self._codec, self._laws, self._ratings = codec, laws, ratings

    @classmethod
    def best_first(cls, codec: Codec, laws: LawArrays, ratings: Ratings, facts: Facts) -> Laws:
        """Laws in order: by kind, facts and those with the most bits first. The arrays are put in order
        themselves: there may be no room for others."""
        # One number for the target: each key of a sort of a million laws takes its time.
        number = 16 * ((laws.targets[:, LEFT] + 1) * (len(codec.names) + 2) + laws.targets[:, RIGHT] + 1)
        number += laws.targets[:, RIGHT_OUTCOMES]
        sets = laws.sets.T if laws.sets.shape[1] <= FEW_WORDS else [_places(laws.sets)]
        keys = order_keys("bits", ratings, codec.sizes(laws), codec.facts(laws))
        order = np.lexsort((*sets, number, *keys, laws.kinds))
        del number, keys
        for array in (*laws, *ratings):
            for column in np.atleast_2d(array.T):
                column[:] = column.take(order)
        return cls(codec, laws, ratings, facts)

    def with_facts(self, **facts: Any) -> Laws:
        """The same laws, with other facts in place of some."""
        return Laws(self._codec, self._laws, self._ratings, replace(self.facts, **facts))

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of the table."""
        return self._codec.names

    @property
    def complete(self) -> bool:
        """Whether these are all minimal laws that were asked for: none filtered out or cut."""
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
        wanted = parse(law) if isinstance(law, str) else law
        return any(wanted == own for own in self)

    def items(self) -> Iterator[tuple[Law, Rating]]:
        """The laws with their ratings: `score` and `bits`."""
        return zip(self, map(Rating, *map(items_of, self._ratings)), strict=True)

    def __repr__(self) -> str:
        counts = ", ".join(f"{count:,} {kind}" for kind, count in self.counts.items())
        return f"<Laws: {counts}; {'complete' if self.complete else f'incomplete ({self.facts.reason})'}>"

    def filter(
        self,
        kind: str | None = None,
        column: str | None = None,
        max_size: int | None = None,
        min_score: float = 0.0,
        min_bits: float = 0.0,
    ) -> Laws:
        """Those of one kind, about one column, of at most so many attributes, of at least such a score and so
        many bits. Constants and keys of one column need no bits."""
        laws = self if kind is None else self._of_kind(kind)
        return laws.split(column, max_size, min_score, min_bits)[0]

    def split(
        self,
        column: str | None = None,
        max_size: int | None = None,
        min_score: float = 0.0,
        min_bits: float = 0.0,
    ) -> tuple[Laws, Laws]:
        """What `filter` keeps, and what it leaves out."""
        kept = np.ones(len(self), np.bool_) if min_score == 0 else self.scores >= min_score
        if min_bits != 0:
            kept &= self.are_facts | (self.bits >= min_bits)
        if max_size is not None:
            kept &= self.sizes <= max_size
        if column is not None:
            _known(column, self.names, "column")
            about = map(self.names.index, standing_for(column, self.facts.equivalents))
            kept &= np.any([self._codec.speak_of(self._laws, one) for one in about], axis=0)
        if kept.all():
            return self, self[:0]
        return self._chosen(np.flatnonzero(kept)), self._chosen(np.flatnonzero(~kept))

    @property
    def constants(self) -> tuple[str, ...]:
        """The columns that are known to be constant."""
        return tuple(self.names[column] for column in self._laws.targets[self._are_constants, LEFT].tolist())

    def without_constants(self) -> Laws:
        """The laws but for those of constants."""
        constants = self._are_constants
        return self._chosen(np.flatnonzero(~constants)) if constants.any() else self

    @property
    def _are_constants(self) -> Flags:
        constants: Flags = (self._laws.kinds == FD_KIND) & (self.sizes == 1)
        return constants

    @property
    def are_facts(self) -> Flags:
        """Which of the laws are facts: constants, keys of one column, and the DCs that state these."""
        return self._codec.facts(self._laws)

    def _of_kind(self, kind: str) -> Laws:
        """Those of one kind: all that were looked for, if it was."""
        places = np.flatnonzero(self._laws.kinds == _known(kind, KINDS, "kind of law"))
        kinds = tuple(one for one in self.facts.kinds if one == kind)
        facts = replace(self.facts, kinds=kinds, complete=self.facts.complete and kinds != ())
        return Laws(self._codec, self._laws.chosen(places), self._ratings.chosen(places), facts)

    def top(self, count: int, by: str = "bits") -> Laws:
        """The `count` best laws by bits (facts first), score or size, whatever their kinds."""
        if count < 0:
            raise LawfulError(f"top must be at least 0, not {count}")
        return self._chosen(np.sort(np.lexsort(self._order_keys(by))[:count]))

    def first_of_kinds(self, count: int) -> Laws:
        """The first `count` laws of each kind."""
        kinds = self._laws.kinds
        places = [np.flatnonzero(kinds == kind)[:count] for kind in range(len(KINDS))]
        return self._chosen(np.sort(np.concatenate(places)))

    def sorted(self, by: str) -> Laws:
        """The same laws, those of each kind in another order: by bits (facts first), score or size."""
        return self._chosen(np.lexsort((*self._order_keys(by), self._laws.kinds)))

    def _order_keys(self, by: str) -> tuple[npt.NDArray[np.generic], ...]:
        return order_keys(by, self._ratings, self.sizes, self.are_facts)

    def expanded(self) -> Laws:
        """These laws, what follows by exchange of equivalent columns, and the laws between such columns."""
        groups, rated = self.facts.equivalents, dict(self.items())
        for law, rating in [*rated.items()]:
            rated.update(dict.fromkeys(exchanged(law, groups), rating))
        rated.update(self._between(groups))
        return Laws.of(self.names, rated.items(), replace(self.facts, equivalents=(), found=None))

    def _between(self, groups: Iterable[Group]) -> Iterator[tuple[Law, Rating]]:
        """The laws between equivalent columns, of the kinds and sizes that were looked for."""
        most = self.facts.options.get("max_size")
        for group in groups:
            for law in laws_between(group):
                if law.kind in self.facts.kinds and (most is None or law.size <= most):
                    score = group["score"] if law.kind == "fd" else 1.0
                    yield law, Rating(score, group["bits"][law.kind])

    def to_arrow(self) -> pa.Table:
        """One line a law: kind, text, columns, lhs and rhs (of FDs), context (of ODs), size, score, bits,
        and whether it is a fact, which needs no bits.

        For PODs and DCs also what they state. Scores and bits that were not computed are null.
        """
        import pyarrow as pa

        firsts = range(0, max(len(self), 1), AT_ONCE)
        table = pa.concat_tables(self[first : first + AT_ONCE]._lines() for first in firsts)
        return table.drop_columns("states") if STATING.isdisjoint(self.facts.kinds) else table

    def _lines(self) -> pa.Table:
        import pyarrow as pa

        lines = [(law.kind, str(law), sorted(law.columns), *_sides(law), stated(law)) for law in self]
        kinds, texts, columns, lhs, rhs, context, simpler = zip(*lines, strict=True) if lines else ((),) * 7
        names = pa.list_(pa.string())
        return pa.table(
            {
                "kind": pa.array(kinds, pa.string()),
                "text": pa.array(texts, pa.string()),
                "columns": pa.array(columns, names),
                "lhs": pa.array(lhs, names),
                "rhs": pa.array(rhs, pa.string()),
                "context": pa.array(context, names),
                "size": pa.array(self.sizes, pa.int64()),
                "score": pa.array(self.scores, pa.float64(), from_pandas=True),
                "bits": pa.array(self.bits, pa.float64(), from_pandas=True),
                "fact": pa.array(self.are_facts, pa.bool_()),
                "states": pa.array(simpler, pa.string()),
            }
        )

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

    def check(self, source: Any, **how: Any) -> CheckedLaws:
        """What another table says of these laws, and of those between equivalent columns; `how` is as for
        `lawful.check`."""
        from lawful.checking.checks import checked

        return checked(source, self.with_equivalences(), **how)

    def flag(self, frame: DataFrame) -> DataFrame:
        """A Spark table with a column `_violations`: which of these laws each row breaks."""
        from lawful.report.flagged_tables import flagged

        return flagged(frame, self.with_equivalences())

    def save(self, path: str | Path, force: bool = False) -> None:
        """Write the laws and the facts of their search to a .json, .jsonl, .csv or .parquet file; one that
        lawful did not write, such as the table itself, is replaced only by `force`."""
        from lawful.report.law_files import check_writable, save

        check_writable(path, force=force)
        save(self, path)

    def export(self, tool: str, table: str = "data") -> str | dict[str, str]:
        """The laws as checks of another tool: sql, spark-sql, dbt (the files of a folder by their names),
        great-expectations, dqx, soda, pandera or deequ."""
        from lawful.report.exports.tools import exported

        return exported(self, tool, table)

    def report(
        self, path: str | Path, source: Any = None, *, suspects: bool = False, force: bool = False
    ) -> None:
        """Write a page for people: one .html file with the laws, to search and filter, and a picture of them.

        Args:
            path: the file; one that lawful did not write is replaced only by `force`.
            source: the table, as `lawful.read` takes or returns it: for histograms and example rows. The laws
                are checked on it, a millisecond each, since it may be another one.
            suspects: whether the page shows cells of the table that are likely wrong.
            force: write even over a file that lawful did not write.
        """
        from lawful.report.page.page_making import report_laws

        report_laws(self, path, source, suspects, force)

    @classmethod
    def load(cls, path: str | Path) -> Laws:
        """Read what `save` wrote."""
        from lawful.report.law_files import load

        return load(path)

    @classmethod
    def of(cls, names: Sequence[str], rated: Iterable[tuple[Law, Rating]], facts: Facts) -> Laws:
        """A collection of law objects over columns of these names."""
        laws, ratings = [], []
        for law, rating in rated:
            laws.append(law)
            ratings.append(rating)
        codec = Codec.of(names, laws)
        return cls.best_first(codec, codec.encode(laws), Ratings.of(ratings), facts)

    def _chosen(self, places: npt.NDArray[np.int64]) -> Laws:
        """Those at the given places, in that order; they are complete only if they are all."""
        facts = self.facts
        if facts.complete and len(places) < len(self):
            facts = replace(facts, complete=False, reason=FILTERED)
        return Laws(self._codec, self._laws.chosen(places), self._ratings.chosen(places), facts)


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
