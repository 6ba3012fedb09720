"""What `print` and notebooks show of an object: they ask for text and HTML, which the report makes."""

from collections.abc import Callable
from typing import Any, ClassVar


class Shown:
    """What is shown in the words of the report, which the front names here."""

    html_of: ClassVar[Callable[[Any], str]]
    text_of: ClassVar[Callable[[Any], str]]

    def _repr_html_(self) -> str:
        return Shown.html_of(self)

    def __str__(self) -> str:
        """What the command line prints of it."""
        return Shown.text_of(self)
