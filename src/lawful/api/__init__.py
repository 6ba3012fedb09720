"""The calls that a user makes: arguments in, calls out."""

from lawful.api.finding import discover, stream
from lawful.api.judging_calls import approximate, check, explain, flag, split, suspects, violations
from lawful.api.keeping import State, keep, laws_of, open_state

__all__ = [
    "State",
    "approximate",
    "check",
    "discover",
    "explain",
    "flag",
    "keep",
    "laws_of",
    "open_state",
    "split",
    "stream",
    "suspects",
    "violations",
]
