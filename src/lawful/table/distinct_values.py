"""The distinct values of a column: many texts are sorted on all cores, which is sooner than hashing them."""

from __future__ import annotations

from threading import Lock
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from pyarrow import types

from lawful.table.arrows import in_threads
from lawful.table.sorting import Numbers, Places, Words, groups_of_same, shared_bytes, sorted_places

Ints = npt.NDArray[np.int32]
_MANY = 1 << 16  # texts: fewer are hashed
_SAMPLE = 1 << 10
_PARTS = 16
_ONE_COLUMN = Lock()  # has all cores: memory for several would bring nothing


class _Range(NamedTuple):
    """The places of texts that have the least words, or the next ones, in their order.

    `codes` number the distinct ones from 0, `first` are the places of one of each.
    """

    places: Places
    codes: Ints
    first: Places


def distinct_values(values: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct values, NULL being one of them, and which of them each value is."""
    is_text = types.is_string(values.type) or types.is_large_string(values.type)
    if not is_text or len(values) < _MANY:
        encoded = values.dictionary_encode(null_encoding="encode")
        return encoded.dictionary, encoded.indices.to_numpy()
    if not values.null_count:
        with _ONE_COLUMN:
            return _distinct_texts(values)
    found, codes = distinct_values(values.drop_null())
    missing = values.is_null().to_numpy(zero_copy_only=False)
    all_codes = np.zeros(len(values), np.int32)
    all_codes[~missing] = codes + 1
    return pa.concat_arrays([pa.nulls(1, found.type), found]), all_codes


def _distinct_texts(texts: pa.Array) -> tuple[pa.Array, Ints]:
    """The distinct texts in their order."""
    words = Words(texts).at(shared_bytes(texts))

    def part(low: np.uint64, high: np.uint64) -> tuple[_Range, pa.Array]:
        known = _part(texts, words, np.flatnonzero((words >= low) & (words <= high)))
        return known, texts.take(pa.array(known.first))

    parts, found = zip(*in_threads(part, *_bounds(words)), strict=True)
    codes, count = np.empty(len(texts), np.int32), 0
    for one in parts:
        codes[one.places] = one.codes + np.int32(count)
        count += len(one.first)
    return pa.concat_arrays(found), codes


def _bounds(words: Numbers) -> tuple[Numbers, Numbers]:
    """The first and the last words of parts of about one size, each of which is sorted on its own."""
    count = min(_PARTS, 2 * pa.cpu_count(), max(len(words) // _MANY, 1))
    some = np.sort(words[:: max(len(words) // _SAMPLE, 1)])
    inner = np.unique(some[np.arange(1, count) * len(some) // count])
    inner = inner[inner > words.min()]
    return np.append(words.min(), inner), np.append(inner - np.uint64(1), words.max())


def _part(texts: pa.Array, words: Numbers, places: Places) -> _Range:
    """Sort texts by their words; those that have the same are hashed, since most of them are the same."""
    own = words[places]
    order = np.argsort(own)
    places, own = places[order], own[order]
    new = np.ones(len(own), np.bool_)
    tied = groups_of_same(own)[0]
    if len(tied):
        encoded = texts.take(pa.array(places[tied])).dictionary_encode()
        ranks = np.empty(len(encoded.dictionary), np.int32)
        ranks[sorted_places(encoded.dictionary)] = np.arange(len(ranks), dtype=np.int32)
        rank = ranks[encoded.indices.to_numpy()]
        again = np.argsort(rank)
        places[tied] = places[tied[again]]
        new[tied] = np.diff(rank[again], prepend=-1) > 0
    return _Range(places, np.cumsum(new, dtype=np.int32) - 1, places[new])
