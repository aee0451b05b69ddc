from __future__ import annotations

import pytest

from mineru_core.runtime.addresses import is_loopback_name


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"])
def test_names_of_this_machine_to_itself(name: str) -> None:
    assert is_loopback_name(name)


@pytest.mark.parametrize("name", ["", "10.0.0.1", "::2", "::ffff:10.0.0.1", "127.0.0.1.example.com", "localhost."])
def test_names_of_others(name: str) -> None:
    assert not is_loopback_name(name)
