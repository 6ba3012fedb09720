"""`lawful export`: laws as the checks of other tools."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from lawful.cli.laws_argument import LawsArguments, TextArguments
from lawful.cli.running import command
from lawful.errors import LawfulError


class Tool(StrEnum):
    """What laws are exported to."""

    SQL = "sql"
    SPARK_SQL = "spark-sql"
    DBT = "dbt"
    GREAT_EXPECTATIONS = "great-expectations"
    DQX = "dqx"
    SODA = "soda"
    PANDERA = "pandera"
    DEEQU = "deequ"


@command("""
    lawful export laws.json --to sql --name orders --out checks.sql
    lawful export laws.json --to great-expectations --out suite.json
    lawful export laws.json --to dbt --name orders --out tests/laws
    lawful export orders.csv --to pandera --top 20
""")
def export(
    laws: LawsArguments,
    output: TextArguments,
    to: Annotated[Tool, typer.Option(help="The tool that is to check the laws.", show_default=False)],
    name: Annotated[str | None, typer.Option(metavar="TABLE", help="What the table is called there.")] = None,
    top: Annotated[int | None, typer.Option(help="Export so many laws, those of the most bits.")] = None,
) -> None:
    """Writes laws as checks of other tools: queries that are right about NULL, expectations, tests."""
    from lawful.report.exports.tools import exported, write_export

    if to is Tool.DBT and output.out is None:
        raise LawfulError(f"{to.value} takes a file for each law: name a folder with --out")
    if to is not Tool.DBT:
        output.check(laws.source)
    found = laws.laws()
    wanted = found if top is None else found.top(top).with_facts(equivalents=())
    result = exported(wanted, to.value, name or laws.table_name)
    if output.out is not None:
        write_export(result, Path(output.out), laws.source, output.force)
    elif isinstance(result, str):
        output.write(result)
