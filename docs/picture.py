"""Draws docs/discover.svg and report.png: what `lawful discover` prints of a small table, and its report.

The second one is a picture by Chromium.
"""

import re
import subprocess
import tempfile
from io import StringIO
from pathlib import Path

import pyarrow as pa
from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console

from lawful import Laws, datasets, discover, read
from lawful.report.page.page_document import Reported
from lawful.report.page.page_file import write_report
from lawful.report.tables import print_laws

HERE = Path(__file__).parent


def main() -> None:
    """Find the laws of some employees and draw what is shown of them."""
    discover(datasets.employees(10))  # compiles the kernels, which would count otherwise
    employees = datasets.employees(1000)
    laws = discover(employees)
    draw_terminal(laws, HERE / "discover.svg")
    draw_report(laws, employees, HERE / "report.png")


def draw_terminal(laws: Laws, path: Path) -> None:
    """What the terminal shows."""
    console = Console(file=StringIO(), record=True, width=100, force_terminal=True)
    console.print("[bold]$ lawful discover employees.csv[/bold]", highlight=False)
    print_laws(laws, console)
    # Without the web fonts that Rich names, the picture needs nothing from elsewhere.
    template = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    path.write_text(console.export_svg(title="lawful", code_format=template), "utf-8")


def draw_report(laws: Laws, table: pa.Table, path: Path) -> None:
    """The page as it opens."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "employees.html")
        write_report(Reported(laws, "employees.csv", read(table)), page)
        window = ["--window-size=1150,1350", "--force-device-scale-factor=0.8", "--hide-scrollbars"]
        words = ["--headless=new", "--no-sandbox", f"--user-data-dir={folder}/browser", *window]
        command = ["chromium", *words, f"--screenshot={path}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    main()
