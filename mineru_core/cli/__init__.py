"""The command line: analyze, serve, models, doctor. Heavy modules are imported by the command that needs them."""
