"""The arguments of every command that shows laws: which of them, how, and which file gets them."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from lawful.cli.arguments import AsJson
from lawful.cli.running import console, writing
from lawful.errors import LawfulError

if TYPE_CHECKING:
    from lawful.report import Laws


@dataclass(frozen=True)
class OutputArguments:
    """What is shown of laws, and what is written to a file."""

    top: Annotated[
        int | None,
        typer.Option(help="Show so many laws of each kind, the first by --sort; 0: none (--out gets all)."),
    ] = None
    sort: Annotated[
        Literal["bits", "score", "size"],
        typer.Option(help="Show first what chance explains least, what most pairs of rows show, short laws."),
    ] = "bits"
    all_lines: Annotated[
        bool, typer.Option("--all-lines", help="Print every law, not only the first of each kind.")
    ] = False
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print nothing but errors; --out gets the laws.")
    ] = False
    out: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Write to a .json, .csv, .parquet or .jsonl file; the last grows."),
    ] = None
    out_top: Annotated[
        bool, typer.Option("--out-top", help="Write to --out only the laws that --top shows.")
    ] = False
    force: Annotated[
        bool, typer.Option("--force", help="Let --out replace a file that lawful did not write.")
    ] = False
    as_json: AsJson = False

    def check(self) -> None:
        """Refuse what makes no sense, before there is anything to show."""
        if self.top is not None and self.top < 0:
            raise LawfulError(f"top must be at least 0, not {self.top}")
        if self.out_top and (self.top is None or self.out is None):
            raise LawfulError("--out-top needs --top and --out: it says that the file gets what --top shows")

    def check_best_first(self, option: str) -> None:
        """Refuse other ways to show laws than an option has, the most bits first."""
        others = {"--sort": self.sort != "bits", "--all-lines": self.all_lines, "--out-top": self.out_top}
        if unfit := [name for name, given in others.items() if given]:
            raise LawfulError(f"{option} shows the laws with the most bits first: leave out {unfit[0]}")

    def check_file(self, source: str | None = None) -> None:
        """Refuse a file that cannot or may not be written."""
        from lawful.report.law_files import check_writable

        if self.out is not None:
            check_writable(self.out, source, self.force)

    def save(self, laws: Laws) -> None:
        """Write the laws to the file."""
        if self.out is not None:
            laws.save(self.out, self.force)

    def show(self, found: Laws) -> None:
        """Print the laws as asked; the file, which has them all, gets what is shown if it is to."""
        from lawful.report.law_files import write_json
        from lawful.report.sentences import SHOWN
        from lawful.report.tables import print_all_lines, print_laws

        laws = found if self.sort == "bits" else found.sorted(self.sort)
        wanted = laws if self.top is None else laws.first_of_kinds(self.top)
        if self.out_top:
            self.save(wanted)
        with writing():
            if self.quiet:
                pass
            elif self.as_json:
                write_json(wanted, sys.stdout)
            elif self.all_lines:
                print_all_lines(wanted, console())
            else:
                print_laws(laws, console(), SHOWN if self.top is None else self.top)
