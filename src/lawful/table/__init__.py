"""Tables of any source as ranks: `read` gives a `Relation`."""

from lawful.table.columns import Column
from lawful.table.reading import read
from lawful.table.relation import Place, Relation
from lawful.table.source_options import SourceOptions

__all__ = ["Column", "Place", "Relation", "SourceOptions", "read"]
