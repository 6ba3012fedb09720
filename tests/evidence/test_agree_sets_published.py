"""The published numbers of distinct agree-sets (DynASt, table 4)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pc
import pytest

from lawful.evidence.agree_sets import AgreeSets
from published_tables import DATA, here

AGREE_SETS = {"iris": 27, "bridges": 644, "adult": 9_555, "flight": 19_098, "uniprot": 326_698}


def texts_of(name: str) -> npt.NDArray[np.int32]:
    """A table as numbers of its texts: empty values are equal."""
    path = DATA / "fd" / f"{name}.csv"
    parsing = pc.ParseOptions(escape_char="\\" if name == "uniprot" else False, newlines_in_values=True)
    names = pc.open_csv(path, parse_options=parsing).schema.names
    texts = pc.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    table = pc.read_csv(path, parse_options=parsing, convert_options=texts).combine_chunks()
    encoded = [column.chunk(0).dictionary_encode().indices.to_numpy() for column in table.columns]
    return np.array(encoded, np.int32)


@here
@pytest.mark.parametrize("name", AGREE_SETS)
def test_agree_sets_are_as_many_as_published(name: str) -> None:
    """Also after some rows went and came back."""
    ranks = texts_of(name)
    rows = ranks.shape[1]
    known = AgreeSets(len(ranks))
    known.insert(ranks, np.arange(rows))
    assert len(known) == AGREE_SETS[name]
    some = np.random.default_rng(0).choice(rows, rows // 50, replace=False)
    vanished = known.delete(ranks, some)
    assert len(known) + len(vanished) == AGREE_SETS[name]
    assert len(known.insert(ranks, some)) == len(vanished)
    assert known.counted.counts.sum() == rows * (rows - 1) // 2
