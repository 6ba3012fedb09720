"""Rows that keep coming: the batches of a Spark stream, or the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from lawful.changes.law_state import Incoming, LawState
from lawful.errors import LawfulError

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.query import StreamingQuery


@dataclass(frozen=True)
class Attached:
    """Takes the batches of a stream into a state: what Spark calls for each.

    It holds names only, so that it can travel to a Spark Connect server that sees the folder.
    """

    path: str
    stream: str
    quarantine: str | None = None
    min_bits: float = 0.0

    def __call__(self, batch: DataFrame, number: int) -> None:
        rows, name = batch.toArrow(), f"{self.stream}-{number}"
        LawState(self.path).insert(rows, batch=name, quarantine=self.quarantine, min_bits=self.min_bits)


def attach(
    state: LawState,
    stream: DataFrame,
    name: str,
    checkpoint: str | Path | None = None,
    quarantine: str | Path | None = None,
    min_bits: float = 0.0,
) -> StreamingQuery:
    """Start to take the rows of a streaming table into a state, batch by batch."""
    if not stream.isStreaming:
        raise LawfulError("this table is no stream: state.insert(table) takes its rows in")
    Incoming(quarantine=None if quarantine is None else Path(quarantine), min_bits=min_bits)  # if that can be
    place = (state.path / "checkpoints" / name if checkpoint is None else Path(checkpoint)).absolute()
    refused = None if quarantine is None else str(Path(quarantine).absolute())
    writer = stream.writeStream.foreachBatch(Attached(str(state.path.absolute()), name, refused, min_bits))
    return writer.option("checkpointLocation", str(place)).start()


class Inbox:
    """The files that arrive in a folder for a state, each tried once as it is."""

    def __init__(self, state: LawState, folder: Path) -> None:
        self._state, self._folder = state, folder
        self._tried = dict[str, tuple[int, int]]()  # the files as they were then: when written, how large

    def new_files(self) -> Iterator[Path]:
        """Those that the state has not taken in, in the order of their names.

        One that was tried comes again if it has changed. Names that begin with a dot or an underscore are
        those of files that are still being written.
        """
        if not self._folder.is_dir():
            raise LawfulError(f"there is no folder {str(self._folder)!r}: give the one that files arrive in")
        seen, hidden = self._state.batches, (".", "_")
        names = {path.name for path in self._folder.iterdir() if not path.name.startswith(hidden)}
        for path in (self._folder / name for name in sorted(names - seen)):
            if path.is_file() and self._is_new(path):
                yield path

    def _is_new(self, path: Path) -> bool:
        """Whether a file was not tried as it is now; from now on it was."""
        now = path.stat()
        before, self._tried[path.name] = self._tried.get(path.name), (now.st_mtime_ns, now.st_size)
        return before != self._tried[path.name]
