"""`Model`: an open checkpoint, which encodes and analyses texts; `open_model` opens one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from bertviz_app.analysis.predictions import (
    TOP,
    Predictions,
)
from bertviz_app.analysis.reporter import SILENT
from bertviz_app.api.analysing import AnalysingModel
from bertviz_app.api.answers import as_answers, as_progress
from bertviz_app.api.arguments import as_device, as_dtype, as_edits, as_numbers, as_ref, as_texts
from bertviz_app.api.batches import BatchModel, warn_of_truncation
from bertviz_app.api.corpus import CorpusModel
from bertviz_app.api.parameters import ParameterModel
from bertviz_app.api.predicting import PredictingModel
from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.checkpoint.questions import GivenAnswers
from bertviz_app.checkpoint.sources.find import list_sources
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.errors import Message, SelectionError
from bertviz_app.inference.devices import Device, device_name, find_device
from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK
from bertviz_app.text.interventions import Intervention
from bertviz_app.text.summary import facts_html
from bertviz_app.trace import Trace
from bertviz_app.trace.argument import as_trace
from bertviz_app.trace.indexing import as_number
from bertviz_app.trace.logits import Logits
from bertviz_app.types import Check, Progress

if TYPE_CHECKING:
    import torch


class Model(PredictingModel, AnalysingModel, ParameterModel, BatchModel, CorpusModel):
    """An open checkpoint on a device: turns texts into tokens and traces, and analyses these.

    Attributes
    ----------
    device : Device
        Where it computes.
    facts : ModelFacts
        Its family, sizes, task heads, files, and remarks on what is unusual about it.
    """

    def __init__(self, engine: Engine, ref: str | None, device: Device, facts: ModelFacts) -> None:
        self._engine = engine
        self._ref = ref
        self.device = device
        self.facts = facts

    def __repr__(self) -> str:
        facts = self.facts
        return f"<Model {facts.name}: {facts.n_layers} layers x {facts.n_heads} heads on {self.device.name}>"

    def _repr_html_(self) -> str:
        facts = self.facts
        rows = [
            ("family", facts.family),
            ("sizes", f"{facts.n_layers} layers x {facts.n_heads} heads, width {facts.width}"),
            ("vocabulary", f"{facts.vocabulary_size:,} pieces"),
            ("longest input", f"{facts.n_positions:,} tokens"),
            ("task heads", ", ".join(facts.task_heads) or "none"),
            ("device", self.device.label),
        ]
        rows += [("remark", remark) for remark in facts.remarks]
        return facts_html(f"Model {facts.name}", rows)

    def trace(
        self,
        text: str,
        pair: str | None = None,
        *,
        muted: Iterable[tuple[int, int]] = (),
        replaced: Mapping[int, str] | None = None,
        interventions: Iterable[Intervention] = (),
        prompt: str | None = None,
    ) -> Trace:
        """Return what the encoder computes of a text.

        Parameters
        ----------
        text, pair : str
            The text, or two texts that the encoder reads as one input.
        muted : iterable of (int, int)
            Heads, (layer, head), whose output is replaced by zeros.
        replaced : mapping of int to str
            By their position, the tokens that are read as another piece of the vocabulary, or as "[MASK]".
        interventions : iterable of Intervention
            A `HeadIntervention`, `TokenIntervention` or `CellIntervention` each; `muted` and `replaced` are
            short for the most common of them.
        prompt : str, optional
            The name of one of `facts.prompts`, which is written before the text.

        Returns
        -------
        Trace
            Every tensor of the forward pass; `trace.tokens.n_left_out` tokens did not fit.

        Warns
        -----
        TruncationWarning
            Where tokens did not fit. `encode` says so in its `notices` instead.

        Raises
        ------
        TextError
            For a text that cannot be encoded, an empty one among them.
        SelectionError
            For a head, a token or a prompt that does not exist.
        InterventionError
            Where two interventions contradict each other, or the checkpoint has nothing to intervene in.
        CheckpointError
            Where the numbers are not finite.
        DeviceError
            Where there is not enough memory.
        """
        found = self.encode(
            text, pair, muted=muted, replaced=replaced, interventions=interventions, prompt=prompt
        ).trace
        warn_of_truncation(found.tokens)
        return found

    def encode(  # noqa: PLR0913 - each is named by its callers
        self,
        text: str,
        pair: str | None = None,
        check: Check | None = None,
        *,
        muted: Iterable[tuple[int, int]] = (),
        replaced: Mapping[int, str] | None = None,
        interventions: Iterable[Intervention] = (),
        prompt: str | None = None,
    ) -> TraceResult:
        """Return the trace with the seconds it took, the device it ran on, and notices for people.

        Parameters
        ----------
        text, pair, muted, replaced, interventions, prompt
            As for `trace`.
        check : callable, optional
            Called several times in each layer; may raise to end the forward pass.

        Returns
        -------
        TraceResult
            The trace is its field `trace`. Raises as `trace`.
        """
        edits = as_edits(muted, replaced, interventions)
        text, pair = as_texts(text, pair)
        text = text if prompt is None else self.facts.with_prompt(text, prompt)
        return self._engine.trace(TraceRequest(self._ref, self.device.name, text, pair, edits), check)

    def logits(self, trace: Trace) -> Logits:
        """Return the logits of the checkpoint's task heads for a `trace` of this model, before any softmax.

        Parameters
        ----------
        trace : Trace
            A run of this model.

        Returns
        -------
        Logits
            Float32; None for a task head that the checkpoint does not have.

        Raises
        ------
        CheckpointError
            For a trace of another model.
        DeviceError
            Where there is not enough memory.
        """
        trace, model = as_trace(trace, "model.logits(model.trace(text))"), self._engine.with_model
        return model(self._request(trace), trace, lambda model: model.logits(trace), SILENT.check)

    def predict(self, trace: Trace, positions: Sequence[int] | None = None, top: int = TOP) -> Predictions:
        """Return what all task heads of the checkpoint predict of a `trace` of this model.

        Parameters
        ----------
        trace : Trace
            A run of this model.
        positions : sequence of int, optional
            The tokens, masked or not, for which the likeliest pieces are named; by default the masked ones.
        top : int
            How many pieces are named at each of them, labels of a token, and answers.

        Returns
        -------
        Predictions
            Probabilities, from 0 to 1.

        Raises
        ------
        SelectionError
            For a position that the trace does not have, or a `top` below 1.
        CheckpointError, DeviceError
            As `logits`.
        """
        call = "model.predict(model.trace(text), [1, 2])"
        trace, positions = as_trace(trace, call), as_numbers(positions, "positions", call)
        if as_number(top, "top") < 1:
            message = Message("The {0} likeliest pieces cannot be named.", top)
            raise SelectionError(message, Message("Ask for 1 or more."))
        return self._engine.predict(self._request(trace), trace, positions, top)

    def with_own_mask(self, text: str, pair: str | None = None) -> tuple[str, str | None]:
        """Return the texts with [MASK] written as the tokenizer has it, such as <mask>.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        (str, str or None)

        Raises
        ------
        ArgumentError
            For what is no text.
        """
        text, pair = as_texts(text, pair)
        mask = self._engine.mask(self._ref) or MASK
        return text.replace(MASK, mask), None if pair is None else pair.replace(MASK, mask)

    def tokens(self, text: str, pair: str | None = None) -> Tokens:
        """Return the tokens without encoding them.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        Tokens

        Raises
        ------
        TextError
            For a text that the tokenizer cannot read.
        ArgumentError
            For what is no text.
        """
        return self._engine.tokens(self._ref, *as_texts(text, pair))

    def _request(self, trace: Trace) -> TraceRequest:
        """Return the request whose result is `trace`."""
        tokens = trace.tokens
        return TraceRequest(self._ref, self.device.name, tokens.text, tokens.pair)


def open_model(
    ref: str | PathLike[str] | None = None,
    device: str | torch.device = "auto",
    progress: Progress | None = None,
    *,
    dtype: str | torch.dtype = "float32",
    **answers: Unpack[GivenAnswers],
) -> Model:
    """Return a checkpoint, ready to encode.

    Parameters
    ----------
    ref : str or path, optional
        A folder, a name that `list_models` gives, or a model of the hub ("org/name"), which is downloaded if
        it is not on this computer; by default the checkpoint that comes with the program.
    device : str or torch.device
        "auto", "cpu", "cuda", "cuda:1" or "mps".
    progress : callable, optional
        Called with the bytes read and the bytes in all.
    dtype : str or torch.dtype
        "float32" or "bfloat16", in which the layers multiply when a text is encoded; traces hold float32 and
        name it in `provenance.dtype`. Analyses, predictions and measures of a corpus compute in float32.
    **answers : n_heads, norm_eps, lower_case, positions and others, optional
        What the files of a model written in a notebook leave open; stored beside it. `positions`, of position
        embeddings that are not stored: "textbook" for the sines and cosines of Vaswani et al. 2017, "columns"
        for those of pos / 10000^(2 column / width), or "none". Of a `torch.nn.TransformerEncoder`:
        `norm_first`, `activation`, and `scales_tokens` where token embeddings are multiplied by the square
        root of their width. Of a model of one's own: `parts`, a dictionary of the names of its tensors and
        the parts that they are, or a JSON file of it; `sample_deviation`, `transposed`, `lone_norm`,
        `first_segment` and `score_scale`, as "Open your own BERT" in the documents has them. Of task heads:
        `classifier_reads` ("pooled", "first", "mean", "max" or "none"), `classifier_activation` between dense
        layers, `labels` of the classes, and `follows`, the output for next sentences that says "it follows".

        Of any model: `adapter`, whether an adapter beside the weights is added to them; `base`, the
        checkpoint that an adapter is added to; `lora_alpha`, the numerator of the scale of a LoRA among the
        weights, 0 where they hold it already; `tokenizer`, a folder with the tokenizer that the model was
        trained with, "" for the checkpoint's own; `links`, True to allow links that lead out of the folder.

    Returns
    -------
    Model
        The texts that it is given are encoded on `device`.

    Raises
    ------
    CheckpointError, HubError, FileError
        Where it cannot be found or read.
    DeviceError
        For a device that does not exist, or does not compute in `dtype`.
    ArgumentError
        For arguments of another type or name.
    """
    engine, ref, progress = Engine(), as_ref(ref), as_progress(progress, "open_model")
    given = as_answers(answers)
    found = find_device(device_name(as_device(device), as_dtype(dtype)))
    if given:
        engine.answer(ref, given, progress)
    facts = engine.load(ref, progress)
    return Model(engine, ref, found, facts)


def list_models() -> list[Source]:
    """Return the checkpoints that can be opened on this computer, damaged ones with their `problem`.

    Returns
    -------
    list of Source
        The bundled ones first, then those that were installed, trained here, and downloaded from the hub. The
        `ref` of each opens it.
    """
    return list_sources()
