"""Laws checked on a table of any source, by any engine."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lawful.checking.approximate_laws import ApproximateSearch, Tolerance
from lawful.checking.checked_laws import CheckedLaws, verdicts_of
from lawful.checking.suspect_cells import saving_fds, suspects_of
from lawful.discovery import DEFAULT_KINDS, Options, space_of
from lawful.engine import Threads, opened
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import as_they_lie
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

MEASURES = ("rows", "pairs")  # of which a share may be against a law
AUTO, AUTO_SIZE = "auto", 3  # instead of an error, and the columns of the FDs that are tried then
CHECK_STEP = 1e-6  # CPU seconds that a law takes for a row
_AS_FOUND = SourceOptions()


def checked(
    source: Any,
    laws: Iterable[Law],
    reading: SourceOptions = _AS_FOUND,
    session: SparkSession | None = None,
    engine: str = "auto",
    workers: int | None = None,
    max_error: float = 0.0,
    error_measure: str = "rows",
) -> CheckedLaws:
    """What the table of a source says of laws."""
    _require_share(max_error, error_measure)
    session = session if session is not None else getattr(source, "sparkSession", None)
    relation, some = source if isinstance(source, Relation) else read(source, reading, session), [*laws]
    rows = as_they_lie(relation)
    seconds = CHECK_STEP * len(some) * rows.count
    with opened(engine, relation, rows, seconds, session, workers) as run_by:
        return verdicts_of(some, relation, run_by, max_error, error_measure == "pairs")


def approximate_laws(
    relation: Relation, options: Options, error: float | str, error_measure: str, workers: int | None
) -> CheckedLaws:
    """The minimal keys, FDs and ODs that hold but for a share, with at least so many bits, the most first.

    "auto": the FDs that save so many bits, whatever their error.
    """
    engine = Threads(Workspace(as_they_lie(relation)), workers)
    most = 1.0 if error == AUTO else _share(error)
    _require_share(most, error_measure)
    search = _search(relation, options, engine.work, Tolerance(most, error_measure == "pairs"))
    if error == AUTO:
        if "fd" not in options.kinds:
            raise LawfulError(
                f"an error that is {AUTO} finds FDs only: ask for fd among the kinds, or for a share"
            )
        max_left = (options.max_size or AUTO_SIZE) - 1
        saving = saving_fds(engine.work, search.usable, max_left, options.min_bits)
        laws: list[Law] = [one.law(relation.names) for one in saving]
    else:
        laws = [*search.laws()]
    found = verdicts_of(laws, relation, engine, most, error_measure == "pairs")
    return found.best_first(options.min_bits, search.reason)


def _search(relation: Relation, options: Options, work: Workspace, tolerance: Tolerance) -> ApproximateSearch:
    if others := {*options.kinds} - {*DEFAULT_KINDS}:
        wanted = ", ".join(DEFAULT_KINDS)
        raise LawfulError(f"{min(others)} laws are not looked for with an error: choose among {wanted}")
    space = space_of(relation, replace(options, every_column=True))
    return ApproximateSearch(
        work,
        relation.columns,
        space.columns.tolist(),
        [column for column in space.sides if relation.columns[column].ordered],
        frozenset(options.kinds),
        tolerance,
        options.max_size,
        None if options.time_limit is None else time.time() + options.time_limit,
    )


def _share(error: float | str) -> float:
    try:
        return float(error)
    except ValueError:
        raise LawfulError(f"{error!r} is no error: write a share such as 0.01, or {AUTO}") from None


def suspected(relation: Relation, options: Options) -> pa.Table:
    """The cells that are likely wrong by FDs of so many bits and columns."""
    work = Workspace(as_they_lie(relation))
    usable = space_of(relation, replace(options, every_column=True)).columns.tolist()
    most = (options.max_size or len(usable)) - 1
    return suspects_of(relation, work, saving_fds(work, usable, most, options.min_bits, minimal=True))


def _require_share(share: float, measure: str) -> None:
    if not 0 <= share <= 1:
        raise LawfulError(f"an error is a share between 0 and 1, not {share:g}")
    if measure not in MEASURES:
        raise LawfulError(f"there is no error measure {measure!r}: choose {' or '.join(MEASURES)}")
