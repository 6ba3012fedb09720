"""`lawful columns`: what a table is made of."""

from __future__ import annotations

from lawful.cli.arguments import AsJson, SourceArguments
from lawful.cli.running import command, console, writing


@command("""
    lawful columns people.csv
    lawful columns people.csv --delimiter ';' --null NA --type zip=string
    lawful columns 'logs/*.parquet' --json
    lawful columns jdbc:postgresql://host/shop --table orders --property user=me
    lawful columns orders.csv --master spark://host:7077 --conf spark.executor.memory=4g
""")
def columns(
    source: SourceArguments,
    as_json: AsJson = False,
) -> None:
    """Shows the columns of a table: type, order, distinct values, NULLs and sample values."""
    from lawful.laws.text import visible_json
    from lawful.report.column_table import describe, print_columns

    with source.relation() as relation:
        description = describe(source.source, relation)
    with writing():
        if as_json:
            print(visible_json(description, indent=2))
        else:
            print_columns(description, console())
