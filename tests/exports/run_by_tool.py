"""Runs what `lawful export` wrote by the tool it was written for, and prints which laws it finds broken.

    python run_by_tool.py TOOL EXPORT TABLE.parquet ...

A program of its own, for an environment that has the tools (`make tools`) and need not have lawful. Last of
all, since tools print things of their own, it prints a list of laws for each table as JSON. It ends with 77
where the tool is not installed.
"""

from __future__ import annotations

import json
import os
import runpy
import sqlite3
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

Laws = Iterable[str]
NOT_INSTALLED = 77


def by_pandera(export: Path, tables: list[Path]) -> list[Laws]:
    import pandas as pd
    from pandera.errors import SchemaErrors

    schema = runpy.run_path(str(export))["schema"]

    def broken(table: pd.DataFrame) -> Laws:
        try:
            schema.validate(table, lazy=True)
        except SchemaErrors as problem:
            return {one.check.name for one in problem.schema_errors}
        return ()

    return [broken(pd.read_parquet(table)) for table in tables]


def by_great_expectations(export: Path, tables: list[Path]) -> list[Laws]:
    os.environ["GX_ANALYTICS_ENABLED"] = "false"
    import great_expectations as gx
    import pandas as pd

    context = gx.get_context(mode="ephemeral")
    suite = context.suites.add(gx.ExpectationSuite(**json.loads(export.read_text("utf-8"))))

    def broken(number: int, table: Path) -> Laws:
        path = export.with_name(f"{table.stem}.sqlite")
        with sqlite3.connect(path) as database:
            pd.read_parquet(table).to_sql("orders", database, index=False)
        source = context.data_sources.add_sqlite(f"source {number}", connection_string=f"sqlite:///{path}")
        asset = source.add_table_asset("orders", table_name="orders")
        batch = asset.add_batch_definition_whole_table("all").get_batch()
        results = batch.validate(suite).results
        assert not [one.exception_info for one in results if one.exception_info.get("raised_exception")]
        return [one.expectation_config.meta["law"] for one in results if not one.success]

    return [broken(number, table) for number, table in enumerate(tables)]


def by_dqx(export: Path, tables: list[Path]) -> list[Laws]:
    import yaml
    from databricks.labs.dqx.engine import DQEngineCore
    from pyspark.sql import SparkSession

    options: dict[str, Any] = {
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "1",
        "spark.driver.extraJavaOptions": os.environ.get("LAWFUL_TEST_JAVA", ""),
    }
    # It asks a workspace of Databricks whether it is there, and nothing else.
    workspace = SimpleNamespace(
        config=SimpleNamespace(_product_info=None), clusters=SimpleNamespace(select_spark_version=str)
    )
    checks = yaml.safe_load(export.read_text("utf-8"))
    with SparkSession.builder.master("local[1]").config(map=options).getOrCreate() as spark:
        engine = DQEngineCore(workspace, spark)
        assert not engine.validate_checks(checks).has_errors

        def broken(table: Path) -> Laws:
            rows = engine.apply_checks_by_metadata(spark.read.parquet(str(table)), checks).collect()
            return {one.user_metadata["law"] for row in rows for one in row["_errors"] or ()}

        return [broken(table) for table in tables]


def by_soda(export: Path, tables: list[Path]) -> list[Laws]:
    import duckdb
    from soda_core.contracts import verify_contract_locally

    contract, source = export.with_name("contract.yml"), export.with_name("source.yml")
    contract.write_text(export.read_text("utf-8").replace("data_source/schema/", "ducks/main/"), "utf-8")

    def broken(table: Path) -> Laws:
        path = export.with_name(f"{table.stem}.duckdb")
        with duckdb.connect(str(path)) as database:
            database.execute(f"CREATE TABLE orders AS FROM '{table}'")
        source.write_text(
            json.dumps({"type": "duckdb", "name": "ducks", "connection": {"database": str(path)}})
        )
        told = verify_contract_locally(data_source_file_path=str(source), contract_file_path=str(contract))
        checks = [one for result in told.contract_verification_results for one in result.check_results]
        assert len(checks) == export.read_text("utf-8").count("- failed_rows:")
        assert all(one.is_passed or one.is_failed for one in checks)
        return [one.check.name.rpartition(": ")[0] for one in checks if one.is_failed]

    return [broken(table) for table in tables]


def by_dbt(export: Path, tables: list[Path]) -> list[Laws]:
    from dbt.cli.main import dbtRunner

    project = export.parent / "project"
    (project / "models").mkdir(parents=True)
    export.rename(project / "tests")
    texts = {path.stem: path.read_text("utf-8").splitlines()[0] for path in (project / "tests").glob("*.sql")}
    (project / "dbt_project.yml").write_text(
        "name: shop\nprofile: shop\nflags: {send_anonymous_usage_stats: false}\n"
    )
    database = json.dumps({"type": "duckdb", "path": str(project / "shop.duckdb")})
    (project / "profiles.yml").write_text(f"shop: {{target: dev, outputs: {{dev: {database}}}}}\n")

    def broken(table: Path) -> Laws:
        model = f"{{{{ config(materialized='table') }}}} select * from '{table}'"
        (project / "models/orders.sql").write_text(model)
        words = ["--quiet", "build", "--project-dir", str(project), "--profiles-dir", str(project)]
        told = dbtRunner().invoke(words)
        tests = {one.node.name: str(one.status) for one in told.result if one.node.resource_type == "test"}
        assert tests.keys() == texts.keys()
        assert {*tests.values()} <= {"pass", "fail"}
        return [texts[name].removeprefix("-- ") for name, status in tests.items() if status == "fail"]

    return [broken(table) for table in tables]


TOOLS: dict[str, Callable[[Path, list[Path]], list[Laws]]] = {
    "pandera": by_pandera,
    "great-expectations": by_great_expectations,
    "dqx": by_dqx,
    "soda": by_soda,
    "dbt": by_dbt,
}


def main() -> None:
    """Run one tool."""
    tool, export, *tables = sys.argv[1:]
    try:
        found = TOOLS[tool](Path(export), [*map(Path, tables)])
    except ModuleNotFoundError as missing:
        print(missing, file=sys.stderr)
        sys.exit(NOT_INSTALLED)
    print("\n" + json.dumps([sorted(laws) for laws in found]))


if __name__ == "__main__":
    main()
