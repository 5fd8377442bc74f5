"""`Engine`: the loaded checkpoints, and from a text to its trace. Torch is read on first use."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.analysis.predictions import TOP, Predictions, Reading, predictions
from bertviz_app.checkpoint.config.answers import NO_ANSWERS, Answers, keep, saved_answers, saved_answers_file
from bertviz_app.checkpoint.folder import ANSWERS, config_in, weights_in
from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.checkpoint.weights.shards import weight_files
from bertviz_app.errors import CheckpointError, DeviceError, FileError
from bertviz_app.inference.devices import CPU, Device, available_devices, find_device, is_out_of_memory
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.warmup import preload_torch
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.logits import Logits

if TYPE_CHECKING:
    from bertviz_app.checkpoint.loader import Checkpoint
    from bertviz_app.encoder.encoder import Encoder

__all__ = ["MEMORY_LIMIT", "Check", "Device", "Engine", "Progress", "TraceRequest", "TraceResult"]

Check = Callable[[], None]
Progress = Callable[[int, int], None]
MEMORY_LIMIT = 4_000_000_000
"""Bytes of the numbers of open checkpoints, if nobody said another limit."""
_Key = tuple[Path, tuple[int, ...]]
_Heads = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class TraceRequest:
    """What to encode: `ref` names a checkpoint (None: the default one), `device` a device or "auto".

    `edits` are done to the tokens of the text, and to the checkpoint for this one request.
    """

    ref: str | None
    device: str
    text: str
    pair: str | None = None
    edits: Edits = NO_EDITS


@dataclass(frozen=True, eq=False)
class TraceResult:
    """A trace and how it came about; `notices` are sentences the user should read."""

    request: TraceRequest
    trace: Trace
    facts: ModelFacts
    device: Device
    seconds: float  # tokenising, forward pass and recording
    notices: tuple[str, ...]


class Engine:
    """Holds the checkpoints opened last, and encodes with them.

    Where their numbers would fill more than `memory_limit` bytes, those used longest ago are let go; the
    one in use stays, however large it is. `load` and `trace` serve one caller at a time; `devices` never
    waits for them.
    """

    def __init__(self, memory_limit: int = MEMORY_LIMIT) -> None:
        self.memory_limit = memory_limit
        self._opened: OrderedDict[_Key, _Opened] = OrderedDict()
        self._keys: dict[str | None, _Key] = {}
        self._unkept: dict[Path, Answers] = {}
        self._lock = threading.RLock()

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that torch reports, the CPU first."""
        return available_devices()

    def load(
        self, ref: str | None = None, progress: Progress | None = None, check: Check | None = None
    ) -> ModelFacts:
        """Open the checkpoint that `ref` names (None: the default one) and return what it is.

        A hub id ("org/name", or "org/name@revision") that is not on this computer is downloaded.
        `progress` is told bytes done and in all. Raises CheckpointError, HubError, or whatever `check`
        raises.
        """
        with self._lock:
            return self._open(ref, progress, check).checkpoint.facts

    def fetch(self, ref: str | None, progress: Progress | None = None, check: Check | None = None) -> None:
        """Have the checkpoint that `ref` names on this computer, without opening it.

        Nobody else has to wait for that. `progress` is told bytes done and in all. Raises as `load`.
        """
        source_of(ref, progress, check)

    def answer(
        self,
        ref: str | None,
        answers: Answers,
        progress: Progress | None = None,
        check: Check | None = None,
    ) -> str:
        """Open a checkpoint with `answers` to what its files leave open, and keep them if it does open.

        Returns a sentence for the user, "" where all is as it should be: the answers are with the
        settings where its folder cannot be written, and where these cannot be either, they hold for as
        long as the engine does. Raises as `load`.
        """
        with self._lock:
            preload_torch()
            source = source_of(ref, progress, check)
            unkept = self._unkept.get(source.folder, NO_ANSWERS)
            said = answers.over(unkept).over(saved_answers(source.folder))
            opened = self._load(source, progress, check, said)
            remark = self._keep(source.folder, said)
            self._remember(ref, source, opened)
        return remark

    def opened(self) -> dict[str, ModelFacts]:
        """Return what the open checkpoints are, by the refs of their sources, the one used last last."""
        with self._lock:
            return {opened.ref: opened.checkpoint.facts for opened in self._opened.values()}

    def trace(self, request: TraceRequest, check: Check | None = None) -> TraceResult:
        """Encode the request's text and return its trace. `check` is called between layers.

        Where the device has too little memory the CPU does it, and a notice says so. Raises TextError,
        SelectionError for a muted head that does not exist, DeviceError, CheckpointError, or whatever
        `check` raises.
        """
        with self._lock:
            opened = self._remembered(request.ref) or self._open(request.ref, None, check)
            device = find_device(request.device)
            started = time.perf_counter()
            tokens = opened.checkpoint.tokens(request.text, request.pair, request.edits.replaced)
            trace, ran_on = opened.record(tokens, device, check, request.edits.muted)
            seconds = time.perf_counter() - started
        notices = _notices(tokens, opened.checkpoint.tokenizer.max_tokens, device, ran_on)
        return TraceResult(request, trace, opened.checkpoint.facts, ran_on, seconds, notices)

    def details(
        self, request: TraceRequest, trace: Trace, layer: int, check: Check | None = None
    ) -> LayerDetails:
        """Return all that one layer of `trace`, the answer to `request`, computed on its way.

        Raises SelectionError for a layer that does not exist, CheckpointError if the checkpoint is not
        the one of the trace, DeviceError, or whatever `check` raises.
        """
        with self._lock:
            opened = self._remembered(request.ref) or self._open(request.ref, None, check)
            return opened.details(trace, layer, find_device(request.device))

    def logits(self, request: TraceRequest, trace: Trace) -> Logits:
        """Return what the checkpoint's task heads say to `trace`, the answer to `request`.

        Raises CheckpointError if the checkpoint is not the one of the trace, DeviceError.
        """
        with self._lock:
            opened = self._remembered(request.ref) or self._open(request.ref, None, None)
            return opened.logits(trace)

    def predict(
        self,
        request: TraceRequest,
        trace: Trace,
        positions: Sequence[int] | None = None,
        top: int = TOP,
        check: Check | None = None,
    ) -> Predictions:
        """Return what the checkpoint's heads expect of `trace`, the answer to `request`, as probabilities.

        Of masked tokens at `positions` (None: where the trace has the mask). Raises SelectionError for a
        position that the trace does not have, else as `logits`, or whatever `check` raises.
        """
        with self._lock:
            opened = self._remembered(request.ref) or self._open(request.ref, None, check)
            if check is not None:
                check()  # it may have waited long for the lock
            return opened.predict(trace, positions, top)

    def mask(self, ref: str | None) -> str | None:
        """Return the piece by which the checkpoint's tokenizer hides a token, None where it has none."""
        with self._lock:
            opened = self._remembered(ref) or self._open(ref, None, None)
            found = opened.checkpoint.tokenizer.mask
        return None if found is None else found[0]

    def tokens(self, ref: str | None, text: str, pair: str | None = None) -> Tokens:
        """Return the tokens of a text without encoding it. Raises TextError."""
        with self._lock:
            opened = self._remembered(ref) or self._open(ref, None, None)
            return opened.checkpoint.tokens(text, pair)

    def _remembered(self, ref: str | None) -> _Opened | None:
        opened = self._opened.get(self._keys[ref]) if ref in self._keys else None
        if opened is not None:
            self._opened.move_to_end(self._keys[ref])
        return opened

    def _open(self, ref: str | None, progress: Progress | None, check: Check | None) -> _Opened:
        preload_torch()
        source = source_of(ref, progress, check)
        key = _key(source)
        if key not in self._opened:
            said = self._unkept.get(source.folder, NO_ANSWERS)
            return self._remember(ref, source, self._load(source, progress, check, said))
        return self._remember(ref, source, self._opened[key])

    def _load(
        self, source: Source, progress: Progress | None, check: Check | None, answers: Answers
    ) -> _Opened:
        from bertviz_app.checkpoint.loader import open_checkpoint

        self._make_room(source.n_bytes)
        opened = _Opened(open_checkpoint(source, progress, check, answers), source.ref)
        self._make_room(opened.n_bytes)  # numbers of 16 bits take twice their file
        return opened

    def _remember(self, ref: str | None, source: Source, opened: _Opened) -> _Opened:
        key = _key(source)
        for other in [other for other in self._opened if other[0] == key[0]]:
            del self._opened[other]  # what its files were before
        self._opened[key] = opened
        # The default checkpoint answers to its name too, whatever else may be called that.
        self._keys |= dict.fromkeys((ref, source.name) if ref is None else (ref,), key)
        self._keys = {name: key for name, key in self._keys.items() if key in self._opened}
        return opened

    def _keep(self, folder: Path, answers: Answers) -> str:
        """Write `answers` down, or remember them; return what the user should know of where they are."""
        self._unkept.pop(folder, None)
        try:
            place = keep(folder, answers)
        except FileError:
            self._unkept[folder] = answers
            remark = f"The answers could not be written, neither to {folder} nor to the settings: they "
            return f"{remark}hold until the program ends."
        if place == folder / ANSWERS:
            return ""
        return f"{folder} cannot be written: the answers are kept with the settings instead."

    def _make_room(self, n_bytes: int) -> None:
        """Let go of those used longest ago until `n_bytes` more keep to the limit, or none is left."""
        while self._opened and self._n_bytes() + n_bytes > self.memory_limit:
            self._opened.popitem(last=False)

    def _n_bytes(self) -> int:
        return sum(opened.n_bytes for opened in self._opened.values())


