"""`lawful discover --error`: laws that hold almost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from lawful.cli.arguments import ErrorMeasure, SearchArguments, SourceArguments
from lawful.cli.output_arguments import OutputArguments
from lawful.cli.running import console, messages, writing
from lawful.errors import LawfulError

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
    output.check_file(source.source)
    settings: Any = {name: value for name, value in search.settings().items() if name != "engine"}
    with shown_progress(messages(output.quiet)), source.spark() as spark:
        laws = approximate(
            source.source,
            error,
            error_measure=measure.value,
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
            print_approximate(laws, console(), output.top or SHOWN)
    if laws.reason == "interrupted":
        raise typer.Exit(130)
