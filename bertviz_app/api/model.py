"""`Model`: an open checkpoint, which encodes and analyses texts; `open_model` opens one."""

from __future__ import annotations

import os
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from bertviz_app.analysis.catalogue import find_analysis
from bertviz_app.analysis.entry import OF_THE_MODEL, Inputs
from bertviz_app.analysis.parameters import SILENT, Reporter, read_parameters
from bertviz_app.analysis.predictions import (
    TOP,
    Answer,
    Classes,
    Filling,
    LabelledToken,
    NextSentence,
    Predictions,
    Suspect,
    lacking,
)
from bertviz_app.analysis.probing.interventions import Outcome
from bertviz_app.analysis.results import Result
from bertviz_app.api.analysis_keys import AnalysisKey, StudyKey
from bertviz_app.api.arguments import (
    OF_CORPORA,
    OF_MODELS,
    OF_STUDIES,
    as_answers,
    as_device,
    as_dtype,
    as_edits,
    as_key,
    as_many_texts,
    as_name,
    as_numbers,
    as_pair,
    as_progress,
    as_ref,
    as_texts,
    in_words_of_python,
)
from bertviz_app.api.corpora import Data, FilePath, files_of, reporting
from bertviz_app.api.of_transformers import is_model, is_tokenizer, saved
from bertviz_app.checkpoint.parameters import LinearProduct, ParameterTable
from bertviz_app.checkpoint.questions import GivenAnswers, ModelFacts
from bertviz_app.checkpoint.sources.source import Source, list_sources
from bertviz_app.errors import (
    AnalysisError,
    AppError,
    ArgumentError,
    Check,
    Message,
    Progress,
    SelectionError,
    TextError,
    TruncationWarning,
)
from bertviz_app.features.corpora.dossier import Dossier, DossierFile
from bertviz_app.features.corpora.process.measuring import CorpusJob, CorpusSettings
from bertviz_app.features.corpora.process.reading import CorpusTable, summarise
from bertviz_app.features.corpora.process.run import (
    CorpusListener,
    CorpusResult,
    Measurer,
    connected,
    open_alone,
    run_corpus,
)
from bertviz_app.features.corpora.process.studies import (
    InThisProcess,
    Job,
    KeyedStudy,
    StudyJob,
    StudySettings,
    study_files,
)
from bertviz_app.features.corpora.studies.catalogue import find_study
from bertviz_app.features.corpora.summary import CorpusSummary
from bertviz_app.inference.engine import (
    AnalysisRequest,
    Engine,
    TraceRequest,
    TraceResult,
    intervention_outcomes,
    notices_of_left_out,
)
from bertviz_app.inference.opened_checkpoint import (
    Device,
    OpenedCheckpoint,
    batches_of,
    device_name,
    find_device,
)
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASK, Intervention
from bertviz_app.text.tokens import facts_html
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.indexing import as_number, described
from bertviz_app.trace.provenance import LayerDetails, Logits
from bertviz_app.types import Floats

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedModel, PreTrainedTokenizerBase


_READ_AHEAD = 64
"""How many texts are read before the first of them is encoded, to find some of similar length."""
_TOKENS_AHEAD = 4096
"""The number of tokens after which no more texts are read: their traces are in memory together."""


