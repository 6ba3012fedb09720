"""The command line and a notebook's session on a real cluster: the laws that this machine alone finds."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv
from standalone import SPARK, Standalone, environment, executors_of, free_port, until

import lawful
from lawful import Laws, datasets
from lawful.discovery import Options, Search
from lawful.discovery.loop import LONG
from lawful.engine import Threads
from lawful.table.ranked import ranked

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


def test_a_driver_that_dies_is_resumed(cluster: Standalone, tmp_path: Path) -> None:
    """Its targets that were settled are not searched again."""
    random = np.random.default_rng(1).integers(0, 9, (12, 60_000))
    table = pa.table({f"c{number}": column for number, column in enumerate(random)})
    out = tmp_path / "laws.jsonl"
    csv.write_csv(table, tmp_path / "table.csv")
    search = command(cluster, tmp_path / "table.csv", out)
    with subprocess.Popen(search, env=environment(tmp_path), stdout=subprocess.DEVNULL) as running:
        until(lambda: out.exists() and out.read_bytes().count(b'"settled"') > 1, "settled targets")
        assert running.poll() is None, "the search was over too soon"
        running.kill()
    until(lambda: cluster.executors() == [], "the executors to miss the driver")
    done = subprocess.run(
        [*search, "--resume"], env=environment(tmp_path), capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stderr) == (0, "")
    laws = Laws.load(out)
    assert_same(laws, table)
    assert laws.facts.stats["validated"] < lawful.discover(table).facts.stats["validated"]


SEARCH = """
import json, sys
import lawful
from lawful.discovery import Options, Search
from lawful.engine import OnSpark
from lawful.engine.parted import Parted
from lawful.spark import session
from lawful.table.ranked import ranked

def kept(rows):
    yield rows.count, rows.kept.dropped, rows.kept.held

master, settings, table, plan, budget = sys.argv[1:]
relation = lawful.read(table)
rows = ranked(relation)
with session(master, json.loads(settings)) as spark:
    whole = plan == "whole"
    engine = OnSpark(relation, rows, spark) if whole else Parted(relation, rows, spark, rows.count // 4)
    search = Search(rows, engine, Options(partition_memory=int(budget)))
    laws = [
        (*target, *columns)
        for batch in search.laws()
        for target, columns in zip(batch.targets.tolist(), batch.sets.tolist())
    ]
    told = list(engine.parted(0).run([kept] * 8))
    engine.close()
print(json.dumps({"laws": laws, "kept": told}))
"""


def searched(cluster: Standalone, folder: Path, table: pa.Table, plan: str, budget: int) -> dict[str, Any]:
    """The laws that executors of the cluster find, and what their workers tell."""
    csv.write_csv(table, folder / "table.csv")
    words = [cluster.master, json.dumps(CONF), "table.csv", plan, str(budget)]
    done = subprocess.run(
        [sys.executable, "-c", SEARCH, *words],
        cwd=folder,
        env=environment(folder),
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def laws_here(table: pa.Table) -> list[list[int]]:
    rows = ranked(lawful.read(table))
    laws = [
        [*target, *columns]
        for batch in Search(rows, Threads(rows), Options()).laws()
        for target, columns in zip(batch.targets.tolist(), batch.sets.tolist(), strict=True)
    ]
    assert laws
    return sorted(laws)


def table_of_chance(columns: int, rows: int, values: int) -> pa.Table:
    random = np.random.default_rng(2).integers(0, values, (columns, rows))
    return pa.table({f"c{number}": column for number, column in enumerate(random)})


def test_small_executors_whose_partitions_do_not_fit_their_budget(
    cluster: Standalone, tmp_path: Path
) -> None:
    """512 MB each, and room for about two partitions of a long table."""
    table, budget = table_of_chance(7, LONG, 40), 10 * LONG
    result = searched(cluster, tmp_path, table, "whole", budget)
    assert any(dropped > 0 for _, dropped, _ in result["kept"])
    assert all(held <= budget for _, _, held in result["kept"])
    assert sorted(result["laws"]) == laws_here(table)


def test_a_table_that_no_executor_holds_whole(cluster: Standalone, tmp_path: Path) -> None:
    table = table_of_chance(5, 20_000, 300)
    result = searched(cluster, tmp_path, table, "parts", 1 << 20)
    assert max(rows for rows, _, _ in result["kept"]) < 10_000
    assert sorted(result["laws"]) == laws_here(table)


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


ENDLESS = """
import sys
import numpy as np, pyarrow as pa
import lawful
from lawful.spark import session
random = np.random.default_rng(0).integers(0, 2, (70, 1000))
table = pa.table({f"c{n}": column for n, column in enumerate(random)})
with session(sys.argv[1]) as spark:
    laws = lawful.discover(table, ["fd"], engine="spark", session=spark)
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
