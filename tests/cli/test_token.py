"""``mineru-workbench token``."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner

from mineru_core.cli.main import app
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope, TokenStore, recognise


def run(*arguments: str) -> tuple[int, str, str]:
    done = CliRunner().invoke(app, ["token", *arguments])
    return done.exit_code, done.stdout, done.stderr


def test_a_token_is_made_shown_once_listed_and_revoked(home: Path) -> None:
    code, made, notes = run("create", "load-test", "--scope", "documents", "--scope", "exempt", "--days", "3")
    assert code == 0
    assert "this once" in notes
    assert made.strip() not in notes
    database = Database(home / "state.db")
    (kept,) = TokenStore(database).all()
    database.close()
    assert recognise(made.strip(), {kept.id: kept}) == kept
    assert kept.scopes == {Scope.DOCUMENTS, Scope.EXEMPT}
    assert kept.expires_at == kept.created_at + 3 * 86_400
    code, listed, _ = run("list")
    assert code == 0
    assert [word in listed for word in (kept.id, "load-test", "live", "documents,exempt")] == [True] * 4
    assert made.strip() not in listed
    assert run("revoke", "load-test") == (0, f"{kept.id}  load-test  revoked\n", "")
    assert "revoked" in run("list")[1]


def test_what_is_off_is_said(home: Path) -> None:
    for arguments in (
        ("create", "a", "--scope", "everything"),
        ("create", "a", "--scope", "ephemeral"),
        ("create", "no name"),
        ("revoke", "nobody"),
    ):
        code, printed, notes = run(*arguments)
        assert (code, printed) == (1, "")
        assert notes.startswith("Error: ")
    assert run("list") == (0, "", "")


def test_a_token_that_was_good_for_no_time_has_expired(home: Path) -> None:
    assert run("create", "brief", "--days", "0")[0] == 0
    assert "expired" in run("list")[1]
