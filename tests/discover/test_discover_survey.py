"""Among tens of thousands of laws that hold by chance, those that were put there: all of them, no others."""

from __future__ import annotations

import pytest

import complete
import lawful
from lawful import datasets
from lawful.laws import parse

RULES = set(map(parse, datasets.survey.rules))


@pytest.mark.parametrize("seed", range(4))
def test_the_laws_of_a_survey_are_its_rules(seed: int) -> None:
    survey = datasets.survey(seed=seed)
    laws = lawful.discover(survey, min_bits=10)
    assert laws.complete
    assert set(laws.expanded()) == RULES
    assert [group["columns"] for group in laws.facts.equivalents] == [
        ["wage", "log_wage"],
        ["experience", "experience_squared"],
        ["tenure", "tenure_squared"],
    ]


def test_the_others_are_chance() -> None:
    every = complete.discover(datasets.survey(), "fd")
    assert len(every) > 10_000
    assert set(every.filter(min_bits=10)) == {law for law in RULES if law.kind == "fd"}
    assert set(every.top(7)) == set(every.filter(min_bits=10))
