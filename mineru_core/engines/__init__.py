"""Readers of pages behind one protocol."""
