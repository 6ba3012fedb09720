"""Options with which Java starts sooner. Tests of Spark start it often, and each time for a short while.

The first compiler is enough for them; such options only lose on long reads (docs/spark.md). And half of the
start is spent on reading and checking Spark's classes, which an archive of them saves: made once, and kept
in build/ until `make clean`. Java ignores an archive that is not its own.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pyspark

from lawful.spark.java import find_java

PLAIN = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
BUILD = Path(__file__).parent.parent / "build"
# Some work, for the classes that it needs. Java writes the archive when it ends.
WORK = """
import sys
from pyspark import SparkContext
from lawful.spark import session, stop
with session("local[1]", {"spark.driver.extraJavaOptions": sys.argv[1]}) as spark:
    java = SparkContext._gateway.proc
    spark.range(9).repartition(2).mapInArrow(lambda batches: batches, "id long").collect()
stop()
java.wait()
"""


def quick_java() -> str:
    """Options for any process of Spark."""
    archive = BUILD / f"spark-{_digest()}.jsa"
    if not archive.exists():
        _make(archive)
    return f"{PLAIN} -XX:SharedArchiveFile={archive}" if archive.exists() else PLAIN


def _digest() -> str:
    """Of which Java, and which installation of Spark."""
    jars = Path(pyspark.__file__).parent / "jars"
    told = f"{find_java()} {jars} {jars.stat().st_mtime_ns}"
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _make(archive: Path) -> None:
    BUILD.mkdir(exist_ok=True)
    draft = archive.with_suffix(f".{os.getpid()}.part")
    options = f"{PLAIN} -XX:ArchiveClassesAtExit={draft}"
    subprocess.run([sys.executable, "-c", WORK, options], check=True, timeout=300, stdout=subprocess.DEVNULL)
    if draft.exists():  # a Java without an archive of its own classes makes none
        draft.replace(archive)


if __name__ == "__main__":
    quick_java()
