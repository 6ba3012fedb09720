"""The one place where Spark sessions come from, and what Spark's workers need of us."""

from lawful.spark.jobs import cancel_jobs, parallelism, tag_jobs
from lawful.spark.session import executor_memory, is_cluster, is_stopped, running, session, stop
from lawful.spark.workers import has_workers, package_archive, prepare_workers

__all__ = [
    "cancel_jobs",
    "executor_memory",
    "has_workers",
    "is_cluster",
    "is_stopped",
    "package_archive",
    "parallelism",
    "prepare_workers",
    "running",
    "session",
    "stop",
    "tag_jobs",
]
