"""The command line: arguments in, calls out."""

from __future__ import annotations

import inspect
import json
import math
import os
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
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lawful.errors import LawfulError

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from lawful.table import Relation, SourceOptions

_SAMPLES = 4
_SAMPLE_LENGTH = 30

_EXAMPLES = """
Examples:

\b
  lawful columns people.csv
  lawful columns people.csv --delimiter ';' --null NA --type zip=string
  lawful columns 'logs/*.parquet' --json
  lawful columns jdbc:postgresql://host/shop --table orders --property user=me
  lawful columns orders.csv --master spark://host:7077 --conf spark.executor.memory=4g
"""

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)


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


@app.command()
@reads_a_table
def columns(
    source: Source,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Shows the columns of a table: type, order, distinct values, NULLs and sample values."""
    with source.relation() as relation:
        description = _describe(source.source, relation)
    with _writing():
        if as_json:
            print(json.dumps(description, ensure_ascii=False, indent=2, default=str))
        else:
            _print_columns(description)


def _describe(source: str, relation: Relation) -> dict[str, Any]:
    return {
        "source": source,
        "rows": relation.n_rows,
        "columns": [
            {
                "position": position,
                "name": column.name,
                "type": column.type,
                "ordered": column.ordered,
                "distinct": column.distinct,
                "nulls": column.nulls,
                "sample": _sample(relation.dictionary(column.name)),
            }
            for position, column in enumerate(relation.columns, start=1)
        ],
    }


def _sample(dictionary: pa.Array) -> list[Any]:
    """A few of a column's values, spread evenly from the smallest to the largest."""
    values = dictionary.drop_null()
    last, count = len(values) - 1, min(_SAMPLES, len(values))
    chosen = sorted({round(step * last / max(1, count - 1)) for step in range(count)})
    return [_plain(values[place].as_py()) for place in chosen]


def _plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _print_columns(description: dict[str, Any]) -> None:
    rows, found = description["rows"], description["columns"]
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("#", "column", "type", "ordered", "distinct", "NULLs", "sample values"):
        table.add_column(
            heading,
            justify="right" if heading in ("#", "distinct", "NULLs") else "left",
            overflow="ellipsis" if heading == "sample values" else "fold",
            no_wrap=heading == "sample values",
        )
    for column in found:
        table.add_row(
            str(column["position"]),
            Text(_visible(column["name"])),
            column["type"],
            "yes" if column["ordered"] else "no",
            f"{column['distinct']:,}",
            f"{column['nulls']:,}",
            Text(", ".join(_shown(value) for value in column["sample"])),
        )
    # Nothing may be cut off or broken where no terminal sets a width.
    console = Console(width=None if sys.stdout.isatty() else 100_000, highlight=False)
    console.print(Text(f"{description['source']}: {rows:,} rows x {len(found)} columns"))
    console.print(table)


def _visible(text: str) -> str:
    """The text with characters that could disturb a terminal written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _shown(value: Any) -> str:
    text = _visible(str(value)) or "''"
    return text if len(text) <= _SAMPLE_LENGTH else text[: _SAMPLE_LENGTH - 1] + "…"


def main() -> None:
    """The command `lawful`."""
    if isinstance(sys.stdout, TextIOWrapper):
        # A terminal that cannot show a character shows its code.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
