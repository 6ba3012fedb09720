"""Laws of one kind that say what a simpler law of another kind says."""

from lawful.laws.base import Law
from lawful.laws.dc import DC
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.pod import POD


def simpler_form(law: Law) -> Law | None:
    """The key, FD or OD that a POD or a denial constraint states, if it states one."""
    if not isinstance(law, POD | DC):
        return None
    denial = law.as_dc()
    predicates, equal = denial.predicates, denial.context
    if any(one.left.column != one.right.column for one in predicates):
        return None
    others = [predicate for predicate in predicates if predicate.operator != "="]
    if not others:
        return Key(equal)
    if len(others) == 1 and others[0].operator == "!=":
        return FD(equal, others[0].left.column)
    if len(others) == 2 and all(predicate.operator in ("<", ">") for predicate in others):
        left, right = others
        return OD(equal, left.left.column, right.left.column, left.operator == right.operator)
    return None
