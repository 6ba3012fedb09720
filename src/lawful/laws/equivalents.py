"""Laws of one kind that say what a simpler law of another kind says."""

from lawful.laws.base import Law
from lawful.laws.dc import DC
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.pod import POD


def simpler_form(law: Law) -> Law | None:
    """The key, FD or OD that a POD or a denial constraint states, if it states one."""
    predicates = law.as_dc().predicates
    if not isinstance(law, POD | DC) or any(p.left.column != p.right.column for p in predicates):
        return None
    equal = frozenset(p.left.column for p in predicates if p.operator == "=")
    others = [predicate for predicate in predicates if predicate.operator != "="]
    if not others:
        return Key(equal)
    if len(others) == 1 and others[0].operator == "!=":
        return FD(equal, others[0].left.column)
    if len(others) == 2 and all(predicate.operator in ("<", ">") for predicate in others):
        left, right = others
        return OD(equal, left.left.column, right.left.column, left.operator == right.operator)
    return None
