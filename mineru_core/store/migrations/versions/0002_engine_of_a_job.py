"""The engine that a job is read with."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("engine", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    op.drop_column("jobs", "engine")
