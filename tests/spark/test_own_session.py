"""A session of the user's own, in a process whose `python3` is another one, without lawful: any notebook."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import lawful
from lawful.spark.java import find_java

OTHER = Path(sys._base_executable)  # type: ignore[attr-defined]  # the Python that our environment is made of
QUERY = """
select id, id % 3 as m, named_struct('b', id % 2, 'a', timestamp_micros(id)) as s, array(id % 2, null) as l,
       map('k', cast(id % 2 as decimal(5, 2))) as p, cast(cast(id % 3 as string) as binary) as x,
       if(id % 2 = 0, null, double('NaN')) as f, interval '1' day as i, null as v
from range(0, 60, 1, 4)
"""
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from pyspark.sql import SparkSession
import lawful
from lawful import LawfulError
from lawful.table import read

builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", False)
spark = builder.config("spark.driver.extraJavaOptions", sys.argv[2]).getOrCreate()
frame = spark.sql(sys.argv[3])
relation = read(frame)
told = {"laws": sorted(map(str, lawful.discover(frame, ["key", "fd"], all=True, max_size=2)))}
told["types"] = [column.type for column in relation.columns]
told["row"] = [str(value) for value in relation.rows([5]).to_pylist()[0].values()]
told["ids"] = relation.ranks()[0].tolist() == list(range(60))
try:
    lawful.discover(frame, engine="spark")
except LawfulError as error:
    told["error"] = str(error)
spark.sparkContext.pythonExec = sys.argv[4]  # as if PYSPARK_PYTHON had named it
told["shipped"] = bool((read(frame, way="workers").ranks() == relation.ranks()).all())
print(json.dumps(told))
"""


def python_without_lawful(folder: Path) -> Path:
    """The other Python with our packages but lawful."""
    packages = folder / "packages"
    packages.mkdir()
    for entry in Path(pytest.__file__).parents[1].iterdir():
        if "lawful" not in entry.name and entry.suffix != ".pth":
            (packages / entry.name).symlink_to(entry)
    program = folder / "python-without-lawful"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="$PYTHONPATH:{packages}" exec {OTHER} "$@"\n')
    program.chmod(0o755)
    return program


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, java_options: str) -> dict[str, Any]:
    """What the program says."""
    folder = tmp_path_factory.mktemp("own")
    (folder / "bin").mkdir()
    (folder / "bin" / "python3").symlink_to(OTHER)
    home = find_java().home
    env = {
        **{name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYSPARK_PYTHON")},
        **({"JAVA_HOME": str(home)} if home else {}),
        "PATH": f"{folder / 'bin'}:{os.environ['PATH']}",
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    sources = str(Path(lawful.__file__).parents[1])
    arguments = [sources, java_options, QUERY, str(python_without_lawful(folder))]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], env=env, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason="lawful is installed in the only Python")
@pytest.mark.spark
class TestOwnSession:
    def test_laws_are_found(self, told: dict[str, Any]) -> None:
        assert {"key {id}", "{m} -> x", "{x} -> m"} <= set(told["laws"])

    def test_values_of_all_types_arrive(self, told: dict[str, Any]) -> None:
        numbers, texts = ["integer", "integer"], ["string"] * 4
        assert told["types"] == [*numbers, *texts, "float", "string", "string"]
        assert told["row"] == [
            *("5", "2", '{"a":"1970-01-01 00:00:00.000005Z","b":1}', "[1,null]", '{"k":1.00}', "32"),
            *("nan", "INTERVAL '1' DAY", "None"),
        ]

    def test_rows_keep_their_order(self, told: dict[str, Any]) -> None:
        assert told["ids"]

    def test_what_workers_lack_is_named(self, told: dict[str, Any]) -> None:
        assert "which lacks numba" in told["error"]
        assert "PYSPARK_PYTHON" in told["error"]

    def test_lawful_is_shipped(self, told: dict[str, Any]) -> None:
        assert told["shipped"]
