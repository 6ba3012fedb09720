"""Which rows are meant: by a condition, or by their values."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from lawful.errors import LawfulError
from lawful.table import Relation
from lawful.table.arrows import type_name
from lawful.table.column_names import require_columns

Ids = npt.NDArray[np.int64]

# A condition and all that follows it. What is not quoted has no quote, no sign and no "or": a part of a
# longer condition that was taken for a value would choose other rows than those that are meant.
_CONDITION = re.compile(
    r"""\s*(?P<column>"[^"]*"|`[^`]*`|[^<>=!"'`]+?)
    \s*(?P<operator><=|>=|<>|!=|==?|<|>|(?<=\s)is\s+not(?=\s)|(?<=\s)is(?=\s))
    \s*(?P<value>'(?:[^']|'')*'|"(?:[^"]|"")*"|(?:(?!\sor\s)[^<>=!"'])+?)
    \s*(?:$|(?<=[\s'"])and\s(?P<others>.+)$)""",
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_SAME = {"==": "=", "<>": "!=", "is": "=", "is not": "!="}  # as many languages write it
_TESTS = {
    "=": pc.equal,
    "!=": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}


def rows_where(relation: Relation, condition: str) -> Ids:
    """The ids of the rows for which `column = value` holds, or several such conditions joined by `and`.

    `null` is the value that is missing; others are compared as values of the column's type.
    """
    holds = np.ones(relation.n_rows, np.bool_)
    left: str | None = condition
    while left is not None:
        match = _CONDITION.match(left)
        if match is None:
            hint = "write it as in \"city = 'Oslo' and year < 2020\", without or and parentheses"
            raise LawfulError(f"{left!r} is no condition: {hint}")
        column, operator = _unquoted(match["column"], '"`'), " ".join(match["operator"].lower().split())
        require_columns([column], relation.names, "where")
        holds &= _holds(relation, column, _SAME.get(operator, operator), match["value"])
        left = match["others"]
    return relation.row_ids[holds]


def _holds(relation: Relation, column: str, operator: str, text: str) -> npt.NDArray[np.bool_]:
    values, ranks = relation.dictionary(column), relation.ranks()[relation.names.index(column)]
    if text.lower() == "null":
        if operator not in ("=", "!="):
            raise LawfulError(f"null has no order: use {column} = null or {column} != null")
        missing = values.is_null().to_numpy(zero_copy_only=False)
        tested = missing if operator == "=" else ~missing
        holds = np.append(tested, operator == "=")  # the last stands for a NULL that equals nothing
    else:
        found = _TESTS[operator](values, _value(_unquoted(text, "'\""), values.type, column))
        holds = np.append(found.fill_null(False).to_numpy(zero_copy_only=False), False)
    return np.asarray(holds[ranks], np.bool_)


def _value(text: str, kind: pa.DataType, column: str) -> pa.Scalar:
    try:
        return pc.cast(pa.scalar(text), kind)
    except pa.ArrowException:
        hint = "write several conditions as in \"city = 'Oslo' and year < 2020\""
        raise LawfulError(
            f"{text!r} is no value of column {column!r}, whose type is {type_name(kind)}: {hint}"
        ) from None


def _unquoted(text: str, marks: str) -> str:
    """A text without the marks around it; one that is doubled within them is one."""
    mark = text[0]
    quoted = len(text) > 1 and mark == text[-1] and mark in marks
    return text[1:-1].replace(mark * 2, mark) if quoted else text


def rows_like(relation: Relation, wanted: Relation, on: list[str] | None = None) -> Ids:
    """The ids of the rows that are those of another table, each as often as it stands there.

    With `on` all rows that have the values of these columns.
    """
    names = list(relation.names) if on is None else on
    require_columns(names, relation.names, "on")
    require_columns(names, wanted.names, "on")
    keys = np.stack([_ranks_in(relation, wanted, name) for name in names])
    numbers = [relation.names.index(name) for name in names]
    ranks = relation.ranks()[numbers]
    near = np.ones(relation.n_rows, np.bool_)
    for own, others in zip(ranks, keys, strict=True):
        near &= np.isin(own, others)
    places = np.flatnonzero(near)
    left = Counter(map(tuple, keys.T.tolist()))
    found, seen = [], set()
    for place, line in zip(places.tolist(), map(tuple, ranks[:, places].T.tolist()), strict=True):
        if left[line] > 0 or (on is not None and line in seen):
            found.append(place)
            seen.add(line)
            left[line] -= 1
    missing = [line for line, count in left.items() if count > 0 and not (on is not None and line in seen)]
    if missing:
        number = list(map(tuple, keys.T.tolist())).index(missing[0])
        values = wanted.rows([int(wanted.row_ids[number])]).select(names).to_pylist()[0]
        raise LawfulError(f"there is no row {_told(values)}: nothing was changed")
    return relation.row_ids[np.array(found, np.int64)]


def _ranks_in(relation: Relation, other: Relation, name: str) -> npt.NDArray[np.int64]:
    """The ranks that values of another table have in a relation; -2 for those that are not there."""
    values, others = relation.dictionary(name), other.dictionary(name)
    try:
        places = pc.index_in(others.cast(values.type), value_set=values)
    except pa.ArrowException:
        raise LawfulError(
            f"column {name!r} has values that are no {type_name(values.type)}: nothing was changed"
        ) from None
    ranks = np.append(places.fill_null(-2).to_numpy(zero_copy_only=False), -1)
    return np.asarray(ranks[other.ranks()[other.names.index(name)]], np.int64)


def _told(values: dict[str, Any]) -> str:
    shown = {name: repr(value) if isinstance(value, str) else str(value) for name, value in values.items()}
    return "with " + ", ".join(f"{name} {value}" for name, value in shown.items())
