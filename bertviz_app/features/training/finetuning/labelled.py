"""Rows as numbers, split into rows to train on and to evaluate on, and the network that learns them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, cross_entropy, mse_loss

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.errors import Message
from bertviz_app.features.training.finetuning.settings import Row, labels_of
from bertviz_app.features.training.loop import ModelInputs, fill
from bertviz_app.features.training.settings import TrainingError
from bertviz_app.text import Tokenizer
from bertviz_app.text.tokenizer import EncodedText
from bertviz_app.text_tables.token_labels import LabelledSentence
from bertviz_app.types import Bools, Doubles, Floats, Ints, Longs
from bertviz_app.values import dataclass, replace

NOT_COUNTED = -100
"""The label of a token that is not counted in the loss."""


@dataclass(frozen=True, eq=False)
class LabelledBatch(ModelInputs):
    """Inputs of the model, and the numbers of their labels, or their scores.

    Where a row may have several of N labels, they are 1 for each that it has, and 0 for the others.
    Where tokens have labels, those of other tokens are NOT_COUNTED.
    """

    labels: Tensor  # [B], int64; scores are float32; of tokens [B, T]; several of N float32 [B, N]


class Predicted(NamedTuple):
    """Of one batch: the logits of each label, and the mean cross-entropy of the labels in nats.

    Of scores: the predicted scores, and their mean squared error.
    """

    logits: Tensor  # [B, N]; of scores [B, 1]; of tokens [B, T, N]
    loss: Tensor  # []


class ClassifierNetwork(nn.Module):
    """An encoder, and the head that reads its pooled vector, or the vector of each token.

    Devlin et al. 2019, arXiv:1810.04805, sections 4.1 and 5.3.
    """

    def __init__(self, config: EncoderConfig, heads: TaskHeadsConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.heads = TaskHeads(config, heads)

    def forward(self, batch: LabelledBatch, factors: Tensor | None = None) -> Predicted:
        """Return the predictions for a batch.

        `factors` multiply the vectors that the head reads, [B, D], or [B, T, D] of tokens: see `dropout`.
        """
        hidden, pooled = self.encoder(batch.ids, batch.segment_ids, batch.position_ids, seen=batch.seen)
        if self.heads.token_labels is not None:
            hidden = hidden if factors is None else hidden * factors.to(hidden.device)  # [B, T, D]
            logits = self.heads.token_labels(hidden).float()  # [B, T, N]
        else:
            assert self.heads.classifier is not None
            assert pooled is not None
            pooled = pooled if factors is None else pooled * factors.to(pooled.device)  # [B, D]
            logits = self.heads.classifier(hidden, pooled).float()  # [B, N]
        return Predicted(logits, loss_of(logits, batch.labels))

    def freeze_encoder(self) -> None:
        """Exclude embeddings and layers from training; a pooler serves the classifier and is trained."""
        for part in (self.encoder.embeddings, self.encoder.layers):
            part.requires_grad_(requires_grad=False)


def loss_of(logits: Tensor, labels: Tensor) -> Tensor:
    """Return the mean cross-entropy of labels in nats, or the mean squared error of scores.

    Of several labels a row, it is the mean of the binary cross-entropies of all.
    """
    if labels.is_floating_point() and labels.ndim == 2:
        return binary_cross_entropy_with_logits(logits, labels)
    if labels.is_floating_point():
        return mse_loss(logits[:, 0], labels)
    return cross_entropy(logits.flatten(0, -2), labels.flatten(), ignore_index=NOT_COUNTED)


def accuracy_of(logits: Tensor, labels: Tensor) -> float | None:
    """Return the share of the labels that are predicted; None of scores, and of several labels a row."""
    if labels.is_floating_point():
        return None
    is_counted = labels != NOT_COUNTED
    return float((logits.argmax(-1)[is_counted] == labels[is_counted]).float().mean())


def network_on(encoder: Encoder, heads: TaskHeadsConfig, seed: int) -> ClassifierNetwork:
    """Return a network with a copy of the weights of `encoder`, and a newly initialised classifier.

    A classifier of texts reads the pooled vector: the pooler of an encoder without one is newly initialised,
    too. One of tokens has no pooler.
    """
    has_pooler = not heads.n_token_labels
    network = ClassifierNetwork(replace(encoder.config, has_pooler=has_pooler), heads)
    fill(network, seed)
    weights = {
        name: tensor
        for name, tensor in encoder.state_dict().items()
        if has_pooler or not name.startswith("pooler.")
    }
    network.encoder.load_state_dict(weights, strict=not has_pooler or encoder.pooler is not None)
    return network


def dropout(shape: tuple[int, ...], share: float, seed: list[int]) -> Tensor:
    """Return the factors of dropout, [B, D] or [B, T, D]: 0 for `share` of them, else 1 / (1 - share).

    Srivastava et al. 2014, Journal of Machine Learning Research 15, section 4.

    They depend on `seed` alone, so that a resumed run draws the same.
    """
    draws = np.random.default_rng([*seed, 6]).random(shape, np.float32)
    return torch.from_numpy(draws >= share) / (1.0 - share)


Integers = Longs
Scores = Floats
_AT_ONCE = 1_000  # rows or sentences


@dataclass(frozen=True, eq=False)
class Labelled:
    """N rows as the ids of their tokens, one row after the other, special tokens included."""

    ids: Ints  # [n tokens]
    segment_ids: Ints  # [n tokens]
    starts: Integers  # [N + 1], indices into the ids, the last one their end
    labels: Integers | Scores  # [N], the numbers of the labels, or the scores; of several labels [N, C]
    n_cut: int  # rows whose ends were left out

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> Integers:
        """The tokens of each row: [N]."""
        return np.diff(self.starts)

    def counts(self, rows: Integers, n_labels: int) -> Integers:
        """Return how many of `rows` have each label: [N]."""
        if self.labels.ndim == 2:
            return np.asarray(self.labels[rows].sum(0), np.int64)
        return np.bincount(self.labels[rows].astype(np.int64), minlength=n_labels)

    def mark(self) -> int:
        """Return a checksum of the rows."""
        return zlib.crc32(b"".join((self.ids.tobytes(), self.starts.tobytes(), self.labels.tobytes())))

    def batch(self, chosen: Integers) -> LabelledBatch:
        """Return the rows of the numbers `chosen`, padded to the longest of them."""
        ids, segment_ids, seen, _ = self.padded(chosen)
        return LabelledBatch(*map(torch.from_numpy, (ids, segment_ids, seen, self.labels[chosen])))

    def padded(self, chosen: Integers) -> tuple[Integers, Integers, Bools, NDArray[np.integer[Any]]]:
        """Return the ids, the segments, where no padding is, [B, T] each, and the indices of the ids."""
        lengths = self.lengths[chosen]  # [B]
        seen = np.arange(int(lengths.max())) < lengths[:, None]  # [B, T]
        indices = np.concatenate([np.arange(self.starts[row], self.starts[row + 1]) for row in chosen])
        ids, segment_ids = np.zeros((2, *seen.shape), np.int64)
        ids[seen], segment_ids[seen] = self.ids[indices], self.segment_ids[indices]
        return ids, segment_ids, seen, indices


def _encoded(
    texts: Sequence[tuple[str, str | None]], tokenizer: Tokenizer, check: Callable[[], None]
) -> Iterator[EncodedText]:
    for first in range(0, len(texts), _AT_ONCE):
        check()
        yield from tokenizer.encode_many(texts[first : first + _AT_ONCE])


def labelled(
    rows: Sequence[Row], labels: Integers | Scores, tokenizer: Tokenizer, check: Callable[[], None]
) -> Labelled:
    """Return `rows` as numbers, with their `labels` [N]. `check` is called often and may raise."""
    ids: list[int] = []
    segment_ids: list[int] = []
    lengths: list[int] = []
    n_cut = 0
    for one in _encoded([(row.text, row.pair) for row in rows], tokenizer, check):
        ids += one.ids
        segment_ids += one.segment_ids
        lengths.append(len(one.ids))
        n_cut += one.is_cut
    return Labelled(
        ids=np.array(ids, np.int32),
        segment_ids=np.array(segment_ids, np.int32),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        labels=labels,
        n_cut=n_cut,
    )


def numbers_of(rows: Sequence[Row], names: Sequence[str]) -> Integers:
    """Return the numbers of the labels of `rows` [N] by `names`."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[row.label] for row in rows], np.int64)


