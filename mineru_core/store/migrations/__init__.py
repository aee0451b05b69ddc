"""Alembic migrations of the state database."""
