"""The folder of a state: written aside, switched in one step, changed by one process at a time.

`state.json` names the version of everything: of the relation, of the evidence, of the laws, and how much of
the history counts. Whatever it does not name is left over from a change that did not come to its end.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.errors import LawfulError

FORMAT = 2
_STATE, _LOCK, _HISTORY = "state.json", "lock", "history.jsonl"

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Saved:
    """What `state.json` says.

    Attributes:
        version: of the state: 0 when it is made, one more with each change.
        relation: which version of the relation belongs to it.
        options: what was asked for.
        space: which columns and comparisons laws may use.
        history: bytes of the history that count.
    """

    version: int
    relation: int
    options: Mapping[str, Any]
    space: Mapping[str, Any]
    history: int = 0

    @property
    def arrays_file(self) -> str:
        """Where the laws and the witnesses of their evidence are."""
        return f"laws-{self.version}.npz"


class StateFolder:
    """A folder that holds a state."""

    def __init__(self, path: Path, durable: bool = True) -> None:
        """A folder; `durable` if what is in it shall survive a power failure."""
        self.path, self.durable = path, durable

    @property
    def relation(self) -> Path:
        """Where the table lies."""
        return self.path / "relation"

    def create(self) -> None:
        """Make the folder, which must not hold anything yet."""
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            what = "holds a state already" if (self.path / _STATE).exists() else "is not an empty folder"
            raise LawfulError(f"{str(self.path)!r} {what}: choose another folder for the state")
        self.path.mkdir(parents=True, exist_ok=True)

    def load(self) -> Saved:
        """What the state is now."""
        try:
            data = json.loads((self.path / _STATE).read_text("utf-8"))
        except (OSError, ValueError):
            hint = "lawful discover SOURCE --state DIR makes one"
            raise LawfulError(f"{str(self.path)!r} holds no state: {hint}") from None
        if data.pop("format", None) != FORMAT:
            hint = "make it anew from its source"
            raise LawfulError(f"{str(self.path)!r} was written by another version of lawful: {hint}")
        return Saved(**data)

    def arrays(self, saved: Saved) -> dict[str, npt.NDArray[Any]]:
        """The laws and witnesses of a version."""
        with np.load(self.path / saved.arrays_file) as file:
            return dict(file)

    def history(self, saved: Saved) -> list[dict[str, Any]]:
        """What happened, the oldest first."""
        if not saved.history:
            return []
        with (self.path / _HISTORY).open("rb") as file:
            return [json.loads(line) for line in file.read(saved.history).splitlines()]

    def write_history(self, saved: Saved, entry: Mapping[str, Any]) -> int:
        """Put an entry behind what counts; how many bytes count with it."""
        with (self.path / _HISTORY).open("ab") as file:
            file.truncate(saved.history)
            file.seek(saved.history)
            file.write(json.dumps(entry, ensure_ascii=False).encode() + b"\n")
            self._to_disk(file.fileno())
            return file.tell()

    def switch(self, saved: Saved, arrays: Arrays) -> None:
        """Make a version the one that counts, then remove the files of the one before."""
        with (self.path / saved.arrays_file).open("wb") as file:
            np.savez(file, **arrays)  # type: ignore[arg-type]
            self._to_disk(file.fileno())
        draft = self.path / f"{_STATE}.{os.getpid()}"
        with draft.open("w", encoding="utf-8") as text:
            text.write(json.dumps({"format": FORMAT, **vars(saved)}, ensure_ascii=False))
            self._to_disk(text.fileno())
        os.replace(draft, self.path / _STATE)
        if self.durable:
            _sync_folder(self.path)
        for path in (*self.path.glob("laws-*.npz"), *self.path.glob(f"{_STATE}.*")):
            if path.name != saved.arrays_file:
                path.unlink(missing_ok=True)

    def _to_disk(self, descriptor: int) -> None:
        if self.durable:
            _to_disk(descriptor)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """A block in which no other process changes the state."""
        with (self.path / _LOCK).open("a") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise LawfulError(
                    f"another process is changing {str(self.path)!r}: try again when it has ended"
                ) from None
            yield


def holds_state(path: str | Path) -> bool:
    """Whether a path is that of a state's folder."""
    return (Path(path) / _STATE).is_file()


def _to_disk(descriptor: int) -> None:
    with suppress(OSError):  # some file systems cannot
        os.fsync(descriptor)


def _sync_folder(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        _to_disk(descriptor)
    finally:
        os.close(descriptor)
