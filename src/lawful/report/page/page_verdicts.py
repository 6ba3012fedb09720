"""Laws that fail in a page: by how much, and which rows break them."""

from __future__ import annotations

from typing import Any

from lawful.checking.checked_laws import CheckedLaw, CheckedLaws
from lawful.checking.shown_violations import ViolationSample
from lawful.report.collection import Facts, Laws
from lawful.report.ratings import Rating
from lawful.report.verdict_words import told_violations

_TOLD = 100  # laws of which violations are shown
_GROUPS = 3  # of rows or pairs that break each of them


def laws_of_verdicts(verdicts: CheckedLaws) -> Laws:
    """Laws that were checked on a table, as a collection."""
    relation = verdicts.relation
    kinds = tuple(sorted({one.law.kind for one in verdicts}))
    facts = Facts.of_table(relation, complete=verdicts.complete, reason=verdicts.reason, kinds=kinds)
    return Laws.of(relation.names, [(one.law, Rating(float("nan"), one.bits)) for one in verdicts], facts)


def verdicts_document(laws: Laws, verdicts: CheckedLaws) -> dict[str, Any]:
    """The laws that fail, by their places among all: how far they are from holding, and what breaks them."""
    failing = {one.law: one for one in verdicts.failing}
    places = [(place, failing[law]) for place, law in enumerate(laws) if law in failing]
    return {
        str(place): {
            "pairs": verdict.error.pairs,
            "removals": verdict.error.removals,
            "share": float(f"{verdict.error.share_of_rows:.3g}"),
            "passes": verdict.passes,
            "told": _told(verdicts, verdict) if number < _TOLD else [],
        }
        for number, (place, verdict) in enumerate(places)
    }


def _told(verdicts: CheckedLaws, verdict: CheckedLaw) -> list[str]:
    return [*told_violations(verdict, ViolationSample(verdicts, verdict, _GROUPS).to_json())]
