"""A program that forks children which change a state and are killed: one import for all of them.

It reads lines of standard input, each with a command, seconds and the folder of a state, and answers with how
the child ended.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
from pyarrow.csv import write_csv

import lawful
from lawful.cli import app

ROWS = 4  # that a batch has
MOST = 20  # changes of one child: there shall be batches for all of them


def batch_of(number: int) -> list[dict[str, object]]:
    """The rows of a batch, whose laws change from one to the next."""
    rows = []
    for k in range(ROWS * number, ROWS * (number + 1)):
        city = k % 7 % 5 + (k % 31 == 30)
        rows.append({"id": k, "zip": str(k % 7), "city": str(city), "batch": number})
    return rows


def insert(folder: Path) -> None:
    """Insert batch after batch."""
    state = lawful.open_state(folder)
    for _ in range(MOST):
        state.insert(batch_of(state.version))
    signal.pause()


def delete(folder: Path) -> None:
    """Delete batch after batch."""
    state = lawful.open_state(folder)
    for _ in range(MOST):
        state.delete(where=f"batch = {state.version}")
    signal.pause()


def watch(folder: Path) -> None:
    """Take in the files of the folder beside it, with a command that ends only when it is killed."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    app(["watch", str(folder), str(folder.with_name("inbox")), "--every", "0.01"])


COMMANDS: dict[str, Callable[[Path], None]] = {"insert": insert, "delete": delete, "watch": watch}


def warm_up(folder: Path) -> None:
    """Load all kernels: once, not in each child."""
    state = lawful.keep(batch_of(0), "key,fd,od", folder=folder / "state")
    for number in range(1, 10):
        state.insert(batch_of(number))
        state.delete(where=f"batch = {number - 1}")
    (folder / "inbox").mkdir()
    write_csv(pa.Table.from_pylist(batch_of(10)), folder / "inbox" / "10.csv")
    app(["watch", str(state.path), str(folder / "inbox"), "--once", "--json"], standalone_mode=False)


def main() -> None:
    """Fork a child for each line, and kill it when its time has come."""
    with tempfile.TemporaryDirectory() as folder:
        warm_up(Path(folder))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    for line in sys.stdin:
        command, seconds, path = line.rstrip("\n").split(" ", 2)
        child = os.fork()
        if child == 0:
            COMMANDS[command](Path(path))
        signal.sigtimedwait([signal.SIGCHLD], float(seconds))
        os.kill(child, signal.SIGKILL)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main()
