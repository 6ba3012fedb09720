"""The calls that find laws."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from lawful.api.found_laws import equivalents_of, rated_laws
from lawful.api.keywords import Keywords, settings_of
from lawful.costs import search_seconds
from lawful.discovery import DEFAULT_KINDS, Journal, Options, Progress, Search, space_of
from lawful.engine import opened
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.laws.codec import joined
from lawful.laws.exchange import standing_for
from lawful.report.collection import Laws
from lawful.report.law_files import check_writable, finish_growing
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AS_FOUND = SourceOptions()


def discover(
    source: Any,
    kinds: Collection[str] | str = DEFAULT_KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    top: int | None = None,
    workers: int | None = None,
    on_read: Callable[[Relation], None] = lambda relation: None,
    on_progress: Callable[[Progress], None] | None = None,
    out: str | Path | None = None,
    force: bool = False,
    resume: bool = False,
    **settings: Unpack[Keywords],
) -> Laws:
    """Find the minimal laws of a table that are no mere chance, or all of them.

    Args:
        source: whatever `lawful.read` takes (a path, a Spark, pandas or Arrow table, a `Relation`, ...).
        kinds: which kinds of law to look for: "key", "fd", "od", "pod" (pointwise order dependencies), "dc"
            (denial constraints), or "key,fd".
        options: how to read the source.
        session: the Spark session to use, where one is needed.
        engine: where the search runs: "local", in threads of this process; "spark", as Spark tasks; "auto",
            where it is likely to end sooner: on Spark where the session is that of a cluster and the search
            is long. The laws are the same.
        top: return only so many laws, facts and those with the most bits; a file gets all.
        workers: how many threads a local search uses; by default one for each core.
        on_read: called with the table before the search; its `notes` say what could be misread in it.
        on_progress: called now and then with what is done so far; by default a notebook shows it.
        out: a file for the result: .json, .jsonl, .csv or .parquet. A .jsonl file grows as laws are proven.
        force: write even over a file that lawful did not write.
        resume: go on with the search that left its .jsonl file unfinished, instead of starting anew.
        **settings: what to find, the limits and settings of the search: min_bits (how surely the laws are no
            mere chance, by default 10: all minimal laws of at least so many bits; constants and keys of one
            column need none), all (True: every minimal law, as with min_bits=0, and laws of every column,
            not only of one of each group of equivalent columns), max_size (attributes in a law), time_limit
            (seconds, or as in "5m", with those of reading), memory_limit (bytes, or as in "4GB"; by default
            most of what is free), columns and exclude (which columns laws may speak of), about (a column
            that they must speak of), min_score, sample_rows, pairs_kept, seed; for denial constraints
            cross_columns ("auto", "off", "all": which columns are compared with each other), for these and
            for PODs order_strings (whether texts have an order). Also what `SourceOptions` says of the
            source, as in null="N/A", types={"zip": "string"}.

    Returns:
        The laws; `complete` says whether these are all that were asked for, `facts.reason` why not.
    """
    from lawful.report.progress_bar import shown_to  # with Rich, which workers of a cluster need not have

    search, reading = settings_of(kinds, options, settings)
    path = None if out is None else Path(out)
    if top is not None and top < 0:
        raise LawfulError(f"top must be at least 0, not {top}")
    if path is not None:
        check_writable(path, source, force)  # before a long search
    if resume and not _grows(path):
        raise LawfulError("only a search that writes a .jsonl file can be resumed: use --out laws.jsonl")
    started = time.time()
    relation = read(source, reading, session)
    seconds, spark = time.time() - started, session_of(source, session)
    growing = path if _grows(path) else None
    with (
        shown_to(on_progress) as told,
        _search(relation, search, engine, spark, workers, told, growing, resume, started) as begun,
    ):
        begun.progress.seconds["read"] = seconds
        on_read(relation)
        laws, hidden = _collected(relation, search, begun)
    if path is not None:
        if begun.journal is not None:
            finish_growing(laws, hidden, path, begun.journal.lines())
        else:
            laws.save(path, force)
    return laws if top is None else laws.top(top)


def stream(
    source: Any,
    kinds: Collection[str] | str = DEFAULT_KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    workers: int | None = None,
    **settings: Unpack[Keywords],
) -> Iterator[Law]:
    """The laws of a table, each as soon as it is proven; arguments as for `discover`.

    Neither score nor bits are known then, so that there is no min_score; min_bits is for the search.
    """
    search, reading = settings_of(kinds, options, settings)
    if search.min_score:
        raise LawfulError("scores are known when the search is over: use discover for min_score")
    relation = read(source, reading, session)
    with _search(relation, search, engine, session_of(source, session), workers) as found:
        about = None if search.about is None else standing_for(search.about, equivalents_of(found))
        for batch in found.laws():
            for law in found.codec.decode(batch):
                if about is None or not about.isdisjoint(law.columns):
                    yield law


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
    started: float | None = None,
) -> Iterator[Search]:
    """A search on the engine of this name; where a file is given, that grows with it."""
    space, rows = space_of(relation, settings), ranked(relation)
    cost = search_seconds(rows.count, rows.columns, set(settings.kinds), settings.max_size)
    journal = None if out is None else Journal(out, relation, settings, space.codec, resume)
    try:
        with opened(engine, relation, rows, cost, session, workers) as run_by:
            yield Search(run_by, space, settings, on_progress, journal, started=started)
    finally:
        if journal is not None:
            journal.close()


def session_of(source: Any, given: SparkSession | None) -> SparkSession | None:
    """The session that was given, or that a Spark table comes from."""
    return given if given is not None else getattr(source, "sparkSession", None)


def _collected(relation: Relation, settings: Options, search: Search) -> tuple[Laws, Laws]:
    """Run a search to its end: the laws that are asked for, and those that were found but are hidden."""
    started = time.perf_counter()
    found = joined(search.laws(), search.codec.words)
    laws, hidden = rated_laws(relation, settings, search, found)
    seconds = {"discover": time.perf_counter() - started, **search.progress.seconds}
    return laws.with_facts(seconds=seconds), hidden


def _grows(out: Path | None) -> bool:
    return out is not None and out.suffix.lower() == ".jsonl"
