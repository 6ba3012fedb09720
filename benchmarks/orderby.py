"""Queries over flights before and after `lawful orderby`, in Spark and PostgreSQL: what is sorted.

    python benchmarks/orderby.py [rows]

PostgreSQL is left out where it is not installed; as root it runs as the user postgres.
"""

from __future__ import annotations

import csv
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

import lawful
from lawful.spark import session

sys.path.append(str(Path(__file__).parent.parent / "tests" / "reasoning"))
from flight_queries import QUERIES

SQL_TYPES = {"int64": "BIGINT", "string": "TEXT", "date32[day]": "DATE", "double": "DOUBLE PRECISION"}
Rows = list[tuple[object, ...]]
Answer = tuple[list[str], Rows, int]  # names, rows, how many columns the plan sorts by


def main() -> None:
    """Run all queries in both databases."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
    flights = lawful.datasets.flights(rows)
    laws = lawful.discover(flights)
    with session("local[2]") as spark:
        spark.createDataFrame(flights.to_pandas()).createOrReplaceTempView("flights")
        spark.sql("cache table flights")

        def in_spark(sql: str) -> Answer:
            frame = spark.sql(sql)
            plan = frame._jdf.queryExecution().optimizedPlan().toString()
            return (
                frame.columns,
                [tuple(row) for row in frame.collect()],
                _keys(r"Sort \[(.*?)\], true", plan),
            )

        compare("Spark", "spark", laws, in_spark)
    if shutil.which("psql") is not None:
        with postgres(flights) as in_postgres:
            compare("PostgreSQL", "postgres", laws, in_postgres)


def compare(name: str, dialect: str, laws: lawful.Laws, run: Callable[[str], Answer]) -> None:
    """Print what was sorted by before and after; stop where the order is another one."""
    print(f"\n{name}: columns that the plan sorts by, before and after")
    for sql in QUERIES:
        advice = laws.advise(sql, dialect)
        (names, before, many), (_, after, few) = run(sql), run(advice.sql)
        wanted = sql.partition("order by")[2].replace(" desc", "").replace(" ", "").split(",")
        places = [names.index(column) for column in wanted if column in names]
        same = [[row[i] for i in places] for row in before] == [[row[i] for i in places] for row in after]
        print(f"{many} {few} {'same order' if same else 'ANOTHER ORDER'}  {advice.sql}")
        if not same:
            sys.exit(1)


@contextmanager
def postgres(flights: pa.Table) -> Iterator[Callable[[str], Answer]]:
    """A database of its own with the table of flights."""
    binaries = max(Path("/usr/lib/postgresql").glob("*/bin"))
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o777)
        data, table = f"{folder}/data", f"{folder}/flights.csv"
        arrow_csv.write_csv(flights, table)

        def call(*words: str) -> str:
            return subprocess.run(
                [*user, *words], check=True, capture_output=True, text=True, cwd=folder
            ).stdout

        def psql(sql: str) -> str:
            return call("psql", "-h", folder, "-d", "postgres", "--csv", "-c", sql)

        def run(sql: str) -> Answer:
            names, *rows = csv.reader(io.StringIO(psql(sql)))
            return names, [tuple(row) for row in rows], _keys(r"Sort Key: (.*)", psql(f"EXPLAIN {sql}"))

        call(str(binaries / "initdb"), "-D", data, "--locale=C", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses=''"
        call(str(binaries / "pg_ctl"), "-D", data, "-w", "-o", options, "-l", f"{folder}/log", "start")
        try:
            columns = ", ".join(f'"{field.name}" {SQL_TYPES[str(field.type)]}' for field in flights.schema)
            psql(f"CREATE TABLE flights ({columns})")
            psql(f"\\copy flights from '{table}' with (format csv, header)")
            psql("ANALYZE flights")
            yield run
        finally:
            call(str(binaries / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


def _keys(pattern: str, plan: str) -> int:
    """How many columns the first sort of a plan has; none where nothing is sorted."""
    found = re.search(pattern, plan)
    return 0 if found is None else len(found.group(1).split(", "))


if __name__ == "__main__":
    main()
