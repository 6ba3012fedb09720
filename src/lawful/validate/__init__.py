"""Partitions of rows and the kernels that find violating pairs. Knows nothing of covers."""
