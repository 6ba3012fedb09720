"""Kernels that find values among sorted ones by halving: nothing is read but what is compared."""

from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.kernels import kernel

Number = TypeVar("Number", bound=np.generic)


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
