"""The shared tables of the field, as those read them who published their laws."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

import pandas as pd
import pytest

import lawful
from lawful import Relation
from lawful.table import SourceOptions

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("LAWFUL_DATA", ROOT.parent / "shared" / "data"))
here = pytest.mark.skipif(not DATA.is_dir(), reason="the shared data folder is not here")


def first_rows(name: str, rows: int | None, folder: Path) -> Relation:
    """The first rows of a shared file: lawful finds the types, but bridges has one number only."""
    path = DATA / f"{name}.csv"
    columns = pd.read_csv(path, nrows=0, encoding="latin-1").columns
    texts = [column for column in columns if name == "fd/bridges" and column != "ERECTED"]
    texts += [column for column in columns if column.endswith("(String)")]
    if rows is not None:
        with path.open(encoding="latin-1", newline="") as lines:
            text = "".join(islice(lines, rows + 1))
        path = folder / "some.csv"
        path.write_text(text, "utf-8")
    return lawful.read(path, SourceOptions(empty_is_null=False, types=dict.fromkeys(texts, "string")))
