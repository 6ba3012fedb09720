"""A real standalone cluster on this machine: a master and workers, each a process, that can be killed."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import psutil
import pyspark

from lawful.spark.java import find_java

SPARK = Path(pyspark.__file__).parent
PATIENCE = 120.0


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a condition."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited in vain for {what}"
        time.sleep(0.05)


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def environment(folder: Path) -> dict[str, str]:
    """What the processes of Spark need that we do not start through lawful."""
    home = find_java().home
    return {
        **os.environ,
        **({"JAVA_HOME": str(home)} if home else {}),
        "SPARK_HOME": str(SPARK),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(folder / "local"),
        "SPARK_WORKER_DIR": str(folder / "work"),
        "PYSPARK_PYTHON": sys.executable,
    }


class Standalone:
    """A master; workers are added one by one, each with one core."""

    def __init__(self, folder: Path, java_options: str) -> None:
        self._folder, self.java_options = folder, java_options
        self._log = (folder / "log").open("wb")
        self._processes: list[psutil.Popen] = []
        port, self._page = free_port(), free_port()
        self.master = f"spark://127.0.0.1:{port}"
        place = ["--host", "127.0.0.1", "--port", str(port), "--webui-port", str(self._page)]
        self._start("org.apache.spark.deploy.master.Master", *place)
        until(lambda: self.state() is not None, "the master")

    def add_worker(self, memory: str = "1g") -> psutil.Popen:
        """Start a worker and wait until the master knows it."""
        before = self.alive_workers()
        size = ["--cores", "1", "--memory", memory, "--host", "127.0.0.1", "--webui-port", "0"]
        worker = self._start("org.apache.spark.deploy.worker.Worker", *size, self.master)
        until(lambda: self.alive_workers() > before, "a worker")
        return worker

    def state(self) -> dict[str, Any] | None:
        """What the master says of itself; None while it does not answer, or only with the page around it."""
        try:
            with urlopen(f"http://127.0.0.1:{self._page}/json/", timeout=10) as page:
                state: dict[str, Any] = json.load(page)
                return state
        except (OSError, json.JSONDecodeError):
            return None

    def alive_workers(self) -> int:
        state = self.state()
        return sum(worker["state"] == "ALIVE" for worker in state["workers"]) if state else 0

    def executors(self) -> list[psutil.Process]:
        """The executors that run, on whatever worker."""
        return [executor for worker in self._processes for executor in executors_of(worker)]

    def seconds_of_workers(self) -> float:
        """The CPU time of all Python workers that run."""
        return sum(_seconds(child) for executor in self.executors() for child in _children(executor))

    def stop(self) -> None:
        """End all processes."""
        for process in reversed(self._processes):
            for one in [*_children(process), process]:
                _kill(one)
        for process in self._processes:
            process.wait()
        self._log.close()

    def _start(self, program: str, *arguments: str) -> psutil.Popen:
        daemon = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_DAEMON_JAVA_OPTS": self.java_options}
        process = psutil.Popen(
            [str(SPARK / "bin" / "spark-class"), program, *arguments],
            cwd=self._folder,
            env={**environment(self._folder), **daemon},
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._processes.append(process)
        return process


def executors_of(worker: psutil.Process) -> list[psutil.Process]:
    """The executors that a worker runs."""
    return [child for child in _children(worker) if "CoarseGrainedExecutorBackend" in _command(child)]


def _children(process: psutil.Process) -> list[psutil.Process]:
    try:
        return process.children(recursive=True)
    except psutil.NoSuchProcess:
        return []


def _command(process: psutil.Process) -> str:
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _seconds(process: psutil.Process) -> float:
    try:
        return float(process.cpu_times().user)
    except psutil.Error:
        return 0.0


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()


@contextmanager
def standalone(folder: Path, java_options: str, workers: int) -> Iterator[Standalone]:
    """A cluster with some workers."""
    cluster = Standalone(folder, java_options)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()
