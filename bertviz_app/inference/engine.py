"""`Engine`: holds the loaded checkpoints and computes traces; `Turns`: the order of forward passes."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from bertviz_app.checkpoint.folder import ANSWERS, allow_links
from bertviz_app.checkpoint.question_table import save_answers, saved_answers, saved_answers_file
from bertviz_app.checkpoint.questions import NO_ANSWERS, Answers, ModelFacts, of_another
from bertviz_app.checkpoint.sources.source import Source, parts_of
from bertviz_app.checkpoint.weights.shards import weight_files
from bertviz_app.errors import Check, DeviceError, FileError, Message, Progress
from bertviz_app.inference.fetching import source_of
from bertviz_app.inference.jobs import preload_torch
from bertviz_app.inference.opened_checkpoint import (
    Device,
    OpenedCheckpoint,
    available_devices,
    device_name,
    find_device,
)
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess
    from bertviz_app.analysis.parameters import Reporter
    from bertviz_app.analysis.predictions import Predictions
    from bertviz_app.analysis.probing.interventions import Outcome
    from bertviz_app.analysis.results import Result
    from bertviz_app.inference.model_parameters import ModelParameters
    from bertviz_app.text.why_cut import WhyCut
    from bertviz_app.trace import Trace
    from bertviz_app.trace.memory import TraceMemory
    from bertviz_app.trace.provenance import LayerDetails


def notices(tokens: Tokens, facts: ModelFacts, max_tokens: int) -> tuple[str, ...]:
    """Return notices of what is left out, unknown or dropped, and of positions that were hardly trained."""
    found = [*notices_of_left_out(tokens, max_tokens)]
    if n_unknown := tokens.n_unknown_words:
        n_words, named = tokens.n_words, zip(tokens.labels, tokens.is_unknown, strict=True)
        piece = next(label for label, is_unknown in named if is_unknown)
        one = Message("1 of {0} words is unknown to this model, which reads {1} instead.", n_words, piece)
        several = Message(
            "{0} of {1} words are unknown to this model, which reads {2} instead.", n_unknown, n_words, piece
        )
        found.append(one if n_unknown == 1 else several)
    if n_dropped := len(tokens.dropped):  # such characters cannot be seen in the text
        names = tokens.dropped_names
        one = Message("1 invisible character was dropped, as this model's tokenizer does: {0}.", names)
        several = Message(
            "{0} invisible characters were dropped, as this model's tokenizer does: {1}.",
            f"{n_dropped:,}",
            names,
        )
        found.append(one if n_dropped == 1 else several)
    most = facts.n_trained_positions
    if most is not None and len(tokens) > most:
        found.append(
            Message("Positions from {0} on were hardly trained: attention there is unreliable.", most)
        )
    return tuple(found)


def notices_of_left_out(tokens: Tokens, max_tokens: int) -> tuple[str, ...]:
    """Return a notice of tokens that the model has no room for."""
    most = f"{max_tokens:,}"
    if tokens.n_left_out == 1:
        return (Message("1 token was left out: this model reads at most {0}.", most),)
    if tokens.n_left_out:
        left_out = f"{tokens.n_left_out:,}"
        return (Message("{0} tokens were left out: this model reads at most {1}.", left_out, most),)
    return ()


class Turns:
    """A re-entrant lock with two priorities: a patient caller waits for every urgent one.

    With a plain lock, a thread that releases it and acquires it again at once, as an analysis does from one
    forward pass to the next, would mostly get it before a thread that has been waiting.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._changed = threading.Condition()
        self._n_urgent = 0

    @property
    def is_awaited(self) -> bool:
        """Whether an urgent caller waits."""
        with self._changed:
            return self._n_urgent > 0

    @contextmanager
    def urgent(self) -> Iterator[None]:
        """Return a context that holds the lock; it is entered before any patient caller that waits."""
        with self._changed:
            self._n_urgent += 1
        try:
            self._lock.acquire()
        finally:
            with self._changed:
                self._n_urgent -= 1
                self._changed.notify_all()
        try:
            yield
        finally:
            self._lock.release()

    @contextmanager
    def patient(self) -> Iterator[None]:
        """Return a context that holds the lock; it is entered once no urgent caller waits."""
        with self._changed:
            while self._n_urgent:
                self._changed.wait()
        with self._lock:
            yield


