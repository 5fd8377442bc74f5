"""A tuned lens: its training on a file of texts, and what it reads of each layer of a text."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from bertviz_app import paths
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis
from bertviz_app.analysis.parameters import Choice, Range, Reporter, reported
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.probing.passes import batches, refuse_without_masked_head
from bertviz_app.analysis.probing.predictions import LensParameters, read_by_layer
from bertviz_app.analysis.results import LayerRankings, NamedArrays
from bertviz_app.errors import AnalysisError, FileError, Message
from bertviz_app.features.corpora.studies.outcomes import log_softmax
from bertviz_app.features.corpora.studies.study import NOTHING, Measured, Part, Unit, study
from bertviz_app.tables import write_npz
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles, Floats, Indices, Tensor
from bertviz_app.values import dataclass, replace

_KIND = "tuned-lens"  # what the file of a lens says it has


@dataclass(frozen=True, eq=False)
class Lens:
    """What translates each hidden state but the last into one that the task head can read: A h + b.

    `fingerprint` is that of the checkpoint it was made of, `model` its name.
    """

    fingerprint: str
    model: str
    matrices: Floats  # [L, D, D]
    biases: Floats  # [L, D]

    def facts(self) -> dict[str, str | int | float]:
        """Return the facts that identify it, for a file."""
        return {"lens": _KIND, "fingerprint": self.fingerprint, "model": self.model}

    def file(self) -> Path:
        """Return the file in the folder of the program where it is found again."""
        return _file_of(self.fingerprint)

    def save(self) -> Path:
        """Write it where it is found again for its checkpoint, and return the file. Raises FileError."""
        path = self.file()
        with paths.replacing(path) as beside:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_npz(
                {
                    "matrices": self.matrices,
                    "biases": self.biases,
                    "facts": np.array(json.dumps({"result": self.facts()}, ensure_ascii=False)),
                },
                beside,
            )
        return path


def _file_of(fingerprint: str) -> Path:
    return paths.lenses() / f"{_KIND}-{fingerprint[:32]}.npz"


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedLens(NamedArrays):
    """A lens as the result of a study, and numbers of each hidden state [L + 1] that say how good it is.

    They are "tuned lens" and "logit lens": the divergence from the model's predictions, in bits, on texts
    that were held out. The fact "kept in" is the file that has the lens.
    """

    lens: Lens

    def pictures(self) -> tuple[Picture, ...]:
        state = next(iter(self.axes_of.values()))[0]
        values = np.stack([*self.named.values()])
        axes = Axis("series", tuple(self.named)), state
        words = {"tuned lens": Message("Tuned lens"), "logit lens": Message("Logit lens")}
        title = Message("Divergence from the model")
        return (Picture("divergence", "curves", values, axes, Quantity("bits", 0), title, words),)

    def findings(self) -> tuple[str, ...]:
        return (
            Message(
                "Trained on {0} tokens; the divergence from the model is that on {1} others.",
                self.facts["trained on"],
                self.facts["judged on"],
            ),
            Message("The lens is kept for this checkpoint: choose it among the analyses of a panel."),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the numbers, and of the lens "matrices" [L, D, D] and "biases" [L, D]."""
        return {**super().arrays(), "matrices": self.lens.matrices, "biases": self.lens.biases}

    @property
    def other_axes(self) -> Mapping[str, tuple[Axis, ...]]:
        """The axes, in order, of all arrays that are not named "values", by their names."""
        n_layers, width = self.lens.biases.shape
        states, numbers = counted("state", n_layers), counted("dimension", width)
        own = {"matrices": (states, counted("output", width), numbers), "biases": (states, numbers)}
        return {**super().other_axes, **own}


def _is_no_lens(path: Path) -> FileError:
    return FileError(
        Message("{0} is no lens.", path), Message("Choose an .npz file that the study “tuned-lens” wrote.")
    )


