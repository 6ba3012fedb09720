"""What a change of rows did to the laws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lawful.laws.base import KINDS, Law
from lawful.laws.codec import Codec, LawArrays
from lawful.notebooks import ShownInNotebooks


class Broken(NamedTuple):
    """A law that is no minimal law any more.

    Attributes:
        rows: ids of two rows that break it; None where a smaller law holds now, from which it follows.
        since: the version of the state from which on it held.
    """

    law: Law
    rows: tuple[int, int] | None
    since: int


class Refused(NamedTuple):
    """A row that was not taken in: it would break a law together with another row, given by its id."""

    row: Mapping[str, Any]
    law: Law
    other: int


@dataclass(frozen=True)
class LawChange(ShownInNotebooks):
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
    refused: Sequence[Refused] = ()

    @property
    def added(self) -> Sequence[Law]:
        """The laws that are new."""
        return list(self.codec.decode(self.added_laws))

    @property
    def removed(self) -> Sequence[Broken]:
        """The laws that are gone, those first that held longest."""
        return list(self._removed())

    def _removed(self, most: int | None = None) -> Iterator[Broken]:
        order = np.argsort(self.since, kind="stable")[:most]
        laws = self.codec.decode(self.removed_laws.chosen(order))
        for law, (t, s), since in zip(
            laws, self.broken_by[order].tolist(), self.since[order].tolist(), strict=True
        ):
            yield Broken(law, None if t < 0 else (t, s), since)

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
            "added": [law.to_json() for law in self.added],
            "removed": [
                {**law.to_json(), "rows": None if rows is None else list(rows), "since": since}
                for law, rows, since in self._removed()
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
        """A line of the history: numbers, and the first so many laws that are new or gone."""
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
            "new": [str(law) for law in self.codec.decode(self.added_laws.chosen(slice(most)))],
            "broken": [
                {"law": str(law), "rows": rows, "since": since} for law, rows, since in self._removed(most)
            ],
            "seconds": round(sum(self.seconds.values()), 6),
            "way": self.way,
        }


def _by_kind(laws: LawArrays) -> dict[str, int]:
    return dict(Counter(KINDS[kind] for kind in laws.kinds.tolist()))
