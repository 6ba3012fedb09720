"""From text and JSON to laws."""

from collections.abc import Mapping
from typing import Any

from lawful.errors import LawfulError
from lawful.laws import fields
from lawful.laws.base import KINDS, Law
from lawful.laws.dc import DC, Cell, Predicate, Row
from lawful.laws.fd import FD
from lawful.laws.key import Key
from lawful.laws.od import OD
from lawful.laws.operators import OPERATORS, checked_operator
from lawful.laws.pod import POD, Term
from lawful.laws.text import Tokens


def parse(text: str) -> Law:
    """Return the law that `text` states.

    The braces around the left side of an FD and the word asc may be left out. `{a}: [] -> b`, as ODs have it,
    is the FD `{a} -> b`.
    """
    tokens = Tokens(text)
    law = _law(tokens)
    tokens.take_end()
    return law


def from_json(data: Mapping[str, Any]) -> Law:
    """Return the law whose `to_json()` is `data`."""
    kind = fields.text(data, "kind")
    for law in (Key, FD, OD, POD, DC):
        if law.kind == kind:
            return law.from_json(data)
    raise LawfulError(f"{kind!r} is no kind of law: use one of {' '.join(KINDS)}")


def _law(tokens: Tokens) -> Law:
    if tokens.comes("key", "{"):
        tokens.take("key")
        return Key(_braced_names(tokens))
    if tokens.comes("not", "("):
        return _dc(tokens)
    if tokens.comes("{"):
        return _fd_or_od(tokens)
    if tokens.comes("=>") or _is_operator(tokens, ahead=1):
        return _pod(tokens)
    lhs = _names(tokens)
    tokens.take("->")
    return FD(lhs, tokens.take_name())


def _fd_or_od(tokens: Tokens) -> Law:
    names = _braced_names(tokens)
    if tokens.take("->", ":") == "->":
        return FD(names, tokens.take_name())
    if tokens.take_if("["):
        tokens.take("]")
        tokens.take("->")
        return FD(names, tokens.take_name())
    left, left_descending = _side(tokens)
    tokens.take("~")
    right, right_descending = _side(tokens)
    return OD(names, left, right, left_descending != right_descending)


def _side(tokens: Tokens) -> tuple[str, bool]:
    name = tokens.take_name()
    if tokens.take_if("desc"):
        return name, True
    tokens.take_if("asc")
    return name, False


def _braced_names(tokens: Tokens) -> set[str]:
    tokens.take("{")
    names = set() if tokens.comes("}") else _names(tokens)
    tokens.take("}")
    return names


def _names(tokens: Tokens) -> set[str]:
    names = {tokens.take_name()}
    while tokens.take_if(","):
        names.add(tokens.take_name())
    return names


def _pod(tokens: Tokens) -> POD:
    lhs = set()
    if not tokens.comes("=>"):
        lhs.add(_term(tokens))
        while tokens.take_if(","):
            lhs.add(_term(tokens))
    tokens.take("=>")
    if tokens.comes("never") and not _is_operator(tokens, ahead=1):
        tokens.take("never")
        return POD(lhs)
    return POD(lhs, _term(tokens))


def _term(tokens: Tokens) -> Term:
    return Term(tokens.take_name(), checked_operator(tokens.take(*OPERATORS)))


def _dc(tokens: Tokens) -> DC:
    tokens.take("not")
    tokens.take("(")
    predicates = set()
    if not tokens.comes(")"):
        predicates.add(_predicate(tokens))
        while tokens.take_if("and"):
            predicates.add(_predicate(tokens))
    tokens.take(")")
    return DC(predicates)


def _predicate(tokens: Tokens) -> Predicate:
    left = _cell(tokens)
    operator = checked_operator(tokens.take(*OPERATORS))
    return Predicate(left, operator, _cell(tokens))


def _cell(tokens: Tokens) -> Cell:
    row: Row = "t" if tokens.take("t", "s") == "t" else "s"
    tokens.take(".")
    return Cell(row, tokens.take_name())


def _is_operator(tokens: Tokens, ahead: int) -> bool:
    token = tokens.peek(ahead)
    return token.kind == "symbol" and token.value in OPERATORS
