"""From bytes to pages."""
