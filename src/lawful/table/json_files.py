"""JSON files on this machine, without Spark: an object a line, or documents of objects."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lawful.errors import LawfulError
from lawful.table.csvs import read_chunks
from lawful.table.files import Files, open_local
from lawful.table.pieces import PIECE_ROWS, Run
from lawful.table.records import table_of_records

_MARK = "\ufeff"


def json_runs(files: Files) -> tuple[tuple[str, ...], list[Run]]:
    """The column names and the rows of JSON files."""
    counts: list[int] = []

    def records() -> Iterator[dict[str, Any]]:
        for path in files.paths:
            counts.append(0)
            for record in _records_of(path):
                counts[-1] += 1
                yield record

    table = table_of_records(records())
    runs: list[Run] = []
    for place, path in enumerate(files.paths):
        rows = table.slice(sum(counts[:place]), counts[place])
        runs += [((files.name_of(path), 0), batch) for batch in rows.to_batches(max_chunksize=PIECE_ROWS)]
    return tuple(table.column_names), runs


def no_object(where: str, text: str) -> LawfulError:
    """What to say about a line that is no record."""
    return LawfulError(f"{where} has a line that is no JSON object ({text[:80]!r}): mend or remove it")


def _records_of(path: str) -> Iterator[dict[str, Any]]:
    began = False
    for line in _lines(path):
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError:
            if began:
                raise no_object(path, line) from None
            yield from _documents(path)  # that go on after the first line
            return
        yield from _objects(value, path, line)
        began = True


def _documents(path: str) -> Iterator[dict[str, Any]]:
    text, decoder = "\n".join(_lines(path)), json.JSONDecoder()
    end = len(text) - len(text.lstrip())
    while end < len(text):
        try:
            value, end = decoder.raw_decode(text, end)
        except ValueError as problem:
            raise no_object(path, text[end:].split("\n", 1)[0]) from problem
        yield from _objects(value, path, text)
        end += len(text[end:]) - len(text[end:].lstrip())


def _objects(value: Any, path: str, text: str) -> Iterator[dict[str, Any]]:
    """An object, or those of an array."""
    for one in value if isinstance(value, list) else [value]:
        if not isinstance(one, dict):
            raise no_object(path, text)
        yield one


def _lines(path: str) -> Iterator[str]:
    with open_local(path) as stream:
        try:
            for place, chunk in enumerate(read_chunks(stream, "utf-8")):
                text = chunk.decode()
                yield from (text if place else text.removeprefix(_MARK)).split("\n")
        except UnicodeDecodeError:
            raise LawfulError(f"{path} is not utf-8, as JSON has to be: convert it, as with iconv") from None
