"""What a search is likely to cost."""

from lawful.discovery.search_options import Options

# Measured for keys, FDs and ODs together: 1.5 ns on NCV, 2.5 on Adult, 4.4 on Letter, 11 on Plista.
SECONDS_A_STEP = 5e-9


def cpu_seconds(rows: int, columns: int, options: Options) -> float:
    """About how many CPU seconds a search takes: each target refines the rows by some columns.

    Only good to tell short searches from long ones: what it really takes depends on the laws.
    """
    kinds = set(options.kinds)
    targets = 1 + columns * bool(kinds - {"key"}) + columns**2 * bool(kinds - {"key", "fd"})
    depth = columns if options.max_size is None else min(columns, options.max_size)
    return SECONDS_A_STEP * rows * targets * depth
