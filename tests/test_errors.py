from __future__ import annotations

import pickle
import re
from collections.abc import Iterator

import pytest

from mineru_core import errors
from mineru_core.errors import Busy, EmptyFile, WorkbenchError, error_of_code


def classes(root: type[WorkbenchError] = WorkbenchError) -> Iterator[type[WorkbenchError]]:
    """Every class of the tree, the root first, as far as the package defines them."""
    yield root
    for child in root.__subclasses__():
        if child.__module__ == errors.__name__:
            yield from classes(child)


ALL = list(classes())
LEAVES = [cls for cls in ALL if not any(other is not cls and issubclass(other, cls) for other in ALL)]

STATUSES = {
    "empty-file": 422, "unsupported-type": 422, "truncated-image": 422, "corrupt-pdf": 422, "encrypted-pdf": 422,
    "corrupt-office": 422, "encrypted-office": 422,
    "no-pages": 422, "invalid-request": 422, "file-too-large": 413, "too-many-pixels": 413, "too-many-pages": 413,
    "overloaded": 429, "rate-limited": 429, "cancelled": 409, "edit-conflict": 409, "deadline-exceeded": 504,
    "model-missing": 503,
    "text-model-unavailable": 503,
    "engine-unavailable": 503, "engine-failed": 500, "token-required": 403, "not-found": 404,
    "storage-unavailable": 503, "invalid-setting": 500,
}  # fmt: skip


def drawn_tree() -> dict[str, str]:
    """Class names of the tree in the docstring, with the codes beside the leaves."""
    lines = re.findall(r"[├└]── (\w+)\s+(\S+)?", errors.__doc__ or "")
    return dict(lines)


def test_the_tree_in_the_docstring_is_complete() -> None:
    assert set(drawn_tree()) | {"WorkbenchError"} == {cls.__name__ for cls in ALL}


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_the_docstring_gives_the_code_of_each_leaf(cls: type[WorkbenchError]) -> None:
    assert drawn_tree()[cls.__name__].rstrip(":") == cls.code


def test_every_leaf_answers_with_its_status() -> None:
    assert {cls.code: cls.http_status for cls in LEAVES} == STATUSES


def test_no_two_classes_share_a_code() -> None:
    assert len({cls.code for cls in ALL}) == len(ALL)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_codes_are_kebab_case(cls: type[WorkbenchError]) -> None:
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", cls.code)


@pytest.mark.parametrize("cls", LEAVES, ids=lambda cls: cls.__name__)
def test_every_leaf_says_how_to_go_on(cls: type[WorkbenchError]) -> None:
    assert cls("What happened.").hint == cls.default_hint != ""
    assert cls("What happened.", "Do this.").hint == "Do this."


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_errors_survive_pickling(cls: type[WorkbenchError]) -> None:
    again = pickle.loads(pickle.dumps(cls("What happened.", "Do this.")))
    assert type(again) is cls
    assert (again.message, again.hint, str(again)) == ("What happened.", "Do this.", "What happened.")


@pytest.mark.parametrize("cls", [cls for cls in ALL if issubclass(cls, Busy)], ids=lambda cls: cls.__name__)
def test_when_to_try_again_survives_pickling(cls: type[Busy]) -> None:
    again = pickle.loads(pickle.dumps(cls("Full.", retry_after_s=2.5, queue_fraction=0.75)))
    assert (again.retry_after_s, again.queue_fraction) == (2.5, 0.75)


def test_the_message_alone_is_what_is_printed() -> None:
    assert str(EmptyFile("The file is empty.")) == "The file is empty."


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
def test_errors_are_made_by_their_codes(cls: type[WorkbenchError]) -> None:
    error = error_of_code(cls.code, "What happened.", "Do this.")
    assert type(error) is cls
    assert (error.message, error.hint) == ("What happened.", "Do this.")


def test_a_code_that_is_not_known_gives_the_root() -> None:
    assert type(error_of_code("from-the-future", "What happened.", "")) is WorkbenchError
