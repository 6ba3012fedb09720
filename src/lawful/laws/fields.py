"""Typed access to the fields of a law in JSON."""

from collections.abc import Mapping
from typing import Any, TypeVar

from lawful.errors import LawfulError

Value = TypeVar("Value")


def text(data: Mapping[str, Any], field: str) -> str:
    """Return a field that holds text."""
    return _checked(data, field, str, "text")


def texts(data: Mapping[str, Any], field: str) -> frozenset[str]:
    """Return a field that holds a list of texts, as a set."""
    values = _checked(data, field, list, "a list")
    return frozenset(text({field: value}, field) for value in values)


def part(data: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Return a field that holds an object."""
    return _checked(data, field, dict, "an object")


def part_or_nothing(data: Mapping[str, Any], field: str) -> dict[str, Any] | None:
    """Return a field that holds an object, or null."""
    return None if field in data and data[field] is None else part(data, field)


def parts(data: Mapping[str, Any], field: str) -> list[dict[str, Any]]:
    """Return a field that holds a list of objects."""
    values = _checked(data, field, list, "a list")
    return [part({field: value}, field) for value in values]


def _checked(data: Mapping[str, Any], field: str, kind: type[Value], name: str) -> Value:
    if field not in data:
        raise LawfulError(f"a law in JSON lacks the field {field!r}: {data!r}")
    value = data[field]
    if not isinstance(value, kind):
        raise LawfulError(f"the field {field!r} of a law in JSON must hold {name}, not {value!r}")
    return value
