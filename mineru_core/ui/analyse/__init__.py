"""The Analyse page, a file for each area of the screen."""
