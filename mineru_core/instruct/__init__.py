"""From words to a task, and from a task to its answer."""
