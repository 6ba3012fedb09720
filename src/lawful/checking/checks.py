"""Laws checked on a table of any source, by any engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from lawful.checking.checked_laws import CheckedLaws, verdicts_of
from lawful.engine import opened
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import as_they_lie

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MEASURES = ("rows", "pairs")  # of which a share may be against a law
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
    if not 0 <= max_error <= 1:
        raise LawfulError(f"max_error is a share between 0 and 1, not {max_error:g}")
    if error_measure not in MEASURES:
        raise LawfulError(f"there is no error measure {error_measure!r}: choose {' or '.join(MEASURES)}")
    session = session if session is not None else getattr(source, "sparkSession", None)
    relation, some = source if isinstance(source, Relation) else read(source, reading, session), [*laws]
    rows = as_they_lie(relation)
    seconds = CHECK_STEP * len(some) * rows.count
    with opened(engine, relation, rows, seconds, session, workers) as run_by:
        return verdicts_of(some, relation, run_by, max_error, error_measure == "pairs")
