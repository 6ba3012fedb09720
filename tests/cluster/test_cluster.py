"""The command line and a notebook's session on a real cluster: the laws that this machine alone finds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from standalone import SPARK, Standalone, environment, executors_of, free_port, until

import complete
from lawful import Laws, datasets
from lawful.costs import LONG_TABLE as LONG


def conf(cluster: Standalone) -> dict[str, str]:
    """Settings of every application on the cluster."""
    return {
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.driver.extraJavaOptions": cluster.java_options,
        "spark.executor.extraJavaOptions": cluster.java_options,
        "spark.python.daemon.module": "lawful.spark.daemon",
    }


def words(cluster: Standalone, table: Path, out: Path, *more: str) -> list[str]:
    """What stands behind `lawful` for a search on the cluster."""
    settings = [word for key, value in conf(cluster).items() for word in ("--conf", f"{key}={value}")]
    engine = ["--master", cluster.master, "--engine", "spark"]
    return ["discover", str(table), "--all", "--out", str(out), *engine, *settings, *more]


def assert_same(found: Laws, table: pa.Table) -> None:
    """Nothing lost, nothing twice, with the same scores as this machine alone finds."""
    here = complete.discover(table)
    assert list(found.items()) == list(here.items())
    assert found.complete
    assert len(here) > 0


def table_of_chance(columns: int, rows: int, values: int) -> pa.Table:
    random = np.random.default_rng(2).integers(0, values, (columns, rows))
    return pa.table({f"c{number}": column for number, column in enumerate(random)})


SMALL = datasets.employees(300)
LONG_TABLE, LONG_BUDGET = table_of_chance(7, LONG, 40), 10 * LONG  # room for about two of its partitions
PARTED_TABLE, PARTED_BUDGET = table_of_chance(5, 20_000, 300), 1 << 20
SEARCHES = """
import json, sys, tempfile
import lawful
from lawful.cli import main
from lawful.discovery import Options, Search, space_of
from lawful.engine import OnSpark
from lawful.engine.parted import Parted
from lawful.spark import session
from lawful.table.ranked import ranked
from lawful.table.workspace import Workspace

def kept(work):
    yield work.rows.count, work.kept.dropped, work.kept.held

