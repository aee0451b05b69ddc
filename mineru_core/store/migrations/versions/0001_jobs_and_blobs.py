"""Jobs and references to blobs."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "jobs",
        sa.Column("seq", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("id", sa.String(32), nullable=False, unique=True),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("words", sa.Text, nullable=False),
        sa.Column("regions", sa.Text, nullable=False),
        sa.Column("blob", sa.String(64), nullable=False),
        sa.Column("result", sa.String(64)),
        sa.Column("worker", sa.String(32)),
        sa.Column("password_holder", sa.String(32)),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("stage", sa.String(32), nullable=False),
        sa.Column("page", sa.Integer, nullable=False),
        sa.Column("pages", sa.Integer, nullable=False),
        sa.Column("error_code", sa.String(64)),
        sa.Column("error_message", sa.Text),
        sa.Column("error_hint", sa.Text),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("started_at", sa.Float),
        sa.Column("finished_at", sa.Float),
    )
    op.create_index("ix_jobs_state_seq", "jobs", ["state", "seq"])
    op.create_index("ix_jobs_owner_seq", "jobs", ["owner", "seq"])
    op.create_table(
        "blob_refs",
        sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("owner", sa.String(255), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("size", sa.Integer, nullable=False),
        sa.Column("job_id", sa.String(32), sa.ForeignKey("jobs.id", ondelete="CASCADE")),
        sa.Column("created_at", sa.Float, nullable=False),
        sa.Column("expires_at", sa.Float, nullable=False),
    )
    op.create_index("ix_blob_refs_sha256_owner", "blob_refs", ["sha256", "owner"])
    op.create_index("ix_blob_refs_expires_at", "blob_refs", ["expires_at"])
    op.create_index("ix_blob_refs_job_id", "blob_refs", ["job_id"])


def downgrade() -> None:
    op.drop_table("blob_refs")
    op.drop_table("jobs")
