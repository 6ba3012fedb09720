"""The command line and a notebook's session on a real cluster: the laws that this machine alone finds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from standalone import SPARK, Standalone, environment, executors_of, free_port, until

import lawful
from lawful import Laws, datasets

QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # Java starts sooner
CONF = {
    "spark.executor.memory": "512m",
    "spark.executor.cores": "1",
    "spark.driver.extraJavaOptions": QUICK,
    "spark.executor.extraJavaOptions": QUICK,
    "spark.python.daemon.module": "lawful.spark.daemon",
}


def command(cluster: Standalone, table: Path, out: Path, *more: str) -> list[str]:
    settings = [word for key, value in CONF.items() for word in ("--conf", f"{key}={value}")]
    search = ["discover", str(table), "--master", cluster.master, "--engine", "spark", "--out", str(out)]
    return [sys.executable, "-m", "lawful", *search, *settings, *more]


def assert_same(found: Laws, table: pa.Table) -> None:
    """Nothing lost, nothing twice, with the same scores."""
    here = lawful.discover(table)
    assert list(found.items()) == list(here.items())
    assert found.complete
    assert len(here) > 0


@pytest.fixture
def small(tmp_path: Path) -> Path:
    csv.write_csv(datasets.employees(300), tmp_path / "small.csv")
    return tmp_path / "small.csv"


def test_executors_that_do_not_see_the_driver_s_folder(
    cluster: Standalone, small: Path, tmp_path: Path
) -> None:
    """The driver's temporary folder has a path that leads each process elsewhere: Spark ships the ranks."""
    out = tmp_path / "laws.jsonl"
    env = {**environment(tmp_path), "TMPDIR": "/proc/self/cwd"}
    done = subprocess.run(
        command(cluster, small, out), cwd=tmp_path, env=env, capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert_same(Laws.load(out), datasets.employees(300))


def test_workers_come_and_go_in_mid_search(cluster: Standalone, tmp_path: Path) -> None:
    """A third worker comes; an executor, then a worker with its executor, end by kill -9."""
    random = np.random.default_rng(0).integers(0, 12, (14, 60_000))
    table = pa.table({f"c{number}": column for number, column in enumerate(random)})
    out = tmp_path / "laws.jsonl"
    csv.write_csv(table, tmp_path / "table.csv")
    running = subprocess.Popen(
        command(cluster, tmp_path / "table.csv", out), env=environment(tmp_path), stdout=subprocess.DEVNULL
    )
    with running:
        until(lambda: out.exists() and b'"kind"' in out.read_bytes(), "the first law")
        leaving = cluster.executors()[0].parent()
        assert leaving is not None
        cluster.add_worker()
        until(lambda: len(cluster.executors()) == 3, "an executor of the new worker")
        [executor] = executors_of(leaving)
        executor.kill()
        until(lambda: executors_of(leaving) not in ([], [executor]), "an executor in its place")
        for process in [leaving, *executors_of(leaving)]:
            process.kill()
        until(lambda: cluster.alive_workers() == 2, "the master to miss the worker")
        assert running.poll() is None, "the search was over too soon"
        assert running.wait(timeout=300) == 0
    assert_same(Laws.load(out), table)


CONNECTED = """
import sys
from pyarrow import csv
import lawful
from lawful.spark import session
with session(sys.argv[1]) as spark:
    table = spark.createDataFrame(csv.read_csv(sys.argv[2]))
    lawful.discover(table, engine="spark", out=sys.argv[3])
"""


@pytest.mark.parametrize("shared", [True, False], ids=["folder seen", "shipped"])
def test_spark_connect(connect: str, small: Path, tmp_path: Path, shared: bool) -> None:
    out = tmp_path / "laws.jsonl"
    env = {**os.environ, "TMPDIR": str(tmp_path) if shared else "/proc/self/cwd"}
    done = subprocess.run(
        [sys.executable, "-c", CONNECTED, connect, str(small), str(out)],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert_same(Laws.load(out), datasets.employees(300))


@pytest.fixture(scope="module")
def connect(cluster: Standalone, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(cluster, tmp_path_factory.mktemp("connect")) as address:
        yield address


@contextmanager
def connect_server(cluster: Standalone, folder: Path) -> Iterator[str]:
    """The address of a Spark Connect server whose executors are those of the cluster."""
    port, log = free_port(), folder / "log"
    settings = {**CONF, "spark.connect.grpc.binding.port": str(port), "spark.ui.enabled": "false"}
    words = [
        str(SPARK / "bin" / "spark-submit"),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *("--master", cluster.master),
        *(word for key, value in settings.items() for word in ("--conf", f"{key}={value}")),
        "spark-internal",
    ]
    with (
        log.open("wb") as out,
        subprocess.Popen(words, cwd=folder, env=environment(folder), stdout=out, stderr=out) as server,
    ):
        try:
            until(lambda: b"Spark Connect server started" in log.read_bytes(), "the server")
            yield f"sc://127.0.0.1:{port}"
        finally:
            server.terminate()