def flags_of(rows: Sequence[Row], names: Sequence[str]) -> Scores:
    """Return 1 where a row has a label, else 0 [N, C], for rows that may have several of C `names`."""
    return np.array([[name in labels_of(row) for name in names] for row in rows], np.float32)


def split_rows(
    labels: Integers | Scores, share: float, seed: int, column: str = "label"
) -> tuple[Integers, Integers]:
    """Return the numbers of the rows to train on, and of those held out: `share` of each label.

    Of every label at least one row is trained on and, where it has two, one is held out; scores,
    and rows with several labels, are held out whatever they are. Raises TrainingError where no row can be
    held out, with the `column` of the labels.
    """
    rng = np.random.default_rng([seed, 7])
    is_held_out = np.zeros(len(labels), np.bool_)
    groups = labels if labels.dtype.kind == "i" else np.zeros(len(labels), np.int64)
    for label in np.unique(groups):
        own = rng.permutation(np.flatnonzero(groups == label))
        n_held_out = min(len(own) - 1, max(1, round(share * len(own))))
        is_held_out[own[:n_held_out]] = True
    if not is_held_out.any():
        message = Message("Every label in column {0} has one row only: none can be held out.", column)
        hint = Message("Is it the column of the labels? Otherwise give more rows, or rows to evaluate on.")
        raise TrainingError(message, hint)
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)


