"""The multiset of agree-sets: all pairs of a table, batches of rows that go and come back, and its index.

    python benchmarks/agree_sets.py [--data FOLDER]

CPU seconds of one thread. DynASt's paper has at most 1.4 s for a batch of 50 rows of a table of 100,000, 0.04
s of flight and 0.16 s of uniprot. Its speed-ups for a batch of 1%, 439 for adult, 582 for flight and 6,610
for uniprot, are those over DeepMiner, which looks at all pairs. Here all pairs are counted by the same
kernels as a batch, so that a batch of 1% can be at most 50 times as fast.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser, RawTextHelpFormatter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import lawful
from lawful import costs
from lawful.evidence.agree_sets import AgreeSets
from lawful.table import SourceOptions
from lawful.words import bit_set, words_for
from reporting import Sheet, save, show, times

DATA = Path(__file__).parents[2] / "shared" / "data"
# Each table with the number of its agree-sets in the paper, and the milliseconds there for a batch of 50.
TABLES = {
    "fd/iris": ("27", "8"),
    "fd/bridges": ("644", "8"),
    "fd/adult": ("9,555", ""),
    "fd/flight": ("19,098", "40"),
    "fd/uniprot": ("326,698", "160"),
    "od/Letter-20K-17": ("", ""),
    "od/NCV-100k-9": ("", "1,400"),
}
COLUMNS = (
    "table",
    "rows",
    "columns",
    "agree-sets",
    "DynASt's",
    "all pairs ms",
    "50 go ms",
    "50 come ms",
    "DynASt 50 ms",
    "1% go ms",
    "1% come ms",
    "all / 1%",
    "query us",
)
QUERIES = 1000  # of one to five columns each


def seconds(action: Callable[[], Any]) -> float:
    """CPU seconds of an action, the second time: the first may compile."""
    action()
    start = time.process_time()
    action()
    return time.process_time() - start


def ranks_of(path: Path) -> npt.NDArray[np.int32]:
    """The table with empty values equal, as DynASt reads it."""
    escape = "\\" if path.stem == "uniprot" else None
    return lawful.read(path, SourceOptions(empty_is_null=False, escape=escape)).ranks()


def batch_seconds(known: AgreeSets, ranks: npt.NDArray[np.int32], rows: int) -> tuple[float, float]:
    """CPU seconds for some rows that go and come back."""
    batch = np.random.default_rng(0).choice(ranks.shape[1], rows, replace=False)
    start = time.process_time()
    known.delete(ranks, batch)
    middle = time.process_time()
    known.insert(ranks, batch)
    return middle - start, time.process_time() - middle


def query_seconds(known: AgreeSets) -> float:
    """CPU seconds of a question for the pairs that agree on some columns and differ on another."""
    random, words = np.random.default_rng(1), words_for(known.columns)
    some = [random.choice(known.columns, random.integers(1, 6)) for _ in range(QUERIES)]
    sets = np.stack([bit_set(columns, words) for columns in some])
    targets = random.integers(0, known.columns, QUERIES)
    return seconds(lambda: known.pairs_of(sets, targets)) / QUERIES


def line_of(name: str, path: Path) -> tuple[str, ...]:
    """What is measured on one table."""
    ranks = ranks_of(path)
    rows = ranks.shape[1]
    made: list[AgreeSets] = []

    def count() -> None:
        made[:] = [AgreeSets(len(ranks))]
        made[0].insert(ranks, np.arange(rows))

    all_pairs, known = seconds(count), made[0]
    for size in (50, rows // 100):  # the first time may compile
        batch_seconds(known, ranks, size)
    (go, come), (some_go, some_come) = (batch_seconds(known, ranks, size) for size in (50, rows // 100))
    published, theirs = TABLES[name]
    return (
        name,
        f"{rows:,}",
        str(len(ranks)),
        f"{len(known):,}",
        published,
        *(f"{1000 * taken:,.1f}" for taken in (all_pairs, go, come)),
        theirs,
        *(f"{1000 * taken:,.1f}" for taken in (some_go, some_come)),
        times(all_pairs, (some_go + some_come) / 2),
        f"{1e6 * query_seconds(known):.1f}",
    )


def main() -> None:
    """Measure all tables that are there, print and keep."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    folder = parser.parse_args().data
    costs.SHORT_AGREE_SETS = float("inf")
    lines = []
    for name in TABLES:
        if (folder / f"{name}.csv").exists():
            lines.append(line_of(name, folder / f"{name}.csv"))
            print(*lines[-1], sep="  ", flush=True)
    sheet = Sheet("agree-sets-summary", COLUMNS, tuple(lines))
    show(sheet)
    save("agree-sets", [], [sheet])


if __name__ == "__main__":
    main()
