"""The shortest way in which a law follows from others."""

from __future__ import annotations

from collections.abc import Callable

from lawful.laws import FD, Key, Law
from lawful.laws.equivalents import simpler_form
from lawful.reasoning.closures import Columns
from lawful.reasoning.order_axioms import Proof
from lawful.reasoning.theory import Theory

LAWS_TRIED = 500  # sets of columns on the way, before any derivation is good enough
SHORTENED = 200  # laws of a proof that are tried to do without


def shortest_proof(theory: Theory, law: Law) -> Proof | None:
    """The fewest laws that a law follows from, in the order of their use; None if it does not follow.

    For keys and FDs they are the fewest, unless the ways are too many to try; for other laws none of them can
    be spared.
    """
    found = theory.proof(law)
    if found is None or len(found) < 2:
        return found
    enough = _without_spare(theory, law, found)
    return min(enough, _fewest(theory, law) or enough, key=len)


def _without_spare(theory: Theory, law: Law, proof: Proof) -> Proof:
    kept = [*proof]
    for one in proof if len(proof) <= SHORTENED else ():
        fewer = [other for other in kept if other != one]
        if Theory.of(theory.names, fewer, theory.nulls_equal).implies(law):
            kept = fewer
    return tuple(kept)


def _fewest(theory: Theory, law: Law) -> Proof | None:
    """A proof of the fewest laws, by what keys and FDs determine step by step, breadth first."""
    simple = simpler_form(law) or law
    match simple:
        case FD():
            return _walk(theory, frozenset(simple.lhs), lambda known: () if simple.rhs in known else None)
        case Key():
            return _walk(theory, frozenset(simple.columns), lambda known: _key_within(theory, known))
    return None


def _key_within(theory: Theory, known: Columns) -> Proof | None:
    return next(((law,) for law in theory.laws if isinstance(law, Key) and law.columns <= known), None)


def _walk(theory: Theory, given: Columns, ended: Callable[[Columns], Proof | None]) -> Proof | None:
    ways: list[tuple[Columns, Proof]] = [(given, ())]
    seen = {given}
    for known, way in ways:  # which grows
        end = ended(known)
        if end is not None:
            return (*way, *end)
        for one in theory.closures.steps_from(known) if len(ways) < LAWS_TRIED else ():
            larger = known | one.rhs
            if larger not in seen:
                seen.add(larger)
                ways.append((larger, (*way, one.law)))
    return None
