"""The next version of a relation: all its files are written, and nothing of the present one is touched."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pyarrow as pa

from lawful.errors import LawfulError
from lawful.table.column_names import unique_names
from lawful.table.columns import Dictionary, Ints
from lawful.table.entries import Entries
from lawful.table.fitting import MisfitError, grown
from lawful.table.manifests import Manifest, PartFile, make_safe, manifest_name, next_version, save_manifest
from lawful.table.parts import Codes, Ids, Part, save_part
from lawful.table.pile import Reading
from lawful.table.store import save_dictionary
from lawful.table.versions import Version

NAMED = 3  # columns that an error names where there are more


@dataclass(frozen=True)
class Prepared:
    """A version that is on disk and does not count yet.

    Attributes:
        base: the number of the version that was changed.
        manifest: which files hold the new one.
        made: the part that one of them holds, if it came with this version.
        appended: the ids of the rows that come.
        deleted: the ids of the rows that go.
    """

    base: int
    manifest: Manifest = field(repr=False)
    made: Mapping[str, Part] = field(repr=False)
    appended: Ids
    deleted: Ids

    @property
    def version(self) -> int:
        """Its number."""
        return self.manifest.version


class Change:
    """A change in the making; `heap` is a place for the pieces of a source."""

    def __init__(self, now: Version, frozen: bool, durable: bool) -> None:
        self._now = now
        self._durable = durable
        self._frozen = frozen
        self._columns = list(now.manifest.columns)
        self._number = next_version(now.folder)
        self._written: list[Path] = []
        self._made: dict[str, Part] = {}
        self.heap = now.folder / f"pile-{self._number}.arrow"

    def __enter__(self) -> Change:
        """Nothing is written yet."""
        return self

    def __exit__(self, failure: object, *_: object) -> None:
        """Leave nothing behind but a version that is whole."""
        if failure is not None:
            for path in (self.heap, *self._written):
                path.unlink(missing_ok=True)

    def prepare(self, deleted: Ids, reading: Reading | None) -> Prepared:
        """Write the version without some rows and with those of a source."""
        part = self._part(deleted, reading)
        manifest = replace(
            self._now.manifest,
            version=self._number,
            columns=tuple(self._columns),
            parts=self._with_part(part) if part.size else self._now.manifest.parts,
        )
        self._written.append(self._now.folder / manifest_name(self._number))
        save_manifest(self._now.folder, manifest)
        self.heap.unlink(missing_ok=True)
        make_safe([*self._written, self._now.folder] if self._durable else [])
        new = np.arange(self._now.total, self._now.total + part.codes.shape[1])
        return Prepared(self._now.manifest.version, manifest, self._made, new, deleted)

    def _part(self, deleted: Ids, reading: Reading | None) -> Part:
        width = len(self._columns)
        if reading is None:
            return Part(deleted, np.empty((width, 0), np.int32), (None,) * width, ())
        codes = np.empty((width, reading.pile.n_rows), np.int32)
        there = self._positions(unique_names(reading.names))
        entries = [self._grow(index, position, reading, codes) for index, position in enumerate(there)]
        return Part(deleted, codes, tuple(entries), tuple(reading.pile.blocks()))

    def _positions(self, names: tuple[str, ...]) -> list[int]:
        """For each of our columns its position among the names of appended rows."""
        own = [column.rule.name for column in self._columns]
        if set(names) != set(own):
            lack, more = [one for one in own if one not in names], [one for one in names if one not in own]
            told = [f"lack {_some_of(lack)}"] if lack else []
            told += [f"have {_some_of(more)}, which the table lacks"] if more else []
            raise LawfulError(f"the new rows {' and '.join(told)}: give them the columns of the table")
        return [names.index(name) for name in own]

    def _grow(self, index: int, position: int, reading: Reading, out: Codes) -> Entries | None:
        """Write the codes of a column; the values that are new in it."""
        added, entry = reading.pile.distinct(position)
        try:
            found = grown(
                self._now.fitting(index), self._now.entries(index), added, reading.mode, self._frozen
            )
            codes, entries = found or (self._written_anew(index, added, reading), None)
        except MisfitError as misfit:
            raise self._does_not_fit(index, position, reading, misfit.place) from None
        reading.pile.write_codes(position, codes[entry], out[index])
        return entries

    def _written_anew(self, index: int, added: pa.Array, reading: Reading) -> Ints:
        """Change a column for values that it cannot hold as it is; their codes."""
        old, column = self._now.dictionary(index), self._columns[index]
        new, codes = self._extended(old, index, added, reading)
        if self._frozen and new.kind.type != old.kind.type:
            zone = getattr(self._now.fitting(index).value_type, "tz", "")  # "" where a zone means nothing
            wanted = f"{old.kind.type}{'' if zone == '' else ' with a zone' if zone else ' without a zone'}"
            raise LawfulError(
                f"column {column.rule.name!r} cannot hold the new values: give each of them as {wanted}"
            )
        if new is not old:
            name = f"column-{index}-{self._number}.arrow"
            self._written.append(self._now.folder / name)
            self._columns[index] = save_dictionary(self._now.folder, name, new, column.unordered)
        return codes

    def _extended(
        self, old: Dictionary, index: int, added: pa.Array, reading: Reading
    ) -> tuple[Dictionary, Ints]:
        fitting = self._now.fitting(index)
        values = fitting.values(added, reading.mode, frozen=True) if self._frozen else None
        if values is None or (fitting.reads_texts and reading.mode != "typed"):
            return old.extend(added, reading.mode, self._frozen)
        return old.extend(values, "typed", self._frozen)

    def _does_not_fit(self, index: int, position: int, reading: Reading, place: int) -> LawfulError:
        column = self._columns[index]
        source, row, value = reading.pile.first_with(position, place)
        where = f"{source}: row {row}" if source else f"row {row}"
        found = f"{where} has {value!r} in column {(name := column.rule.name)!r}"
        if column.kind.type == "null":
            hint = f"say what it holds when the table is first read, as in --type {name}=string"
            return LawfulError(f"{found}, which had no value when its type was fixed: {hint}")
        return LawfulError(
            f"{found}, which is no {column.kind.type}: "
            "the types of the columns stay as they are, so mend the row or leave it out"
        )

    def _with_part(self, part: Part) -> tuple[PartFile, ...]:
        """The parts of the new version: the last ones become one with the new part while they are no larger.

        So there are never more than a few, and a row is written again only as often as its part doubles.
        """
        kept = list(self._now.manifest.parts)
        sizes = [column.size for column in self._columns]
        rules = [column.rule for column in self._columns]
        while kept and kept[-1].rows + kept[-1].deleted <= part.size:
            kept.pop()
            part = self._now.parts[len(kept)].without(sizes).then(part, rules)
        name = f"part-{self._number}.arrow"
        self._written.append(self._now.folder / name)
        save_part(self._written[-1], part)
        self._made[name] = part
        return (*kept, PartFile(name, int(part.codes.shape[1]), len(part.deleted)))


def _some_of(names: Sequence[str]) -> str:
    """How many columns, and the first of them."""
    count, rest = len(names), len(names) - NAMED
    shown = ", ".join(map(repr, names[:NAMED])) + (f" and {rest} more" if rest > 0 else "")
    return f"column {shown}" if count == 1 else f"{count} columns ({shown})"
