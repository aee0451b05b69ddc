import os
import subprocess
import sys
import threading
import time
from pathlib import Path

from mineru_core.jobs.liveness import Presence


def test_a_service_is_alive_until_it_closes(tmp_path: Path) -> None:
    one, two = Presence(tmp_path), Presence(tmp_path)
    assert one.id != two.id
    assert two.is_alive(one.id)
    assert two.is_alive(two.id)
    closer = threading.Thread(target=one.close)  # not the thread that made it
    closer.start()
    closer.join()
    assert not two.is_alive(one.id)
    two.close()
    two.close()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_process_is_dead_at_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mineru_core.jobs.liveness import Presence;"
        "me = Presence(Path(sys.argv[1])); print(me.id, flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    me = Presence(tmp_path)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        service = other.stdout.readline().decode().strip()
        assert me.is_alive(service)
        other.kill()
        other.wait()
    assert not me.is_alive(service)
    assert not me.is_alive(service)
    assert me.is_alive(me.id)
    me.close()


def test_a_name_nobody_has_had_is_dead(tmp_path: Path) -> None:
    me = Presence(tmp_path)
    assert not me.is_alive("0" * 32)
    me.close()


def test_only_old_files_of_the_dead_are_swept(tmp_path: Path) -> None:
    me, other = Presence(tmp_path), Presence(tmp_path)
    old, young = tmp_path / "old.lock", tmp_path / "young.lock"
    for path in (old, young):
        path.touch()
    for path in (old, tmp_path / f"{other.id}.lock"):
        os.utime(path, (time.time() - 7200, time.time() - 7200))
    me.sweep()
    assert (old.exists(), young.exists()) == (False, True)
    assert me.is_alive(other.id)
    me.close()
    other.close()
