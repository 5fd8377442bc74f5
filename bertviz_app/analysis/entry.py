"""`@analysis(...)`: makes a function an entry of the catalogue; and the inputs of its run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from enum import Flag, auto
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_type_hints

from bertviz_app.analysis.compare import Alignment, align_tokens
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess

P = TypeVar("P")
R = TypeVar("R", bound=Result)
R_co = TypeVar("R_co", bound=Result, covariant=True)


class Needs(Flag):
    """What an analysis needs beside the trace."""

    TRACE = 0  # the trace alone: such an analysis can run on a saved trace
    MODEL = auto()  # the checkpoint: its weights, or further forward passes
    GRADIENT = auto()  # backward passes through the checkpoint
    TASK_HEAD = auto()  # a task head of the checkpoint
    SECOND_RUN = auto()  # the trace of a second run to compare with


OF_THE_MODEL = Needs.MODEL | Needs.GRADIENT | Needs.TASK_HEAD
"""What needs the open checkpoint."""


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
        """Which token of `trace` is which of `other`. Raises AnalysisError without a second run."""
        return align_tokens(self.trace.tokens, self.second.tokens)

    @property
    def opened(self) -> ModelAccess:
        """The checkpoint that made the trace. Raises AnalysisError where there is none."""
        if self.model is None:
            raise AnalysisError(
                Message("This analysis needs the model of the trace."), Message("Open its checkpoint.")
            )
        return self.model

    @property
    def second(self) -> Trace:
        """The trace of the second run. Raises AnalysisError where there is none."""
        if self.other is None:
            raise AnalysisError(
                Message("This analysis compares two runs."), Message("Give a second text or checkpoint.")
            )
        return self.other


def never(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return None: the analysis applies to every model."""
    return None


def never_of(trace: Trace) -> AnalysisError | None:
    """Return None: the analysis applies to every run."""
    return None


def compares_nothing(parameters: object) -> bool:
    """Return False: whatever the parameters are, the analysis reads one run."""
    return False


@dataclass(frozen=True, eq=False, kw_only=True)
class _Described:
    key: str
    title: Message
    summary: Message
    limits: Message
    paper: str
    needs: Needs = Needs.TRACE
    refuses: Callable[[Form, tuple[str, ...]], AnalysisError | None] = never
    refuses_trace: Callable[[Trace], AnalysisError | None] = never_of
    compares: Callable[[Any], bool] = compares_nothing
    extra: str = ""


@dataclass(frozen=True, eq=False, kw_only=True)
class Analysis(_Described, Generic[P, R_co]):
    """One analysis of the catalogue: a function that was decorated by `analysis`, and called like it.

    `parameters` and `result` are the classes that the function is annotated with; the kind of the result
    decides which views can show it. The other attributes are the arguments of `analysis`.
    """

    run: Callable[[Inputs, P, Reporter], R_co]
    parameters: type[P]
    result: type[R_co]

    def __call__(self, inputs: Inputs, parameters: P, reporter: Reporter) -> R_co:
        """Return the result of the function."""
        return self.run(inputs, parameters, reporter)

    def reads_second_run(self, parameters: P) -> bool:
        """Return whether the result depends on a second run, too."""
        return Needs.SECOND_RUN in self.needs or self.compares(parameters)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Decorator(_Described):
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
    extra : str
        The extra of the installation that it needs, as `pip install '.[flow]'`; "" where none.
    """

    def __call__(self, run: Callable[[Inputs, P, Reporter], R]) -> Analysis[P, R]:
        hints = get_type_hints(run)
        described = {field.name: getattr(self, field.name) for field in fields(self)}
        return Analysis(**described, run=run, parameters=hints["parameters"], result=hints["return"])


analysis = _Decorator
