"""Corrections of charts beside those of tables."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("corrections", sa.Column("kind", sa.String(16), nullable=False, server_default="table"))


def downgrade() -> None:
    # A version that knows tables alone would read the corrections of charts as theirs.
    op.execute(
        "DELETE FROM correction_logs WHERE job_id IN (SELECT DISTINCT job_id FROM corrections WHERE kind <> 'table')"
    )
    op.drop_column("corrections", "kind")
