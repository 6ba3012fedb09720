"""Equivalent columns of real tables: what a person would call the same."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import lawful
from lawful.laws import FD

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("LAWFUL_DATA", ROOT.parent / "shared" / "data"))

pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not here")

GROUPS = {
    "real/wage1": ["wage lwage", "exper expersq", "tenure tenursq"],
    "fd/adult": ["education education-num"],
    "real/hospital-clean": ["ProviderNumber HospitalName Address1 PhoneNumber", "MeasureCode MeasureName"],
    "real/hospital-dirty": [],
    "real/mpg": [],
    "real/penguins": [],
}


@pytest.mark.parametrize("name", GROUPS)
def test_equivalent_columns(name: str) -> None:
    laws = lawful.discover(DATA / f"{name}.csv", "fd", min_bits=10, max_size=2)
    assert [" ".join(group["columns"]) for group in laws.facts.equivalents] == GROUPS[name]
    between = {(left, right) for group in GROUPS[name] for left in group.split() for right in group.split()}
    found = {str(law) for law in laws.expanded()}
    assert {str(FD({left}, right)) for left, right in between if left != right} <= found


def test_three_equivalences_are_all_that_a_wage_survey_obeys() -> None:
    laws = lawful.discover(DATA / "real" / "wage1.csv", "fd", min_bits=10)
    assert laws.complete
    assert len(laws) == 0
    assert laws.expanded().counts == {"fd": 6}
    assert {*laws.expanded()} == {*lawful.discover(DATA / "real" / "wage1.csv", "fd", min_bits=10, all=True)}
