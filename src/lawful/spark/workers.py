"""What the Python workers of a session lack: our own package is brought there, the rest is named."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path
from weakref import WeakSet
from zipfile import ZIP_DEFLATED, ZipFile

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

from lawful.errors import LawfulError
from lawful.spark.failures import IN_TIME
from lawful.spark.masters import runs_here
from lawful.spark.session import is_cluster, is_connected, is_ours


def package_archive(folder: Path | str) -> Path:
    """Writes the installed package to `folder`/lawful.zip, for workers to import, and returns its path.

    Give it to a running session with `session.addArtifact(str(path), pyfile=True)` or to a new one
    as the setting `spark.submit.pyFiles`. What lawful needs (numba, numpy, pyarrow) is not in it.
    """
    root = Path(__file__).parents[1]
    archive = Path(folder, "lawful.zip")
    draft = archive.with_suffix(".part")
    with ZipFile(draft, "w", ZIP_DEFLATED) as out:
        for path in sorted(root.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                out.write(path, Path("lawful", path.relative_to(root)))
    return draft.replace(archive)


NEEDED = ("lawful", "numba", "numpy", "psutil", "pyarrow")

_prepared: WeakSet[SparkSession] = WeakSet()


def prepare_workers(spark: SparkSession) -> None:
    """Make sure that the workers of a session can run our tasks; looked at once for each session.

    Raises:
        LawfulError: they lack a package that we cannot bring.
    """
    if spark in _prepared or (is_ours(spark) and not is_cluster(spark)):
        return
    if spark.conf.get("spark.python.daemon.module", None) == "lawful.spark.daemon":
        return  # which does not start where lawful is missing
    python, missing = _look_there(spark)
    others = [name for name in missing if name != "lawful"]
    if others:
        raise LawfulError(
            f"Spark's workers run {python}, which lacks {', '.join(others)}: install them there, or let "
            f"PYSPARK_PYTHON name one that has them{IN_TIME}"
        )
    if missing:
        spark.addArtifact(_archive(), pyfile=True)
    _prepared.add(spark)


def has_workers(spark: SparkSession) -> bool:
    """Whether there is a cluster whose workers can run our tasks, or must be made to.

    A Connect server without a cluster, as notebooks start one, runs any Python: it does without it.
    """
    if not is_cluster(spark):
        return False
    try:
        prepare_workers(spark)
    except LawfulError:
        if is_connected(spark) and runs_here(spark.conf.get("spark.master", None) or ""):
            return False
        raise
    return True


@cache
def _archive() -> str:
    """Our package as a file that stays: executors may come and ask for it as long as the session lives."""
    folder = tempfile.mkdtemp(prefix="lawful-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return str(package_archive(folder))


def _look_there(spark: SparkSession) -> tuple[str, list[str]]:
    """The Python that a worker runs, and the packages of ours that it lacks."""
    needed = NEEDED  # what travels with the function: the workers may not have this module

    def look(_: int) -> list[str]:
        import sys
        from importlib.util import find_spec

        return [sys.executable, *(name for name in needed if find_spec(name) is None)]

    probe = f.udf(look, "array<string>", useArrow=False)
    row = spark.range(1).select(probe("id")).first()
    assert row is not None
    python, *missing = row[0]
    return python, missing