MEMORY_LIMIT = 4_000_000_000
"""Bytes of the numbers of open checkpoints, by default."""
_Key = tuple[Path, tuple[int, ...]]
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class TraceRequest:
    """What to encode: `ref` names a checkpoint (None: the default one), `device` a device or "auto".

    `edits` are the interventions in this one request.
    """

    ref: str | None
    device: str
    text: str
    pair: str | None = None
    edits: Edits = NO_EDITS


@dataclass(frozen=True, eq=False)
class TraceResult:
    """A trace, and how it was computed; `notices` are sentences the user should read."""

    request: TraceRequest
    trace: Trace
    facts: ModelFacts
    device: Device
    seconds: float  # tokenising, forward pass and recording
    notices: tuple[str, ...]


@dataclass(frozen=True)
class AnalysisRequest:
    """Which analysis to run, of which run. Equal requests for the same traces have equal results.

    `run` is the request whose result is the trace; `parameters` is of the parameters class of the analysis
    with this `key`.
    """

    run: TraceRequest
    key: str
    parameters: object

    @classmethod
    def of(cls, run: TraceRequest, key: str, values: Mapping[str, object]) -> AnalysisRequest:
        """Return the request with parameters read from `values`, their names and values or texts.

        Raises AnalysisError for an unknown key, or parameters that the analysis does not have.
        """
        from bertviz_app.analysis.catalogue import find_analysis
        from bertviz_app.analysis.parameters import read_parameters

        return cls(run, key, read_parameters(find_analysis(key).parameters, values))


