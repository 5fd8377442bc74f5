"""Lenses that were made of a file of texts, tuned and Jacobian: their files, and what is read of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from bertviz_app import paths
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.probing.passes import refuse_without_masked_head
from bertviz_app.analysis.probing.predictions import LensParameters, read_by_layer
from bertviz_app.analysis.results import Axis, LayerRankings, NamedArrays, counted
from bertviz_app.errors import AnalysisError, FileError, Message
from bertviz_app.tables import write_npz
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess

LensKind = Literal["tuned-lens", "jacobian-lens"]


@dataclass(frozen=True, eq=False)
class Lens:
    """What translates each hidden state but the last into one that the task head can read: A h + b.

    `fingerprint` is that of the checkpoint it was made of, `model` its name.
    """

    kind: LensKind
    fingerprint: str
    model: str
    matrices: Floats  # [L, D, D]
    biases: Floats  # [L, D]

    def facts(self) -> dict[str, str | int | float]:
        """Return what tells it from other lenses, for a file."""
        return {"lens": self.kind, "fingerprint": self.fingerprint, "model": self.model}

    def kept_at(self) -> Path:
        """Return the file in the folder of the program where it is found again."""
        return _kept(self.kind, self.fingerprint)

    def keep(self) -> Path:
        """Write it where it is found again for its checkpoint, and return the file. Raises FileError."""
        path = self.kept_at()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(
                Message("{0} could not be written: {1}.", path, error.strerror or error),
                Message(
                    "Free some space or choose another folder; nothing that was there before has changed."
                ),
            ) from error
        with paths.replacing(path) as beside:
            write_npz(
                {
                    "matrices": self.matrices,
                    "biases": self.biases,
                    "facts": np.array(json.dumps({"result": self.facts()}, ensure_ascii=False)),
                },
                beside,
            )
        return path


def _kept(kind: LensKind, fingerprint: str) -> Path:
    return paths.lenses() / f"{kind}-{fingerprint[:32]}.npz"


@dataclass(frozen=True, eq=False, kw_only=True)
class TrainedLens(NamedArrays):
    """A lens as the result of a study, and numbers of each hidden state [L + 1] that say how good it is.

    Of a tuned lens "tuned lens" and "logit lens": the divergence from the model's predictions, in bits, on
    texts that were held out. Of a Jacobian lens "gain" and "straight through": how much a change of the state
    grows, and how much of it stays in its own dimension. The fact "kept in" is the file that has the lens.
    """

    lens: Lens

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
        Message("{0} is no lens.", path),
        Message("Choose an .npz file that a study “tuned-lens” or “jacobian-lens” wrote."),
    )


def read_lens(path: Path, kind: LensKind) -> Lens:
    """Return the lens in a file that a study wrote.

    Raises FileError for another file, AnalysisError for a lens of another kind.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            matrices, biases = arrays["matrices"], arrays["biases"]
            facts = json.loads(str(arrays["facts"]))["result"]
            found = Lens(facts["lens"], facts["fingerprint"], facts["model"], matrices, biases)
    except OSError as error:
        message = Message("{0} could not be read: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Choose the file of a lens.")) from error
    except (ValueError, KeyError, TypeError, EOFError, BadZipFile) as error:
        raise _is_no_lens(path) from error
    if matrices.ndim != 3 or biases.ndim != 2 or matrices.shape != (*biases.shape, biases.shape[-1]):
        raise _is_no_lens(path)
    if matrices.dtype != np.float32 or biases.dtype != np.float32 or not np.isfinite(matrices).all():
        raise _is_no_lens(path)
    if found.kind != kind:
        message = Message("The file {0} has a lens of another kind, “{1}”.", path.name, found.kind)
        raise AnalysisError(message, Message("Choose one that a study “{0}” wrote.", kind))
    return found


