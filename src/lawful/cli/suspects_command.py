"""`lawful suspects`: cells that are likely wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lawful.cli.arguments import AsJson, SourceArguments, names_in
from lawful.cli.running import command, console, messages, writing


@command("""
    lawful suspects people.csv
    lawful suspects people.csv --top 100 --out suspects.csv
    lawful suspects people.csv --columns zip,city,state --max-size 3
""")
def suspects(
    source: SourceArguments,
    max_size: Annotated[int, typer.Option(help="Columns in the laws that cells are judged by.", min=2)] = 2,
    min_bits: Annotated[float, typer.Option(metavar="BITS", help="That these laws save at least.")] = 10.0,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The columns that laws may speak of (default: all).")
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns that laws may not speak of.")
    ] = None,
    top: Annotated[int, typer.Option(help="Show so many cells.", min=0)] = 20,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write all cells to .csv, .json or .parquet.")
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --out replace a file that lawful did not write.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")] = False,
    as_json: AsJson = False,
) -> None:
    """Finds cells that are likely wrong, by the laws that most rows of the table itself obey."""
    from lawful.api import suspects as find
    from lawful.report.progress_bar import shown_progress
    from lawful.report.verdict_tables import print_suspects
    from lawful.report.violation_files import check_suspects_file, save_suspects, suspects_json

    path = None if out is None else Path(out)
    if path is not None:
        check_suspects_file(path, source.source, force)
    with shown_progress(messages(quiet)), source.spark() as spark:
        found = find(
            source.source,
            max_size=max_size,
            min_bits=min_bits,
            columns=None if columns is None else names_in(columns),
            exclude=() if exclude is None else names_in(exclude),
            options=source.options(),
            session=spark,
        )
    if path is not None:
        save_suspects(found, path)
    with writing():
        if as_json:
            print(suspects_json(found), end="")
        elif not quiet:
            print_suspects(found, console(), top)
