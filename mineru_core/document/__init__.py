"""Pure data: pages, blocks, tables, charts, tasks and answers."""
