"""Files that results are written to: their formats, and whether they may be written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pyarrow import parquet

from lawful.errors import LawfulError
from lawful.replacing import replaced_file
from lawful.table.files import belongs_to

_Handler = TypeVar("_Handler")


def by_ending(path: Path, handlers: Mapping[str, _Handler]) -> _Handler:
    """What handles files whose names end like this one's."""
    if path.suffix.lower() not in handlers:
        endings = ", ".join(handlers)
        raise LawfulError(f"cannot tell the format of {str(path)!r}: let its name end in one of {endings}")
    return handlers[path.suffix.lower()]


def parquet_schema(path: Path) -> pa.Schema:
    """What a Parquet file says of its columns; nothing if it is none."""
    try:
        return parquet.read_schema(path)
    except pa.ArrowException:
        return pa.schema([])


def check_output(
    path: Path, source: Any, force: bool, is_ours: Callable[[Path], bool], option: str = "--out"
) -> None:
    """Raise now, not after long work, if a file could not be written.

    What is read is never written over, and what lawful did not write only by `force`.
    """
    if path.is_file() and belongs_to(path, source):
        raise LawfulError(f"{str(path)!r} is what is read: choose another {option}")
    if path.is_file() and not force and not is_ours(path):
        raise LawfulError(
            f"{str(path)!r} exists, and lawful did not write it: choose another {option}, or --force"
        )
    with replaced_file(path, keep=False):
        pass
