"""The page as one file: a skeleton, a style sheet, scripts and the data, all in one place."""

from __future__ import annotations

import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from lawful.errors import LawfulError
from lawful.laws.text import visible
from lawful.replacing import replaced_file
from lawful.report.output_files import check_output
from lawful.report.page.page_document import Reported

_ENDINGS = (".html", ".htm")
_START = "<!DOCTYPE html>\n<!-- lawful report -->"  # by which lawful knows its own
_STYLES = ("colours", "base", "header", "picture", "filters", "laws", "columns", "further", "narrow", "print")
# In the order in which they use each other.
_SCRIPTS = (
    "elements",
    "model",
    "links",
    "picture",
    "columns",
    "examples",
    "details",
    "filters",
    "laws",
    "further",
    "start",
)
_ASSETS = files("lawful.report.page") / "assets"


def check_report_file(path: str | Path, source: Any = None, force: bool = False) -> None:
    """Raise now, not after a long search, if a report could not be written to a path."""
    path = Path(path)
    if path.suffix.lower() not in _ENDINGS:
        raise LawfulError(f"a report is a page: let the name {str(path)!r} end in .html")
    check_output(path, source, force, _is_ours)


def write_report(reported: Reported, path: str | Path) -> None:
    """Write a page; it appears in one step."""
    page = assembled(reported.document())
    with replaced_file(Path(path)) as new:
        new.write_text(page, "utf-8")


def assembled(document: dict[str, Any]) -> str:
    """A page that says what a document says."""
    parts = {
        "title": escape(visible(document["title"])),
        "style": "".join(_asset(f"{name}.css") for name in _STYLES),
        "data": embedded(document),
        "script": "".join(_asset(f"{name}.js") for name in _SCRIPTS),
    }
    return re.sub(r"<!-- (title|style|data|script) -->", lambda found: parts[found[1]], _asset("page.html"))


def embedded(document: dict[str, Any]) -> str:
    """JSON that may stand in a script element: no text ends or opens one, nothing is invisible."""
    text = json.dumps(document, separators=(",", ":"), default=str, allow_nan=False)
    return (
        text.replace("<", "\\u003c")
        .replace(">", "\\u003e")
        .replace("&", "\\u0026")
        .replace("\x7f", "\\u007f")
    )


def _asset(name: str) -> str:
    return (_ASSETS / name).read_text("utf-8")


def _is_ours(path: Path) -> bool:
    with path.open("rb") as file:
        start = file.read(len(_START))
    return start in (b"", _START.encode())