class _Opened:
    """A checkpoint, and copies of its encoder on the devices it was used on."""

    def __init__(self, checkpoint: Checkpoint, ref: str) -> None:
        self.checkpoint = checkpoint
        self.ref = ref  # of its source
        self.n_bytes = _size(checkpoint)
        self._placed: dict[str, Encoder] = {CPU: checkpoint.encoder}

    def record(
        self, tokens: Tokens, device: Device, check: Check | None, muted: _Heads
    ) -> tuple[Trace, Device]:
        """Return the trace of `tokens`, and the device that made it: the CPU if `device` has no memory."""
        import torch

        if device.name != CPU:
            try:
                return self._record_on(device.name, tokens, check, muted), device
            except RuntimeError as error:
                if not is_out_of_memory(error):
                    raise
            # Outside of the handler: the error's traceback holds the tensors that filled the device.
            self._placed.pop(device.name, None)
            if torch.cuda.is_available():
                torch.cuda.empty_cache()
        return self._record_on_cpu(tokens, check, muted), find_device(CPU)

    def _record_on_cpu(self, tokens: Tokens, check: Check | None, muted: _Heads) -> Trace:
        try:
            return self._record_on(CPU, tokens, check, muted)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            message = f"There is not enough memory to encode {len(tokens)} tokens with this checkpoint."
            raise DeviceError(message, "Give a shorter text, or choose a smaller checkpoint.") from error

    def _record_on(self, name: str, tokens: Tokens, check: Check | None, muted: _Heads) -> Trace:
        from bertviz_app.checkpoint.weights.assemble import placed
        from bertviz_app.encoder.recorder import record

        if name not in self._placed:
            self._placed[name] = placed(self.checkpoint.encoder, name)
        return record(self._placed[name], tokens, self.checkpoint.facts.name, check, muted)

    def details(self, trace: Trace, layer: int, device: Device) -> LayerDetails:
        """Return what `layer` computed, on the device that made the trace."""
        from bertviz_app.encoder.details import layer_details

        trace.scores(layer, 0, slice(0, 1), slice(0, 1))  # raises SelectionError
        self._judge(trace)
        # A device that had too little memory has lost its copy, and the CPU made the trace.
        encoder = self._placed.get(device.name, self.checkpoint.encoder)
        muted = [head for at, head in trace.muted if at == layer]
        try:
            return layer_details(encoder, trace.hidden[layer], layer, muted)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            message = f"There is not enough memory for what layer {layer} computes."
            raise DeviceError(message, "Give a shorter text, or choose a smaller checkpoint.") from error

    def predict(self, trace: Trace, positions: Sequence[int] | None, top: int) -> Predictions:
        """Return what the task heads expect, as probabilities."""
        tokens, tokenizer = trace.tokens, self.checkpoint.tokenizer
        self._judge(trace)
        written = tokenizer.encode(tokens.text, tokens.pair).ids
        mask = tokenizer.mask
        reading = Reading(tokens, written, tokenizer.piece_of, None if mask is None else mask[1])
        if len(written) != len(tokens):
            raise _of_another(self.checkpoint.facts)
        places = reading.masked() if positions is None else positions
        reading.judge(places)
        return predictions(self.logits(trace, places), reading, places, top)

    def logits(self, trace: Trace, places: Sequence[int] | None = None) -> Logits:
        """Return what the task heads say to `trace`, of masked tokens at `places` alone; on the CPU."""
        from bertviz_app.encoder.logits import task_logits

        self._judge(trace)
        try:
            return task_logits(self.checkpoint.heads, trace, self.checkpoint.meaning, places)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            message = f"There is not enough memory for the logits of {trace.n_tokens} tokens."
            raise DeviceError(message, "Give a shorter text, or choose a smaller checkpoint.") from error

    def _judge(self, trace: Trace) -> None:
        """Raise CheckpointError if `trace` cannot be this checkpoint's."""
        sizes = (trace.n_layers, trace.n_heads, trace.width)
        facts = self.checkpoint.facts
        if (facts.n_layers, facts.n_heads, facts.width) != sizes:
            raise _of_another(facts)


