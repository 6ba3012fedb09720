"""A file of JSON lines that grows while a search proves laws, and from which one that was ended goes on.

The first line tells which search it is. A line for each law follows, without its score, and after the laws of
some targets one that says that these are settled. A search that goes on takes the settled targets from there;
of others it forgets the laws and finds them again. When a search ends, the file is written anew: all laws
with their scores in order, the facts last. After a limit the lines of the search stay, so that it can go on.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from lawful import laws as law_room
from lawful.cover.targets import Targets
from lawful.discovery import Options
from lawful.discovery.findings import Findings, Numbers, Phase, Sets, proven_only
from lawful.errors import LawfulError
from lawful.report.collection import Facts, Laws
from lawful.report.law_files import JOURNAL_LINES, facts_line, law_documents, save, whole_file
from lawful.table import Relation

if TYPE_CHECKING:
    from lawful.laws.comparisons import Comparisons

# What may change between a search and its continuation: neither the laws nor what is settled depend on it.
_FREE_OPTIONS = ("time_limit", "memory_limit", "partition_memory", "sample_rows", "pairs_kept", "seed")
_SEARCH, _SETTLED, _UNASKED = JOURNAL_LINES
_STARTS = tuple(f'{{"{name}"' for name in JOURNAL_LINES)
_UNSETTLED = (-1, False)
_NONE = np.empty(0, np.int64)


class FileJournal:
    """The journal of one search in a file."""

    def __init__(
        self,
        path: str | Path,
        relation: Relation,
        options: Options,
        comparisons: Comparisons | None = None,
        resume: bool = False,
    ) -> None:
        self._path, self._names, self._comparisons = Path(path), relation.names, comparisons
        self._kinds = set(options.kinds)
        self._settled: dict[tuple[int, ...], tuple[int, bool]] = {}  # target: as far as which size, and cut
        self._places: dict[tuple[int, ...], Numbers] = {}  # target: its laws among the sets
        self._sets: Sets = np.empty((0, max(-(-len(relation.names) // 64), 1)), np.uint64)
        search = {"columns": list(relation.names), **_table(relation), "options": _options(options)}
        laws = self._read(search) if resume and self._path.exists() else []
        known = self._keep_settled(Laws.of(relation.names, ((law, 0.0) for law in laws), Facts()))
        with whole_file(self._path) as new, new.open("w", encoding="utf-8") as out:
            _write(out, {_SEARCH: search})
            self._write_laws(out, known)
            for target, (level, cut) in self._settled.items():
                _write_settled(out, [target], level, cut)
        self._out = self._path.open("a", encoding="utf-8")

    def record(self, targets: Targets, level: int, findings: Findings) -> None:
        """Write findings: laws first, so that what is settled has its laws before it."""
        unscored = np.zeros(len(findings.sets))
        laws = targets[findings.targets], findings.sets, unscored
        try:
            self._write_laws(self._out, Laws(self._names, *laws, Facts(), self._comparisons))
            if len(findings.settled):
                _write_settled(self._out, targets[findings.settled].tolist(), level, findings.cut)
            self._out.flush()
        except OSError as error:
            raise LawfulError(
                f"cannot write {str(self._path)!r} ({error.strerror}): make room, then go on with --resume"
            ) from error

    def recall(self, phase: Phase, level: int) -> Findings:
        """The targets of a phase that are settled as far as `level`, with their laws of the right sizes."""
        settled, cut = [], False
        numbers, places = [_NONE], [_NONE]
        for number, target in enumerate(map(tuple, phase.targets.tolist())):
            reached, more = self._settled.get(target, _UNSETTLED)
            if reached < level:
                continue
            settled.append(number)
            cut |= more or reached > level
            bounds, of_target = phase.bounds[number], self._places.get(target, _NONE)
            sizes = np.bitwise_count(self._sets[of_target]).sum(axis=1)
            places.append(of_target[(bounds.least <= sizes) & (sizes <= bounds.most)])
            numbers.append(np.full(len(places[-1]), number, np.int64))
        sets = self._sets[np.concatenate(places)]
        return proven_only(np.concatenate(numbers), sets, cut, np.array(settled, np.int64))

    def finish(self, laws: Laws, resumable: bool) -> None:
        """Write the result in place of the journal; after a limit, so that the search can go on."""
        self.close()
        if not resumable or laws.facts.reason in (None, "max size"):
            save(laws, self._path)
            return
        with self._path.open(encoding="utf-8", newline="\n") as lines:
            kept = [line for line in lines if line.startswith(_STARTS)]
        with whole_file(self._path) as new, new.open("w", encoding="utf-8") as out:
            out.writelines(kept)
            for law in law_documents(laws):
                _write(out, law)
            out.write(facts_line(laws))

    def close(self) -> None:
        """Write no more."""
        self._out.close()

    def _read(self, search: Mapping[str, Any]) -> list[law_room.Law]:
        """Take what is settled from the file of a search that was ended; its laws."""
        lines = _lines(self._path)
        begun = next(lines, {}).get(_SEARCH)
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
            if _SETTLED in line:
                for target in line[_SETTLED]:
                    self._settle(tuple(target), line["level"], line["cut"])
            elif "kind" in line:
                laws.append(law_room.from_json(line))
        return laws

    def _settle(self, target: tuple[int, ...], level: int, cut: bool) -> None:
        if level > self._settled.get(target, _UNSETTLED)[0]:
            self._settled[target] = level, cut

    def _keep_settled(self, laws: Laws) -> Laws:
        """Know, of some laws, those that belong to what is settled, each once."""
        known: dict[tuple[int, ...], dict[tuple[int, ...], int]] = {}
        for place, target in enumerate(map(tuple, laws._targets.tolist())):
            if laws.sizes[place] <= self._settled.get(target, _UNSETTLED)[0]:
                known.setdefault(target, {})[tuple(laws._sets[place].tolist())] = place
        self._places = {target: np.array([*places.values()], np.int64) for target, places in known.items()}
        self._sets = laws._sets[:, : self._sets.shape[1]]
        return laws._chosen(np.concatenate([_NONE, *self._places.values()]))

    def _write_laws(self, out: TextIO, laws: Laws) -> None:
        for law in laws:
            unasked = {} if law.kind in self._kinds else {_UNASKED: True}
            _write(out, {**unasked, **law.to_json()})


def _write(out: TextIO, line: Mapping[str, Any]) -> None:
    out.write(json.dumps(line, ensure_ascii=False) + "\n")


def _write_settled(out: TextIO, targets: Iterable[Iterable[int]], level: int, cut: bool) -> None:
    _write(out, {_SETTLED: list(targets), "level": level, "cut": cut})


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
