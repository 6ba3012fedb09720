"""Laws as checks of Great Expectations, DQX, soda and dbt; plain data as the YAML that these read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from lawful.report.exports.law_checks import LawCheck, LawExport
from lawful.report.sql_names import comment, identifier, needs_quotes


def great_expectations_suite(export: LawExport) -> str:
    """A suite in JSON for a SQL source: queries, but for keys where NULLs differ."""
    expectations = [_expectation(check) for check in export.checks("{batch}")]
    suite = {
        "name": f"{export.table}_laws",
        "meta": {
            "written_by": "lawful",
            "conditions": [*export.conditions()],
            "not_checked": export.left_out(),
        },
        "expectations": expectations,
    }
    return json.dumps(suite, indent=2, ensure_ascii=False) + "\n"


def _expectation(check: LawCheck) -> dict[str, Any]:
    meta = {"law": check.text, "notes": check.says}
    kwargs: dict[str, Any]
    if (
        len(check.key) > 1 and not check.nulls_equal
    ):  # it takes NULLs for different, whatever ignore_row_if says
        kwargs = {"column_list": check.key, "ignore_row_if": "never"}
        return {"type": "expect_compound_columns_to_be_unique", "kwargs": kwargs, "meta": meta}
    kwargs = {"unexpected_rows_query": check.query, "description": check.says}
    return {"type": "unexpected_rows_expectation", "kwargs": kwargs, "meta": meta}


def dqx_checks(export: LawExport) -> str:
    """A list of checks in YAML for DQX on Spark."""
    return export.head() + yaml([_dqx(check) for check in export.checks("{{ input_view }}", "`")])


def _dqx(check: LawCheck) -> dict[str, Any]:
    marked = {"name": check.name, "criticality": "error", "user_metadata": {"law": check.text}}
    if check.key:
        return {
            **marked,
            "check": _call("is_unique", columns=check.key, nulls_distinct=not check.nulls_equal),
        }
    # A query is joined to the table with all checks before it: Spark would plan a dozen of them for minutes.
    condition = check.row_condition or check.window_condition
    if condition is not None:
        expression = f"NOT {condition}"
        return {**marked, "check": _call("sql_expression", expression=expression, msg=check.says)}
    return {**marked, "check": _call("sql_query", **_dqx_query(check), msg=check.says)}


def _dqx_query(check: LawCheck) -> dict[str, Any]:
    """A query that marks the rows of groups which break a law; or all rows, where it has no groups."""
    if check.group and not any(map(needs_quotes, check.group)):
        query = f"SELECT {', '.join(check.group)}, TRUE AS condition FROM ({check.query}) AS v"
        return {"query": query, "input_placeholder": "input_view", "merge_columns": check.group}
    query = f"SELECT COUNT(*) > 0 AS condition FROM ({check.query}) AS v"
    return {"query": query, "input_placeholder": "input_view"}


def _call(function: str, **arguments: Any) -> dict[str, Any]:
    return {"function": function, "arguments": arguments}


def soda_contract(export: LawExport) -> str:
    """A contract in YAML for soda 4."""
    checks = [_soda(check) for check in export.checks(identifier(export.table))]
    columns = [{"name": name} for name in export.laws.names]
    return export.head() + yaml(
        {"dataset": f"data_source/schema/{export.table}", "columns": columns, "checks": checks}
    )


def _soda(check: LawCheck) -> dict[str, Any]:
    named = {"name": f"{check.text}: {check.says}", "qualifier": check.name}
    return {"failed_rows": {**named, "query": check.query}}


def dbt_tests(export: LawExport) -> dict[str, str]:
    """Singular tests, a file each: queries that return what fails."""
    head = [*export.conditions()]
    files = {
        f"{check.name}.sql": f"{comment(chr(10).join([check.text, check.says, *head]))}\n{check.query}\n"
        for check in export.checks(f"{{{{ ref('{export.table}') }}}}")
    }
    left = export.left_out()
    if not left:
        return files
    lines = ["Not checked by tests written by lawful:", "", *(f"- {line}" for line in left), ""]
    return {**files, "not_checked.md": "\n".join(lines)}


def yaml(value: Any) -> str:
    """Plain data as YAML: blocks for what has parts, JSON (which YAML contains) for what has none."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            if isinstance(part, dict | list) and part and not _is_flat(part):
                yield f"{_plain(key)}:"
                yield from (f"  {line}" for line in _lines(part))
            else:
                yield f"{_plain(key)}: {_flat(part)}"
    elif isinstance(value, list) and value:
        for part in value:
            first, *others = _lines(part)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield _flat(value)


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key, ensure_ascii=False)
