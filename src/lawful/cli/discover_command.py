"""`lawful discover`: the laws of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lawful.cli.arguments import ErrorMeasure, SearchArguments, SourceArguments
from lawful.cli.output_arguments import OutputArguments
from lawful.cli.report_command import ReportFile, check_discover_report, report_found
from lawful.cli.running import command, console, messages, writing
from lawful.cli.state_commands import Counts, NewState, kept_laws
from lawful.errors import LawfulError

if TYPE_CHECKING:
    from lawful.table import Relation

ErrorShare = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Find laws that fail by such a share at most; auto: those worth the most bits.",
    ),
]


def find_approximate(
    source: SourceArguments,
    search: SearchArguments,
    output: OutputArguments,
    error: str,
    measure: ErrorMeasure,
) -> None:
    """Find laws that hold almost; print the first ones, and write all to a .json file."""
    from lawful.api import approximate
    from lawful.laws.text import visible_json
    from lawful.replacing import replaced_file
    from lawful.report.progress_bar import shown_progress
    from lawful.report.sentences import SHOWN
    from lawful.report.verdict_tables import print_approximate
    from lawful.report.verdict_words import check_document

    if output.out is not None and Path(output.out).suffix.lower() != ".json":
        raise LawfulError("laws found with --error are written as JSON: let the name of --out end in .json")
    output.check_best_first("--error")
    output.check_file(source.source)
    settings: Any = {name: value for name, value in search.settings().items() if name != "engine"}
    with shown_progress(messages(output.quiet)), source.spark() as spark:
        laws = approximate(
            source.source,
            error,
            error_measure=measure,
            options=source.options(),
            session=spark,
            **settings,
        )
    document = check_document(laws, 0, ())
    if output.out is not None:
        with replaced_file(Path(output.out)) as temporary:
            temporary.write_text(visible_json(document, indent=2) + "\n", "utf-8")
    with writing():
        if output.as_json:
            print(visible_json(document, indent=2))
        elif not output.quiet:
            print_approximate(laws, console(), SHOWN if output.top is None else output.top)
    if laws.reason == "interrupted":
        raise typer.Exit(130)


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
    ] = "rows",
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
    if counts and state is None:
        raise LawfulError("--counts are kept by a state: name its folder with --state")
    if error is not None:
        if state is not None or resume:
            raise LawfulError("--state and --resume are for laws that hold: leave out --error, or these")
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