def searched(spark, table, plan, budget):
    relation = lawful.read(table)
    work, options = Workspace(ranked(relation)), Options(min_bits=0, partition_memory=budget)
    parts = (work.rows.count // 4,) if plan == "parts" else ()
    engine = (Parted if parts else OnSpark)(relation, work, spark, *parts)
    space = space_of(relation, options)
    found = list(Search(engine, space, options).laws())
    laws = [str(law) for batch in found for law in space.codec.decode(batch)]
    told = list(engine.parted(0).run([kept] * 8))
    engine.close()
    return {"laws": sorted(laws), "kept": told}

words, searches, folder = map(json.loads, sys.argv[1:])
sys.argv = ["lawful", *words]
try:
    main()
except SystemExit as end:
    assert end.code == 0
tempfile.tempdir = folder
with session() as spark:  # that of the command
    assert spark.sparkContext.master in words
    print(json.dumps([searched(spark, *search) for search in searches]))
"""


@dataclass(frozen=True)
class Driver:
    """What a driver left: the laws that its command wrote, its errors, and the results of its other searches.

    One driver for several tests, because it takes a while until it has its executors.
    """

    out: Path
    stderr: str
    whole: dict[str, Any]
    parted: dict[str, Any]


@pytest.fixture(scope="module")
def driver(cluster: Standalone, tmp_path_factory: pytest.TempPathFactory) -> Driver:
    """A command whose temporary folder has a path that leads each process elsewhere; then other searches."""
    folder = tmp_path_factory.mktemp("driver")
    for name, table in (("small", SMALL), ("long", LONG_TABLE), ("parted", PARTED_TABLE)):
        csv.write_csv(table, folder / f"{name}.csv")
    out = folder / "laws.jsonl"
    searches = [["long.csv", "whole", LONG_BUDGET], ["parted.csv", "parts", PARTED_BUDGET]]
    command = words(cluster, folder / "small.csv", out)
    arguments = [json.dumps(one) for one in (command, searches, str(folder))]
    done = subprocess.run(
        [sys.executable, "-c", SEARCHES, *arguments],
        cwd=folder,
        env={**environment(folder), "TMPDIR": "/proc/self/cwd"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return Driver(out, done.stderr, *json.loads(done.stdout.splitlines()[-1]))


def laws_here(table: pa.Table) -> list[str]:
    laws = sorted(map(str, complete.discover(table)))
    assert laws
    return laws


def test_executors_that_do_not_see_the_driver_s_folder(driver: Driver) -> None:
    """Spark ships the ranks."""
    assert [line for line in driver.stderr.splitlines() if not line.startswith("note: ")] == []
    assert_same(Laws.load(driver.out), SMALL)


def test_small_executors_whose_partitions_do_not_fit_their_budget(driver: Driver) -> None:
    """512 MB each."""
    assert any(dropped > 0 for _, dropped, _ in driver.whole["kept"])
    assert all(held <= LONG_BUDGET for _, _, held in driver.whole["kept"])
    assert driver.whole["laws"] == laws_here(LONG_TABLE)


def test_a_table_that_no_executor_holds_whole(driver: Driver) -> None:
    assert max(rows for rows, _, _ in driver.parted["kept"]) < 10_000
    assert driver.parted["laws"] == laws_here(PARTED_TABLE)


def test_a_driver_that_dies_is_resumed_while_workers_come_and_go(cluster: Standalone, tmp_path: Path) -> None:
    """Targets that were settled are not searched again; a third worker comes; an executor, then a worker with
    its executor, end by kill -9."""
    table = table_of_chance(14, 60_000, 12)
    out = tmp_path / "laws.jsonl"
    csv.write_csv(table, tmp_path / "table.csv")
    search = [sys.executable, "-m", "lawful", *words(cluster, tmp_path / "table.csv", out)]
    with subprocess.Popen(search, env=environment(tmp_path), stdout=subprocess.DEVNULL) as running:
        until(lambda: out.exists() and out.read_bytes().count(b'"settled"') > 1, "settled targets")
        assert running.poll() is None, "the search was over too soon"
        running.kill()
    lines = out.read_bytes().splitlines(keepends=True)
    settled = [json.loads(line)["settled"] for line in lines if b'"settled"' in line and line.endswith(b"\n")]
    targets = sum(map(len, settled))  # the resumed journal has a line for each
    until(lambda: cluster.executors() == [], "the executors to miss the driver")
    resumed = subprocess.Popen(
        [*search, "--resume", "--json"],  # a table of so many laws takes long to print
        env=environment(tmp_path),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    with resumed:
        until(lambda: out.read_bytes().count(b'"settled"') > targets, "another settled target")
        workers_come_and_go(cluster)
        assert resumed.poll() is None, "the search was over too soon"
        _, errors = resumed.communicate(timeout=300)
    assert (resumed.returncode, errors) == (0, "")
    laws = Laws.load(out)
    assert_same(laws, table)
    assert laws.facts.stats["resumed"] == targets


def workers_come_and_go(cluster: Standalone) -> None:
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


CONNECTED = """
import sys, tempfile
from pyarrow import csv
import lawful
from lawful.spark import session
master, table, *searches = sys.argv[1:]
with session(master) as spark:
    table = spark.createDataFrame(csv.read_csv(table))
    for tempfile.tempdir, out in zip(searches[::2], searches[1::2]):
        lawful.discover(table, all=True, engine="spark", out=out)
"""


def test_spark_connect(connect: str, tmp_path: Path) -> None:
    """Executors take the ranks from the driver's folder where they see it; else Spark ships them."""
    csv.write_csv(SMALL, tmp_path / "small.csv")
    outs = {str(tmp_path): tmp_path / "seen.jsonl", "/proc/self/cwd": tmp_path / "shipped.jsonl"}
    searches = [str(word) for folder_and_out in outs.items() for word in folder_and_out]
    done = subprocess.run(
        [sys.executable, "-c", CONNECTED, connect, str(tmp_path / "small.csv"), *searches],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    for out in outs.values():
        assert_same(Laws.load(out), SMALL)


@pytest.fixture(scope="module")
def connect(cluster: Standalone, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with connect_server(cluster, tmp_path_factory.mktemp("connect")) as address:
        yield address


@contextmanager
def connect_server(cluster: Standalone, folder: Path) -> Iterator[str]:
    """The address of a Spark Connect server whose executors are those of the cluster."""
    port, log = free_port(), folder / "log"
    settings = {**conf(cluster), "spark.connect.grpc.binding.port": str(port), "spark.ui.enabled": "false"}
    command = [
        str(SPARK / "bin" / "spark-submit"),
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        *("--master", cluster.master),
        *(word for key, value in settings.items() for word in ("--conf", f"{key}={value}")),
        "spark-internal",
    ]
    with (
        log.open("wb") as out,
        subprocess.Popen(command, cwd=folder, env=environment(folder), stdout=out, stderr=out) as server,
    ):
        try:
            until(lambda: b"Spark Connect server started" in log.read_bytes(), "the server")
            yield f"sc://127.0.0.1:{port}"
        finally:
            server.terminate()


ENDLESS = """
import sys
import numpy as np, pyarrow as pa
import lawful
from lawful.spark import session
random = np.random.default_rng(0).integers(0, 2, (70, 1000))
table = pa.table({f"c{n}": column for n, column in enumerate(random)})
with session(sys.argv[1]) as spark:
    laws = lawful.discover(table, ["fd"], all=True, engine="spark", session=spark)
print(laws.facts.reason)
"""


def test_ctrl_c_cancels_jobs_behind_spark_connect(connect: str, cluster: Standalone, tmp_path: Path) -> None:
    """A search that would never end; its workers do not see that the driver wants no more."""
    before = cluster.seconds_of_workers()
    running = subprocess.Popen(
        [sys.executable, "-c", ENDLESS, connect],
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": "/proc/self/cwd"},
        stdout=subprocess.PIPE,
        text=True,
    )
    with running:
        until(lambda: cluster.seconds_of_workers() > before + 3, "the workers to be busy")
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        assert running.communicate(timeout=120)[0].strip() == "interrupted"
