"""The Load test page: run, watch, stop, compare, download."""
