"""The calls that a user makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lawful.costs import search_seconds
from lawful.discovery import (
    DEFAULT_KINDS,
    MAX_SIZE,
    Journal,
    Options,
    Progress,
    Search,
    SearchOptions,
    space_of,
)
from lawful.engine import opened
from lawful.errors import LawfulError
from lawful.laws import KINDS, Law
from lawful.laws.codec import joined
from lawful.report.collection import Facts, Laws
from lawful.report.law_files import check_writable, finish_growing
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AS_FOUND = SourceOptions()


def discover(
    source: Any,
    kinds: Collection[str] = DEFAULT_KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    top: int | None = None,
    workers: int | None = None,
    on_read: Callable[[Relation], None] = lambda relation: None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    out: str | Path | None = None,
    resume: bool = False,
    **search: Unpack[SearchOptions],
) -> Laws:
    """Find all minimal laws of a table.

    Args:
        source: whatever `lawful.read` takes (a path, a Spark, pandas or Arrow table, ...), or a `Relation`.
        kinds: which kinds of law to look for: "key", "fd", "od", "dc" (denial constraints).
        options: how to read the source.
        session: the Spark session to use, where one is needed.
        engine: where the search runs: "local", in threads of this process; "spark", as Spark tasks; "auto",
            where it is likely to end sooner: on Spark where the session is that of a cluster and the search
            is long. The laws are the same.
        top: keep only so many laws, those with the highest scores.
        workers: how many threads a local search uses; by default one for each core.
        on_read: called with the table before the search; its `notes` say what could be misread in it.
        on_progress: called now and then with what is done so far.
        out: a file for the result: .json, .jsonl, .csv or .parquet. A .jsonl file grows as laws are proven.
        resume: go on with the search that left its .jsonl file unfinished, instead of starting anew.
        **search: the limits and settings of the search: max_size (attributes in a law), time_limit
            (seconds), memory_limit (bytes), min_score, columns and exclude (which columns laws may speak of),
            sample_rows, pairs_kept, seed; for denial constraints cross_columns ("auto", "off", "all": which
            columns are compared with each other) and order_strings (whether texts have an order).

    Returns:
        The laws; `complete` says whether these are all, `facts.reason` which limit ended the search.
    """
    settings, path = Options(kinds=tuple(kinds), **search), None if out is None else Path(out)
    if top is not None and top < 1:
        raise LawfulError(f"top must be at least 1, not {top}")
    if path is not None:
        check_writable(path)  # before a long search
    if resume and not _grows(path):
        raise LawfulError("only a search that writes a .jsonl file can be resumed: use --out laws.jsonl")
    started = time.perf_counter()
    relation = source if isinstance(source, Relation) else read(source, options, session)
    seconds, spark = {"read": time.perf_counter() - started}, _session_of(source, session)
    on_read(relation)
    growing = path if _grows(path) else None
    with _search(relation, settings, engine, spark, workers, on_progress, growing, resume) as begun:
        laws = _collected(relation, settings, begun, seconds)
    laws = laws if top is None else laws.top(top)
    if path is not None:
        _save(laws, path, begun.journal)
    return laws


def stream(
    source: Any,
    kinds: Collection[str] = DEFAULT_KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    workers: int | None = None,
    **search: Unpack[SearchOptions],
) -> Iterator[Law]:
    """The laws of a table, each as soon as it is proven; arguments as for `discover`."""
    settings = Options(kinds=tuple(kinds), **search)
    relation = source if isinstance(source, Relation) else read(source, options, session)
    with _search(relation, settings, engine, _session_of(source, session), workers) as found:
        for batch in found.laws():
            yield from found.codec.decode(batch)


@contextmanager
def _search(
    relation: Relation,
    settings: Options,
    engine: str,
    session: SparkSession | None,
    workers: int | None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    out: Path | None = None,
    resume: bool = False,
) -> Iterator[Search]:
    """A search on the engine of this name; where a file is given, that grows with it."""
    space, rows = space_of(relation, settings), ranked(relation)
    cost = search_seconds(rows.count, rows.columns, set(settings.kinds), settings.max_size)
    journal = None if out is None else Journal(out, relation, settings, space.codec, resume)
    try:
        with opened(engine, relation, rows, cost, session, workers) as run_by:
            yield Search(run_by, space, settings, on_progress, journal)
    finally:
        if journal is not None:
            journal.close()


def _session_of(source: Any, given: SparkSession | None) -> SparkSession | None:
    """The session that was given, or that a Spark table comes from."""
    return given if given is not None else getattr(source, "sparkSession", None)


def _collected(relation: Relation, settings: Options, search: Search, seconds: dict[str, float]) -> Laws:
    """Run a search to its end."""
    started = time.perf_counter()
    found = joined(list(search.laws()), search.codec.words)
    scores = search.scores(found)
    seconds["discover"] = time.perf_counter() - started
    progress = search.progress
    facts = Facts(
        complete=progress.reason is None,
        reason=progress.reason,
        kinds=tuple(kind for kind in KINDS if kind in settings.kinds),
        found=progress.found,
        options={**asdict(settings), "kinds": list(settings.kinds)},
        seconds={**seconds, **progress.seconds},
        stats={
            "rows": relation.n_rows,
            "columns": len(relation.names),
            "evidence": progress.evidence,
            "validated": progress.validated,
            "refuted": progress.refuted,
            "resumed": progress.resumed,
        },
        version=version("lawful"),
    )
    return Laws(search.codec, found, scores, facts).best_first()


def _save(laws: Laws, out: Path, journal: Journal | None) -> None:
    """Write a result; after a limit so that the search can go on, unless laws were left out."""
    ended = laws.facts.reason not in (None, MAX_SIZE) and len(laws) == laws.facts.found
    if journal is not None and ended:
        finish_growing(laws, out, journal.lines())
    else:
        laws.save(out)


def _grows(out: Path | None) -> bool:
    return out is not None and out.suffix.lower() == ".jsonl"
