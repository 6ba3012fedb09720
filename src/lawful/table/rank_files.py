"""The files of dense ranks of one version of a relation, written when they are first needed."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np

from lawful.machine import usable_cores
from lawful.table.arranging import LONG, arrangement
from lawful.table.parts import Ids
from lawful.table.store import Codes, load_codes, load_numbers, new_codes
from lawful.table.versions import Version


class RankFiles:
    """Dense ranks of the rows that are there, in their order and in one that is good to search in."""

    def __init__(self, version: Version) -> None:
        self._version = version

    def ranks(self) -> Path:
        """The file of dense ranks, written when it is first needed."""
        if self._codes_are_ranks:
            return self._version.folder / self._version.manifest.codes
        path = self._version.folder / f"ranks-{self._version.manifest.version}.npy"
        if not path.exists():
            self._write(path, lambda index, out: np.copyto(out, self._ranks_of(index)))
        return path

    def arranged(self) -> Path:
        """A file with the same, the rows in an order that is good to search in, perhaps their own."""
        order = self._arrangement()
        if not len(order):
            return self.ranks()
        path = self._version.folder / f"arranged-{self._version.manifest.version}.npy"
        if not path.exists():
            ranks = load_codes(self.ranks())
            self._write(path, lambda index, out: np.take(ranks[index], order, out=out, mode="clip"))
        return path

    def arranged_ids(self) -> Ids | None:
        """The id of each row of that file; None where they are 0, 1, ..."""
        order = self._arrangement()
        if len(order):
            return self._version.row_ids[order] if self._version.n_deleted else order
        return self._version.row_ids if self._version.n_deleted else None

    def _arrangement(self) -> Ids:
        """The places of all rows in the order of the arranged file; nothing where that is the ranks' own.

        What was decided once holds for all processes: it depends on the memory that was free then.
        """
        if len(self._version.row_ids) < LONG:
            return np.empty(0, np.int64)
        path = self._version.folder / f"arrangement-{self._version.manifest.version}.npy"
        if not path.exists():
            order = arrangement(load_codes(self.ranks()))
            draft = path.with_name(f"{path.name}-{os.getpid()}")
            with draft.open("wb") as file:
                np.save(file, np.empty(0, np.int64) if order is None else order)
            with suppress(FileExistsError):
                os.link(draft, path)  # the first one counts, whoever else has decided meanwhile
            draft.unlink()
        return load_numbers(path)

    @property
    def _codes_are_ranks(self) -> bool:
        manifest = self._version.manifest
        return not manifest.parts and all(column.identity for column in manifest.columns)

    def _ranks_of(self, index: int) -> Codes:
        ranks = self._version.dictionary(index).order[self._version.codes(index)]
        return _without_gaps(ranks) if self._version.n_deleted else ranks

    def _write(self, path: Path, fill: Callable[[int, Codes], object]) -> None:
        """Write the ranks of all columns, on all cores."""
        draft = path.with_name(f"{path.name}-{os.getpid()}")
        out = new_codes(draft, (len(self._version.manifest.columns), len(self._version.row_ids)))
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(fill, range(len(out)), out))
        os.replace(draft, path)


def _without_gaps(ranks: Codes) -> Codes:
    """Ranks that are dense again after rows have gone; -1 stays."""
    used = np.bincount(ranks + 1, minlength=1) > 0
    used[0] = False
    position = np.cumsum(used, dtype=np.int32) - 1
    position[0] = -1
    return np.asarray(position[ranks + 1], dtype=np.int32)
