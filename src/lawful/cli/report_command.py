"""`lawful report`: a page that people open."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lawful.cli.arguments import SearchArguments, SourceArguments
from lawful.cli.running import command, console, messages, writing
from lawful.errors import LawfulError

if TYPE_CHECKING:
    from lawful.report import Laws
    from lawful.report.page.page_document import Reported
    from lawful.table import Relation

ReportFile = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Write a page for people, as lawful report does, to an .html file."),
]


@dataclass(frozen=True)
class ReportArguments(SourceArguments):
    """The arguments of a command that takes a table, a file of laws or a state."""

    source: Annotated[
        str,
        typer.Argument(
            help="A table as lawful discover takes it; a file of laws; the folder of a state.",
            show_default=False,
        ),
    ]


@command("""
    lawful report people.csv --out people.html
    lawful report people.csv --suspects
    lawful report laws.json
    lawful report new.csv --laws laws.json
    lawful report people.csv --error 0.01
    lawful report people.state
""")
def report(
    source: ReportArguments,
    search: SearchArguments,
    out: Annotated[str, typer.Option("--out", "-o", metavar="FILE", help="The page.")] = "report.html",
    laws: Annotated[
        str | None,
        typer.Option(
            metavar="LAWS", help="Show what the table says of these laws: a file of laws or one law."
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(metavar="SHARE", help="Find laws that fail by such a share of rows at most, or auto."),
    ] = None,
    suspects: Annotated[bool, typer.Option("--suspects", help="Show cells that are likely wrong.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a file that lawful did not write.")] = False,
) -> None:
    """Writes a page for people: a table, its columns, its laws to search, and how columns hang together."""
    from lawful.report.page.page_file import check_report_file, write_report
    from lawful.report.sentences import number

    check_report_file(out, source.source, force)
    reported = _Making(source, search, suspects).made(laws, error)
    write_report(reported, out)
    with writing():
        console().print(f"{out}: {number(len(reported.laws), 'law')}", markup=False)
    if reported.laws.facts.reason == "interrupted":
        raise typer.Exit(130)


@dataclass(frozen=True)
class _Making:
    """How the parts of a page come together."""

    source: ReportArguments
    search: SearchArguments
    suspects: bool

    def made(self, laws: str | None, error: str | None) -> Reported:
        """What the page is made of."""
        from lawful.changes.state_folder import holds_state
        from lawful.report.law_files import holds_laws

        if laws is not None and error is not None:
            raise LawfulError("--laws are given laws and --error finds some: choose one of them")
        if holds_laws(self.source.source):
            return self._of_file()
        if holds_state(self.source.source):
            return self._of_state()
        from lawful.report.progress_bar import shown_progress

        with (
            shown_progress(messages()) as on_progress,
            self.source.spark() as spark,
        ):
            if laws is not None:
                return self._checked(laws, spark)
            if error is not None:
                return self._approximate(error, spark)
            return self._found(on_progress, spark)

    def _of_file(self) -> Reported:
        from lawful.report.law_files import load
        from lawful.report.page.page_document import Reported

        if self.suspects:
            raise LawfulError(
                "--suspects are cells of a table: use lawful report TABLE --laws FILE --suspects"
            )
        return Reported(load(self.source.source), self._name)

    def _of_state(self) -> Reported:
        from lawful.api import open_state

        state = open_state(self.source.source)
        least = 10.0 if self.search.min_bits is None else self.search.min_bits
        return state.reported(least, self.search.all, self._suspects(state.relation))

    def _checked(self, laws: str, spark: Any) -> Reported:
        from lawful.report.law_files import holds_laws, load
        from lawful.report.law_sources import laws_from
        from lawful.report.page.page_making import reported_on
        from lawful.table import read

        given = load(laws) if holds_laws(laws) else laws_from(laws)
        relation = read(self.source.source, self.source.options(), spark)
        return reported_on(given, relation, self._name, self._suspects(relation))

    def _approximate(self, error: str, spark: Any) -> Reported:
        from lawful.api import approximate
        from lawful.report.page.page_document import Reported
        from lawful.report.page.page_verdicts import laws_of_verdicts

        settings: Any = {name: value for name, value in self.search.settings().items() if name != "engine"}
        verdicts = approximate(
            self.source.source, error, options=self.source.options(), session=spark, **settings
        )
        relation = verdicts.relation
        return Reported(laws_of_verdicts(verdicts), self._name, relation, verdicts, self._suspects(relation))

    def _found(self, on_progress: Any, spark: Any) -> Reported:
        from lawful.api import discover
        from lawful.report.page.page_document import Reported

        read: list[Relation] = []
        told: Any = {"options": self.source.options(), "session": spark, "on_progress": on_progress}
        laws = discover(self.source.source, on_read=read.append, **told, **self.search.settings())
        return Reported(laws, self._name, read[0], suspects=self._suspects(read[0]))

    def _suspects(self, relation: Relation) -> Any:
        from lawful.report.page.page_making import suspect_cells

        return suspect_cells(relation) if self.suspects else None

    @property
    def _name(self) -> str:
        from lawful.report.page.page_making import name_of

        return name_of(self.source.source)


def check_discover_report(path: str, source: SourceArguments, force: bool, error: str | None) -> None:
    """Raise now if a search could not write its page."""
    from lawful.report.page.page_file import check_report_file

    if error is not None:
        raise LawfulError("--report shows exact laws: use lawful report SOURCE --error for others")
    check_report_file(path, source.source, force)


def report_found(laws: Laws, source: SourceArguments, relation: Relation, path: str) -> None:
    """Write the page of laws that a search found."""
    from lawful.report.page.page_document import Reported
    from lawful.report.page.page_file import write_report
    from lawful.report.page.page_making import name_of

    write_report(Reported(laws, name_of(source.source), relation), path)
