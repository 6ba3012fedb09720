"""Draws docs/discover.svg: what `lawful discover` prints for a small table."""

import re
from io import StringIO
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from lawful import datasets, discover
from lawful.report.tables import print_laws


def main() -> None:
    """Find the laws of some employees and write what the terminal would show."""
    discover(datasets.employees(10))  # compiles the kernels, which would count otherwise
    laws = discover(datasets.employees(1000))
    console = Console(file=StringIO(), record=True, width=100, force_terminal=True)
    console.print("[bold]$ lawful discover employees.csv[/bold]", highlight=False)
    print_laws(laws, console)
    path = Path(__file__).with_name("discover.svg")
    # Without the web fonts that Rich names, the picture needs nothing from elsewhere.
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    path.write_text(console.export_svg(title="lawful", code_format=template), "utf-8")


if __name__ == "__main__":
    main()
