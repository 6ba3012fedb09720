"""Finding the files that a source names, here or where Spark can see them."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.dialect import SAMPLE_BYTES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COMPRESSED = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
_FIRST_BYTES = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
_FORMATS = {
    "csv": "csv",
    "txt": "csv",
    "tsv": "tsv",
    "tab": "tsv",
    "parquet": "parquet",
    "pq": "parquet",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "orc": "orc",
    "xlsx": "xlsx",
    "xlsm": "xlsx",
    "xlsb": "xlsx",
    "xls": "xlsx",
    "ods": "xlsx",
}
_BEGINNINGS = {"json": rb'(\xef\xbb\xbf)?\s*(\[\s*)?\{\s*"', "parquet": b"PAR1", "orc": b"ORC"}


def belongs_to(path: Path, source: object) -> bool:
    """Whether a file is one of those that a source names on this machine, or in a folder that it names."""
    if not isinstance(source, str | Path):
        return False
    named = str(source).removeprefix("file://")
    found = [Path(one) for one in (named, *glob.glob(named, recursive=True)) if os.path.exists(one)]
    return any(path.samefile(one) or one.resolve() in path.resolve().parents for one in found)


@dataclass(frozen=True)
class Files:
    """The files of a source by name: paths on this machine, or addresses that Spark understands.

    Attributes:
        given: the source as the caller wrote it.
        paths: the files, sorted.
        size: their bytes.
        local: whether they lie on this machine.
        root: the folder that was named, or "".
        label: what the only file is called, where its path means nothing to the caller.
    """

    given: str
    paths: tuple[str, ...]
    size: int
    local: bool
    root: str = ""
    label: str = ""

    def name_of(self, path: str) -> str:
        """What a file is called."""
        return self.label or path

    def format(self) -> str:
        """The format that the extensions stand for; what is compressed may have any."""
        found = {_FORMATS.get(_extension(path), "") for path in self.paths}
        if len(found) > 1:
            raise LawfulError(
                f"{self.given} holds files of several kinds: name one kind, as in {self.given}/*.csv"
            )
        (only,) = found
        if not only and self.local and all(map(is_compressed, self.paths)):
            only = format_of(read_beginning(self.paths[0]))
        if not only:
            raise LawfulError(
                f"the format of {self.given} is unknown: "
                "name it, as in --format csv (tsv, parquet, json, orc, xlsx)"
            )
        return only

    def spark_paths(self) -> list[str]:
        """The files as Spark wants them, special characters escaped."""
        return [_spark_path(path) if self.local else path for path in self.paths]

    def spark_roots(self) -> list[str]:
        """The folder, whose subfolders may be partitions, else the files."""
        return [_spark_path(self.root) if self.local else self.root] if self.root else self.spark_paths()

    @property
    def partitioned(self) -> bool:
        """Whether subfolders, called key=value, hold the values of columns."""
        below = (path.removeprefix(self.root) for path in self.paths if self.root)
        return any("=" in os.path.dirname(path) for path in below)

    @property
    def disguised(self) -> bool:
        """Whether a file is compressed and its name does not say how, so that Spark would not see it."""
        return self.local and any(
            _compression(path) not in (None, _COMPRESSED.get(os.path.splitext(path)[1].lower()))
            for path in self.paths
        )

    def check_visible(self) -> None:
        """Refuse what Spark would pass over without a word."""
        for path in self.paths:
            if os.path.basename(path).startswith(("_", ".")):
                raise LawfulError(
                    f"{path} begins with {os.path.basename(path)[0]!r}, which hides it from Spark: rename it"
                )

    def beginning(self, spark: Callable[[], SparkSession]) -> tuple[bytes, bool]:
        """The first bytes of the first file that has any, and whether they are all of it."""
        for path in self.paths:
            sample = read_beginning(path) if self.local else _fetch_beginning(path, spark())
            if sample:
                return sample, self.local and len(sample) < SAMPLE_BYTES
        raise LawfulError(f"{self.given} is empty: give a file that holds a table")


def find_files(source: str, spark: Callable[[], SparkSession]) -> Files:
    """The files that a path, glob pattern or folder stands for."""
    if "://" in source and not source.startswith("file://"):
        return _find_remote(source, spark())
    path = Path(source.removeprefix("file://")).expanduser()
    if path.is_dir():
        found, root = _files_below(path), str(path.absolute())
        if not found:
            raise LawfulError(f"the folder {source} holds no files: give one that does")
    elif path.exists():
        found, root = [str(path.absolute())], ""
    else:
        found = sorted(
            os.path.abspath(name) for name in glob.glob(str(path), recursive=True) if os.path.isfile(name)
        )
        root = ""
    if not found:
        raise LawfulError(f"there is no file {source}: {_hint(path)}")
    for name in found:
        if not os.access(name, os.R_OK):
            raise LawfulError(f"{name} cannot be opened: ask for the right to read it")
    return Files(source, tuple(found), sum(os.path.getsize(name) for name in found), True, root)


@contextmanager
def open_local(path: str) -> Iterator[pa.NativeFile]:
    """A local file for reading; one whose first bytes are those of a compressed file is decompressed."""
    try:
        with pa.input_stream(path, compression=_compression(path)) as stream:
            yield stream
    except OSError as problem:
        raise LawfulError(f"{path} cannot be read ({problem}): check that it is whole") from None


def is_compressed(path: str) -> bool:
    """Whether the first bytes of a local file are those of a compressed one."""
    return _compression(path) is not None


def _compression(path: str) -> str | None:
    with open(path, "rb") as file:
        beginning = file.read(4)
    return next((name for mark, name in _FIRST_BYTES.items() if beginning.startswith(mark)), None)


def format_of(beginning: bytes) -> str:
    """The format of what begins so; "" for what is no text."""
    text = "" if b"\0" in beginning else "csv"
    return next((name for name, mark in _BEGINNINGS.items() if re.match(mark, beginning)), text)


def source_name(address: str) -> str:
    """The path or address of a file from the URI that Spark reports."""
    plain = unquote(address)
    return "/" + plain.removeprefix("file:").lstrip("/") if plain.startswith("file:") else plain


def _files_below(folder: Path) -> list[str]:
    """The files of a folder and its subfolders, without hidden ones and marks such as _SUCCESS."""
    found = []
    for parent, folders, names in os.walk(folder.absolute()):
        folders[:] = [name for name in folders if name[0] not in "._"]
        found += [os.path.join(parent, name) for name in names if name[0] not in "._"]
    return sorted(found)


def _find_remote(source: str, spark: SparkSession) -> Files:
    listed = spark.read.format("binaryFile").load(source).select("path", "length").collect()
    if not listed:
        raise LawfulError(f"there is no file at {source}: check the address")
    paths = sorted(row.path for row in listed)
    named = len(paths) == 1 and paths[0].rstrip("/").endswith(source.rstrip("/").rpartition("/")[2])
    root = "" if named or any(mark in source for mark in "*?[{") else source
    return Files(source, tuple(paths), sum(row.length for row in listed), False, root)


def read_beginning(path: str) -> bytes:
    """The first bytes of a local file, decompressed."""
    with open_local(path) as stream:
        return bytes(stream.read(SAMPLE_BYTES))


def _fetch_beginning(path: str, spark: SparkSession) -> bytes:
    from pyspark.sql import functions as f

    lines = spark.read.option("lineSep", "\n").text(path).where(f.col("_metadata.file_block_start") == 0)
    rows = lines.select(f.col("value").cast("binary")).limit(1_000).collect()
    return b"".join(bytes(row.value) + b"\n" for row in rows)


def _hint(path: Path) -> str:
    names = os.listdir(path.parent) if path.parent.is_dir() else []
    close = get_close_matches(path.name, names, n=1)
    return f"did you mean {path.parent / close[0]}?" if close else "check the path"


def _extension(path: str) -> str:
    for ending in _COMPRESSED:
        path = path.removesuffix(ending)
    return path.rpartition(".")[2].lower()


def _spark_path(path: str) -> str:
    escaped = "".join("\\" + char if char in "\\{}[]*?" else char for char in path)
    return f"file://{escaped}"
