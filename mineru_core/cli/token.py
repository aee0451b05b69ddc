"""``mineru-workbench token``: who may use the HTTP API from elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer

from mineru_core.cli.console import tell_error
from mineru_core.errors import InvalidRequest, WorkbenchError

if TYPE_CHECKING:
    from mineru_core.store.tokens import Scope, TokenStore

_DAY_S = 86_400.0


def create_token(name: str, scopes: Sequence[str], days: float | None) -> int:
    """Make a token and print it, alone on stdout; 0, or 1 with the reason on stderr."""

    def create(store: TokenStore) -> None:
        token, kept = store.create(name, _scopes(scopes), None if days is None else days * _DAY_S)
        typer.echo(token)
        until = "until it is revoked" if kept.expires_at is None else f"until {_date(kept.expires_at)}"
        typer.echo(f"{kept.name} ({kept.id}): {', '.join(sorted(kept.scopes))}; good {until}.", err=True)
        typer.echo("It is shown this once: keep it, and send it as Authorization: Bearer TOKEN.", err=True)

    return _with_store(create)


def list_tokens() -> int:
    """Print every token, never its secret; 0, or 1 with the reason on stderr."""

    def show(store: TokenStore) -> None:
        now = time.time()
        for token in store.all():
            state = "live" if token.is_live(now) else "expired" if token.revoked_at is None else "revoked"
            until = "" if token.expires_at is None else f"expires {_date(token.expires_at)}"
            scopes = ",".join(sorted(token.scopes))
            typer.echo(f"{token.id}  {token.name:24} {state:8} {scopes:24} made {_date(token.created_at)}  {until}")

    return _with_store(show)


def revoke_tokens(name_or_id: str) -> int:
    """Revoke a token by its id, or all of a name; 0, or 1 with the reason on stderr."""

    def revoke(store: TokenStore) -> None:
        for token in store.revoke(name_or_id):
            typer.echo(f"{token.id}  {token.name}  revoked")

    return _with_store(revoke)


def _with_store(work: Callable[[TokenStore], None]) -> int:
    try:
        with _opened() as store:
            work(store)
    except WorkbenchError as error:
        tell_error(error)
        return 1
    return 0


@contextmanager
def _opened() -> Iterator[TokenStore]:
    from mineru_core.settings import load_settings
    from mineru_core.store.database import Database
    from mineru_core.store.tokens import TokenStore

    database = Database(load_settings().database_path)
    try:
        yield TokenStore(database)
    finally:
        database.close()


def _scopes(names: Sequence[str]) -> list[Scope]:
    from mineru_core.store.tokens import GRANTED, Scope

    unknown = sorted(set(names) - set(GRANTED))
    if unknown:
        raise InvalidRequest(f"No scope is called {unknown[0][:40]!r}.", f"Choose of: {', '.join(GRANTED)}.")
    return [Scope(name) for name in names]


def _date(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%d %H:%M UTC")
