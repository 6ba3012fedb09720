"""Plain data as YAML: blocks for what has parts, JSON (which YAML contains) for what has none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any


def yaml(value: Any) -> str:
    """A document."""
    return "\n".join(_lines(value)) + "\n"


def _lines(value: Any) -> Iterator[str]:
    if isinstance(value, dict) and value:
        for key, part in value.items():
            if isinstance(part, dict | list) and part and not _is_flat(part):
                yield f"{_plain(key)}:"
                yield from (f"  {line}" for line in _lines(part))
            else:
                yield f"{_plain(key)}: {_flat(part)}"
    elif isinstance(value, list) and value:
        for part in value:
            first, *others = _lines(part)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield _flat(value)


def _is_flat(value: Any) -> bool:
    return isinstance(value, list) and not any(isinstance(part, dict | list) for part in value)


def _flat(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _plain(key: str) -> str:
    return key if key.replace("_", "").replace("-", "").isalnum() else json.dumps(key, ensure_ascii=False)
