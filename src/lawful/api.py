"""The calls that a user makes."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from difflib import get_close_matches
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
import pyarrow as pa

from lawful.checking.checked_laws import CheckedLaws
from lawful.checking.checks import approximate_laws, checked, suspected
from lawful.checking.violation_tables import violation_tables
from lawful.costs import search_seconds
from lawful.discovery import (
    DEFAULT_KINDS,
    MANY_COLUMNS,
    MAX_SIZE,
    Journal,
    Options,
    Progress,
    Search,
    SearchOptions,
    duplicates_of,
    options_of,
    space_of,
)
from lawful.engine import opened
from lawful.errors import LawfulError
from lawful.laws import KINDS, Law
from lawful.laws.codec import LawArrays, joined
from lawful.laws.exchange import standing_for
from lawful.laws.text import visible
from lawful.report.collection import Facts, Laws
from lawful.report.explanations import Explanation, explained_on
from lawful.report.flagged_tables import REASONS, flagged, good_and_quarantine
from lawful.report.law_files import check_writable, finish_growing
from lawful.report.law_sources import laws_from
from lawful.report.ratings import Ratings
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import ranked
from lawful.table.source_options import SourceKeywords, options_with

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_AS_FOUND = SourceOptions()


class Keywords(SearchOptions, SourceKeywords):
    """How to read and how to search, as keyword arguments."""


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
        source: whatever `lawful.read` takes (a path, a Spark, pandas or Arrow table, ...), or a `Relation`.
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
            column need none), all (True: every minimal law, as with min_bits=0, and laws of every column, not
            only of one of each group of equivalent columns), max_size (attributes in a law), time_limit
            (seconds, or as in "5m"), memory_limit (bytes, or as in "4GB"; by default most of what is free),
            columns and exclude (which columns laws may speak of), about (a column that they must speak of),
            min_score, sample_rows, pairs_kept, seed; for denial constraints cross_columns ("auto", "off",
            "all": which columns are compared with each other), for these and for PODs order_strings (whether
            texts have an order). Also what `SourceOptions` says of the source, as in null="N/A",
            types={"zip": "string"}.

    Returns:
        The laws; `complete` says whether these are all that were asked for, `facts.reason` why not.
    """
    from lawful.report.progress_bar import shown_to  # with Rich, which workers of a cluster need not have

    search, reading = settings_of(kinds, options, settings)
    path = None if out is None else Path(out)
    if top is not None and top < 1:
        raise LawfulError(f"top must be at least 1, not {top}")
    if path is not None:
        check_writable(path, source, force)  # before a long search
    if resume and not _grows(path):
        raise LawfulError("only a search that writes a .jsonl file can be resumed: use --out laws.jsonl")
    started = time.perf_counter()
    relation = source if isinstance(source, Relation) else read(source, reading, session)
    seconds, spark = {"read": time.perf_counter() - started}, _session_of(source, session)
    growing = path if _grows(path) else None
    with (
        shown_to(on_progress) as told,
        _search(relation, search, engine, spark, workers, told, growing, resume) as begun,
    ):
        on_read(relation)
        laws, hidden = _collected(relation, search, begun, seconds)
    if path is not None:
        if begun.journal is not None:
            finish_growing(laws, hidden, path, begun.journal.lines())
        else:
            laws.save(path)
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
    relation = source if isinstance(source, Relation) else read(source, reading, session)
    with _search(relation, search, engine, _session_of(source, session), workers) as found:
        about = None if search.about is None else standing_for(search.about, _equivalents(found))
        for batch in found.laws():
            for law in found.codec.decode(batch):
                if about is None or not about.isdisjoint(law.columns):
                    yield law


def check(
    source: Any,
    laws: Any,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    workers: int | None = None,
    max_error: float = 0.0,
    error_measure: str = "rows",
    **reading: Unpack[SourceKeywords],
) -> CheckedLaws:
    """Check whether laws hold on a table, how far they are from it, and which rows break them.

    Args:
        source: whatever `lawful.read` takes, or a `Relation`.
        laws: a text such as "{zip} -> city", a law, a file or collection of laws, or several of these.
        options: how to read the source; also as keywords, as in null="N/A".
        session: the Spark session to use, where one is needed.
        engine: where laws are checked, as for `discover`.
        workers: how many threads that takes; by default one for each core.
        max_error: laws that fail by at most such a share are tolerated.
        error_measure: of what: "rows" to remove, or "pairs" of rows.
        **reading: what `SourceOptions` says of the source.
    """
    how = options_with(options, **reading)
    return checked(source, laws_from(laws), how, session, engine, workers, max_error, error_measure)


