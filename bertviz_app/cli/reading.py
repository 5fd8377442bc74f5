"""What sub-commands with a text share: the checkpoint, the encoding, and writing the file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from bertviz_app.checkpoint.questions import Answers
from bertviz_app.cli.arguments import FileOf
from bertviz_app.cli.interventions import Interventions
from bertviz_app.cli.signatures import Typed
from bertviz_app.cli.terminal import print_error, print_text, progress
from bertviz_app.errors import AppError
from bertviz_app.inference.opened_checkpoint import device_name
from bertviz_app.text.edits import TokenIntervention
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.api import Model
    from bertviz_app.inference.engine import TraceResult
    from bertviz_app.trace import Trace

SAVED = (".npz", ".bva")
"""The endings of traces and sessions."""


def file(*endings: str) -> Typed:
    """Return how a file to write is typed, whose name has one of the endings."""
    return Typed(FileOf(*endings), "FILE")


@dataclass(frozen=True)
class Checkpoint:
    """The checkpoint and where it computes.

    Parameters
    ----------
    model : REF
        A folder, a file of weights, a name from “models”, or org/name[@revision] of the hub.
    device
        auto, cpu, cuda, mps, or as cuda:1 (auto unless given).
    dtype
        In which numbers the layers multiply (float32 unless given; a CPU without AMX is often slower in
        bfloat16); analyses compute in float32.
    answers
        What its files leave open.
    """

    model: str | None = None
    device: str = "auto"
    dtype: Literal["float32", "bfloat16"] = "float32"
    answers: Answers = Answers()

    @property
    def device_name(self) -> str:
        """The device with the dtype, as the window names it."""
        return device_name(self.device, self.dtype)

    def open(self) -> Model:
        """Return the model, opened with the answers; remarks about it are printed on standard error."""
        from bertviz_app.api import open_model

        model = open_model(
            self.model, self.device, progress(self.model), dtype=self.dtype, **self.answers.given()
        )
        for remark in model.facts.remarks:
            print_error(remark)
        return model

    def save_answers(self) -> None:
        """Open the model with the answers given, which validates and saves them before anything is drawn."""
        if self.answers:
            self.open()


class Read(NamedTuple):
    """A trace, with notices about it; the `result` of a text, None of a file."""

    trace: Trace
    notices: Sequence[str]
    result: TraceResult | None = None


@dataclass(frozen=True)
class Encoding:
    """How a text is encoded.

    Parameters
    ----------
    pair : TEXT
        A second sentence, read together with the first.
    checkpoint, interventions
        What encodes it, and what intervenes there.
    prompt : NAME
        One of the checkpoint's prompts, written before the text.
    """

    pair: str | None = None
    checkpoint: Checkpoint = Checkpoint()
    interventions: Interventions = Interventions()
    prompt: str | None = None

    def encoded(
        self, text: str, *, with_own_mask: bool = False, says_masks: bool = False
    ) -> tuple[Model, TraceResult]:
        """Return the model and the encoded text. What is no text is refused before the model is opened.

        `with_own_mask`: [MASK] in the text stands for the mask token of the model's own tokenizer.
        Interventions are named on standard error, without masks if the output of the command `says_masks`.
        """
        from bertviz_app.text.edits import Edits, edits_text
        from bertviz_app.text.tokens import validate

        validate(text, "text", "The text" if self.pair is None else "Sentence 1")
        if self.pair is not None:
            validate(self.pair, "pair", "Sentence 2")
        model, interventions = self.checkpoint.open(), self.interventions.edits.interventions
        texts = model.with_own_mask(text, self.pair) if with_own_mask else (text, self.pair)
        result = model.encode(*texts, interventions=interventions, prompt=self.prompt)
        named = [
            one
            for one in interventions
            if not (says_masks and isinstance(one, TokenIntervention) and one.kind == "mask")
        ]
        if named:
            print_error(f"With interventions: {edits_text(Edits.of(named))}.")
        return model, result

    def files(self, text: str, other_text: str | None = None, other_pair: str | None = None) -> Sequence[str]:
        """Return the files that are named in the place of texts; see `files_of`."""
        alone = (self.pair, self.prompt, self.interventions.edits, other_pair)
        return files_of((text, other_text), self.checkpoint.model, *alone)

    def read(self, text: str) -> Read:
        """Return the trace in the file that is named in the place of a text, or that of the text."""
        if not (files := self.files(text)):
            _, result = self.encoded(text)
            return Read(result.trace, result.notices, result)
        from bertviz_app.trace import load_trace

        trace = load_trace(files[0])
        return Read(trace, trace.remarks)


def files_of(texts: Sequence[str | None], model: str | None, *of_texts: object) -> Sequence[str]:
    """Return the files that are named in the place of texts, of run A and of run B; none for texts.

    Raises AppError for a model, and for anything that is given `of_texts` alone.
    """
    names = [name for name in texts if name is not None]
    if not (files := [name for name in names if name.endswith(SAVED) and len(name.split()) == 1]):
        return ()
    if len(files) < len(names):
        raise AppError("A file is compared with a file.", "Give two .npz files, or two sentences.")
    if any(of_texts):
        hint = "Give the sentence to have it encoded so."
        raise AppError(
            "What is in a file is not encoded: pairs, prompts and interventions do not apply.", hint
        )
    if model is not None:
        raise AppError("What is in a file is not encoded: no model applies.", "Leave out --model.")
    return files


def finish(out: Path | None, save: Callable[[Path], object], notices: Sequence[str] = ()) -> int:
    """Print the notices of a run, write its file if one is named, and return the exit code."""
    for notice in notices:
        print_error(notice)
    if out is not None:
        save(out)
        print_text(f"Wrote {out}.")
    return 0
