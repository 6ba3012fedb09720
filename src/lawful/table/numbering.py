"""Numbers with gaps for the values of columns: a new value gets one between its neighbours'."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import reduce
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.kernels import kernel
from lawful.table.arrows import common_type
from lawful.table.bisection import places_among
from lawful.table.columns import Ints, concat, dense_order, is_text, order_of_sorted
from lawful.table.entries import Entries
from lawful.table.versions import Version

Kind = TypeVar("Kind", bound=np.generic)

WIDEST = 1 << 20  # the gap between two neighbours at most, so that there is room at both ends
TOP = (1 << 31) - 1  # no number is as great
_FIRST, _SPAN = 1 << 29, 1 << 30  # at first all are in the middle of the positive numbers
_LEFT = 1024  # times the room that a batch takes at an end is left there for others
Numbers = npt.NDArray[np.int64]
_NONE: Numbers = np.empty(0, np.int64)
_NULL = {"equal": 0, "distinct": -1}


class RoomyArray(Generic[Kind]):
    """An array with spare room behind its last entries: growing rarely copies."""

    def __init__(self, content: npt.NDArray[Kind]) -> None:
        self._room = content
        self._length: int = content.shape[-1]

    def __len__(self) -> int:
        return self._length

    @property
    def view(self) -> npt.NDArray[Kind]:
        """The entries, to be read and written."""
        return self._room[..., : self._length]

    @property
    def whole(self) -> npt.NDArray[Kind]:
        """The entries and the room behind them, to be read only: one type for compilers at all times."""
        whole = self._room.view()
        whole.flags.writeable = False
        return whole

    def grow(self, length: int) -> None:
        """Let there be so many entries along the last axis; new ones hold anything."""
        if length > self._room.shape[-1]:
            room: npt.NDArray[Any] = np.empty((*self._room.shape[:-1], 2 * length), self._room.dtype)
            room[..., : self._length] = self.view
            self._room = room
        self._length = length


def spread(count: int, busy: Numbers = _NONE) -> Numbers:
    """Numbers for so many things in their order; wider gaps around the busy ones, where more may come."""
    steps = np.full(count, usual_gap(count))
    around = np.unique(np.concatenate([busy, busy + 1]))
    around = around[around < count]
    steps[around] = np.maximum(steps[around], usual_gap(len(around)))
    return _FIRST + np.cumsum(steps)


def usual_gap(count: int) -> int:
    """The gap between neighbours where so many share half of the room."""
    return max(1, min(WIDEST, _SPAN // 2 // max(count, 1)))


@kernel
def in_gaps(below, above, gap):
    """Numbers between those of neighbours (0 and TOP where there is none); nothing where a gap is full.

    Things in one gap stand in their order. Inside they part the gap evenly; at an end, where the next ones
    are likely to come, they take little of the room.
    """
    numbers, start = np.empty(below.shape[0], np.int64), 0
    while start < below.shape[0]:
        end = start
        while end < below.shape[0] and below[end] == below[start]:
            end += 1
        high, shares = above[start], end - start + 1
        at_bottom, at_top = below[start] == 0, high == TOP
        low = _FIRST if at_bottom and at_top else below[start]
        step = (high - low) // shares
        if at_bottom or at_top:
            step = min(step, gap, max((high - low) // (_LEFT * shares), 1))
        if step < 1:
            return numbers[:0]
        base = high - step * shares if at_bottom and not at_top else low
        for place in range(start, end):
            numbers[place] = base + step * (place - start + 1)
        start = end
    return numbers


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
