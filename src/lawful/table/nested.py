"""Nested values as JSON text: one text for one value, whatever reader the value comes from."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from lawful.table.kinds import clean_floats

_ESCAPED = [("\\", "\\\\"), ('"', '\\"')]
_CONTROL = [(chr(code), json.dumps(chr(code))[1:-1]) for code in range(32)]

Plain = Callable[[pa.Array], pa.Array]


def json_texts(values: pa.Array, plain: Plain) -> pa.Array:
    """Values of any type as JSON, NULL where they are; `plain` makes plain types of those not nested.

    The fields of a struct are sorted by name, since readers order them differently, and NULL ones left out.
    """
    kind = values.type
    if types.is_struct(kind):
        return _objects(values, plain)
    if types.is_map(kind):
        return _maps(values, plain)
    if types.is_nested(kind):
        return _joined(values, json_texts(values.flatten(), plain).fill_null("null"), "[", "]")
    flat = plain(values)
    if types.is_string(flat.type) or types.is_large_string(flat.type):
        return _quoted(flat)
    texts = (clean_floats(flat) if types.is_floating(flat.type) else flat).cast(pa.string())
    return _around('"', texts, '"') if types.is_temporal(flat.type) else texts


def _objects(values: pa.Array, plain: Plain) -> pa.Array:
    names = [field.name for field in values.type]
    fields = [
        _around(f",{json.dumps(names[place], ensure_ascii=False)}:", json_texts(values.field(place), plain))
        for place in sorted(range(len(names)), key=names.__getitem__)
    ]
    inner = pa.array([""] * len(values), pa.string())
    if fields:
        inner = pc.binary_join_element_wise(*(field.fill_null("") for field in fields), "")
    return pc.if_else(values.is_valid(), _around("{", pc.utf8_slice_codeunits(inner, 1), "}"), None)


def _maps(values: pa.Array, plain: Plain) -> pa.Array:
    kind = values.type
    entries = values.cast(pa.list_(pa.struct([("key", kind.key_type), ("value", kind.item_type)])))
    pairs = entries.flatten()
    keys, items = (json_texts(pairs.field(place), plain) for place in (0, 1))
    names = pc.if_else(pc.starts_with(keys, '"'), keys, _quoted(keys))
    return _joined(entries, pc.binary_join_element_wise(names, items.fill_null("null"), ":"), "{", "}")


def _joined(lists: pa.Array, texts: pa.Array, opening: str, closing: str) -> pa.Array:
    """For each list its part of the texts, which are those of all lists, joined."""
    lengths = pc.list_value_length(lists).fill_null(0).to_numpy(zero_copy_only=False)
    ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    groups = pa.LargeListArray.from_arrays(pa.array(ends), texts)
    joined = pc.binary_join(groups, ",").cast(pa.string())
    return pc.if_else(lists.is_valid(), _around(opening, joined, closing), None)


def _around(before: str, texts: pa.Array, after: str = "") -> pa.Array:
    return pc.binary_join_element_wise(before, texts, after, "")


def _quoted(texts: pa.Array) -> pa.Array:
    control = pc.any(pc.match_substring_regex(texts, r"[\x00-\x1f]")).as_py()
    for char, escaped in [*_ESCAPED, *(_CONTROL if control else [])]:
        texts = pc.replace_substring(texts, char, escaped)
    return _around('"', texts.cast(pa.string()), '"')