def training_batches(rows: Integers, lengths: Integers, size: int, seed: list[int]) -> list[Integers]:
    """Return `rows` in an order that depends on `seed`, in batches of `size` rows of similar length.

    `lengths` are those of all rows.
    """
    rng = np.random.default_rng([*seed, 8])
    order = rng.permutation(rows)
    n_pool = 64 * size  # rows of 64 batches
    found: list[Integers] = []
    for first in range(0, len(order), n_pool):
        found += evaluation_batches(order[first : first + n_pool], lengths, size)
    return [found[number] for number in rng.permutation(len(found))]


def evaluation_batches(rows: Integers, lengths: Integers, size: int) -> list[Integers]:
    """Return `rows` in batches of `size`, shortest first."""
    order = rows[np.argsort(lengths[rows], kind="stable")]
    return [order[first : first + size] for first in range(0, len(order), size)]


N_AT_ONCE = 64
"""Rows of a batch that needs no gradients."""
N_SAMPLE = 1_000
"""Rows of an evaluation during the run, drawn once; the last evaluation is on all rows."""


def sample(rows: Integers, seed: int) -> Integers:
    """Return at most N_SAMPLE of `rows`."""
    return np.random.default_rng([seed, 9]).permutation(rows)[:N_SAMPLE]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A network, and the `rows` of `examples` that it is evaluated on.

    `cast` sets the precision; `check` is called before each batch and may raise.
    """

    network: ClassifierNetwork
    examples: Labelled
    rows: Integers
    cast: Callable[[], AbstractContextManager[object]]
    check: Callable[[], None]

    def predictions(self) -> Iterator[tuple[Integers, Predicted]]:
        """Yield the numbers of the rows of each batch, and what is predicted for them."""
        device = next(self.network.parameters()).device
        for chosen in evaluation_batches(self.rows, self.examples.lengths, N_AT_ONCE):
            self.check()
            with torch.no_grad(), self.cast():
                predicted = self.network(self.examples.batch(chosen).to(device))
            yield chosen, predicted

    def answers(self, decide: Callable[[Tensor], Tensor]) -> tuple[Integers, NDArray[Any], float]:
        """Return the rows by their batches, what `decide` makes of their logits, and the mean of the loss."""
        found, loss = [], 0.0
        for chosen, predicted in self.predictions():
            found.append((chosen, decide(predicted.logits).cpu().numpy()))
            loss += float(predicted.loss) * len(chosen)
        rows, answers = (np.concatenate(one) for one in zip(*found, strict=True))
        return rows, answers, loss / len(rows)


def correlation(one: Doubles, other: Doubles) -> float | None:
    """Return Pearson's correlation of two sequences of numbers [N]; None where one does not vary."""
    x, y = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float((x * y).sum()) / scale if scale > 0 else None


