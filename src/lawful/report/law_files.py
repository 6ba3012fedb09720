"""Laws in files: JSON, JSON lines, CSV, Parquet. A file appears whole or not at all."""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO

from pyarrow import parquet

from lawful import laws as law_room
from lawful.discovery import LINES, UNASKED
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.laws.codec import Codec, items_of
from lawful.laws.text import visible_json
from lawful.replacing import replaced_file
from lawful.report.collection import STATING, Facts, Laws, stated
from lawful.report.output_files import by_ending, check_output, parquet_schema
from lawful.report.ratings import Rating, Ratings

_FIELDS = ("kind", "text", "size", "score", "bits", "fact", "states")
_FACTS_KEY = b"lawful"
# How the files begin that lawful writes: with facts, a journal's line, a law, or the names of fields.
_STARTS = (
    b'{"complete": ',
    *(f'{{"{name}": '.encode() for name in (*LINES, "facts")),
    *(f'{{"kind": "{kind}", "text": '.encode() for kind in law_room.KINDS),
    ",".join(_FIELDS[:4]).encode(),
)
_ALMOST = b'{\n  "complete": '  # how the laws begin that --error finds


def save(laws: Laws, path: str | Path) -> None:
    """Write laws in the format that the path's ending names."""
    path = Path(path)
    writer = by_ending(path, _WRITERS)
    with ExitStack() as files:
        temporary = files.enter_context(replaced_file(path))
        if _needs_facts_beside(path):
            facts = visible_json(facts_document(laws))
            files.enter_context(replaced_file(_facts_beside(path))).write_text(facts, "utf-8")
        writer(laws, temporary)


def load(path: str | Path) -> Laws:
    """Read what `save` wrote."""
    path = Path(path)
    reader = by_ending(path, _READERS)
    if not path.exists():
        raise LawfulError(f"there is no file {str(path)!r}: check the path")
    if _needs_facts_beside(path) and not _facts_beside(path).exists():
        beside = _facts_beside(path).name
        raise LawfulError(f"{str(path)!r} holds no laws that lawful wrote: {beside!r} is not beside it")
    try:
        return reader(path)
    except Exception as error:  # there is no end to the ways in which rubbish makes a reader fail
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise LawfulError(f"{str(path)!r} holds no laws that lawful wrote: {why}") from None


def finish_growing(laws: Laws, hidden: Laws, path: str | Path, journal: Sequence[str]) -> None:
    """Write the result of a search behind the lines with which it can go on; `hidden` are no part of it."""
    with replaced_file(Path(path)) as new, new.open("w", encoding="utf-8") as out:
        out.writelines(journal)
        for law in hidden:
            out.write(visible_json({UNASKED: True, **law.to_json()}) + "\n")
        _write_law_lines(laws, out)


def check_writable(path: str | Path, source: Any = None, force: bool = False) -> None:
    """Raise now, not after a long search, if laws could not be saved to a path.

    What they are found in is never written over, and what lawful did not write only by `force`.
    """
    path = Path(path)
    by_ending(path, _WRITERS)
    for needed in [path, _facts_beside(path)] if _needs_facts_beside(path) else [path]:
        check_output(needed, source, force, _is_result)


def holds_laws(path: str | Path) -> bool:
    """Whether a path is that of a file of laws, not of a table."""
    path = Path(path)
    if path.suffix.lower() not in _READERS or not path.is_file() or path.stat().st_size == 0:
        return False
    return _is_ours(path)


def _is_ours(path: Path) -> bool:
    """Whether a file is empty or one that lawful wrote, or began to write."""
    with path.open("rb") as file:
        start = file.read(100)
    if path.suffix.lower() == ".parquet" and start:
        return _FACTS_KEY in (parquet_schema(path).metadata or {})
    return any(start.startswith(known) or known.startswith(start) for known in _STARTS)


def _is_result(path: Path) -> bool:
    """Whether a file is ours, with exact laws or with those that hold almost."""
    with path.open("rb") as file:
        return file.read(len(_ALMOST)) == _ALMOST or _is_ours(path)


def facts_document(laws: Laws) -> dict[str, Any]:
    """What stands beside the laws in every format."""
    facts = laws.facts
    return {
        "complete": facts.complete,
        "reason": facts.reason,
        "counts": laws.counts,
        "found": len(laws) if facts.found is None else facts.found,
        "hidden": dict(facts.hidden),
        "notes": list(facts.notes),
        **({} if facts.duplicates is None else {"duplicates": facts.duplicates}),
        **({"equivalents": list(facts.equivalents)} if facts.equivalents else {}),
        "columns": list(laws.names),
        **({"types": dict(facts.types), "nulls": dict(facts.nulls)} if facts.types else {}),
        **({} if facts.nulls_equal else {"nulls_equal": False}),
        "options": dict(facts.options),
        "seconds": {name: round(seconds, 6) for name, seconds in facts.seconds.items()},
        "stats": dict(facts.stats),
        "version": facts.version,
    }


