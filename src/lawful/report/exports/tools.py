"""The tools that laws can be exported to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from lawful.errors import LawfulError
from lawful.report.collection import Laws
from lawful.report.exports.data_tools import dbt_tests, dqx_checks, great_expectations_suite, soda_contract
from lawful.report.exports.law_checks import LawExport
from lawful.report.exports.python_tools import deequ_checks, pandera_schema
from lawful.report.exports.sql_file import spark_sql_file, sql_file
from lawful.report.text_files import check_text_file, write_text

# What each tool gets: a text, or files of a folder.
TOOLS: Mapping[str, Callable[[LawExport], str | dict[str, str]]] = {
    "sql": sql_file,
    "spark-sql": spark_sql_file,
    "dbt": dbt_tests,
    "great-expectations": great_expectations_suite,
    "dqx": dqx_checks,
    "soda": soda_contract,
    "pandera": pandera_schema,
    "deequ": deequ_checks,
}


def exported(laws: Laws, tool: str, table: str) -> str | dict[str, str]:
    """The laws of a table as checks of a tool: a text, or for dbt the files of a folder."""
    if tool not in TOOLS:
        raise LawfulError(f"there is no export to {tool!r}: choose among {', '.join(TOOLS)}")
    return TOOLS[tool](LawExport(laws, table))


def write_export(found: str | dict[str, str], out: Path, source: Any = None, force: bool = False) -> None:
    """Write to a file, or to files of a folder: never over the source, over files of others by `force`."""
    contents = {out: found} if isinstance(found, str) else {out / name: text for name, text in found.items()}
    if not isinstance(found, str):
        if out.is_file():
            raise LawfulError(f"{str(out)!r} is a file: name a folder, which gets a file for each law")
        out.mkdir(parents=True, exist_ok=True)
    for path in contents:
        check_text_file(path, source, force)
    for path, text in contents.items():
        write_text(text, path)
