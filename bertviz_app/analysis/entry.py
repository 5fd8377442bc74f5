"""`@analysis(...)`: an entry of the catalogue, the inputs of its run, and its result as files."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from enum import Flag, auto
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, TypeVar, get_type_hints

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import Alignment, align_traces
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AnalysisError, Message, Remedy
from bertviz_app.tables import with_note, write_file, write_npz, write_table_csv, write_table_json
from bertviz_app.text.edits import edits_text, edits_texts
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form
from bertviz_app.values import dataclass, fields

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess as ModelAccess, ModelOutput as ModelOutput
else:
    ModelAccess = ModelOutput = Any  # for annotations: importing the classes themselves loads torch

P = TypeVar("P")
R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)
Given = ParamSpec("Given")
Made = TypeVar("Made")


class Needs(Flag):
    """What an analysis needs beside the trace."""

    TRACE = 0  # the trace alone: such an analysis can run on a saved trace
    MODEL = auto()  # the checkpoint: its weights, or further forward passes
    GRADIENT = auto()  # backward passes through the checkpoint
    TASK_HEAD = auto()  # a task head of the checkpoint
    SECOND_RUN = auto()  # the trace of a second run to compare with
    OWN_STATES = auto()  # states that the model computed of the text: none put in from another one
    ALL_HEADS = auto()  # none that was pruned: its numbers are of all heads together
    STATES = auto()  # queries, keys, values or hidden states: weights alone will not do


def with_gradients(run: Callable[Given, Made]) -> Callable[Given, Made]:
    """Return `run` in a grad mode of its own, as `torch_operations.own_grad_mode`; calling it loads torch."""

    @wraps(run)
    def in_own_mode(*args: Given.args, **named: Given.kwargs) -> Made:
        import torch

        with torch.inference_mode(mode=False), torch.enable_grad():
            return run(*args, **named)

    return in_own_mode


OF_THE_MODEL = Needs.MODEL | Needs.GRADIENT | Needs.TASK_HEAD
"""What needs the open checkpoint."""


def lacks_states() -> AnalysisError:
    """Return the error where weights alone do not hold what an analysis reads."""
    message = Message("Attention weights alone are not enough for this analysis: it reads more of the model.")
    return AnalysisError(message, Message("Open a checkpoint and type a text."), "checkpoint")


def has_pruned_heads(pruned: Sequence[tuple[int, int]]) -> AnalysisError:
    """Return the error where an analysis of all heads together meets a checkpoint that lacks `pruned`."""
    layer, head = pruned[0]
    message = Message(
        "The numbers of this analysis are of all heads together; head {0} · {1} was pruned.", layer, head
    )
    return AnalysisError(message, Message("Open the model as it was before heads were pruned."), "checkpoint")


def has_put_states() -> AnalysisError:
    """Return the error where a state was put in that no layer of the run has computed."""
    message = Message("A state of this run comes from another text: no way leads to it from these tokens.")
    return AnalysisError(message, Message("Switch off the state that is put in."))


def lacks_model() -> AnalysisError:
    """Return the error where the checkpoint of a trace is not open."""
    message = Message("This analysis needs the model of the trace.")
    return AnalysisError(message, Message("Open its checkpoint."), "checkpoint")


def lacks_second_run() -> AnalysisError:
    """Return the error where there is nothing to compare a run with."""
    message = Message("This analysis compares two runs.")
    return AnalysisError(message, Message("Give a second text or checkpoint."), "second run")


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of an analysis: the trace, and what its `needs` name.

    `model` is the checkpoint that made the trace, `other` the trace of the second run.
    """

    trace: Trace
    model: ModelAccess | None = None
    other: Trace | None = None

    @cached_property
    def alignment(self) -> Alignment:
        """Which token of `trace` is which of `other`.

        Raises AnalysisError without a second run, and where two texts are not compared.
        """
        return align_traces(self.trace, self.second)

    @property
    def opened(self) -> ModelAccess:
        """The checkpoint that made the trace. Raises AnalysisError where there is none."""
        if self.model is None:
            raise lacks_model()
        return self.model

    @property
    def second(self) -> Trace:
        """The trace of the second run. Raises AnalysisError where there is none."""
        if self.other is None:
            raise lacks_second_run()
        return self.other


