"""How long BertViz's `model_view` takes to be drawn in Chromium, both as other people install them.

The page is served from this machine to a headless Chromium, and reports when all of its lines exist and two
frames were drawn after that. BertViz loads three scripts from the network; the environment variable
`BERTVIZ_SCRIPTS` may name a folder with require.min.js, d3.min.js and jquery.min.js instead.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from tests.support.browser import find_browser

_LEAST_MEMORY = 8e9
"""What is free must be more: the page of 128 tokens takes 6.2 GB, and twice that while it is read."""
_WATCH = """<script>
const awaited = %d;
function look() {
  if (document.querySelectorAll("#vis line, [id^=bertviz] line").length < awaited) setTimeout(look, 200);
  else requestAnimationFrame(() => requestAnimationFrame(() => fetch("/done")));
}
look();
</script>"""


@dataclass(frozen=True)
class Drawn:
    """The seconds of a view, or why there are none."""

    seconds: float | None
    reason: str = ""


def why_not() -> str:
    """Return what is missing to measure BertViz in a browser; nothing if all is here."""
    if find_browser() is None:
        return "Chromium is not installed"
    if importlib.util.find_spec("bertviz") is None:
        return "BertViz is not installed (pip install bertviz)"
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") + _cached()
    return "" if free > _LEAST_MEMORY else f"{free / 1e9:.0f} GB of memory are free, 8 are needed"


def draw_model_view(attention: list[Any], pieces: list[str], limit: float) -> Drawn:
    """Return the seconds from the tensors to the drawn page, for `attention` of [1, H, T, T] a layer."""
    from bertviz import model_view

    started = time.perf_counter()
    page = str(model_view(attention, pieces, html_action="return").data)
    n_lines = sum(layer.shape[1] for layer in attention) * len(pieces) ** 2
    built = time.perf_counter() - started
    page = _with_own_scripts(page) + _WATCH % n_lines
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, _Served(page) as served:
        process = _open(served.address, profile)
        try:
            is_done = served.done.wait(limit)
        finally:
            process.terminate()
            process.wait(20)
    if not is_done:
        return Drawn(None, f"BertViz: not drawn within {limit:.0f} s")
    return Drawn(built + served.times["/done"] - served.times["/"])


class _Served:
    """A server of one page, and of the scripts beside it; `done` is set when the page reports.

    `times` has when each path was first requested: the start of the browser is not counted.
    """

    def __init__(self, page: str) -> None:
        self.done = threading.Event()
        self.times: dict[str, float] = {}
        done, times, body = self.done, self.times, page.encode()
        folder = Path(os.environ.get("BERTVIZ_SCRIPTS", tempfile.gettempdir()))

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                times.setdefault(self.path, time.perf_counter())
                content = body
                if self.path == "/done":
                    done.set()
                    content = b""
                elif self.path.endswith(".js"):
                    script = folder / Path(self.path).name
                    content = script.read_bytes() if script.is_file() else b""
                self.send_response(200)
                self.send_header("Content-Type", "text/javascript" if ".js" in self.path else "text/html")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> _Served:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def _with_own_scripts(page: str) -> str:
    """Return the page with the scripts of a folder of this machine, if one is named."""
    if "BERTVIZ_SCRIPTS" not in os.environ:
        return page
    return re.sub(
        r"https://cdnjs\.cloudflare\.com/[\w./-]*/([\w-]+(?:\.min)?)(\.js)?(?=['\"])", r"/\1\2", page
    )


def _open(address: str, profile: str) -> subprocess.Popen[bytes]:
    browser = find_browser()
    assert browser is not None
    options = (
        "--headless=new",
        "--disable-gpu",
        "--no-sandbox",
        "--no-first-run",
        f"--user-data-dir={profile}",
    )
    nowhere = subprocess.DEVNULL
    return subprocess.Popen([browser, *options, address], stdout=nowhere, stderr=nowhere)


def _cached() -> int:
    """Return the bytes of files in memory, which are given up when a program needs them."""
    information = Path("/proc/meminfo")
    found = (
        re.search(r"^Cached:\s+(\d+) kB", information.read_text(), re.M) if information.is_file() else None
    )
    return int(found[1]) * 1024 if found else 0
