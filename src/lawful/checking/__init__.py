"""Given laws against data: how far they hold, which rows break them. Does not know how laws are found."""
