"""The report that people open: one HTML file with everything in it."""
