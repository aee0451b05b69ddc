from __future__ import annotations

import pytest

from mineru_core.errors import InvalidRequest
from mineru_core.ui.components.edits import MAX_CHANGES, parse_edits


def test_what_the_browser_sends_is_read() -> None:
    edits = parse_edits({"id": "a-1", "version": 3, "changes": [{"op": "undo"}]})
    assert (edits.id, edits.version, edits.changes) == ("a-1", 3, ({"op": "undo"},))


@pytest.mark.parametrize(
    "sent",
    [
        [],
        {"id": "a-1", "version": -1, "changes": []},
        {"id": "x" * 65, "version": 0, "changes": []},
        {"id": "a-1", "version": 0, "changes": ["undo"]},
        {"id": "a-1", "version": 0, "changes": [{}] * (MAX_CHANGES + 1)},
    ],
)
def test_a_malformed_message_is_refused(sent: object) -> None:
    with pytest.raises(InvalidRequest):
        parse_edits(sent)
