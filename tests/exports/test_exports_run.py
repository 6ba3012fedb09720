"""Exports run by the tools they are for: the verdicts are those of `lawful check`.

`make tools` brings the tools, in an environment of their own (`make test` does so by itself).
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyarrow import parquet
from run_by_tool import NOT_INSTALLED

from lawful import Laws, check
from lawful.laws import parse
from lawful.report.collection import Facts
from lawful.report.exports.tools import exported, write_export
from lawful.report.ratings import Rating
from lawful.spark.java import find_java
from quick_java import quick_java

pytestmark = [pytest.mark.slow]
ROOT = Path(__file__).parents[2]
PYTHON = Path(os.environ.get("LAWFUL_TOOLS", ROOT / "build/tools")) / "bin/python"
NAMES = ["number", "customer", "city", "placed", "shipped", "it's left"]
CLEAN: list[tuple[Any, ...]] = [
    (1, "Ann", "Oslo", 3, 4, 90),
    (2, "Bob", None, 3, 5, 90),
    (3, "Ann", "Oslo", 5, 6, 80),
    (4, "Cid", "Rome", 7, 9, 70),
    (5, "Bob", None, 8, 9, 60),
    (6, "Dan", "Bonn", None, None, 99),
]
# Rows that come instead of the clean ones of the same numbers.
DIRTY: list[tuple[Any, ...]] = [
    (2, "Bob", None, 4, 9, 95),
    (3, "Ann", "Rome", 3, 4, 95),
    (5, "Bob", None, 8, 9, 99),
    (5, "Bob", "Oslo", 5, 3, 90),
    (7, "Rome", "Ulm", 2, 9, 90),
]
NULLS: list[tuple[Any, ...]] = [
    (1, "Ann", None, 3, None, 90),
    (4, None, "Rome", None, 2, None),
    (5, None, "Oslo", None, None, 60),
]
JOINS = [  # two rows must be put side by side
    "not(t.customer = s.city)",
    "not(t.customer = s.customer and t.placed < s.placed and t.shipped > s.placed and t.number < s.number)",
]
UNSTATED = "not(t.number < s.placed)"  # every two rows would have to be compared
TEXTS = [
    "key {number}",
    "key {customer, placed}",
    "{customer} -> city",
    '{customer, placed} -> "it\'s left"',
    "{}: placed asc ~ shipped asc",
    '{customer}: placed asc ~ "it\'s left" desc',
    "placed <, customer = => shipped <",
    "not(t.placed > t.shipped)",
    "not(t.city = s.city and t.number < s.number and t.placed > s.placed)",
    *JOINS,
    UNSTATED,
]


def table(instead: list[tuple[Any, ...]]) -> pa.Table:
    rows = [row for row in CLEAN if row[0] not in {other[0] for other in instead}] + instead
    return pa.table(dict(zip(NAMES, zip(*rows, strict=True), strict=True)))


def laws_of(texts: list[str], nulls: str = "equal") -> Laws:
    facts = Facts(kinds=("key", "fd", "od", "pod", "dc"), nulls_equal=nulls == "equal")
    return Laws.of(NAMES, [(parse(text), Rating(0.5, 20.0)) for text in texts], facts)


@pytest.mark.parametrize(
    ("tool", "nulls"),
    [
        ("pandera", "equal"),
        ("great-expectations", "equal"),
        ("great-expectations", "distinct"),  # it then has an expectation of its own for keys
        ("soda", "equal"),
        ("dbt", "equal"),
        pytest.param("dqx", "equal", marks=pytest.mark.spark),
    ],
)
def test_a_tool_finds_those_laws_broken_that_are(
    tool: str, nulls: Literal["equal", "distinct"], tmp_path: Path
) -> None:
    tables = [table([]), table(DIRTY), table(NULLS)]
    texts = [text for text in TEXTS if tool != "dqx" or text not in JOINS[1:]]  # Spark plans them for long
    laws = laws_of(texts, nulls)
    paths = [tmp_path / f"table{number}.parquet" for number in range(len(tables))]
    for path, one in zip(paths, tables, strict=True):
        parquet.write_table(one, path)
    write_export(exported(laws, tool, "orders"), tmp_path / "export")
    found = run(tool, tmp_path / "export", paths)
    unstated = laws_of([UNSTATED, *(JOINS if tool == "pandera" else [])])
    stated = [law for law in laws if law not in unstated]
    expected = [
        sorted(str(verdict.law) for verdict in check(one, stated, nulls=nulls) if not verdict.holds)
        for one in tables
    ]
    assert found == expected
    if nulls == "equal":
        clean, *others = map(set, expected)
        assert (clean, set().union(*others)) == (set(), {*map(str, stated)})


def run(tool: str, export: Path, tables: list[Path]) -> list[list[str]]:
    """The broken laws of each table."""
    if not PYTHON.exists():
        pytest.skip("make tools has not run")
    command: list[str | Path] = [PYTHON, Path(__file__).with_name("run_by_tool.py"), tool, export, *tables]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    if tool == "dqx":
        home = find_java().home
        environment |= {"LAWFUL_TEST_JAVA": quick_java()} | ({"JAVA_HOME": str(home)} if home else {})
    done = subprocess.run(command, capture_output=True, text=True, env=environment, cwd=export.parent)
    if done.returncode == NOT_INSTALLED:
        pytest.skip(f"{tool} is not installed: {done.stderr.strip()}")
    assert done.returncode == 0, done.stdout + done.stderr
    found: list[list[str]] = json.loads(done.stdout.splitlines()[-1])
    return found
