"""Distinct values of a column in their order, where any of them is found by halving."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.bisection import Places, places_among
from lawful.table.columns import Ints, Rule, alike, concat, dense_order, order_of_sorted, places_by_rank
from lawful.table.sorting import sorted_places


@dataclass(frozen=True, eq=False)
class Entries:
    """Some of the distinct source values of a column, in the order of their typed values.

    Attributes:
        raw: the source values.
        values: their typed values, NULL first.
        keys: what the order goes by: the values, or their places among categories.
        codes: the code of each; None where it is the place.
    """

    raw: pa.Array
    values: pa.Array
    keys: pa.Array
    codes: Ints | None

    @classmethod
    def of(cls, rule: Rule, raw: pa.Array, values: pa.Array, codes: Ints) -> Entries:
        """Entries of values in any order."""
        keys = rule.keys(values)
        return cls(raw, values, keys, codes).by(keys)

    @classmethod
    def joined(cls, rule: Rule, parts: Sequence[Entries]) -> Entries | None:
        """All entries of several; None of none."""
        if len(parts) < 2:
            return parts[0] if parts else None
        raw, values = concat([part.raw for part in parts]), concat([part.values for part in parts])
        same = all(part.values is part.raw for part in parts)
        return cls.of(rule, raw, raw if same else values, np.concatenate([part.all_codes for part in parts]))

    def by(self, keys: pa.Array) -> Entries:
        """The same in the order of other keys."""
        sort = _places_with_nulls if keys.null_count else sorted_places
        return replace(self, keys=keys)._at(sort(keys))

    def __len__(self) -> int:
        return len(self.raw)

    @property
    def all_codes(self) -> Ints:
        """The code of each."""
        return np.arange(len(self), dtype=np.int32) if self.codes is None else self.codes

    def code_at(self, places: Places) -> Places:
        """The codes of entries at some places."""
        return places if self.codes is None else self.codes[places].astype(np.int64)

    def place_of(self, codes: Ints) -> Places:
        """The places of entries with some codes, all of which are here."""
        if self.codes is None:
            return codes.astype(np.int64)
        order = np.argsort(self.codes)
        return order[np.searchsorted(self.codes, codes, sorter=order)]

    def by_code(self) -> tuple[pa.Array, pa.Array]:
        """Source and typed values in the order of their codes."""
        if self.codes is None:
            return self.raw, self.values
        ordered = self._at(np.argsort(self.codes))
        return ordered.raw, ordered.values

    def below(self, code: int) -> Entries:
        """The entries with lesser codes."""
        if self.codes is None or int(self.codes.max(initial=-1)) < code:
            return self
        return self._at(np.flatnonzero(self.codes < code))

    def since(self, code: int) -> Entries:
        """The entries with this code or greater ones."""
        return self._at(np.flatnonzero(self.all_codes >= code))

    def find(self, raw: pa.Array | None, keys: pa.Array) -> Places:
        """The place of each value, -1 where it is not there; of any with the same key where `raw` is None."""
        places, there = places_among(self.keys, keys)
        if raw is None or self.raw is self.keys:
            return np.where(there, places, -1)
        found, asked = np.full(len(keys), -1), np.flatnonzero(there)
        while len(asked):
            hit = _same(self.raw, places[asked], raw, asked)
            found[asked[hit]] = places[asked[hit]]
            asked = asked[~hit]
            places[asked] += 1  # equal values that are written in another way are neighbours
            asked = asked[places[asked] < len(self)]
            asked = asked[_same(self.keys, places[asked], keys, asked)]
        return found

    def _at(self, places: npt.NDArray[np.integer[Any]]) -> Entries:
        if len(places) == len(self) and np.array_equal(places, np.arange(len(self))):
            return self
        where = pa.array(places)
        raw = self.raw.take(where)
        values = raw if self.values is self.raw else self.values.take(where)
        keys = values if self.keys is self.values else self.keys.take(where)
        return Entries(raw, values, keys, self.all_codes[places])


def _places_with_nulls(keys: pa.Array) -> npt.NDArray[np.integer[Any]]:
    return places_by_rank(dense_order(keys, "equal"))


def _same(ours: pa.Array, places: Places, theirs: pa.Array, others: Places) -> npt.NDArray[np.bool_]:
    """Which values at some places are the same as others at theirs."""
    seen = ours.take(pa.array(places))
    return alike(seen if seen.type == theirs.type else seen.cast(theirs.type), theirs.take(pa.array(others)))


def merged_order(first: Entries, order: Ints, later: Entries, nulls: Literal["equal", "distinct"]) -> Ints:
    """The dense rank of each code, given the ranks of the first entries in their order."""
    missing = first.keys.null_count
    ranks = order - int(missing > 0 and nulls == "equal")
    own = order_of_sorted(later.keys)
    keys = later.keys.take(pa.array(np.flatnonzero(np.diff(own, prepend=-1))))
    places, known = places_among(first.keys, keys)
    new = ~known
    lesser = np.append(ranks, ranks.max(initial=-1) + 1)[places]  # of the first values
    among = lesser + np.cumsum(new) - new
    ranks[missing:] += np.cumsum(np.bincount(places[new], minlength=len(first) + 1))[missing:-1].astype(
        np.int32
    )
    result = np.empty(len(first) + len(later), np.int32)
    result[first.all_codes] = ranks
    result[later.all_codes] = np.append(among, -1)[own]
    return result + np.int32(nulls == "equal" and bool((result < 0).any()))
