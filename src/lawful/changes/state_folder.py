"""The folder of a state: written aside, counting from one moment on, changed by one process at a time.

`state.json` says what never changes. Each change is a line of the history, which names the version of the
relation and the files of laws that belong to it. It is written when all of these are: the last line that is
whole tells what counts. What it does not name is left over from a change that did not come to its end.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from lawful.errors import LawfulError
from lawful.table.manifests import make_safe

FORMAT = 3
_STATE, _LOCK, _HISTORY = "state.json", "lock", "history.jsonl"
_FILES = ("relation", "files")  # what a line of the history has for the state alone

Arrays = Mapping[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Frozen:
    """What never changes: what was asked for, and which columns and comparisons laws may use."""

    options: Mapping[str, Any]
    space: Mapping[str, Any]


@dataclass(frozen=True)
class Saved:
    """What counts.

    Attributes:
        version: of the state: 0 when it is made, one more with each change.
        relation: which version of the relation belongs to it.
        files: those of laws, evidence and counts, by names.
        end: bytes of the history that count.
    """

    version: int = -1
    relation: int = 0
    files: Mapping[str, str] = field(default_factory=dict)
    end: int = 0


NOTHING = Saved()


class StateFolder:
    """A folder that holds a state."""

    def __init__(self, path: Path, durable: bool = True) -> None:
        """A folder; `durable` if what is in it shall survive a power failure."""
        self.path, self.durable = path, durable

    @property
    def relation(self) -> Path:
        """Where the table lies."""
        return self.path / "relation"

    @contextmanager
    def made(self) -> Iterator[None]:
        """A block that fills the folder, which must not hold anything yet; it goes if that fails."""
        if self.path.exists() and (not self.path.is_dir() or any(self.path.iterdir())):
            what = "holds a state already" if holds_state(self.path) else "is not an empty folder"
            raise LawfulError(f"{str(self.path)!r} {what}: choose another folder for the state")
        self.path.mkdir(parents=True, exist_ok=True)
        try:
            yield
        except BaseException:
            shutil.rmtree(self.path, ignore_errors=True)
            raise

    def begin(self, frozen: Frozen, relation: int, arrays: Mapping[str, Arrays]) -> None:
        """Write the first version."""
        (self.path / _HISTORY).touch()
        self.switch(NOTHING, relation, {"version": 0}, arrays)
        draft = self.path / f"{_STATE}.draft"
        draft.write_text(json.dumps({"format": FORMAT, **vars(frozen)}, ensure_ascii=False), "utf-8")
        self._make_safe(draft)
        draft.replace(self.path / _STATE)
        self._make_safe(self.path)

    def frozen(self) -> Frozen:
        """What never changes."""
        try:
            data = json.loads((self.path / _STATE).read_text("utf-8"))
        except (OSError, ValueError):
            hint = "lawful discover SOURCE --state DIR makes one"
            raise LawfulError(f"{str(self.path)!r} holds no state: {hint}") from None
        if data.pop("format", None) != FORMAT:
            hint = "make it anew from its source"
            raise LawfulError(f"{str(self.path)!r} was written by another version of lawful: {hint}")
        return Frozen(**data)

    def now(self, known: Saved = NOTHING) -> Saved:
        """What counts, given what did."""
        with (self.path / _HISTORY).open("rb") as file:
            file.seek(known.end)
            lines = file.read()
        end = lines.rfind(b"\n") + 1
        while end:
            start = lines.rfind(b"\n", 0, end - 1) + 1
            with suppress(ValueError):  # a line that a power failure has torn
                entry = json.loads(lines[start:end])
                return Saved(entry["version"], entry["relation"], entry["files"], known.end + end)
            end = start
        return known

    def arrays(self, saved: Saved) -> dict[str, dict[str, npt.NDArray[Any]]]:
        """The laws, evidence and counts of a version, by names."""
        return {name: _loaded(self.path / file) for name, file in saved.files.items()}

    def history(self, saved: Saved, since: int = 0) -> list[dict[str, Any]]:
        """What happened, the oldest first; since the history had so many bytes."""
        with (self.path / _HISTORY).open("rb") as file:
            file.seek(since)
            entries = [json.loads(line) for line in file.read(saved.end - since).splitlines()]
        return [
            {name: value for name, value in entry.items() if name not in _FILES}
            for entry in entries
            if entry["version"]
        ]

    def switch(
        self, before: Saved, relation: int, entry: Mapping[str, Any], arrays: Mapping[str, Arrays]
    ) -> Saved:
        """Make a version the one that counts, given those arrays that are others now.

        Then the files of the one before go.
        """
        files = {**before.files, **{name: f"{name}-{entry['version']}.npz" for name in arrays}}
        for name, some in arrays.items():
            np.savez(self.path / files[name], **some)  # type: ignore[arg-type]
        if arrays:
            self._make_safe(*(self.path / files[name] for name in arrays), self.path)
        line = {**entry, "relation": relation, "files": files}
        with (self.path / _HISTORY).open("r+b") as file:
            file.truncate(before.end)
            file.seek(before.end)
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            saved = Saved(entry["version"], relation, files, file.tell())
        self._make_safe(self.path / _HISTORY)
        if arrays:
            for path in self.path.glob("*.npz"):
                if path.name not in files.values():
                    path.unlink(missing_ok=True)
        return saved

    def _make_safe(self, *paths: Path) -> None:
        make_safe(paths if self.durable else ())

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
    """Whether a path, or what may be a law, is that of a state's folder."""
    return os.path.isfile(os.path.join(path, _STATE))


def _loaded(path: Path) -> dict[str, npt.NDArray[Any]]:
    with np.load(path) as file:
        return dict(file)
