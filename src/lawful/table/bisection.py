"""Places of values in a sorted array, found by halving: nothing is read but what is compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from lawful.table.texts import bounds_of_texts, texts_of

Places = npt.NDArray[np.int64]


def lower_bounds(ordered: pa.Array, wanted: pa.Array) -> Places:
    """Before which of the sorted values (NULL first, NaN last) each wanted one belongs; NULL at the front.

    Where the types differ, that of the wanted values must keep the order of the sorted ones.
    """
    present = ordered.slice(ordered.null_count) if ordered.null_count else ordered
    alike = ordered.type == wanted.type and len(present) > 0 and len(wanted) > 0
    places = _found(present, wanted) if alike else None
    if places is None:
        places = _halved(present, wanted)
    after_nulls: Places = places + ordered.null_count
    if wanted.null_count:
        after_nulls[wanted.is_null().to_numpy(zero_copy_only=False)] = 0
    return after_nulls


def _found(ordered: pa.Array, wanted: pa.Array) -> Places | None:
    """The same for values of one type none of which is missing among the sorted ones; None if it is odd."""
    if types.is_string(ordered.type):
        found: Places = bounds_of_texts(texts_of(ordered), texts_of(wanted))
        return found
    numbers = _numbers(ordered, are_sorted=True), _numbers(wanted, are_sorted=False)
    return None if numbers[0] is None or numbers[1] is None else np.searchsorted(numbers[0], numbers[1])


def _numbers(values: pa.Array, are_sorted: bool) -> npt.NDArray[np.generic] | None:
    """Values as the numbers that they are stored as, in the same order; None where these are none."""
    kind = values.type
    if types.is_decimal128(kind):
        return _small_decimals(values, are_sorted)
    if types.is_timestamp(kind) or types.is_date32(kind):
        values = values.view(pa.int64() if types.is_timestamp(kind) else pa.int32())
    elif not (types.is_int64(kind) or types.is_float64(kind)):
        return None
    known = values.fill_null(0) if values.null_count else values
    numbers: npt.NDArray[np.generic] = known.to_numpy()
    return numbers


def _small_decimals(values: pa.Array, are_sorted: bool) -> npt.NDArray[np.int64] | None:
    """Decimals without their point, if they fit 64 bits: of sorted ones the least and the greatest tell."""
    halves = np.frombuffer(values.buffers()[1], np.int64).reshape(-1, 2)
    low, high = halves[values.offset : values.offset + len(values)].T
    if are_sorted:
        fit = (low[[0, -1]] >> 63) == high[[0, -1]]
    else:
        fit = ((low >> 63) == high) | values.is_null().to_numpy(zero_copy_only=False)
    return low if fit.all() else None


def _halved(ordered: pa.Array, wanted: pa.Array) -> Places:
    places, step = np.zeros(len(wanted), np.int64), 1 << len(ordered).bit_length() >> 1
    while step:
        reached = np.minimum(places + step, len(ordered))
        seen = pc.take(ordered, pa.array(reached - 1), boundscheck=False)
        before = pc.less(seen if seen.type == wanted.type else seen.cast(wanted.type), wanted)
        places = np.where(pc.fill_null(before, False) if wanted.null_count else before, reached, places)
        step //= 2
    return places
