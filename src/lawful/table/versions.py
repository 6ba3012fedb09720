"""One version of a relation, as its files say: read only, so that any process can map it."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from itertools import accumulate
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lawful.machine import usable_cores
from lawful.table.arranging import LONG, arrangement
from lawful.table.columns import Column, Dictionary
from lawful.table.store import Codes, State, load_codes, load_dictionary, load_numbers, new_codes

Ids = npt.NDArray[np.int64]


class Version:
    """The rows, codes and dictionaries of one state of a folder."""

    def __init__(self, folder: Path, state: State) -> None:
        """Map nothing yet: every file is opened when it is first needed."""
        self.folder = folder
        self.state = state
        self._dictionaries: dict[int, Dictionary] = {}

    @cached_property
    def total(self) -> int:
        """How many rows there ever were."""
        return sum(block.rows for block in self.state.blocks)

    @cached_property
    def deleted(self) -> npt.NDArray[np.bool_]:
        """Which rows are gone."""
        name = self.state.deleted
        return np.load(self.folder / name) if name else np.zeros(self.total, dtype=np.bool_)

    @cached_property
    def row_ids(self) -> Ids:
        """The rows that are there."""
        ids = np.flatnonzero(~self.deleted) if self.state.deleted else np.arange(self.total)
        ids.flags.writeable = False
        return ids

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What there is to say about each column."""
        return tuple(self._describe(index) for index in range(len(self.state.columns)))

    @cached_property
    def segments(self) -> list[Codes]:
        """The codes: of the first rows, of those appended next, ..."""
        return [load_codes(self.folder / name) for name in self.state.segments]

    def dictionary(self, index: int) -> Dictionary:
        """The dictionary of a column."""
        if index not in self._dictionaries:
            self._dictionaries[index] = load_dictionary(self.folder, self.state.columns[index])
        return self._dictionaries[index]

    def codes(self, index: int) -> Codes:
        """The codes of the rows that are there."""
        parts = [segment[index] for segment in self.segments]
        codes = parts[0] if len(parts) == 1 else np.concatenate(parts)
        return codes[self.row_ids] if self.state.deleted else codes

    def codes_of(self, index: int, ids: Ids) -> Codes:
        """The codes of some rows, without touching the others."""
        result = np.empty(len(ids), dtype=np.int32)
        low = 0
        for segment in self.segments:
            high = low + segment.shape[1]
            here = (ids >= low) & (ids < high)
            result[here] = segment[index, ids[here] - low]
            low = high
        return result

    def live_codes(self, index: int) -> npt.NDArray[np.int64]:
        """The codes that some row has."""
        return np.flatnonzero(self._counts(index))

    def ranks_file(self) -> Path:
        """The file of dense ranks, written when it is first needed."""
        if self._codes_are_ranks:
            return self.folder / self.state.segments[0]
        path = self.folder / f"ranks-{self.state.version}.npy"
        if not path.exists():
            self._write(path, lambda index, out: np.copyto(out, self._ranks_of(index)))
        return path

    def arranged_file(self) -> Path:
        """The same with the rows in an order that is good to search in, which may be that of the ranks."""
        order = self._arrangement()
        if not len(order):
            return self.ranks_file()
        path = self.folder / f"arranged-{self.state.version}.npy"
        if not path.exists():
            ranks = load_codes(self.ranks_file())
            self._write(path, lambda index, out: np.take(ranks[index], order, out=out, mode="clip"))
        return path

    def arranged_ids(self) -> Ids | None:
        """The id of each row of that file; None where they are 0, 1, ..."""
        order = self._arrangement()
        if len(order):
            return self.row_ids[order] if self.state.deleted else order
        return self.row_ids if self.state.deleted else None

    def _arrangement(self) -> Ids:
        """The places of all rows in the order of the arranged file; nothing where that is the ranks' own.

        What was decided once holds for all processes: it depends on the memory that was free then.
        """
        if len(self.row_ids) < LONG:
            return np.empty(0, np.int64)
        path = self.folder / f"arrangement-{self.state.version}.npy"
        if not path.exists():
            order = arrangement(load_codes(self.ranks_file()))
            draft = path.with_name(f"{path.name}-{os.getpid()}")
            with draft.open("wb") as file:
                np.save(file, np.empty(0, np.int64) if order is None else order)
            with suppress(FileExistsError):
                os.link(draft, path)  # the first one counts, whoever else has decided meanwhile
            draft.unlink()
        return load_numbers(path)

    @property
    def _codes_are_ranks(self) -> bool:
        state = self.state
        return (
            not state.deleted
            and len(state.segments) == 1
            and all(column.identity for column in state.columns)
        )

    @cached_property
    def block_starts(self) -> list[int]:
        """The id of the first row of each block."""
        return [0, *accumulate(block.rows for block in self.state.blocks)]

    def _counts(self, index: int) -> Ids:
        return np.bincount(self.codes(index), minlength=len(self.dictionary(index)))

    def _describe(self, index: int) -> Column:
        file, dictionary, counts = self.state.columns[index], self.dictionary(index), self._counts(index)
        missing = dictionary.values.is_null().to_numpy(zero_copy_only=False)
        distinct = len(np.unique(dictionary.order[(counts > 0) & ~missing]))
        kind = file.kind.type
        ordered = not file.unordered and kind != "null"
        return Column(file.rule.name, kind, ordered, distinct, int(counts[missing].sum()), file.notes)

    def _ranks_of(self, index: int) -> Codes:
        ranks = self.dictionary(index).order[self.codes(index)]
        return _without_gaps(ranks) if self.state.deleted else ranks

    def _write(self, path: Path, fill: Callable[[int, Codes], object]) -> None:
        """Write the ranks of all columns, on all cores."""
        draft = path.with_name(f"{path.name}-{os.getpid()}")
        out = new_codes(draft, (len(self.state.columns), len(self.row_ids)))
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
