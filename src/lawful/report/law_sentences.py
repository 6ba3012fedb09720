"""Laws in plain sentences."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lawful.laws import FD, OD, Key, Law, Operator, Predicate
from lawful.laws.equivalents import simpler_form
from lawful.laws.text import quoted

# What a row has of a column, beside another row
_BESIDE: dict[Operator, str] = {"<": "a lower", ">": "a higher", "<=": "at most the", ">=": "at least the"}


def sentence(law: Law) -> str:
    """What a law says, in words."""
    match law:
        case Key() if not law.columns:
            return "there is one row at most"
        case Key():
            return f"no two rows have the same {listed(law.columns)}"
        case FD():
            rows = f"rows with the same {listed(law.lhs)}" if law.lhs else "all rows"
            return f"{rows} have the same {quoted(law.rhs)}"
        case OD():
            how = "falls as {} rises" if law.descending else "rises with {}"
            return f"{_where(law.context)}{quoted(law.right)} {how.format(quoted(law.left))}"
    simpler = simpler_form(law)
    return _denial(sorted(law.as_dc().predicates, key=str)) if simpler is None else sentence(simpler)


def listed(names: Collection[str]) -> str:
    """Columns in words: a, b and c."""
    return in_words([quoted(name) for name in sorted(names)])


def in_words(parts: Sequence[str]) -> str:
    """Parts of a sentence one after the other: a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def _where(context: Collection[str]) -> str:
    same = "is the same" if len(context) == 1 else "are the same"
    return f"where {listed(context)} {same}, " if context else ""


def _denial(predicates: Sequence[Predicate]) -> str:
    """A denial constraint that states no simpler law.

    It stays a denial: where NULLs equal nothing, "not less" does not mean "at least".
    """
    if len({cell.row for predicate in predicates for cell in predicate.comparison}) == 1:
        return f"no row has {in_words([_within_a_row(one) for one in predicates])}"
    own = [one for one in predicates if one.left.column == one.right.column]
    if len(own) == len(predicates):
        return _of_two_rows(own)
    others = [str(one) for one in predicates if one not in own or one.operator != "="]
    return f"no two rows t and s{_alike(_columns(own, '='))} have {in_words(others)}"


def _within_a_row(predicate: Predicate) -> str:
    left, right = predicate.comparison
    return f"{quoted(left.column)} {predicate.operator} {quoted(right.column)}"


def _of_two_rows(predicates: Sequence[Predicate]) -> str:
    """A denial constraint that compares each column with itself."""
    same, different = _columns(predicates, "="), _columns(predicates, "!=")
    compared = [one for operator in _BESIDE for one in predicates if one.operator == operator]
    if not compared:
        return f"no two rows{_alike(same)} differ in {'both ' * (len(different) == 2)}{listed(different)}"
    *some, last = (f"{_BESIDE[one.operator]} {quoted(one.left.column)}" for one in compared)
    words = f"{in_words(some)} but {last}" if some else last
    another = "than another" if compared[-1].operator in ("<", ">") else "of another"
    return f"no row has {words} {another}{_alike(same, different)}"


def _columns(predicates: Sequence[Predicate], operator: Operator) -> list[str]:
    return [one.left.column for one in predicates if one.operator == operator]


def _alike(same: Collection[str], different: Collection[str] = ()) -> str:
    """Which pairs of rows are spoken of."""
    parts = [f"the same {listed(same)}"] * bool(same) + [f"different {listed(different)}"] * bool(different)
    return f" with {in_words(parts)}" if parts else ""
