"""Laws checked on a table of any source, by any engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

from lawful.checking.approximate_bits import bits_of_fd
from lawful.checking.approximate_denials import ApproximateDenials
from lawful.checking.approximate_laws import ApproximateSearch, Tolerance
from lawful.checking.checked_laws import AT_A_TIME, FEW_AT_A_TIME, CheckedLaws, verdicts_of
from lawful.checking.denials import denial_of
from lawful.checking.law_errors import breaks
from lawful.checking.saving_laws import saving_laws, worthy
from lawful.checking.suspect_cells import filling_fds, saving_fds, suspects_of
from lawful.discovery import Options, space_of
from lawful.engine import Engine, Limits, Threads, opened
from lawful.engine.watch import BY_CTRL_C
from lawful.errors import LawfulError
from lawful.laws import FD, KINDS, OD, Key, Law
from lawful.table import Relation, SourceOptions, read
from lawful.table.ranked import as_they_lie
from lawful.table.workspace import Workspace

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

MEASURES = ("rows", "pairs")  # of which a share may be against a law
AUTO = "auto"  # instead of an error
MOST_EXCEPTIONS = 0.5  # then: what most rows disobey is no law, whatever its bits
PARTITIONS = 1 << 28  # bytes of them that are kept while laws are judged
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
    relation, some = read(source, reading, session), [*laws]
    rows = as_they_lie(relation)
    seconds = CHECK_STEP * len(some) * rows.count
    with opened(engine, relation, rows, seconds, session, workers) as run_by:
        verdicts = verdicts_of(some, relation, run_by, max_error, error_measure == "pairs")
    if len(verdicts) < len(some):
        raise LawfulError("there is no more memory: check fewer laws at once, or give workers more")
    return verdicts


def approximate_laws(
    relation: Relation,
    options: Options,
    error: float | str,
    error_measure: str,
    workers: int | None,
    started: float,
) -> CheckedLaws:
    """The minimal laws that hold but for a share, with at least so many bits, the most first.

    "auto": the keys, FDs and ODs that have so many bits, whatever their error. A limit of time counts from
    when it `started`.
    """
    most, of_pairs = MOST_EXCEPTIONS if error == AUTO else _share(error), error_measure == "pairs"
    _require_share(most, error_measure)
    if options.min_score:
        raise LawfulError("laws found with an error have no score: leave out the least one, or the error")
    rows = as_they_lie(relation)
    engine, judges = Threads(Workspace(rows), workers), Threads(Workspace(rows), workers)
    judges.work.kept.limit(PARTITIONS)
    if error == AUTO:
        laws, reason = _saving(relation, options, engine, options.limits(started))
    else:
        tolerance = Tolerance(most, of_pairs)
        almost, reason = _almost(relation, options, engine, tolerance, options.limits(started))
        rating = Threads(judges.work.for_another_search(), workers)  # with a limit of its own
        with rating.watched(options.overtime(started, reason)) as watch:
            laws = [*_worthwhile(almost, relation, options, rating)]
            reason = reason or watch.reason
    laws = [law for law in laws if options.about in (None, *law.columns)]
    laws, limits = sorted(laws, key=Law.sort_key), options.overtime(started, reason)
    at_a_time = AT_A_TIME if limits.ends is None else FEW_AT_A_TIME
    with judges.watched(limits) as watch:
        verdicts = verdicts_of(laws, relation, judges, most, of_pairs, options, at_a_time)
        reason = reason or watch.reason
    return verdicts.best_first(options.min_bits, reason)


def _worthwhile(laws: Iterable[Law], relation: Relation, options: Options, engine: Engine) -> Iterator[Law]:
    """The laws without those that fail and have too few bits: their errors need not be measured.

    The smallest come first; after a halt the others are missing.
    """
    for _, some in groupby(sorted(laws, key=_size_of), _size_of):
        yield from _worthwhile_of_a_size(some, relation, options, engine)


def _size_of(law: Law) -> int:
    return law.size


def _worthwhile_of_a_size(
    laws: Iterable[Law], relation: Relation, options: Options, engine: Engine
) -> Iterator[Law]:
    rated, others = list[Law](), list[Law]()
    for law in laws:
        (rated if isinstance(law, Key | OD) and law.size > 1 else others).append(law)
    yield from worthy(relation, rated, options, engine)
    bits, denials = options.min_bits, [(denial_of(law, relation.columns), law) for law in others]
    for denial, law in sorted(denials, key=lambda pair: pair[0].context):  # which share partitions
        if engine.work.halted:
            return
        if not (isinstance(law, FD) and law.lhs and breaks(denial, engine.work)) or bits <= bits_of_fd(
            denial.context, relation.names.index(law.rhs), engine.work, len(relation.names), bits
        ):
            yield law


def _saving(
    relation: Relation, options: Options, engine: Engine, limits: Limits
) -> tuple[list[Law], str | None]:
    """The laws that have bits enough, whatever their errors."""
    if not {"key", "fd", "od"} & {*options.kinds}:
        raise LawfulError(
            f"an error that is {AUTO} finds keys, FDs and ODs: ask for these kinds, or for a share of pairs"
        )
    return saving_laws(relation, options, engine, limits)


def _almost(
    relation: Relation, options: Options, engine: Engine, tolerance: Tolerance, limits: Limits
) -> tuple[list[Law], str | None]:
    """The laws that hold almost, and why some are missing, if so."""
    kinds = frozenset(options.kinds)
    space = space_of(relation, replace(options, every_column=True))
    sides = [column for column in space.sides if relation.columns[column].ordered]
    searches: list[ApproximateSearch | ApproximateDenials] = [
        ApproximateSearch(
            engine,
            relation.names,
            space.columns.tolist(),
            sides,
            kinds,
            tolerance,
            options.max_size,
            limits,
        )
    ]
    searches += [
        ApproximateDenials(engine, space, KINDS.index(kind), tolerance, options.max_size, limits)
        for kind in KINDS
        if kind in kinds & {"dc", "pod"}
    ]
    laws, reason = list[Law](), None
    for search in searches:
        laws += search.laws()
        reason = reason or search.reason
        if search.reason == BY_CTRL_C:
            return laws, BY_CTRL_C
    return laws, reason


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
    laws = saving_fds(work, usable, most, options.min_bits, minimal=True)
    laws += filling_fds(relation, work, usable, most + 1, options.min_bits)
    return suspects_of(relation, work, laws)


def _require_share(share: float, measure: str) -> None:
    if not 0 <= share <= 1:
        raise LawfulError(f"an error is a share between 0 and 1, not {share:g}")
    if measure not in MEASURES:
        raise LawfulError(f"there is no error measure {measure!r}: choose {' or '.join(MEASURES)}")
