"""A process that opens spoilt checkpoints one after the other: `python -m tests.fuzz.worker HOME`.

It reads lines "kind seed" and answers each with a line of JSON: what came of it, the seconds it took,
the bytes by which memory rose, and what it tried beyond reading its files.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
import traceback
from collections.abc import Iterable
from pathlib import Path

import torch

from bertviz_app.analysis.predictions import PredictionInput, predictions
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import Source, find
from bertviz_app.encoder.output import task_logits
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import AppError
from bertviz_app.trace import Trace
from tests.fuzz.kinds import KINDS, spoilt

ADDRESSES = 6 << 30
"""Of address space beyond what it starts with: no case can take the machine's memory."""
FORBIDDEN = frozenset(
    (
        *("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile"),
        *("os.kill", "subprocess.Popen", "pty.spawn", "socket.connect", "socket.bind", "webbrowser.open"),
        *("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.chmod", "os.link", "os.symlink"),
        *(
            "os.truncate",
            "shutil.rmtree",
            "shutil.move",
            "shutil.copyfile",
            "urllib.Request",
            "ctypes.dlopen",
        ),
    )
)
_PROGRAM = (
    sys.prefix,
    sys.base_prefix,
    str(Path(__file__).resolve().parents[2]),
    "/proc/",
    "/sys/",
    "/dev/null",
    *([] if sys.pycache_prefix is None else [sys.pycache_prefix]),  # compiled modules
)


class Watch:
    """Notes what the process tries while it is armed: Python tells of each such call before it is made."""

    def __init__(self, home: Path) -> None:
        self._home = str(home)
        self.is_armed = False
        self.tried: list[str] = []

    def hear(self, event: str, arguments: tuple[object, ...]) -> None:
        if not self.is_armed:
            return
        if event in FORBIDDEN:
            self.tried.append(event)
        elif event == "open":
            self._check_open(*arguments)

    def _check_open(self, path: object, mode: object = "", flags: object = 0) -> None:
        name = os.fsdecode(path) if isinstance(path, str | bytes) else ""
        writes = isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR))
        is_ours = name.startswith((self._home, *_PROGRAM)) or not name
        if writes or not is_ours:
            self.tried.append(f"open {name[:200]} {mode}")


def main(home: Path, copy: Path) -> None:
    """Answer the lines on standard input until it ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    torch.set_num_threads(1)
    watch = Watch(copy)
    sys.addaudithook(watch.hear)
    sound = {name: (home / name / kind.name).read_bytes() for name, kind in KINDS.items()}
    _warm_up(copy)
    _limit_addresses()
    answers.write("ready\n")
    answers.flush()
    for line in sys.stdin:
        name, seed = line.split()
        answer = _answer(copy / name, name, int(seed), sound[name], watch)
        answers.write(json.dumps(answer) + "\n")
        answers.flush()


def _warm_up(copy: Path) -> None:
    """Open every sound checkpoint once, so that what is imported lazily is there."""
    for name in KINDS:
        outcome, _ = _open(copy / name, asks=True)
        if outcome != "loaded":
            raise SystemExit(f"the sound checkpoint {name} is refused: {outcome}")


def _limit_addresses() -> None:
    used = _status("VmSize:")
    resource.setrlimit(resource.RLIMIT_AS, (used + ADDRESSES, used + ADDRESSES))


def _answer(folder: Path, name: str, seed: int, sound: bytes, watch: Watch) -> dict[str, object]:
    content = spoilt(KINDS[name], sound, name, seed)
    (folder / KINDS[name].name).write_bytes(content)
    before, start = _forget_peak(), time.perf_counter()
    watch.tried.clear()
    watch.is_armed = True
    try:
        outcome, trouble = _open(folder, asks=seed % 20 == 0)
    finally:
        watch.is_armed = False
    seconds = time.perf_counter() - start
    return {
        "outcome": outcome,
        "trouble": trouble,
        "seconds": seconds,
        "rise": max(0, _peak() - before),
        "size": len(content),
        "tried": watch.tried[:3],
    }


def _open(folder: Path, *, asks: bool) -> tuple[str, str]:
    """Open the checkpoint, encode a pair of texts and ask its task heads.

    Returns what came of it, and what should not have.
    """
    try:
        source = find(str(folder)) if asks else Source(folder.name, folder, "folder", 0)
        checkpoint = open_checkpoint(source)
        trace = record(checkpoint.encoder, checkpoint.tokens("the cat 고양이", "ate it"), "spoilt")
        sums = trace.attention().sum(-1)
        _predict(checkpoint, trace)
        return "loaded", "" if abs(sums - 1).max() < 1e-4 else "rows of attention do not sum to 1"
    except AppError as error:
        return type(error).__name__, "" if _is_good(
            error
        ) else f"a bad message: {error.message!r} {error.hint!r}"
    except BaseException as error:  # noqa: BLE001 - that is what is looked for
        return "escaped", "".join(traceback.format_exception(error))[-3000:]


def _predict(checkpoint: Checkpoint, trace: Trace) -> None:
    tokens = trace.tokens
    inputs = PredictionInput(tokens, tokens.ids, checkpoint.tokenizer.piece_of, None)
    logits = task_logits(checkpoint.task_heads, trace, checkpoint.meaning)
    predictions(logits, inputs, range(len(tokens)), top=3)
    if checkpoint.sentence is not None:
        checkpoint.sentence.of(trace.hidden[-1], checkpoint.n_prompt_tokens(tokens))


def _is_good(error: AppError) -> bool:
    return bool(error.message and error.hint) and error.message.isprintable() and len(error.message) < 1000


def _forget_peak() -> int:
    """Begin to measure the peak of memory anew; return what is in memory now, in bytes."""
    Path("/proc/self/clear_refs").write_text("5")
    return _status("VmRSS:")


def _peak() -> int:
    return _status("VmHWM:")


def _status(key: str) -> int:
    return int(Path("/proc/self/status").read_text().partition(key)[2].split()[0]) * 1024


def arguments(given: Iterable[str]) -> tuple[Path, Path]:
    """Return the folder of the sound checkpoints, and that of this process's own copies."""
    home, copy = map(Path, given)
    return home, copy


if __name__ == "__main__":
    main(*arguments(sys.argv[1:]))
