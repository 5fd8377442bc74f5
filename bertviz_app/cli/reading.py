"""What sub-commands with a text share: the checkpoint, interventions, run B, and writing the file."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

from bertviz_app.checkpoint.questions import Answers
from bertviz_app.cli.arguments import FileOf, number, numbers
from bertviz_app.cli.signatures import Titled, Typed
from bertviz_app.cli.terminal import print_error, print_text, progress
from bertviz_app.errors import AppError
from bertviz_app.inference.opened_checkpoint import device_name
from bertviz_app.options import OtherOptions
from bertviz_app.text.edits import (
    HEAD_KINDS,
    MASK,
    CellIntervention,
    Edits,
    HeadIntervention,
    HeadKind,
    Intervention,
    StateIntervention,
    TokenIntervention,
    edits_text,
)
from bertviz_app.text.tokens import validate
from bertviz_app.trace import Trace, load_trace
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.api import Model
    from bertviz_app.inference.engine import TraceResult


def _heads(text: str) -> tuple[tuple[int, int], ...]:
    pairs = [part.strip().split(".") for part in text.split(",")]
    try:
        return tuple((number(layer), number(head)) for layer, head in pairs)
    except (ValueError, argparse.ArgumentTypeError) as error:
        raise argparse.ArgumentTypeError(f"“{text}” is no list of heads like 3.5,4.0") from error


def _replacement(text: str) -> tuple[int, str]:
    position, sign, piece = text.partition("=")
    if not sign or not piece.strip():
        raise argparse.ArgumentTypeError(f"“{text}” is no replacement like 4=word")
    return number(position.strip()), piece.strip()


@dataclass(frozen=True)
class Interventions:
    """The interventions in a run.

    Parameters
    ----------
    mute : L.H,…
        Heads whose output is zero, as 3.5,4.0.
    mask : N,…
        Tokens read as [MASK], by position from 0.
    replace : N=PIECE
        Read token N as another piece of the vocabulary; may be given several times.
    intervene : WHAT=HOW
        head:3.5=zero, =mean or =uniform; token:4=mask, =drop, =replace:PIECE, =segment:1 or =position:7;
        cell:3.5:2:7=0.4 sets the weight with which token 2 attends to token 7; state:3:4=6 gives token 4 in
        state 3 (0: the embeddings) the vector of token 6 of another text; may be given several times.
    reference : TEXT
        The text over which the mean of a head is taken (head:3.5=mean), or whose state is put in (state:).
    """

    mute: Annotated[tuple[tuple[int, int], ...], Typed(_heads)] = ()
    mask: Annotated[tuple[int, ...], Typed(numbers)] = ()
    replace: Annotated[Sequence[tuple[int, str]], Typed(_replacement)] = ()
    intervene: Sequence[str] = ()
    reference: str = ""

    @property
    def edits(self) -> Edits:
        """The interventions as edits. Raises AppError if two contradict, or one cannot be read."""
        replaced = [*((position, MASK) for position in self.mask), *self.replace]
        for index, (position, piece) in enumerate(replaced):
            if any(position == at and piece != other for at, other in replaced[:index]):
                raise AppError(f"Token {position} is replaced twice.", "Give one piece for it.")
        short = Edits(tuple(sorted(set(self.mute))), tuple(sorted(set(replaced))))
        others = [read_intervention(text, self.reference) for text in self.intervene]
        return Edits.of([*short.interventions, *others])


@dataclass(frozen=True)
class Other:
    """What is other in run B than in run A.

    Parameters
    ----------
    text : TEXT
        Its sentence; or an .npz file, beside one of run A.
    pair : TEXT
        Its second sentence.
    model : REF
        Its checkpoint.
    interventions
        What intervenes in it.
    """

    text: str | None = None
    pair: str | None = None
    model: str | None = None
    interventions: Interventions = Interventions()

    def options(self) -> OtherOptions | None:
        """Return run B, None if it does not differ."""
        other = OtherOptions(self.text, self.pair, self.model, self.interventions.edits or None)
        return None if other == OtherOptions() else other


RUN_B = Titled("run B", "what is other in it than in run A; the rest is the same", prefix="other-")

_HINT = (
    "Write head:3.5=uniform, token:4=drop, token:4=segment:1, cell:3.5:2:7=0.4 or state:3:4=6; layers, "
    "heads, states and tokens count from 0."
)


def read_intervention(text: str, reference: str) -> Intervention:
    """Return the intervention that `text` names; `reference` is the text of a mean. Raises AppError."""
    what, _, change = (part.strip() for part in text.partition("="))
    kind, _, where = (part.strip() for part in what.partition(":"))
    for form, made in _FORMS:
        if found := re.fullmatch(form, f"{kind}:{where}={change}", re.DOTALL):
            with suppress(ValueError):  # a weight that is no number
                return made(text, reference, *found.groups())
    raise AppError(f"“{text}” is no intervention.", _HINT)


def _head(text: str, reference: str, layer: str, head: str, kind: HeadKind) -> Intervention:
    if kind == "mean" and not reference.strip():
        hint = "Give one with --reference TEXT."
        raise AppError(f"“{text}” needs a text over which the mean is taken.", hint)
    return HeadIntervention(int(layer), int(head), kind, reference if kind == "mean" else "")


def _state(text: str, reference: str, *numbers: str) -> Intervention:
    if not reference.strip():
        raise AppError(f"“{text}” needs a text whose state is put in.", "Give one with --reference TEXT.")
    state, token, source = map(int, numbers)
    return StateIntervention(state, token, source, reference)


_FORMS: tuple[tuple[str, Callable[..., Intervention]], ...] = (
    (rf"head:(\d+)\.(\d+)=({'|'.join(HEAD_KINDS)})", _head),
    (
        r"token:(\d+)=(segment|position):(\d+)",
        lambda _, __, token, kind, value: TokenIntervention(int(token), kind, int(value)),
    ),
    (
        r"token:(\d+)=(mask|replace|drop)(?::(.*))?",
        lambda _, __, token, kind, value: TokenIntervention(int(token), kind, value),
    ),
    (
        r"cell:(\d+)\.(\d+):(\d+):(\d+)=(.+)",
        lambda _, __, layer, head, query, key, weight: CellIntervention(
            int(layer), int(head), int(query), int(key), float(weight)
        ),
    ),
    (r"state:(\d+):(\d+)=(\d+)", _state),
)


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