def lens_for(trace: Trace, kind: LensKind, path: str | None) -> Lens:
    """Return the lens in a file; None: the one that was kept for the checkpoint of `trace`.

    Raises AnalysisError where it is of another checkpoint, or there is none, and what `read_lens` raises.
    """
    if path is None and not (trace.fingerprint and paths.exists(_kept(kind, trace.fingerprint))):
        message = Message("No lens of this kind was made of this checkpoint yet.")
        hint = Message("Make one of a file of your own texts: bertviz-app study {0} FILE.", kind)
        raise AnalysisError(message, hint)
    chosen = _kept(kind, trace.fingerprint) if path is None else Path(path).expanduser()
    found = read_lens(chosen, kind)
    has_sizes = found.biases.shape == (trace.n_layers, trace.width)
    if found.fingerprint != trace.fingerprint or not has_sizes:
        message = Message("The lens in {0} was made of another checkpoint, {1}.", chosen.name, found.model)
        raise AnalysisError(message, Message("Open that checkpoint, or make a lens of this one."))
    return found


@dataclass(frozen=True)
class TrainedLensParameters(LensParameters):
    """`lens`: the file of the lens; None: the one that was kept for the checkpoint."""

    lens: Annotated[str | None, Message("File of the lens; empty: the one of this checkpoint")] = None


@dataclass(frozen=True)
class JacobianLensParameters(TrainedLensParameters):
    """`centred`: read the difference from the mean state, and add the mean of the last state.

    The authors read J h as it is, by a head that begins with a norm. BERT's head does not: of J h alone it
    reads little, even at words that are not masked.
    """

    centred: Annotated[bool, Message("Read differences from the mean state")] = True


def _through(
    inputs: Inputs, parameters: LensParameters, reporter: Reporter, lens: Lens, *, has_bias: bool = True
) -> LayerRankings:
    """Return what the task head reads of each state through a lens."""
    import torch

    model = inputs.opened

    def translated(state: int, hidden: Tensor) -> Tensor:
        matrix = torch.from_numpy(lens.matrices[state].copy()).to(hidden)
        bias = torch.from_numpy(lens.biases[state].copy()).to(hidden)
        return model.final_norm(hidden @ matrix.T + (bias if has_bias else 0))

    return read_by_layer(inputs, parameters, reporter, translated)


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
    lens = lens_for(inputs.trace, "tuned-lens", parameters.lens)
    return _through(inputs, parameters, reporter, lens)


@analysis(
    key="jacobian-lens",
    title=Message("Jacobian lens"),
    summary=Message(
        "Which pieces the vectors of each layer push the model towards, through the mean of what later "
        "layers make of a small change."
    ),
    limits=Message(
        "It is of first order: the mean Jacobian over a file of texts stands for all later layers. For an "
        "encoder the sum goes over the tokens on both sides, special tokens being left out. The authors read "
        "J h without the means, which is meant for a task head that begins with a norm."
    ),
    paper="Gurnee et al. 2026, Verbalizable representations form a global workspace in language models",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=refuse_without_masked_head,
)
def jacobian_lens(inputs: Inputs, parameters: JacobianLensParameters, reporter: Reporter) -> LayerRankings:
    """Return the likeliest pieces at each token, if the task head read J_l h of each hidden state h.

    J_l = E[sum over tokens p' of dz_p' / dh_p], z being the last hidden state (before a norm on top of the
    layers), the mean being over texts and over their tokens p. Centred, as it is by default, the head reads
    E[z] + J_l (h - E[h]).

    [L + 1, T, k], probabilities from 0 to 1; state 0 is that of the embeddings. A piece to follow comes last.
    At the last state J is the identity, so its pieces are the model's own. Raises AnalysisError where no lens
    was made of the checkpoint, FileError for a file that is none.
    """
    lens = lens_for(inputs.trace, "jacobian-lens", parameters.lens)
    return _through(inputs, parameters, reporter, lens, has_bias=parameters.centred)


def fingerprint_of(model: ModelAccess) -> tuple[str, str]:
    """Return fingerprint and name of the open checkpoint."""
    facts = model.checkpoint.facts
    return facts.fingerprint, facts.name
