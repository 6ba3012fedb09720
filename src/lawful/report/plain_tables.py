"""Tables on a terminal, of the one form that they all have."""

from collections.abc import Collection

from rich.box import SIMPLE_HEAD
from rich.table import Table


def plain_table(*headings: str, right: Collection[str] = ()) -> Table:
    """A table without lines: texts to the left, broken where they are long, numbers to the right, whole."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for heading in headings:
        if heading in right:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(heading, overflow="fold")
    return table
