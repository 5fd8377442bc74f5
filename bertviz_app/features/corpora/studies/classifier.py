"""`judged_texts`: a classifier judged on a file: each text's prediction beside its label, and the sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, NamedTuple

import numpy as np

from bertviz_app.analysis.class_labels import ClassLabels, Stated, refuse_several
from bertviz_app.analysis.entry import ModelAccess, Needs, Refusal
from bertviz_app.analysis.parameters import Range, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture, Quantity, counted
from bertviz_app.analysis.predictions import problem_of, softmax
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.statistics import labels_found, wilson
from bertviz_app.features.corpora.studies.study import Measured, Part, as_lines, from_lines, study
from bertviz_app.tables import RowSource, Table
from bertviz_app.text_tables.items import Item
from bertviz_app.trace.provenance import ONE_LABEL
from bertviz_app.types import Bools, Doubles, Floats
from bertviz_app.values import dataclass, field

_AT_ONCE = 16  # texts of one pass
_LENGTHS = 4  # slices by the number of tokens


@dataclass(frozen=True)
class JudgedParameters:
    """`labels`: which label of the file is which class, as "pos=1, neg=0"; None: as `ClassLabels` says.

    `slices`: words, with commas between them; texts that contain one are counted by themselves, too. `bins`:
    into so many equal parts the probabilities are cut for the calibration.
    """

    labels: Stated = None
    slices: Annotated[str | None, Message("Count texts with these words by themselves, too")] = None
    bins: Annotated[int, Range(2, 50), Message("Parts of the calibration")] = 10


@dataclass(frozen=True)
class JudgedText:
    """A text of the file, the class of its label, and how likely the model takes each class to be."""

    item: Item
    label: int
    probabilities: tuple[float, ...]
    n_tokens: int

    @property
    def predicted(self) -> int:
        """The likeliest class; the first of several alike."""
        return max(range(len(self.probabilities)), key=self.probabilities.__getitem__)

    @property
    def confidence(self) -> float:
        """The probability of the likeliest class."""
        return self.probabilities[self.predicted]

    @property
    def is_right(self) -> bool:
        """Whether the likeliest class is that of the label."""
        return self.predicted == self.label


class TextSlice(NamedTuple):
    """Some texts of the file: what they have in common, and which they are.

    `word`: they contain it; "" where `least` and `most` are the limits of their tokens.
    """

    word: str
    least: int
    most: int

    def has(self, text: JudgedText) -> bool:
        """Return whether a text is one of them."""
        if self.word:
            return self.word.casefold() in f"{text.item.text} {text.item.pair or ''}".casefold()
        return self.least <= text.n_tokens <= self.most

    @property
    def name(self) -> str:
        """Its word, or the limits of its tokens."""
        return f"“{self.word}”" if self.word else f"{self.least}-{self.most} tokens"


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedTexts(NamedArrays):
    """A classifier on a file: "values" [C, C], how many texts of each label were predicted as each class.

    Beside it "probabilities" [N, C] of each text; "calibration" [B, 3]: of the texts whose likeliest class
    has a probability in that part of 0 to 1 their number, the mean of that probability, and the share that is
    right (nan where there are none); "by class" [C, 3]: precision, recall and F1 (nan for 0 / 0); "slices"
    [S, 4]: of each of `slices` the number of texts, the share that is right, and the ends of its interval.
    Facts: "accuracy", its interval ("low", "high"), "macro F1", "calibration error" (the mean distance of
    probability and share, by the number of texts: Guo et al. 2017), "commonest" (the accuracy of always
    saying the commonest label), and "labels": which class each is, where that is stated or they are numbers.
    """

    texts: tuple[JudgedText, ...] = ()
    classes: tuple[str, ...] = ()
    slices: tuple[TextSlice, ...] = field(default=())

    def pictures(self) -> tuple[Picture, ...]:
        """Return how many texts of each label were predicted as each class, and how right by how sure.

        Then the slices. Each part lists its texts.
        """
        texts = Picture(
            key="texts",
            mark="cells",
            values=self.named["values"],
            axes=self.axes,
            quantity=Quantity("count", 0),
            title=Message("Texts"),
            meaning=Message("Click a cell to list its texts."),
            lists=lambda index: self._listed(
                lambda one: index in ({}, {"label": one.label, "predicted": one.predicted})
            ),
        )
        counts, n_parts = self.named["calibration"][:, 0], len(self.named["calibration"])
        there = np.flatnonzero(counts)
        found = self.named["calibration"][there]
        parts = Axis("part", tuple(f"{100 * sure:.2f}" for sure in found[:, 1]))
        right = Picture(
            key="calibration",
            mark="curves",
            values=np.stack([found[:, 2], found[:, 1]]).astype(np.float32),
            axes=(Axis("series", ("right", "as sure as right")), parts),
            quantity=SHARE_OF_ONE,
            title=Message("Right"),
            words={"right": Message("Right"), "as sure as right": Message("As sure as right")},
            levels=frozenset({"as sure as right"}),
            top=1.0,
            meaning=Message("Click a dot to list its texts."),
            lists=lambda index: self._listed(
                lambda one: not index or _part_of(one.confidence, n_parts) == there[index["part"]]
            ),
        )
        by_slice = self.named["slices"]
        slices = Picture(
            key="slices",
            mark="bars",
            values=by_slice[:, 1],
            axes=self.axes_of["slices"][:1],
            quantity=SHARE_OF_ONE,
            title=Message("Right by slice"),
            words={
                one.name: Message("{0} to {1} tokens", one.least, one.most)
                for one in self.slices
                if not one.word
            },
            low=by_slice[:, 2],
            high=by_slice[:, 3],
            top=1.0,
            details=lambda index: [Message("{0} texts", f"{int(by_slice[index['slice'], 0]):,}")],
            lists=lambda index: self._listed(lambda one: not index or self.slices[index["slice"]].has(one)),
        )
        return texts, right, slices

    def _listed(self, is_listed: Callable[[JudgedText], bool]) -> list[tuple[str, Item]]:
        """Return these texts with what was predicted of each, the errors first, the surest of them on top."""
        found = []
        for one in filter(is_listed, self.in_order):
            label, predicted = self.classes[one.label], self.classes[one.predicted]
            judged = f"✓  {predicted}" if one.is_right else f"✗  {label} → {predicted}"
            text = one.item.text if one.item.pair is None else f"{one.item.text}  ·  {one.item.pair}"
            found.append((f"{judged}  {one.confidence:.0%}   {text}", one.item))
        return found

    def findings(self) -> tuple[str, ...]:
        facts = self.facts
        shares = [f"{float(facts[name]):.1%}" for name in ("accuracy", "low", "high")]
        return (
            Message(
                "{0} of {1} texts are right ({2} to {3})", shares[0], f"{int(facts['texts']):,}", *shares[1:]
            ),
            Message(
                "always the commonest label: {0} · mean F1 {1} · off its own probability by {2}",
                f"{float(facts['commonest']):.1%}",
                f"{float(facts['macro F1']):.3f}",
                f"{float(facts['calibration error']):.1%}",
            ),
            *labels_found(facts),
        )

    @property
    def in_order(self) -> list[JudgedText]:
        """The errors first, those of which the model was surest before the others; then what is right."""
        return sorted(
            self.texts, key=lambda one: (one.is_right, one.confidence * (1 if one.is_right else -1))
        )

    def as_table(self) -> Table:
        """Return a row for each text, errors first: line, texts, label, predicted, and the probabilities."""
        has_pairs = any(one.item.pair is not None for one in self.texts)
        columns = ("line", "text", *(("second_text",) if has_pairs else ()), "label", "predicted")
        rows = RowSource(
            lambda: (
                (
                    one.item.line,
                    one.item.text,
                    *((one.item.pair,) if has_pairs else ()),
                    self.classes[one.label],
                    self.classes[one.predicted],
                    *one.probabilities,
                )
                for one in self.in_order
            )
        )
        return Table((*columns, *(f"probability of {name}" for name in self.classes)), rows)


def _finish(model: ModelAccess, part: Part, parameters: JudgedParameters, reporter: Reporter) -> JudgedTexts:
    """Return how often the classifier is right. Raises AnalysisError for a file without any labelled text."""
    rows = from_lines(part.rows["texts"]) if "texts" in part.rows else []
    if not rows:
        message = Message("No text of this file has a label.")
        raise AnalysisError(message, Message("Give a file of rows with a label and a text each."))
    probabilities: Floats = part.rows["probabilities"].astype(np.float32)
    texts = tuple(
        JudgedText(Item(line, text, pair, label), number, tuple(shares), n_tokens)
        for (line, text, pair, label, number, n_tokens), shares in zip(
            rows, probabilities.tolist(), strict=True
        )
    )
    return _judged(texts, tuple(model.class_names), probabilities, parameters)


def _judged(
    texts: tuple[JudgedText, ...],
    classes: tuple[str, ...],
    probabilities: Floats,
    parameters: JudgedParameters,
) -> JudgedTexts:
    labels, predicted, confidence = (
        np.array([getattr(one, name) for one in texts]) for name in ("label", "predicted", "confidence")
    )
    confusion = np.zeros((len(classes), len(classes)))
    np.add.at(confusion, (labels, predicted), 1)
    by_class, slices = _by_class(confusion), _slices(texts, parameters.slices)
    calibration = _calibration(confidence, labels == predicted, parameters.bins)
    of_slices = [[text.is_right for text in texts if one.has(text)] for one in slices]
    right, counts = (np.array([of(one) for one in of_slices], np.float64) for of in (sum, len))
    shares = np.divide(right, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    hits, count = float(np.trace(confusion)), len(texts)
    (low,), (high,) = wilson([hits], [count])
    filled = np.nan_to_num(calibration)
    error = float((filled[:, 0] * np.abs(filled[:, 1] - filled[:, 2])).sum() / count)
    with_label = confusion.sum(1) > 0
    of_class = Axis("class", classes)
    return JudgedTexts(
        {
            "values": confusion.astype(np.float32),
            "probabilities": probabilities,
            "calibration": calibration.astype(np.float32),
            "by class": by_class.astype(np.float32),
            "slices": np.stack([counts, shares, *wilson(right, counts)], axis=1).astype(np.float32),
        },
        {
            "values": (Axis("label", classes), Axis("predicted", classes)),
            "probabilities": (Axis("text", tuple(str(one.item.line) for one in texts)), of_class),
            "calibration": (
                counted("part", len(calibration)),
                Axis("of it", ("texts", "probability", "right")),
            ),
            "by class": (of_class, Axis("measure", ("precision", "recall", "F1"))),
            "slices": (
                Axis("slice", tuple(one.name for one in slices)),
                Axis("of it", ("texts", "right", "low", "high")),
            ),
        },
        {
            "accuracy": hits / count,
            "low": float(low),
            "high": float(high),
            "macro F1": float(np.nan_to_num(by_class[with_label, 2]).mean()),
            "calibration error": error,
            "commonest": float(confusion.sum(1).max() / count),
            "texts": count,
            **ClassLabels(classes, parameters.labels).facts(
                has_numbers=any(one.item.label.isdecimal() for one in texts)
            ),
        },
        texts=texts,
        classes=classes,
        slices=slices,
    )


def _by_class(confusion: Doubles) -> Doubles:
    """Return precision, recall and F1 [C, 3] by the counts [labels, predicted]; nan for 0 / 0."""
    hits = np.diag(confusion)
    with np.errstate(invalid="ignore"):
        precision, recall = hits / confusion.sum(0), hits / confusion.sum(1)
        both = 2 * hits / (confusion.sum(0) + confusion.sum(1))
    found: Doubles = np.stack((precision, recall, both), axis=1)
    return found


def _part_of(confidence: float, bins: int) -> int:
    """Return in which of the equal parts of 0 to 1 a probability is."""
    return min(int(confidence * bins), bins - 1)


def _calibration(confidence: Doubles, is_right: Bools, bins: int) -> Doubles:
    """Return of each part of 0 to 1 the number of texts, their mean probability, the share that is right."""
    at = np.array([_part_of(one, bins) for one in confidence.tolist()])
    count = np.bincount(at, minlength=bins).astype(np.float64)
    with np.errstate(invalid="ignore"):
        mean = np.bincount(at, confidence, bins) / count
        right = np.bincount(at, is_right, bins) / count
    found: Doubles = np.stack((count, mean, right), axis=1)
    return found


def _slices(texts: Sequence[JudgedText], words: str | None) -> tuple[TextSlice, ...]:
    """Return the slices by the words, and those by quarters of the number of tokens."""
    named = [TextSlice(word.strip(), 0, 0) for word in (words or "").split(",") if word.strip()]
    lengths = np.sort([one.n_tokens for one in texts])
    ends = [int(lengths[min(len(lengths) - 1, len(lengths) * at // _LENGTHS)]) for at in range(_LENGTHS)]
    starts = list(dict.fromkeys(ends))
    limits = [*(start - 1 for start in starts[1:]), int(lengths[-1])]
    return (*named, *(TextSlice("", least, most) for least, most in zip(starts, limits, strict=True)))


@study(
    key="classifier",
    title=Message("A classifier on a file"),
    summary=Message("How often a classifier is right, on which texts it is wrong, and how sure it was."),
    limits=Message(
        "The labels of the file are taken as right, and its texts as a fair sample; the interval is of the "
        "sample alone."
    ),
    paper="Guo et al. 2017, arXiv:1706.04599, section 2; Wilson 1927, JASA 22(158)",
    needs=Needs.MODEL | Needs.TASK_HEAD,
    refuses=Refusal(
        lambda form, task_heads: "classes" not in task_heads,
        Message("This checkpoint does not tell classes of texts apart."),
        Message("Open a classifier of texts."),
        "task head",
    ),
    reads="labelled",
    finish=_finish,
)
def judged_texts(measured: Measured, parameters: JudgedParameters, reporter: Reporter) -> Part:
    """Return the probabilities of the classes of each text, with its label.

    Raises AnalysisError for a checkpoint that does not choose one of several classes, and for labels that are
    no names or numbers of its classes.
    """
    if not measured.units:
        return Part()
    model, units = measured.model, measured.units
    shares: list[Doubles | None] = [None] * len(units)
    order = sorted(range(len(units)), key=lambda at: len(units[at].tokens))
    for first in range(0, len(order), _AT_ONCE):
        reporter.check()
        chosen = order[first : first + _AT_ONCE]
        output = model.forward([units[at].tokens for at in chosen])
        logits = model.task_logits(output.hidden, output.seen, []).classes
        assert logits is not None, "without classes the study is refused"
        if problem_of(logits.shape[-1], model.meaning) != ONE_LABEL:
            message = Message("This checkpoint does not choose one of several classes.")
            raise AnalysisError(message, Message("Open a classifier that was trained to choose one class."))
        for at, row in zip(chosen, logits.double().numpy(), strict=True):
            shares[at] = softmax(row)
    probabilities = np.stack([row for row in shares if row is not None])
    known = ClassLabels(model.class_names, parameters.labels)
    refuse_several(unit.item.label for unit in units)
    known.refuse_unknown(unit.item.label for unit in units)
    rows = [
        [
            unit.item.line,
            unit.item.text,
            unit.item.pair,
            unit.item.label,
            known.of(unit.item.label),
            len(unit.tokens),
        ]
        for unit in units
    ]
    return Part(rows={"texts": as_lines(rows), "probabilities": probabilities.astype(np.float32)})
