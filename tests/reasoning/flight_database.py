"""A PostgreSQL database with the table of flights; as root it runs as the user postgres."""

from __future__ import annotations

import csv
import io
import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyarrow import csv as arrow_csv

# Where Debian has the newest one; None where it is not installed.
BINARIES = max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)
SQL_TYPES = {"int64": "BIGINT", "string": "TEXT", "date32[day]": "DATE", "double": "DOUBLE PRECISION"}
SPARK_SORTS = r"Sort \[(.*?)\], true"
_SORTS = r"Sort Key: (.*)"
Rows = list[tuple[object, ...]]
Answer = tuple[list[str], Rows, int]  # names, rows, how many columns the plan sorts by


@contextmanager
def postgres(flights: pa.Table) -> Iterator[Callable[[str], Answer]]:
    """A database of its own with the table of flights."""
    assert BINARIES is not None
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
            return call(str(BINARIES / "psql"), "-h", folder, "-d", "postgres", "--csv", "-c", sql)

        def run(sql: str) -> Answer:
            names, *rows = csv.reader(io.StringIO(psql(sql)))
            return names, [tuple(row) for row in rows], sorted_columns(_SORTS, psql(f"EXPLAIN {sql}"))

        call(str(BINARIES / "initdb"), "-D", data, "--locale=C", "-E", "UTF8")
        options = f"-k {folder} -c listen_addresses=''"
        call(str(BINARIES / "pg_ctl"), "-D", data, "-w", "-o", options, "-l", f"{folder}/log", "start")
        try:
            columns = ", ".join(f'"{field.name}" {SQL_TYPES[str(field.type)]}' for field in flights.schema)
            psql(f"CREATE TABLE flights ({columns})")
            psql(f"\\copy flights from '{table}' with (format csv, header)")
            psql("ANALYZE flights")
            yield run
        finally:
            call(str(BINARIES / "pg_ctl"), "-D", data, "-m", "immediate", "stop")


def sorted_columns(pattern: str, plan: str) -> int:
    """How many columns the first sort of a plan has; none where nothing is sorted."""
    found = re.search(pattern, plan)
    return 0 if found is None else len(found.group(1).split(", "))