def read_lens(path: Path) -> Lens:
    """Return the lens in a file that a study wrote. Raises FileError for another file, or another lens."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            matrices, biases = arrays["matrices"], arrays["biases"]
            facts = json.loads(str(arrays["facts"]))["result"]
            kind, found = facts["lens"], Lens(facts["fingerprint"], facts["model"], matrices, biases)
    except OSError as error:
        message = Message("{0} could not be read: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Choose the file of a lens.")) from error
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise _is_no_lens(path) from error
    if matrices.ndim != 3 or biases.ndim != 2 or matrices.shape != (*biases.shape, biases.shape[-1]):
        raise _is_no_lens(path)
    if matrices.dtype != np.float32 or biases.dtype != np.float32 or not np.isfinite(matrices).all():
        raise _is_no_lens(path)
    if kind != _KIND:
        raise FileError(
            Message(
                "{0} has a “{1}”; only lenses that the study “tuned-lens” wrote can be opened.", path, kind
            )
        )
    return found


def lens_for(trace: Trace, path: str | None) -> Lens:
    """Return the lens in a file; None: the one that was saved for the checkpoint of `trace`.

    Raises AnalysisError where it is of another checkpoint, or there is none, and what `read_lens` raises.
    """
    if path is None and not (trace.fingerprint and paths.exists(_file_of(trace.fingerprint))):
        message = Message("No lens was trained for this checkpoint yet.")
        hint = Message("Train one on a file of your own texts: bertviz-app study tuned-lens FILE.")
        raise AnalysisError(message, hint)
    chosen = _file_of(trace.fingerprint) if path is None else Path(path).expanduser()
    found = read_lens(chosen)
    has_sizes = found.biases.shape == (trace.n_layers, trace.width)
    if found.fingerprint != trace.fingerprint or not has_sizes:
        message = Message("The lens in {0} was made of another checkpoint, {1}.", chosen.name, found.model)
        raise AnalysisError(message, Message("Open that checkpoint, or make a lens of this one."))
    return found


@dataclass(frozen=True)
class TrainedLensParameters(LensParameters):
    """`lens`: the file of the lens; None: the one that was kept for the checkpoint."""

    lens: Annotated[str | None, Message("File of the lens; empty: the one of this checkpoint")] = None


@analysis(
    key="tuned-lens",
    place=("predictions", 4),
    title=Message("Tuned lens"),
    summary=Message(
        "Which pieces the task head would predict at each token from the vectors of each layer, after a "
        "translation that was trained on your own texts."
    ),
    limits=Message(
        "The translation may find what later layers do not use; it is right for texts like those that it was "
        "trained on, at masked tokens or at all, as it was chosen then."
    ),
    paper="Belrose et al. 2023, arXiv:2303.08112, section 3",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=refuse_without_masked_head,
)
def tuned_lens(inputs: Inputs, parameters: TrainedLensParameters, reporter: Reporter) -> LayerRankings:
    """Return the likeliest pieces at each token, if the task head read A h + b of each hidden state h.

    [L + 1, T, k], probabilities from 0 to 1; state 0 is that of the embeddings. A piece to follow comes last.
    At the last state the translation is the identity, so its pieces are the model's own. Raises AnalysisError
    where no lens was trained for the checkpoint, FileError for a file that is none.
    """
    import torch

    model, lens = inputs.opened, lens_for(inputs.trace, parameters.lens)

    def translated(state: int, hidden: Tensor) -> Tensor:
        matrix = torch.from_numpy(lens.matrices[state].copy()).to(hidden)
        bias = torch.from_numpy(lens.biases[state].copy()).to(hidden)
        return model.final_norm(hidden @ matrix.T + bias)

    return read_by_layer(inputs, parameters, reporter, translated)


SHARE_MASKED = 0.15
"""Of the tokens of a text, as in BERT's training."""
_AT_ONCE = 64  # positions in one step of the training, and in one pass of the task head
_TENTH = 10


@dataclass(frozen=True)
class TrainingParameters:
    """Which positions the lens is trained on, and how.

    "masks": 15 % of the tokens of each text, which are masked; "tokens": all tokens of the text as it is.
    `per_text`: at most so many of a text. `decay` pulls the translation towards the identity.
    """

    positions: Annotated[str, Choice(("masks", "tokens")), Message("Tokens that the lens is trained on")] = (
        "masks"
    )
    per_text: Annotated[int, Range(1, 512), Message("Tokens of a text at most")] = 8
    steps: Annotated[int, Range(1, 100_000), Message("Steps of the training of each layer")] = 300
    rate: Annotated[float, Range(1e-6, 1), Message("Learning rate")] = 1e-3
    decay: Annotated[float, Range(0, 1), Message("Weight decay")] = 1e-2
    seed: Annotated[int, Range(0, 2**31), Message("Seed of the random choices")] = 0


