"""The published numbers of PODs, and what IncPOD's paper says of its tables."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import complete
import lawful
import papers
from lawful import datasets
from lawful.laws import parse
from published_tables import first_rows, here

# (file, rows): laws
PUBLISHED = {
    ("fd/iris", None): 11,
    ("fd/bridges", None): 119,
    ("fd/abalone", None): 2_292,
    ("fd/abalone", 200): 1_655,
    ("fd/abalone", 1_000): 2_238,
    ("od/WP-20K-7", 2_000): 106,
    ("fd/chess", 1_000): 2,
    ("dc/airport-30k", 3_000): 15,
    ("pod/SPS_origin", None): 33,
}


@here
@pytest.mark.parametrize(("name", "rows"), PUBLISHED, ids=str)
def test_pods_are_as_many_as_published(name: str, rows: int | None, tmp_path: Path) -> None:
    laws = complete.discover(first_rows(name, rows, tmp_path), ["pod"])
    assert laws.complete
    assert laws.counts == {"pod": PUBLISHED[name, rows]}


def implied(laws: lawful.Laws, *texts: str) -> list[bool]:
    return [any(known.implies(law) for known in laws) for law in map(parse, texts)]


SIGMA = ("ZIP = => ST =", "PH = => SSN =", "TXA >, SAL < => RATE <", "SSN =, Date < => NUM <")
REFINED = ("ST =, TXA >, SAL < => RATE <", "TXA >, SAL < => RATE <=")


def test_tables_1_and_2_of_the_paper() -> None:
    """Examples 1, 2 and 6: what holds before the increment and after it."""
    columns = ["Date", "SSN", "NUM", "PH", "ST", "ZIP", "SAL", "RATE", "TXA"]
    before = complete.discover(papers.incpod_tax(), "pod", columns=columns)
    assert implied(before, *SIGMA, *REFINED) == [True] * 6
    grown = pa.concat_tables([papers.incpod_tax(), papers.incpod_tax_increment()])
    after = complete.discover(grown, "pod", columns=columns)
    assert implied(after, *SIGMA, *REFINED) == [True, False, False, True, True, True]


@pytest.mark.parametrize("rows", [500, 20_000])
def test_planted_rules_are_found(rows: int) -> None:
    columns = ["state", "salary", "rate", "has_child", "child_exemp"]
    laws = complete.discover(datasets.tax(rows), "pod", columns=columns)
    assert laws.complete
    assert (
        implied(laws, "state =, salary > => rate >=", "state =, has_child = => child_exemp =") == [True] * 2
    )
    spoiled = complete.discover(datasets.tax(20_000, errors=0.001).table, "pod", columns=columns)
    assert implied(spoiled, "state =, salary > => rate >=") == [False]
