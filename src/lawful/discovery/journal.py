"""What outlives a search that is ended: the laws that it proved and the targets that it settled.

They stand in a file of JSON lines that grows with the search. The first line tells which search it is. A line
for each law follows, without its score, and after the laws of some targets one that says that these are
settled. A search that goes on takes the settled targets from there; of others it forgets the laws and finds
them again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from lawful import laws as law_room
from lawful.discovery.findings import NOBODY, Findings, Numbers, Phase
from lawful.discovery.search_options import Options
from lawful.errors import LawfulError
from lawful.laws.codec import Codec, LawArrays
from lawful.laws.targets import own_columns
from lawful.laws.text import visible_json
from lawful.replacing import replaced_file
from lawful.table import Relation

# How the lines begin that are not a law's: which search it is, what is settled, what it needs for itself.
SEARCH, SETTLED, UNASKED = LINES = ("search", "settled", "unasked")

# What may change between a search and its continuation: neither the laws nor what is settled depend on it.
_FREE_OPTIONS = (
    *("time_limit", "memory_limit", "partition_memory", "sample_rows", "pairs_kept", "seed"),
    *("min_score", "about"),
)
_FORMAT = 2
_STARTS = tuple(f'{{"{name}"' for name in LINES)
_UNSETTLED = (-1, False)

Name = tuple[int, ...]  # of a target: its kind, then itself


class Journal:
    """The journal of one search in a file."""

    def __init__(
        self, path: str | Path, relation: Relation, options: Options, codec: Codec, resume: bool = False
    ) -> None:
        self._path, self._codec, self._kinds = Path(path), codec, set(options.kinds)
        self._settled: dict[Name, tuple[int, bool]] = {}  # target: as far as which size, and cut
        self._places: dict[Name, Numbers] = {}  # target: its laws among those known
        search = {
            "format": _FORMAT,
            "columns": list(relation.names),
            **_table(relation),
            "options": _options(options),
        }
        laws = codec.encode(self._read(search) if resume and self._path.exists() else [])
        self._known = self._keep_settled(laws)
        with replaced_file(self._path) as new, new.open("w", encoding="utf-8") as out:
            _write(out, {SEARCH: search})
            self._write_laws(out, self._known)
            for name, (level, cut) in self._settled.items():
                _write_settled(out, [name], level, cut)
        self._out = self._path.open("a", encoding="utf-8")

    def record(self, phase: Phase, level: int, findings: Findings) -> None:
        """Keep findings; what is settled has no further laws of `level` attributes or less.

        Laws come first, so that what is settled has its laws before it.
        """
        try:
            self._write_laws(self._out, phase.laws(findings))
            if len(findings.settled):
                _write_settled(self._out, phase.only(findings.settled).names(), level, findings.cut)
            self._out.flush()
        except OSError as error:
            raise LawfulError(
                f"cannot write {str(self._path)!r} ({error.strerror}): make room, then go on with --resume"
            ) from error

    def recall(self, phase: Phase, level: int) -> Findings:
        """The targets of a phase that are settled as far as `level`, with their laws of the right sizes."""
        settled, numbers, places, cut = [], [NOBODY], [NOBODY], False
        for number, name in enumerate(phase.names()):
            reached, more = self._settled.get(name, _UNSETTLED)
            if reached < level:
                continue
            settled.append(number)
            cut |= more or reached > level
            of_target, bounds = self._places.get(name, NOBODY), phase.bounds(number)
            laws = self._known.chosen(of_target)
            sizes = self._codec.sizes(laws) - own_columns(laws.targets)
            places.append(of_target[(bounds.least <= sizes) & (sizes <= bounds.most)])
            numbers.append(np.full(len(places[-1]), number, np.int64))
        sets = np.ascontiguousarray(self._known.sets[np.concatenate(places), : phase.words])
        return Findings(np.concatenate(numbers), sets, cut=cut, settled=np.array(settled, np.int64))

    def close(self) -> None:
        """Write no more."""
        self._out.close()

    def lines(self) -> list[str]:
        """The lines with which the search can go on, but for those of its laws."""
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            return [line for line in lines if line.startswith(_STARTS)]

    def _read(self, search: Mapping[str, Any]) -> list[law_room.Law]:
        """Take what is settled from the file of a search that was ended; its laws."""
        lines = _lines(self._path)
        begun = next(lines, {}).get(SEARCH)
        if begun is None:
            return []
        for what, value in search.items():
            if begun.get(what) != value:
                raise LawfulError(
                    f"{str(self._path)!r} is of a search with other {what}: resume with the same table and "
                    "options, or leave out --resume to start anew"
                )
        laws: list[law_room.Law] = []
        for line in lines:
            if SETTLED in line:
                for name in line[SETTLED]:
                    self._settle(tuple(name), line["level"], line["cut"])
            elif "kind" in line:
                laws.append(law_room.from_json(line))
        return laws

    def _settle(self, name: Name, level: int, cut: bool) -> None:
        if level > self._settled.get(name, _UNSETTLED)[0]:
            self._settled[name] = level, cut

    def _keep_settled(self, laws: LawArrays) -> LawArrays:
        """Those of some laws that belong to what is settled, each once; where each target has its own."""
        sizes = self._codec.sizes(laws)
        known: dict[Name, dict[Name, int]] = {}
        for place, (kind, target, words) in enumerate(zip(*(part.tolist() for part in laws), strict=True)):
            name = (kind, *target)
            if sizes[place] <= self._settled.get(name, _UNSETTLED)[0]:
                known.setdefault(name, {})[tuple(words)] = place
        kept, start = [NOBODY], 0
        for name, places in known.items():
            kept.append(np.array([*places.values()], np.int64))
            self._places[name] = np.arange(start, start + len(places))
            start += len(places)
        return laws.chosen(np.concatenate(kept))

    def _write_laws(self, out: TextIO, laws: LawArrays) -> None:
        for law in self._codec.decode(laws):
            unasked = {} if law.kind in self._kinds else {UNASKED: True}
            _write(out, {**unasked, **law.to_json()})


def _write(out: TextIO, line: Mapping[str, Any]) -> None:
    out.write(visible_json(line) + "\n")


def _write_settled(out: TextIO, names: Sequence[Name], level: int, cut: bool) -> None:
    _write(out, {SETTLED: names, "level": level, "cut": cut})


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are whole: the last one may have been cut off when the search was."""
    with path.open(encoding="utf-8", newline="\n", errors="replace") as lines:
        for line in lines:
            if line.endswith("\n"):
                try:
                    yield json.loads(line)
                except ValueError:
                    raise LawfulError(f"{str(path)!r} is damaged: leave out --resume to start anew") from None


def _table(relation: Relation) -> dict[str, int]:
    """What tells a table from others."""
    checksum = 0
    for ranks in relation.ranks():
        checksum = zlib.crc32(np.ascontiguousarray(ranks).data, checksum)
    return {"rows": relation.n_rows, "checksum": checksum}


def _options(options: Options) -> dict[str, Any]:
    chosen = {name: value for name, value in asdict(options).items() if name not in _FREE_OPTIONS}
    plain: dict[str, Any] = json.loads(json.dumps({**chosen, "kinds": sorted(options.kinds)}))
    return plain
