"""Laws as the checks of other tools."""
