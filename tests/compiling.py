"""Compile all kernels, on two cores, before tests do it in several processes at the same time."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from lawful import kernels

# What takes about equally long to compile, as programs.
COLUMN_LAWS = """
import lawful
from lawful import costs, datasets
from lawful.validate import contexts
lawful.discover(datasets.employees(50))
costs.SMALL_ROWS = 0
for costs.LONG_TABLE, costs.FIRST_SAMPLE, contexts.WORTH_KEEPING in ((1 << 17, 1 << 14, 1 << 15), (0, 4, 0)):
    for bits in (0, 10):
        lawful.discover(datasets.employees(50), min_bits=bits, time_limit=600)
for measure in ("rows", "pairs"):
    lawful.approximate(datasets.employees(50), 0.05, error_measure=measure, max_size=3)
    lawful.approximate(datasets.employees(50).select([0, 1, 2]), 0.05, error_measure=measure)
lawful.suspects(datasets.employees(50))
"""
PREDICATE_LAWS = """
import lawful
from lawful import costs, datasets
for costs.SHORT_TILES in (1.0, -1.0):
    for bits in (0, 10):
        lawful.discover(datasets.employees(50), ["pod", "dc"], min_bits=bits, cross_columns="off")
        taxes = datasets.tax(400).select(["salary", "rate", "single_exemp"])
        lawful.discover(taxes, ["dc"], min_bits=bits, cross_columns="all")
failing = ["key {rate}", "{salary} -> rate", "{}: salary asc ~ rate asc", "not(t.salary < s.rate)"]
failing += ["not(t.salary <= s.salary and t.rate != s.rate and t.single_exemp > s.rate)"]
lawful.violations(taxes, failing)
for measure in ("rows", "pairs"):
    lawful.approximate(taxes.slice(0, 50), 0.05, "dc,pod", error_measure=measure, max_size=2, time_limit=5)
"""
# Each program goes on with changes of a table: begun at once, they would compile the same kernels.
CHANGES = """
from lawful.changes import WAYS
rows = [{"a": k % 5, "b": k // 2, "c": k % 3} for k in range(12)]
for kinds, crossed in SEARCHES:
    state = lawful.keep(rows, kinds, cross_columns=crossed, max_size=3)
    for way in WAYS[1:]:
        state.insert([{"a": 0, "b": 1, "c": 2}, {"a": 4, "b": 3, "c": 2}], way=way)
        state.delete(where="c = 2 and b < 4")
"""
PROGRAMS = (
    COLUMN_LAWS + CHANGES.replace("SEARCHES", "[('key,fd,od', 'off')]"),
    PREDICATE_LAWS + CHANGES.replace("SEARCHES", "[('pod', 'off'), ('dc', 'all')]"),
)


def compile_kernels() -> None:
    """Fill an empty cache of compiled kernels."""
    folder = kernels.CACHE
    if folder is not None and not any(Path(folder).rglob("*.nbc")):
        programs = [subprocess.Popen([sys.executable, "-c", program]) for program in PROGRAMS]
        assert [program.wait() for program in programs] == [0, 0]


if __name__ == "__main__":
    compile_kernels()
