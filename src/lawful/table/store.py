"""The files of a relation's folder; everything is written under new names before it counts."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.columns import Dictionary, Rule
from lawful.table.kinds import Kind
from lawful.table.notes import notes_of
from lawful.table.pile import Block
from lawful.table.source_options import SourceOptions

_STATE = "relation.json"
_LAYOUT = 2
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True)
class ColumnFile:
    """What is kept about a column beside its dictionary."""

    rule: Rule
    kind: Kind
    unordered: bool
    identity: bool
    file: str
    notes: tuple[str, ...]


@dataclass(frozen=True)
class State:
    """One version of a relation: which files hold it."""

    version: int
    columns: tuple[ColumnFile, ...]
    segments: tuple[str, ...]
    blocks: tuple[Block, ...]
    deleted: str = ""
    options: dict[str, Any] = field(default_factory=dict)

    def files(self) -> set[str]:
        """The names of all files of this version."""
        return {column.file for column in self.columns} | set(self.segments) | {self.deleted} - {""}


def load_state(folder: Path) -> State:
    """The version that the folder holds."""
    try:
        data = json.loads((folder / _STATE).read_text(encoding="utf-8"))
    except OSError:
        raise LawfulError(f"{folder} holds no relation: give the folder that one was read into") from None
    if data.pop("layout") != _LAYOUT:
        raise LawfulError(f"{folder} was written by another version of lawful: read the source again")
    columns = tuple(_column_from_json(column) for column in data.pop("columns"))
    blocks = tuple(Block(*block) for block in data.pop("blocks"))
    return State(columns=columns, blocks=blocks, segments=tuple(data.pop("segments")), **data)


def save_state(folder: Path, state: State) -> None:
    """Make a version the one that counts, in one step."""
    data = asdict(state) | {"layout": _LAYOUT, "blocks": [[b.source, b.first, b.rows] for b in state.blocks]}
    draft = folder / f"{_STATE}.{state.version}"
    draft.write_text(json.dumps(data, ensure_ascii=False), encoding="utf-8")
    os.replace(draft, folder / _STATE)


def save_dictionary(folder: Path, name: str, dictionary: Dictionary, unordered: bool) -> ColumnFile:
    """Write a dictionary as an Arrow file."""
    arrays = {"raw": dictionary.raw, "order": pa.array(dictionary.order, pa.int32())}
    if dictionary.values is not dictionary.raw:
        arrays["value"] = dictionary.values
    batch = pa.record_batch(arrays)
    with pa.ipc.new_file(str(folder / name), batch.schema) as writer:
        writer.write_batch(batch)
    about = dictionary.rule, dictionary.kind, unordered, dictionary.is_identity
    return ColumnFile(*about, name, notes_of(dictionary))


def load_dictionary(folder: Path, column: ColumnFile) -> Dictionary:
    """Map a dictionary into memory."""
    batch = pa.ipc.open_file(pa.memory_map(str(folder / column.file))).get_batch(0)
    raw = batch.column("raw")
    values = batch.column("value") if "value" in batch.schema.names else raw
    return Dictionary(column.rule, column.kind, raw, values, batch.column("order").to_numpy())


def new_codes(path: Path, shape: tuple[int, int]) -> Codes:
    """A file for codes or ranks, mapped for writing."""
    if 0 in shape:  # nothing to map
        nothing = np.empty(shape, dtype=np.int32)
        with path.open("wb") as file:
            np.save(file, nothing)
        return nothing
    return np.lib.format.open_memmap(path, mode="w+", dtype=np.int32, shape=shape)


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


def _column_from_json(data: dict[str, Any]) -> ColumnFile:
    rule = Rule(**_with_tuples(data["rule"]))
    return ColumnFile(**(_with_tuples(data) | {"rule": rule, "kind": Kind(**data["kind"])}))


def options_to_json(options: SourceOptions) -> dict[str, Any]:
    """Options as plain data; without properties, which may hold a password."""
    data = {
        entry.name: getattr(options, entry.name) for entry in fields(options) if entry.name != "properties"
    }
    return data | {"types": dict(options.types)}


def options_from_json(data: dict[str, Any]) -> SourceOptions:
    """The options that `options_to_json` wrote."""
    return SourceOptions(**_with_tuples(data))


def _with_tuples(data: dict[str, Any]) -> dict[str, Any]:
    """What JSON made lists of is made tuples again."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in data.items()}
