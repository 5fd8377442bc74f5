"""The program without a screen: `open_model(ref).trace(text)`. Loads no Qt."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bertviz_app.analysis.compare import Compared, compare
from bertviz_app.analysis.measures import MEASURES, head_measures
from bertviz_app.analysis.predictions import (
    TOP,
    Classes,
    Filling,
    NextSentence,
    Predictions,
    Suspect,
    lacking,
)
from bertviz_app.checkpoint.config.answers import Answers
from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.checkpoint.sources.find import list_sources
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import SelectionError, TextError
from bertviz_app.inference.devices import Device, find_device, training_memory
from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.inference.opened_base import open_base
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.logits import Logits
from bertviz_app.training.finetuning.settings import Judged, TuningListener, TuningSettings, TuningStep
from bertviz_app.training.pretraining.settings import (
    HeldOut,
    Listener,
    PretrainingSettings,
    Silent,
    StepReport,
)
from bertviz_app.types import Check, Progress

__all__ = [
    "MEASURES",
    "Classes",
    "Compared",
    "Filling",
    "HeldOut",
    "Judged",
    "LayerDetails",
    "Listener",
    "Logits",
    "Model",
    "NextSentence",
    "Predictions",
    "PretrainingSettings",
    "Source",
    "StepReport",
    "Suspect",
    "Tokens",
    "Trace",
    "TuningListener",
    "TuningSettings",
    "TuningStep",
    "compare",
    "finetune",
    "head_measures",
    "list_models",
    "open_model",
    "pretrain",
]


class Model:
    """An open checkpoint on a device: turns texts into tokens and traces."""

    def __init__(self, engine: Engine, ref: str | None, device: Device, facts: ModelFacts) -> None:
        self._engine = engine
        self._ref = ref
        self.device = device
        self.facts = facts

    def __repr__(self) -> str:
        facts = self.facts
        return f"<Model {facts.name}: {facts.n_layers} layers x {facts.n_heads} heads on {self.device.name}>"

    def trace(
        self,
        text: str,
        pair: str | None = None,
        *,
        muted: Iterable[tuple[int, int]] = (),
        replaced: Mapping[int, str] | None = None,
    ) -> Trace:
        """Return what the encoder does with `text`, or with `text` and `pair` as one input.

        The heads `muted`, each (layer, head), hand over nothing. `replaced` says which tokens, by their
        position, are read as another piece of the vocabulary, or as "[MASK]".
        `trace.tokens.n_left_out` counts the tokens that did not fit. Raises TextError for a text (an
        empty one, too) that cannot be encoded, CheckpointError where the numbers are not finite,
        DeviceError where there is no memory, SelectionError for a head that does not exist.
        """
        return self.encode(text, pair, muted=muted, replaced=replaced).trace

    def encode(
        self,
        text: str,
        pair: str | None = None,
        check: Check | None = None,
        *,
        muted: Iterable[tuple[int, int]] = (),
        replaced: Mapping[int, str] | None = None,
    ) -> TraceResult:
        """Return the trace with the seconds it took, the device it ran on, and notices for people.

        `check` is called between layers and may raise to end it. Raises as `trace`.
        """
        edits = Edits(tuple(sorted(set(muted))), tuple(sorted((replaced or {}).items())))
        return self._engine.trace(TraceRequest(self._ref, self.device.name, text, pair, edits), check)

    def details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return what one layer of a `trace` of this model computed between attention and output.

        Raises SelectionError for a layer that does not exist, CheckpointError for another model's trace.
        """
        tokens = trace.tokens
        request = TraceRequest(self._ref, self.device.name, tokens.text, tokens.pair)
        return self._engine.details(request, trace, layer)

    def logits(self, trace: Trace) -> Logits:
        """Return what the checkpoint's task heads say to a `trace` of this model, before any softmax.

        Heads that the checkpoint lacks are None. Raises CheckpointError for another model's trace,
        DeviceError where there is no memory.
        """
        tokens = trace.tokens
        request = TraceRequest(self._ref, self.device.name, tokens.text, tokens.pair)
        return self._engine.logits(request, trace)

    def predict(self, trace: Trace, positions: Sequence[int] | None = None, top: int = TOP) -> Predictions:
        """Return what all heads of the checkpoint say to a `trace` of this model, as probabilities.

        A head for masked tokens names the `top` likeliest pieces at each of `positions`, masked or not;
        None: wherever the trace has the mask. Raises SelectionError for a position that the trace does not
        have or a `top` below 1, and else as `logits`.
        """
        if top < 1:
            raise SelectionError(f"The {top} likeliest pieces cannot be named.", "Ask for 1 or more.")
        tokens = trace.tokens
        request = TraceRequest(self._ref, self.device.name, tokens.text, tokens.pair)
        return self._engine.predict(request, trace, positions, top)

    def fill_mask(
        self, text: str, pair: str | None = None, position: int | None = None, top: int = TOP
    ) -> tuple[Filling, ...]:
        """Return the `top` likeliest pieces for each [MASK] in the texts (Devlin et al. 2019, section 3.1).

        With `position` that token is masked and alone asked for. Raises TextError where nothing is masked
        or the token cannot be, CheckpointError for a checkpoint without such a head, and else as `trace`.
        """
        self._judge_head("masked")
        replaced = {} if position is None else {position: MASK}
        trace = self.trace(*self.with_own_mask(text, pair), replaced=replaced)
        found = self.predict(trace, None if position is None else [position], top).fillings
        if not found:
            hint = f"Write {MASK} in it, or give the position of a token."
            raise TextError("There is no masked token in the text.", hint)
        return found

    def next_sentence(self, text: str, pair: str) -> NextSentence:
        """Return the probability that `pair` follows `text` (Devlin et al. 2019, section 3.1).

        ALBERT tells whether the two stand in their order. Raises CheckpointError for a checkpoint without
        such a head, and else as `trace`.
        """
        self._judge_head("next_sentence")
        found = self.predict(self.trace(text, pair), []).next_sentence
        assert found is not None
        return found

    def classify(self, text: str, pair: str | None = None) -> Classes:
        """Return the labels of a text, or of two, with their probabilities (Devlin et al. 2019, section 4.1).

        `problem` tells whether one label holds, or any of them, or whether it is a number that is predicted.
        Raises CheckpointError for a checkpoint without a classifier of texts, and else as `trace`.
        """
        self._judge_head("classes")
        found = self.predict(self.trace(text, pair), []).classes
        assert found is not None
        return found

    def replaced_tokens(self, text: str, pair: str | None = None) -> tuple[Suspect, ...]:
        """Return of each token the probability that it was replaced (Clark et al. 2020, arXiv:2003.10555).

        Raises CheckpointError for a checkpoint that is no discriminator, and else as `trace`.
        """
        self._judge_head("replaced")
        return self.predict(self.trace(text, pair), []).replaced

    def with_own_mask(self, text: str, pair: str | None = None) -> tuple[str, str | None]:
        """Return the texts with [MASK] written as the tokenizer has it, such as <mask>."""
        mask = self._engine.mask(self._ref) or MASK
        return text.replace(MASK, mask), None if pair is None else pair.replace(MASK, mask)

    def _judge_head(self, head: str) -> None:
        if head not in self.facts.task_heads:
            raise lacking(self.facts.name, head, self.facts.task_heads)

    def tokens(self, text: str, pair: str | None = None) -> Tokens:
        """Return the tokens without encoding them. Raises TextError."""
        return self._engine.tokens(self._ref, text, pair)


