"""The resident analyzer that all doors share."""
