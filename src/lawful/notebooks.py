"""What notebooks show of an object: they ask for HTML, which the report makes."""

from collections.abc import Callable
from typing import Any, ClassVar


class ShownInNotebooks:
    """What notebooks show in the words of the report, which the front names here."""

    html_of: ClassVar[Callable[[Any], str]]

    def _repr_html_(self) -> str:
        return ShownInNotebooks.html_of(self)
