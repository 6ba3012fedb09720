"""Sorted texts as kernels see them: their letters one after the other."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.kernels import kernel


class Texts(NamedTuple):
    """Texts one after the other, and where each begins and ends."""

    bounds: npt.NDArray[np.int32]
    letters: npt.NDArray[np.uint8]


def texts_of(values: pa.Array) -> Texts:
    """The texts of an array, whose letters are its own."""
    _, bounds, letters = values.buffers()
    own = np.frombuffer(bounds, np.int32)[values.offset : values.offset + len(values) + 1]
    return Texts(own, np.frombuffer(b"" if letters is None else letters, np.uint8))


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
def bounds_of_texts(ordered, wanted):
    """Before which of some sorted texts each wanted one belongs."""
    places = np.empty(wanted.bounds.shape[0] - 1, np.int64)
    for j in range(places.shape[0]):
        low, high = 0, ordered.bounds.shape[0] - 1
        while low < high:
            middle = (low + high) // 2
            if is_before(ordered, middle, wanted, j):
                low = middle + 1
            else:
                high = middle
        places[j] = low
    return places
