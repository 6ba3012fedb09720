"""Laws found where there are none: tables of real columns, each shuffled by itself.

python benchmarks/chance.py [--tables 300] [--kinds key,fd,od,pod,dc]
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import csv

import lawful
from inputs import add_options, asked_for

FOLDERS = ("real", "fd", "od")
WIDTHS = (4, 16)  # columns of a table, at least and at most
LENGTHS = (50, 2000)  # rows
KINDS = ("key", "fd", "od", "pod", "dc")
TIME_LIMIT = 60.0  # seconds for each table and kind


def columns_of(data: Path, only: Sequence[str]) -> list[pa.ChunkedArray]:
    """The columns of all tables there are."""
    paths = [path for folder in FOLDERS for path in sorted((data / folder).glob("*.csv"))]
    parsing = csv.ParseOptions(escape_char="\\", newlines_in_values=True)
    tables = [csv.read_csv(path, parse_options=parsing) for path in paths if asked_for(path.stem, only)]
    return [column for table in tables for column in table.columns if len(column) >= LENGTHS[0]]


def shuffled_table(columns: Sequence[pa.ChunkedArray], random: np.random.Generator) -> pa.Table:
    """Some columns, cut to one length and each shuffled by itself."""
    chosen = [columns[k] for k in random.choice(len(columns), random.integers(*WIDTHS), replace=False)]
    rows = min(int(random.integers(*LENGTHS)), *(len(column) for column in chosen))
    drawn = [column.take(pa.array(random.permutation(len(column))[:rows])) for column in chosen]
    return pa.table(drawn, names=[f"c{k}" for k in range(len(drawn))])


def chance_laws(table: pa.Table, kinds: Sequence[str]) -> list[str]:
    """The laws of at least two columns that are called no mere chance."""
    laws = lawful.discover(table, list(kinds), time_limit=TIME_LIMIT)
    return [str(law) for law in laws if len(law.columns) > 1]


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    add_options(parser)
    parser.add_argument("--tables", type=int, default=300)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    random, columns = np.random.default_rng(given.seed), columns_of(given.data, given.only)
    for kind in given.kinds.split(","):
        fooled = 0
        for number in range(given.tables):
            table = shuffled_table(columns, random)
            found = chance_laws(table, [kind])
            fooled += bool(found)
            if found:
                shape = f"{table.num_rows} x {table.num_columns}"
                print(f"{kind}, table {number}, {shape}: {found[0]}", flush=True)
        print(f"{kind}: {fooled} of {given.tables} tables with a law", flush=True)


if __name__ == "__main__":
    main()
