"""The calls that a user makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from lawful.discovery import KINDS, Options, Progress, Proven, Search, SearchOptions
from lawful.engine import Engine, OnSpark, Threads
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report.laws import Facts, Laws
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import RankedRows, ranked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_AS_FOUND = SourceOptions()


def discover(
    source: Any,
    kinds: Collection[str] = KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "local",
    top: int | None = None,
    workers: int | None = None,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    **search: Unpack[SearchOptions],
) -> Laws:
    """Find all minimal laws of a table.

    Args:
        source: whatever `lawful.read` takes (a path, a Spark, pandas or Arrow table, ...), or a `Relation`.
        kinds: which kinds of law to look for: "key", "fd", "od".
        options: how to read the source.
        session: the Spark session to use, where one is needed.
        engine: where the search runs: "local", in threads of this process, or "spark", as Spark tasks.
        top: keep only so many laws, those with the highest scores.
        workers: how many threads a local search uses; by default one for each core.
        on_progress: called now and then with what is done so far.
        **search: the limits and settings of the search: max_size (attributes in a law), time_limit
            (seconds), memory_limit (bytes), min_score, sample_rows, pairs_kept, seed.

    Returns:
        The laws; `complete` says whether these are all, `facts.reason` which limit ended the search.
    """
    settings = Options(kinds=tuple(kinds), **search)
    if top is not None and top < 1:
        raise LawfulError(f"top must be at least 1, not {top}")
    started = time.perf_counter()
    relation = source if isinstance(source, Relation) else read(source, options, session)
    seconds = {"read": time.perf_counter() - started}
    with _engine(engine, relation, session, workers) as (rows, run_by):
        laws = _collected(relation, settings, Search(rows, run_by, settings, on_progress), seconds)
    return laws if top is None else laws.top(top)


def stream(
    source: Any,
    kinds: Collection[str] = KINDS,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "local",
    workers: int | None = None,
    **search: Unpack[SearchOptions],
) -> Iterator[Law]:
    """The laws of a table, each as soon as it is proven; arguments as for `discover`."""
    settings = Options(kinds=tuple(kinds), **search)
    relation = source if isinstance(source, Relation) else read(source, options, session)
    with _engine(engine, relation, session, workers) as (rows, run_by):
        for batch in Search(rows, run_by, settings).laws():
            unscored = np.zeros(len(batch.sets))
            yield from Laws(relation.names, batch.targets, batch.sets, unscored, Facts())


@contextmanager
def _engine(
    name: str, relation: Relation, session: SparkSession | None, workers: int | None
) -> Iterator[tuple[RankedRows, Engine]]:
    rows = ranked(relation)
    if name == "local":
        yield rows, Threads(rows, workers)
    elif name == "spark":
        from lawful.spark import session as open_session

        with open_session(existing=session) as spark:
            yield rows, OnSpark(relation, spark)
    else:
        raise LawfulError(f"unknown engine {name!r}: choose local or spark")


def _collected(relation: Relation, settings: Options, search: Search, seconds: dict[str, float]) -> Laws:
    """Run a search to its end."""
    started = time.perf_counter()
    batches = [_nothing(len(relation.names)), *search.laws()]
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
        },
        version=version("lawful"),
    )
    return Laws(relation.names, found.targets, found.sets, scores, facts)


def _nothing(columns: int) -> Proven:
    words = max(-(-columns // 64), 1)
    return Proven(np.empty((0, 3), np.int64), np.empty((0, words), np.uint64))
