"""The command line: arguments in, calls out."""

from __future__ import annotations

import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated, Any

import typer
from rich.console import Console

from lawful.cli import approximate_command, checking_command, explain_command, suspects_command
from lawful.cli.arguments import ErrorMeasure, Order, SearchArguments, SourceArguments
from lawful.cli.exporting import EXPORT_EXAMPLES, export
from lawful.cli.normalizing import NORMALIZE_EXAMPLES, normalize
from lawful.cli.ordering_by import ORDERBY_EXAMPLES, orderby
from lawful.cli.running import command, console, writing
from lawful.cli.state_commands import COMMANDS
from lawful.errors import LawfulError

_COLUMNS_EXAMPLES = """
Examples:

\b
  lawful columns people.csv
  lawful columns people.csv --delimiter ';' --null NA --type zip=string
  lawful columns 'logs/*.parquet' --json
  lawful columns jdbc:postgresql://host/shop --table orders --property user=me
  lawful columns orders.csv --master spark://host:7077 --conf spark.executor.memory=4g
"""
_DISCOVER_EXAMPLES = """
Examples:

\b
  lawful discover people.csv
  lawful discover people.csv --kinds key,fd --max-size 3 --out laws.json
  lawful discover 'orders/*.parquet' --time-limit 5m --top 50
  lawful discover orders.parquet --master spark://host:7077
  lawful discover people.csv --all --kinds fd --sort size
  lawful discover people.csv --min-bits 20 --unordered city --json
  lawful discover people.csv --kinds pod,dc --cross-columns off --max-size 3
  lawful discover people.csv --state people.state
"""
_EXAMPLES = """
Examples:

\b
  lawful columns people.csv
  lawful discover people.csv
  lawful discover --help
"""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"lawful {version('lawful')}")
        raise typer.Exit


@app.callback(epilog=_EXAMPLES)
def lawful(
    _: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Finds the laws that a table obeys."""


@app.command(epilog=_COLUMNS_EXAMPLES)
@command
def columns(
    source: SourceArguments,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
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


@app.command(epilog=_DISCOVER_EXAMPLES)
@command
def discover(
    source: SourceArguments,
    search: SearchArguments,
    top: Annotated[
        int | None, typer.Option(help="Show so many laws, the first by --sort (--out gets all).")
    ] = None,
    sort: Annotated[
        Order,
        typer.Option(help="Show first what chance explains least, what most pairs of rows show, short laws."),
    ] = Order.BITS,
    all_lines: Annotated[
        bool, typer.Option("--all-lines", help="Print every law, not only the first of each kind.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors; --out gets the laws.")
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write to a .json, .csv, .parquet or .jsonl file; the last grows.",
        ),
    ] = None,
    state: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="Keep the table and all its laws in a new folder, for lawful insert and delete.",
        ),
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Let --state count the agree-sets of all pairs of rows.")
    ] = False,
    out_top: Annotated[
        bool, typer.Option("--out-top", help="Write to --out only the laws that --top shows.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Let --out replace a file that lawful did not write.")
    ] = False,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the search that left --out laws.jsonl unfinished.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="Find laws that fail by such a share at most; auto: the FDs that save bits.",
        ),
    ] = None,
    error_measure: Annotated[
        ErrorMeasure, typer.Option(help="What --error is a share of: rows to remove, or pairs of rows.")
    ] = ErrorMeasure.ROWS,
) -> None:
    """Finds the minimal laws of a table: keys, functional and order dependencies, on request PODs and DCs.

    Those that are no mere chance (--min-bits), or all of them (--all). Limits end the search with the laws
    proven so far, the smallest first; Ctrl-C does so too.
    """
    from lawful.api import discover as find
    from lawful.keeping import keep
    from lawful.report.column_table import print_notes
    from lawful.report.law_files import write_json
    from lawful.report.progress_bar import shown_progress
    from lawful.report.sentences import SHOWN
    from lawful.report.tables import print_all_lines, print_laws

    if top is not None and top < 1:
        raise LawfulError(f"top must be at least 1, not {top}")
    if out_top and (top is None or out is None):
        raise LawfulError("--out-top needs --top and --out: it says that the file gets what --top shows")
    if error is not None:
        approximate_command.find_approximate(
            source, search, error, error_measure, SHOWN if top is None else top, out, force, quiet, as_json
        )
        return
    errors = Console(stderr=True, highlight=False, quiet=quiet)
    with shown_progress(errors) as on_progress, source.spark() as spark:
        told: Any = {
            "options": source.options(),
            "session": spark,
            "on_read": lambda table: print_notes(
                table.misreadings(search.orders_texts), errors, source.source
            ),
            "on_progress": on_progress,
        }
        if state is None:
            laws = find(source.source, out=out, force=force, resume=resume, **told, **search.settings())
        else:
            kept = keep(source.source, folder=state, counts=counts or None, **told, **search.kept_settings())
            laws = kept.laws(10.0 if search.min_bits is None else search.min_bits, all=search.all)
            if out is not None:
                laws.save(out)
    laws = laws if sort is Order.BITS else laws.sorted(sort.value)
    wanted = laws if top is None else laws.top(top, sort.value)
    if out is not None and out_top:
        wanted.save(out)
    with writing():
        if quiet:
            pass
        elif as_json:
            write_json(wanted, sys.stdout)
        elif all_lines:
            print_all_lines(wanted, console())
        else:
            print_laws(laws, console(), top, sort.value)
    if laws.facts.reason == "interrupted":
        raise typer.Exit(130)


for _command, _examples in COMMANDS.items():
    app.command(epilog=_examples)(_command)
app.command(epilog=checking_command.EXAMPLES)(checking_command.check)
app.command(epilog=explain_command.EXAMPLES)(explain_command.explain)
app.command(epilog=suspects_command.EXAMPLES)(suspects_command.suspects)
app.command(epilog=EXPORT_EXAMPLES)(command(export))
app.command(epilog=NORMALIZE_EXAMPLES)(command(normalize))
app.command(epilog=ORDERBY_EXAMPLES)(command(orderby))


def main() -> None:
    """The command `lawful`."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character shows its code.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