def explain(
    source: Any,
    law: Law | str,
    *,
    laws: Laws | None = None,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    top: int = 5,
    **reading: Unpack[SourceKeywords],
) -> Explanation:
    """What a law means, whether it holds on a table, why, and which law near it does.

    Args:
        source: whatever `lawful.read` takes, or a `Relation`.
        law: a law, or a text such as "{zip} -> city".
        laws: of the table, that the law may follow from; by default those that `discover` finds.
        options: how to read the source; also as keywords, as in null="N/A".
        session: the Spark session to use, where one is needed.
        top: how many groups or pairs of rows to show that contradict the law.
        **reading: what `SourceOptions` says of the source.
    """
    how, spark = options_with(options, **reading), _session_of(source, session)
    relation = source if isinstance(source, Relation) else read(source, how, session)
    known = (lambda: discover(relation, session=spark)) if laws is None else lambda: laws
    return explained_on(relation, known, law, top)


def approximate(
    source: Any,
    error: float | str = "auto",
    kinds: Collection[str] | str = DEFAULT_KINDS,
    *,
    error_measure: str = "rows",
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    workers: int | None = None,
    **settings: Unpack[Keywords],
) -> CheckedLaws:
    """Find the minimal laws that hold but for a share of the rows, or of pairs of rows.

    Args:
        source: whatever `lawful.read` takes, or a `Relation`.
        error: a law may fail by such a share; "auto": the keys, FDs and ODs of up to three columns (or
            max_size) that have bits, each column some of its own, whatever their error.
        kinds: "key", "fd", "od", "pod", "dc", or several of them.
        error_measure: of what: "rows" to remove so that it holds, or "pairs" of rows that break it.
        options: how to read the source; also as keywords.
        session: the Spark session to use, where one is needed.
        workers: how many threads are used; by default one for each core.
        **settings: as for `discover`: min_bits (by default 10), all, max_size, time_limit, columns,
            exclude.

    Returns:
        The laws with their exact errors, those that save the most bits first.
    """
    search, reading = settings_of(kinds, options, settings)
    relation = source if isinstance(source, Relation) else read(source, reading, session)
    return approximate_laws(relation, search, error, error_measure, workers)


def suspects(
    source: Any,
    *,
    max_size: int = 2,
    min_bits: float = 10.0,
    columns: Collection[str] | None = None,
    exclude: Collection[str] = (),
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    **reading: Unpack[SourceKeywords],
) -> pa.Table:
    """Cells that are likely wrong, by the FDs that most rows of the table itself obey.

    Args:
        source: whatever `lawful.read` takes, or a `Relation`.
        max_size: columns in these FDs.
        min_bits: that they save at least.
        columns: that they may speak of, all by default.
        exclude: that they may not.
        options: how to read the source; also as keywords.
        session: the Spark session to use, where one is needed.
        **reading: what `SourceOptions` says of the source.

    Returns:
        An Arrow table with the columns row (from 1), column, value, expected, bits (against the value) and
        laws, the most bits first.
    """
    how = options_with(options, **reading)
    relation = source if isinstance(source, Relation) else read(source, how, session)
    wanted = options_of("fd", max_size=max_size, min_bits=min_bits, columns=columns, exclude=exclude)
    return suspected(relation, wanted)


def violations(
    source: Any,
    laws: Any,
    *,
    options: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    **reading: Unpack[SourceKeywords],
) -> Any:
    """All rows of a table that break laws: as a Spark table for one of Spark, else as an Arrow table.

    They have all columns of the source and, before them, `_law`, `_group` or `_pair` (the number of the group
    or pair that a row is in), `_side` (t or s), `_source`, `_row` (from 1) and `_likely_wrong`. Arguments as
    for `check`.
    """
    verdicts = check(source, laws, options=options, session=session, **reading)
    found = pa.concat_tables(violation_tables(verdicts, verdicts.relation.names))
    spark = getattr(source, "sparkSession", None)
    return found if spark is None else spark.createDataFrame(found)


def flag(frame: DataFrame, laws: Any, reasons: str = REASONS) -> DataFrame:
    """A Spark table with a column of reasons: which laws each row breaks, and with which group of rows.

    Laws are as for `check`. Spark does the work: nothing is computed before the result is asked for, but for
    laws with more than two order comparisons, or with comparisons between columns of two rows.
    """
    return flagged(frame, laws_from(laws), reasons)


