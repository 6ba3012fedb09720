"""Probes against a scan of all pairs; the choice of indexes; IncPOD's examples 7, 12, 14 and stock prices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ranked_tables import oracle_of, ranked

import naive
import papers
from examples import examples
from lawful.laws import FD, OD, OPERATORS, OUTCOMES, Key, Law, Operator, parse
from lawful.laws.codec import Codec
from lawful.laws.comparisons import EQUAL, GREATER, LESS, Flags
from lawful.table.ranked import RankedRows, Ranks
from lawful.validate import probes as probes_module
from lawful.validate.index_choice import ChoiceOptions
from lawful.validate.probe_literals import Excluded, excluded_outcomes
from lawful.validate.probe_pairs import BY_DIFFERENCE, BY_ORDER, BY_SCAN, BY_VALUE
from lawful.validate.probes import Probes, ViolatingPairs
from published_tables import DATA, here

Literals = Mapping[int, Operator]
Found = set[tuple[int, int, int]]

NO_LISTS = ChoiceOptions(selectivity=0, short_list=0)  # chains wherever there are two order literals
OWN_INDEXES = NO_LISTS._replace(long_fetch=0)  # for every law with `=`
ALL_OPTIONS = [ChoiceOptions(), NO_LISTS, NO_LISTS._replace(correlation=0), OWN_INDEXES]


def excluded_by(laws: Sequence[Literals], columns: int) -> Excluded:
    excluded: Excluded = np.zeros((len(laws), columns), np.uint8)
    for law, literals in enumerate(laws):
        for column, operator in literals.items():
            bits = ((LESS, "<"), (EQUAL, "="), (GREATER, ">"))
            excluded[law, column] = sum(bit for bit, sign in bits if sign not in OUTCOMES[operator])
    return excluded


def satisfied(operator: Operator, x: int, y: int, ordered: bool) -> bool:
    """What a literal means: a difference without order satisfies `!=` alone."""
    if min(x, y) < 0 or (x != y and not ordered):
        return operator == "!="
    return ("<" if x < y else "=" if x == y else ">") in OUTCOMES[operator]


def scan(ranks: Ranks, ordered: Flags, laws: Sequence[Literals], new: set[int], alive: Flags) -> Found:
    """All pairs of different rows that live, one of them new, with the laws that they break."""
    return {
        (t, s, law)
        for t, s in permutations(np.flatnonzero(alive).tolist(), 2)
        if {t, s} & new
        for law, literals in enumerate(laws)
        if all(satisfied(o, ranks[c, t], ranks[c, s], ordered[c]) for c, o in literals.items())
    }


def as_set(found: ViolatingPairs) -> Found:
    lines = [(t, s, law) for (t, s), law in zip(found.pairs.tolist(), found.laws.tolist(), strict=True)]
    assert len(lines) == len(set(lines))
    return set(lines)


def renumbered(ranks: Ranks) -> Ranks:
    return np.where(ranks < 0, ranks, 3 * ranks + 1).astype(np.int32)


def some_laws(columns: int) -> st.SearchStrategy[list[dict[int, Operator]]]:
    literals = st.dictionaries(st.integers(0, columns - 1), st.sampled_from(OPERATORS))
    return st.lists(literals, max_size=6)


@examples(60)
@given(ranked(max_rows=22, max_columns=4), st.sampled_from(ALL_OPTIONS), st.sampled_from([0, 64]), st.data())
def test_probes_find_what_a_scan_finds(
    rows: RankedRows, options: ChoiceOptions, rows_of_a_chain: int, data: st.DataObject
) -> None:
    """With rows that come in batches, rows that go, numbers and laws that change."""
    laws, ordered = data.draw(some_laws(rows.columns)), rows.ordered
    count = data.draw(st.integers(0, rows.count))
    room = np.pad(rows.ranks, ((0, 0), (0, 5)))
    alive = np.array(data.draw(st.lists(st.booleans(), min_size=rows.count, max_size=rows.count)), np.bool_)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probes_module, "ROWS_OF_A_CHAIN", rows_of_a_chain)  # with or without many chains
        probes = Probes(room, count, ordered, options)
        probes.serve(excluded_by(laws, rows.columns), data.draw(st.sampled_from([None, alive[:count]])))
        for _ in range(3):
            first, count = count, data.draw(st.integers(count, rows.count))
            room = data.draw(st.sampled_from([room, renumbered(room)]))
            probes.extend(room, count, data.draw(st.sampled_from([None, alive[:count]])))
            new, living = np.arange(first, count, dtype=np.int32), alive[:count]
            wanted = scan(room, ordered, laws, set(new.tolist()), living)
            assert as_set(probes.violating_pairs(new, living)) == wanted
            few = as_set(probes.violating_pairs(new, living, most=2))
            assert few <= wanted
            for law in range(len(laws)):
                all_of_it = sum(one[2] == law for one in wanted)
                assert sum(one[2] == law for one in few) == min(2, all_of_it)
            assert probes.probe_seconds(1) >= 0
            laws = data.draw(st.one_of(st.just(laws), some_laws(rows.columns)))
            probes.serve(excluded_by(laws, rows.columns), living)


@examples(30)
@given(ranked(max_rows=7, max_columns=4), st.sampled_from(["equal", "distinct"]))
def test_laws_of_every_kind_mean_what_the_oracle_says(rows: RankedRows, nulls: naive.Nulls) -> None:
    """All rows are new: the pairs are those that the oracle finds."""
    if nulls == "equal":
        rows = RankedRows(rows.ranks + 1, rows.ordered)
    table, names = oracle_of(rows, "distinct"), [str(column) for column in range(rows.columns)]
    laws: list[Law] = [Key(frozenset()), *(Key(frozenset({name})) for name in names)]
    laws += [FD(frozenset(names) - {name, other}, name) for name in names for other in names]
    sides = [name for name, with_order in zip(names, rows.ordered, strict=True) if with_order]
    laws += [OD(frozenset(), a, b, down) for a in sides for b in sides if a < b for down in (False, True)]
    laws += list(naive.minimal_pods(table))
    codec = Codec.of(names, laws)
    probes = Probes(rows.ranks, rows.count, rows.ordered)
    probes.serve(excluded_outcomes(codec.encode(laws), codec.comparisons, rows.columns))
    found = as_set(probes.violating_pairs(np.arange(rows.count, dtype=np.int32)))
    for number, law in enumerate(laws):
        broken = {frozenset(pair) for pair in naive.violations(law, table)}
        assert {frozenset((t, s)) for t, s, which in found if which == number} == broken


TAX = ["Date", "SSN", "NUM", "PH", "ST", "ZIP", "SAL", "RATE", "TXA"]
SIGMA = ["ZIP = => ST =", "PH = => SSN =", "TXA >, SAL < => RATE <", "SSN =, Date < => NUM <"]


def codes_of(columns: Sequence[npt.ArrayLike]) -> Ranks:
    return np.array([pd.factorize(np.asarray(column), sort=True)[0] for column in columns], np.int32)


def literals_of(laws: Sequence[Law], names: Sequence[str]) -> Excluded:
    codec = Codec.of(names, laws)
    return excluded_outcomes(codec.encode(laws), codec.comparisons, len(names))


@pytest.mark.parametrize("options", ALL_OPTIONS, ids=["lists", "chains", "along", "own"])
def test_examples_7_and_14(options: ChoiceOptions) -> None:
    """The three new rows break the second law and, twice, the third."""
    table = pa.concat_tables([papers.incpod_tax(), papers.incpod_tax_increment()]).to_pandas()
    ranks = codes_of([table[name] for name in TAX])
    probes = Probes(ranks, 7, np.ones(len(TAX), np.bool_), options)
    probes.serve(literals_of([parse(text) for text in SIGMA], TAX))
    probes.extend(ranks, 10)
    found = as_set(probes.violating_pairs(np.array([7, 8, 9], np.int32)))
    assert {(frozenset((t, s)), law) for t, s, law in found} == {
        (frozenset((7, 1)), 1),
        (frozenset((7, 1)), 2),
        (frozenset((8, 3)), 2),
    }


def test_example_12_chains_follow_the_correlation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes_module, "ROWS_OF_A_CHAIN", 0)  # as many chains as there are
    table = papers.incpod_tax().to_pandas()
    ranks = codes_of([table["Date"], table["NUM"]])
    ordered = np.ones(2, np.bool_)
    for options, sign in ((NO_LISTS, 1), (NO_LISTS._replace(correlation=1), -1)):
        probes = Probes(ranks, 7, ordered, options)
        probes.serve(excluded_by([{0: "<", 1: ">="}], 2))
        assert list(probes.indexes) == [(0, 1, sign)]


def routes(ranks: Ranks, laws: Sequence[Literals]) -> list[tuple[int, tuple[int, ...]]]:
    probes = Probes(ranks, ranks.shape[1], np.ones(len(ranks), np.bool_))
    probes.serve(excluded_by(laws, len(ranks)))
    ways, places, indexes = probes.routes.ways, probes.routes.places, [*probes.indexes, ()]
    return [(way, indexes[place]) for way, place in zip(ways.tolist(), places.tolist(), strict=True)]


def test_indexes_are_chosen_by_what_they_fetch() -> None:
    random = np.random.default_rng(0)
    place = np.arange(5000)
    near, far = place + random.integers(0, 50, 5000), 9999 - place // 2
    same, constant = random.integers(0, 3, 5000), np.zeros(5000)
    ranks = np.array([place, near, far, same, constant, place // 400], np.int32)
    laws: list[Literals] = [
        {0: "=", 1: "=", 3: "="},  # the column with most values
        {0: "<", 1: ">", 5: "<"},  # the pair that goes against its correlation most
        {0: "<", 2: "<", 3: "="},  # chains that fetch less than a list of a third of the rows
        {3: "=", 5: "=", 1: "<"},  # the better one of two long lists
        {4: "!=", 3: "!="},  # nobody is unlike the others
        {3: "!="},  # two thirds of the table: no index
    ]
    assert routes(ranks, laws) == [
        (BY_VALUE, (0, 0, 1)),
        (BY_ORDER, (0, 1, 1)),
        (BY_ORDER, (0, 2, -1)),
        (BY_VALUE, (5, 5, 1)),
        (BY_DIFFERENCE, (4, 4, 1)),
        (BY_SCAN, ()),
    ]


def test_laws_that_fetch_much_have_an_index_of_their_own() -> None:
    random = np.random.default_rng(0)
    state, rate, child = random.integers(0, 3, (3, 9000))
    ranks = np.array([state, rate, child, state * 10 + rate], np.int32)
    laws: list[Literals] = [
        {0: "=", 1: "<", 3: ">"},  # in each state the last column goes along with the rate
        {0: "=", 1: "=", 3: "!="},
        {0: "=", 1: "=", 2: "="},
    ]
    assert routes(ranks, laws) == [
        (BY_ORDER, (1, 3, 1, 0)),
        (BY_DIFFERENCE, (3, 3, 1, 0, 1)),
        (BY_VALUE, (2, 2, 1, 0, 1)),
    ]


def test_indexes_that_serve_stay() -> None:
    ranks = np.array([np.arange(1000), np.arange(1000) // 2, np.arange(1000)[::-1]], np.int32)
    probes = Probes(ranks, 1000, np.ones(3, np.bool_))
    probes.serve(excluded_by([{0: "<", 1: ">"}, {2: "="}], 3))
    before = dict(probes.indexes)
    probes.serve(excluded_by([{0: ">", 1: "<=", 2: "!="}, {0: "="}], 3))
    assert before.keys() == {(0, 1, 1), (2, 2, 1)}
    assert probes.indexes.keys() == {(0, 1, 1), (0, 0, 1)}
    assert probes.indexes[0, 1, 1] is before[0, 1, 1]


def test_indexes_are_chosen_again_when_the_table_has_doubled() -> None:
    ranks = np.array([np.arange(2000) % 3, np.arange(2000), np.arange(2000)], np.int32)
    probes = Probes(ranks, 2, np.ones(3, np.bool_))
    probes.serve(excluded_by([{0: "=", 1: "<", 2: ">"}], 3))
    assert list(probes.indexes) == [(0, 0, 1)]
    probes.extend(ranks, 2000)
    assert list(probes.indexes) == [(1, 2, 1)]
    assert not len(probes.violating_pairs(np.arange(2, 2000, dtype=np.int32)).laws)


def test_indexes_are_made_again_when_most_of_their_rows_are_gone() -> None:
    ranks, alive = np.array([np.arange(3000), np.arange(3000)], np.int32), np.ones(3000, np.bool_)
    probes = Probes(ranks, 2000, np.ones(2, np.bool_))
    probes.serve(excluded_by([{0: "<", 1: ">"}], 2))
    alive[:1000] = False
    probes.extend(ranks, 2500, alive)
    assert len(probes.indexes[0, 1, 1].rows) > 2500
    alive[:2000] = False
    probes.extend(ranks, 3000, alive)
    assert len(probes.indexes[0, 1, 1].rows) < 1500
    assert not len(probes.violating_pairs(np.arange(2500, 3000, dtype=np.int32), alive).laws)


def test_chains_are_given_up_where_they_are_too_many() -> None:
    random = np.random.default_rng(1)
    ranks = random.permuted(np.tile(np.arange(600, dtype=np.int32), (2, 1)), axis=1)
    assert routes(ranks, [{0: "<", 1: ">"}]) == [(BY_SCAN, ())]


PRICES = [DATA / "pod" / "SPS_origin.csv", DATA / "pod" / "SPS_inc.csv"]
BROKEN = {
    '"Close(Double)" =, "High(Double)" <=, "Volume(Integer)" = => "Open(Double)" <',
    '"Close(Double)" =, "Low(Double)" <, "Volume(Integer)" = => "High(Double)" <',
}
KEPT = {
    '"Date(String)" =, "Ticker(String)" = => never',
    '"High(Double)" =, "Volume(Integer)" = => "Ticker(String)" =',
    '"Close(Double)" <=, "Date(String)" =, "Volume(Integer)" = => "Low(Double)" <',
}


@here
def test_stock_prices() -> None:
    """Some of the 33 PODs of the first file, two of which the second one breaks."""
    tables = [pd.read_csv(path, dtype={"Date(String)": str}, keep_default_na=False) for path in PRICES]
    both = pd.concat([tables[0], tables[1][:20_000]])
    ranks, names = codes_of([both[name] for name in both]), list(map(str, both))
    texts = sorted(BROKEN | KEPT)
    probes = Probes(ranks, len(tables[0]), np.ones(len(names), np.bool_))
    probes.serve(literals_of([parse(text) for text in texts], names))
    probes.extend(ranks, len(both))
    new = np.arange(len(tables[0]), len(both), dtype=np.int32)
    assert {texts[law] for law in probes.violating_pairs(new).laws} == BROKEN