def _finish_tuned(
    model: ModelAccess, part: Part, parameters: TrainingParameters, reporter: Reporter
) -> TrainedLens:
    """Train a translation for each state but the last, and judge it on held-out texts."""
    states, lines = part.rows.get("states"), part.rows.get("lines")
    texts = np.unique(lines) if lines is not None else np.zeros(0)
    if states is None or lines is None or len(texts) < 2:
        message = Message("A lens needs two texts or more: one to train on, one to judge it.")
        raise AnalysisError(message, Message("Give a file with more texts."))
    is_held = np.isin(lines, texts[_TENTH - 1 :: _TENTH] if len(texts) >= _TENTH else texts[-1:])
    training = _Training(model, states.shape[1] - 1, states.shape[2])
    divergences = np.zeros((2, states.shape[1]), np.float32)
    divergences[0, :-1] = training.divergences(states[is_held], reporter)
    training.train(states[~is_held], parameters, reporter)
    divergences[1, :-1] = training.divergences(states[is_held], reporter)
    lens = Lens(model.checkpoint.facts.fingerprint, model.checkpoint.facts.name, *training.numbers())
    facts: dict[str, str | int | float] = {
        **lens.facts(),
        "trained on": int((~is_held).sum()),
        "judged on": int(is_held.sum()),
        "positions": parameters.positions,
        "kept in": str(lens.save()),
    }
    by_state = {"tuned lens": divergences[1], "logit lens": divergences[0]}
    axes = dict.fromkeys(by_state, (counted("state", len(lens.biases) + 1),))
    return TrainedLens(named=by_state, axes_of=axes, facts=facts, main="tuned lens", lens=lens)


class _Training:
    """A h + b of each state h but the last, trained so that the task head reads of it what it reads of that.

    A - I and b are what is learnt, from 0 on: at first the lens is the logit lens, and weight decay pulls it
    back there.
    """

    def __init__(self, model: ModelAccess, n_layers: int, width: int) -> None:
        import torch

        self._model = model
        self.changes = [torch.zeros(width, width, requires_grad=True) for _ in range(n_layers)]
        self.biases = [torch.zeros(width, requires_grad=True) for _ in range(n_layers)]

    def divergences(self, states: Floats, reporter: Reporter) -> Doubles:
        """Return the mean divergence [L], in bits, of what is read of `states` [n, L + 1, D]."""
        import torch

        total = np.zeros(len(self.biases))
        for first in range(0, len(states), _AT_ONCE):
            some = states[first : first + _AT_ONCE]
            with torch.no_grad():
                wanted = self._wanted(some)
                for state in range(len(total)):
                    reporter.check()
                    total[state] += float(self._divergence(some, wanted, state).sum())
        found: Doubles = total / len(states) / math.log(2)
        return found

    def train(self, states: Floats, parameters: TrainingParameters, reporter: Reporter) -> None:
        """Minimise the divergences over `states` [n, L + 1, D] with Adam, whose rate falls to 0 linearly."""
        import torch

        random = np.random.default_rng(parameters.seed)
        learnt = [*self.changes, *self.biases]
        optimizer = torch.optim.AdamW(learnt, lr=parameters.rate, weight_decay=parameters.decay)
        for step in reported(range(parameters.steps), reporter):
            optimizer.param_groups[0]["lr"] = parameters.rate * (1 - step / parameters.steps)
            some = states[random.integers(0, len(states), min(_AT_ONCE, len(states)))]
            wanted = self._wanted(some)
            for state, own in enumerate(zip(self.changes, self.biases, strict=True)):
                reporter.check()
                with torch.enable_grad():
                    gradients = torch.autograd.grad(self._divergence(some, wanted, state).mean(), own)
                own[0].grad, own[1].grad = gradients
            optimizer.step()

    def numbers(self) -> tuple[Floats, Floats]:
        """Return A [L, D, D] and b [L, D]."""
        width = len(self.biases[0])
        matrices = [np.eye(width, dtype=np.float32) + change.detach().numpy() for change in self.changes]
        return np.stack(matrices), np.stack([bias.detach().numpy() for bias in self.biases])

    def _wanted(self, states: Floats) -> Tensor:
        """Return what the model predicts, log-probabilities [1, n, V]."""
        return self._log_shares(_as_text(states[:, -1]), grad=False)

    def _divergence(self, states: Floats, wanted: Tensor, state: int) -> Tensor:
        """Return KL(`wanted` || what is read of one of the states) [n], in nats."""
        import torch

        given = _as_text(states[:, state])
        translated = self._model.final_norm(given + given @ self.changes[state].T + self.biases[state])
        found = self._log_shares(translated, grad=torch.is_grad_enabled())
        return (wanted.exp() * (wanted - found)).sum(-1)[0]

    def _log_shares(self, hidden: Tensor, *, grad: bool) -> Tensor:
        logits = self._model.task_logits(hidden, grad=grad).masked
        assert logits is not None
        return log_softmax(logits)


