"""Given laws against data: how far they hold, which rows break them; and the laws that hold almost."""
