"""`lawful explain`: what there is to know of one law."""

from __future__ import annotations

from typing import Annotated

import typer

from lawful.cli.laws_argument import LawsArguments
from lawful.cli.running import command, console, writing


@command("""
    lawful explain people.csv "{zip} -> city"
    lawful explain people.csv "key {name, born}" --laws laws.json
    lawful explain laws.json "{id} -> city"
""")
def explain(
    source: LawsArguments,
    law: Annotated[str, typer.Argument(metavar="LAW", help="A law, as in '{zip} -> city'.")],
    laws: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Laws of the table that lawful wrote, instead of a search."),
    ] = None,
    top: Annotated[int, typer.Option(help="Show so many groups or pairs that contradict it.", min=0)] = 5,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Explains a law: its meaning, what it follows from, what contradicts it, and what holds instead."""
    from rich.text import Text

    from lawful.api import explain as explained
    from lawful.laws.text import visible_json
    from lawful.report.law_files import holds_laws, load

    if holds_laws(source.source):
        found = source.laws().explain(law)
    else:
        known = None if laws is None else load(laws)
        with source.relation() as relation:
            found = explained(relation, law, laws=known, top=top)
    with writing():
        if as_json:
            print(visible_json(found.to_json(), indent=2))
        else:
            console().print(Text(str(found)), soft_wrap=True)
