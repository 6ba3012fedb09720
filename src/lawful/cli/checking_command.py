"""`lawful check`: given laws against a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lawful.cli.arguments import AsJson, EngineName, ErrorMeasure, SourceArguments, names_in
from lawful.cli.running import command, console, messages, writing


@command("""
      lawful check people.csv laws.json
      lawful check people.csv "key {id}" "{zip} -> city" --show id,name
      lawful check new.csv laws.json --max-error 0.01 --violations wrong.parquet
      lawful check people.csv rules.txt --json
""")
def check(
    source: SourceArguments,
    laws: Annotated[
        list[str],
        typer.Argument(
            metavar="LAWS...",
            help="Files or states that lawful wrote, .txt files with a law a line, texts: '{zip} -> city'.",
            show_default=False,
        ),
    ],
    max_error: Annotated[
        float, typer.Option(metavar="SHARE", help="Laws may fail by such a share of rows to remove.")
    ] = 0.0,
    error_measure: Annotated[
        ErrorMeasure, typer.Option(help="What --max-error is a share of: rows to remove, or pairs of rows.")
    ] = "rows",
    show: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Further columns to show of rows that break a law.")
    ] = None,
    top: Annotated[int, typer.Option(help="Show so many groups or pairs of each law; 0: none.", min=0)] = 5,
    violations: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write all rows that break laws to .parquet, .csv or .jsonl."),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Let --violations replace a file that lawful did not write.")
    ] = False,
    engine: Annotated[
        EngineName, typer.Option(help="Where laws are checked: in this process, as Spark tasks, or as pays.")
    ] = "auto",
    workers: Annotated[int | None, typer.Option(help="Threads of a check here (default: all cores).")] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors; the exit code tells.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Checks whether laws hold on a table: how far they are from it, and which rows break them.

    The exit code is 0 if all laws hold or fail by at most --max-error, 1 if some fail, 2 for an error.
    """
    from rich.text import Text

    from lawful.api import laws_of
    from lawful.checking.checks import checked
    from lawful.laws.text import visible_json
    from lawful.report.progress_bar import shown_progress
    from lawful.report.verdict_tables import print_verdicts
    from lawful.report.verdict_words import check_document
    from lawful.report.violation_files import check_violations_file, save_violations
    from lawful.table.column_names import require_columns

    wanted, further = laws_of(laws), () if show is None else names_in(show)
    path = None if violations is None else Path(violations)
    if path is not None:
        check_violations_file(path, source.source, force)
    with shown_progress(messages(quiet)), source.spark() as spark:
        verdicts = checked(
            source.source,
            wanted,
            source.options(),
            spark,
            engine,
            workers,
            max_error,
            error_measure,
        )
    require_columns(further, verdicts.relation.names, "--show")
    if path is not None:
        messages(quiet).print(Text(save_violations(verdicts, path, further)), soft_wrap=True)
    with writing():
        if as_json:
            print(visible_json(check_document(verdicts, top, further), indent=2))
        elif not quiet:
            print_verdicts(verdicts, console(), top, further)
    raise typer.Exit(0 if verdicts.passed else 1)
