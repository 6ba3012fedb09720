"""Numbers with gaps for the values of columns: a new value gets one between its neighbours'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce

import numpy as np
import pyarrow as pa

from lawful.table.arrows import common_type
from lawful.table.bisection import places_among
from lawful.table.columns import Ints, concat, dense_order, is_text, order_of_sorted
from lawful.table.entries import Entries
from lawful.table.gaps import TOP, Numbers, in_gaps, spread, usual_gap
from lawful.table.roomy import RoomyArray
from lawful.table.versions import Version

_NULL = {"equal": 0, "distinct": -1}


class Numbering:
    """Numbers for the codes of columns on one scale: in the order of the values, equal where these are.

    NULL has number 0 where it equals NULL, else -1.
    """

    def __init__(self, version: Version, columns: Sequence[int]) -> None:
        self.columns = tuple(columns)
        self._number_all(version)

    def numbers(self, column: int) -> Ints:
        """The number of each code of a column."""
        return self._numbers[column].view

    def ranks(self) -> dict[int, Ints]:
        """The same without gaps, for each column: -1 for a NULL that equals nothing."""
        parts = [numbers.view for numbers in self._numbers.values()]
        known, places = np.unique(np.concatenate(parts), return_inverse=True)
        dense = places.astype(np.int32) - np.int32(np.count_nonzero(known < 0))
        ends = np.cumsum([*map(len, parts)])
        return dict(zip(self._numbers, np.split(dense, ends[:-1]), strict=True))

    def follow(self, version: Version) -> bool:
        """Number the values that are new in a version; whether older ones got other numbers for that."""
        if self._files != self._files_of(version):
            self._number_all(version)
            return True
        new = [(column, some.since(self._known(column))) for column, some in self._newer(version)]
        if not new:
            return False
        keys = concat([entries.keys.cast(self._type) for _, entries in new])
        are_sorted = len(new) == 1 and keys.type == new[0][1].keys.type
        ranks = order_of_sorted(keys) if are_sorted else dense_order(keys, "distinct")
        _, first = np.unique(ranks, return_index=True)
        numbers, moved = self._placed(version, keys.take(pa.array(first[ranks[first] >= 0])))
        self._note(version, new, np.append(numbers, self._null)[ranks])
        return moved

    def _number_all(self, version: Version) -> None:
        self._files = self._files_of(version)
        self._null = _NULL[version.manifest.columns[self.columns[0]].rule.nulls]
        kinds = (version.entries(column)[0].keys.type for column in self.columns)
        self._type = reduce(common_type, kinds)
        ranks = self._all_ranks(version)
        count = max(int(some.max(initial=-1)) for some in ranks) + 1
        table = np.append(spread(count), self._null).astype(np.int32)
        pairs = zip(self.columns, ranks, strict=True)
        self._numbers = {column: RoomyArray(table[some]) for column, some in pairs}
        self._gap = usual_gap(count)

    def _all_ranks(self, version: Version) -> Sequence[Ints]:
        """The dense rank of each code on this scale, -1 for NULL."""
        dictionaries = [version.dictionary(column) for column in self.columns]
        if len(dictionaries) > 1:
            keys = concat([dictionary.values.cast(self._type) for dictionary in dictionaries])
            ends = np.cumsum([len(dictionary) for dictionary in dictionaries])
            return np.split(dense_order(keys, "distinct"), ends[:-1])
        (dictionary,) = dictionaries
        counts_null = self._null == 0 and dictionary.values.null_count > 0
        return [dictionary.order - np.int32(counts_null)]

    def _files_of(self, version: Version) -> list[str]:
        return [version.manifest.columns[column].file for column in self.columns]

    def _known(self, column: int) -> int:
        return len(self._numbers[column])

    def _pieces(self, version: Version) -> Iterator[tuple[int, int, Entries]]:
        """Columns, the first code of some of their entries, and these."""
        for column in self.columns:
            code = 0
            for entries in version.entries(column):
                yield column, code, entries
                code += len(entries)

    def _newer(self, version: Version) -> Iterator[tuple[int, Entries]]:
        for column, code, entries in self._pieces(version):
            if code + len(entries) > self._known(column):
                yield column, entries

    def _older(self, version: Version) -> Iterator[tuple[int, Entries]]:
        """The entries that have a number."""
        for column, code, entries in self._pieces(version):
            if code < self._known(column):
                known = entries.below(self._known(column))
                as_texts = is_text(self._type) and not is_text(known.keys.type)
                yield column, known.by(known.keys.cast(self._type)) if as_texts else known

    def _placed(self, version: Version, keys: pa.Array) -> tuple[Numbers, bool]:
        """Numbers for distinct keys in their order, and whether older ones had to move for them."""
        below, above, equal = self._neighbours(version, keys)
        new = np.flatnonzero(equal < 0)
        numbers = in_gaps(below[new], above[new], self._gap)
        if len(numbers) == len(new):
            equal[new] = numbers
            return equal, False
        return self._moved(below[new], equal), True

    def _neighbours(self, version: Version, keys: pa.Array) -> tuple[Numbers, Numbers, Numbers]:
        """The numbers of the next lesser and greater values, and that of an equal one (else -1)."""
        below, above = np.zeros(len(keys), np.int64), np.full(len(keys), TOP)
        equal = np.full(len(keys), -1)
        for column, entries in self._older(version):
            numbers = self.numbers(column)
            places, there = places_among(entries.keys, keys)
            after = np.flatnonzero(places > entries.keys.null_count)
            below[after] = np.maximum(below[after], numbers[entries.code_at(places[after] - 1)])
            equal[there] = numbers[entries.code_at(places[there])]
            before = np.flatnonzero(~there & (places < len(entries)))
            above[before] = np.minimum(above[before], numbers[entries.code_at(places[before])])
        return below, above, equal

    def _moved(self, below: Numbers, equal: Numbers) -> Numbers:
        """Give all values new numbers; those of keys that are new (given what is below) or known."""
        used = np.sort(np.concatenate([numbers.view for numbers in self._numbers.values()]))
        used = used[(used > 0) & (np.diff(used, prepend=-1) > 0)]
        place = np.searchsorted(used, below, side="right")
        ranks = place + np.arange(len(place))
        table = spread(len(used) + len(place), busy=ranks)
        olds = np.arange(len(used))
        moved = table[olds + np.searchsorted(place, olds, side="right")].astype(np.int32)
        for numbers in self._numbers.values():
            there = numbers.view > 0
            numbers.view[there] = moved[np.searchsorted(used, numbers.view[there])]
        self._gap = usual_gap(len(table))
        known = equal >= 0
        equal[known] = moved[np.searchsorted(used, equal[known])]
        equal[~known] = table[ranks]
        return equal

    def _note(self, version: Version, new: Sequence[tuple[int, Entries]], numbers: Numbers) -> None:
        for column in self.columns:
            self._numbers[column].grow(sum(map(len, version.entries(column))))
        end = 0
        for column, entries in new:
            start, end = end, end + len(entries)
            self.numbers(column)[entries.all_codes] = numbers[start:end]