def _as_text(vectors: Floats) -> Tensor:
    """Return vectors [n, D] as hidden states of one text [1, n, D]."""
    import torch

    return torch.from_numpy(np.ascontiguousarray(vectors))[None]


@study(
    key="tuned-lens",
    title=Message("Tuned lens: train one"),
    summary=Message(
        "Trains a translation of each layer's vectors for the task head of masked tokens, on the texts of a "
        "file; gives its divergence from the model's predictions, in bits, beside that of the logit lens, on "
        "texts that were held out."
    ),
    limits=Message(
        "An encoder learnt to predict masked tokens: elsewhere it mostly copies, so masked tokens are the "
        "default. All of them are replaced by the mask token, not 80 % as in BERT's training. Every tenth "
        "text is held out."
    ),
    paper="Belrose et al. 2023, arXiv:2303.08112, section 3",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=refuse_without_masked_head,
    reads="texts",
    finish=_finish_tuned,
    # A lens learns from some of the positions of a very large file: from every second row.
    condense=lambda part: Part(part.sums, {name: rows[::2] for name, rows in part.rows.items()}),
)
def train_tuned_lens(measured: Measured, parameters: TrainingParameters, reporter: Reporter) -> Part:
    """Return the hidden states at the positions that the lens is trained on.

    "states" [n, L + 1, D] float32, and "lines" [n], the line of the text of each. Which positions are drawn
    depends on the seed and the line alone.
    """
    import torch

    model = measured.model
    chosen = [(unit, found) for unit in measured.units if len(found := _positions(unit, parameters))]
    if not chosen:
        return NOTHING
    states, lines = [], []
    for some in batches(len(chosen), max(len(unit.tokens) for unit, _ in chosen)):
        reporter.check()
        here = chosen[some.start : some.stop]
        inputs = [_as_trained(model, unit.tokens, at, parameters.positions) for unit, at in here]
        capture = Capture({Point.EMBEDDINGS, Point.OUTPUT})
        model.forward(inputs, capture)
        every = [capture.tensors[Point.EMBEDDINGS, 0]]
        every += [capture.tensors[Point.OUTPUT, layer] for layer in range(model.config.n_layers)]
        hidden = torch.stack(every, 1).float().cpu().numpy()  # [B, L + 1, T, D]
        for row, (unit, at) in enumerate(here):
            states.append(hidden[row][:, at].transpose(1, 0, 2))
            lines.append(np.full(len(at), unit.item.line))
    return Part(rows={"states": np.concatenate(states), "lines": np.concatenate(lines)})


def _positions(unit: Unit, parameters: TrainingParameters) -> Indices:
    """Return the positions of a text that the lens is trained on, in order."""
    inner = np.flatnonzero(~unit.tokens.is_special)
    count = len(inner) if parameters.positions == "tokens" else max(1, round(SHARE_MASKED * len(inner)))
    random = np.random.default_rng([parameters.seed, unit.item.line])
    count = min(count, parameters.per_text, len(inner))
    return np.sort(random.choice(inner, count, replace=False)) if count else inner


def _as_trained(model: ModelAccess, tokens: Tokens, at: Indices, positions: str) -> Tokens:
    """Return the tokens that go through the model: those at `at` masked, or as they are."""
    if positions == "tokens":
        return tokens
    if model.mask_id is None:
        message = Message("The vocabulary of this checkpoint has no mask token.")
        raise AnalysisError(message, Message("Train the lens on all tokens."))
    ids = tokens.ids.copy()
    ids[at] = model.mask_id
    return replace(tokens, ids=ids)
