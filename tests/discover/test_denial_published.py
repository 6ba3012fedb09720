"""The published numbers of denial constraints, rules that generators plant, and an independent check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import complete
import lawful
from lawful import Relation, datasets
from lawful.laws import DC, parse
from published_tables import first_rows, here

# (file, rows): evidences, laws
PUBLISHED = {
    ("fd/iris", None): (139, 11),
    ("fd/bridges", None): (1_237, 693),
    ("fd/abalone", None): (7_036, 2_375),
    ("fd/abalone", 200): (1_508, 1_734),
    ("fd/abalone", 1_000): (4_112, 2_350),
    ("fd/adult", 1_000): (35_980, 67_904),
    ("dc/tax-10k", None): (11_894, 8_818),
}


@here
@pytest.mark.parametrize(("name", "rows"), PUBLISHED, ids=str)
def test_denial_constraints_are_as_many_as_published(name: str, rows: int | None, tmp_path: Path) -> None:
    laws = complete.discover(first_rows(name, rows, tmp_path), ["dc"], cross_columns="off")
    assert laws.complete
    assert (laws.facts.stats["evidence"], laws.counts["dc"]) == PUBLISHED[name, rows]


@here
@pytest.mark.parametrize("name", ["dc/tax-10k", "dc/hospital-9k", "dc/airport-30k", "fd/abalone"])
def test_laws_of_some_rows_hold_and_are_minimal(name: str, tmp_path: Path) -> None:
    """By the outcomes of all pairs, with NumPy alone: a law excludes each, and needs all its atoms."""
    relation = first_rows(name, 300, tmp_path)
    laws = complete.discover(relation, ["dc"], cross_columns="off")
    assert laws.complete
    assert len(laws) > 10
    excluded = outcomes_excluded(relation)
    for law in laws:
        atoms = [excluded[atom] for atom in atoms_of(law, excluded)]
        hits = np.sum(atoms, axis=0)
        assert hits.all(), f"{law} is broken"
        for atom in atoms:
            assert (hits[atom] == 1).any(), f"{law} is not minimal"


@here
def test_no_law_is_missing_that_some_columns_obey(tmp_path: Path) -> None:
    """All sets of atoms of three columns, the smallest first: those that hold are what is found."""
    relation = first_rows("dc/tax-10k", 300, tmp_path)
    names = [relation.names[number] for number in (6, 10, 11)]  # state, salary, rate
    laws = complete.discover(relation, ["dc"], cross_columns="off", columns=names)
    excluded = {atom: hit for atom, hit in outcomes_excluded(relation).items() if atom[0] in names}
    minimal: list[frozenset[tuple[str, str]]] = []
    atoms = sorted(excluded)
    for bits in sorted(range(2 ** len(atoms)), key=int.bit_count):
        chosen = frozenset(atom for place, atom in enumerate(atoms) if bits >> place & 1)
        whole = any({(name, o) for n, o in atoms if n == name} <= chosen for name in names)
        if whole or any(smaller <= chosen for smaller in minimal):
            continue
        if np.any([excluded[atom] for atom in chosen], axis=0).all():
            minimal.append(chosen)
    found = {frozenset(atoms_of(law, excluded)) for law in laws}
    assert {*map(mirrored, found)} | found == {*minimal}


def mirrored(atoms: frozenset[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    return frozenset((name, {"<": ">", ">": "<"}.get(outcome, outcome)) for name, outcome in atoms)


def outcomes_excluded(relation: Relation) -> dict[tuple[str, str], npt.NDArray[np.bool_]]:
    """For each atom (column, outcome) which ordered pairs of rows it excludes; "!" for `different`."""
    excluded = {}
    for column, ranks in zip(relation.columns, np.asarray(relation.ranks()), strict=True):
        t, s = ranks[:, None], ranks[None, :]
        off = ~np.eye(len(ranks), dtype=np.bool_)
        excluded[column.name, "="] = (t == s)[off]
        if column.type == "string":
            excluded[column.name, "!"] = (t != s)[off]
        else:
            excluded[column.name, "<"], excluded[column.name, ">"] = (t < s)[off], (t > s)[off]
    distinct = np.unique(np.packbits(list(excluded.values()), axis=0), axis=1)
    lines = np.unpackbits(distinct, axis=0, count=len(excluded)).astype(np.bool_)
    return dict(zip(excluded, lines, strict=True))


def atoms_of(law: Any, excluded: dict[tuple[str, str], npt.NDArray[np.bool_]]) -> list[tuple[str, str]]:
    """The outcomes that a law's predicates exclude."""
    assert isinstance(law, DC)
    atoms = []
    for predicate in law.predicates:
        name = predicate.left.column
        out = {"<": "=>", "<=": ">", "=": "<>", "!=": "=", ">=": "<", ">": "<="}[predicate.operator]
        if (name, "!") in excluded:
            out = out.replace("<>", "!")
        atoms += [(name, outcome) for outcome in out]
    return atoms


# Rules that the generators plant.


def implied(rule: str, laws: lawful.Laws) -> bool:
    wanted = parse(rule)
    return any(law.implies(wanted) for law in laws)


PLANTED = {
    "not(t.state = s.state and t.salary > s.salary and t.rate < s.rate)": ["state", "salary", "rate"],
    "not(t.state = s.state and t.has_child = s.has_child and t.child_exemp != s.child_exemp)": [
        "state",
        "has_child",
        "child_exemp",
    ],
    "not(t.salary < t.single_exemp)": ["salary", "single_exemp"],
}


@pytest.mark.parametrize("rule", PLANTED)
@pytest.mark.parametrize("rows", [500, 20_000])
def test_planted_rules_are_found_and_errors_break_them(rule: str, rows: int) -> None:
    assert rule in datasets.tax.rules
    clean = complete.discover(datasets.tax(rows), ["dc"], columns=PLANTED[rule], cross_columns="all")
    assert clean.complete
    assert implied(rule, clean)
    if rule == "not(t.salary < t.single_exemp)":  # all salaries are larger than all exemptions, errors or not
        return
    spoiled = datasets.tax(20_000, errors=0.001).table
    assert not implied(rule, complete.discover(spoiled, ["dc"], columns=PLANTED[rule], cross_columns="all"))
