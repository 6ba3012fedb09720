"""Versions of a relation: which files of its folder hold it. All are written before a version counts."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from lawful.errors import LawfulError
from lawful.table.columns import Rule
from lawful.table.kinds import Kind
from lawful.table.pile import Block
from lawful.table.source_options import SourceOptions

_POINTER = "relation.json"
_LAYOUT = 3
MADE_OF_VERSION = ("ranks", "arranged", "arrangement")  # files that are written when they are needed


@dataclass(frozen=True)
class ColumnFile:
    """What is kept about a column beside its first values, of which a file holds so many (`size`)."""

    rule: Rule
    kind: Kind
    unordered: bool
    identity: bool
    file: str
    size: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class PartFile:
    """The file of one part of a relation: how many rows came and went."""

    file: str
    rows: int
    deleted: int


@dataclass(frozen=True)
class Manifest:
    """One version of a relation: which files hold it.

    Attributes:
        columns: their types and first values.
        codes: the file of the first rows, as values of these.
        blocks: where the first rows stand in their sources.
        parts: what changes have brought since, in their order.
    """

    version: int
    columns: tuple[ColumnFile, ...]
    codes: str
    blocks: tuple[Block, ...]
    parts: tuple[PartFile, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)

    def files(self) -> set[str]:
        """The names of all files of this version, those that are made when they are needed among them."""
        made = {f"{what}-{self.version}.npy" for what in MADE_OF_VERSION}
        parts = {part.file for part in self.parts}
        return (
            {manifest_name(self.version), self.codes, *(column.file for column in self.columns)}
            | parts
            | made
        )


def load_manifest(folder: Path, version: int | None = None) -> Manifest:
    """A version that the folder holds: the one that counts, if none is named."""
    data = _pointed(folder)
    if data["layout"] != _LAYOUT:
        raise LawfulError(f"{folder} was written by another version of lawful: read the source again")
    number = data["version"] if version is None else version
    try:
        data = json.loads((folder / manifest_name(number)).read_text(encoding="utf-8"))
    except OSError:
        raise LawfulError(f"{folder} holds no version {number} of a relation: open another one") from None
    columns = tuple(_column_from_json(column) for column in data.pop("columns"))
    blocks = tuple(Block(**block) for block in data.pop("blocks"))
    parts = tuple(PartFile(**part) for part in data.pop("parts"))
    return Manifest(columns=columns, blocks=blocks, parts=parts, **data)


def save_manifest(folder: Path, manifest: Manifest) -> None:
    """Write a version down, whose files are on disk; it does not count yet."""
    _write(folder / manifest_name(manifest.version), vars(manifest))


def point_to(folder: Path, version: int, durable: bool) -> None:
    """Make a version the one that counts, in one step."""
    draft = folder / f"{_POINTER}-{version}"
    _write(draft, {"layout": _LAYOUT, "version": version})
    make_safe([draft] if durable else [])
    os.replace(draft, folder / _POINTER)
    make_safe([folder] if durable else [])


def next_version(folder: Path) -> int:
    """A number that no file has, not even one of a version that was given up or half removed."""
    numbers = (re.search(r"-(\d+)\.", name) for name in os.listdir(folder))
    return 1 + max(int(number[1]) for number in numbers if number is not None)


def make_safe(paths: Iterable[Path]) -> None:
    """Have files, and the names in folders, survive a power failure."""
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        try:
            with suppress(OSError):  # some file systems cannot
                os.fsync(handle)
        finally:
            os.close(handle)


def _pointed(folder: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads((folder / _POINTER).read_text(encoding="utf-8"))
    except OSError:
        raise LawfulError(f"{folder} holds no relation: give the folder that one was read into") from None
    return data


def manifest_name(version: int) -> str:
    """The file of a version."""
    return f"relation-{version}.json"


def _write(path: Path, data: dict[str, Any]) -> None:
    path.write_text(json.dumps(data, ensure_ascii=False, default=vars), encoding="utf-8")


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
