"""How Alembic reaches the database: through the connection that ``Database`` hands in."""

from alembic import context

from mineru_core.store.tables import Base


def run() -> None:
    """Migrate on the given connection."""
    connection = context.config.attributes["connection"]
    context.configure(connection=connection, target_metadata=Base.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


run()
