import threading

from mineru_core.jobs.housekeeper import Chore, keep_house


def test_each_chore_has_its_turns_though_one_fails() -> None:
    stop = threading.Event()
    done: list[str] = []

    def failing() -> None:
        done.append("failing")
        raise OSError("disk")

    def often() -> None:
        done.append("often")
        if done.count("often") == 3:
            stop.set()

    keep_house([Chore(failing, 0.0), Chore(often, 0.0), Chore(lambda: done.append("rarely"), 3600.0)], stop)
    assert done.count("often") == 3
    assert done.count("failing") == 3
    assert done.count("rarely") == 1


def test_stopped_it_does_nothing() -> None:
    stop = threading.Event()
    stop.set()
    done: list[str] = []
    keep_house([Chore(lambda: done.append("x"), 0.0)], stop)
    assert done == []
