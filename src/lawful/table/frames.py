"""DataFrames of files, JDBC and catalog tables, and what Spark's failures mean."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from lawful.errors import LawfulError
from lawful.table.files import Files
from lawful.table.json_files import no_object
from lawful.table.source_options import SourceOptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CORRUPT = "lawful's corrupt record"


def file_frame(spark: SparkSession, files: Files, kind: str, options: SourceOptions) -> DataFrame:
    """The DataFrame of Parquet, ORC or JSON lines files."""
    with spark_failures(files.given, f" as {kind}"):
        reader = spark.read.format(kind).options(**options.properties)
        if kind == "json":
            reader = reader.option("columnNameOfCorruptRecord", _CORRUPT)
        frame = reader.load(files.spark_roots())
        return _json_frame(frame, files, spark) if kind == "json" else frame


def jdbc_frame(spark: SparkSession, url: str, options: SourceOptions) -> DataFrame:
    """The DataFrame of a table or query of a database."""
    if not options.table:
        raise LawfulError(f"{url} needs a table: give its name or a query in parentheses")
    reader = spark.read.format("jdbc").options(**options.properties)
    with spark_failures(f"the table {options.table} of {url}"):
        return reader.option("url", url).option("dbtable", options.table).load()


def catalog_frame(spark: SparkSession, name: str) -> DataFrame:
    """The DataFrame of a table that Spark's catalog knows."""
    with spark_failures(f"table:{name}"):
        return spark.table(name)


def _json_frame(frame: DataFrame, files: Files, spark: SparkSession) -> DataFrame:
    """Columns in the order of the first record (Spark sorts them); lines that are no JSON are an error."""
    sample, _ = files.beginning(lambda: spark)
    if _CORRUPT in frame.columns:
        # Spark refuses to look for corrupt lines where nothing else was found: then the first one is.
        some = frame.columns != [_CORRUPT]
        bad = frame.where(f"`{_CORRUPT}` is not null").first() if some else None
        text = bad[_CORRUPT] if bad else sample.split(b"\n", 1)[0].decode(errors="replace")
        raise no_object(files.given, text)
    first = _first_names(sample)
    position = {name: index for index, name in enumerate(first)}
    names = sorted(frame.columns, key=lambda name: position.get(name, len(first)))
    return frame.select([_quoted(name) for name in names])


def _first_names(sample: bytes) -> list[str]:
    """The names of the first record, where its line is whole; a line may hold an array of records."""
    try:
        value = json.loads(sample.split(b"\n", 1)[0])
    except ValueError:
        return []
    record = value[0] if isinstance(value, list) and value else value
    return list(record) if isinstance(record, dict) else []


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


@contextmanager
def spark_failures(what: str, how: str = "") -> Iterator[None]:
    """Turn the failures that a user can mend into one sentence about `what`."""
    try:
        yield
    except LawfulError:
        raise
    except Exception as problem:
        known = _meaning(what, how, problem)
        if known is None:
            raise
        raise known from problem


def _meaning(what: str, how: str, problem: Exception) -> LawfulError | None:
    text = str(problem)
    if "FileSystem not found" in text or "No FileSystem for scheme" in text:
        return LawfulError(f"{what} {_missing_jar(what)}")
    for marks, sentence in _MEANINGS:
        if any(mark in text for mark in marks):
            return LawfulError(sentence.format(what=what, how=how, why=_reason(problem)))
    return None


def _missing_jar(address: str) -> str:
    from lawful.spark.failures import package_for

    scheme = address.partition("://")[0]
    if scheme in ("s3", "s3n"):
        return f"is an address that Spark does not know: write it as {address.replace(scheme, 's3a', 1)}"
    package = package_for(scheme)
    if package is None:
        return f"cannot be reached: Spark knows no {scheme}://, check the address or add a jar that does"
    return f"needs a jar that Spark does not have: add --conf spark.jars.packages={package}"


def _reason(problem: Any) -> str:
    from lawful.spark.failures import one_line

    text = str(problem)
    causes = re.findall(r"^(?:Caused by)?: [\w.$]+: (.+)$", text, re.MULTILINE)
    return one_line(causes[-1] if causes else text.partition("JVM stacktrace")[0])


_MEANINGS = (
    (
        ("COLUMN_ALREADY_EXISTS", "AMBIGUOUS_REFERENCE"),
        "{what} has columns whose names differ in case only: use --conf spark.sql.caseSensitive=true",
    ),
    (("PATH_NOT_FOUND",), "there is no file {what}: check the path"),
    (
        ("TABLE_OR_VIEW_NOT_FOUND", "SCHEMA_NOT_FOUND"),
        "there is no table {what} in the catalog: check its name",
    ),
    (
        ("FileSystem", "UnknownHostException", "ConnectException"),
        "{what} cannot be reached ({why}): check the address, and that Spark has the jars for it",
    ),
    (
        ("PARQUET_TYPE_ILLEGAL",),
        "{what} has a type that Spark does not read ({why}): pass it as a table of pyarrow or pandas",
    ),
    (
        ("No suitable driver", "ClassNotFoundException"),
        "{what} needs a JDBC driver: add its jar, as in --conf spark.jars=driver.jar",
    ),
    (
        ("java.sql.SQL", "SQLException", "SQLSyntaxError"),
        "{what} cannot be read: {why}: check table, user and password",
    ),
    (
        (
            "FAILED_READ_FILE",
            "CANNOT_READ_FILE_FOOTER",
            "UNABLE_TO_INFER_SCHEMA",
            "not a Parquet file",
            "Malformed ORC",
        ),
        "{what} cannot be read{how} ({why}): check that it is whole, or give its format",
    ),
)