def open_model(
    ref: str | None = None,
    device: str = "auto",
    progress: Progress | None = None,
    *,
    n_heads: int | None = None,
    norm_eps: float | None = None,
    lower_case: bool | None = None,
) -> Model:
    """Return the checkpoint that `ref` names, ready to encode.

    `ref` is a folder, a name that `list_models` gives, or a model of the hub ("org/name"), which is
    downloaded if it is not on this computer; None opens the default one. `device` is "auto", "cpu",
    "cuda", "cuda:1" or "mps". `progress` is told bytes done and in all. `n_heads`, `norm_eps` and
    `lower_case` say of a model written in a notebook what its files leave open; they are kept beside it.
    Raises CheckpointError, HubError, DeviceError, FileError.
    """
    engine = Engine()
    place = find_device(device)
    answers = Answers(n_heads, norm_eps, lower_case)
    if answers:
        engine.answer(ref, answers, progress)
    facts = engine.load(ref, progress)
    return Model(engine, ref, place, facts)


def list_models() -> list[Source]:
    """Return the checkpoints that can be opened on this computer, damaged ones with their `problem`."""
    return list_sources()


def pretrain(
    files: Sequence[str | Path],
    out: str | Path,
    settings: PretrainingSettings,
    listener: Listener | None = None,
    device: str = "auto",
    *,
    resume: bool = False,
    command: str = "",
) -> HeldOut:
    """Train a BERT on UTF-8 texts (Devlin et al. 2019, section 3.1), and return how it does on held-out ones.

    A blank line separates the documents of a file. The folder `out` is a checkpoint for `open_model`, in
    Hugging Face's layout, with its model card. `settings` has the sizes and the end, which must be given:
    `PretrainingSettings(steps=1000)`. `listener` is told of each step and may raise Cancelled; `resume` goes
    on with what was stopped. `command` is what the card says the model was made by. Raises TrainingError,
    FileError, DeviceError.
    """
    place = find_device(device)
    from bertviz_app.training.pretraining import run as pretraining

    paths = [Path(file) for file in files]
    with training_memory():
        return pretraining.pretrain(
            paths, Path(out), settings, listener or Silent(), place.name, resume=resume, command=command
        )


def finetune(
    ref: str | None,
    data: str | Path,
    out: str | Path,
    settings: TuningSettings | None = None,
    listener: TuningListener | None = None,
    device: str = "auto",
    *,
    test: str | Path | None = None,
    resume: bool = False,
    command: str = "",
    progress: Progress | None = None,
) -> Judged:
    """Train a classifier on a BERT (Devlin et al. 2019, section 4.1), and return how it does on other rows.

    `ref` names the checkpoint to begin with, as for `open_model`; it stays as it is. `data`, and `test` by
    which the classifier is judged, are UTF-8 tables of tab-separated columns: label, text and, of pairs,
    text_b; without `test` a share of the rows is kept out of the training. `progress` is told bytes of the
    checkpoint read and in all; the rest is as for `pretrain`. Raises TrainingError, FileError,
    CheckpointError, HubError, DeviceError.
    """
    place = find_device(device)
    listener = listener or Silent()
    base = open_base(ref, progress, listener.check)
    from bertviz_app.training.finetuning import run as finetuning

    with training_memory():
        return finetuning.finetune(
            base,
            Path(data),
            Path(out),
            settings or TuningSettings(),
            listener,
            place.name,
            test=None if test is None else Path(test),
            resume=resume,
            command=command,
        )
