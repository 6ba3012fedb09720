"""The command line: arguments in, calls out."""

from __future__ import annotations

import csv
import inspect
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import wraps
from importlib.metadata import version
from io import TextIOWrapper
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer
from rich.console import Console

from lawful.errors import LawfulError

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from lawful.table import Relation, SourceOptions

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
  lawful discover people.csv --min-score 0.01 --unordered city --json
  lawful discover people.csv --kinds dc --cross-columns off --max-size 3
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


class EngineName(StrEnum):
    """Where a search runs."""

    AUTO = "auto"
    LOCAL = "local"
    SPARK = "spark"


class CrossColumns(StrEnum):
    """Which columns denial constraints compare with each other."""

    AUTO = "auto"
    OFF = "off"
    ALL = "all"


class Nulls(StrEnum):
    """How two NULLs compare."""

    EQUAL = "equal"
    DISTINCT = "distinct"


@dataclass(frozen=True)
class Source:
    """The arguments of every command that reads a table; what each one means is said here only."""

    source: Annotated[
        str,
        typer.Argument(
            help="A file, folder or glob (CSV, TSV, Parquet, JSON lines, ORC), a jdbc: URL or table:name.",
            show_default=False,
        ),
    ]
    format: Annotated[
        str | None, typer.Option(help="csv, tsv, parquet, json or orc; by default from the name.")
    ] = None
    delimiter: Annotated[str | None, typer.Option(help="What separates CSV fields; sniffed.")] = None
    quote: Annotated[str | None, typer.Option(help="What surrounds a CSV field; '' for nothing.")] = None
    escape: Annotated[str | None, typer.Option(help="What escapes a quote within quotes.")] = None
    header: Annotated[bool, typer.Option(help="Whether the first line of a CSV file has the names.")] = True
    null: Annotated[
        list[str] | None,
        typer.Option(help="A text that means NULL; repeat for more (default: an empty field)."),
    ] = None
    encoding: Annotated[str | None, typer.Option(help="Of CSV text, such as latin-1; sniffed.")] = None
    multiline: Annotated[
        bool, typer.Option("--multiline", help="CSV values with line breaks are common.")
    ] = False
    date_format: Annotated[
        list[str] | None, typer.Option(help="A format of dates or times, such as dd.MM.yyyy; repeatable.")
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
        Nulls, typer.Option(help="NULL equals NULL and sorts first, or NULL equals nothing.")
    ] = Nulls.EQUAL
    table: Annotated[str | None, typer.Option(help="The table or (query) of a jdbc: source.")] = None
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
        """How to read the source."""
        from lawful.table import SourceOptions

        given = {"null_markers": tuple(self.null)} if self.null else {}
        return SourceOptions(
            format=self.format,
            delimiter=self.delimiter,
            quote=self.quote,
            escape=self.escape,
            header=self.header,
            encoding=self.encoding,
            multiline=self.multiline,
            date_formats=tuple(self.date_format or ()),
            types=_pairs("--type", self.type),
            unordered=tuple(self.unordered or ()),
            nulls=self.nulls.value,
            table=self.table,
            properties=_pairs("--property", self.property),
            **given,
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


def _pairs(option: str, texts: Sequence[str] | None) -> dict[str, str]:
    pairs = {}
    for text in texts or ():
        key, equals, value = text.rpartition("=") if option == "--type" else text.partition("=")
        if not key or not equals:
            raise LawfulError(f"{option} {text!r} has no key=value: write {option} key=value")
        pairs[key] = value
    return pairs


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """Makes a Typer command of a function whose first parameter is a `Source`.

    The command gets all arguments of `Source` besides the function's own, and its errors become
    one line each.
    """
    own = list(inspect.signature(command, eval_str=True).parameters.values())[1:]
    hints = get_type_hints(Source, include_extras=True)
    shared = [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=getattr(Source, field.name, inspect.Parameter.empty),
            annotation=hints[field.name],
        )
        for field in fields(Source)
    ]

    @wraps(command)
    def run(**arguments: Any) -> None:
        source = Source(**{field.name: arguments.pop(field.name) for field in fields(Source)})
        with _told_in_one_line(debug=source.debug):
            command(source, **arguments)

    parameters = [*shared, *(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own)]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    del run.__wrapped__
    return run


@contextmanager
def _told_in_one_line(debug: bool) -> Iterator[None]:
    try:
        yield
    except typer.Exit:
        raise
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except Exception as error:
        if debug:
            traceback.print_exc()
        expected = isinstance(error, LawfulError)
        print(f"lawful: {error if expected else _unexpected(error)}", file=sys.stderr)
        raise typer.Exit(2 if expected else 1) from None


@contextmanager
def _writing() -> Iterator[None]:
    """Whatever is printed within the block is written at its end, so that a failure is ours to tell."""
    try:
        yield
        sys.stdout.flush()
    except OSError as error:
        # Python tries again at exit; this time it succeeds.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise typer.Exit(1) from None
        raise LawfulError(
            f"the output cannot be written ({error.strerror}): make room for it, or write it elsewhere"
        ) from error


