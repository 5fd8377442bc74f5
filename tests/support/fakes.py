"""Stand-ins for the engine, its parameters and the worker that do as the test says."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import OF_THE_MODEL
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.predictions import (
    Classes,
    Filler,
    Filling,
    Label,
    NextSentence,
    Predictions,
    Suspect,
)
from bertviz_app.analysis.results import Result
from bertviz_app.checkpoint.parameters import LinearProduct, ParameterTable, StoredParameter
from bertviz_app.checkpoint.questions import Answers, AnswersError, ModelFacts, of_another
from bertviz_app.errors import AppError, Cancelled, Check, DeviceError, Message, Progress, TextError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, TraceResult
from bertviz_app.inference.jobs import JobOutcome, Jobs
from bertviz_app.inference.model_parameters import ModelParameters
from bertviz_app.inference.opened_checkpoint import Device, device_name, dtype_of
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, with_edits
from bertviz_app.text.tokens import SPECIAL, validate
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import Identity, Provenance
from bertviz_app.types import Floats
from bertviz_app.viewmodels.export import Runs
from tests.support.factories import make_trace, random_trace

WIDTH, N_LAYERS, VOCABULARY = 24, 2, 300


class FakeParameters(ModelParameters):
    """A table of embeddings, and a matrix and a bias of the queries in each layer; a seed draws them."""

    def __init__(self, seed: int = 0, width: int = WIDTH) -> None:
        entries = [StoredParameter("embeddings.token.weight", "t.w", (VOCABULARY, WIDTH), "embeddings")]
        for layer in range(N_LAYERS):
            key, name = f"layers.{layer}.attention.query", f"{layer}.q"
            shape = width, WIDTH
            at = (layer,)
            entries += [
                StoredParameter(f"{key}.weight", f"{name}.w", shape, "attention", at, is_linear=True),
                StoredParameter(f"{key}.bias", f"{name}.b", (width,), "attention", at),
            ]
        self.table = ParameterTable(entries)
        random = np.random.default_rng(seed)
        self._values = {entry.key: random.normal(size=entry.shape).astype(np.float32) for entry in entries}

    def values(self, name: str) -> Floats:
        return self._values[self.table.find(name).key]

    def row_name(self, name: str) -> Callable[[int], str] | None:
        return (lambda row: f"piece{row}") if name == "embeddings.token.weight" else None

    def product(
        self, trace: Trace, name: str, token: int, output: int, layer: int | None = None
    ) -> LinearProduct:
        """Return the product with the hidden state that the layer reads."""
        assert layer is not None
        inputs, weights = trace.hidden[layer, token], self.values(name)[output]
        bias = float(self.values(name.replace("weight", "bias"))[output])
        total = float(inputs @ weights) + bias
        return LinearProduct(name, layer, token, output, inputs, weights, bias, total)


EXPECTED = ("mouse", "bird", "dog", "fox", "cow", "hen", "pig", "ant", "bee", "owl")
CPU = Device("cpu", "CPU", Message("{0} threads", 2))
FACTS = ModelFacts(
    name="fake",
    family="BERT",
    n_layers=2,
    n_heads=3,
    width=24,
    vocabulary_size=100,
    n_positions=16,
    n_segments=2,
    n_parameters=1000,
    n_bytes=4000,
    origin="Made by hand.",
    has_pooler=True,
)


@dataclass(frozen=True)
class Held:
    """Work that was submitted and waits for the test."""

    slot: str
    work: Callable[[Check], Any]
    done: Callable[[JobOutcome], None]

    def run(self) -> None:
        """Do the work here and now, and tell how it ended."""
        try:
            value = self.work(lambda: None)
        except Cancelled:
            return
        except Exception as error:  # noqa: BLE001 - as the real worker
            self.done(JobOutcome(error=error))
        else:
            self.done(JobOutcome(value=value))


class HeldJobs(Jobs):
    """Runs nothing by itself; what was cancelled or is older can still be run, to come too late."""

    def __init__(self) -> None:
        super().__init__("held")
        self.submitted: list[Held] = []
        self.cancelled: list[str] = []

    def submit(self, slot: str, work: Callable[[Check], Any], done: Callable[[JobOutcome], None]) -> None:
        self.submitted.append(Held(slot, work, done))

    def cancel(self, slot: str) -> None:
        self.cancelled.append(slot)

    def of(self, slot: str) -> list[Held]:
        """Return what was submitted to a slot, oldest first."""
        return [held for held in self.submitted if held.slot == slot]

    def finish(self) -> None:
        """Run all that was submitted, and let it arrive."""
        for held in self.submitted:
            held.run()
        self.submitted.clear()
        QApplication.processEvents()


def runs_of(*requests: TraceRequest) -> Runs:
    """Return runs that were requested so, of numbers that nobody reads."""
    return Runs(*(TraceResult(request, make_trace(2), FACTS, CPU, 0.0, ()) for request in requests))


class FakeEngine(Engine):
    """Splits at spaces, keeps `n_positions` tokens, and makes a random trace of them."""

    def __init__(self) -> None:
        super().__init__()
        self.forget()

    def forget(self) -> None:
        """Be as at first: no requests, no errors, no task heads."""
        self.requests: list[TraceRequest] = []
        self.task_heads: tuple[str, ...] = ()
        self.predicted: list[tuple[str, tuple[int, ...]]] = []
        """The texts and positions that predictions were asked for."""
        self.errors: dict[str | None, Exception] = {}
        """A checkpoint's name, or a text -> what using it raises."""
        self.in_memory: dict[str, ModelFacts] = {}
        self.answered: list[tuple[str | None, Answers]] = []
        self.fetched: list[str | None] = []
        self.remark = ""
        """What is said of where answers are kept."""
        self.seconds = 0.012
        """What a pass takes."""

    def devices(self) -> tuple[Device, ...]:
        return (CPU,)

    def load(
        self, ref: str | None = None, progress: Progress | None = None, check: Check | None = None
    ) -> ModelFacts:
        if ref in self.errors:
            raise self.errors[ref]
        if progress is not None:
            progress(1, 2)
        return replace(FACTS, name=ref or FACTS.name, identity=identity_of(ref), ref=ref or "/models/fake")

    def opened(self) -> dict[str, ModelFacts]:
        return self.in_memory

    def answer(
        self, ref: str | None, answers: Answers, progress: Progress | None = None, check: Check | None = None
    ) -> str:
        error = self.errors.get(ref)
        if error is not None and not isinstance(error, AnswersError):
            raise error
        if progress is not None:
            progress(1, 2)
        self.errors.pop(ref, None)
        self.answered.append((ref, answers))
        return self.remark

    def fetch(self, ref: str | None, progress: Progress | None = None, check: Check | None = None) -> None:
        self.fetched.append(ref)
        if progress is not None:
            progress(1, 4)

    def parameters(
        self, ref: str | None, trace: Trace | None = None, check: Check | None = None
    ) -> ModelParameters:
        if ref in self.errors:
            raise self.errors[ref]
        return FakeParameters(sum(map(ord, ref or "")))

    def trace(
        self, request: TraceRequest, check: Check | None = None, progress: Progress | None = None
    ) -> TraceResult:
        self.requests.append(request)
        if request.text in self.errors:
            raise self.errors[request.text]
        if device_name(request.device, "float32") not in {"auto", "cpu"}:
            raise DeviceError(f"This computer has no device “{request.device}”.", "It has: cpu.")
        validate(request.text)
        if request.pair is not None:
            validate(request.pair, "pair")
        edits = request.edits
        tokens = with_edits(tokens_of(request.text, request.pair), edits, _piece)
        words = "{0} tokens were left out: this model reads at most {1}."
        left_out = Message(words, tokens.n_left_out, FACTS.n_positions)
        notices = (left_out,) if tokens.n_left_out else ()
        seed = sum(1 + 7 * layer + head for layer, head in edits.muted)
        identity = identity_of(request.ref)
        dtype = dtype_of(request.device)
        provenance = Provenance(identity, "fake", edits.replaced, edits.tokens, dtype)
        trace = replace(
            random_trace(tokens, seed=seed),
            muted=edits.muted,
            heads=edits.heads,
            cells=edits.cells,
            provenance=provenance,
        )
        facts = replace(
            FACTS, task_heads=self.task_heads, identity=identity, ref=request.ref or "/models/fake"
        )
        device = CPU if dtype == "float32" else CPU.in_bfloat16()
        for layer in range(trace.n_layers if progress is not None else 0):
            assert progress is not None
            progress(layer + 1, trace.n_layers)
        return TraceResult(request, trace, facts, device, self.seconds, notices)

    def predict(
        self,
        request: TraceRequest,
        trace: Trace,
        positions: Sequence[int] | None = None,
        top: int | None = None,
        check: Check | None = None,
    ) -> Predictions:
        self.predicted.append((request.text, tuple(positions or ())))
        if "predictions" in self.errors:
            raise self.errors["predictions"]
        return predictions_of(trace.tokens, tuple(positions or ()), self.task_heads)

    def analyse(
        self, request: AnalysisRequest, trace: Trace, reporter: Reporter, other: Trace | None = None
    ) -> Result:
        if find_analysis(request.key).needs & OF_THE_MODEL:
            raise of_another(FACTS)
        return super().analyse(request, trace, reporter, other)


