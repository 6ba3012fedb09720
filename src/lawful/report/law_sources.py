"""Laws from wherever a user has them: texts, law objects, files, collections."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from lawful.errors import LawfulError
from lawful.laws import Law, parse
from lawful.report.consequences import Consequences
from lawful.report.law_files import ENDINGS, load


def laws_from(given: Any) -> list[Law]:
    """The laws that are given: a law, a text or file of laws, a collection, or several of these.

    Raises:
        LawfulError: there are none, or one cannot be read.
    """
    laws = list(dict.fromkeys(_each(given)))
    if not laws:
        raise LawfulError("there are no laws to check: give a file of laws, or texts such as '{zip} -> city'")
    return laws


def _each(given: Any) -> Iterator[Law]:
    if isinstance(given, Law):
        yield given
    elif isinstance(given, str | Path):
        yield from _named(given)
    elif isinstance(given, Consequences):
        yield from given.to_check()
    elif isinstance(given, Iterable):
        for one in given:
            yield from _each(one)
    else:
        raise LawfulError(f"a {type(given).__name__} is no law: give a text, a file or a collection of laws")


def _named(given: str | Path) -> Iterable[Law]:
    """The laws of a file, or the law that a text states."""
    path = Path(given)
    if path.suffix.lower() in ENDINGS:
        return load(path).to_check()
    if path.suffix.lower() == ".txt":
        return _lines(path)
    return [parse(str(given))]


def _lines(path: Path) -> Iterator[Law]:
    """A law in each line; what begins with # is a comment."""
    try:
        lines = path.read_text("utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no UTF-8"
        raise LawfulError(f"{str(path)!r} cannot be read ({why}): check the path") from None
    for number, line in enumerate(map(str.strip, lines), start=1):
        if line and not line.startswith("#"):
            try:
                yield parse(line)
            except LawfulError as error:
                raise LawfulError(f"line {number} of {str(path)!r}: {error}") from None
