"""Laws as Python: a pandera schema, checks of deequ."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from lawful.laws import Key
from lawful.report.exports.law_checks import LawCheck, LawExport
from lawful.report.exports.pair_forms import RowForm, SweepForm

_NO_PAIRS = "pandera would have to compare rows with each other"


def pandera_schema(export: LawExport) -> str:
    """A module with a schema of pandas tables, which needs nothing but pandera."""
    helpers = files("lawful.report.exports").joinpath("pandera_helpers.txt").read_text("utf-8")
    helpers = helpers.replace("NULLS_EQUAL = True", f"NULLS_EQUAL = {export.laws.facts.nulls_equal}", 1)
    checks, left = [], export.left_out()
    for check in export.checks("t"):
        call = _pandas_call(check)
        if call is None:
            left.append(f"{check.text}: {_NO_PAIRS}")
        else:
            checks.append(
                f"        pa.Check(lambda table: {call}, name={check.text!r}, error={check.says!r}),"
            )
    schema = ["schema = pa.DataFrameSchema(", "    checks=[", *checks, "    ]", ")"]
    said = "".join(f"# not checked: {sentence}\n" for sentence in left)
    use = "schema.validate(table, lazy=True)"
    head = f'"""Laws of {export.table} as a pandera schema, written by lawful: {use}."""'
    return f"{head}\n\n{helpers}\n\n{said}{chr(10).join(schema)}\n"


def _pandas_call(check: LawCheck) -> str | None:
    """A call of one of the helpers."""
    form, law = check.form, check.fd
    if isinstance(form, Key):
        return f"is_key(table, {sorted(form.columns)!r})"
    if law is not None:
        return f"determines(table, {sorted(law.lhs)!r}, {law.rhs!r})"
    if isinstance(form, SweepForm):
        first, second = (", ".join(map(repr, side)) for side in (form.first, form.second))
        return f"never(table, {sorted(form.context)!r}, {first}, {second})"
    if isinstance(form, RowForm):
        parts = [
            f"compared(table, {one.left.column!r}, {one.operator!r}, {one.right.column!r})"
            for one in form.predicates
        ]
        return f"~({' & '.join(parts)})"
    return None


def deequ_checks(export: LawExport) -> str:
    """A module with a check of PyDeequ; what deequ cannot state is a query for Spark beside it."""
    lines = [
        f'"""Laws of {export.table} as a check of PyDeequ, written by lawful."""',
        "",
        "from pydeequ.checks import Check, CheckLevel",
        "",
        "",
        "def laws(spark):",
        f'    """The laws of {export.table} that deequ can state."""',
        f"    check = Check(spark, CheckLevel.Error, {f'laws of {export.table}'!r})",
        *_deequ(export),
        "    return check",
    ]
    return "\n".join(lines) + "\n"


def _deequ(export: LawExport) -> Iterator[str]:
    queries: dict[str, str | None] = {}
    for check in export.checks(f"`{export.table}`", "`"):
        if check.key:
            yield f"    # {check.text}, where the columns have no NULLs:"
            yield f"    check = check.hasUniqueness({check.key!r}, lambda share: share == 1.0)"
        elif check.row_condition is not None:
            condition = f"NOT {check.row_condition}"
            yield f"    check = check.satisfies({condition!r}, {check.text!r}, lambda share: share == 1.0)"
        else:
            queries[check.text] = check.query
    for text, query in queries.items():
        yield f"    # deequ has no check for {text}; a query that finds what breaks it:"
        yield f"    # {query}"
    for sentence in export.left_out():
        yield f"    # not checked: {sentence}"