def split(frame: DataFrame, laws: Any, reasons: str = REASONS) -> tuple[DataFrame, DataFrame]:
    """The rows of a Spark table that break no law, and the others with a column of reasons, as of `flag`."""
    return good_and_quarantine(frame, laws_from(laws), reasons)


def settings_of(
    kinds: Collection[str] | str, options: SourceOptions, settings: Mapping[str, Any]
) -> tuple[Options, SourceOptions]:
    """How to search and how to read; an unknown keyword is an error that names the one that was meant."""
    for_search, for_source = SearchOptions.__annotations__, SourceKeywords.__annotations__
    for name in settings:
        if name not in for_search and name not in for_source:
            close = get_close_matches(name, [*for_search, *for_source], 1)
            hint = (
                f"did you mean {close[0]}?" if close else "help(lawful.discover) names those that there are"
            )
            raise LawfulError(f"there is no option {name!r}: {hint}")
    search: Any = {name: value for name, value in settings.items() if name in for_search}
    source: Any = {name: value for name, value in settings.items() if name in for_source}
    return options_of(kinds, **search), options_with(options, **source)


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


def _collected(
    relation: Relation, settings: Options, search: Search, seconds: dict[str, float]
) -> tuple[Laws, Laws]:
    """Run a search to its end: the laws that are asked for, and those that were found but are hidden."""
    started = time.perf_counter()
    found = joined(search.laws(), search.codec.words)
    laws, hidden = rated_laws(relation, settings, search, found)
    seconds = {**seconds, "discover": time.perf_counter() - started, **search.progress.seconds}
    return laws.with_facts(seconds=seconds), hidden


def rated_laws(relation: Relation, settings: Options, search: Search, found: LawArrays) -> tuple[Laws, Laws]:
    """Laws that a search found, with all that is to be said of them: those asked for, and those hidden."""
    # Bits to a millionth: the order of laws must not depend on the order in which sums were made.
    ratings = Ratings(search.scores(found), np.round(search.bits(found), 6))
    progress, kinds = search.progress, tuple(kind for kind in KINDS if kind in settings.kinds)
    facts = Facts(
        complete=progress.reason is None,
        reason=progress.reason,
        kinds=kinds,
        found=progress.found,
        options={**asdict(settings), "kinds": list(settings.kinds)},
        stats={
            "rows": relation.n_rows,
            "columns": len(relation.names),
            "evidence": progress.evidence,
            "validated": progress.validated,
            "refuted": progress.refuted,
            "resumed": progress.resumed,
        },
        types={column.name: column.type for column in relation.columns},
        nulls={column.name: column.nulls for column in relation.columns if column.nulls},
        nulls_equal=relation.nulls_are_equal,
        version=version("lawful"),
        equivalents=_equivalents(search),
    )
    everything = Laws.best_first(search.codec, found, ratings, facts)
    laws, hidden = everything.split(settings.about, min_score=settings.min_score)
    laws = laws.with_facts(
        hidden={kind: count for kind, count in hidden.counts.items() if count},
        duplicates=_duplicates(search, everything),
        notes=tuple(_notes(relation, search, settings)),
    )
    return laws, hidden


def _equivalents(search: Search) -> tuple[dict[str, Any], ...]:
    """Which columns stand for which."""
    return tuple(one.told(search.space.names) for one in search.space.equivalents)


def _notes(relation: Relation, search: Search, settings: Options) -> Iterator[str]:
    """What a person should know of a search for denial constraints."""
    if "dc" not in settings.kinds:
        return
    columns = [relation.columns[number] for number in search.space.compared]
    if settings.cross_columns == "auto" and search.space.breadth > MANY_COLUMNS:
        yield (
            f"DCs compare no two of more than {MANY_COLUMNS} columns: --columns chooses some, "
            "--cross-columns all compares them all"
        )
    incomplete = [visible(column.name) for column in columns if column.nulls]
    if incomplete and settings.cross_columns != "off" and relation.nulls_are_equal:
        more = f" and {len(incomplete) - 3} more" if len(incomplete) > 3 else ""
        yield (
            f"NULLs in {', '.join(incomplete[:3])}{more} are less than every value: "
            'a DC such as "starts before it ends" is lost where an end is missing'
        )


def _duplicates(search: Search, laws: Laws) -> dict[str, Any] | None:
    """Which identical rows leave a table without a key, if that is why it has none."""
    if laws.counts.get("key") != 0 or search.progress.reason not in (None, MAX_SIZE):
        return None
    found = duplicates_of(search.rows, search.space)
    return None if found is None else asdict(found)


def _grows(out: Path | None) -> bool:
    return out is not None and out.suffix.lower() == ".jsonl"
