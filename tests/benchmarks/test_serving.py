from __future__ import annotations

import io
import itertools
import json
import math
import threading
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from benchmarks.serving.__main__ import QUICK, STAGES, Plan, main, run
from benchmarks.serving.extras import EXTRAS
from benchmarks.serving.figures import bag_f1, same_text
from benchmarks.serving.loads import MOST_ARRIVALS, arrival_times, closed_loop, open_loop
from benchmarks.serving.stages import FifoPlaces, await_true
from benchmarks.serving.workload import (
    QUICK_PIXELS,
    SCAN_EVERY,
    SCANS,
    Picture,
    distinct_pictures,
    make_workload,
    request_order,
)
from mineru_core import Analyzer
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import EngineFailed, Overloaded
from mineru_core.export.result import DocumentResult
from mineru_core.loadtest.figures import percentile

_WAIT_S = 10.0


def _png(width: int, height: int, seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Two sets of ten pictures each, of which every second one is large and one is there twice, and two PDFs, besides
    one of a poster and a broken one."""
    for name, first in (("web_tables", 0), ("slides_text", 100)):
        folder = tmp_path / "data" / name / "dev" / "images"
        folder.mkdir(parents=True)
        for n in range(10):
            width = 40 if n % 2 else 800
            (folder / f"{n}.png").write_bytes(_png(width, 30 if n % 2 else 600, first + n))
    doubled = tmp_path / "data" / "web_tables" / "dev" / "images"
    (doubled / "again.png").write_bytes((doubled / "1.png").read_bytes())
    scans = tmp_path / "data" / SCANS / "dev" / "images"
    scans.mkdir(parents=True)
    for n in range(2):
        Image.new("RGB", (100, 50), (n, n, n)).save(scans / f"{n}.pdf")
    Image.new("RGB", (2000, 1000)).save(scans / "poster.pdf")
    (scans / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    return tmp_path / "data"


@given(count=st.integers(1, 200), share=st.floats(0, 0.9), seed=st.integers(0, 2**32))
def test_so_many_requests_repeat_an_earlier_one(count: int, share: float, seed: int) -> None:
    repeats = min(count - 1, round(share * count))
    order = request_order(count, repeats, seed)
    assert len(order) == count
    assert sorted(set(order)) == list(range(count - repeats))
    firsts = list(dict.fromkeys(order))
    assert firsts == sorted(firsts)
    assert order == request_order(count, repeats, seed)


def test_another_seed_is_another_order() -> None:
    assert request_order(100, 30, 1) != request_order(100, 30, 2)


def test_repeats_without_a_first_are_refused() -> None:
    with pytest.raises(ValueError, match="first"):
        request_order(5, 5, 1)


def test_pictures_come_by_turns_with_scans_between(home: Path, data: Path) -> None:
    pictures = list(distinct_pictures(data, seed=7))
    assert len(pictures) == 22  # 20 files, the double left out, and a page of two PDFs
    names = [picture.name for picture in pictures]
    assert len(set(names)) == 22
    is_set = ["slides_text" in name or "web_tables" in name for name in names]
    assert [index for index, file in enumerate(is_set) if not file] == [SCAN_EVERY - 1, 2 * SCAN_EVERY - 1]
    assert [name.partition("-")[0] for name in names[:2]] == ["slides_text", "web_tables"]
    assert pictures == list(distinct_pictures(data, seed=7))
    assert names != [picture.name for picture in distinct_pictures(data, seed=8)]


def test_scans_are_drawn_at_300_dpi(home: Path, data: Path) -> None:
    scan = list(distinct_pictures(data, seed=7))[SCAN_EVERY - 1]
    with Image.open(io.BytesIO(scan.data)) as picture:
        assert picture.format == "PNG"
        assert picture.width * picture.height == scan.pixels
        assert abs(picture.width - 100 * 300 / 72) <= 1  # Pillow writes a pixel as a point


def test_a_quick_workload_has_only_small_pictures(home: Path, data: Path) -> None:
    workload = make_workload(data, 9, 3, 1, QUICK_PIXELS)
    everything = {*workload.distinct, workload.warm_up}
    assert len(everything) == 7
    assert all(picture.pixels <= QUICK_PIXELS for picture in everything)
    assert len(workload.requests) == 9
    assert set(workload.requests) == set(workload.distinct)
    assert workload == make_workload(data, 9, 3, 1, QUICK_PIXELS)


def test_too_few_pictures_are_said(home: Path, data: Path) -> None:
    with pytest.raises(ValueError, match="are needed"):
        make_workload(data, 40, 3, 1, QUICK_PIXELS)


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_lies_between_its_neighbours(values: list[float], share: float) -> None:
    found = percentile(values, share)
    place = share * (len(values) - 1)
    ordered = sorted(values)
    assert ordered[math.floor(place)] - 1e-6 <= found <= ordered[math.ceil(place)] + 1e-6


def test_a_percentile_of_nothing_is_no_number() -> None:
    assert math.isnan(percentile([], 0.5))


def test_text_is_compared_by_its_words() -> None:
    one, other = Counter({"total": 1, "12.00": 2}), Counter({"total": 1, "12.00": 1, "EUR": 1})
    assert bag_f1(one, one) == 1
    assert bag_f1(one, other) == pytest.approx(2 / 3)
    assert bag_f1(Counter(), Counter()) == 1
    assert same_text({"a": one, "b": one}, {"a": one, "b": other, "c": one}) == pytest.approx(5 / 6)
    assert math.isnan(same_text({}, {"a": one}))


def test_places_are_given_in_the_order_of_arrival() -> None:
    places, entered = FifoPlaces(1), list[int]()

    def enter(number: int) -> None:
        with places:
            entered.append(number)

    threads = [threading.Thread(target=enter, args=(n,)) for n in range(8)]
    with places:
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            assert await_true(lambda waiting=waiting: places.waiting == waiting, _WAIT_S)  # type: ignore[misc]
    for thread in threads:
        thread.join(_WAIT_S)
    assert entered == list(range(8))
    with places:  # and the place is free again
        assert places.waiting == 0


def test_no_more_are_inside_than_there_are_places() -> None:
    places, inside, most = FifoPlaces(3), list[int](), list[int]()
    full = threading.Barrier(3)

    def enter() -> None:
        with places:
            inside.append(1)
            most.append(len(inside))
            full.wait(_WAIT_S)  # only three together get past it
            inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(9)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(_WAIT_S)
    assert len(most) == 9
    assert max(most) == 3


def test_arrivals_keep_their_rate() -> None:
    times = arrival_times(20, 50, seed=3)
    assert times == sorted(times)
    assert times[0] > 0
    assert times[-1] < 50
    assert 900 < len(times) < 1100
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert np.std(gaps) == pytest.approx(np.mean(gaps), rel=0.15)  # as in a Poisson process
    assert len(arrival_times(1e9, 50, seed=3)) == MOST_ARRIVALS


@pytest.fixture
def result() -> DocumentResult:
    """Some answer."""
    with Analyzer(engine=EchoEngine()) as analyzer, analyzer.open(_png(8, 8, 0)) as document:
        return analyzer.analyze(document)


def _pictures(count: int) -> list[Picture]:
    return [Picture(f"{n}.png", b"", 1) for n in range(count)]


def test_the_closed_loop_insists_and_counts(home: Path, result: DocumentResult) -> None:
    seen: Counter[str] = Counter()
    lock = threading.Lock()

    def ask(picture: Picture, owner: str) -> DocumentResult:
        with lock:
            seen[picture.name] += 1
            times = seen[picture.name]
        if picture.name == "0.png" and times == 1:
            raise Overloaded("Full.", retry_after_s=0.0)
        if picture.name == "1.png":
            raise EngineFailed("Broken.")
        return result

    outcome = closed_loop(ask, _pictures(6), users=3, limit_s=_WAIT_S)
    assert seen == Counter({"0.png": 2, **{f"{n}.png": 1 for n in range(1, 6)}})
    assert (len(outcome.latencies), outcome.errors, outcome.refusals) == (5, 1, 1)
    assert outcome.bags.keys() == {f"{n}.png" for n in (0, 2, 3, 4, 5)}
    assert outcome.throughput > 0


def test_the_closed_loop_ends_even_if_all_are_refused() -> None:
    def ask(picture: Picture, owner: str) -> DocumentResult:
        raise Overloaded("Full.", retry_after_s=1000.0)

    outcome = closed_loop(ask, _pictures(3), users=2, limit_s=0.05)
    assert (outcome.errors, outcome.throughput) == (3, 0)


def test_the_open_loop_takes_a_refusal_as_it_is(home: Path, result: DocumentResult) -> None:
    owners: list[str] = []

    def ask(picture: Picture, owner: str) -> DocumentResult:
        owners.append(owner)
        if picture.name == "0.png":
            raise Overloaded("Full.")
        return result

    outcome = open_loop(ask, _pictures(2), [0.0, 0.01, 0.02, 0.03], seconds=0.1, owners=3, drain_s=_WAIT_S)
    assert Counter(owners) == Counter({"owner-0": 2, "owner-1": 1, "owner-2": 1})
    assert (len(outcome.latencies), outcome.refusals, outcome.without_hint, outcome.errors) == (2, 2, 2, 0)
    assert outcome.seconds >= 0.1


def test_the_open_loop_does_not_wait_for_ever(home: Path, result: DocumentResult) -> None:
    released = threading.Event()

    def ask(picture: Picture, owner: str) -> DocumentResult:
        released.wait(_WAIT_S)
        return result

    outcome = open_loop(ask, _pictures(1), [0.0], seconds=0.0, owners=1, drain_s=0.05)
    released.set()
    assert outcome.errors == 1


def test_every_stage_answers_everything(home: Path, data: Path) -> None:
    plan = Plan(users=3, requests=9, repeats=3, stages=STAGES, extras=("open",), window_s=0.5, engine="echo")
    figures = run(data, plan)
    assert figures["errors"] == 0
    assert [figures[f"refusals_{number}"] for number in STAGES] == [0] * 5
    assert all(figures[f"{name}_{number}"] > 0 for name in ("throughput", "p50", "p95") for number in STAGES)
    assert figures["distinct"] == 6
    wanted = {"throughput_ratio", "stage3_over_1", "p95_reduction", "goodput", "errors", "repeat_ms", "same_text"}
    assert all(math.isfinite(figures[name]) for name in wanted)
    assert list(home.iterdir()) == []  # nothing is left in the home folder of the settings


@pytest.mark.parametrize("name", [pytest.param("overhead", marks=pytest.mark.long), "repeats", "cancel"])
def test_an_extra_gives_its_figures(name: str, home: Path, data: Path, tmp_path: Path) -> None:
    file = tmp_path / "figures.json"
    arguments = ["--data", str(data), "--engine", "echo", "--users", "2", "--requests", "4"]
    assert main([*arguments, "--stages", "1", "--extras", name, "--json", str(file)]) == 0
    figures = json.loads(file.read_text(encoding="utf-8"))
    wanted = {
        "overhead": {"overhead_ms", "overhead_share"},
        "repeats": {"new_question_ms", "new_question_job_ms", "repeat_job_ms"},
        "cancel": {"cancel_s", "cancel_median_s"},
    }
    assert wanted[name] <= figures.keys()
    assert all(math.isfinite(figures[key]) for key in wanted[name])


def test_the_open_loop_is_left_out_without_a_capacity(home: Path, data: Path) -> None:
    figures = run(data, Plan(users=2, requests=3, repeats=1, stages=(1,), extras=("open",), engine="echo"))
    assert "goodput" not in figures


@pytest.mark.parametrize("wrong", [("--stages", "5"), ("--extras", "dance"), ("--skip", "dance"), ("--stages", "uno")])
def test_unknown_names_are_refused(wrong: tuple[str, str], data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--data", str(data), *wrong])
    assert wrong[1] in capsys.readouterr().err


def test_quick_is_what_it_is_agreed_to_be() -> None:
    assert (QUICK.users, QUICK.requests, QUICK.repeats, QUICK.stages) == (8, 16, 5, (0, 1, 3, 4))
    assert (QUICK.extras, QUICK.window_s, QUICK.most_pixels) == (("open",), 10.0, 400_000)
    assert set(QUICK.extras) <= set(EXTRAS)
