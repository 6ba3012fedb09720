"""Laws in files: JSON, JSON lines, CSV, Parquet. A file appears whole or not at all."""

from __future__ import annotations

import csv
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TextIO, TypeVar

from pyarrow import parquet

from lawful import laws as law_room
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report.laws import Facts, Laws

_FIELDS = ("kind", "text", "size", "score")
_FACTS_KEY = b"lawful"


def save(laws: Laws, path: str | Path) -> None:
    """Write laws in the format that the path's ending names."""
    path = Path(path)
    writer = _of_ending(path, _WRITERS)
    with whole_file(path) as temporary:
        writer(laws, temporary)
    if path.suffix.lower() == ".csv":
        with whole_file(_facts_beside(path)) as temporary:
            temporary.write_text(json.dumps(facts_document(laws), ensure_ascii=False), "utf-8")


def load(path: str | Path) -> Laws:
    """Read what `save` wrote."""
    path = Path(path)
    reader = _of_ending(path, _READERS)
    try:
        return reader(path)
    except FileNotFoundError:
        raise LawfulError(f"there is no file {str(path)!r}: check the path") from None
    except (KeyError, TypeError, ValueError, OSError) as error:
        raise LawfulError(f"{str(path)!r} holds no laws that lawful wrote: {error}") from None


def check_writable(path: str | Path) -> None:
    """Raise now, not after a long search, if laws could not be saved to a path."""
    path = Path(path)
    _of_ending(path, _WRITERS)
    with whole_file(path, keep=False):
        pass


@contextmanager
def whole_file(path: Path, keep: bool = True) -> Iterator[Path]:
    """A temporary file beside `path` that takes its place at the end, if all went well."""
    if path.is_dir():
        raise LawfulError(f"cannot write {str(path)!r}: it is a folder; name a file in it")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=path.suffix, dir=path.parent)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise LawfulError(f"cannot write {str(path)!r}: {why}; choose another place with --out") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        if keep:
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def facts_document(laws: Laws) -> dict[str, Any]:
    """What stands beside the laws in every format."""
    facts = laws.facts
    return {
        "complete": facts.complete,
        "reason": facts.reason,
        "counts": laws.counts,
        "columns": list(laws.names),
        "options": dict(facts.options),
        "seconds": {name: round(seconds, 6) for name, seconds in facts.seconds.items()},
        "stats": dict(facts.stats),
        "version": facts.version,
    }


def law_documents(laws: Laws) -> Iterator[dict[str, Any]]:
    """Each law as a plain dict, with its size and score."""
    for law, size, score in zip(laws, laws.sizes.tolist(), laws.scores.tolist(), strict=True):
        yield {**law.to_json(), "size": size, "score": score}


def _facts(document: Mapping[str, Any]) -> Facts:
    known = {name: document[name] for name in asdict(Facts()) if name in document}
    return Facts(**{**known, "kinds": tuple(document["counts"])})


def _laws(document: Mapping[str, Any], laws: Iterable[tuple[Law, float]]) -> Laws:
    return Laws.of(document["columns"], laws, _facts(document))


def write_json(laws: Laws, out: TextIO) -> None:
    """Write laws and facts as one JSON document, a line for each law."""
    out.write("{")
    for name, value in facts_document(laws).items():
        out.write(f"{json.dumps(name)}: {json.dumps(value, ensure_ascii=False)},\n ")
    out.write('"laws": [')
    for number, law in enumerate(law_documents(laws)):
        out.write(",\n  " if number else "\n  ")
        out.write(json.dumps(law, ensure_ascii=False))
    out.write("\n]}\n")


def _write_json(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        write_json(laws, out)


def _read_json(path: Path) -> Laws:
    document = json.loads(path.read_text("utf-8"))
    return _laws(document, ((law_room.from_json(law), law["score"]) for law in document["laws"]))


def _write_json_lines(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8") as out:
        for law in law_documents(laws):
            out.write(json.dumps(law, ensure_ascii=False) + "\n")
        out.write(json.dumps({"facts": facts_document(laws)}, ensure_ascii=False) + "\n")


def _read_json_lines(path: Path) -> Laws:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return _laws(lines[-1]["facts"], ((law_room.from_json(law), law["score"]) for law in lines[:-1]))


def _facts_beside(path: Path) -> Path:
    """CSV has no place for facts: they get a file of their own."""
    return path.with_suffix(".facts.json")


def _write_csv(laws: Laws, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(_FIELDS)
        for law in law_documents(laws):
            writer.writerow([law["kind"], law["text"], law["size"], law["score"]])


def _read_csv(path: Path) -> Laws:
    facts = json.loads(_facts_beside(path).read_text("utf-8"))
    with path.open(encoding="utf-8", newline="") as lines:
        laws = [(law_room.parse(line["text"]), float(line["score"])) for line in csv.DictReader(lines)]
    return _laws(facts, laws)


def _write_parquet(laws: Laws, path: Path) -> None:
    facts = json.dumps(facts_document(laws), ensure_ascii=False).encode()
    parquet.write_table(laws.to_arrow().replace_schema_metadata({_FACTS_KEY: facts}), path)


def _read_parquet(path: Path) -> Laws:
    table = parquet.read_table(path)
    facts = json.loads((table.schema.metadata or {})[_FACTS_KEY])
    texts, scores = table["text"].to_pylist(), table["score"].to_pylist()
    return _laws(facts, zip(map(law_room.parse, texts), scores, strict=True))


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
_Handler = TypeVar("_Handler")


def _of_ending(path: Path, handlers: Mapping[str, _Handler]) -> _Handler:
    if path.suffix.lower() not in handlers:
        endings = ", ".join(handlers)
        raise LawfulError(f"cannot tell the format of {str(path)!r}: let its name end in one of {endings}")
    return handlers[path.suffix.lower()]
