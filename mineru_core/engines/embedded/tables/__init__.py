"""Tables of the embedded engine, in the order of the work: where they are, their structure, their words, the grid."""

from mineru_core.engines.embedded.tables.reader import TableReader

__all__ = ["TableReader"]