class Model:
    """An open checkpoint on a device: turns texts into tokens and traces, and analyses these.

    Attributes
    ----------
    device : Device
        Where it computes.
    facts : ModelFacts
        Its family, sizes, task heads, files, and remarks on what is unusual about it.

    Raises
    ------
    ArgumentError
        By every method, for an argument of another type; the error names a correct call.
    CheckpointError
        For a trace of another model, a checkpoint without the task head, and numbers that are not finite.
    DeviceError
        Where there is not enough memory.
    """

    def __init__(self, engine: Engine, ref: str | None, device: Device, facts: ModelFacts) -> None:
        self._engine, self._ref, self.device, self.facts = engine, ref, device, facts

    @property
    def n_layers(self) -> int:
        """How many layers it has; `facts` has the other sizes."""
        return self.facts.n_layers

    @property
    def n_heads(self) -> int:
        """How many heads each layer has."""
        return self.facts.n_heads

    @property
    def engine(self) -> Engine:
        """What opened it: figures of its traces have more computed by it."""
        return self._engine

    def result_of(self, trace: Trace) -> TraceResult:
        """Return a `trace` of this model with its request, as `encode` does.

        Parameters
        ----------
        trace : Trace
            A run of this model.

        Returns
        -------
        TraceResult
            In no time, without notices.
        """
        request = replace(self._request(trace), edits=trace.edits)
        self._engine.with_model(request, trace, lambda _: None, SILENT.check)  # is it of this model?
        return TraceResult(request, trace, self.facts, self.device, 0.0, ())

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
        """
        return self._engine.tokens(self._ref, *as_texts(text, pair))

    def fill_mask(
        self, text: str, pair: str | None = None, position: int | None = None, top: int = TOP
    ) -> tuple[Filling, ...]:
        """Return the `top` likeliest pieces for each [MASK] in the texts.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.
        position : int, optional
            A token to mask; the pieces are named for it alone.
        top : int
            How many pieces are named.

        Returns
        -------
        tuple of Filling
            One for each masked token, in order; its probabilities are from 0 to 1, of the whole vocabulary.

        Raises
        ------
        TextError
            Where nothing is masked, or the token cannot be.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 3.1.
        """
        self._require("masked")
        replaced = {} if position is None else {position: MASK}
        trace = self.trace(*self.with_own_mask(text, pair), replaced=replaced)
        if not (found := self.predict(trace, None if position is None else [position], top).fillings):
            hint = Message("Write {0} in it, or give the position of a token.", MASK)
            raise TextError(Message("There is no masked token in the text."), hint)
        return found

    def next_sentence(self, text: str, pair: str) -> NextSentence:
        """Return the probability that `pair` follows `text`; of ALBERT, that the two stand in their order.

        Parameters
        ----------
        text, pair : str
            Two texts.

        Returns
        -------
        NextSentence
            Its probability is from 0 to 1.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 3.1; Lan et al. 2020, arXiv:1909.11942, section 3.1.
        """
        self._require("next_sentence")
        found = self.predict(self.trace(text, as_pair(pair)), []).next_sentence
        assert found is not None
        return found

    def classify(self, text: str, pair: str | None = None) -> Classes:
        """Return the labels of a text, or of two, with their probabilities.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        Classes
            The likeliest label first. `problem` says whether one label holds, with probabilities that sum to
            1, or any of them, or a number is predicted.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 4.1.
        """
        self._require("classes")
        found = self.predict(self.trace(text, pair), []).classes
        assert found is not None
        return found

    def replaced_tokens(self, text: str, pair: str | None = None) -> tuple[Suspect, ...]:
        """Return for each token the probability that it was replaced.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.

        Returns
        -------
        tuple of Suspect
            One for each token, special ones included, with a probability from 0 to 1.

        References
        ----------
        Clark et al. 2020, arXiv:2003.10555.
        """
        self._require("replaced")
        return self.predict(self.trace(text, pair), []).replaced

    def label_tokens(self, text: str, pair: str | None = None, top: int = TOP) -> tuple[LabelledToken, ...]:
        """Return for each token its `top` likeliest labels with their probabilities.

        Parameters
        ----------
        text, pair : str
            The texts, as for `trace`.
        top : int
            How many labels are named.

        Returns
        -------
        tuple of LabelledToken
            One for each token, with probabilities from 0 to 1. The labels of special tokens mean nothing: no
            checkpoint is trained on them.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, section 5.3.
        """
        self._require("token_labels")
        return self.predict(self.trace(text, pair), [], top).token_labels

    def answer(self, question: str, text: str, top: int = TOP) -> Answer:
        """Return the `top` likeliest answers to `question` within `text`, with their probabilities.

        Parameters
        ----------
        question, text : str
            The question, and the text in which the answer is looked for.
        top : int
            How many answers are named.

        Returns
        -------
        Answer
            Spans of `text` with probabilities from 0 to 1, and the probability that it has no answer.

        References
        ----------
        Devlin et al. 2019, arXiv:1810.04805, sections 4.2 and 4.3.
        """
        self._require("answer")
        found = self.predict(self.trace(question, text), [], top).answer
        assert found is not None
        return found

    def _require(self, task_head: str) -> None:
        """Raise CheckpointError if the checkpoint does not have this task head."""
        if task_head not in self.facts.task_heads:
            raise lacking(self.facts.name, task_head, self.facts.task_heads)

    def analyse(
        self,
        key: AnalysisKey | str,
        /,
        trace: Trace,
        other: Trace | None = None,
        *,
        reporter: Reporter | None = None,
        **parameters: object,
    ) -> Result:
        """Return the result of an analysis of the catalogue.

        Parameters
        ----------
        key : str
            Which analysis, such as "attention-rollout"; `bertviz_app.api.ANALYSES` has all of them.
        trace : Trace
            A run of this model. An analysis that needs the trace alone takes those of other models, too.
        other : Trace, optional
            The second run, for an analysis that compares two.
        reporter : Reporter, optional
            Receives the progress; its `check` may raise `Cancelled` to end the analysis.
        **parameters
            The analysis' own, as `ANALYSES` describes them; each has a default.

        Returns
        -------
        Result
            One of the kinds in `analysis.results`: `axes`, `arrays()["values"]`, `as_table()`.

        Raises
        ------
        AnalysisError
            For an unknown key or parameter, and for a model that the analysis cannot be applied to.

        References
        ----------
        The field `paper` of each entry.
        """
        call = f"model.analyse({as_key(key)!r}, model.trace(text))"
        request = AnalysisRequest.of(self._request(as_trace(trace, call)), key, parameters)
        other = None if other is None else as_trace(other, call)
        result = self._engine.analyse(request, trace, reporter or SILENT, other)
        result.remember(key, vars(request.parameters), (trace,) if other is None else (trace, other))
        return result

    def details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return what one layer of a `trace` of this model computed between attention and output.

        Parameters
        ----------
        trace : Trace
            A run of this model.
        layer : int
            From 0.

        Returns
        -------
        LayerDetails
            Its tensors, float32, read-only, most of them [T, D]; None where the layer has no such tensor.

        Raises
        ------
        SelectionError
            For a layer that does not exist.
        """
        trace = as_trace(trace, "model.details(model.trace(text), layer)")
        return self._engine.details(self._request(trace), trace, as_number(layer, "layer"))

    def outcomes(self, trace: Trace, other: Trace | None = None) -> tuple[Outcome, ...]:
        """Return what the interventions of a trace change: each number without and with them.

        Parameters
        ----------
        trace : Trace
            A run with interventions.
        other : Trace, optional
            A second run, with whose vector the cosine is measured.

        Returns
        -------
        tuple of Outcome
            By the task heads of the checkpoint: the likeliest pieces of masked tokens, next sentence and
            classes, as probabilities from 0 to 1; and the cosine, from -1 to 1, of the vector that stands
            for the text with the one before. Without interventions both numbers of each are the same.
        """
        call = "model.outcomes(model.trace(text, muted=[(0, 1)]))"
        trace = as_trace(trace, call)
        other = None if other is None else as_trace(other, call)
        return intervention_outcomes(self._engine, self._request(trace), trace, other)

    def parameters(self) -> ParameterTable:
        """Return every matrix and vector of the checkpoint: name in the file, meaning, shape, count, share.

        What several parts share is listed once; where layers share their weights, `layers` has them all.

        Returns
        -------
        ParameterTable
            A sequence; `table["bert.pooler.dense.weight"]` is one entry, `table.total` the number of all,
            `table.save("parameters.csv")` writes it.
        """
        return self._engine.parameters(self._ref).table

    def parameter(self, name: str) -> Floats:
        """Return the numbers of one parameter, in float32, as the model computes with them.

        Parameters
        ----------
        name : str
            The name in the file, or the `key` of its entry.

        Returns
        -------
        array
            A copy. The matrix of a linear map is [out, in]: the map is x @ W.T + b.

        Raises
        ------
        SelectionError
            For a name that there is not.
        """
        return self._engine.parameters(self._ref).values(as_name(name)).copy()

    def linear_product(
        self, trace: Trace, name: str, token: int, output: int, layer: int | None = None
    ) -> LinearProduct:
        """Return how one number comes out of a linear map: the input of a token times a row of the matrix.

        Parameters
        ----------
        trace : Trace
            A run of this model.
        name : str
            The matrix, as for `parameter`.
        token : int
            The token whose input is multiplied; of a map that reads the whole text, such as the pooler, any.
        output : int
            Which output: the row of the matrix [out, in].
        layer : int, optional
            Which of the layers that share the matrix; by default the first.

        Returns
        -------
        LinearProduct
            `inputs`, `weights`, `products`, their `sum`, the `bias`, and the `total`, which is the number in
            the trace but for rounding.

        Raises
        ------
        SelectionError
            For what is not the matrix of a linear map; for a token, an output or a layer that is not there.
        """
        trace = as_trace(trace, "model.linear_product(model.trace(text), name, token, output)")
        parameters = self._engine.parameters(self._ref, trace)
        layer = None if layer is None else as_number(layer, "layer")
        return parameters.product(
            trace, as_name(name), as_number(token, "token"), as_number(output, "output"), layer
        )

    def trace_many(
        self, texts: Iterable[str | tuple[str, str]], *, check: Check | None = None
    ) -> Iterator[Trace]:
        """Yield the trace of each text, in the order given.

        Texts of like length are encoded in one forward pass. Padding has no part in any number: a trace is
        what `trace` returns of the text alone, but for rounding. Only some texts are read ahead, so `texts`
        may be a generator without an end.

        Parameters
        ----------
        texts : iterable of str or (str, str)
            The texts; two that the encoder reads as one input are a pair.
        check : callable, optional
            Called several times in each layer; may raise to end the work.

        Yields
        ------
        Trace
            As `trace` returns it.

        Raises
        ------
        TextError
            For a text that cannot be encoded, after the traces of the texts before it.

        Warns
        -----
        TruncationWarning
            For each text of which tokens did not fit.
        """
        return self._traces(as_many_texts(texts), check)

    def _traces(self, texts: Iterator[tuple[str, str | None]], check: Check | None) -> Iterator[Trace]:
        for inputs, error in self._read_ahead(texts):
            found: dict[int, Trace] = {}
            for batch in batches_of([len(tokens) for tokens in inputs]):
                with self._engine.using(self._ref, check) as opened:
                    traces = opened.record_batch([inputs[at] for at in batch], self.device, check)
                found |= dict(zip(batch, traces, strict=True))
            for number, tokens in enumerate(inputs):
                warn_of_truncation(tokens)
                yield found.pop(number)
            if error is not None:
                raise error

    def _read_ahead(
        self, texts: Iterator[tuple[str, str | None]]
    ) -> Iterator[tuple[list[Tokens], AppError | None]]:
        """Yield the tokens of some texts at a time, and the error of the text that follows, if it has one."""
        inputs: list[Tokens] = []
        n_tokens = 0
        try:
            for text, pair in texts:
                inputs.append(self._engine.tokens(self._ref, text, pair))
                n_tokens += len(inputs[-1])
                if len(inputs) == _READ_AHEAD or n_tokens >= _TOKENS_AHEAD:
                    yield inputs, None
                    inputs, n_tokens = [], 0
        except AppError as error:
            yield inputs, error
            return
        yield inputs, None

    def measure_corpus(
        self,
        files: Data,
        out: FilePath,
        settings: CorpusSettings | None = None,
        *,
        text: str = "",
        progress: bool | CorpusListener = True,
    ) -> CorpusResult:
        """Write a table with a row for each line and head: line, n_tokens, layer, head, and the measures.

        Beside the measure "word" is n_word, the number of tokens of the line over which it is the mean. Each
        block of lines is saved once it is measured: an interrupted run is resumed by another call. The
        numbers are the same, bit for bit, with any number of workers.

        Parameters
        ----------
        files : path, iterable of paths, or texts
            Text, a sentence a line; .gz, .bz2 and .xz, and URLs such as s3://bucket/texts.txt, too. `line`
            counts from 1 over all of them. Tables (TSV, CSV, JSON, Parquet, .xlsx) need `text`, or
            `settings.reading` with `is_prose`; `line` then counts their rows. What is in memory is taken,
            too, as by `study`.
        out : path
            A `.parquet`, `.csv` or `.npz` file, or a folder (or URL) of Parquet files, which the workers of a
            scheduler write, so all machines must reach it.
        settings : CorpusSettings, optional
            Which measures, what becomes of texts that are too long, who computes, and how files are read.
        text : str
            The column of the texts, by its name or its number from 1.
        progress : bool or CorpusListener
            As for `study`.

        Returns
        -------
        CorpusResult
            How many lines were measured, and which were left out or cut, and why.

        Raises
        ------
        FileError
            For a file that cannot be read or written, or without any text that can be measured; a TableError
            with a `preview` for a table of which no column is given.
        ArgumentError
            For a measure that there is not.
        """
        settings = settings or CorpusSettings()
        with (
            files_of(files) as given,
            reporting(progress, says_reading=not given.in_memory) as reports,
            in_words_of_python(OF_CORPORA),
        ):
            if column := text or given.text:
                settings = replace(settings, reading=replace(settings.reading, column=column))
            job = CorpusJob(given.paths, os.fsdecode(out), settings)
            job.validate()
            with (
                self._engine.using(self._ref, reports.check) as opened,
                self._measurer(job, (opened,), reports, saves_there=not job.ending) as measurer,
            ):
                return run_corpus(job, opened, measurer, reports)

    @contextmanager
    def _measurer(
        self,
        job: Job,
        opened: tuple[OpenedCheckpoint, ...],
        listener: CorpusListener,
        *,
        saves_there: bool = False,
    ) -> Iterator[Measurer]:
        """Yield what measures the blocks of a job: this process, others or a cluster, as its settings say."""
        settings = job.settings
        if settings.n_workers is None and settings.scheduler is None:
            yield InThisProcess(job, opened, find_device(self.device.hardware), listener.check)
            return
        with connected(settings.n_workers, settings.scheduler) as client:
            from bertviz_app.features.corpora.process.cluster import OnCluster

            listener.on_dashboard(client.dashboard_link)
            yield OnCluster(client, job, opened, self.device.hardware, saves_there=saves_there)

    def study(  # noqa: PLR0913 - each is named by its callers
        self,
        key: StudyKey | str,
        /,
        file: Data,
        out: FilePath | None = None,
        *,
        other: Model | FilePath | None = None,
        text: str = "",
        pair: str = "",
        label: str = "",
        settings: StudySettings | None = None,
        progress: bool | CorpusListener = True,
        **parameters: object,
    ) -> Result:
        """Return the result of a study of a whole file.

        Its units are read and measured a block at a time. With `out`, each block is saved beside it: an
        interrupted study is resumed by another call with the same arguments. The numbers are the same with
        any number of workers.

        Parameters
        ----------
        key : str
            Which study, such as "head-patterns"; `bertviz_app.api.STUDIES` has all of them.
        file : path, texts or rows
            What the study reads: texts, labelled rows, pairs or parsed sentences; or what is in memory: a
            list of texts or of pairs (text, text), rows as mappings, a DataFrame, a `datasets.Dataset`.
        out : path, optional
            A `.npz`, `.csv` or `.json` file for the result.
        other : Model or path, optional
            The second checkpoint, for a study that compares two.
        text, pair, label : str
            Columns by name or by number from 1; others are found by their names, or asked for.
        settings : StudySettings, optional
            How the file is read otherwise, what becomes of texts that are too long, and who computes.
        progress : bool or CorpusListener
            Whether to show a bar in a terminal and in a notebook; or what receives the progress in its place,
            and whose `check` may raise to end the work.
        **parameters
            The study's own, as `STUDIES` describes them; each has a default.

        Returns
        -------
        Result
            `about` says of which file and checkpoint, and how many of its texts were left out.

        Raises
        ------
        AnalysisError
            For an unknown key or parameter, and for a model that the study cannot be applied to.
        FileError
            For a file that cannot be read or written, or has no text that can be measured; a TableError,
            whose `preview` has the columns, for a table that does not show which is which.
        """
        columns = {"text": text, "pair": pair, "label": label}
        (result,) = self.studies(
            {key: parameters}, file, out, other=other, settings=settings, progress=progress, **columns
        )
        return result

    def studies(  # noqa: PLR0913 - each is named by its callers
        self,
        chosen: Mapping[StudyKey | str, Mapping[str, object]],
        files: Data,
        out: FilePath | None = None,
        *,
        other: Model | FilePath | None = None,
        text: str = "",
        pair: str = "",
        label: str = "",
        settings: StudySettings | None = None,
        progress: bool | CorpusListener = True,
    ) -> tuple[Result, ...]:
        """Return the results of several studies of the same files, whose texts are encoded once for all.

        Parameters
        ----------
        chosen : mapping of str to mapping
            The parameters of each study by its key; {} for their defaults.
        files : path, iterable of paths, texts or rows
            As for `study`; only texts may be in several files.
        out : path, optional
            A folder, which gets a CSV file for each study; of a single one, a file as for `study`.
        other, text, pair, label, settings, progress
            As for `study`.

        Returns
        -------
        tuple of Result
            In the order of `chosen`. Raises as `study`.
        """
        settings = settings or StudySettings()
        studies = tuple(
            KeyedStudy(as_key(key), read_parameters(find_study(key).parameters, given))
            for key, given in chosen.items()
        )
        device = find_device(self.device.hardware)
        with (
            files_of(files) as given,
            reporting(progress, says_reading=not given.in_memory) as reports,
            in_words_of_python(OF_STUDIES),
        ):
            settings = replace(
                settings,
                text_column=text or settings.text_column or given.text,
                pair_column=pair or settings.pair_column or given.pair,
                label_column=label or settings.label_column,
            )
            job = StudyJob(given.paths, studies, "" if out is None else os.fsdecode(out), settings)
            second = other.facts.ref if isinstance(other, Model) else as_ref(other)
            compared = () if not job.compares or other is None else (open_alone(second),)
            with self._engine.using(self._ref, reports.check) as own:
                opened = (own, *compared)
                return study_files(
                    job, opened, device, lambda stage: self._measurer(stage, opened, reports), reports
                )

    def _request(self, trace: Trace) -> TraceRequest:
        """Return the request whose result is `trace`."""
        tokens = trace.tokens
        return TraceRequest(self._ref, self.device.name, tokens.text, tokens.pair)


