"""What all tests share: marks by what a test needs, and one Spark session, since Java is slow to start.

Two processes share the tests that either can run: with `--share FOLDER` each runs the files of tests that the
other has not begun, so that both end together.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from pyspark.sql import SparkSession

from compiling import compile_kernels
from lawful.spark import session as spark_session
from quick_java import quick_java

HERE = Path(__file__).parent

# Seconds say nothing of a test on a busy machine. Tests with another number of examples: examples.py.
settings.register_profile("usual", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("usual")
settings.register_profile("quick", max_examples=20)  # for `make quick`


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--share", metavar="FOLDER", type=Path, help="where processes note what they have begun")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Before the first test: processes of tests would compile the same kernels at the same time."""
    if not session.config.option.collectonly:
        compile_kernels()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what can be told of a test from outside; one that starts Java by itself is marked by hand."""
    for item in items:
        for name in _marks_of(item):
            item.add_marker(name)


def pytest_runtestloop(session: pytest.Session) -> bool | None:
    """Run what no other process does, where they share; True says that no more is to be done."""
    options = session.config.option
    if options.share is None or options.collectonly or session.testsfailed:
        return None
    mine = (item for item in session.items if _is_first(item.path, options.share))
    for item, following in pairwise(chain(mine, [None])):
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
    return True


@cache
def _is_first(path: Path, folder: Path) -> bool:
    """Whether no other process has begun a file of tests; from now on this one has."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        (folder / "-".join(path.relative_to(HERE).parts)).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _marks_of(item: pytest.Item) -> Iterator[str]:
    if not {"spark", "java_options"}.isdisjoint(getattr(item, "fixturenames", ())):  # with theirs
        yield "spark"
    if item.path.is_relative_to(HERE / "cluster"):
        yield from ("cluster", "spark")
    if item.path.stem.endswith("_published"):
        yield "published"


@pytest.fixture(scope="session")
def java_options() -> str:
    return quick_java()


@pytest.fixture(scope="session")
def spark(java_options: str) -> Iterator[SparkSession]:
    with spark_session("local[2]", {"spark.driver.extraJavaOptions": java_options}) as shared:
        yield shared
