"""Corrections of the tables of a job."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "correction_logs",
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("applied", sa.Integer, nullable=False),
        sa.Column("changed_at", sa.Float, nullable=False),
    )
    op.create_table(
        "corrections",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("job_id", sa.String(32), sa.ForeignKey("correction_logs.job_id", ondelete="CASCADE"), nullable=False),
        sa.Column("place", sa.Integer, nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("table_index", sa.Integer, nullable=False),
        sa.Column("table_key", sa.String(64), nullable=False),
        sa.Column("operation", sa.Text, nullable=False),
        sa.UniqueConstraint("job_id", "place"),
    )


def downgrade() -> None:
    op.drop_table("corrections")
    op.drop_table("correction_logs")
