"""Queries over flights before and after `lawful orderby`, in Spark and PostgreSQL: what is sorted.

    python benchmarks/orderby.py [rows]

PostgreSQL is left out where it is not installed; as root it runs as the user postgres.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import lawful
from lawful.spark import session

sys.path.append(str(Path(__file__).parent.parent / "tests" / "reasoning"))
from flight_database import BINARIES, SPARK_SORTS, Answer, postgres, sorted_columns
from flight_queries import QUERIES


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
                sorted_columns(SPARK_SORTS, plan),
            )

        compare("Spark", "spark", laws, in_spark)
    if BINARIES is not None:
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


if __name__ == "__main__":
    main()
