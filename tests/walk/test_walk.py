"""What follows a typed letter is seen on every thread, in its order."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from bertviz_app import paths
from tests.walk.recorder import Recorder

_PAGE = "explanation/architecture.md"
_FILE = re.compile(r"\b[\w/]+\.py\b")
_CALLED = re.compile(r"^ +(?:\[[IEP]\]|[├└]─▶)? *((?:[A-Z]\w+\.)?_?[a-z]\w+)  +", re.MULTILINE)


def _way() -> str:
    """Return the drawing of the way of a typed text in the page about the architecture."""
    page = (paths.resources() / "docs" / _PAGE).read_text(encoding="utf-8")
    _, _, rest = page.partition("## The way of a typed text")
    return rest.partition("\nThe order of")[0]


def test_calls_are_counted_between_start_and_stop_on_each_thread_that_begins_after_watch(
    tmp_path: Path,
) -> None:
    recorder, goes = Recorder(), threading.Event()
    begun = threading.Barrier(3)

    def work() -> None:
        paths.exists(tmp_path)
        begun.wait(10)
        goes.wait(10)
        for _ in range(3):
            paths.exists(tmp_path)

    recorder.watch()
    threads = [threading.Thread(target=work, name=f"worker_{number}") for number in range(2)]
    for thread in threads:
        thread.start()
    begun.wait(10)
    recorder.start()
    try:
        paths.exists(tmp_path)
        with recorder.paused():
            paths.exists(tmp_path)
        recorder.note_painted()
        goes.set()
        for thread in threads:
            thread.join()
    finally:
        recorder.stop()
    paths.exists(tmp_path)
    (found,) = recorder.entered()
    assert (found.file, found.name, found.calls_until_painted) == ("paths.py", "exists", 1)
    assert found.calls == {"interface": 1, "worker": 6}


@pytest.mark.slow
def test_a_letter_is_followed_from_its_field_through_the_encoder_to_what_is_painted(tmp_path: Path) -> None:
    path = tmp_path / "walk.json"
    command = [sys.executable, "-m", "tests.walk", "letter", "--seconds", "1", "--json", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    walk = json.loads(path.read_text(encoding="utf-8"))
    way = _way()
    files = list(dict.fromkeys(_FILE.findall(way)))
    assert len(files) > 9
    assert [name for name in files if name not in walk["files"]] == []
    # Only what one call has from another has an order: on a busy machine a picture is dimmed before the pass.
    one_by_one = [
        name for name in files if name.startswith(("views/bars", "viewmodels/runs/work", "inference"))
    ]
    assert [name for name in walk["files"] if name in one_by_one] == one_by_one
    named, ran = _CALLED.findall(way), {each["name"] for each in walk["functions"]}
    assert len(named) > 9
    assert [name for name in named if name not in ran] == []
    assert {"interface", "encoder"} <= set(walk["threads"])
    calls = {(each["file"], each["name"]): each["calls"] for each in walk["functions"]}
    assert calls["inference/engine.py", "Engine.trace"] == {"encoder": 1}
    until, in_all = walk["until_painted"], walk["in_all"]
    assert all(0 < until[name] <= in_all[name] for name in ("files", "functions", "calls"))
    assert in_all["calls"] == sum(each["calls"] for each in walk["files"].values())
    assert 0 < walk["n_signals_until_painted"] <= len(walk["signals"])
    assert [name for name in (*walk["files"], *walk["threads"]) if f"\n  {name} " not in done.stdout] == []
