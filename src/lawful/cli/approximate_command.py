"""`lawful discover --error`: laws that hold almost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich.console import Console

from lawful.cli.arguments import ErrorMeasure, SearchArguments, SourceArguments
from lawful.cli.running import console, writing
from lawful.errors import LawfulError


def find_approximate(
    source: SourceArguments,
    search: SearchArguments,
    error: str,
    measure: ErrorMeasure,
    top: int,
    out: str | None,
    force: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Find laws that hold almost; print the first ones, and write all to a .json file."""
    from lawful.api import approximate
    from lawful.laws.text import visible_json
    from lawful.replacing import replaced_file
    from lawful.report.law_files import check_writable
    from lawful.report.progress_bar import shown_progress
    from lawful.report.verdict_tables import check_document, print_approximate

    if out is not None and Path(out).suffix.lower() != ".json":
        raise LawfulError("laws found with --error are written as JSON: let the name of --out end in .json")
    if out is not None:
        check_writable(out, source.source, force)
    settings: Any = {name: value for name, value in search.settings().items() if name != "engine"}
    with shown_progress(Console(stderr=True, highlight=False, quiet=quiet)), source.spark() as spark:
        laws = approximate(
            source.source,
            error,
            error_measure=measure.value,
            options=source.options(),
            session=spark,
            **settings,
        )
    document = check_document(laws, 0, ())
    if out is not None:
        with replaced_file(Path(out)) as temporary:
            temporary.write_text(visible_json(document, indent=2) + "\n", "utf-8")
    with writing():
        if as_json:
            print(visible_json(document, indent=2))
        elif not quiet:
            print_approximate(laws, console(), top)