def _of_another(facts: ModelFacts) -> CheckpointError:
    message = f"The text was encoded with another checkpoint than {facts.name}."
    return CheckpointError(message, "Encode it again.")


def _size(checkpoint: Checkpoint) -> int:
    """Return the bytes of its numbers; what a head shares with the embeddings counts once."""
    numbers = [*checkpoint.encoder.parameters(), *checkpoint.heads.parameters()]
    return sum({number.data_ptr(): number.nbytes for number in numbers}.values())


def _key(source: Source) -> _Key:
    """Return what tells one state of a checkpoint from another: written anew, it is opened anew."""
    config, weights = config_in(source.folder), weights_in(source.folder, source.weights)
    said = saved_answers_file(source.folder)
    files = dict.fromkeys((config, weights, *weight_files(weights), *((said,) if said else ())))
    return weights, tuple(file.stat().st_mtime_ns for file in files)


def _notices(tokens: Tokens, max_tokens: int, asked: Device, ran_on: Device) -> tuple[str, ...]:
    notices = []
    if ran_on.name != asked.name:
        notices.append(f"{asked.label} has too little memory left: the {ran_on.label} did it instead.")
    if tokens.n_left_out:
        left_out = "1 token was" if tokens.n_left_out == 1 else f"{tokens.n_left_out:,} tokens were"
        notices.append(f"{left_out} left out: this model reads at most {max_tokens:,}.")
    return tuple(notices)