def warn_of_truncation(tokens: Tokens) -> None:
    """Warn with the line of the caller's own code where tokens of a text were left out."""
    for sentence in notices_of_left_out(tokens, len(tokens)):
        warnings.warn(sentence, TruncationWarning, stacklevel=3)


def open_model(
    ref: str | PathLike[str] | PreTrainedModel | None = None,
    device: str | torch.device | PreTrainedTokenizerBase = "auto",
    progress: Progress | None = None,
    *,
    dtype: str | torch.dtype = "float32",
    **answers: Unpack[GivenAnswers],
) -> Model:
    """Return a checkpoint, ready to encode.

    Parameters
    ----------
    ref : str, path or model, optional
        A folder, a name that `list_models` gives, or a model of the hub ("org/name"), which is downloaded if
        it is not on this computer; by default the checkpoint that comes with the program. Or a model of
        transformers, with the weights of this moment: `open_model(model, tokenizer)`.
    device : str or torch.device
        "auto", "cpu", "cuda", "cuda:1" or "mps"; after a model in memory its tokenizer may stand here.
    progress : callable, optional
        Called with the bytes read and the bytes in all.
    dtype : str or torch.dtype
        "float32" or "bfloat16" (often slower on a CPU without AMX), in which the layers multiply when a text
        is encoded; traces name it in `provenance.dtype`. All else is computed in float32.
    **answers : n_heads, norm_eps, lower_case, positions and others, optional
        What the files of a model written in a notebook leave open; stored beside it. `positions`, of position
        embeddings that are not stored: "textbook" for the sines and cosines of Vaswani et al. 2017, "columns"
        for those of pos / 10000^(2 column / width), or "none". Of a `torch.nn.TransformerEncoder`:
        `norm_first`, `activation`, and `scales_tokens` where token embeddings are multiplied by the square
        root of their width. Of a model of one's own: `parts`, a dictionary of the names of its tensors and
        the parts that they are, or a JSON file of it; `sample_deviation`, `transposed`, `lone_norm`,
        `first_segment`, `first_position` and `score_scale`, as "Open your own BERT" in the documents has
        them. Of task heads: `classifier_reads` ("pooled", "first", "mean", "max" or "none"),
        `classifier_activation` between dense layers, `outputs` ("softmax", "sigmoid" or "number"), `labels`
        of the classes, and `follows`, the output for next sentences that says "it follows".

        Of any model: `adapter`, whether an adapter beside the weights is added to them; `base`, the
        checkpoint that an adapter is added to; `lora_alpha`, the numerator of the scale of a LoRA among the
        weights, 0 where they hold it already; `tokenizer`, a folder with the tokenizer that the model was
        trained with, "" for the checkpoint's own, or the tokenizer of a model in memory; `links`, True to
        allow links that lead out of the folder.

    Returns
    -------
    Model
        The texts that it is given are encoded on `device`.

    Raises
    ------
    CheckpointError, HubError, FileError, DeviceError, ArgumentError
        Where it, its device or its dtype cannot be had; for arguments of another type or name.
    """
    if is_model(ref):
        return _open_in_memory(ref, device, progress, dtype, answers)
    with in_words_of_python(OF_MODELS):
        given, progress = as_answers(answers), as_progress(progress, "open_model")
        engine, name = Engine(), as_ref(ref)
        found = find_device(device_name(as_device(device), as_dtype(dtype)))
        if given:
            engine.answer(name, given, progress)
        return Model(engine, name, found, engine.load(name, progress))


