"""Bearer tokens of the HTTP API: made, listed, revoked and recognised; kept as hashes only."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from sqlalchemy import delete, or_, select, update

from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.store.database import Database
from mineru_core.store.tables import TokenRow

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_TOKEN = re.compile(r"mwb_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_NO_DIGEST = "0" * 64


class Scope(StrEnum):
    """What a token is good for: reading documents, the metrics; without limits of the rate; running load tests from
    the browser. ``EPHEMERAL`` is the mark of one that a program made for a while: it makes nobody else need one."""

    DOCUMENTS = "documents"
    METRICS = "metrics"
    EXEMPT = "exempt"
    ADMIN = "admin"
    EPHEMERAL = "ephemeral"


GRANTED = (Scope.DOCUMENTS, Scope.METRICS, Scope.EXEMPT, Scope.ADMIN)
"""Scopes that people give to tokens."""


@dataclass(frozen=True, slots=True)
class Token:
    """What is kept of a token. Times are seconds since 1970; ``expires_at`` None means never."""

    id: str
    name: str
    scopes: frozenset[Scope]
    created_at: float
    expires_at: float | None
    revoked_at: float | None
    secret_sha256: str = field(repr=False)

    def is_live(self, now: float) -> bool:
        """Whether it is accepted at this time."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    @property
    def closes_the_door(self) -> bool:
        """Whether everybody needs a token because there is this one, expired or not."""
        return self.revoked_at is None and Scope.EPHEMERAL not in self.scopes


class TokenStore:
    """The tokens of one home folder. Tokens of the same name belong to the same owner, so one can take the place of
    another."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, name: str, scopes: Collection[Scope], keep_s: float | None = None) -> tuple[str, Token]:
        """Make a token that is good for ``keep_s`` seconds (None: until it is revoked). Returns the token itself, which
        nobody can show again, and what is kept of it. Raises ``InvalidRequest`` for a name or scopes that are off."""
        if not _NAME.fullmatch(name):
            raise InvalidRequest("This is no name for a token.", "Use letters, digits, dots, dashes; at most 64.")
        if not scopes:
            raise InvalidRequest("A token without a scope opens nothing.", "Give it one.")
        now = time.time()
        token_id, secret = secrets.token_hex(6), secrets.token_urlsafe(32)
        row = TokenRow(
            id=token_id,
            name=name,
            secret_sha256=_digest(secret),
            scopes=" ".join(sorted(scopes)),
            created_at=now,
            expires_at=None if keep_s is None else now + keep_s,
        )
        with self._database.write() as session:
            session.add(row)
        return f"mwb_{token_id}_{secret}", _token_of(row)

    def all(self) -> list[Token]:
        """Every token that was ever made, the oldest first."""
        with self._database.read() as session:
            return [_token_of(row) for row in session.scalars(select(TokenRow).order_by(TokenRow.created_at))]

    def revoke(self, name_or_id: str) -> list[Token]:
        """Revoke the token of this id, or all of this name; those that are revoked already stay as they are. Returns
        what was revoked. Raises ``NotFound`` where there is nothing to revoke."""
        named = or_(TokenRow.id == name_or_id, TokenRow.name == name_or_id) & TokenRow.revoked_at.is_(None)
        with self._database.write() as session:
            ids = session.scalars(select(TokenRow.id).where(named)).all()
            session.execute(update(TokenRow).where(TokenRow.id.in_(ids)).values(revoked_at=time.time()))
        if not ids:
            raise NotFound("There is no such token.", "Run: mineru-workbench token list")
        return [token for token in self.all() if token.id in ids]

    def discard(self, token_id: str) -> None:
        """Forget a token, and every ephemeral one whose time has passed: nothing is left of them to be listed."""
        mark = TokenRow.scopes.contains(Scope.EPHEMERAL, autoescape=True)
        passed = mark & (TokenRow.expires_at < time.time())
        with self._database.write() as session:
            session.execute(delete(TokenRow).where((TokenRow.id == token_id) | passed))


def recognise(text: str, tokens: Mapping[str, Token]) -> Token | None:
    """Which of the tokens (by id) this text is; None for none. How long it takes tells nothing about a secret."""
    found = _TOKEN.fullmatch(text)
    if found is None:
        return None
    token = tokens.get(found[1])
    same = hmac.compare_digest(_digest(found[2]), token.secret_sha256 if token is not None else _NO_DIGEST)
    return token if same else None


def _digest(secret: str) -> str:
    # A plain hash is enough: the secret is 32 random bytes, so there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


def _token_of(row: TokenRow) -> Token:
    return Token(
        id=row.id,
        name=row.name,
        scopes=frozenset(Scope(name) for name in row.scopes.split() if name in set(Scope)),
        created_at=row.created_at,
        expires_at=row.expires_at,
        revoked_at=row.revoked_at,
        secret_sha256=row.secret_sha256,
    )
