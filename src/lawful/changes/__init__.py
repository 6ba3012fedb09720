"""Tables that change: the laws kept true under inserts and deletes."""
