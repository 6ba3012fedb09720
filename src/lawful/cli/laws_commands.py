"""The commands that use laws: `lawful explain`, `normalize`, `orderby` and `export`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lawful.cli.arguments import AsJson, SourceArguments
from lawful.cli.running import command, console, messages, writing
from lawful.errors import LawfulError

if TYPE_CHECKING:
    from lawful.report import Laws


@dataclass(frozen=True)
class LawsArguments(SourceArguments):
    """The arguments of every command that takes laws from a file, or finds them in a table."""

    source: Annotated[
        str,
        typer.Argument(
            metavar="LAWS",
            help="A file of laws that `lawful discover --out` wrote, the folder of a state, or a table, "
            "whose laws are then found.",
            show_default=False,
        ),
    ]

    def laws(self) -> Laws:
        """The laws of the file or the state, or those of the table that are no mere chance."""
        from lawful.changes.state_folder import holds_state
        from lawful.report.law_files import holds_laws, load

        if holds_state(self.source):
            from lawful.api import open_state

            return open_state(self.source).laws()
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


Tool = Literal["sql", "spark-sql", "dbt", "great-expectations", "dqx", "soda", "pandera", "deequ"]


@command("""
    lawful export laws.json --to sql --name orders --out checks.sql
    lawful export laws.json --to great-expectations --out suite.json
    lawful export laws.json --to dbt --name orders --out tests/laws
    lawful export orders.csv --to pandera --top 20
""")
def export(
    laws: LawsArguments,
    output: TextArguments,
    to: Annotated[Tool, typer.Option(help="The tool that is to check the laws.", show_default=False)],
    name: Annotated[str | None, typer.Option(metavar="TABLE", help="What the table is called there.")] = None,
    top: Annotated[int | None, typer.Option(help="Export so many laws, those of the most bits.")] = None,
) -> None:
    """Writes laws as checks of other tools: queries that are right about NULL, expectations, tests."""
    from lawful.report.exports.tools import exported, write_export

    if to == "dbt" and output.out is None:
        raise LawfulError(f"{to} takes a file for each law: name a folder with --out")
    if to != "dbt":
        output.check(laws.source)
    found = laws.laws()
    wanted = found if top is None else found.top(top).with_facts(equivalents=())
    result = exported(wanted, to, name or laws.table_name)
    if output.out is not None:
        write_export(result, Path(output.out), laws.source, output.force)
    elif isinstance(result, str):
        output.write(result)


@command("""
    lawful normalize laws.json
    lawful normalize laws.json --form bcnf --name orders --out schema.sql
    lawful normalize orders.csv
""")
def normalize(
    laws: LawsArguments,
    output: TextArguments,
    form: Annotated[
        Literal["3nf", "bcnf"],
        typer.Option(help="Third normal form keeps all dependencies; Boyce-Codd's may lose some."),
    ] = "3nf",
    name: Annotated[str | None, typer.Option(metavar="TABLE", help="What the table is called.")] = None,
    as_json: AsJson = False,
) -> None:
    """Divides a table into parts in a normal form: SQL that makes them, fills them and joins them again."""
    output.check(laws.source)
    schema, table = laws.laws().normalize(form), name or laws.table_name
    if as_json:
        output.write_json(schema.to_json(table))
    else:
        output.write(schema.sql(table))


@command("""
    lawful orderby laws.json "select * from t order by zip, city"
    lawful orderby laws.json "select distinct zip, city from people" --dialect postgres
    lawful orderby laws.json "select * from flights order by day" --index "date, carrier desc"
""")
def orderby(
    laws: LawsArguments,
    output: TextArguments,
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A SELECT from the table of the laws.")],
    dialect: Annotated[
        str, typer.Option(help="The SQL that it is: spark, postgres, duckdb, sqlite, mysql, ...")
    ] = "spark",
    index: Annotated[
        list[str] | None,
        typer.Option(metavar="A,B,...", help="An index: does it serve the order? Repeatable."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="TABLE", help="The table of the laws, or its alias, where others are joined."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Shortens ORDER BY, GROUP BY and DISTINCT of a query by the laws of its table; needs lawful[sql]."""
    output.check(laws.source)
    advice = laws.laws().advise(query, dialect, index or (), name)
    if as_json:
        output.write_json(advice.to_json())
    else:
        output.write(f"{advice}\n")


@command("""
    lawful explain people.csv "{zip} -> city"
    lawful explain people.csv "key {name, born}" --laws laws.json
    lawful explain laws.json "{id} -> city"
""")
def explain(
    source: LawsArguments,
    law: Annotated[str, typer.Argument(metavar="LAW", help="A law, as in '{zip} -> city'.")],
    laws: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Laws of the table that lawful wrote, instead of a search."),
    ] = None,
    top: Annotated[int, typer.Option(help="Show so many groups or pairs that contradict it.", min=0)] = 5,
    as_json: AsJson = False,
) -> None:
    """Explains a law: its meaning, what it follows from, what contradicts it, and what holds instead."""
    from rich.text import Text

    from lawful.api import explain as explained
    from lawful.api import open_state
    from lawful.changes.state_folder import holds_state
    from lawful.report.law_files import holds_laws, load

    known = None if laws is None else load(laws)
    if holds_laws(source.source):
        found = source.laws().explain(law)
    elif holds_state(source.source):
        state = open_state(source.source)
        found = explained(state.relation, law, laws=known or state.laws(), top=top)
    else:
        with source.relation() as relation:
            found = explained(relation, law, laws=known, top=top)
    if as_json:
        TextArguments().write_json(found.to_json())
    else:
        with writing():
            console().print(Text(str(found)), soft_wrap=True)
