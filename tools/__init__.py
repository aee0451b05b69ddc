"""Set-up, checks and makers of what the repository carries."""
