"""Values in a page: short texts."""

from __future__ import annotations

from typing import Any

_LONGEST = 60  # characters of a value: what does not fit on a line tells nobody more


def shown(value: Any) -> str | None:
    """A value as people read it; None is NULL."""
    if value is None:
        return None
    text = (
        value.hex()
        if isinstance(value, bytes)
        else f"{value:.10g}"
        if isinstance(value, float)
        else str(value)
    )
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
