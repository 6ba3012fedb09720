"""IncPOD's stock prices: 33 PODs, and 31 after 20,000 rows came."""

from __future__ import annotations

import lawful
from changing_tables import laws_of
from published_tables import DATA, here


@here
def test_stock_prices() -> None:
    options = {"Date(String)": "string"}
    state = lawful.keep(str(DATA / "pod" / "SPS_origin.csv"), "pod", types=options)
    assert state.counts == {"pod": 33}
    coming = lawful.read(str(DATA / "pod" / "SPS_inc.csv"), lawful.SourceOptions(types=options))
    rows = coming.rows(coming.row_ids[:20_000])
    before = laws_of(state)
    change = state.insert(rows)
    assert change.counts == {"pod": 31}
    assert (len(change.removed), len(change.added)) == (3, 1)
    assert all(rows is not None for _, rows, _ in change.removed)
    change = state.delete(change.inserted)
    assert laws_of(state) == before
