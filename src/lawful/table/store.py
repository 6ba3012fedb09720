"""The arrays in a relation's folder: codes, ranks and the first values of columns."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.columns import Dictionary
from lawful.table.entries import Entries
from lawful.table.manifests import ColumnFile
from lawful.table.notes import notes_of

Codes = npt.NDArray[np.int32]


def save_dictionary(folder: Path, name: str, dictionary: Dictionary, unordered: bool) -> ColumnFile:
    """Write a dictionary as an Arrow file, in the order of the ranks."""
    ordered, moved = dictionary.sorted_by_rank()
    arrays = {"raw": ordered.raw, "order": pa.array(ordered.order, pa.int32())}
    if ordered.values is not ordered.raw:
        arrays["value"] = ordered.values
    if not np.array_equal(moved, np.arange(len(moved))):
        arrays["code"] = pa.array(np.argsort(moved), pa.int32())
    batch = pa.record_batch(arrays)
    with pa.ipc.new_file(str(folder / name), batch.schema) as writer:
        writer.write_batch(batch)
    about = dictionary.rule, dictionary.kind, unordered, dictionary.is_identity
    return ColumnFile(*about, name, len(dictionary), notes_of(dictionary))


def load_entries(folder: Path, column: ColumnFile) -> Entries:
    """Map the first values of a column into memory."""
    batch = _batch(folder / column.file)
    raw = batch.column("raw")
    values = batch.column("value") if "value" in batch.schema.names else raw
    codes = batch.column("code").to_numpy() if "code" in batch.schema.names else None
    return Entries(raw, values, column.rule.keys(values), codes)


def load_order(folder: Path, column: ColumnFile) -> Codes:
    """The rank of each of the first values of a column, in their order."""
    order: Codes = _batch(folder / column.file).column("order").to_numpy()
    return order


def _batch(path: Path) -> pa.RecordBatch:
    return pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)


def new_codes(path: Path, shape: tuple[int, int]) -> Codes:
    """A file for codes or ranks, mapped for writing."""
    if 0 in shape:  # nothing to map
        nothing = np.empty(shape, dtype=np.int32)
        with path.open("wb") as file:
            np.save(file, nothing)
        return nothing
    codes: Codes = np.lib.format.open_memmap(path, mode="w+", dtype=np.int32, shape=shape)
    if hasattr(os, "posix_fallocate"):  # else whoever writes on a full disk is killed, without an error
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
    return codes


def load_codes(path: Path) -> Codes:
    """Codes or ranks from their file, mapped for reading."""
    return _mapped(path)


def load_numbers(path: Path) -> npt.NDArray[np.int64]:
    """Numbers of rows from their file, mapped for reading."""
    return _mapped(path)


def _mapped(path: Path) -> npt.NDArray[Any]:
    try:
        return np.asanyarray(np.load(path, mmap_mode="r"))
    except ValueError:  # an empty array cannot be mapped
        array: npt.NDArray[Any] = np.load(path)
        array.flags.writeable = False
        return array
