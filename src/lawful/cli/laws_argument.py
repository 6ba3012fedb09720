"""What the commands that use laws have in common: where the laws come from, where the output goes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lawful.cli.arguments import SourceArguments
from lawful.cli.running import messages, writing

if TYPE_CHECKING:
    from lawful.report import Laws


@dataclass(frozen=True)
class LawsArguments(SourceArguments):
    """The arguments of every command that takes laws from a file, or finds them in a table."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="LAWS",
            help="A file of laws that `lawful discover --out` wrote; or a table, whose laws are then found.",
            show_default=False,
        ),
    ]

    def laws(self) -> Laws:
        """The laws of the file, or those of the table that are no mere chance."""
        from lawful.report.law_files import holds_laws, load

        return load(self.source) if holds_laws(self.source) else self._found()

    def _found(self) -> Laws:
        from lawful.api import discover
        from lawful.report.progress_bar import shown_progress

        with shown_progress(messages()) as on_progress, self.spark() as spark:
            return discover(self.source, options=self.options(), session=spark, on_progress=on_progress)

    @property
    def table_name(self) -> str:
        """What the table may be called: by its file, where that is known."""
        from lawful.report.law_files import holds_laws
        from lawful.report.sql_names import plain_name

        return "data" if holds_laws(self.source) else plain_name(Path(self.source).stem)


AsJson = Annotated[bool, typer.Option("--json", help="Write JSON.")]


@dataclass(frozen=True)
class TextArguments:
    """Where the text that a command makes of laws goes."""

    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write to a file, not to standard output."),
    ] = None
    force: Annotated[
        bool, typer.Option("--force", help="Let --out replace a file that lawful did not write.")
    ] = False

    def check(self, source: str) -> None:
        """Refuse a file that cannot or may not be written, before a long search."""
        from lawful.report.text_files import check_text_file

        if self.out is not None:
            check_text_file(Path(self.out), source, self.force)

    def write(self, text: str) -> None:
        """Write a text to standard output or to the file."""
        from lawful.report.text_files import write_text

        if self.out is not None:
            write_text(text, Path(self.out))
            return
        with writing():
            print(text, end="")

    def write_json(self, document: dict[str, Any]) -> None:
        """Write a document as JSON."""
        from lawful.laws.text import visible_json

        self.write(f"{visible_json(document, indent=2)}\n")
