"""What a table says of laws, as plain data and in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.shown_violations import samples_of
from lawful.laws.text import quoted, visible
from lawful.report.law_sentences import sentence
from lawful.report.sentences import number


def check_document(verdicts: CheckedLaws, top: int, show: Sequence[str]) -> dict[str, Any]:
    """A check as plain data: each law with its error and, where it fails, some violations."""
    samples = {one.law: {"violations": sample} for one, sample in samples_of(verdicts, top, show)}
    return {
        "complete": verdicts.complete,
        "reason": verdicts.reason,
        "rows": verdicts.relation.n_rows,
        "hold": verdicts.hold,
        "passed": verdicts.passed,
        "laws": [{**one.to_json(), **samples.get(one.law, {})} for one in verdicts],
    }


def shown_percent(share: float) -> str:
    """A share in percent with two digits that count."""
    return f"{100 * share:.2g}%" if share < 0.995 else f"{100 * share:.0f}%"


def told_violations(verdict: CheckedLaw, sample: Mapping[str, Any]) -> Iterator[str]:
    """What breaks a law, line by line."""
    what = _manner(sample)
    where = _WHERE[what].format(number(sample[what], what[:-1]))
    yield f"{verdict.law}: {sentence(verdict.law)}; not so {where}"
    yield from violation_lines(sample)


def violation_lines(sample: Mapping[str, Any]) -> Iterator[str]:
    """Some of what breaks a law, line by line."""
    what = _manner(sample)
    count, shown = sample[what], sample["shown"]
    for one in shown:
        yield from _TELLERS[what](one)
    if len(shown) < count and what != "pairs":
        yield f"  and {number(count - len(shown), 'more ' + what[:-1])}"


def _manner(sample: Mapping[str, Any]) -> str:
    return next(name for name in ("groups", "rows", "pairs") if name in sample)


_WHERE = {"groups": "in {}", "rows": "in {}", "pairs": "for {}"}


def _group_lines(group: Mapping[str, Any]) -> Iterator[str]:
    shared = _values(group["same"]) or "all rows"
    if "values" not in group:
        yield f"  {shared}: {number(group['rows'], 'row')}, {_places(group['at'], group['rows'])}"
        return
    yield f"  {shared}: {number(group['rows'], 'row')}"
    told_apart = any(part["likely_wrong"] for part in group["values"])
    for part in group["values"]:
        wrong = ", likely wrong" if part["likely_wrong"] else ""
        places = f", {_places(part['at'], part['rows'])}" if wrong or not told_apart else ""
        value = _values({group["column"]: part["value"]})
        yield f"    {value}: {number(part['rows'], 'row')}{wrong}{places}"


def _row_lines(row: Mapping[str, Any]) -> Iterator[str]:
    yield f"  {_row(row)}"


def _pair_lines(pair: Mapping[str, Any]) -> Iterator[str]:
    for side, indent in (("t", "  "), ("s", "    ")):
        wrong = f", likely wrong: in {number(pair['pairs_of'][side], 'pair')}"
        yield f"{indent}{side} is {_row(pair[side])}{wrong if pair['likely_wrong'] == side else ''}"


_TELLERS = {"groups": _group_lines, "rows": _row_lines, "pairs": _pair_lines}


def _places(rows: Sequence[Mapping[str, Any]], count: int) -> str:
    """Where rows stand, and what else is shown of them."""
    told = [f"{_place(row)}{_beside(row['values'])}" for row in rows]
    more = f" and {count - len(told):,} more" if count > len(told) else ""
    return f"at {', '.join(told)}{more}"


def _beside(values: Mapping[str, Any]) -> str:
    return f" ({_values(values)})" if values else ""


def _row(row: Mapping[str, Any]) -> str:
    return f"row {_place(row)}: {_values(row['values'])}"


def _place(row: Mapping[str, Any]) -> str:
    return f"{row['row']:,}" + (f" of {row['source']}" if "source" in row else "")


def _values(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{quoted(name)} = {_shown(value)}" for name, value in values.items())


def _shown(value: Any) -> str:
    """A value as laws would have it; texts in quotes, so that blanks are seen."""
    if value is None:
        return "NULL"
    return visible(repr(value) if isinstance(value, str) else str(value))


def verdicts_summary(verdicts: CheckedLaws) -> str:
    """One line: how many laws hold on which table."""
    held = sum(one.holds for one in verdicts)
    tolerated = sum(one.tolerated and not one.holds for one in verdicts)
    parts = [f"{number(held, 'law')} {'holds' if held == 1 else 'hold'}"]
    if tolerated:
        parts.append(f"{tolerated:,} almost")
    if failed := len(verdicts) - held - tolerated:
        parts.append(f"{failed:,} {'fails' if failed == 1 else 'fail'}")
    return f"{number(verdicts.relation.n_rows, 'row')}: {', '.join(parts)}"
