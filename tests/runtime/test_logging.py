import io
import json
import logging
from collections.abc import Iterator

import pytest

from mineru_core.runtime.logging import bound_request, configure_logging, current_request


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    logger = logging.getLogger("mineru_core")
    before = (logger.handlers[:], logger.level, logger.propagate)
    stream = io.StringIO()
    configure_logging("info", stream)
    yield stream
    logger.handlers[:], logger.level, logger.propagate = before[0], before[1], before[2]


def entries(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_is_json_with_the_request(lines: io.StringIO) -> None:
    with bound_request("r1"):
        logging.getLogger("mineru_core.jobs").info("job %s", "done", extra={"pages": 3})
    logging.getLogger("mineru_core.jobs").info("idle")
    first, second = entries(lines)
    assert (first["message"], first["request_id"], first["pages"], first["level"]) == ("job done", "r1", 3, "info")
    assert "request_id" not in second


def test_levels_below_are_left_out(lines: io.StringIO) -> None:
    logging.getLogger("mineru_core.x").debug("detail")
    assert entries(lines) == []


def test_a_traceback_stays_on_one_line(lines: io.StringIO) -> None:
    try:
        raise ValueError("multi\nline")
    except ValueError:
        logging.getLogger("mineru_core").exception("broke")
    (entry,) = entries(lines)
    assert "ValueError: multi\nline" in str(entry["trace"])


def test_configuring_again_does_not_double_lines(lines: io.StringIO) -> None:
    configure_logging("info", lines)
    logging.getLogger("mineru_core").info("once")
    assert len(entries(lines)) == 1


def test_bindings_nest() -> None:
    with bound_request("outer"):
        with bound_request("inner"):
            assert current_request() == "inner"
        assert current_request() == "outer"
    assert current_request() is None
