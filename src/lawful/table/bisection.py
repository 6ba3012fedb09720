"""Places of values in a sorted array, found by halving: nothing is read but what is compared."""

from __future__ import annotations

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from lawful.kernels import kernel
from lawful.table.columns import alike

Number = TypeVar("Number", bound=np.generic)

Places = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Table = npt.NDArray[np.generic]  # [value, 1 or 2]: numbers in its first column


class Texts(NamedTuple):
    """Texts one after the other, and where each begins and ends."""

    bounds: npt.NDArray[np.int32]
    letters: npt.NDArray[np.uint8]


def texts_of(values: pa.Array) -> Texts:
    """The texts of an array, whose letters are its own."""
    _, bounds, letters = values.buffers()
    own = numbers_in(bounds, np.int32)[values.offset : values.offset + len(values) + 1]
    return Texts(own, numbers_in(b"" if letters is None else letters, np.uint8))


def numbers_in(buffer: pa.Buffer | bytes, kind: type[Number]) -> npt.NDArray[Number]:
    """The numbers in a buffer, to be read only: one type for the compiler, whoever has made it."""
    numbers = np.frombuffer(buffer, kind)
    numbers.flags.writeable = False
    return numbers


@kernel
def is_before(texts, i, others, j):
    """Whether a text is before another one."""
    start, other = texts.bounds[i], others.bounds[j]
    size, other_size = texts.bounds[i + 1] - start, others.bounds[j + 1] - other
    for k in range(min(size, other_size)):
        if texts.letters[start + k] != others.letters[other + k]:
            return texts.letters[start + k] < others.letters[other + k]
    return size < other_size


@kernel
def find_texts(ordered, wanted):
    """Before which of some sorted texts each wanted one belongs, and whether it stands there."""
    count = wanted.bounds.shape[0] - 1
    places, there = np.empty(count, np.int64), np.empty(count, np.bool_)
    for j in range(count):
        low, high = 0, ordered.bounds.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if is_before(ordered, middle, wanted, j):
                low = middle + 1
            else:
                high = middle
        places[j] = low
        there[j] = low < ordered.bounds.shape[0] - 1 and not is_before(wanted, j, ordered, low)
    return places, there


@kernel
def is_less(one, other):
    """Whether a number is less than another one; NaN is the greatest."""
    return one < other or (other != other and one == one)


@kernel
def find_numbers(ordered, wanted):
    """The same for numbers, the first ones of the lines of tables."""
    places, there = np.empty(wanted.shape[0], np.int64), np.empty(wanted.shape[0], np.bool_)
    for j in range(wanted.shape[0]):
        low, high = 0, ordered.shape[0]
        while low < high:
            middle = (low + high) // 2
            if is_less(ordered[middle, 0], wanted[j, 0]):
                low = middle + 1
            else:
                high = middle
        places[j] = low
        there[j] = low < ordered.shape[0] and not is_less(wanted[j, 0], ordered[low, 0])
    return places, there


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
