"""`lawful orderby`: queries that sort less."""

from __future__ import annotations

from typing import Annotated

import typer

from lawful.cli.laws_argument import AsJson, LawsArguments, TextArguments
from lawful.cli.running import command


@command("""
    lawful orderby laws.json "select * from t order by zip, city"
    lawful orderby laws.json "select distinct zip, city from people" --dialect postgres
    lawful orderby laws.json "select * from flights order by day" --index "date, carrier desc"
""")
def orderby(
    laws: LawsArguments,
    output: TextArguments,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SELECT from the table of the laws.")],
    dialect: Annotated[
        str, typer.Option(help="The SQL that it is: spark, postgres, duckdb, sqlite, mysql, ...")
    ] = "spark",
    index: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,...", help="An index: does it serve the order? Repeatable."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The table of the laws, or its alias, where others are joined."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shortens ORDER BY, GROUP BY and DISTINCT of a query by the laws of its table; needs lawful[sql]."""
    output.check(laws.source)
    advice = laws.laws().advise(query, dialect, index or (), name)
    if as_json:
        output.write_json(advice.to_json())
    else:
        output.write(f"{advice}\n")
