"""Questions that the rules leave open, put to the text model of the settings, if there is one."""

from __future__ import annotations

from mineru_core.document.analysis import DocumentAnalysis
from mineru_core.document.task import Answer, Note, Task
from mineru_core.errors import TextModelUnavailable
from mineru_core.instruct import grounded
from mineru_core.runtime.context import RunContext
from mineru_core.serving.text_model import StateListener, TextModel
from mineru_core.settings import TextModelSettings


class FreeAnswers:
    """Answers what the rules could not, from the recognised text alone. Off, and harmless, where no server is set.

    Raises ``InvalidSetting`` as ``TextModel`` does.
    """

    def __init__(self, settings: TextModelSettings, on_state: StateListener | None = None) -> None:
        self._model = TextModel(settings, on_state) if settings.url else None

    @property
    def fingerprint(self) -> str:
        """What answers follow from beside the reading: "" without a text model."""
        return "" if self._model is None else f"{self._model.fingerprint};prompt={grounded.PROMPT_VERSION}"

    def improved(self, given: Answer, analysis: DocumentAnalysis, task: Task, ctx: RunContext) -> Answer:
        """The text model's answer, with quotes as its sources, where ``given`` has none; else ``given``.

        A server that fails costs a note, not the document. Raises ``Cancelled`` or ``DeadlineExceeded`` by ``ctx``.
        """
        question = grounded.open_question(task, given) if self._model is not None else ""
        lines, whole = grounded.lines_for(analysis.pages, question) if question else ([], True)
        if self._model is None or not lines:
            return given
        notes = given.notes
        if not whole:
            text = "The document is long; the text model was given the lines nearest to the question."
            notes = (*notes, Note(code="text-model-saw-part", message=text))
        try:
            reply = self._model.ask(grounded.messages(question, lines), ctx)
        except TextModelUnavailable as error:
            told = Note(code=error.code, message=f"The text model could not be asked: {error.message}")
            return given.model_copy(update={"notes": (*given.notes, told)})
        found = grounded.read_reply(reply, lines, question, self._model.name)
        if found is None:
            return given.model_copy(update={"notes": notes})
        kept = (note for note in notes if note.code not in _NO_LONGER_SO)
        return found.model_copy(update={"notes": (*found.notes, *kept)})

    def close(self) -> None:
        """End what is being asked; calling it again does nothing."""
        if self._model is not None:
            self._model.close()


_NO_LONGER_SO = frozenset({"answer-not-found", "fields-not-found", "not-understood"})
