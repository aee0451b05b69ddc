import subprocess
import sys

import pytest

import mineru_core

HEAVY = ("numpy", "pandas", "openvino", "onnxruntime", "streamlit", "fastapi", "cv2", "pypdfium2", "sqlalchemy")


def test_names_are_sorted_and_there() -> None:
    assert mineru_core.__all__ == sorted(mineru_core.__all__)
    for name in mineru_core.__all__:
        assert getattr(mineru_core, name) is not None


def test_each_lazy_name_is_promised_and_each_promise_kept() -> None:
    assert set(mineru_core._MODULE_OF) | {"__version__"} == set(mineru_core.__all__)
    assert set(mineru_core.__all__) <= set(dir(mineru_core))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nonsense'"):
        _ = mineru_core.Nonsense


def test_importing_the_door_imports_nothing_heavy() -> None:
    code = f"import sys, mineru_core; print([m for m in {HEAVY!r} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
