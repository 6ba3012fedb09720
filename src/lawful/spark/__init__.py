"""The one place where Spark sessions come from, and what Spark's workers need of us."""

from lawful.spark.archive import package_archive
from lawful.spark.session import is_stopped, session, stop

__all__ = ["is_stopped", "package_archive", "session", "stop"]
