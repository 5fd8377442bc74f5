"""Linear probes: how well labels are read from the hidden states of each layer, and a control task."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, cast
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.class_labels import refuse_several
from bertviz_app.analysis.entry import ModelAccess
from bertviz_app.analysis.parameters import Choice, Range, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture, Quantity, counted
from bertviz_app.analysis.results import LayerRankings, NamedArrays
from bertviz_app.errors import AnalysisError, FileError, Message
from bertviz_app.features.corpora.studies.study import (
    Measured,
    Part,
    Unit,
    as_lines,
    from_lines,
    joined,
    study,
)
from bertviz_app.tables import RowSource, Table, write_file, write_npz
from bertviz_app.text.tokens import NO_UNIT, word_units
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats, Indices
from bertviz_app.values import dataclass, field

Numbers = Indices
_MOST_STEPS = 1000
_N_DRAWS = 500


@dataclass(frozen=True, eq=False)
class LinearProbe:
    """`weights` [C, D] and `bias` [C] for features that are standardised by `mean` and `scale` [D].

    `gradient`: the largest entry of the gradient where training ended, which is 0 at the optimum.
    """

    weights: Doubles
    bias: Doubles
    mean: Doubles
    scale: Doubles
    gradient: float = 0.0

    def probabilities(self, features: NDArray[np.floating]) -> Doubles:
        """Return the probability of each class [..., C] by features [..., D]."""
        logits = (features.astype(np.float64) - self.mean) / self.scale @ self.weights.T + self.bias
        logits -= logits.max(-1, keepdims=True)
        shares = np.exp(logits)
        found: Doubles = shares / shares.sum(-1, keepdims=True)
        return found


def fitted(
    features: NDArray[np.floating], labels: Numbers, n_classes: int, decay: float, check: Callable[[], None]
) -> LinearProbe:
    """Return the probe with the least loss on features [N, D] with labels [N], numbers of `n_classes`.

    The loss is the mean of -log p(label) plus decay / 2 times the sum of all squared weights, of features
    that are standardised to mean 0 and deviation 1; the bias does not decay. It is convex, and L-BFGS from
    zero finds its one minimum: the same numbers on each run. `check` is called in each step.
    """
    import torch

    mean = features.mean(0, dtype=np.float64)
    scale = features.std(0, dtype=np.float64)
    scale[scale == 0] = 1.0
    inputs = torch.from_numpy((features.astype(np.float64) - mean) / scale)
    targets = torch.from_numpy(labels.astype(np.int64))
    weights = torch.zeros(n_classes, inputs.shape[1], dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(n_classes, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS(
        [weights, bias],
        max_iter=_MOST_STEPS,
        max_eval=2 * _MOST_STEPS,
        tolerance_grad=1e-7,
        tolerance_change=1e-15,
        history_size=20,
        line_search_fn="strong_wolfe",
    )

    def loss() -> torch.Tensor:
        check()
        optimiser.zero_grad()
        with torch.enable_grad():
            value = torch.nn.functional.cross_entropy(inputs @ weights.T + bias, targets)
            value = value + decay / 2 * weights.square().sum()
            value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    loss()
    gradient = max(float(one.grad.abs().max()) for one in (weights, bias) if one.grad is not None)
    return LinearProbe(weights.detach().numpy(), bias.detach().numpy(), mean, scale, gradient)


@dataclass(frozen=True)
class Score:
    """Shares from 0 to 1: of right labels, and the mean of the F1 of all classes, with intervals of 95%."""

    accuracy: float
    low: float
    high: float
    f1: float
    f1_low: float
    f1_high: float


def score(labels: Numbers, predicted: Numbers, groups: Numbers, n_classes: int, seed: int) -> Score:
    """Return how well labels [N] are predicted.

    The intervals are of draws of whole groups [N], such as the sentences of words, with replacement (the
    percentile bootstrap, Efron 1979); classes that are neither a label nor predicted do not count in F1.
    """
    pairs = labels * n_classes + predicted
    whole = _accuracy_and_f1(np.bincount(pairs, minlength=n_classes**2), n_classes)
    names, group = np.unique(groups, return_inverse=True)
    random = np.random.default_rng(seed)
    drawn = np.empty((_N_DRAWS, 2))
    for draw in range(_N_DRAWS):
        times = np.bincount(random.integers(len(names), size=len(names)), minlength=len(names))
        counts = np.bincount(pairs, weights=times[group], minlength=n_classes**2)
        drawn[draw] = _accuracy_and_f1(counts, n_classes)
    (low, f1_low), (high, f1_high) = np.nanpercentile(drawn, (2.5, 97.5), axis=0).tolist()
    return Score(whole[0], low, high, whole[1], f1_low, f1_high)


def _accuracy_and_f1(counts: NDArray[np.number], n_classes: int) -> tuple[float, float]:
    table = counts.reshape(n_classes, n_classes)  # true, predicted
    right, n_true, n_predicted = np.diag(table), table.sum(1), table.sum(0)
    occurs = n_true + n_predicted > 0
    if not occurs.any():
        return float("nan"), float("nan")
    f1 = 2 * right[occurs] / (n_true + n_predicted)[occurs]
    return float(right.sum() / table.sum()), float(f1.mean())


Place = Literal["first", "mean"]
Kind = Literal["words", "texts"]
_MOST_CLASSES = 500
_SCORES = ("accuracy", "low", "high", "f1", "f1 low", "f1 high")
_ARRAYS = ("weights", "bias", "mean", "scale")


@dataclass(frozen=True)
class ProbeParameters:
    """How vectors are made, and how a probe is trained.

    `place`: the vector of a word is that of its first piece, or the mean of its pieces; that of a text is of
    its first token, or the mean of all tokens but the special ones. `held_out`: the share of the sentences
    that are not trained on, drawn by `seed`; one that occurs again, or differs in nothing that is read, is
    the same one. `decay`: of the weights. `share`: of the sentences that are used at all, by their lines and
    `seed`; for files whose states do not fit into memory.
    """

    place: Annotated[str, Choice(("first", "mean")), Message("Vector: of the first piece, or the mean")] = (
        "first"
    )
    held_out: Annotated[float, Range(0.05, 0.9), Message("Share of the sentences that is held out")] = 0.2
    decay: Annotated[float, Range(1e-8, 1e3), Message("Weight decay")] = 1e-3
    seed: Annotated[int, Range(0), Message("Seed")] = 0
    share: Annotated[float, Range(0, 1), Message("Share of the sentences that is used")] = 1.0


@dataclass(frozen=True, eq=False)
class Probe:
    """Trained probes of all S hidden states of one checkpoint; `labels` are the C classes.

    `weights` [S, C, D], `bias` [S, C], `mean` and `scale` [S, D] as in `LinearProbe`. `fingerprint` is that
    of the checkpoint, "" where it is not known.
    """

    labels: tuple[str, ...]
    weights: Floats
    bias: Floats
    mean: Floats
    scale: Floats
    kind: Kind
    place: Place
    fingerprint: str = ""

    def of_state(self, state: int) -> LinearProbe:
        """Return the probe of one hidden state."""
        return LinearProbe(*(getattr(self, name)[state].astype(np.float64) for name in _ARRAYS))

    def apply(self, trace: Trace) -> LayerRankings:
        """Return the likeliest labels at each token of each hidden state, or of the whole text at each.

        The vectors are those that the probe was trained on: with the mean all pieces of a word, as the
        tokenizer has words, have one vector. Raises AnalysisError for a trace of another checkpoint.
        """
        shape = self.weights.shape[0], self.weights.shape[2]
        is_other = self.fingerprint and trace.fingerprint and self.fingerprint != trace.fingerprint
        if is_other or trace.hidden.shape[::2] != shape:
            message = Message("The probe was trained on the hidden states of another checkpoint.")
            raise AnalysisError(message, Message("Open the checkpoint that it was trained on."), "checkpoint")
        n_ranks = min(5, len(self.labels))
        vectors = self._vectors(trace)
        ids = np.empty((*vectors.shape[:2], n_ranks), np.int32)
        values = np.empty(ids.shape, np.float32)
        for state in range(len(vectors)):
            shares = self.of_state(state).probabilities(vectors[state])
            ids[state] = np.argsort(-shares, axis=-1, kind="stable")[:, :n_ranks]
            values[state] = np.take_along_axis(shares, ids[state].astype(np.intp), -1)
        tokens = trace.tokens.pieces if self.kind == "words" else (trace.tokens.text,)
        return LayerRankings(tokens, ids, values, dict(enumerate(self.labels)))

    def _vectors(self, trace: Trace) -> Doubles:
        hidden = trace.hidden.astype(np.float64)
        if self.kind == "texts":
            return _text_vectors(hidden, trace, self.place)[:, None]
        if self.place == "first":
            return hidden
        found, numbers = hidden.copy(), trace.tokens.words
        sentences = trace.tokens.sentences
        for sentence, number in {*zip(sentences.tolist(), numbers.tolist(), strict=True)}:
            if sentence >= 0:
                is_of_word = (sentences == sentence) & (numbers == number)
                found[:, is_of_word] = hidden[:, is_of_word].mean(1, keepdims=True)
        return found

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that `open_probe` reads, by name."""
        facts = {"kind": self.kind, "place": self.place, "fingerprint": self.fingerprint}
        numbers = {name: getattr(self, name) for name in _ARRAYS}
        return numbers | {"labels": np.array(self.labels), "probe": np.array(json.dumps(facts))}

    def save(self, path: str | Path) -> Path:
        """Write the probe as NPZ, and return its path.

        Raises FileError for another ending, or where it cannot be written.
        """
        return write_file(path, {".npz": lambda beside: write_npz(self.arrays(), beside)})


