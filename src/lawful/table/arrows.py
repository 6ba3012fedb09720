"""Arrow arrays of any type as the plain types that ranks are made of."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import types

from lawful.errors import LawfulError
from lawful.table.kinds import EXACT_NUMBERS, MOMENTS, NUMBERS
from lawful.table.nested import json_texts

Item = TypeVar("Item")
Result = TypeVar("Result")


def plain(column: pa.Array, name: str = "") -> pa.Array:
    """The same values as integer, decimal, float, boolean, date, timestamp, string or null.

    Durations become integers, times of day and nested values text (JSON), bytes hexadecimal text.
    """
    kind = column.type
    if types.is_dictionary(kind):
        return plain(column.dictionary_decode(), name)
    if types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(column), name)
    if isinstance(kind, pa.BaseExtensionType):
        return plain(column.storage, name)
    if types.is_nested(kind):
        return json_texts(column, partial(plain, name=name))
    if types.is_binary(kind) or types.is_large_binary(kind) or types.is_fixed_size_binary(kind):
        return pa.array([None if value is None else value.hex() for value in column.to_pylist()], pa.string())
    target = _target(kind)
    if target is None:
        raise LawfulError(
            f"column {name!r} has the type {kind}, which has no order here: cast or leave it out"
        )
    return column if target.equals(kind) else column.cast(target)


def ordered_categories(table: pa.Table) -> dict[int, tuple[str, ...]]:
    """The values of the columns that are ordered categoricals, as texts in the order of the categories."""
    found = {}
    for index, column in enumerate(table.columns):
        if types.is_dictionary(column.type) and column.type.ordered and column.num_chunks:
            categories = column.unify_dictionaries().chunk(0).dictionary
            found[index] = tuple(plain(categories).cast(pa.string()).to_pylist())
    return found


def type_name(kind: pa.DataType) -> str:
    """What a plain Arrow type is called here."""
    tests = (
        ("integer", types.is_integer),
        ("decimal", types.is_decimal),
        ("float", types.is_floating),
        ("boolean", types.is_boolean),
        ("date", types.is_date),
        ("timestamp", types.is_timestamp),
        ("null", types.is_null),
    )
    if types.is_decimal(kind) and kind.scale <= 0:
        return "integer"
    return next((name for name, test in tests if test(kind)), "string")


def common_type(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The plain type that can hold the values of both, text if nothing else can."""
    if one.equals(other) or types.is_null(other):
        return one
    if types.is_null(one):
        return other
    names = {type_name(one), type_name(other)}
    if names <= {*EXACT_NUMBERS}:
        return _common_decimal(one, other)
    if names <= {*NUMBERS}:
        return pa.float64()
    if names <= {*MOMENTS} and (moment := _common_moment(one, other)) is not None:
        return moment
    return pa.large_string() if pa.large_string() in (one, other) else pa.string()


def _target(kind: pa.DataType) -> pa.DataType | None:
    if types.is_uint64(kind):
        return pa.decimal128(38, 0)
    if types.is_integer(kind) or types.is_duration(kind):
        return pa.int64()
    if types.is_floating(kind):
        return pa.float64()
    if types.is_decimal(kind):
        return pa.decimal128(38, kind.scale) if kind.bit_width < 128 else kind
    if types.is_date(kind):
        return pa.date32()
    if types.is_timestamp(kind):
        return pa.timestamp("ns" if kind.unit == "ns" else "us", "UTC" if kind.tz else None)
    if types.is_boolean(kind) or types.is_null(kind) or types.is_large_string(kind):
        return kind
    return pa.string() if types.is_string(kind) or types.is_string_view(kind) or types.is_time(kind) else None


def _common_decimal(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    shapes = [(kind.precision, kind.scale) if types.is_decimal(kind) else (19, 0) for kind in (one, other)]
    scale = max(scale for _, scale in shapes)
    digits = max(precision - scale for precision, scale in shapes) + scale
    if digits <= 38:
        return pa.decimal128(38, scale)
    return pa.decimal256(76, scale) if digits <= 76 else pa.float64()


def _common_moment(one: pa.DataType, other: pa.DataType) -> pa.DataType | None:
    moments = [kind for kind in (one, other) if types.is_timestamp(kind)]
    zones = {kind.tz for kind in moments}
    if len(zones) > 1 or (len(moments) == 1 and zones != {None}):
        return None
    return pa.timestamp("ns" if any(kind.unit == "ns" for kind in moments) else "us", zones.pop())


def in_threads(function: Callable[..., Result], *items: Iterable[Any], most: int = 16) -> list[Result]:
    """`map`, with as many threads as Arrow has, which works without Python's lock; one in Spark's workers.

    At most so many: for little to do one is enough.
    """
    threads = min(pa.cpu_count(), most)
    if threads == 1:
        return list(map(function, *items))
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(function, *items))


def ahead(function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
    """The same for items that come one by one: threads are a few items ahead of whoever takes the results."""
    threads, more = pa.cpu_count(), iter(items)
    first = [*islice(more, 2)]
    if min(threads, len(first)) < 2:
        yield from map(function, chain(first, more))
        return
    with ThreadPoolExecutor(threads) as pool:
        begun = deque[Future[Result]]()
        for item in chain(first, more):
            begun.append(pool.submit(function, item))
            if len(begun) > threads:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


def give_back() -> None:
    """Return the memory of what is no longer used to the system: Arrow would hold on to it."""
    pa.default_memory_pool().release_unused()
