"""The calls that a user makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lawful.discovery import (
    ALL_KINDS,
    KINDS,
    Options,
    Progress,
    Proven,
    Search,
    SearchOptions,
    WholeSearch,
    cpu_seconds,
    space_of,
)
from lawful.engine import opened
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.laws.comparisons import Comparisons
from lawful.report.collection import Facts, Laws
from lawful.report.journal import FileJournal
from lawful.report.law_files import check_writable
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AS_FOUND = SourceOptions()


def discover(
    source: Any,
    kinds: Collection[str] = KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    top: int | None = None,
    workers: int | None = None,
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
        on_progress: called now and then with what is done so far.
        out: a file for the result: .json, .jsonl, .csv or .parquet. A .jsonl file grows as laws are proven.
        resume: go on with the search that left its .jsonl file unfinished, instead of starting anew.
        **search: the limits and settings of the search: max_size (attributes in a law), time_limit
            (seconds), memory_limit (bytes), min_score, sample_rows, pairs_kept, seed; for denial constraints
            cross_columns ("auto", "off", "all": which columns are compared with each other), order_strings
            (whether texts have an order), columns and exclude (which columns may be used).

    Returns:
        The laws; `complete` says whether these are all, `facts.reason` which limit ended the search.
    """
    settings = Options(kinds=tuple(kinds), **search)
    if top is not None and top < 1:
        raise LawfulError(f"top must be at least 1, not {top}")
    if out is not None:
        check_writable(out)  # before a long search
    if resume and not _grows(out):
        raise LawfulError("only a search that writes a .jsonl file can be resumed: use --out laws.jsonl")
    started = time.perf_counter()
    relation = source if isinstance(source, Relation) else read(source, options, session)
    seconds = {"read": time.perf_counter() - started}
    spark = _session_of(source, session)
    with (
        _search(relation, settings, engine, spark, workers, on_progress) as running,
        _written(out, resume, relation, settings, running) as finish,
    ):
        laws = _collected(relation, settings, running, seconds)
        laws = laws if top is None else laws.top(top)
        finish(laws)
    return laws


def stream(
    source: Any,
    kinds: Collection[str] = KINDS,
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
    with _search(relation, settings, engine, _session_of(source, session), workers) as running:
        for batch in running.laws():
            unscored = np.zeros(len(batch.sets))
            atoms_of = _comparisons(running)
            yield from Laws(relation.names, batch.targets, batch.sets, unscored, Facts(), atoms_of)


@contextmanager
def _search(
    relation: Relation,
    settings: Options,
    engine: str,
    session: SparkSession | None,
    workers: int | None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
) -> Iterator[Search | WholeSearch]:
    """A search on the engine of this name."""
    rows = ranked(relation)
    cost = cpu_seconds(rows.count, rows.columns, settings)
    with opened(engine, relation, rows, cost, session, workers) as run_by:
        if "dc" in settings.kinds:
            yield WholeSearch(rows, run_by, space_of(relation, settings), settings, on_progress)
        else:
            yield Search(rows, run_by, settings, on_progress)


@contextmanager
def _written(
    out: str | Path | None, resume: bool, relation: Relation, settings: Options, search: Search | WholeSearch
) -> Iterator[Callable[[Laws], None]]:
    """Lets a search write to a file as it goes on, where the file can grow; yields what ends it."""
    if out is None:
        yield lambda laws: None
    elif not _grows(out):
        yield lambda laws: laws.save(out)
    else:
        journal = FileJournal(out, relation, settings, _comparisons(search), resume)
        search.journal = journal
        try:
            yield lambda laws: journal.finish(laws, resumable=len(laws) == laws.facts.found)
        finally:
            journal.close()


def _grows(out: str | Path | None) -> bool:
    return out is not None and Path(out).suffix.lower() == ".jsonl"


def _session_of(source: Any, given: SparkSession | None) -> SparkSession | None:
    """The session that was given, or that a Spark table comes from."""
    return given if given is not None else getattr(source, "sparkSession", None)


def _collected(
    relation: Relation, settings: Options, search: Search | WholeSearch, seconds: dict[str, float]
) -> Laws:
    """Run a search to its end."""
    started = time.perf_counter()
    batches = list(search.laws()) or [_nothing(len(relation.names))]
    found = Proven(
        np.concatenate([batch.targets for batch in batches]),
        np.concatenate([batch.sets for batch in batches]),
    )
    scores = search.scores(found)
    seconds["discover"] = time.perf_counter() - started
    progress = search.progress
    facts = Facts(
        complete=progress.reason is None,
        reason=progress.reason,
        kinds=tuple(kind for kind in ALL_KINDS if kind in settings.kinds),
        found=progress.found,
        options={**asdict(settings), "kinds": list(settings.kinds)},
        seconds={**seconds, **progress.seconds},
        stats={
            "rows": relation.n_rows,
            "columns": len(relation.names),
            "evidence": progress.evidence,
            "validated": progress.validated,
            "refuted": progress.refuted,
        },
        version=version("lawful"),
    )
    return Laws(relation.names, found.targets, found.sets, scores, facts, _comparisons(search))


def _comparisons(search: Search | WholeSearch) -> Comparisons | None:
    """What the sets of denial constraints are made of, where there may be some."""
    return search.comparisons if isinstance(search, WholeSearch) else None


def _nothing(columns: int) -> Proven:
    words = max(-(-columns // 64), 1)
    return Proven(np.empty((0, 3), np.int64), np.empty((0, words), np.uint64))
