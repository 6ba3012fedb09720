"""The calls that judge given laws and tables: checks, errors, suspects, flags."""

from __future__ import annotations

import time
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Unpack

import pyarrow as pa

from lawful.api.finding import discover, session_of
from lawful.api.keeping import laws_of
from lawful.api.keywords import Keywords, settings_of
from lawful.checking.checked_laws import CheckedLaws
from lawful.checking.checks import approximate_laws, checked, suspected
from lawful.checking.violation_tables import violation_tables
from lawful.discovery import DEFAULT_KINDS, options_of
from lawful.laws import Law
from lawful.report.collection import Laws
from lawful.report.explanations import Explanation, explained_on
from lawful.report.flagged_tables import REASONS, flagged, good_and_quarantine
from lawful.table import SourceOptions, read
from lawful.table.source_options import SourceKeywords, options_with

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_AS_FOUND = SourceOptions()


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
        source: whatever `lawful.read` takes.
        laws: a text such as "{zip} -> city", a law, a file or collection of laws, a state or its folder, or
            several of these.
        options: how to read the source; also as keywords, as in null="N/A".
        session: the Spark session to use, where one is needed.
        engine: where laws are checked, as for `discover`.
        workers: how many threads that takes; by default one for each core.
        max_error: laws that fail by at most such a share are tolerated.
        error_measure: of what: "rows" to remove, or "pairs" of rows.
        **reading: what `SourceOptions` says of the source.
    """
    how = options_with(options, **reading)
    return checked(source, laws_of(laws), how, session, engine, workers, max_error, error_measure)


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
        source: whatever `lawful.read` takes.
        law: a law, or a text such as "{zip} -> city".
        laws: of the table, that the law may follow from; by default those that `discover` finds.
        options: how to read the source; also as keywords, as in null="N/A".
        session: the Spark session to use, where one is needed.
        top: how many groups or pairs of rows to show that contradict the law.
        **reading: what `SourceOptions` says of the source.
    """
    how, spark = options_with(options, **reading), session_of(source, session)
    relation = read(source, how, session)
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
        source: whatever `lawful.read` takes.
        error: a law may fail by such a share; "auto": the keys, FDs and ODs of up to three columns (or
            max_size) that have bits, each column some of its own, whatever their error.
        kinds: "key", "fd", "od", "pod", "dc", or several of them.
        error_measure: of what: "rows" to remove so that it holds, or "pairs" of rows that break it.
        options: how to read the source; also as keywords.
        session: the Spark session to use, where one is needed.
        workers: how many threads are used; by default one for each core.
        **settings: as for `discover`: min_bits (by default 10), all, max_size, time_limit, columns,
            exclude, about.

    Returns:
        The laws with their exact errors, those that save the most bits first.
    """
    search, reading = settings_of(kinds, options, settings)
    started = time.time()
    relation = read(source, reading, session)
    return approximate_laws(relation, search, error, error_measure, workers, started)


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
        source: whatever `lawful.read` takes.
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
    relation = read(source, how, session)
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

    Laws are as for `check`. Spark judges them at once, one after the other, on the combinations of values in
    their columns; the rows that break one are told when the result is asked for.
    """
    return flagged(frame, laws_of(laws), reasons)


def split(frame: DataFrame, laws: Any, reasons: str = REASONS) -> tuple[DataFrame, DataFrame]:
    """The rows of a Spark table that break no law, and the others with a column of reasons, as of `flag`."""
    return good_and_quarantine(frame, laws_of(laws), reasons)
