"""The one place that chooses where a search runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lawful.costs import WORTH_A_CLUSTER
from lawful.engine.on_spark import OnSpark
from lawful.engine.parted import Parted
from lawful.engine.protocol import Engine
from lawful.engine.threads import Threads
from lawful.errors import LawfulError
from lawful.table import Relation
from lawful.table.placing import running_session
from lawful.table.ranked import RankedRows
from lawful.table.workspace import KEPT_ALONE, Workspace

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ENGINES = ("auto", "local", "spark")
PARTS = 8  # that fit an executor: parts are not equal, and what is done to them needs room too


def chosen(name: str, cpu_seconds: float, session: SparkSession | None) -> str:
    """The engine for a search that is expected to take so many CPU seconds: "local" or "spark".

    "auto" takes Spark where both hold: there is a session whose workers are not just this machine's cores
    (a cluster or a Spark Connect server; on a local master threads do the same work without the cost of
    Spark's tasks), and the search is long enough to pay for moving the table there. Results are the same.
    """
    if name not in ENGINES:
        raise LawfulError(f"unknown engine {name!r}: choose {', '.join(ENGINES[:-1])} or {ENGINES[-1]}")
    if name != "auto":
        return name
    if session is None or cpu_seconds < WORTH_A_CLUSTER:
        return "local"
    from lawful.spark import has_workers

    return "spark" if has_workers(session) else "local"


@contextmanager
def opened(
    name: str,
    relation: Relation,
    rows: RankedRows,
    cpu_seconds: float,
    session: SparkSession | None = None,
    workers: int | None = None,
) -> Iterator[Engine]:
    """The engine of this name for a search in a relation; `workers` is for threads."""
    if chosen(name, cpu_seconds, session or running_session()) == "local":
        yield Threads(Workspace(rows, kept=KEPT_ALONE), workers)
        return
    from lawful.spark import session as open_session

    with open_session(existing=session) as spark:
        engine = _on_cluster(relation, Workspace(rows), spark)
        try:
            yield engine
        finally:
            engine.close()


def _on_cluster(relation: Relation, work: Workspace, spark: SparkSession) -> OnSpark | Parted:
    """Whole tables for all workers or, where the ranks do not fit an executor, parts of them."""
    from lawful.spark import executor_memory, prepare_workers

    prepare_workers(spark)
    row = work.rows.columns * work.rows.ranks.itemsize
    fitting = executor_memory(spark) // row
    return (
        OnSpark(relation, work, spark)
        if work.rows.count <= fitting
        else Parted(relation, work, spark, fitting // PARTS)
    )
