"""One version of a relation, as its files say: read only, so that any process can map it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from lawful.table.columns import Column, Dictionary, concat
from lawful.table.entries import Entries, merged_order
from lawful.table.fitting import Fitting
from lawful.table.manifests import ColumnFile, Manifest
from lawful.table.notes import notes_of
from lawful.table.parts import Ids, Part, load_part
from lawful.table.pile import Block
from lawful.table.store import Codes, load_codes, load_entries, load_order

Opened = TypeVar("Opened")


class Version:
    """The rows, codes and dictionaries of one version in a folder."""

    def __init__(
        self,
        folder: Path,
        manifest: Manifest,
        before: Version | None = None,
        made: Mapping[str, Part] | None = None,
    ) -> None:
        """Map nothing yet: every file is opened when it is first needed, or was by the version before.

        Parts that were made for this version are at hand.
        """
        self.folder = folder
        self.manifest = manifest
        self._dictionaries: dict[int, Dictionary] = {}
        self._first_entries: dict[str, Entries] = _still_needed(
            before._first_entries if before else {}, manifest
        )
        self._parts: dict[str, Part] = {
            **_still_needed(before._parts if before else {}, manifest),
            **(made or {}),
        }
        self._first_codes: dict[str, Codes] = _still_needed(before._first_codes if before else {}, manifest)

    @cached_property
    def total(self) -> int:
        """How many rows there ever were."""
        first = sum(block.rows for block in self.manifest.blocks)
        return first + sum(part.rows for part in self.manifest.parts)

    @cached_property
    def n_deleted(self) -> int:
        """How many of them are gone."""
        return sum(part.deleted for part in self.manifest.parts)

    @cached_property
    def parts(self) -> list[Part]:
        """What changes have brought, in their order."""
        return [self.part(place) for place in range(len(self.manifest.parts))]

    def part(self, place: int) -> Part:
        """One of them, without values of columns that have been written anew since."""
        name, columns = self.manifest.parts[place].file, self.manifest.columns
        if name not in self._parts:
            self._parts[name] = load_part(self.folder / name, [column.rule for column in columns])
        return self._parts[name].without([column.size for column in columns])

    @cached_property
    def deleted(self) -> npt.NDArray[np.bool_]:
        """Which rows are gone."""
        gone = np.zeros(self.total, dtype=np.bool_)
        for part in self.parts:
            gone[part.deleted] = True
        return gone

    def deleted_since(self, count: int) -> Ids:
        """The ids of the rows that went after so many others."""
        found, wanted = [np.empty(0, np.int64)], self.n_deleted - count
        for part in reversed(self.parts):
            found.append(part.deleted[max(len(part.deleted) - wanted, 0) :])
            wanted -= len(found[-1])
        return np.concatenate(found)

    @cached_property
    def row_ids(self) -> Ids:
        """The rows that are there."""
        ids = np.flatnonzero(~self.deleted) if self.n_deleted else np.arange(self.total)
        ids.flags.writeable = False
        return ids

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        """What there is to say about each column."""
        return tuple(self._describe(index) for index in range(len(self.manifest.columns)))

    @cached_property
    def segments(self) -> list[Codes]:
        """The codes: of the first rows, of those appended next, ..."""
        name = self.manifest.codes
        if name not in self._first_codes:
            self._first_codes[name] = load_codes(self.folder / name)
        return [self._first_codes[name], *(part.codes for part in self.parts)]

    def entries(self, index: int) -> list[Entries]:
        """The distinct values of a column: the first ones, those that came next, ..."""
        column = self.manifest.columns[index]
        if column.file not in self._first_entries:
            self._first_entries[column.file] = load_entries(self.folder, column)
        later = (part.entries[index] for part in self.parts)
        return [self._first_entries[column.file], *(entries for entries in later if entries is not None)]

    def fitting(self, index: int) -> Fitting:
        """How a column is read."""
        column, first = self.manifest.columns[index], self.entries(index)[0]
        return Fitting(column.rule, column.kind, first.raw.type, first.values.type)

    def dictionary(self, index: int) -> Dictionary:
        """The dictionary of a column."""
        if index not in self._dictionaries:
            self._dictionaries[index] = self._whole(index)
        return self._dictionaries[index]

    def _whole(self, index: int) -> Dictionary:
        column, entries = self.manifest.columns[index], self.entries(index)
        raws, values = zip(*(some.by_code() for some in entries), strict=True)
        same = all(raw is typed for raw, typed in zip(raws, values, strict=True))
        raw = concat(raws)
        about = column.rule, column.kind, raw, raw if same else concat(values)
        return Dictionary(*about, self._order(column, entries))

    def _order(self, column: ColumnFile, entries: Sequence[Entries]) -> Codes:
        order = load_order(self.folder, column)
        later = Entries.joined(column.rule, entries[1:])
        if later is None and entries[0].codes is None:
            return order
        return merged_order(entries[0], order, later or entries[0].since(column.size), column.rule.nulls)

    def values_of(self, index: int, ids: Ids) -> pa.Array:
        """The typed values of some rows, without touching the others."""
        codes, low = self.codes_of(index, ids), 0
        found, places = [], []
        for entries in self.entries(index):
            here = np.flatnonzero((codes >= low) & (codes < low + len(entries)))
            found.append(entries.values.take(pa.array(entries.place_of(codes[here]))))
            places.append(here)
            low += len(entries)
        return concat(found).take(pa.array(np.argsort(np.concatenate(places))))

    def codes(self, index: int) -> Codes:
        """The codes of the rows that are there."""
        codes = self.codes_since(index, 0)
        return codes[self.row_ids] if self.n_deleted else codes

    def codes_since(self, index: int, row: int) -> Codes:
        """The codes of all rows from one on, of those that are gone too."""
        found, end = list[Codes](), self.total
        for segment in reversed(self.segments):
            if end <= row:
                break
            start = end - segment.shape[1]
            found.append(segment[index, max(row - start, 0) :])
            end = start
        return found[0] if len(found) == 1 else np.concatenate([*reversed(found), np.empty(0, np.int32)])

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

    def live_codes(self, index: int) -> Ids:
        """The codes that some row has."""
        return np.flatnonzero(self._counts(index))

    @cached_property
    def blocks(self) -> list[Block]:
        """Where the rows stand in their sources."""
        return [*self.manifest.blocks, *(block for part in self.parts for block in part.blocks)]

    @cached_property
    def block_starts(self) -> list[int]:
        """The id of the first row of each block."""
        return [0, *accumulate(block.rows for block in self.blocks)]

    def _counts(self, index: int) -> Ids:
        return np.bincount(self.codes(index), minlength=len(self.dictionary(index)))

    def _describe(self, index: int) -> Column:
        file, dictionary, counts = self.manifest.columns[index], self.dictionary(index), self._counts(index)
        missing = dictionary.values.is_null().to_numpy(zero_copy_only=False)
        distinct = int(np.count_nonzero(np.bincount(dictionary.order[(counts > 0) & ~missing])))
        kind = file.kind.type
        ordered = not file.unordered and kind != "null"
        notes = file.notes if len(dictionary) == file.size else notes_of(dictionary)
        return Column(file.rule.name, kind, ordered, distinct, int(counts[missing].sum()), notes)


def _still_needed(opened: dict[str, Opened], manifest: Manifest) -> dict[str, Opened]:
    needed = manifest.files()
    return {name: content for name, content in opened.items() if name in needed}
