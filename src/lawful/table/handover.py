"""How pieces come from Spark's workers: as files where workers see the driver's folder, else as rows."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow as pa

from lawful.table.pieces import Piece, Trouble, batch_in, write_batch

SCHEMA = "source string, start bigint, part int, file string, payload binary, trouble string"
_TYPES = (pa.string(), pa.int64(), pa.int32(), pa.string(), pa.binary(), pa.string())
_NAMES = [field.split()[0] for field in SCHEMA.split(", ")]
_Row = tuple[str, int, int, str | None, bytes | None, str | None]


@dataclass(frozen=True)
class Handover:
    """Where workers leave pieces: in the driver's folder, which has a name that no other machine knows."""

    folder: Path

    def packed(self, pieces: Iterable[Piece]) -> Iterator[pa.RecordBatch]:
        """What a worker hands back of pieces: a row each."""
        for piece in pieces:
            file = self._left_in_file(piece.batch)
            payload = None if file else _compressed(piece.batch)
            trouble = json.dumps(asdict(piece.trouble)) if piece.trouble else None
            row = piece.source, piece.start, piece.part, file, payload, trouble
            yield pa.record_batch(
                [pa.array([cell], kind) for cell, kind in zip(row, _TYPES, strict=True)], _NAMES
            )

    def unpacked(self, row: _Row) -> Piece:
        """The piece of such a row, in the driver. A file is mapped, and may go."""
        source, start, part, file, payload, trouble = row
        data = pa.memory_map(str(self.folder / file)).read_buffer() if file else payload
        told = Trouble(**json.loads(trouble)) if trouble else None
        return Piece(source, start, part, batch_in(data), told, mapped=file is not None)

    def _left_in_file(self, batch: pa.RecordBatch) -> str | None:
        """The name of the file with a batch; None where this worker cannot write there."""
        if not os.access(self.folder, os.W_OK | os.X_OK):
            return None
        path = self.folder / uuid.uuid4().hex
        try:
            with path.open("wb") as file:
                write_batch(batch, file)
        except OSError:
            path.unlink(missing_ok=True)
            return None
        return path.name


@contextmanager
def handover(place: Path) -> Iterator[Handover]:
    """A new folder at a place of the driver's, gone when its pieces are taken."""
    with TemporaryDirectory(
        prefix=f"pieces-{uuid.uuid4().hex}-", dir=place, ignore_cleanup_errors=True
    ) as folder:
        yield Handover(Path(folder).absolute())


def _compressed(batch: pa.RecordBatch) -> bytes:
    """A batch as bytes, few of them: Java copies them often."""
    sink = BytesIO()
    write_batch(batch, sink, "lz4")
    return sink.getvalue()
