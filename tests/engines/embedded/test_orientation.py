from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.orientation import MIN_SIDE, VIEW_SIDE, VIEWS, OrientationClassifier, views_of
from mineru_core.runtime.context import RunContext
from tests.documents import EN_LINES, draw_lines


@given(st.integers(MIN_SIDE, 900), st.integers(MIN_SIDE, 900))
def test_a_page_of_any_shape_has_all_views(width: int, height: int) -> None:
    views = views_of(np.zeros((height, width, 3), dtype=np.uint8))
    assert views.shape == (VIEWS, VIEW_SIDE, VIEW_SIDE, 3)


@pytest.fixture(scope="module")
def classifier(models_dir: Path) -> Iterator[OrientationClassifier]:
    made = OrientationClassifier(weights.require(models_dir, weights.ORIENTATION), engine_calls=1)
    yield made
    made.close()


@pytest.mark.models
@pytest.mark.parametrize("turns", range(4))
def test_a_turned_page_is_noticed(classifier: OrientationClassifier, turns: int) -> None:
    page = np.asarray(draw_lines(EN_LINES * 3))
    turned = np.ascontiguousarray(np.rot90(page, -turns))
    assert classifier.quarter_turns(turned, RunContext()) == turns


@pytest.mark.models
def test_a_sliver_is_not_judged(classifier: OrientationClassifier) -> None:
    assert classifier.quarter_turns(np.zeros((MIN_SIDE - 1, 500, 3), dtype=np.uint8), RunContext()) == 0
