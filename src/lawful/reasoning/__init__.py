"""What follows from laws alone, whatever the table: closures, covers, keys, normal forms, orders."""

from lawful.reasoning.candidate_keys import candidate_keys, key_within
from lawful.reasoning.closures import in_order
from lawful.reasoning.covers import minimal_cover
from lawful.reasoning.derivations import shortest_proof
from lawful.reasoning.normal_forms import FORMS, Decomposition, SchemaPart, normalized
from lawful.reasoning.order_by import OrderAnswer, SortAdvice
from lawful.reasoning.order_lists import SortItem, parse_order, set_based, shown
from lawful.reasoning.theory import Theory

__all__ = [
    "FORMS",
    "Decomposition",
    "OrderAnswer",
    "SchemaPart",
    "SortAdvice",
    "SortItem",
    "Theory",
    "candidate_keys",
    "in_order",
    "key_within",
    "minimal_cover",
    "normalized",
    "parse_order",
    "set_based",
    "shortest_proof",
    "shown",
]
