"""Comparisons, signs and the pairs of rows worth comparing. Knows nothing of minimality."""
