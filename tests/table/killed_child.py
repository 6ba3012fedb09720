"""A program that forks children which change a relation and are killed: one import for all of them.

It reads lines of standard input, each with a moment, and answers with how the child ended.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from lawful.table import Relation

EVENTS = ("open", "os.rename", "os.remove", "os.scandir", "os.listdir")


def change(folder: Path) -> None:
    """Append a row and delete the first one."""
    relation = Relation.open(folder)
    number = int(relation.row_ids[-1]) + 1
    relation.turn_to(relation.prepare([{"a": number, "b": f"v{number}"}], delete=[relation.row_ids[0]]))
    relation.publish()
    relation.clean()


def change_until_touch(folder: Path, moment: int) -> None:
    """One change; killed when a file of the relation is touched for the n-th time."""
    touched = 0

    def kill_itself(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal touched
        if event in EVENTS and str(arguments[0]).startswith(str(folder)):
            touched += 1
            if touched > moment:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill_itself)
    change(folder)


def main(folder: Path) -> None:
    """Fork a child for each line: with a number of touches, or with seconds for many changes."""
    pa.array(["x"])  # Arrow loads pandas when it is first used: once, not in each child
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGCHLD])
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            if "." not in line:
                change_until_touch(folder, int(line))
                os._exit(0)
            while True:
                change(folder)
        if "." in line:
            signal.sigtimedwait([signal.SIGCHLD], float(line))
            os.kill(child, signal.SIGKILL)
        print(os.waitpid(child, 0)[1], flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
