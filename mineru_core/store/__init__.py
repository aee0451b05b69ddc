"""State that outlives the process: SQLite and blobs by content."""
