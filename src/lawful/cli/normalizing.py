"""`lawful normalize`: a table in parts that store each fact once."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from lawful.cli.laws_argument import AsJson, LawsArguments, TextArguments
from lawful.cli.running import command


class NormalForm(StrEnum):
    """Into which form a table is brought."""

    THIRD = "3nf"
    BOYCE_CODD = "bcnf"


@command("""
    lawful normalize laws.json
    lawful normalize laws.json --form bcnf --name orders --out schema.sql
    lawful normalize orders.csv
""")
def normalize(
    laws: LawsArguments,
    output: TextArguments,
    form: Annotated[
        NormalForm,
        typer.Option(help="Third normal form keeps all dependencies; Boyce-Codd's may lose some."),
    ] = NormalForm.THIRD,
    name: Annotated[str | None, typer.Option(metavar="TABLE", help="What the table is called.")] = None,
    as_json: AsJson = False,
) -> None:
    """Divides a table into parts in a normal form: SQL that makes them, fills them and joins them again."""
    output.check(laws.source)
    schema, table = laws.laws().normalize(form.value), name or laws.table_name
    if as_json:
        output.write_json(schema.to_json(table))
    else:
        output.write(schema.sql(table))
