"""Spark tables whose rows say which laws they break, as tools for data quality have it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lawful.checking.spark_flags import column, partner_of, with_flags
from lawful.errors import LawfulError
from lawful.laws import Law
from lawful.report.law_sentences import sentence

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_WORDS = {"=": "eq", "!=": "ne", "<": "lt", "<=": "le", ">": "gt", ">=": "ge"}  # in names of laws
REASONS = "_violations"  # the column of reasons, unless another is named


def flagged(frame: DataFrame, laws: Iterable[Law], reasons: str = REASONS) -> DataFrame:
    """The table with a column of reasons: an array with a struct for each law that a row breaks.

    Its fields: `name` of the law, `message` (what it says), `columns`, `law` (its text), and as JSON `group`,
    what the rows that break it together have in common, and `partner`, for laws with two comparisons by
    order: the values of a row that breaks it together with this one.
    """
    from pyspark.sql import functions as f

    if not hasattr(frame, "sparkSession"):
        kind = f"{type(frame).__module__.partition('.')[0]}.{type(frame).__name__}".removeprefix("builtins.")
        raise LawfulError(
            f"only rows of Spark tables are flagged, not those of a {kind}: spark.createDataFrame(table) "
            "makes it one; lawful.violations(table, laws) has the rows of any table that break laws"
        )
    some = [*laws]
    if reasons in frame.columns:
        raise LawfulError(f"the table has a column {reasons!r} already: name another one for the reasons")
    flags = [f"{reasons}_{number}" for number in range(len(some))]
    found = with_flags(frame, some, flags)
    partners = [column(name) if (name := partner_of(flag)) in found.columns else None for flag in flags]
    told = [
        f.when(column(flag), _reason(law, partner))
        for law, flag, partner in zip(some, flags, partners, strict=True)
    ]
    return found.select(*map(column, frame.columns), f.array_compact(f.array(*told)).alias(reasons))


def good_and_quarantine(
    frame: DataFrame, laws: Iterable[Law], reasons: str = REASONS
) -> tuple[DataFrame, DataFrame]:
    """The rows that break no law, as they are, and the others with their reasons."""
    from pyspark.sql import functions as f

    found = flagged(frame, laws, reasons)
    broken = f.size(column(reasons)) > 0
    return found.where(~broken).drop(reasons), found.where(broken)


def name_of(law: Law) -> str:
    """A name for a law, of letters, digits and underscores."""
    said = str(law) if law.kind == "key" else f"{law.kind} {law}"
    for sign, word in _WORDS.items():
        said = said.replace(f" {sign} ", f" {word} ")
    return re.sub(r"\W+", "_", said).strip("_").lower()


def _reason(law: Law, partner: Column | None) -> Column:
    from pyspark.sql import functions as f

    context = sorted(law.as_dc().context)
    group = f.struct(*map(column, context)) if context else None
    return f.struct(
        f.lit(name_of(law)).alias("name"),
        f.lit(sentence(law)).alias("message"),
        f.array(*map(f.lit, sorted(law.columns))).alias("columns"),
        f.lit(str(law)).alias("law"),
        _json(group).alias("group"),
        _json(partner).alias("partner"),
    )


def _json(values: Column | None) -> Column:
    from pyspark.sql import functions as f

    nothing = f.lit(None).cast("string")
    return nothing if values is None else f.to_json(values, {"ignoreNullFields": "false"})
