"""What starts the window, where there is no screen to open it on."""

from __future__ import annotations

import os
import subprocess
import sys


def test_without_a_screen_the_reason_and_a_way_out_are_written_before_the_process_ends() -> None:
    environment = os.environ | {"QT_QPA_PLATFORM": "xcb", "DISPLAY": ":no-such-screen"}
    done = subprocess.run(
        [sys.executable, "-c", "from bertviz_app.shell.application import make_application as run; run()"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert "no Qt platform plugin could be initialized" in done.stderr
    assert "bertviz-app render draws a picture" in done.stderr
