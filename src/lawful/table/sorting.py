"""The order of values, as Arrow has it: texts sooner than by comparing them all."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

_PREFIX = 8  # bytes
FEW = 1000  # texts that are sooner sorted as they are


def sorted_places(values: pa.Array) -> npt.NDArray[np.integer[Any]]:
    """The places of values (none of them NULL) in their order.

    Numbers are sorted many times faster than texts. So texts are sorted by their first bytes, which are
    a number, and only those whose first bytes are the same are compared with each other.
    """
    is_text = types.is_string(values.type) or types.is_large_string(values.type)
    if not is_text or len(values) < FEW:
        return np.asarray(pc.sort_indices(values))
    numbers = _first_bytes(values)
    order = np.argsort(numbers)
    ordered = numbers[order]
    same = ordered[1:] == ordered[:-1]
    tied = np.flatnonzero(np.append(same, False) | np.insert(same, 0, False))
    if len(tied):
        rows = order[tied]
        order[tied] = rows[pc.sort_indices(values.take(pa.array(rows))).to_numpy()]
    return order


def _first_bytes(texts: pa.Array) -> npt.NDArray[np.uint64]:
    """The first bytes of each text as a number, in the order of the texts; short ones end with zeros."""
    width = np.int64 if types.is_large_string(texts.type) else np.int32
    _, offsets, data = texts.buffers()
    bounds = np.frombuffer(offsets, width)[texts.offset : texts.offset + len(texts) + 1]
    starts, lengths = bounds[:-1], np.diff(bounds)
    numbers = np.zeros(len(texts), np.uint64)
    if data is None or len(data) == 0:
        return numbers
    content = np.frombuffer(data, np.uint8)
    for place in range(_PREFIX):
        char = content[np.minimum(starts + place, len(content) - 1)].astype(np.uint64)
        numbers = (numbers << np.uint64(8)) | np.where(lengths > place, char, np.uint64(0))
    return numbers
