"""How the ranks of a table reach the workers of a cluster: each worker maps them from a file.

Workers that see the driver's folder take the file there. Where some do not, Spark brings the file to every
executor. No job is needed to find out: a task that misses the file says so, and is run again.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from lawful.errors import LawfulError
from lawful.table import Relation
from lawful.table.ranked import RankedRows
from lawful.table.store import load_codes
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class RanksFile:
    """Where a worker finds the ranks of a table. No other file has its name, whatever the machine."""

    path: Path
    size: int  # in bytes: Spark lets a file be seen that it has not yet copied to its end
    ordered: tuple[bool, ...]
    shipped: bool = False

    @classmethod
    def of(cls, relation: Relation) -> RanksFile:
        """A new name, in the relation's folder, for its ranks."""
        path = relation.folder / f"search_{uuid.uuid4().hex}.npy"
        path.hardlink_to(relation.arranged_file())  # Spark would ship a symbolic link under its target's name
        return cls(path, path.stat().st_size, tuple(column.ordered for column in relation.columns))

    @property
    def is_seen(self) -> bool:
        """Whether this machine sees the driver's folder."""
        return self.path.exists()

    def ship(self, session: SparkSession) -> RanksFile:
        """Let Spark bring the file to every executor, now and later."""
        session.addArtifact(str(self.path.parent.resolve() / self.path.name), file=True)
        return replace(self, shipped=True)

    def mapped(self) -> Workspace | None:
        """The place of work of the search in this worker; None where the file has not come yet."""
        path = self.path if self.is_seen else _shipped(self.path.name)
        if path.exists() and path.stat().st_size == self.size:
            return _mapped(path, self.ordered)
        if self.shipped:
            raise LawfulError(
                "Spark's workers get no files from this program: let TMPDIR name a folder that they see "
                "under the same path, or search with the engine local"
            )
        return None


def _shipped(name: str) -> Path:
    from pyspark import SparkFiles

    return Path(SparkFiles.get(name))


@lru_cache(maxsize=1)
def _mapped(path: Path, ordered: tuple[bool, ...]) -> Workspace:
    """Opened once in a worker, which keeps it for its next tasks."""
    return Workspace(RankedRows(load_codes(path), ordered))
