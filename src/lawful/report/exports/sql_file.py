"""Laws as SQL: a view of violations for each, constraints where databases have them, one view of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lawful.report.exports.law_checks import LawCheck, LawExport
from lawful.report.sql_names import comment, identifier, listed_names


def sql_file(export: LawExport) -> str:
    """Views for any database."""
    return _written(export, '"', "CREATE VIEW")


def spark_sql_file(export: LawExport) -> str:
    """Temporary views of a Spark session."""
    return _written(export, "`", "CREATE OR REPLACE TEMPORARY VIEW")


def _written(export: LawExport, mark: str, create: str) -> str:
    checks = [*export.checks(identifier(export.table, mark), mark)]
    head = [
        f"Laws of {export.table}, written by lawful: each view shows what breaks a law, no row if it holds.",
        *export.conditions(),
    ]
    blocks = [comment("\n".join(head)), *(_view(check, export, mark, create) for check in checks)]
    if checks:
        blocks.append(_summary(checks, export, mark, create))
    blocks += [comment(f"not checked: {sentence}") for sentence in export.left_out()]
    return "\n\n".join(blocks) + "\n"


def _view(check: LawCheck, export: LawExport, mark: str, create: str) -> str:
    said = [check.text, check.says, *_constraint(check, export.table, mark)]
    return f"{comment(chr(10).join(said))}\n{create} {_name(check, export, mark)} AS\n{check.query};"


def _name(check: LawCheck, export: LawExport, mark: str) -> str:
    return identifier(f"{export.table}_law_{check.number}", mark)


def _constraint(check: LawCheck, table: str, mark: str) -> Iterator[str]:
    """A constraint that says the same; UNIQUE takes NULLs for different."""
    alter = f"ALTER TABLE {identifier(table, mark)} ADD CONSTRAINT {identifier(check.name, mark)}"
    if check.key and mark == '"':
        condition = ", if the columns are NOT NULL" if check.nulls_equal else ""
        yield f"as a constraint{condition}: {alter} UNIQUE ({listed_names(check.key, mark)});"
    if check.row_condition is not None:
        yield f"as a constraint: {alter} CHECK (NOT {check.row_condition});"


def _summary(checks: Sequence[LawCheck], export: LawExport, mark: str, create: str) -> str:
    """One line for each law that is broken."""
    parts = [
        f"SELECT {check.number} AS law, {_literal(check.text, mark)} AS text, COUNT(*) AS violations "
        f"FROM {_name(check, export, mark)}"
        for check in checks
    ]
    name, union = identifier(f"{export.table}_broken_laws", mark), "\nUNION ALL ".join(parts)
    head = comment("The laws that are broken, with the number of groups or rows that break them.")
    return f"{head}\n{create} {name} AS\nSELECT * FROM (\n{union}\n) AS laws WHERE violations > 0;"


def _literal(text: str, mark: str) -> str:
    """A text in quotes; Spark, whose names have other marks, takes backslashes for escapes."""
    if mark == "`":
        text = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'" if mark == "`" else "'" + text.replace("'", "''") + "'"