class Engine:
    """Keeps the checkpoints used last in memory, encodes texts and runs analyses with them.

    If their weights would take more than `memory_limit` bytes, those used longest ago are released; the one
    in use is kept, however large it is. `load` and `trace` serve one caller at a time; `devices` never waits
    for them.
    """

    def __init__(self, memory_limit: int = MEMORY_LIMIT) -> None:
        self.memory_limit = memory_limit
        self._opened: OrderedDict[_Key, OpenedCheckpoint] = OrderedDict()
        self._keys: dict[str | None, _Key] = {}
        self._unsaved: dict[Path, Answers] = {}
        self._devices: tuple[Device, ...] = ()
        self._turns = Turns()
        self._memories: dict[str, TraceMemory] = {}

    def devices(self) -> tuple[Device, ...]:
        """Return the devices that torch reports now, the CPU first; they are remembered."""
        self._devices = available_devices()
        return self._devices

    def load(
        self, ref: str | None = None, progress: Progress | None = None, check: Check | None = None
    ) -> ModelFacts:
        """Open the checkpoint that `ref` names (None: the default one) and return what it is.

        A hub id ("org/name", or "org/name@revision") that is not on this computer is downloaded. `progress`
        is called with the bytes done and the total. Raises CheckpointError, HubError, or whatever `check`
        raises.
        """
        with self._turns.urgent():
            return self._open(ref, progress, check).checkpoint.facts

    def fetch(self, ref: str | None, progress: Progress | None = None, check: Check | None = None) -> None:
        """Download the checkpoint that `ref` names if it is not on this computer, without opening it.

        No other caller waits for it. `progress` is called with the bytes done and the total. Raises as
        `load`.
        """
        source_of(ref, progress, check)

    def answer(
        self,
        ref: str | None,
        answers: Answers,
        progress: Progress | None = None,
        check: Check | None = None,
    ) -> str:
        """Open a checkpoint with `answers` to what its files do not specify, and save them if it opens.

        Returns a remark for the user where they are not saved in the checkpoint's folder, else "": if the
        folder cannot be written they are saved with the settings, and if that fails too, they hold as long as
        the engine exists. Raises as `load`.
        """
        with self._turns.urgent():
            preload_torch()
            source = source_of(ref, progress, check)
            if answers.links:
                allow_links(source.folder)
                source = source_of(ref, progress, check)  # with what the linked files say
            if answers.base is not None:
                source_of(answers.base, progress, check)  # downloads it where it is on the hub only
            answers = answers.without(("links",))
            unsaved = self._unsaved.get(source.folder, NO_ANSWERS)
            combined = answers.over(unsaved).over(saved_answers(source.folder))
            opened = self._load(source, progress, check, combined)
            folder, remark = source.folder, ""
            if combined:
                self._unsaved.pop(folder, None)
                try:
                    if save_answers(folder, combined) != folder / ANSWERS:
                        remark = Message(
                            "{0} cannot be written: the answers are kept with the settings instead.", folder
                        )
                except FileError:
                    self._unsaved[folder] = combined
                    remark = Message(
                        "The answers could not be written, neither to {0} nor to the settings: they hold "
                        "until the program ends.",
                        folder,
                    )
            self._remember(ref, source, opened)
        return remark

    def with_source(
        self, ref: str | None, read: Callable[[Source], _Result], check: Check | None = None
    ) -> _Result:
        """Return what `read` makes of the files of a checkpoint; texts wait. Raises what `check` raises."""
        with self._turns.urgent():
            preload_torch()
            return read(source_of(ref, None, check))

    def opened(self) -> dict[str, ModelFacts]:
        """Return the facts of the open checkpoints by their sources' refs, the most recently used last."""
        with self._turns.urgent():
            return {opened.ref: opened.checkpoint.facts for opened in self._opened.values()}

    def trace(
        self, request: TraceRequest, check: Check | None = None, progress: Progress | None = None
    ) -> TraceResult:
        """Encode the request's text and return its trace.

        `check` is called several times in each layer, `progress` after each. Where the device has too little
        memory it runs on the CPU, and a notice says so. Raises TextError, SelectionError and
        InterventionError for interventions that cannot be made, DeviceError, CheckpointError, or whatever
        `check` raises.
        """
        with self.using(request.ref, check) as opened:
            device = find_device(request.device, self._devices or self.devices())
            started = time.perf_counter()
            tokens = opened.checkpoint.tokens(request.text, request.pair, request.edits)
            trace, ran_on = opened.record(tokens, device, check, request.edits, progress)
            seconds = time.perf_counter() - started
        checkpoint = opened.checkpoint
        noticed: list[str] = []
        if ran_on.name != device.name:
            noticed.append(
                Message("{0} has too little memory left: the {1} did it instead.", device.label, ran_on.label)
            )
        if ran_on.dtype != "float32":
            noticed.append(Message("Analyses, Steps and predictions compute in float32."))
        noticed += notices(tokens, checkpoint.facts, checkpoint.tokenizer.max_tokens)
        noticed += [
            Message(
                "The reference text is too long for this model: means are taken over its first {0} tokens.",
                f"{len(reference):,}",
            )
            for reference in map(checkpoint.tokens, request.edits.references)
            if reference.n_left_out
        ]
        return TraceResult(request, trace, checkpoint.facts, ran_on, seconds, tuple(noticed))

    def details(
        self, request: TraceRequest, trace: Trace, layer: int, check: Check = lambda: None
    ) -> LayerDetails:
        """Return all numbers that one layer computed for `trace`, the result of `request`.

        Raises SelectionError for a layer that does not exist, and what `with_model` raises.
        """
        return self.with_model(request, trace, lambda model: model.layer_details(trace, layer), check)

    def predict(
        self,
        request: TraceRequest,
        trace: Trace,
        positions: Sequence[int] | None = None,
        top: int | None = None,
        check: Check = lambda: None,
    ) -> Predictions:
        """Return the predictions of the checkpoint's task heads for `trace`, the result of `request`.

        They are probabilities. For each of `positions` (None: the masked tokens) they have the `top`
        likeliest pieces (None: `predictions.TOP`). Raises SelectionError for a position that the trace does
        not have, and what `with_model` raises.
        """
        from bertviz_app.analysis.predictions import TOP
        from bertviz_app.analysis.probing.predictions import predict

        most = TOP if top is None else top
        return self.with_model(request, trace, lambda model: predict(model, trace, positions, most), check)

    def why_cut(
        self, ref: str | None, tokens: Tokens, position: int, check: Check | None = None
    ) -> WhyCut | None:
        """Return how the word of a token became its pieces, None where its tokenizer does not show it.

        Raises as `load`.
        """
        with self.using(ref, check) as opened:
            return opened.checkpoint.tokenizer.why_cut(tokens, position)

    def with_model(
        self, request: TraceRequest, trace: Trace, work: Callable[[ModelAccess], _Result], check: Check
    ) -> _Result:
        """Return what `work` returns for the model that made `trace`, the result of `request`.

        The model computes in float32, also where the trace is of bfloat16. Each forward pass of `work` waits
        until no text waits to be encoded, and calls `check` several times in each layer.
        If the device has too little memory, `work` runs again on the CPU. Raises CheckpointError if the
        checkpoint is not the one of the trace, DeviceError, or whatever `check` or `work` raises.
        """
        with self.using(request.ref, check) as opened:
            opened.validate(trace)
        from bertviz_app.analysis.model_access import ModelAccess

        def run(device: Device) -> _Result:
            turn, edits = self._turns.patient, trace.edits
            with turn():
                encoder, references = opened.encoder_on(device.name), opened.references(edits, device)
            return work(ModelAccess(opened.checkpoint, encoder, edits, references, turn, check))

        device = find_device(device_name(request.device, "float32"), self._devices or self.devices())
        message = Message("There is not enough memory for this analysis of {0} tokens.", trace.n_tokens)
        error = DeviceError(message, Message("Give a shorter text, or choose a smaller checkpoint."))
        return opened.run_on(device, run, error)[0]

    def analyse(
        self, request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        """Return the result of an analysis of `trace`, the result of `request.run`.

        An analysis that needs only the trace does not wait for the engine. `other` is the second run, for
        analyses that compare two. Raises AnalysisError if the analysis is not possible for this model, and
        what `with_model` raises.
        """
        from bertviz_app.analysis.catalogue import find_analysis
        from bertviz_app.analysis.entry import OF_THE_MODEL, Inputs

        analysis = find_analysis(request.key)

        def run(model: ModelAccess | None) -> Result:
            task_heads = () if model is None else model.task_heads
            if (refusal := analysis.refusal(trace, task_heads, other)) is not None:
                raise refusal
            result: Result = analysis(Inputs(trace, model, other), request.parameters, reporter)
            return result

        if not (analysis.needs & OF_THE_MODEL and trace.has_states):
            return run(None)
        return self.with_model(request.run, trace, run, reporter.check)

    def parameters(
        self, ref: str | None, trace: Trace | None = None, check: Check | None = None
    ) -> ModelParameters:
        """Return the parameters of the checkpoint that `ref` names, with access to their numbers.

        Raises CheckpointError if `trace` is given and was not made by it, or whatever `check` raises.
        """
        with self.using(ref, check) as opened:
            if trace is not None:
                opened.validate(trace)
            return opened.parameters

    def mask(self, ref: str | None) -> str | None:
        """Return the mask token of the checkpoint's tokenizer, None where it has none."""
        with self.using(ref) as opened:
            found = opened.checkpoint.tokenizer.mask
        return None if found is None else found[0]

    def tokens(self, ref: str | None, text: str, pair: str | None = None) -> Tokens:
        """Return the tokens of a text without encoding it. Raises TextError."""
        with self.using(ref) as opened:
            return opened.checkpoint.tokens(text, pair)

    @contextmanager
    def using(self, ref: str | None, check: Check | None = None) -> Iterator[OpenedCheckpoint]:
        """Yield the checkpoint that `ref` names, opened if it is not, while nobody else uses the engine."""
        with self._turns.urgent():
            if check is not None:
                check()  # it may have waited long for the engine
            key = self._keys.get(ref)
            if key is not None and key in self._opened:
                self._opened.move_to_end(key)
                yield self._opened[key]
            else:
                yield self._open(ref, None, check)

    def _open(self, ref: str | None, progress: Progress | None, check: Check | None) -> OpenedCheckpoint:
        preload_torch()
        source = source_of(ref, progress, check)
        answers = self._unsaved.get(source.folder, NO_ANSWERS)
        opened = self._opened.get(_key(source, answers))
        return self._remember(ref, source, opened or self._load(source, progress, check, answers))

    def _load(
        self, source: Source, progress: Progress | None, check: Check | None, answers: Answers
    ) -> OpenedCheckpoint:
        from bertviz_app.checkpoint.loader import open_checkpoint

        self._make_room(source.n_bytes)
        checkpoint = open_checkpoint(source, progress, check, answers)
        opened = OpenedCheckpoint(checkpoint, source.ref, self._memories)
        self._make_room(opened.n_bytes)  # numbers of 16 bits take twice the space of the file
        return opened

    def _remember(self, ref: str | None, source: Source, opened: OpenedCheckpoint) -> OpenedCheckpoint:
        key = _key(source, self._unsaved.get(source.folder, NO_ANSWERS))
        for other in [other for other in self._opened if other[0] == key[0]]:
            del self._opened[other]  # of an older state of its files
        self._opened[key] = opened
        # The default checkpoint is found by its name too, whatever else may have that name.
        self._keys |= dict.fromkeys((ref, source.name) if ref is None else (ref,), key)
        self._keys = {name: key for name, key in self._keys.items() if key in self._opened}
        return opened

    def _make_room(self, n_bytes: int) -> None:
        """Release those used longest ago until `n_bytes` more are within the limit, or none is left."""
        most = self.memory_limit - n_bytes
        while self._opened and sum(one.n_bytes for one in self._opened.values()) > most:
            self._opened.popitem(last=False)


def _key(source: Source, answers: Answers) -> _Key:
    """Return a key for the state of a checkpoint's files: once they change, it is opened again."""
    parts = parts_of(source.folder, source.weights, answers.over(saved_answers(source.folder)))
    saved = [path for folder in (source.folder, parts.model) if (path := saved_answers_file(folder))]
    stated = [parts.config] if parts.config.exists() else []  # weights alone have none
    files = dict.fromkeys((*stated, parts.weights, *weight_files(parts.weights), *parts.files, *saved))
    return parts.adapter or parts.weights, tuple(file.stat().st_mtime_ns for file in files)


def intervention_outcomes(
    engine: Engine,
    request: TraceRequest,
    trace: Trace,
    other: Trace | None = None,
    check: Check = lambda: None,
) -> tuple[Outcome, ...]:
    """Return the outcomes before and after the interventions of `trace`; `other` is a second run.

    `trace` is the result of `request`. Each forward pass waits until no text waits to be encoded. Raises what
    `Engine.with_model` raises.
    """

    def work(model: ModelAccess) -> tuple[Outcome, ...]:
        from bertviz_app.analysis.probing.interventions import outcomes

        return outcomes(trace, model, other)

    return engine.with_model(request, trace, work, check)


def rounding(engine: Engine, request: TraceRequest, trace: Trace, check: Check = lambda: None) -> float:
    """Return how far a weight of `trace`, the answer to `request`, is at most from that of float32.

    The text is encoded once more, in float32. Raises CheckpointError if the checkpoint is no longer the one
    of the trace, what `Engine.trace` raises, or whatever `check` raises.
    """
    from bertviz_app.analysis.compare import largest_difference

    exact = engine.trace(replace(request, device=device_name(request.device, "float32")), check)
    if exact.trace.fingerprint != trace.fingerprint:
        raise of_another(exact.facts)
    return largest_difference(trace, exact.trace, check)
