"""Sources that must become files of this machine first: what is piped in, an archive with one table."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from zipfile import BadZipFile, ZipFile

from lawful.errors import LawfulError
from lawful.table.files import Files, format_of, read_beginning

STANDARD_INPUT = "-"


def is_piped(source: str) -> bool:
    """Whether a source can be read only once: standard input, or a pipe such as the shell's <(...)."""
    return source == STANDARD_INPUT or Path(source).is_fifo()


def piped_in(source: str, folder: Path) -> Files:
    """What comes through a pipe, as a file in a folder, named by how it begins."""
    if source == STANDARD_INPUT and (sys.stdin is None or sys.stdin.isatty()):  # None: it is closed
        raise LawfulError("nothing is piped in: write it as in `lawful discover - < people.csv`")
    path = folder / "piped-in.csv"
    with path.open("wb") as file:
        if source == STANDARD_INPUT:
            shutil.copyfileobj(sys.stdin.buffer, file)
        else:
            with open(source, "rb") as pipe:
                shutil.copyfileobj(pipe, file)
    kind = format_of(read_beginning(str(path))) or "csv"
    path = path.rename(path.with_suffix(f".{kind}"))
    given = "standard input" if source == STANDARD_INPUT else source
    return Files(given, (str(path),), path.stat().st_size, True, label=source)


def unpacked(files: Files, folder: Path) -> Files:
    """The same files; of a zip archive the one that it holds."""
    if len(files.paths) != 1 or not files.local or not files.paths[0].lower().endswith(".zip"):
        return files
    (path,) = files.paths
    try:
        with ZipFile(path) as archive:
            member = _only_member(archive, files.given)
            taken = Path(archive.extract(member, folder / "unpacked"))
    except (BadZipFile, OSError, RuntimeError, NotImplementedError) as problem:
        raise LawfulError(f"{path} cannot be unpacked ({problem}): check that it is whole") from problem
    return Files(files.given, (str(taken),), taken.stat().st_size, True, label=f"{path}/{member}")


def _only_member(archive: ZipFile, given: str) -> str:
    names = [name for name in archive.namelist() if not _is_hidden(name)]
    if not names:
        raise LawfulError(f"{given} holds no files: give one that does")
    if len(names) > 1:
        shown = ", ".join(names[:10]) + (", ..." if len(names) > 10 else "")
        raise LawfulError(f"{given} holds several files ({shown}): unpack it and name one")
    return names[0]


def _is_hidden(name: str) -> bool:
    return name.endswith("/") or any(part.startswith((".", "__MACOSX")) for part in name.split("/"))