def open_probe(path: str | Path) -> Probe:
    """Return the probe of a file that `Probe.save` wrote, or of the NPZ file of a study of probes.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    Probe
        `probe.apply(model.trace(text))` has the likeliest labels at each token of each hidden state.

    Raises
    ------
    FileError
        For a file without a probe.
    """
    path = Path(path)
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            facts = json.loads(str(arrays["probe"]))
            numbers = [arrays[name].astype(np.float32) for name in _ARRAYS]
            labels = tuple(map(str, arrays["labels"]))
        n_states, n_classes, width = numbers[0].shape
        shapes = [one.shape for one in numbers[1:]]
        if shapes != [(n_states, n_classes), (n_states, width), (n_states, width)]:
            raise ValueError("arrays of other shapes")
        if len(labels) != n_classes or not all(np.isfinite(one).all() for one in numbers):
            raise ValueError("labels of other classes")
        kind, place = cast(Kind, facts["kind"]), cast(Place, facts["place"])
        if kind not in ("words", "texts") or place not in ("first", "mean"):
            raise ValueError("a probe of another kind")
        weights, bias, mean, scale = numbers
        return Probe(labels, weights, bias, mean, scale, kind, place, str(facts["fingerprint"]))
    except (OSError, ValueError, LookupError, TypeError, EOFError, BadZipFile, zlib.error) as error:
        message = Message("{0} has no probe.", path.name)
        raise FileError(message, Message("Give an NPZ file that a study of probes wrote.")) from error