def identity_of(ref: str | None) -> Identity:
    """Return the identity of the fake checkpoint at `ref`."""
    return Identity(f"weights of {ref}", f"tokenizer of {ref}")


def predictions_of(tokens: Tokens, positions: tuple[int, ...], heads: tuple[str, ...]) -> Predictions:
    """Return what `heads` might say: the pieces in each place are the EXPECTED, what is written the third."""
    fillings = tuple(_filling(tokens, position) for position in positions)
    labels = tuple(Label(name, share) for name, share in (("good", 0.75), ("so so", 0.15), ("bad", 0.1)))
    suspects = tuple(Suspect(at, piece, 1 / (2 + at)) for at, piece in enumerate(tokens.pieces))
    has_pair = "next_sentence" in heads and tokens.pair is not None
    return Predictions(
        fillings=fillings if "masked" in heads else (),
        next_sentence=NextSentence(0.875, is_order=False) if has_pair else None,
        classes=Classes("single_label_classification", labels) if "classes" in heads else None,
        replaced=suspects if "replaced" in heads else (),
    )


def _filling(tokens: Tokens, position: int) -> Filling:
    fillers = tuple(
        Filler(piece, number, 0.5**rank, rank)
        for rank, (number, piece) in enumerate(enumerate(EXPECTED, start=50), start=1)
    )
    return Filling(position, tokens.pieces[position] == MASK, fillers, fillers[2])


