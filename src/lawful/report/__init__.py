"""Results as people and programs want them: collections, tables, JSON, HTML, exports."""

from lawful.report.laws import Laws

__all__ = ["Laws"]