def _open_in_memory(
    model: object, device: object, progress: Progress | None, dtype: str | torch.dtype, answers: GivenAnswers
) -> Model:
    """Return a model of transformers, opened from a folder that is there as long as the result."""
    tokenizer: object = answers.pop("tokenizer", None)
    if is_tokenizer(device):
        tokenizer, device = device, "auto"
    home, folder = saved(model, tokenizer)
    opened = open_model(folder, as_device(device), progress, dtype=dtype, **answers)
    weakref.finalize(opened, home.cleanup)
    return opened


def analyse(
    key: AnalysisKey | str,
    /,
    trace: Trace,
    other: Trace | None = None,
    *,
    reporter: Reporter | None = None,
    **parameters: object,
) -> Result:
    """Return the result of an analysis that needs no model, of any trace, weights alone among them.

    Parameters
    ----------
    key : str
        Which analysis, such as "attention-rollout"; `bertviz_app.api.ANALYSES` has all of them.
    trace : Trace
        A run of any model, a trace of a file, or what `from_arrays` returns.
    other : Trace, optional
        The second run, for an analysis that compares two.
    reporter : Reporter, optional
        Receives the progress; its `check` may raise `Cancelled` to end the analysis.
    **parameters
        The analysis' own, as `ANALYSES` describes them; each has a default.

    Returns
    -------
    Result
        As `Model.analyse` returns it.

    Raises
    ------
    AnalysisError
        For an unknown key or parameter, an analysis that needs the model, and one that needs more than
        weights of a trace that has no more.
    """
    call = f"analyse({as_key(key)!r}, trace)"
    found, trace = find_analysis(key), as_trace(trace, call)
    other = None if other is None else as_trace(other, call)
    if (refusal := found.refusal(trace, other=other)) is not None:
        raise refusal
    if found.needs & OF_THE_MODEL:
        message = Message("This analysis needs the model of the trace.")
        raise AnalysisError(message, Message("Call {0}.", f"model.analyse({key!r}, trace)"), "checkpoint")
    given = read_parameters(found.parameters, parameters)
    result: Result = found(Inputs(trace, None, other), given, reporter or SILENT)
    result.remember(key, vars(given), (trace,) if other is None else (trace, other))
    return result


