"""What the client knows of a task on the server."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict

from mineru_core.errors import Cancelled, NotFound, WorkbenchError, error_of_code
from mineru_core.runtime.context import Progress

FINAL = frozenset({"done", "failed", "cancelled", "expired"})


class TaskError(BaseModel):
    """Why a task failed: a code of the error tree, what happened, and what to do about it."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    code: str
    message: str
    hint: str = ""


class TaskStatus(BaseModel):
    """How far a task is. ``state`` is pending, running, done, failed, cancelled or expired; ``page`` the page at work,
    from 1, ``done`` the pages that have been read, ``pages`` those in all, 0 while that is not known."""

    # A newer server may say more.
    model_config = ConfigDict(frozen=True, extra="ignore")

    task_id: str
    state: str
    page: int = 0
    pages: int = 0
    done: int = 0
    error: TaskError | None = None

    @property
    def is_final(self) -> bool:
        """Whether the task has ended."""
        return self.state in FINAL

    @property
    def progress(self) -> Progress:
        """The same as the library tells it."""
        return Progress(self.state, self.page, self.done, self.pages)

    def raise_for_state(self) -> None:
        """Raise what ended the task, where that is not its result: its error, ``Cancelled`` or ``NotFound``."""
        if self.error is not None:
            raise error_of_code(self.error.code, self.error.message, self.error.hint)
        if self.state == "failed":
            raise WorkbenchError("The task failed, and the server does not say why.", "Look at the server's log.")
        if self.state == "cancelled":
            raise Cancelled("The task was cancelled.")
        if self.state == "expired":
            raise NotFound("The task was expired.")


@dataclass(frozen=True, slots=True)
class TaskHandle:
    """A task that was handed in. ``scale`` is by how much its picture was reduced on the way (across, down), (1, 1) for
    not at all: its result comes back in pixels of the picture as it is here."""

    task_id: str
    source: str
    scale: tuple[float, float] = (1.0, 1.0)
