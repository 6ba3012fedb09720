"""Results as people and programs want them: collections, tables, JSON, HTML, exports."""

from lawful.report.collection import Laws

__all__ = ["Laws"]
