"""From results to CSV, XLSX, Markdown, HTML and JSON."""