def ranks(values: Doubles) -> Doubles:
    """Return the rank of each value [N] from 1; equal ones have the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(counts) - (counts - 1) / 2)[inverse]


_NO_PIECE = -1


@dataclass(frozen=True, eq=False)
class Tagged(Labelled):
    """N sentences as the ids of their tokens; `labels` [n tokens] are those of pieces, or NOT_COUNTED.

    Of all words or characters, U in all, there are the labels and the pieces by which they are predicted.
    Where one `continues`, its piece began within an earlier one, whose span it belongs to. Blanks between the
    words of a text by characters are not counted.
    """

    unit_starts: Integers  # [N + 1], indices into the words or characters, the last one their end
    unit_labels: Integers  # [U], by the number of the label
    unit_pieces: Integers  # [U], indices into the ids; -1 for one that is not read
    continues: Bools  # [U]
    is_counted: Bools  # [U]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def n_unread(self) -> int:
        """The words or characters that no piece predicts: cut off, or nothing to the tokenizer."""
        return int((self.is_counted & (self.unit_pieces == _NO_PIECE)).sum())

    @property
    def learnable(self) -> Integers:
        """The numbers of the sentences that have a piece with a label."""
        n_before = np.concatenate([[0], np.cumsum(self.labels != NOT_COUNTED)])  # [n tokens + 1]
        return np.flatnonzero(np.diff(n_before[self.starts]))

    def counts(self, rows: Integers, n_labels: int) -> Integers:
        """Return how many words or characters of the sentences `rows` have each label: [N]."""
        return np.bincount(self.unit_labels[self.counted_in(rows)], minlength=n_labels)

    def counted_in(self, rows: Integers) -> Bools:
        """Return which words or characters [U] are counted and of the sentences `rows`."""
        chosen = np.zeros(len(self.unit_labels), np.bool_)
        for row in rows.tolist():
            chosen[self.units(row)] = True
        return chosen & self.is_counted

    def units(self, row: int) -> slice:
        """Return the words or characters of a sentence."""
        return slice(int(self.unit_starts[row]), int(self.unit_starts[row + 1]))

    def mark(self) -> int:
        """Return a checksum of the sentences."""
        return zlib.crc32(self.unit_labels.tobytes(), super().mark())

    def batch(self, chosen: Integers) -> LabelledBatch:
        """Return the sentences of the numbers `chosen`, padded to the longest of them."""
        ids, segment_ids, seen, indices = self.padded(chosen)
        labels = np.full(ids.shape, NOT_COUNTED, np.int64)  # [B, T]
        labels[seen] = self.labels[indices]
        return LabelledBatch(*map(torch.from_numpy, (ids, segment_ids, seen, labels)))


def tagged(
    sentences: Sequence[LabelledSentence],
    names: Sequence[str],
    tokenizer: Tokenizer,
    check: Callable[[], None],
    *,
    are_characters: bool,
) -> Tagged:
    """Return `sentences` as numbers, those of labels by `names`. `check` is called often and may raise."""
    numbers = {name: number for number, name in enumerate(names)}
    ids: list[int] = []
    segment_ids: list[int] = []
    starts, unit_starts, n_cut = [0], [0], 0
    unit_labels: list[int] = []
    unit_pieces: list[int] = []
    continues: list[bool] = []
    is_counted: list[bool] = []
    texts = [("" if are_characters else " ").join(one.units) for one in sentences]
    encoded = _encoded([(text, None) for text in texts], tokenizer, check)
    for sentence, text, one in zip(sentences, texts, encoded, strict=True):
        pieces, are_continued = _pieces_of_units(sentence.units, text, one, 0 if are_characters else 1)
        unit_pieces += [at if at == _NO_PIECE else at + starts[-1] for at in pieces]
        continues += are_continued
        unit_labels += [numbers[label] for label in sentence.labels]
        is_counted += [bool(unit.strip()) for unit in sentence.units]
        ids += one.ids
        segment_ids += one.segment_ids
        starts.append(len(ids))
        unit_starts.append(len(unit_labels))
        n_cut += one.is_cut
    units = np.array(unit_labels, np.int64), np.array(unit_pieces, np.int64)
    flags = np.array(continues, np.bool_), np.array(is_counted, np.bool_)
    is_learnt = flags[1] & ~flags[0] & (units[1] != _NO_PIECE)
    labels = np.full(len(ids), NOT_COUNTED, np.int64)
    labels[units[1][is_learnt]] = units[0][is_learnt]
    return Tagged(
        ids=np.array(ids, np.int32),
        segment_ids=np.array(segment_ids, np.int32),
        starts=np.array(starts, np.int64),
        labels=labels,
        n_cut=n_cut,
        unit_starts=np.array(unit_starts, np.int64),
        unit_labels=units[0],
        unit_pieces=units[1],
        continues=flags[0],
        is_counted=flags[1],
    )


def split_sentences(sentences: Integers, share: float, seed: int) -> tuple[Integers, Integers]:
    """Return the numbers of the sentences to train on, and of those held out: a `share` drawn at random.

    Raises TrainingError where there is but one.
    """
    if len(sentences) < 2:
        message = Message("There is one sentence only: none can be held out.")
        raise TrainingError(message, Message("Give more sentences, or a file to evaluate on."))
    training, held_out = split_rows(np.zeros(len(sentences), np.float32), share, seed)
    return sentences[training], sentences[held_out]


def _pieces_of_units(
    units: Sequence[str], text: str, one: EncodedText, gap: int
) -> tuple[list[int], list[bool]]:
    """Return the piece of each of `units`, or -1, and whether it continues; `gap` characters lie between."""
    lengths = np.array([len(unit) for unit in units], np.int64)
    ends = np.cumsum(lengths + gap) - gap
    first = (ends - lengths).tolist()
    pieces, continues = [_NO_PIECE] * len(units), [False] * len(units)
    for piece, (begin, end) in enumerate(one.spans.tolist()):
        while begin < end and text[begin].isspace():  # a piece may have the blank before its word
            begin += 1
        if begin == end:
            continue
        unit = int(np.searchsorted(ends, begin, side="right"))
        if pieces[unit] == _NO_PIECE:
            pieces[unit] = piece
        later = unit + 1
        while later < len(units) and first[later] < end:
            if pieces[later] == _NO_PIECE:
                pieces[later], continues[later] = pieces[unit], True
            later += 1
    return pieces, continues
