"""Tuned lenses, which were trained on a file of texts: their files, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from bertviz_app import paths
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.probing.passes import refuse_without_masked_head
from bertviz_app.analysis.probing.predictions import LensParameters, read_by_layer
from bertviz_app.analysis.results import LayerRankings, NamedArrays
from bertviz_app.errors import AnalysisError, FileError, Message
from bertviz_app.tables import write_npz
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess

_KIND = "tuned-lens"
"""What the file of a lens says it has."""


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


def fingerprint_of(model: ModelAccess) -> tuple[str, str]:
    """Return fingerprint and name of the open checkpoint."""
    facts = model.checkpoint.facts
    return facts.fingerprint, facts.name
