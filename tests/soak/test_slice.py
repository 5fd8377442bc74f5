"""A few seconds of the soak, and what it would complain of."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.soak.driver import choose, random_of
from tests.soak.footprint import Footprint, complaints
from tests.soak.gestures import GESTURES

_REST = Footprint(700_000_000, 250_000_000, ("encoder", "python"), ("/dev/null",))


def test_a_seed_makes_the_same_gestures_again() -> None:
    first, again, other = ([choose(random_of(seed, n)) for n in range(3000)] for seed in (7, 7, 8))
    assert first == again
    assert first != other
    assert set(first) == set(GESTURES)


@pytest.mark.parametrize(
    ("last", "expected"),
    [
        ((_REST, _REST), []),
        ((replace(_REST, held=760_000_000), _REST), []),
        (2 * (replace(_REST, held=719_000_000, mapped=290_000_000),), []),
        (2 * (replace(_REST, held=725_000_000),), ["memory grew by 25.0 MB"]),
        (
            (
                _REST,
                replace(_REST, threads=(*_REST.threads, "train"), files=("/dev/null", "/tmp/a", "/tmp/b")),
            ),
            ["1 threads are left over: train", "2 open files are left over: /tmp/a, /tmp/b"],
        ),
    ],
)
def test_what_grew_is_named(last: tuple[Footprint, ...], expected: list[str]) -> None:
    assert complaints([_REST, *last]) == expected


@pytest.mark.slow
def test_some_gestures_leave_no_fault() -> None:
    command = [sys.executable, "-m", "tests.soak", "--minutes", "0.1", "--rests", "2", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 faults" in done.stdout
    *_, n_gestures = re.findall(r"([\d,]+) gestures", done.stdout)
    assert int(n_gestures.replace(",", "")) > 0
