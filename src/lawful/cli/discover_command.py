"""`lawful discover`: the laws of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from lawful.cli.approximate_command import ErrorShare, find_approximate
from lawful.cli.arguments import ErrorMeasure, SearchArguments, SourceArguments
from lawful.cli.output_arguments import OutputArguments
from lawful.cli.report_command import ReportFile, check_discover_report, report_found
from lawful.cli.running import command, messages
from lawful.cli.state_commands import Counts, NewState, kept_laws

if TYPE_CHECKING:
    from lawful.table import Relation


@command("""
    lawful discover people.csv
    lawful discover people.csv --kinds key,fd --max-size 3 --out laws.json
    lawful discover 'orders/*.parquet' --time-limit 5m --top 50
    lawful discover orders.parquet --master spark://host:7077
    lawful discover people.csv --all --kinds fd --sort size
    lawful discover people.csv --min-bits 20 --unordered city --json
    lawful discover people.csv --kinds pod,dc --cross-columns off --max-size 3
    lawful discover people.csv --state people.state
    lawful discover people.csv --report report.html
""")
def discover(
    source: SourceArguments,
    search: SearchArguments,
    output: OutputArguments,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the search that left --out laws.jsonl unfinished.")
    ] = False,
    report: ReportFile = None,
    state: NewState = None,
    counts: Counts = False,
    error: ErrorShare = None,
    error_measure: Annotated[
        ErrorMeasure, typer.Option(help="What --error is a share of: rows to remove, or pairs of rows.")
    ] = ErrorMeasure.ROWS,
) -> None:
    """Finds the minimal laws of a table: keys, functional and order dependencies, on request PODs and DCs.

    Those that are no mere chance (--min-bits), or all of them (--all). Limits end the search with the laws
    proven so far, the smallest first; Ctrl-C does so too.
    """
    from lawful.api import discover as find
    from lawful.report.column_table import print_notes
    from lawful.report.progress_bar import shown_progress

    output.check()
    if report is not None:
        check_discover_report(report, source, output.force, error)
    if error is not None:
        find_approximate(source, search, output, error, error_measure)
        return
    told = messages(output.quiet)
    tables: list[Relation] = []

    def on_read(table: Relation) -> None:
        tables.append(table)
        print_notes(table.misreadings(search.orders_texts), told, source.source)

    with shown_progress(told) as on_progress, source.spark() as spark:
        reading: Any = {
            "options": source.options(),
            "session": spark,
            "on_read": on_read,
            "on_progress": on_progress,
        }
        if state is not None:
            laws = kept_laws(source, search, output, state, counts, reading)
        else:
            into: Any = {"out": output.out, "force": output.force, "resume": resume}
            laws = find(source.source, **into, **reading, **search.settings())
    if report is not None:
        report_found(laws, source, tables[0], report)
    output.show(laws)
    if laws.facts.reason == "interrupted":
        raise typer.Exit(130)