@dataclass(frozen=True, eq=False, kw_only=True)
class ProbeResult(NamedArrays):
    """What probes of all hidden states read on held-out sentences, and the probes themselves.

    "scores" [S, 6] are accuracy, its interval of 95%, the mean F1 of the classes and its interval; "train"
    [S] the accuracy on what was trained on; "confusion" [C, C] counts true and predicted labels of the best
    state. Of words "control" [S] is the accuracy of the control task, and "selectivity" [S] how much of the
    accuracy is above it; of texts "shuffled" [S] is the accuracy of probes that were trained on shuffled
    labels. The fact "majority" is the share of the most frequent label.
    """

    probe: Probe = field()

    @property
    def beside(self) -> str:
        """The name of what the accuracy is compared with: "control" or "shuffled"."""
        return "control" if "control" in self.named else "shuffled"

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, with those of the probe."""
        return {**super().arrays(), **self.probe.arrays()}

    def pictures(self) -> tuple[Picture, ...]:
        scores, names = self.named["scores"], ("accuracy", self.beside, "majority")
        values = np.stack(
            [self.named["accuracy"], self.named[self.beside], np.zeros(len(scores), np.float32)]
        )
        values[2] = float(self.facts["majority"])
        low, high = np.full_like(values, np.nan), np.full_like(values, np.nan)
        low[0], high[0] = scores[:, 1], scores[:, 2]
        curves = Picture(
            key="accuracy",
            mark="curves",
            values=values,
            axes=(Axis("series", names), self.axes_of["accuracy"][0]),
            quantity=SHARE_OF_ONE,
            title=Message("Accuracy"),
            words={
                "accuracy": Message("Accuracy"),
                "control": Message("Control task"),
                "shuffled": Message("Shuffled labels"),
                "majority": Message("Most frequent label"),
            },
            low=low,
            high=high,
            levels=frozenset({"majority"}),
            top=1.0,
        )
        axes, title = self.axes_of["confusion"], Message("Labels of the best state")
        confusion = Picture("confusion", "cells", self.named["confusion"], axes, Quantity("count", 0), title)
        return curves, confusion

    def findings(self) -> tuple[str, ...]:
        facts, best = self.facts, int(self.facts["best state"])
        accuracy, low, high, f1, *_ = self.named["scores"][best].tolist()
        shares = [f"{one:.1%}" for one in (accuracy, low, high)]
        held = f"{int(facts['held out']):,}", *shares[1:], f"{f1:.3f}", facts["majority label"]
        found = [
            Message(
                "State {0}: {1} of {2} held-out labels ({3} to {4}), mean F1 {5}; the most frequent label is "
                "{6}.",
                best,
                shares[0],
                *held,
            )
        ]
        if n_again := int(facts["sentences that occur again"]):
            found.append(Message("{0} sentences occur again, in the same part.", f"{n_again:,}"))
        if self.beside == "control":
            share = f"{float(self.named['selectivity'][best]):.1%}"
            found.append(Message("Selectivity, accuracy less that of the control task: {0}.", share))
        else:
            found.append(
                Message(
                    "Random labels of texts can only be memorised: probes trained on shuffled labels reach "
                    "{0}.",
                    f"{float(self.named[self.beside][best]):.1%}",
                )
            )
        return tuple(found)

    def as_table(self) -> Table:
        """Return a row for each hidden state: its scores, and what they are compared with."""
        names = [self.beside, *(["selectivity"] if "selectivity" in self.named else [])]
        majority = float(self.facts["majority"])
        rows = RowSource(
            lambda: (
                (state, *scores, *(float(self.named[name][state]) for name in ("train", *names)), majority)
                for state, scores in enumerate(self.named["scores"].tolist())
            )
        )
        return Table(("state", *_SCORES, "train", *names, "majority"), rows)


@dataclass(frozen=True, eq=False)
class _Examples:
    """N vectors [N, S, D] with their labels and forms; `sentences` [N] numbers those of different tokens."""

    vectors: Floats
    labels: Numbers
    classes: tuple[str, ...]
    forms: tuple[str, ...]
    sentences: Numbers
    is_held_out: Bools


def _finish(model: ModelAccess, part: Part, parameters: ProbeParameters, reporter: Reporter) -> ProbeResult:
    """Return the probes of all states, trained on a part of the sentences, and their scores on the rest."""
    examples = _examples_of(part, parameters)
    kind = cast(Kind, from_lines(part.rows["kind"])[0])
    probes, scores, predicted, shares = _trained(examples, kind, parameters, reporter)
    labels, classes, held = examples.labels, examples.classes, examples.is_held_out
    weights, bias, mean, scale = (
        np.stack([getattr(probe, name) for probe in probes]).astype(np.float32) for name in _ARRAYS
    )
    place, fingerprint = cast(Place, parameters.place), model.checkpoint.facts.fingerprint
    probe = Probe(classes, weights, bias, mean, scale, kind, place, fingerprint)
    of_states = np.array([list(vars(one).values()) for one in scores], np.float32)
    best = int(of_states[:, 0].argmax())
    n_classes = len(classes)
    confusion = np.bincount(labels[held] * n_classes + predicted[best], minlength=n_classes**2)
    most = int(np.bincount(labels[~held]).argmax())
    state, label = counted("state", len(probes)), Axis("label", classes)
    beside = "control" if kind == "words" else "shuffled"
    accuracy = of_states[:, 0].copy()
    named = {
        "accuracy": accuracy,
        "scores": of_states,
        "train": shares[0].astype(np.float32),
        beside: shares[1].astype(np.float32),
        "confusion": confusion.reshape(n_classes, n_classes).astype(np.float32),
    }
    if kind == "words":
        named["selectivity"] = accuracy - named["control"]
    axes: dict[str, tuple[Axis, ...]] = dict.fromkeys(named, (state,))
    axes |= {"scores": (state, Axis("score", _SCORES)), "confusion": (label, Axis("predicted", classes))}
    facts: dict[str, str | int | float] = {
        "best state": best,
        "majority": float((labels[held] == most).mean()),
        "majority label": classes[most],
        "trained on": int((~held).sum()),
        "held out": int(held.sum()),
        "sentences held out": len({*examples.sentences[held].tolist()}),
        "sentences that occur again": len(np.unique(part.rows["lines"])) - int(examples.sentences.max()) - 1,
        "left out": int(part.sums["left out"]),
    }
    error = max(one.gradient for one in probes)
    return ProbeResult(
        named=named, axes_of=axes, facts=facts, identity_error=error, main="accuracy", probe=probe
    )


def _trained(
    examples: _Examples, kind: Kind, parameters: ProbeParameters, reporter: Reporter
) -> tuple[list[LinearProbe], list[Score], list[Numbers], Doubles]:
    """Return the probes of all states, and their scores and predictions on the held-out sentences.

    Then the shares [2, S] that are right: of the training sentences, and of the control task.
    """
    labels, classes, is_held_out = examples.labels, examples.classes, examples.is_held_out
    trained_on = ~is_held_out
    others, is_right = _compared_with(examples, kind, parameters.seed)
    n_states, held = examples.vectors.shape[1], np.flatnonzero(is_held_out)
    probes: list[LinearProbe] = []
    scores: list[Score] = []
    predicted: list[Numbers] = []
    shares = np.empty((2, n_states))
    for state in reported(range(n_states), reporter):
        vectors = examples.vectors[:, state]
        probe, control = (
            fitted(vectors[trained_on], one[trained_on], len(classes), parameters.decay, reporter.check)
            for one in (labels, others)
        )
        found = probe.probabilities(vectors).argmax(-1)
        groups = examples.sentences[held]
        scores.append(score(labels[held], found[held], groups, len(classes), parameters.seed))
        guessed = control.probabilities(vectors[held]).argmax(-1)
        shares[:, state] = (found == labels)[trained_on].mean(), (guessed == is_right[held]).mean()
        probes.append(probe)
        predicted.append(found[held])
    return probes, scores, predicted, shares


def _examples_of(part: Part, parameters: ProbeParameters) -> _Examples:
    """Return the examples of the file, and a mask of the held-out sentences. Raises AnalysisError."""
    vectors = part.rows.get("vectors", np.zeros((0, 1, 1), np.float32))
    named = from_lines(part.rows["labels"]) if len(vectors) else []
    classes = tuple(sorted({label for label, _ in named}))
    read = part.rows.get("read", np.zeros(0, np.int64))
    # The same tokens have the same vectors: a sentence that occurs again is the same one, in the same part.
    _, first, sentences = np.unique(read, return_index=True, return_inverse=True)
    sentences = first.argsort().argsort()[sentences]  # numbered as they come
    n_sentences = int(sentences.max(initial=-1)) + 1
    if n_sentences < 2 or len(classes) < 2:
        message = Message("A probe needs two different sentences and two labels or more.")
        raise AnalysisError(message, Message("Give a file with more labelled sentences."))
    if len(classes) > _MOST_CLASSES:
        message = Message("The file has {0} different labels.", f"{len(classes):,}")
        raise AnalysisError(message, Message("Choose a column with at most {0} labels.", _MOST_CLASSES))
    n_held = min(max(round(parameters.held_out * n_sentences), 1), n_sentences - 1)
    order = np.random.default_rng(parameters.seed).permutation(n_sentences)
    is_held_out = np.isin(sentences, order[:n_held])
    number = {label: at for at, label in enumerate(classes)}
    labels = np.array([number[label] for label, _ in named], np.intp)
    if len({*labels[~is_held_out].tolist()}) < 2:
        message = Message("The sentences that are trained on have one label.")
        raise AnalysisError(message, Message("Hold out fewer sentences, or choose another seed."))
    return _Examples(vectors, labels, classes, tuple(form for _, form in named), sentences, is_held_out)


def _compared_with(examples: _Examples, kind: Kind, seed: int) -> tuple[Numbers, Numbers]:
    """Return the labels [N] that a probe is compared with, and those that are right there.

    Of words: each type has a random label, drawn as often as the true ones are among the words that are
    trained on, the same wherever it occurs. Of texts such labels can only be memorised, none is right on a
    text that was held out; so labels are shuffled among the texts, and the true ones are right.
    """
    random = np.random.default_rng([seed, 1])
    labels, trained_on = examples.labels, ~examples.is_held_out
    if kind == "words":
        shares = np.bincount(labels[trained_on], minlength=len(examples.classes)) / trained_on.sum()
        types, type_of = np.unique(np.array(examples.forms), return_inverse=True)
        control = random.choice(len(examples.classes), size=len(types), p=shares)[type_of]
        return control, control
    shuffled = labels.copy()
    shuffled[trained_on] = random.permutation(labels[trained_on])
    return shuffled, labels


_LIMITS = Message(
    "A label that can be read from a vector need not be used by the model; a probe may have learnt it "
    "itself: compare with the control task. Draws of the split differ: try other seeds."
)
_LIMITS_OF_TEXTS = Message(
    "A label that can be read from a vector need not be used by the model. Random labels of texts can only "
    "be memorised, so there is no control task: the accuracy is beside that of probes trained on shuffled "
    "labels."
)


@study(
    key="probe",
    title=Message("Probe of words"),
    summary=Message(
        "How well the labels of words are read from the hidden states of each layer, beside a control task."
    ),
    limits=_LIMITS,
    paper="Hewitt & Liang 2019, arXiv:1909.03368",
    reads="words",
    finish=_finish,
)
def word_probe(measured: Measured, parameters: ProbeParameters, reporter: Reporter) -> Part:
    """Return the scores of linear probes of all hidden states [L + 1], trained on labels of words.

    See `ProbeResult` and `fitted`. In the control task each word type has a random label, the same wherever
    it stands; what a probe reaches there it has learnt by itself. Words that share a token with others, and
    those without one, are left out and counted. `identity_error`: the largest entry of the gradient where
    training ended, which is 0 at the optimum.
    """
    return _summed(measured, parameters, reporter, _of_words)


@study(
    key="text-probe",
    title=Message("Probe of texts"),
    summary=Message(
        "How well the labels of texts are read from the hidden states of each layer, beside shuffled labels."
    ),
    limits=_LIMITS_OF_TEXTS,
    paper="Alain & Bengio 2017, arXiv:1610.01644",
    reads="labelled",
    finish=_finish,
)
def text_probe(measured: Measured, parameters: ProbeParameters, reporter: Reporter) -> Part:
    """Return the scores of linear probes of all hidden states [L + 1], trained on labels of texts.

    See `ProbeResult` and `fitted`. `identity_error`: the largest entry of the gradient where training ended,
    which is 0 at the optimum.
    """
    return _summed(measured, parameters, reporter, _of_text)


def _summed(
    measured: Measured,
    parameters: ProbeParameters,
    reporter: Reporter,
    part_of: Callable[[Unit, Trace, ProbeParameters], Part],
) -> Part:
    """Return the sum of the parts of the sentences that are used: by their line and the seed alone."""
    parts = [Part({"left out": np.array(0)})]
    for unit in measured.units:
        if zlib.crc32(f"{parameters.seed} {unit.item.line}".encode()) < parameters.share * 2**32:
            reporter.check()
            parts.append(part_of(unit, measured.record(unit.tokens), parameters))
    return joined(parts)


def _of_words(unit: Unit, trace: Trace, parameters: ProbeParameters) -> Part:
    marks = unit.item.marks
    units = word_units(unit.tokens, [mark[:2] for mark in marks])
    alone = np.bincount(units.of_word[units.of_word != NO_UNIT], minlength=units.count) == 1
    used = [at for at, one in enumerate(units.of_word.tolist()) if one != NO_UNIT and alone[one]]
    vectors = [
        trace.hidden[:, tokens[0]] if parameters.place == "first" else trace.hidden[:, tokens].mean(1)
        for tokens in (units.tokens_of(word) for word in used)
    ]
    named = [[marks[at][2], unit.item.text[slice(*marks[at][:2])]] for at in used]
    return _part(trace, vectors, named, unit, ("words", len(marks) - len(used)))


def _of_text(unit: Unit, trace: Trace, parameters: ProbeParameters) -> Part:
    vector = _text_vectors(trace.hidden, trace, cast(Place, parameters.place)).astype(np.float32)
    refuse_several([unit.item.label])
    return _part(trace, [vector], [[unit.item.label, ""]], unit, ("texts", 0))


def _text_vectors(hidden: NDArray[Any], trace: Trace, place: Place) -> NDArray[Any]:
    """Return the vectors [S, D] of a text in hidden states [S, T, D]."""
    found: NDArray[Any] = hidden[:, 0] if place == "first" else hidden[:, ~trace.tokens.is_special].mean(1)
    return found


def _part(
    trace: Trace, vectors: list[Floats], named: list[list[str]], unit: Unit, facts: tuple[Kind, int]
) -> Part:
    n_states, _, width = trace.hidden.shape
    ids = np.stack([unit.tokens.ids, unit.tokens.segment_ids]).astype("<i4").tobytes()
    stacked = np.stack(vectors) if vectors else np.zeros((0, n_states, width), np.float32)
    rows: dict[str, NDArray[Any]] = {
        "vectors": stacked.astype(np.float32),
        "labels": as_lines(named),
        "lines": np.full(len(vectors), unit.item.line, np.int64),
        "read": np.full(len(vectors), int.from_bytes(blake2b(ids, digest_size=8).digest(), signed=True)),
        "kind": as_lines(facts[:1]),
    }
    return Part({"left out": np.array(facts[1])}, rows)
