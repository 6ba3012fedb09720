"""Suspect cells of dirty tables against their clean twins, and of made tables with planted errors.

python benchmarks/suspects.py FOLDER, with the folders `real` and `dc` of tables in it

Errors are planted in all cells, also in columns that no law speaks of: those cannot be found again. So made
tables have two lines: of all errors, and of those in cells that some FD of the clean table can tell. That is
one of two columns, as `suspects` looks for, and two other rows or more agree with the cell's on its left.
"""

from __future__ import annotations

import csv
import time
from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa

import lawful
from lawful import datasets
from lawful.laws import FD

MADE = {"employees": datasets.employees, "flights": datasets.flights, "tax": datasets.tax}
ROWS, ERRORS = 2_000, 0.03  # of made tables, and the share of their cells that are wrong
PAIRS = (
    ("real/hospital-dirty.csv", "real/hospital-clean.csv"),
    ("real/beers-dirty.csv", "real/beers-clean.csv"),
    ("dc/hospital-9k-dirty.csv", "dc/hospital-9k.csv"),
    ("dc/tax-10k-dirty.csv", "dc/tax-10k.csv"),
)
Cells = set[tuple[int, str]]


def lines_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        return list(csv.reader(lines))


def wrong_cells(dirty: Path, clean: Path) -> Cells:
    """Where two files differ, as numbers where both are numbers."""
    names, *rows = lines_of(dirty)
    _, *right = lines_of(clean)
    return {
        (number, name)
        for number, (row, other) in enumerate(zip(rows, right, strict=True), start=1)
        for name, value, truth in zip(names, row, other, strict=True)
        if not same(value, truth)
    }


def same(value: str, truth: str) -> bool:
    try:
        return float(value) == float(truth)
    except ValueError:
        return value == truth


def tellable(clean: pa.Table) -> Cells:
    """The cells that FDs of a clean table can tell."""
    rows, cells = clean.to_pylist(), Cells()
    laws = [law for law in lawful.discover(clean, "fd", all=True, max_size=2) if isinstance(law, FD)]
    for law in laws:
        lefts = [tuple(row[name] for name in law.lhs) for row in rows]
        common = {left for left, count in Counter(lefts).items() if count >= 3}
        cells |= {(number, law.rhs) for number, left in enumerate(lefts, start=1) if left in common}
    return cells


def suspects_in(source: Any) -> tuple[Cells, float]:
    """The suspect cells of a table, and the CPU seconds that it took."""
    started = time.process_time()
    found = {(line["row"], line["column"]) for line in lawful.suspects(source).to_pylist()}
    return found, time.process_time() - started


def tell(name: str, found: Cells, wrong: Cells, seconds: float) -> None:
    """Print how well the suspects of a table are its wrong cells."""
    hits = len(found & wrong)
    precision, recall = hits / max(len(found), 1), hits / max(len(wrong), 1)
    f1 = 2 * precision * recall / max(precision + recall, 1e-9)
    print(f"{name:28} {len(found):8,} {precision:9.2f} {recall:7.2f} {f1:6.2f} {seconds:6.1f}")


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    print(f"{'table':28} {'suspects':>8} {'precision':>9} {'recall':>7} {'F1':>6} {'CPU s':>6}")
    for dirty, clean in PAIRS:
        found, seconds = suspects_in(folder / dirty)
        tell(dirty, found, wrong_cells(folder / dirty, folder / clean), seconds)
    for name, made in MADE.items():
        spoiled, errors = made(ROWS, errors=ERRORS)
        found, seconds = suspects_in(spoiled)
        wrong = {(one["row"] + 1, one["column"]) for one in errors.to_pylist()}
        tell(f"made: {name}", found, wrong, seconds)
        can_be_told = tellable(made(ROWS))
        tell("  cells that laws can tell", found & can_be_told, wrong & can_be_told, seconds)


if __name__ == "__main__":
    main()
