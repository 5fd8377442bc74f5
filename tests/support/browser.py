"""A headless Chromium that tests drive: a page is opened, pointed at, clicked, and read."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.request import Request, urlopen

from tornado.websocket import WebSocketClientConnection, websocket_connect

_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
_PATIENCE = 60.0
_KEY_CODES = {"Enter": 13, "Escape": 27, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
_LARGEST = 1 << 28  # bytes of a message: a screenshot
_OPTIONS = (
    "--headless=new",
    "--disable-gpu",
    "--no-sandbox",
    "--no-first-run",
    "--force-device-scale-factor=1",
)


def find_browser() -> str | None:
    """Return the path of a Chromium of this machine, None where there is none."""
    return next((found for found in map(shutil.which, _BROWSERS) if found), None)


class Browser:
    """One page in a browser of its own, which ends with the block."""

    def __init__(self, address: str, width: int = 1280, height: int = 900) -> None:
        """Open `address`. There must be a browser: see `find_browser`."""
        self._address = address
        self._size = width, height
        self._number = 0
        self._loop = asyncio.new_event_loop()

    def __enter__(self) -> Browser:
        browser = find_browser()
        assert browser is not None
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        nowhere = subprocess.DEVNULL
        size = f"--window-size={self._size[0]},{self._size[1]}"
        profile = f"--user-data-dir={self._profile.name}"
        command = [browser, *_OPTIONS, size, profile, "--remote-debugging-port=0", "about:blank"]
        self._process = subprocess.Popen(command, stdout=nowhere, stderr=nowhere)
        try:
            self._connect()
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self._socket.close()
        self._end()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait(20)
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()
        self._profile.cleanup()

    def _connect(self) -> None:
        port_file = Path(self._profile.name, "DevToolsActivePort")
        wait_until(port_file.is_file)
        port = port_file.read_text().split()[0]
        request = Request(f"http://127.0.0.1:{port}/json/new?{self._address}", method="PUT")
        with urlopen(request, timeout=_PATIENCE) as answer:
            address = json.load(answer)["webSocketDebuggerUrl"]
        self._socket: WebSocketClientConnection = self._loop.run_until_complete(self._opened(address))
        width, height = self._size
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        wait_until(lambda: self.evaluate("document.readyState") == "complete")

    async def _opened(self, address: str) -> WebSocketClientConnection:
        return await websocket_connect(address, max_message_size=_LARGEST)

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Return the answer to a command of the DevTools protocol."""
        return self._loop.run_until_complete(self._answer(method, parameters))

    async def _answer(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self._number += 1
        await self._socket.write_message(
            json.dumps({"id": self._number, "method": method, "params": parameters})
        )
        while True:
            message = await asyncio.wait_for(self._read(), _PATIENCE)
            found = json.loads(message)
            if found.get("id") == self._number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']['message']}")
                result: dict[str, Any] = found["result"]
                return result

    async def _read(self) -> str:
        message = await self._socket.read_message()
        assert isinstance(message, str), "the browser is gone"
        return message

    def evaluate(self, expression: str) -> Any:
        """Return the value of some JavaScript, as JSON has it. Raises RuntimeError for what it throws."""
        found = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"].get("exception", {}).get("description", "an error"))
        return found["result"].get("value")

    def wait_for(self, expression: str) -> None:
        """Wait until JavaScript finds something to be so; while a page loads there may be nothing to ask."""

        def is_so() -> bool:
            try:
                return bool(self.evaluate(expression))
            except RuntimeError:
                return False

        wait_until(is_so)

    def middle_of(self, expression: str) -> tuple[float, float]:
        """Return the middle of the element that JavaScript finds, in pixels of the window."""
        box = self.evaluate(
            f"(() => {{ const e = {expression}; e.scrollIntoView({{block: 'nearest'}}); "
            "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        return box[0], box[1]

    def point_at(self, x: float, y: float) -> None:
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def click_at(self, x: float, y: float, count: int = 1) -> None:
        self.point_at(x, y)
        for number in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=number)

    def press(self, key: str, modifiers: int = 0) -> None:
        """Press a key, by its name in JavaScript; 8 is Shift, 2 Ctrl."""
        is_letter = len(key) == 1
        code = ord(key.upper()) if is_letter else _KEY_CODES[key]
        names = {"key": key, "code": f"Key{key.upper()}" if is_letter else key}
        for kind in ("rawKeyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent", type=kind, modifiers=modifiers, windowsVirtualKeyCode=code, **names
            )


def wait_until(is_so: Callable[[], object], patience: float = _PATIENCE) -> None:
    """Wait until something is so. Raises TimeoutError."""
    end = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.05)
