"""``python -m mineru_core.cli`` is ``mineru-workbench``."""

from mineru_core.cli.main import app

app(prog_name="mineru-workbench")
