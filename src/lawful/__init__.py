"""lawful finds the laws that a table obeys."""