Refuses = Callable[[Form, tuple[str, ...]], AnalysisError | None]
"""Returns the error for a model of this form with these task heads, None where an analysis applies to it."""


@dataclass(frozen=True)
class Refusal:
    """Refuses the models for which `holds(form, task_heads)` returns true."""

    holds: Callable[[Form, tuple[str, ...]], bool]
    message: Message
    hint: Message
    remedy: Remedy = "checkpoint"

    def __call__(self, form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
        """Return the error for such a model, None for others."""
        return AnalysisError(self.message, self.hint, self.remedy) if self.holds(form, task_heads) else None


def first_of(*refusals: Refuses) -> Refuses:
    """Return the function that returns the error of the first of these `refusals` that has one."""
    return lambda form, task_heads: next(filter(None, (one(form, task_heads) for one in refusals)), None)


def compares_nothing(parameters: object) -> bool:
    """Return False: whatever the parameters are, the analysis reads one run."""
    return False


@dataclass(frozen=True, eq=False, kw_only=True)
class Described:
    """What the catalogue says about an analysis, see `_Decorator`."""

    key: str
    place: tuple[str, int] = ("", 0)
    title: Message
    summary: Message
    limits: Message
    paper: str
    needs: Needs = Needs.TRACE
    refuses: Refuses = first_of()  # no model
    refuses_trace: Callable[[Trace], AnalysisError | None] = lambda trace: None
    compares: Callable[[Any], bool] = compares_nothing
    takes_two_texts: bool = False
    extra: str = ""
    question: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis(Described, Generic[P, R_co]):
    """One analysis of the catalogue: a function that was decorated by `analysis`, and called like it.

    `parameters` and `result` are the classes that the function is annotated with; the kind of the result
    decides which views can show it. The other attributes are the arguments of `analysis`.
    """

    run: Callable[[Inputs, P, Reporter], R_co]
    parameters: type[P]
    result: type[R_co]

    def __call__(self, inputs: Inputs, parameters: P, reporter: Reporter) -> R_co:
        """Return the result of the function; nan for heads that were pruned.

        Raises TypeError where it is of another class than the function is annotated with.
        """
        found = self.run(inputs, parameters, reporter)
        if not isinstance(found, self.result):
            kinds = type(found).__name__, self.result.__name__
            raise TypeError(f"{self.key} returned a {kinds[0]}, and is annotated with {kinds[1]}")
        for trace in (inputs.trace, inputs.other):
            if trace is not None and trace.pruned:
                found.leave_out(trace.present)
        return found

    def refusal(
        self, trace: Trace, task_heads: tuple[str, ...] = (), other: Trace | None = None
    ) -> AnalysisError | None:
        """Return the error for a run, or for a model with these task heads, that it does not apply to.

        `other`: the second run, for an analysis that reads one.
        """
        reads_both = other is not None and Needs.SECOND_RUN in self.needs
        runs = [trace, *([other] if other is not None and reads_both else [])]
        if self.needs & (OF_THE_MODEL | Needs.STATES) and not all(run.has_states for run in runs):
            return lacks_states()
        if Needs.ALL_HEADS in self.needs and (pruned := [run for run in runs if run.pruned]):
            return has_pruned_heads(pruned[0].pruned)
        if Needs.OWN_STATES in self.needs and any(run.states for run in runs):
            return has_put_states()
        if any(run.is_cross for run in runs) and not self.takes_two_texts:
            return AnalysisError(
                Message(
                    "This analysis is of tokens that attend to each other; these attend to another text."
                ),
                Message("Give it the attention of one text to itself."),
            )
        return self.refuses(trace.form, task_heads) or self.refuses_trace(trace)

    def reads_second_run(self, parameters: P) -> bool:
        """Return whether the result depends on a second run, too."""
        return Needs.SECOND_RUN in self.needs or self.compares(parameters)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Decorator(Described):
    """Makes an `Analysis` of a function: `@analysis(key=..., title=..., ...)`.

    The function computes the result from `inputs`, `parameters` and a `reporter`. It calls `reporter.check()`
    at least every 100 ms, which raises Cancelled to stop, and leaves the trace, the model and its gradients
    as they are. Its parameters are a frozen dataclass whose fields have defaults and are annotated with the
    values that they may have, see `analysis.parameters`; its result is one of `analysis.results`. In the
    docstrings of analyses, L is the number of layers of the trace, H that of heads, T that of tokens, D the
    width, E that of a head; a text whose arrays would take more than 2 GiB is refused by an AnalysisError.

    Attributes
    ----------
    key : str
        Its stable name in files, sessions, scripts and translations, such as "attention-rollout".
    place : tuple of str and int
        The theme under which it is listed, a key of `catalogue.TITLES`, and which one it is there.
    title : Message
        Its name on the screen.
    summary : Message
        What its numbers are, in one sentence.
    limits : Message
        Its limits, in one sentence.
    paper : str
        Where it was proposed, or which work it follows.
    needs : Needs
        What it needs beside the trace.
    refuses : callable
        `refuses(form, task_heads)` returns the error for a model that it does not apply to, else None.
    refuses_trace : callable
        `refuses_trace(trace)` returns the error for a run that it does not apply to, else None; for reasons
        that the model's form does not show.
    compares : callable
        `compares(parameters)` returns whether it reads a second run with these parameters; for an analysis
        without SECOND_RUN among its `needs`.
    takes_two_texts : bool
        Whether it applies to cross-attention, whose queries and keys are tokens of two texts.
    extra : str
        The extra of the installation that it needs, as `pip install '.[flow]'`; "" where none.
    question : Message, optional
        The question that it answers, on its card in the gallery; the summary stands there without one.
    """

    def __call__(self, run: Callable[[Inputs, P, Reporter], R]) -> Analysis[P, R]:
        hints = get_type_hints(run)
        if missing := {"parameters", "return"} - hints.keys():
            raise TypeError(f"the function of an analysis has no annotation of: {', '.join(sorted(missing))}")
        described = {field.name: getattr(self, field.name) for field in fields(self)}
        run = with_gradients(run) if self.needs & OF_THE_MODEL else run
        return Analysis(**described, run=run, parameters=hints["parameters"], result=hints["return"])


analysis = _Decorator


def save_result(
    result: Result,
    path: str | Path,
    analysis: Analysis[Any, Any],
    parameters: object,
    trace: Trace,
    other: Trace | None = None,
) -> None:
    """Write the result of an analysis, which ran with `parameters`, to a file.

    The ending of `path` says which. .npz: `values` (and what else the result has), `axes`, their names in
    order, `labels_NAME` of each axis, `tokens`, `parameters` as JSON, `facts` as JSON, and `identity_error`,
    nan where the analysis has no identity; an array with axes of its own has `axes_ARRAY` and
    `labels_ARRAY_NAME`. .csv: the rows of `result.as_table()`, and behind each the interventions, if any.
    .json: facts, parameters, columns and rows. Of `other`, the second run, text and interventions are among
    the facts where the result depends on it.

    Raises FileError for another ending, or where the file cannot be written, and AnalysisError where all
    numbers together do not fit into memory.
    """
    source = _text_facts(trace) | {"muted": [list(head) for head in trace.muted]}
    facts = _facts(result, analysis, parameters, source)
    note = edits_text(trace.edits)
    if other is not None and analysis.reads_second_run(parameters):
        facts["other"] = _text_facts(other)
        note = edits_texts(trace.edits, other.edits)
    _write(result, path, facts, trace.tokens.pieces, "interventions", note)


def save_of_file(
    result: Result,
    path: str | Path,
    study: Described,
    parameters: object,
) -> None:
    """Write the result of a study, which ran with `parameters` over a file, as `save_result` does.

    Its `about` is among the facts, and there are no `tokens`; behind each row of a .csv is which class its
    labels were taken for, where it has such a fact. Raises as `save_result`.
    """
    facts = _facts(result, study, parameters, dict(result.about or {}))
    _write(result, path, facts, (), "labels", str(facts_of(result).get("labels", "")))


def _write(
    result: Result, path: str | Path, facts: dict[str, object], tokens: Sequence[str], column: str, note: str
) -> None:
    writers = {
        ".npz": lambda beside: write_npz(_arrays(result, facts, tokens), beside),
        ".csv": lambda beside: write_table_csv(with_note(result.as_table(), column, note), beside),
        ".json": lambda beside: write_table_json(result.as_table(), beside, facts),
    }
    write_file(path, writers)


def _facts(
    result: Result, analysis: Described, parameters: object, source: Mapping[str, object]
) -> dict[str, object]:
    error = result.identity_error
    return {
        "analysis": analysis.key,
        "paper": analysis.paper,
        "limits": str(analysis.limits),
        **source,
        "parameters": vars(parameters),
        "identity_error": "nan" if error is not None and error != error else error,
        "result": facts_of(result),
    }


def facts_of(result: Result) -> dict[str, str | int | float]:
    """Return the single numbers and words of a result by name, for a file.

    Such as the outcome from which changes are differences, or the token and the piece whose logit is added
    up: an analysis may have chosen them itself. "nan" stands for nan, which JSON does not have.
    """
    found = {name: getattr(result, name) for name in getattr(result, "__dataclass_fields__", {})}
    own = {
        name: value
        for name, value in found.items()
        if name not in {"identity_error", "main", "quantity"} and isinstance(value, str | int | float)
    }
    own |= dict(found.get("facts", {})) | ({"noise": result.noise} if result.noise else {})
    return {name: "nan" if value != value else value for name, value in own.items()}


def _text_facts(trace: Trace) -> dict[str, object]:
    """Return the facts that identify the run of the numbers."""
    return {
        "model": trace.model,
        "text": trace.tokens.text,
        "pair": trace.tokens.pair,
        "interventions": [str(one) for one in trace.edits.interventions],
    }


def _arrays(result: Result, facts: Mapping[str, object], tokens: Sequence[str]) -> dict[str, NDArray[Any]]:
    """Return the arrays of an .npz file by name: the result's own in its units, and labels of their axes."""
    arrays: dict[str, NDArray[Any]] = dict(result.arrays())
    arrays |= {f"labels_{axis.name}": np.array(axis.labels) for axis in result.axes}
    for name, axes in result.other_axes.items():
        arrays[f"axes_{name}"] = np.array([axis.name for axis in axes])
        arrays |= {f"labels_{name}_{axis.name}": np.array(axis.labels) for axis in axes}
    arrays["facts"] = np.array(json.dumps(facts, ensure_ascii=False))
    names = tuple(axis.name for axis in result.axes)
    return arrays | description(names, tokens, facts["parameters"], result.identity_error)


def description(
    axes: tuple[str, ...], tokens: Sequence[str], parameters: object, identity_error: float | None
) -> dict[str, NDArray[Any]]:
    """Return the arrays that every NPZ file of a result has beside its own and their labels.

    `axes`: the names of the axes of `values`, in order; `tokens`, the pieces of the run; `parameters` as
    JSON; `identity_error`, nan for None: the analysis has no identity.
    """
    return {
        "axes": np.array(axes),
        "tokens": np.array(tokens, str),
        "parameters": np.array(json.dumps(parameters)),
        "identity_error": np.array(np.nan if identity_error is None else identity_error),
    }
