"""The multiset of agree-sets: all pairs of a table, batches of rows that go and come back, and its index.

    python benchmarks/agree_sets.py [--data FOLDER]

CPU seconds of one thread. DynASt's paper has at most 1.4 s for a batch of 50 rows of a table of 100,000, 0.04
s of flight and 0.16 s of uniprot. Here all pairs are counted by the same kernels as a batch, so that a batch
of 1% can be at most 50 times as fast.
"""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from rich.table import Table

import lawful
from lawful import costs
from lawful.evidence.agree_sets import AgreeSets
from lawful.table import SourceOptions
from lawful.words import bit_set, words_for

DATA = Path(__file__).parents[2] / "shared" / "data"
TABLES = ("fd/adult", "fd/flight", "fd/uniprot", "od/Letter-20K-17", "od/NCV-100k-9")
COLUMNS = ("table", "rows", "columns", "sets", "all pairs", "50 go", "50 come", "1% go", "1% come", "query")
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
    alive = np.ones(ranks.shape[1], np.bool_)
    batch = np.random.default_rng(0).choice(ranks.shape[1], rows, replace=False)
    start = time.process_time()
    known.delete(ranks, alive, batch)
    middle = time.process_time()
    known.insert(ranks, alive, batch)
    return middle - start, time.process_time() - middle


def query_seconds(known: AgreeSets) -> float:
    """CPU seconds of a question for the pairs that agree on some columns and differ on another."""
    random, words = np.random.default_rng(1), words_for(known.columns)
    some = [random.choice(known.columns, random.integers(1, 6)) for _ in range(QUERIES)]
    sets = np.stack([bit_set(columns, words) for columns in some])
    targets = random.integers(0, known.columns, QUERIES)
    return seconds(lambda: known.pairs_of(sets, targets)) / QUERIES


def line_of(name: str, path: Path) -> list[str]:
    """What is measured on one table."""
    ranks = ranks_of(path)
    rows = ranks.shape[1]
    made: list[AgreeSets] = []

    def count() -> None:
        made[:] = [AgreeSets(len(ranks))]
        made[0].insert(ranks, np.ones(rows, np.bool_), np.arange(rows))

    all_pairs, known = seconds(count), made[0]
    batch_seconds(known, ranks, 50)
    batches = [taken for size in (50, rows // 100) for taken in batch_seconds(known, ranks, size)]
    shown = [f"{1000 * taken:,.1f} ms" for taken in (all_pairs, *batches)]
    return [
        name,
        f"{rows:,}",
        str(len(ranks)),
        f"{len(known):,}",
        *shown,
        f"{1e6 * query_seconds(known):.1f} us",
    ]


def main() -> None:
    """Measure all tables that are there."""
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA)
    folder = parser.parse_args().data
    costs.SHORT_AGREE_SETS = float("inf")
    table = Table(*COLUMNS)
    for name in TABLES:
        if (folder / f"{name}.csv").exists():
            table.add_row(*line_of(name, folder / f"{name}.csv"))
    Console(width=140).print(table)


if __name__ == "__main__":
    main()