def corpus_summary(table: FilePath) -> CorpusSummary:
    """Return what every head does over a corpus, by the table of its measures.

    It is made in one pass, in memory that does not grow with the table.

    Parameters
    ----------
    table : path
        What `Model.measure_corpus` wrote: a `.parquet`, `.csv` or `.npz` file, or a folder of Parquet files.

    Returns
    -------
    CorpusSummary
        `names`, those of the window, by (layer, head), each with the share of the sentences in which the head
        has it; `means` [K, L, H] of the K `measures`; `bars`, their distributions; `as_table()`, `save()`.

    Raises
    ------
    FileError
        For a file that is no such table, and for Parquet without pyarrow.
    """
    return summarise(CorpusTable(Path(os.fsdecode(table))))


def dossier(model: Model | Trace) -> Dossier:
    """Return what was noted in the window about the heads of a checkpoint.

    Parameters
    ----------
    model : Model or Trace
        The checkpoint, or a run of it. Notes are kept on this computer, by the fingerprint of the weights:
        the same weights in another folder have the same notes.

    Returns
    -------
    Dossier
        `dossier[0, 1]` are the notes of a head: its `note`, `tags` and `evidence`; `dossier.picture(one)` is
        the file of a picture, `dossier.save("notes.md")` writes all of it as Markdown.

    Raises
    ------
    ArgumentError
        For what is neither a model nor a trace.
    """
    if isinstance(model, Model):
        return DossierFile(model.facts.fingerprint, model.facts.name).read()
    if isinstance(model, Trace):
        return DossierFile(model.fingerprint, model.model).read()
    message = Message("Notes are kept for a model, not for {0}.", described(model))
    raise ArgumentError(message, Message("Call {0}.", "dossier(open_model())"))


def list_models() -> list[Source]:
    """Return the checkpoints that can be opened on this computer, damaged ones with their `problem`.

    Returns
    -------
    list of Source
        The bundled ones first, then those that were installed, trained here, and downloaded from the hub. The
        `ref` of each opens it.
    """
    return list_sources()