def _unexpected(error: Exception) -> str:
    first_line = next(iter(str(error).splitlines()), "")
    return f"unexpected {type(error).__name__}: {first_line} (run with --debug for the traceback)"


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
@reads_a_table
def columns(
    source: Source,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows the columns of a table: type, order, distinct values, NULLs and sample values."""
    from lawful.report.columns import describe, print_columns

    with source.relation() as relation:
        description = describe(source.source, relation)
    with _writing():
        if as_json:
            print(json.dumps(description, ensure_ascii=False, indent=2, default=str))
        else:
            print_columns(description, _console())


@app.command(epilog=_DISCOVER_EXAMPLES)
@reads_a_table
def discover(
    source: Source,
    kinds: Annotated[
        str, typer.Option(help="Kinds of law: key, fd, od, dc, separated by commas.")
    ] = "key,fd,od",
    max_size: Annotated[int | None, typer.Option(help="At most so many attributes in a law.")] = None,
    time_limit: Annotated[
        str | None, typer.Option(metavar="DURATION", help="Stop after, as in 90, 90s, 5m or 1h.")
    ] = None,
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Stop when lawful holds so much, as in 800MB or 4GB.")
    ] = None,
    partition_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE", help="What each process may keep of partitions (default: 4 bytes a cell)."
        ),
    ] = None,
    min_score: Annotated[
        float, typer.Option(help="Only laws whose context so large a share of row pairs agrees on.")
    ] = 0.0,
    top: Annotated[int | None, typer.Option(help="Only so many laws, those with the best scores.")] = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            help="Write to a .json, .csv, .parquet or .jsonl file; the last grows.",
        ),
    ] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with the search that left --out laws.jsonl unfinished.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    engine: Annotated[
        EngineName,
        typer.Option(help="Where the search runs: in this process, as Spark tasks, or as pays."),
    ] = EngineName.AUTO,
    workers: Annotated[
        int | None, typer.Option(help="Threads of a local search (default: all cores).")
    ] = None,
    sample_rows: Annotated[
        int, typer.Option(help="Random rows, all pairs of which start the evidence.")
    ] = 100,
    pairs_kept: Annotated[int, typer.Option(help="Violating pairs to learn from a refuted law.")] = 10,
    seed: Annotated[int, typer.Option(help="Of the sample; the result does not depend on it.")] = 0,
    cross_columns: Annotated[
        CrossColumns,
        typer.Option(help="Which columns DCs compare with each other: similar ones, none, all of one type."),
    ] = CrossColumns.AUTO,
    order_strings: Annotated[
        bool, typer.Option("--order-strings", help="Let DCs use the order of texts.")
    ] = False,
    columns: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="The columns that DCs may use (default: all).")
    ] = None,
    exclude: Annotated[
        str | None, typer.Option(metavar="A,B,...", help="Columns that DCs may not use.")
    ] = None,
) -> None:
    """Finds all minimal laws of a table: keys, functional, order dependencies and denial constraints (DCs).

    Limits end the search with the laws proven so far, the smallest first; Ctrl-C does so too.
    """
    from lawful.api import discover as find
    from lawful.report.files import write_json
    from lawful.report.progress import shown_progress
    from lawful.report.tables import print_laws

    with shown_progress(Console(stderr=True)) as on_progress, source.spark() as spark:
        laws = find(
            source.source,
            [kind.strip() for kind in kinds.split(",")],
            options=source.options(),
            engine=engine.value,
            session=spark,
            top=top,
            workers=workers,
            on_progress=on_progress,
            out=out,
            resume=resume,
            max_size=max_size,
            time_limit=duration("--time-limit", time_limit),
            memory_limit=size_in_bytes("--memory-limit", memory_limit),
            partition_memory=size_in_bytes("--partition-memory", partition_memory),
            min_score=min_score,
            sample_rows=sample_rows,
            pairs_kept=pairs_kept,
            seed=seed,
            cross_columns=cross_columns.value,
            order_strings=order_strings,
            columns=None if columns is None else _names(columns),
            exclude=() if exclude is None else _names(exclude),
        )
    with _writing():
        if as_json:
            write_json(laws, sys.stdout)
        else:
            print_laws(laws, _console())
    if laws.facts.reason == "interrupted":
        raise typer.Exit(130)


def _names(text: str) -> tuple[str, ...]:
    """Names separated by commas; one with a comma in it stands in quotes."""
    return tuple(name.strip() for name in next(csv.reader([text], skipinitialspace=True)))


def _console() -> Console:
    # Nothing may be cut off or broken where no terminal sets a width.
    return Console(width=None if sys.stdout.isatty() else 100_000, highlight=False)


def duration(option: str, text: str | None) -> float | None:
    """Seconds, from a number with or without s, m or h."""
    return None if text is None else _amount(option, text, {"s": 1, "m": 60, "h": 3600}, "90s, 5m or 1h")


def size_in_bytes(option: str, text: str | None) -> int | None:
    """Bytes, from a number with or without KB, MB, GB or TB."""
    units = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
    units |= {unit[0]: size for unit, size in units.items()}
    return None if text is None else int(_amount(option, text, units, "800MB or 4GB"))


def _amount(option: str, text: str, units: dict[str, int], example: str) -> float:
    amount = re.fullmatch(r"\s*(\d+\.?\d*)\s*([a-zA-Z]*)\s*", text)
    if amount is None or (amount[2] and amount[2].lower() not in units):
        raise LawfulError(f"{option} {text!r} is no amount: write it as in {example}")
    return float(amount[1]) * units.get(amount[2].lower(), 1)


def main() -> None:
    """The command `lawful`."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character shows its code.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
