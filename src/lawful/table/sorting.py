"""The order of values, as Arrow has it: texts as numbers, sooner than by comparing them all."""

from __future__ import annotations

from itertools import takewhile
from operator import eq
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

Numbers = npt.NDArray[np.uint64]

Places = npt.NDArray[np.integer[Any]]
FEW = 1000  # values that are sooner sorted as they are
_ROUNDS = 4  # after which Arrow compares what is still alike


class Words:
    """The bytes of texts, as numbers that are in the order of the texts."""

    WIDTH = 8
    _KEPT = np.array([(1 << 64) - (1 << 8 * (8 - count)) for count in range(9)], np.uint64)

    def __init__(self, texts: pa.Array) -> None:
        width = np.int64 if types.is_large_string(texts.type) else np.int32
        _, offsets, data = texts.buffers()
        bounds = np.frombuffer(offsets, width)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
        first, last = (int(bounds[0]), int(bounds[-1])) if len(bounds) else (0, 0)
        letters = np.zeros(last - first + self.WIDTH, np.uint8)
        if data is not None:
            letters[: last - first] = np.frombuffer(data, np.uint8)[first:last]
        self._starts, self._ends = bounds[:-1] - first, bounds[1:] - first
        # At each byte begins a word, whose first byte counts most.
        self._words = np.ndarray(last - first + 1, ">u8", letters, strides=(1,))

    def at(self, depth: int, rows: npt.NDArray[np.integer[Any]] | slice = slice(None)) -> Numbers:
        """The bytes of some texts from a place on; those that are shorter end with zeros."""
        ends = self._ends[rows]
        starts = np.minimum(self._starts[rows] + depth, ends)
        kept = self._KEPT[np.minimum(ends - starts, self.WIDTH)]
        return self._words[starts].astype(np.uint64) & kept


def sorted_places(values: pa.Array) -> Places:
    """The places of values (none of them NULL) in their order.

    Numbers are sorted many times faster than texts. So texts are sorted by their first bytes that differ,
    which are a number, those that are still alike by the next bytes, and so on.
    """
    if len(values) >= FEW and _in_order(values):
        return np.arange(len(values))
    if len(values) < FEW or not (types.is_string(values.type) or types.is_large_string(values.type)):
        return np.asarray(pc.sort_indices(values))
    words, depth = Words(values), shared_bytes(values)
    numbers = words.at(depth)
    order = np.argsort(numbers)
    places, ordered, width = np.arange(len(order)), numbers[order], words.WIDTH
    for _ in range(_ROUNDS):
        tied, group = groups_of_same(ordered)
        if len(tied) == 0:
            return order
        depth += width
        places, rows = places[tied], order[places[tied]]
        bits = int(group[-1]).bit_length()
        width = (64 - bits) // 8
        numbers = words.at(depth, rows) >> np.uint64(64 - 8 * width)
        numbers |= group << np.uint64(8 * width)
        again = np.argsort(numbers)
        order[places], ordered = rows[again], numbers[again]
    places = places[groups_of_same(ordered)[0]]
    rows = order[places]
    order[places] = rows[pc.sort_indices(values.take(pa.array(rows))).to_numpy()]
    return order


def shared_bytes(texts: pa.Array) -> int:
    """How many bytes all texts have in common at their beginning."""
    least, greatest = ((end.as_py() or "").encode() for end in pc.min_max(texts).values())
    return sum(1 for _ in takewhile(bool, map(eq, least, greatest)))


def groups_of_same(ordered: Numbers) -> tuple[Places, Numbers]:
    """Where sorted numbers that come more than once stand, and the number of each one's group."""
    same = ordered[1:] == ordered[:-1]
    first = np.append(same, False) & ~np.insert(same, 0, False)
    tied = np.flatnonzero(first | np.insert(same, 0, False))
    return tied, np.cumsum(first[tied]).astype(np.uint64) - np.uint64(1)


def _in_order(values: pa.Array) -> bool:
    """Whether values are sorted already; a few tell that most are not."""
    return all(
        pc.all(pc.less_equal(some.slice(0, len(some) - 1), some.slice(1))).as_py() is not False
        for some in (values.slice(0, 100), values)
        if len(some) > 1
    )
