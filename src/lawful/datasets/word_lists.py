"""Invented names of people and places, put together from syllables."""

from __future__ import annotations

from itertools import product

# fmt: off
_STARTS = (
    "Al", "Bel", "Cor", "Dar", "El", "Fal", "Gar", "Hal", "Is", "Jor", "Kal", "Lor", "Mar", "Nor", "Ol",
    "Per", "Quin", "Ros", "Sel", "Tal", "Ul", "Ver", "Wil", "Yor", "Zan",
)
_MIDDLES = ("", "an", "ed", "il", "om", "ur", "ent", "ar", "ol", "is")
_SURNAME_ENDS = (
    "son", "sen", "ski", "man", "well", "ley", "berg", "worth", "ford", "dale", "ham", "ton", "wick", "stein",
    "croft", "ard",
)
# fmt: on
_PLACE_WORDS = ("", "North ", "South ", "New ", "Port ", "Mount ", "Lake ", "Fort ")
_PLACE_ENDS = ("ton", "ville", "field", "burg", "port", "wood", "dale", "mouth", "bridge", "haven")


def _joined(*parts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map("".join, product(*parts))))


# The endings keep the two apart, so that a first name tells the gender.
FEMALE_NAMES = _joined(_STARTS, _MIDDLES, ("a", "ia", "elle", "ine", "ette"))
MALE_NAMES = _joined(_STARTS, _MIDDLES, ("o", "us", "ert", "ic", "or"))
LAST_NAMES = _joined(_STARTS, _MIDDLES, _SURNAME_ENDS)
PLACE_NAMES = _joined(_PLACE_WORDS, _STARTS, _MIDDLES[:6], _PLACE_ENDS)
