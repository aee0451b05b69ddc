from __future__ import annotations

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.groups import a_word_each, names_beside, parted_names
from mineru_core.engines.embedded.charts.scene import Label

LETTER = 6.0
CENTERS = [60.0, 180.0, 300.0, 420.0]


def _label(text: str, center: float) -> Label:
    half = LETTER * len(text) / 2
    return Label(text, Box(center - half, 100, center + half, 112))


def _texts(labels: list[Label]) -> list[str]:
    return [label.text for label in parted_names(labels, CENTERS)]


def test_a_label_below_two_bars_is_two_names() -> None:
    names = [_label("Always legal", 60), _label("Mostly legal Mostly banned", 240), _label("No answer", 420)]
    assert _texts(names) == ["Always legal", "Mostly legal", "Mostly banned", "No answer"]
    first, second = parted_names(names, CENTERS)[1:3]
    assert abs(first.box.center[0] - 180) < 25
    assert abs(second.box.center[0] - 300) < 25
    assert first.box.x1 <= second.box.x0


def test_names_that_were_read_as_one_word_are_parted_at_their_great_letters() -> None:
    label = Label("AlphaBravo Charly Delta", Box(40, 100, 440, 112))
    assert _texts([label]) == ["Alpha", "Bravo", "Charly", "Delta"]


def test_one_name_for_each_bar_stays_whole() -> None:
    names = [_label(text, at) for text, at in zip(("One two", "Three four", "Five", "Six seven"), CENTERS, strict=True)]
    assert _texts(names) == ["One two", "Three four", "Five", "Six seven"]


def test_a_wide_name_of_one_bar_stays_whole() -> None:
    names = [_label("A rather long name of one bar here", 180), _label("Five", 300), _label("Six", 420)]
    assert _texts(names) == ["A rather long name of one bar here", "Five", "Six"]


def test_words_that_do_not_stand_below_their_bars_stay_together() -> None:
    names = [_label("Al", 60), _label("Incomprehensibilities of it", 240), _label("No answer", 420)]
    assert _texts(names) == ["Al", "Incomprehensibilities of it", "No answer"]


def test_names_that_were_read_as_two_are_parted_by_their_number() -> None:
    centers = [100.0, 200.0, 300.0, 400.0, 500.0]
    labels = [Label("Alpha Kilo", Box(70, 10, 220, 22)), Label("EchoHotel India", Box(270, 10, 530, 22))]
    found = a_word_each(labels, centers)
    assert found is not None
    assert [label.text for label in found] == ["Alpha", "Kilo", "Echo", "Hotel", "India"]
    assert [label.box.center[0] for label in found] == centers
    assert a_word_each(labels[:1], centers) is None
    assert a_word_each(labels, [*centers, 600.0]) is None


def test_as_many_words_elsewhere_are_not_the_bars_names() -> None:
    labels = [Label("Alpha Kilo", Box(300, 10, 450, 22)), Label("Echo", Box(470, 10, 530, 22))]
    assert a_word_each(labels, [100.0, 200.0, 300.0]) is None


def test_lines_of_a_name_beside_a_bar_come_from_the_top() -> None:
    """Wherever on the page the bar is, and whichever line begins farther left."""
    for top in range(100, 130):
        labels = [Label("Engie", Box(60, top, 100, top + 20)), Label("(France)", Box(40, top + 11, 100, top + 31))]
        labels += [Label("Duke", Box(10, top + 60, 40, top + 80)), Label("Energy", Box(44, top + 61, 100, top + 81))]
        centers = [top + 17.0, top + 70.0]
        assert [name for name, _ in names_beside(labels, centers, 20.0)] == ["Engie (France)", "Duke Energy"]
