"""The files of dense ranks of one version of a relation, written when they are first needed.

Kernels visit the rows class by class and look up their ranks. In a long table each look-up waits for memory,
unless rows that agree on much are neighbours. Files are often ordered so already; where a column's order does
better, that is the order to search in.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
import numpy.typing as npt
import psutil

from lawful.machine import usable_cores
from lawful.table.parts import Ids
from lawful.table.store import Codes, load_codes, load_numbers, new_codes
from lawful.table.versions import Version

LONG = 1 << 18  # rows from which on it pays
_CLASS = 64  # rows that have a value of the column in common at least, on average
_LOOKS = 1 << 14  # pairs of neighbours to compare
_ROOM = 4  # times the size of the ranks must be free: look-ups in a file that is not in memory gain nothing
_GAIN = 1.25  # times as many columns must agree as in the order of the file
Numbers = npt.NDArray[np.int64]


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
        return without_gaps(ranks, int(ranks.max(initial=0))) if self._version.n_deleted else ranks

    def _write(self, path: Path, fill: Callable[[int, Codes], object]) -> None:
        """Write the ranks of all columns, on all cores."""
        draft = path.with_name(f"{path.name}-{os.getpid()}")
        out = new_codes(draft, (len(self._version.manifest.columns), len(self._version.row_ids)))
        with ThreadPoolExecutor(usable_cores()) as pool:
            list(pool.map(fill, range(len(out)), out))
        os.replace(draft, path)


def without_gaps(ranks: Codes, highest: int) -> Codes:
    """Ranks that are dense again after rows have gone; columns on one scale stay so, and -1 stays."""
    known = ranks >= 0
    taken = np.zeros(highest + 1, np.bool_)
    taken[ranks[known]] = True
    dense = np.cumsum(taken, dtype=np.int32) - 1
    return np.where(known, dense[ranks], ranks)


def arrangement(ranks: Codes) -> Numbers | None:
    """All rows of a long table in a better order than that of the file, where there is one."""
    rows = ranks.shape[1]
    if ranks.nbytes > psutil.virtual_memory().available // _ROOM:
        return None
    places = np.sort(np.random.default_rng(0).integers(0, rows - 1, _LOOKS))
    some = ranks[:, places]
    as_found = _GAIN * _agreement(some, ranks[:, places + 1])
    better = {column: _agreement_by(some, column) for column in _eligible(ranks).tolist()}
    best = max(better, key=better.__getitem__, default=None)
    if best is None or better[best] < as_found:
        return None
    return np.argsort(ranks[best], kind="stable")


def _eligible(ranks: Codes) -> Numbers:
    """Columns with values that many rows share."""
    return np.flatnonzero(ranks.max(axis=1) < ranks.shape[1] // _CLASS)


def _agreement_by(some: Codes, column: int) -> float:
    """On how many columns neighbours in a column's order agree that have the same value there."""
    ordered = some[:, np.argsort(some[column], kind="stable")]
    same = ordered[column, 1:] == ordered[column, :-1]
    return _agreement(ordered[:, 1:][:, same], ordered[:, :-1][:, same])


def _agreement(some: Codes, others: Codes) -> float:
    """On how many columns pairs of rows agree, on average."""
    return float(np.mean(some == others)) * len(some) if some.size else 0.0