def law_documents(laws: Laws) -> Iterator[dict[str, Any]]:
    """Each law as a plain dict, with its size, score and bits, which are null where not computed, and whether
    it is a fact, which needs no bits."""
    numbers = zip(laws.items(), items_of(laws.sizes), items_of(laws.are_facts), strict=True)
    for (law, rating), size, fact in numbers:
        simpler = stated(law)
        known = {name: None if math.isnan(value) else value for name, value in rating._asdict().items()}
        states = {} if simpler is None else {"states": simpler}
        yield {**law.to_json(), "size": size, **known, "fact": fact, **states}


def _facts(document: Mapping[str, Any]) -> Facts:
    known = {name: document[name] for name in asdict(Facts()) if name in document}
    tuples = {name: tuple(document.get(name, ())) for name in ("notes", "equivalents")}
    return Facts(**{**known, **tuples, "kinds": tuple(document["counts"])})


def _rating(line: Mapping[str, Any]) -> Rating:
    """A rating as it stands in a file: nothing where it was not computed, no bits before there were any."""
    score, bits = line["score"], line.get("bits")
    return Rating(*(math.nan if value in (None, "") else float(value) for value in (score, bits)))


def _laws(document: Mapping[str, Any], lines: Iterable[tuple[Law, Mapping[str, Any]]]) -> Laws:
    names = document["columns"]
    if not all(isinstance(name, str) for name in names):
        raise ValueError("its columns have no names")
    laws, ratings = [], []
    for law, line in lines:
        laws.append(law)
        ratings.append(_rating(line))
    codec = Codec.of(names, laws)
    # In the order of the file, which is that of the search.
    found = Laws(codec, codec.encode(laws), Ratings.of(ratings), _facts(document))
    if found.counts != document["counts"]:
        raise ValueError("it has lost laws, or gained some")
    return found


def write_json(laws: Laws, out: TextIO) -> None:
    """Write laws and facts as one JSON document, a line for each law."""
    out.write("{")
    for name, value in facts_document(laws).items():
        out.write(f"{json.dumps(name)}: {visible_json(value)},\n ")
    out.write('"laws": [')
    for number, law in enumerate(law_documents(laws)):
        out.write(",\n  " if number else "\n  ")
        out.write(visible_json(law))
    out.write("\n]}\n")


def _write_json(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        write_json(laws, out)


def _read_json(path: Path) -> Laws:
    document = json.loads(path.read_text("utf-8"))
    return _laws(document, ((law_room.from_json(line), line) for line in document["laws"]))


def _write_json_lines(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        _write_law_lines(laws, out)


def _write_law_lines(laws: Laws, out: TextIO) -> None:
    """A line for each law, the facts last."""
    for law in law_documents(laws):
        out.write(visible_json(law) + "\n")
    out.write(visible_json({"facts": facts_document(laws)}) + "\n")


def _read_json_lines(path: Path) -> Laws:
    # only at \n: other characters that Python takes for the end of a line may stand in a name
    lines = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]
    if lines and "facts" not in lines[-1]:
        raise ValueError("its search has not ended, or is to be resumed")
    laws = [line for line in lines[:-1] if not any(name in line for name in LINES)]
    return _laws(lines[-1]["facts"], ((law_room.from_json(line), line) for line in laws))


def _needs_facts_beside(path: Path) -> bool:
    """CSV has no place for facts: they get a file of their own."""
    return path.suffix.lower() == ".csv"


def _facts_beside(path: Path) -> Path:
    return path.with_suffix(".facts.json")


def _write_csv(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        fields = _FIELDS[:-1] if STATING.isdisjoint(laws.facts.kinds) else _FIELDS
        writer.writerow(fields)
        for law in law_documents(laws):
            writer.writerow([law.get(name) for name in fields])


def _read_csv(path: Path) -> Laws:
    facts = json.loads(_facts_beside(path).read_text("utf-8"))
    with path.open(encoding="utf-8", newline="") as lines:
        return _laws(facts, ((law_room.parse(line["text"]), line) for line in csv.DictReader(lines)))


def _write_parquet(laws: Laws, path: Path) -> None:
    facts = visible_json(facts_document(laws)).encode()
    parquet.write_table(laws.to_arrow().replace_schema_metadata({_FACTS_KEY: facts}), path)


def _read_parquet(path: Path) -> Laws:
    table = parquet.read_table(path)
    facts = json.loads((table.schema.metadata or {})[_FACTS_KEY])
    rated = table.select([name for name in ("text", "score", "bits") if name in table.column_names])
    return _laws(facts, ((law_room.parse(line["text"]), line) for line in rated.to_pylist()))


_WRITERS: dict[str, Callable[[Laws, Path], None]] = {
    ".json": _write_json,
    ".jsonl": _write_json_lines,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}
_READERS: dict[str, Callable[[Path], Laws]] = {
    ".json": _read_json,
    ".jsonl": _read_json_lines,
    ".csv": _read_csv,
    ".parquet": _read_parquet,
}
ENDINGS = frozenset(_READERS)  # of files that laws are read from
