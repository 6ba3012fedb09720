"""The arguments that commands have in common: what each one means is said here only."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from lawful.errors import LawfulError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lawful.table import Relation, SourceOptions


EngineName = Literal["auto", "local", "spark"]
ErrorMeasure = Literal["rows", "pairs"]  # of what a share may be against a law
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True)
class SourceArguments:
    """The arguments of every command that reads a table."""

    source: Annotated[
        str,
        typer.Argument(
            help="A file, folder or glob (CSV, TSV, Parquet, JSON, ORC, xlsx; .gz, .zip), - for standard "
            "input, a jdbc: URL or table:name.",
            show_default=False,
        ),
    ]
    format: Annotated[
        str | None, typer.Option(help="csv, tsv, parquet, json, orc or xlsx; by default from the name.")
    ] = None
    delimiter: Annotated[str | None, typer.Option(help="What separates CSV fields; sniffed.")] = None
    quote: Annotated[str | None, typer.Option(help="What surrounds a CSV field; '' for nothing.")] = None
    escape: Annotated[str | None, typer.Option(help="What escapes a quote within quotes.")] = None
    header: Annotated[bool, typer.Option(help="Whether the first line of a CSV file has the names.")] = True
    null: Annotated[
        list[str] | None,
        typer.Option(help="A text that means NULL, as an empty field does; repeatable."),
    ] = None
    comment: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="CSV lines that begin with it are passed over, as in #."),
    ] = None
    encoding: Annotated[str | None, typer.Option(help="Of CSV text, such as latin-1; sniffed.")] = None
    multiline: Annotated[
        bool, typer.Option("--multiline", help="CSV values with line breaks are common.")
    ] = False
    date_format: Annotated[
        list[str] | None, typer.Option(help="A format of dates or times, such as dd.MM.yyyy; repeatable.")
    ] = None
    decimal: Annotated[
        str | None,
        typer.Option(help="The decimal mark, ',' or '.', where numbers such as 1,234 leave it open."),
    ] = None
    type: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=TYPE", help="Fixes a column's type, as in zip=string; repeatable."),
    ] = None
    unordered: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="A column whose order means nothing; repeatable."),
    ] = None
    nulls: Annotated[
        Literal["equal", "distinct"],
        typer.Option(help="NULL equals NULL and sorts first, or NULL equals nothing."),
    ] = "equal"
    table: Annotated[
        str | None, typer.Option(help="The table or (query) of a jdbc: source; the sheet of a spreadsheet.")
    ] = None
    property: Annotated[
        list[str] | None,
        typer.Option(metavar="KEY=VALUE", help="For Spark's reader, as in user=me; repeatable."),
    ] = None
    master: Annotated[
        str | None,
        typer.Option(help="Spark's master: local[4], spark://host:7077, sc://host (default: local[*])."),
    ] = None
    conf: Annotated[
        list[str] | None, typer.Option(metavar="KEY=VALUE", help="A setting of Spark; repeatable.")
    ] = None
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False

    def options(self) -> SourceOptions:
        """How to read the source, which is no state."""
        from lawful.table import SourceOptions

        _refuse_state(self.source)
        return SourceOptions(
            format=self.format,
            delimiter=self.delimiter,
            quote=self.quote,
            escape=self.escape,
            header=self.header,
            null_markers=tuple(self.null or ()),
            comment=self.comment,
            encoding=self.encoding,
            multiline=self.multiline,
            date_formats=tuple(self.date_format or ()),
            decimal=self.decimal,
            types=_pairs("--type", self.type),
            unordered=tuple(self.unordered or ()),
            nulls=self.nulls,
            table=self.table,
            properties=_pairs("--property", self.property),
        )

    def spark(self) -> AbstractContextManager[SparkSession | None]:
        """The session that the arguments ask for; None where they leave it to the table to start one."""
        settings = _pairs("--conf", self.conf)
        if self.master is None and not settings:
            return nullcontext()
        from lawful.spark import session

        return session(self.master, settings)

    @contextmanager
    def relation(self) -> Iterator[Relation]:
        """The table with its ranks."""
        from lawful.table import read

        with self.spark() as spark:
            yield read(self.source, options=self.options(), session=spark)


@dataclass(frozen=True)
class SearchArguments:
    """The arguments of every command that looks for laws."""

    kinds: Annotated[str, typer.Option(help="Kinds of law: key, fd, od, pod, dc, separated by commas.")] = (
        "key,fd,od"
    )
    max_size: Annotated[int | None, typer.Option(help="At most so many attributes in a law.")] = None
    time_limit: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Stop after, as in 90, 90s, 5m or 1h.")
    ] = None
    memory_limit: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Stop when lawful holds so much, as in 800MB or 4GB (default: most of what is free).",
        ),
    ] = None
    partition_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="What each process may keep of partitions (default: 16 bytes a cell here, 4 on a cluster).",
        ),
    ] = None
    min_bits: Annotated[
        float | None,
        typer.Option(
            metavar="BITS",
            help="Find the laws that chance explains once in 2^BITS searches at most (default: 10).",
        ),
    ] = None
    all: Annotated[
        bool,
        typer.Option("--all", help="Find all minimal laws, of all columns, mere chance and echoes too."),
    ] = False
    min_score: Annotated[
        float, typer.Option(help="Only laws whose context so large a share of pairs of rows agrees on.")
    ] = 0.0
    engine: Annotated[
        EngineName,
        typer.Option(help="Where the search runs: in this process, as Spark tasks, or as pays."),
    ] = "auto"
    workers: Annotated[int | None, typer.Option(help="Threads of a local search (default: all cores).")] = (
        None
    )
    sample_rows: Annotated[int, typer.Option(help="Random rows, all pairs of which start the evidence.")] = (
        100
    )
    pairs_kept: Annotated[int, typer.Option(help="Violating pairs to learn from a refuted law.")] = 10
    seed: Annotated[int, typer.Option(help="Of the sample; the result does not depend on it.")] = 0
    cross_columns: Annotated[
        Literal["auto", "off", "all"],
        typer.Option(help="Which columns DCs compare with each other: similar ones, none, all of one type."),
    ] = "auto"
    order_strings: Annotated[
        bool, typer.Option("--order-strings", help="Let PODs and DCs use the order of texts.")
    ] = False
    columns: Annotated[
        str | None,
        typer.Option(metavar="A,B,...", help="The columns that laws may speak of (default: all)."),
    ] = None
    about: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Only laws that speak of this column.")
    ] = None
    exclude: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns that laws may not speak of.")
    ] = None

    @property
    def orders_texts(self) -> bool:
        """Whether the order of texts matters."""
        return self.order_strings or "od" in [kind.strip() for kind in self.kinds.lower().split(",")]

    def settings(self) -> Mapping[str, Any]:
        """The search as `lawful.discover` takes it."""
        return {
            **asdict(self),
            "columns": None if self.columns is None else names_in(self.columns),
            "exclude": () if self.exclude is None else names_in(self.exclude),
        }

    def kept_settings(self) -> Mapping[str, Any]:
        """The search as `lawful.keep` takes it: where it runs and what is shown are not its matter."""
        others = ("engine", "workers", "all", "min_bits")
        return {name: value for name, value in self.settings().items() if name not in others}


def _refuse_state(source: str) -> None:
    if not Path(source).is_dir():
        return
    from lawful.changes.state_folder import holds_state

    if holds_state(source):
        raise LawfulError(
            f"{source!r} is a state, not a table: lawful laws {source} shows its laws, "
            f"lawful check TABLE {source} checks a table by them"
        )


def _pairs(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    pairs = {}
    for text in texts or ():
        key, equals, value = text.rpartition("=") if option == "--type" else text.partition("=")
        if not key or not equals:
            raise LawfulError(f"{option} {text!r} has no key=value: write {option} key=value")
        pairs[key] = value
    return pairs


def names_in(text: str) -> tuple[str, ...]:
    """Names separated by commas; one with a comma in it stands in quotes."""
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True)))
