"""What Spark starts in place of its own daemon, from which it forks its Python workers.

Named in the setting `spark.python.daemon.module`. It imports what our tasks need once, before the
workers are forked, and takes all of that out of the garbage collector's sight, which otherwise walks
through it after every task.
"""

import gc
from contextlib import suppress
from importlib import import_module

from pyspark.daemon import manager

# Modules of ours with compiled kernels belong here, so that a worker finds them loaded.
PRELOADED = (
    "numpy",
    "pandas",  # which pyarrow loads in a worker where there is one
    "pyarrow",
    "numba",
    "pyspark.worker",
    "lawful.engine.on_spark",
    "lawful.discovery",
)


def main() -> None:
    """Imports PRELOADED and serves workers until Spark closes the connection."""
    for name in PRELOADED:
        # A daemon that dies here says nothing to the user; the task that misses the module does.
        with suppress(ImportError):
            import_module(name)
    gc.collect()
    gc.freeze()
    manager()


if __name__ == "__main__":
    main()
