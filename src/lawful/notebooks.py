"""What notebooks show of an object: the report, which has the words for it, registers here how."""

from functools import singledispatch
from html import escape


@singledispatch
def html_of(thing: object) -> str:
    """An object as HTML."""
    return f"<pre>{escape(repr(thing))}</pre>"


class ShownInNotebooks:
    """What notebooks show by what is registered for its type."""

    def _repr_html_(self) -> str:
        return html_of(self)
