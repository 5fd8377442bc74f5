"""A small server on this computer that answers as the hub does, for the requests a download makes."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

REVISION = "89abcdef0123456789abcdef0123456789abcdef"


@dataclass
class Hub:
    """What the server gives, and how it misbehaves. `status` other than 200 answers everything."""

    repo_id: str
    folder: Path
    url: str = ""
    status: int = 200
    error_code: str = ""
    model_type: str = "bert"
    cut_after: int | None = None  # bytes of a file, then the line breaks
    continues: bool = False  # whether a file can be asked for from some byte on
    token: str = ""  # without which nothing is given
    hold_after: int | None = None  # bytes of a file, then `go_on` is waited for
    holding: threading.Event = field(default_factory=threading.Event)
    go_on: threading.Event = field(default_factory=threading.Event)
    requests: list[str] = field(default_factory=list)

    def info(self) -> bytes:
        """Return what the API says of the model."""
        files = [{"rfilename": path.name, "size": path.stat().st_size} for path in self.folder.iterdir()]
        facts = {"id": self.repo_id, "sha": REVISION, "siblings": files, "tags": [], "downloads": 0}
        return json.dumps(facts | {"config": {"model_type": self.model_type}}).encode()


@contextmanager
def serving(hub: Hub) -> Iterator[Hub]:
    """Serve `hub` until the block ends; its `url` is set."""

    class Handler(_Handler):
        served = hub

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield hub
    finally:
        hub.go_on.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    served: Hub

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Say nothing."""

    def _answer(self, *, with_body: bool) -> None:
        hub = self.served
        path = self.path.partition("?")[0]
        hub.requests.append(f"{self.command} {path}")
        if hub.token and self.headers.get("Authorization") != f"Bearer {hub.token}":
            self._send(b"{}", 401, {"X-Error-Code": "GatedRepo"} if hub.error_code == "GatedRepo" else {})
        elif hub.status != 200:
            self._send(b"{}", hub.status, {"X-Error-Code": hub.error_code} if hub.error_code else {})
        elif path.startswith(f"/api/models/{hub.repo_id}"):
            self._send(hub.info(), 200, {"Content-Type": "application/json"})
        elif path.startswith(f"/{hub.repo_id}/resolve/"):
            self._send_file(hub.folder / path.rpartition("/")[2], with_body)
        else:
            self._send(b"{}", 404, {"X-Error-Code": "RepoNotFound"})

    def _send(self, body: bytes, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in (headers | {"Content-Length": str(len(body))}).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _send_file(self, file: Path, with_body: bool) -> None:
        hub, content = self.served, file.read_bytes()
        tag, start = sha256(content).hexdigest(), 0
        if hub.continues and (requested := self.headers.get("Range")):
            start, n_all = int(requested.removeprefix("bytes=").rstrip("-")), len(content)
            content = content[start:]
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{n_all - 1}/{n_all}")
            hub.requests.append(f"FROM {start} {file.name}")
        else:
            self.send_response(200)
        self.send_header("ETag", f'"{tag}"')
        self.send_header("X-Repo-Commit", REVISION)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if not with_body:
            return
        if hub.cut_after is not None and hub.cut_after < len(content):
            self.wfile.write(content[: hub.cut_after])
            self.close_connection = True
            return
        if hub.hold_after is not None and hub.hold_after < len(content):
            self.wfile.write(content[: hub.hold_after])
            self.wfile.flush()
            hub.holding.set()
            hub.go_on.wait(60)
            content = content[hub.hold_after :]
        self.wfile.write(content)
