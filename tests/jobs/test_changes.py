import threading

from mineru_core.jobs.changes import Changes


def test_a_change_before_the_wait_is_not_missed() -> None:
    changes = Changes()
    seen = changes.count
    changes.announce()
    changes.wait(seen, 1e6)


def test_everybody_is_woken() -> None:
    changes, woken = Changes(), []

    def wait(seen: int) -> None:
        changes.wait(seen, 1e6)
        woken.append(seen)

    threads = [threading.Thread(target=wait, args=(changes.count,)) for _ in range(5)]
    for thread in threads:
        thread.start()
    changes.announce()
    for thread in threads:
        thread.join(20)
    assert len(woken) == 5


def test_without_a_change_it_returns_in_time() -> None:
    changes = Changes()
    changes.wait(changes.count, 0.01)
    assert changes.count == 0