def tokens_of(text: str, pair: str | None = None, most: int = FACTS.n_positions) -> Tokens:
    """Return the words of the texts between special tokens, cut to `most` tokens."""
    words = [("[CLS]", SPECIAL, 0, 0), *_words(text, 0), ("[SEP]", SPECIAL, 0, 0)]
    if pair is not None:
        words += [*_words(pair, 1), ("[SEP]", SPECIAL, 1, 0)]
    read = words[: most - 1] + words[-1:] if len(words) > most else words
    positions = np.arange(len(read), dtype=np.int32)
    return Tokens(
        text=text,
        pair=pair,
        pieces=tuple(word for word, _, _, _ in read),
        ids=100 + positions,
        segment_ids=np.array([segment for _, _, segment, _ in read], np.int32),
        position_ids=positions,
        sentences=np.array([sentence for _, sentence, _, _ in read], np.int32),
        words=positions.copy(),
        spans=np.array(
            [(first, first + len(word)) if sentence >= 0 else (0, 0) for word, sentence, _, first in read],
            np.int32,
        ),
        n_left_out=len(words) - len(read),
    )


def _words(text: str, sentence: int) -> list[tuple[str, int, int, int]]:
    """Return (word, sentence, segment, first character) of each word."""
    return [(found.group(), sentence, sentence, found.start()) for found in re.finditer(r"\S+", text)]


def _piece(given: str) -> tuple[str, int]:
    if given == "nonsense":
        raise TextError("“nonsense” is no piece of this model's vocabulary.", "Give one piece.")
    return given, 7


def problem_of(message: str) -> AppError:
    return AppError(message, "Do something else.")


def wait_for(event: threading.Event) -> None:
    """Hold the worker that calls this until `event` is set."""
    assert event.wait(120)
