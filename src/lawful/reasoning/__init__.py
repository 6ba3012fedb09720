"""What follows from laws alone, whatever the table: closures, covers, keys, normal forms, orders."""

from lawful.reasoning.candidate_keys import candidate_keys
from lawful.reasoning.closures import in_order
from lawful.reasoning.covers import minimal_cover
from lawful.reasoning.normal_forms import FORMS, Decomposition, Part, normalized
from lawful.reasoning.theory import Theory

__all__ = [
    "FORMS",
    "Decomposition",
    "Part",
    "Theory",
    "candidate_keys",
    "in_order",
    "minimal_cover",
    "normalized",
]
