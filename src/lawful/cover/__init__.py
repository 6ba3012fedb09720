"""Atoms, targets and minimal hitting sets. Knows nothing of rows."""
