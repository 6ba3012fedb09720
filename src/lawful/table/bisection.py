"""Places of values in a sorted array, found by halving: nothing is read but what is compared."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from lawful.table.columns import alike
from lawful.table.halving import find_numbers, find_texts, numbers_in, texts_of

Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Table = npt.NDArray[np.generic]  # [value, 1 or 2]: numbers in its first column


def places_among(ordered: pa.Array, wanted: pa.Array) -> tuple[Places, Flags]:
    """Before which of the sorted values (NULL first, NaN last) each wanted one belongs, and if it is there.

    NULL belongs to the front. Where the types differ, that of the wanted values must keep the order of the
    sorted ones.
    """
    present = ordered.slice(ordered.null_count) if ordered.null_count else ordered
    comparable = ordered.type == wanted.type and len(present) > 0 and len(wanted) > 0
    places, there = (_found(present, wanted) if comparable else None) or _halved(present, wanted)
    places += ordered.null_count
    if wanted.null_count:
        missing = wanted.is_null().to_numpy(zero_copy_only=False)
        places[missing], there[missing] = 0, ordered.null_count > 0
    return places, there


def _found(ordered: pa.Array, wanted: pa.Array) -> tuple[Places, Flags] | None:
    """The same for values of one type none of which is missing among the sorted ones; None if it is odd."""
    if types.is_string(ordered.type):
        return tuple(find_texts(texts_of(ordered), texts_of(wanted)))
    numbers = _numbers(ordered, are_sorted=True), _numbers(wanted, are_sorted=False)
    return None if numbers[0] is None or numbers[1] is None else tuple(find_numbers(*numbers))


def _numbers(values: pa.Array, are_sorted: bool) -> Table | None:
    """Values as the numbers that they are stored as, in the same order; None where these are none."""
    kind = values.type
    if types.is_decimal128(kind):
        return _small_decimals(values, are_sorted)
    if types.is_timestamp(kind) or types.is_date32(kind):
        values = values.view(pa.int64() if types.is_timestamp(kind) else pa.int32())
    elif not (types.is_int64(kind) or types.is_float64(kind)):
        return None
    known = values.fill_null(0) if values.null_count else values
    numbers: Table = known.to_numpy().reshape(-1, 1)
    return numbers


def _small_decimals(values: pa.Array, are_sorted: bool) -> Table | None:
    """Decimals without their point, if they fit 64 bits: of sorted ones the least and the greatest tell."""
    halves = numbers_in(values.buffers()[1], np.int64).reshape(-1, 2)
    own = halves[values.offset : values.offset + len(values)]
    low, high = own[[0, -1]].T if are_sorted else own.T
    fit = (low >> 63) == high
    if values.null_count:
        fit |= values.is_null().to_numpy(zero_copy_only=False)
    return own if fit.all() else None


def _halved(ordered: pa.Array, wanted: pa.Array) -> tuple[Places, Flags]:
    places, step = np.zeros(len(wanted), np.int64), 1 << len(ordered).bit_length() >> 1
    while step:
        reached = np.minimum(places + step, len(ordered))
        seen = pc.take(ordered, pa.array(reached - 1), boundscheck=False)
        before = pc.less(seen if seen.type == wanted.type else seen.cast(wanted.type), wanted)
        places = np.where(pc.fill_null(before, False) if wanted.null_count else before, reached, places)
        step //= 2
    there, inside = np.zeros(len(wanted), np.bool_), np.flatnonzero(places < len(ordered))
    seen = ordered.take(pa.array(places[inside]))
    seen = seen if seen.type == wanted.type else seen.cast(wanted.type)
    there[inside] = alike(seen, wanted.take(pa.array(inside)))
    return places, there
