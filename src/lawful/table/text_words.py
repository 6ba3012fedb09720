"""Texts as numbers: some of their bytes at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

Numbers = npt.NDArray[np.uint64]


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
