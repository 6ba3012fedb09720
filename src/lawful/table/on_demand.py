"""Spark where it is needed, and not before: PySpark alone takes a second to load, Java several to start."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextmanager
def on_demand(given: SparkSession | None) -> Iterator[Callable[[], SparkSession]]:
    """A function that gives a session, which starts when it is first called."""
    with ExitStack() as stack:

        def start() -> SparkSession:
            from lawful.spark import session

            return stack.enter_context(session(existing=given))

        yield start


def running_session() -> SparkSession | None:
    """The session that runs in this process: none where nobody has loaded Spark."""
    if "pyspark" not in sys.modules:
        return None
    from lawful.spark import running

    return running()


def has_cluster(given: SparkSession | None) -> bool:
    """Whether there is a session, given or running, whose workers are not just this machine's cores."""
    session = given if given is not None else running_session()
    if session is None:
        return False
    from lawful.spark import is_cluster

    return is_cluster(session)
