"""What a change of rows did to the laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isnan
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.discovery import MIN_BITS
from lawful.discovery.findings import Scores
from lawful.laws.base import KINDS, Law
from lawful.laws.codec import Codec, LawArrays
from lawful.shown import Shown


class Broken(NamedTuple):
    """A law that is no minimal law any more.

    Attributes:
        rows: ids of two rows that break it; None where a smaller law holds now, from which it follows.
        since: the version of the state from which on it held.
    """

    law: Law
    rows: tuple[int, int] | None
    since: int


class LawWorth(NamedTuple):
    """What a law is worth: its bits, NaN where nobody asked for them. A fact needs none."""

    bits: float
    fact: bool

    @property
    def may_be_chance(self) -> bool:
        """Whether the bits say so."""
        return not self.fact and self.bits < MIN_BITS

    def to_json(self) -> dict[str, Any]:
        """As files of laws have it."""
        return {"bits": None if isnan(self.bits) else self.bits, "fact": self.fact}


class Refused(NamedTuple):
    """A row that was not taken in: it would break a law together with another row, given by its id."""

    row: Mapping[str, Any]
    law: Law
    other: int


@dataclass(frozen=True)
class LawChange(Shown):
    """The difference that rows made which came, went, or did both.

    Attributes:
        what: "insert", "delete" or "update".
        version: of the state, after it.
        inserted: ids of the rows that came.
        deleted: ids of those that went.
        rows: how many there are now.
        counts: how many laws of each kind there are now.
        way: how the pairs of rows that break laws were found; nothing where no row came.
        seconds: where the time went.
        refused: rows that were not taken in, because laws are enforced.
    """

    what: str
    version: int
    inserted: npt.NDArray[np.int64]
    deleted: npt.NDArray[np.int64]
    rows: int
    counts: Mapping[str, int]
    way: str
    seconds: Mapping[str, float]
    codec: Codec = field(repr=False)
    added_laws: LawArrays = field(repr=False)
    removed_laws: LawArrays = field(repr=False)
    broken_by: npt.NDArray[np.int32] = field(repr=False)
    since: npt.NDArray[np.int64] = field(repr=False)
    added_bits: Scores = field(repr=False)
    removed_bits: Scores = field(repr=False)
    refused: Sequence[Refused] = ()

    @property
    def added(self) -> Sequence[Law]:
        """The laws that are new: those of most bits first, if bits were asked for, and small ones."""
        return [law for law, _ in self.rated_added()]

    @property
    def removed(self) -> Sequence[Broken]:
        """The laws that are gone: first those that held longest, of most bits, small ones.

        Before all others come those that are known to be no mere chance.
        """
        return [broken for broken, _ in self.rated_removed()]

    def rated_added(self, most: int | None = None) -> Iterator[tuple[Law, LawWorth]]:
        """The first so many laws that are new, and what they are worth."""
        order = self._order(self.added_laws, self.added_bits, np.zeros(len(self.added_bits), np.int64))[:most]
        laws = self.codec.decode(self.added_laws.chosen(order))
        yield from zip(laws, self._worth(self.added_laws, self.added_bits, order), strict=True)

    def rated_removed(self, most: int | None = None) -> Iterator[tuple[Broken, LawWorth]]:
        """The first so many laws that are gone, and what they were worth as long as they held."""
        order = self._order(self.removed_laws, self.removed_bits, self.since)[:most]
        laws = self.codec.decode(self.removed_laws.chosen(order))
        pairs = (None if t < 0 else (t, s) for t, s in self.broken_by[order].tolist())
        broken = map(Broken, laws, pairs, self.since[order].tolist())
        yield from zip(broken, self._worth(self.removed_laws, self.removed_bits, order), strict=True)

    def no_chance(self) -> tuple[int, int] | None:
        """How many laws are gone and how many are new that are no mere chance; None if bits are not known."""
        if np.isnan(self.added_bits).any() or np.isnan(self.removed_bits).any():
            return None
        gone = len(self.removed_bits) - self._may_be_chance(self.removed_laws, self.removed_bits).sum()
        return int(gone), int(
            len(self.added_bits) - self._may_be_chance(self.added_laws, self.added_bits).sum()
        )

    def _may_be_chance(self, laws: LawArrays, bits: Scores) -> npt.NDArray[np.bool_]:
        return ~self.codec.facts(laws) & ~(bits >= MIN_BITS)

    def _order(self, laws: LawArrays, bits: Scores, since: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Laws by whether they may be chance, how long they held, their bits, of which facts need none, and
        their sizes."""
        surest = np.where(self.codec.facts(laws), -np.inf, -bits)
        return np.lexsort((self.codec.sizes(laws), surest, since, self._may_be_chance(laws, bits)))

    def _worth(self, laws: LawArrays, bits: Scores, chosen: npt.NDArray[np.int64]) -> Iterator[LawWorth]:
        return map(LawWorth, bits[chosen].tolist(), self.codec.facts(laws.chosen(chosen)).tolist())

    def __bool__(self) -> bool:
        """Whether a law is new or gone."""
        return bool(len(self.added_laws.kinds) or len(self.removed_laws.kinds))

    def __repr__(self) -> str:
        rows = f"+{len(self.inserted)} -{len(self.deleted)} rows, {self.rows} now"
        laws = f"+{len(self.added_laws.kinds)} -{len(self.removed_laws.kinds)} laws"
        return f"<LawChange {self.version}: {self.what}, {rows}; {laws}>"

    def to_json(self) -> dict[str, Any]:
        """Everything as plain data."""
        return {
            "what": self.what,
            "version": self.version,
            "added": [{**law.to_json(), **worth.to_json()} for law, worth in self.rated_added()],
            "removed": [
                {
                    **law.to_json(),
                    **worth.to_json(),
                    "rows": None if rows is None else list(rows),
                    "since": since,
                }
                for (law, rows, since), worth in self.rated_removed()
            ],
            "counts": dict(self.counts),
            "rows": self.rows,
            "inserted": self.inserted.tolist(),
            "deleted": self.deleted.tolist(),
            "refused": [
                {"row": dict(row), "law": str(law), "other": other} for row, law, other in self.refused
            ],
            "way": self.way,
            "seconds": {name: round(seconds, 6) for name, seconds in self.seconds.items()},
        }

    def entry(self, at: str, batch: str | None, most: int) -> dict[str, Any]:
        """A line of the history: numbers, and the first so many laws that are new or gone and that bits, if
        these are known, tell from chance."""
        return {
            "version": self.version,
            "at": at,
            "batch": batch,
            "what": self.what,
            "rows": self.rows,
            "inserted": len(self.inserted),
            "deleted": len(self.deleted),
            "counts": dict(self.counts),
            "added": _by_kind(self.added_laws),
            "removed": _by_kind(self.removed_laws),
            "refused": len(self.refused),
            "new": [str(law) for law, worth in self.rated_added(most) if not worth.may_be_chance],
            "broken": [
                {"law": str(law), "rows": rows, "since": since, **worth.to_json()}
                for (law, rows, since), worth in self.rated_removed(most)
                if not worth.may_be_chance
            ],
            "seconds": round(sum(self.seconds.values()), 6),
            "way": self.way,
        }


def _by_kind(laws: LawArrays) -> dict[str, int]:
    return dict(Counter(KINDS[kind] for kind in laws.kinds.tolist()))
