"""Values in a page: short texts."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

_LONGEST = 60  # characters of a value: what does not fit on a line tells nobody more
_LARGE = 1e6  # from here on nobody looks for decimals


def shown(value: Any) -> str | None:
    """A value as people read it; None is NULL."""
    match value:
        case None:
            return None
        case bytes():
            text = value.hex()
        case float():
            text = f"{value:.10g}"
        case _:
            text = str(value)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def rounded(value: Any) -> str | None:
    """The end of a range of values; of a number only the digits that matter there."""
    if not isinstance(value, float | Decimal):
        return shown(value)
    number = float(value)
    return f"{number:.0f}" if abs(number) >= _LARGE else f"{number:.6g}"
