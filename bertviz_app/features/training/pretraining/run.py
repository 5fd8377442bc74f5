"""`pretrain`: a model learns to predict masked tokens, and whether one segment follows another."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

import numpy as np
import tokenizers
import torch

from bertviz_app.errors import Check, FileError, Message
from bertviz_app.features.training.loop import (
    LICENCE,
    LINEAR,
    Base,
    Computed,
    DataPosition,
    Loop,
    RunPosition,
    constant_rate,
    fill,
    linear_rate,
    n_parameters,
    precision,
    save_model,
    settings_table,
    stored,
    table,
    trained_positions,
    write_card,
)
from bertviz_app.features.training.pretraining.network import (
    NO_PAIR,
    Batch,
    Gradients,
    PretrainingNetwork,
    Workers,
    fill_positions,
    mask,
    workers,
)
from bertviz_app.features.training.pretraining.settings import (
    CONSTANT,
    SINUSOIDS,
    Evaluation,
    PretrainingListener,
    PretrainingSettings,
    StepReport,
)
from bertviz_app.features.training.pretraining.vocabulary import (
    N_SPECIAL,
    N_SPECIAL_SINGLE,
    TOKENIZER,
    Integers,
    Materials,
    Pairs,
    Pieces,
    SpecialIds,
    Tokenised,
    batches,
    gather,
    pairs,
    repeated,
    windows,
)
from bertviz_app.features.training.settings import WORK, TrainingError, check_folder, owned
from bertviz_app.paths import replacing
from bertviz_app.text_tables.packages import files_in
from bertviz_app.torch_operations import own_grad_mode
from bertviz_app.types import Longs
from bertviz_app.values import replace


def batch_of(
    corpora: Sequence[Tokenised],
    every: Pairs,
    chosen: Integers,
    pieces: Pieces,
    seed: list[int],
    open_share: float = 0.0,
) -> Batch:
    """Return the pairs of the numbers `chosen` as a batch, its tokens masked by `seed`.

    An `open_share` of the segments, 0 to 1, lose the piece that ends their last sentence, as texts are typed.
    """
    lengths = np.stack((every.n_first[chosen], every.n_second[chosen]), axis=1)  # [B, 2]
    is_open = np.random.default_rng([*seed, 6]).random(lengths.shape) < open_share
    starts = np.stack((every.first[chosen], every.second[chosen]), axis=1)
    for row, side in np.argwhere(is_open & (lengths > 1)).tolist():
        last = corpora[every.corpus[chosen[row]]].ids[starts[row, side] + lengths[row, side] - 1]
        lengths[row, side] -= int(pieces.is_end[last])
    special = pieces.special
    ids, segment_ids = _filled(corpora, every, chosen, lengths, special)
    is_special = (ids == special.pad) | (ids == special.cls) | (ids == special.sep)
    masked = mask(ids, is_special, special.mask, pieces.ordinary, seed)
    not_next = np.where(every.n_second[chosen] > 0, ~every.is_next[chosen], NO_PAIR)
    return Batch(
        ids=torch.from_numpy(masked.ids),
        segment_ids=torch.from_numpy(segment_ids),
        seen=torch.from_numpy(ids != special.pad),
        masked_positions=torch.from_numpy(masked.positions),
        answers=torch.from_numpy(masked.answers),
        not_next=torch.from_numpy(not_next.astype(np.int64)),
    )


def _filled(
    corpora: Sequence[Tokenised], every: Pairs, chosen: Integers, lengths: Integers, special: SpecialIds
) -> tuple[Longs, Longs]:
    """Return ids and segment ids [B, T] of [CLS] A [SEP] B [SEP], or [CLS] A [SEP], padded to the longest."""
    has_second = lengths[:, 1] > 0
    n_tokens = int((lengths.sum(axis=1) + np.where(has_second, N_SPECIAL, N_SPECIAL_SINGLE)).max())
    ids = np.full((len(chosen), n_tokens), special.pad, np.int64)
    segment_ids = np.zeros_like(ids)
    fields = (every.corpus, every.first, every.second)
    rows = zip(*(field[chosen].tolist() for field in fields), lengths.tolist(), strict=True)
    for row, (corpus, first, second, (n_first, n_second)) in enumerate(rows):
        source = corpora[corpus].ids
        between, end = n_first + 1, n_first + n_second + 2
        ids[row, 0], ids[row, between] = special.cls, special.sep
        ids[row, 1:between] = source[first : first + n_first]
        if not n_second:
            continue
        ids[row, end] = special.sep
        ids[row, between + 1 : end] = source[second : second + n_second]
        segment_ids[row, between + 1 : end + 1] = 1
    return ids, segment_ids


class Plan:
    """All batches of all passes, of which one pass at a time is laid out."""

    def __init__(
        self,
        corpora: Sequence[Tokenised],
        pieces: Pieces,
        part_tokens: int,
        seed: int,
        single_share: float = 0.0,
        open_share: float = 0.0,
    ) -> None:
        self._corpora = corpora
        self._pieces = pieces
        self._part_tokens = part_tokens
        self._seed = seed
        self._single_share = single_share
        self._open_share = open_share
        self._laid_out: tuple[int, int] | None = None  # length and turn of what follows
        self._pairs: Pairs
        self._batches: list[Integers]

    def batch(self, position: DataPosition) -> tuple[Batch, DataPosition]:
        """Return the batch at `position`, and the position of the next one.

        Raises FileError where the texts are too short for any pair.
        """
        if self._laid_out != (position.length, position.turn):
            of_turn = self._seed + 1_000_003 * position.turn + position.length
            every = windows(self._corpora, self._pieces.is_start, position.length, of_turn)
            if not len(every):
                raise FileError(
                    Message("The texts are too short to learn from."),
                    Message("Give sentences of five words or more."),
                )
            self._pairs = pairs(repeated(every, of_turn), position.length, of_turn, self._single_share)
            self._batches = batches(self._pairs.lengths, self._part_tokens, of_turn)
            self._laid_out = (position.length, position.turn)
        seed = [self._seed, position.length, position.turn, position.batch]
        chosen = self._batches[position.batch]
        batch = batch_of(self._corpora, self._pairs, chosen, self._pieces, seed, self._open_share)
        if position.batch + 1 < len(self._batches):
            return batch, DataPosition(position.length, position.turn, position.batch + 1)
        return batch, DataPosition(position.length, position.turn + 1, 0)


def split_documents(corpus: Tokenised, share: float, seed: int) -> tuple[Tokenised, Tokenised]:
    """Return the documents to train on, and `share` of the documents, at least one, that are held out.

    Of a corpus of one document the last sentences are held out.
    """
    if corpus.n_documents < 2:
        n_sentences = len(corpus.sentence_starts) - 1
        first = max(1, n_sentences - max(1, round(share * n_sentences)))
        position = corpus.sentence_starts[first]
        ends = [np.array([0, count], np.int64) for count in (first, n_sentences - first)]
        training = Tokenised(corpus.ids[:position], corpus.sentence_starts[: first + 1], ends[0])
        return training, Tokenised(corpus.ids[position:], corpus.sentence_starts[first:] - position, ends[1])
    rng = np.random.default_rng([seed, 5])
    is_held_out = rng.permutation(corpus.n_documents) < max(1, round(share * corpus.n_documents))
    return corpus.part(np.flatnonzero(~is_held_out)), corpus.part(np.flatnonzero(is_held_out))


N_TOKENS = 200_000
"""The largest number of held-out tokens that are evaluated each time."""


def evaluation_batches(plan: Plan, length: int) -> list[Batch]:
    """Return the batches of every evaluation: always the same, at most N_TOKENS of one pass."""
    found: list[Batch] = []
    position, n_tokens = DataPosition(length), 0
    while position.turn == 0 and n_tokens < N_TOKENS:
        batch, position = plan.batch(position)
        found.append(batch)
        n_tokens += batch.n_tokens
    return found


def baseline(corpora: Sequence[Tokenised], batches: Sequence[Batch], n_pieces: int) -> float:
    """Return the accuracy in `batches` of the most frequent piece of `corpora`: the unigram baseline."""
    commonest = int(np.argmax(sum(np.bincount(corpus.ids, minlength=n_pieces) for corpus in corpora)))
    return float((torch.cat([batch.answers for batch in batches]) == commonest).double().mean())


def evaluate(
    network: PretrainingNetwork,
    batches: Sequence[Batch],
    cast: Callable[[], AbstractContextManager[object]],
    step: int,
    baseline_accuracy: float,
    check: Check,
) -> Evaluation:
    """Return the losses and accuracies over all of `batches`.

    `cast` sets the precision, `baseline_accuracy` is what `baseline` returned. `check` is called before each
    batch and may raise.
    """
    sums = np.zeros(4)
    n_masked = n_pairs = 0
    device = next(network.parameters()).device
    with torch.no_grad():
        for batch in batches:
            check()
            with cast():
                own = batch.to(device)
                scores = network.scores(own)
                losses = scores.losses(own)
            counts = (len(batch.answers), batch.n_pairs)
            sums[:2] += [float(loss) * count for loss, count in zip(losses, counts, strict=True)]
            sums[2:] += scores.n_right(own)
            n_masked, n_pairs = n_masked + counts[0], n_pairs + counts[1]
    return Evaluation(
        step=step,
        n_tokens=sum(batch.n_tokens for batch in batches),
        masked_loss=float(sums[0]) / n_masked,
        masked_accuracy=float(sums[2]) / n_masked,
        next_loss=float(sums[1]) / n_pairs,
        next_accuracy=float(sums[3]) / n_pairs,
        baseline=baseline_accuracy,
        n_masked=n_masked,
        n_pairs=n_pairs,
    )


def validate_base(base: Base) -> None:
    """Raise TrainingError or FileError for a checkpoint that no pre-training can begin with."""
    base.validate(has_pairs=True)
    SpecialIds.of(_tokenizer(base), base.name)
    masked = base.task_heads.masked
    if masked is not None and not torch.equal(masked.decoder.weight, base.encoder.embeddings.token.weight):
        raise TrainingError(
            Message("The head for masked tokens of {0} has a table of its own.", base.name),
            Message("Choose a checkpoint whose head uses the token embeddings, as BERT's does."),
        )


def sized(settings: PretrainingSettings, base: Base) -> PretrainingSettings:
    """Return `settings` with the sizes of `base`."""
    config = base.encoder.config
    return replace(
        settings,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        width=config.width,
        vocabulary_size=config.vocabulary_size,
        n_positions=config.n_positions,
        length=min(settings.length, config.n_positions),
        part_tokens=max(settings.part_tokens, config.n_positions),
    )


def network_from(base: Base, settings: PretrainingSettings) -> PretrainingNetwork:
    """Return a network with a copy of the weights of `base`. What it lacks of pooler and heads is random."""
    network = PretrainingNetwork(replace(base.encoder.config, has_pooler=True))
    fill(network, settings.seed, settings.initial_std)
    network.encoder.load_state_dict(base.encoder.state_dict(), strict=base.encoder.pooler is not None)
    for mine, theirs in (
        (network.heads.masked, base.task_heads.masked),
        (network.heads.next_sentence, base.task_heads.next_sentence),
    ):
        if mine is not None and theirs is not None:
            mine.load_state_dict(theirs.state_dict())
    return network


def repeat_trained_positions(network: PretrainingNetwork, n_trained: int) -> None:
    """Fill the position embeddings from `n_trained` on with those before, in their order.

    Beltagy et al. 2020 (arXiv:2004.05150), section 5: heads that find a token by its distance then work in
    long texts from the first step on. From random embeddings they had not begun to after 10 million tokens.
    """
    table = network.encoder.embeddings.position
    assert table is not None
    with torch.no_grad():
        table.weight.copy_(table.weight[torch.arange(len(table.weight)) % n_trained])


def first_turn(base: Base) -> int:
    """Return the number of the first pass over the texts: another order for every base.

    A base that has read the same texts, with the same seed, would otherwise read them in the same order
    again, up to where it stopped. The seed itself also chooses which documents are held out, which a
    continued model must not have read.
    """
    numbers = base.encoder.embeddings.token.weight.detach().cpu().contiguous().numpy()
    return 1 + zlib.crc32(numbers.tobytes()) % 1_000_000


def write_tokenizer(base: Base, folder: Path) -> None:
    """Write the tokenizer of `base` into `folder`. Raises FileError.

    tokenizer.json is the one that the program reads the checkpoint's files as: its own may lack what another
    of its files says, as lower case.
    """
    base.copy_tokenizer(folder)
    with replacing(folder / TOKENIZER) as path:
        path.write_text(_tokenizer(base).to_str(), encoding="utf-8")


def _tokenizer(base: Base) -> tokenizers.Tokenizer:
    backend = base.tokenizer.backend.alone()
    if backend is None:
        message = Message("The tokenizer of {0} is not one of BERT's kind.", base.name)
        raise TrainingError(message, Message("Choose a checkpoint with a WordPiece tokenizer."))
    return backend


HELD_OUT = 0.005
"""Of the documents of each corpus; more of one that is so small that this would be a handful of examples."""
_FEWEST_HELD_OUT, _MOST_OF_SMALL = 8_000, 0.05
"""Tokens that are held out at least, and the share of a corpus that they are at most."""
EVALUATED_LENGTH = 128
"""Tokens of a held-out example, at most: the same whatever length is trained with at the moment."""


def held_out_share(n_tokens: int) -> float:
    """Return the share of the documents of a corpus of `n_tokens` that is held out."""
    return max(HELD_OUT, min(_MOST_OF_SMALL, _FEWEST_HELD_OUT / max(1, n_tokens)))


@own_grad_mode()
def pretrain(  # noqa: PLR0913 - each is named by its callers
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: PretrainingListener,
    device: str = "cpu",
    *,
    base: Base | None = None,
    resume: bool = False,
    command: str = "",
) -> Evaluation:
    """Train a model on the texts of `files`, save it to the folder `out`, and return its last evaluation.

    It begins with the weights, sizes and tokenizer of `base`, which is not changed, or with random weights.
    `resume` continues the run in `out`, with the data in the same order, wherever it was stopped. `command`
    is the line that the model card names. Raises TrainingError, FileError, and Cancelled where the
    listener does: the run is saved then.
    """
    if base is not None:
        validate_base(base)
        settings = sized(settings, base)
    settings.validate()
    check_folder(out, is_resumed=resume)
    with owned(out / WORK):
        if base is not None and not resume:
            write_tokenizer(base, out)
        materials = gather(files, out, settings, listener, has_tokenizer=resume or base is not None)
        listener.on_stage("training")
        with workers(settings.batch_tokens // settings.part_tokens, torch.device(device)) as pool:
            task = _Pretraining(settings, materials, torch.device(device), pool, base)
            loop = Loop(task, settings, out, task.first)
            if resume:
                loop.restore()
            result = loop.run(listener)
        task.write_card(out, files, result, loop.position, command)
    return result


class _Pretraining:
    """The task: masked tokens and next sentences of some corpora."""

    def __init__(
        self,
        settings: PretrainingSettings,
        materials: Materials,
        device: torch.device,
        pool: Workers | None,
        base: Base | None,
    ) -> None:
        self._settings = settings
        self._materials = materials
        self._base = base
        self._cast = precision(settings.precision, device)
        self._shares = [held_out_share(len(corpus.ids)) for corpus in materials.corpora]
        parts = [
            split_documents(corpus, share, settings.seed)
            for corpus, share in zip(materials.corpora, self._shares, strict=True)
        ]
        training, held_out = (tuple(part[side] for part in parts) for side in (0, 1))
        pieces, seed = materials.pieces(), settings.seed
        shares = (settings.single_share, settings.open_share)
        self._plan = Plan(training, pieces, settings.part_tokens, seed, *shares)
        length = min(EVALUATED_LENGTH, settings.n_positions)
        self._held_out = evaluation_batches(Plan(held_out, pieces, settings.part_tokens, seed), length)
        self._baseline = baseline(training, self._held_out, materials.n_pieces)
        self.first = DataPosition(settings.length, 0 if base is None else first_turn(base))
        if base is None:
            network = PretrainingNetwork(settings.encoder(materials.n_pieces))
            fill(network, settings.seed, settings.initial_std)
            if settings.positions_start == SINUSOIDS:
                fill_positions(network.encoder, settings.initial_std)
        else:
            network = network_from(base, settings)
            if base.n_trained_positions is not None:
                repeat_trained_positions(network, base.n_trained_positions)
        self.network = network.to(device)
        self._gradients = Gradients(self.network, self._cast, pool)

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings that must be the same when the run is resumed, and the sizes of the corpora."""
        sizes = [len(corpus.ids) for corpus in self._materials.corpora]
        base = None if self._base is None else first_turn(self._base)  # another number for other weights
        settings = {**self._settings.resumable_settings(), "corpora": sizes, "base": base}
        if any(share != HELD_OUT for share in self._shares):  # not named in runs of large corpora
            settings["held_out"] = [round(share, 6) for share in self._shares]
        return settings

    def share(self, position: RunPosition) -> float:
        """Return how much of the run is done, by whichever end is nearest; 0 for an open end."""
        settings = self._settings
        done = (position.step, position.n_tokens, position.seconds)
        ends = (settings.steps, settings.tokens, settings.minutes and settings.minutes * 60.0)
        return max((part / end for part, end in zip(done, ends, strict=True) if end), default=0.0)

    def rate(self, position: RunPosition) -> float:
        settings, share = self._settings, self.share(position)
        if settings.schedule != CONSTANT:
            return settings.rate * linear_rate(share, settings.warm_up)
        warmed = (position.n_tokens + 1) / max(1, settings.warm_up_tokens)
        return settings.rate * constant_rate(share, warmed, settings.cool_down)

    def compute(self, position: RunPosition) -> Computed[StepReport]:
        settings, data = self._settings, position.data
        length = settings.n_positions if self.share(position) >= settings.long_from else settings.length
        if data.length != length:  # another pass, so that no example comes a second time
            data = DataPosition(length, data.turn + 1)
        first, size = settings.first_batch_tokens, settings.batch_tokens
        if first is not None and position.n_tokens < settings.growth_tokens:
            size = first + round((size - first) * position.n_tokens / settings.growth_tokens)
        parts = []
        for _ in range(max(1, round(size / settings.part_tokens))):
            part, data = self._plan.batch(data)
            parts.append(part)
        masked_loss, next_loss = self._gradients.add(parts)
        report = partial(StepReport, masked_loss=masked_loss, next_loss=next_loss)
        return Computed(masked_loss + next_loss, sum(part.n_tokens for part in parts), data, report)

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> Evaluation:
        """Evaluate the network on documents that are not trained on, always the same."""
        return evaluate(self.network, self._held_out, self._cast, step, self._baseline, check)

    def save_model(self, folder: Path, position: RunPosition) -> None:
        """Write the model, and how many of its positions are trained, into `folder`. Raises FileError."""
        encoder, dtype = self.network.encoder, stored(self._settings.stores)
        n_trained = max(position.longest, position.data.length)
        if self._base is not None:
            n_trained = max(n_trained, self._base.n_trained_positions or self._settings.n_positions)
        stated = {
            "pad_token_id": self._materials.pieces().special.pad,
            **trained_positions(encoder.config, n_trained),
        }
        save_model(encoder, self.network.heads, folder, dtype=dtype, stated=stated)

    def write_card(
        self, out: Path, files: Sequence[Path], result: Evaluation, position: RunPosition, command: str
    ) -> None:
        """Write the card of the model, which was trained on `files` up to `position`. Raises FileError."""
        settings = self._settings
        texts = [
            (
                path.name,
                f"{sum(file.stat().st_size for file in files_in(path)) / 1e6:.1f} MB",
                f"{corpus.n_documents:,}",
                f"{len(corpus.ids):,}",
                LICENCE,
            )
            for path, corpus in zip(files, self._materials.corpora, strict=True)
        ]
        evaluated = [
            ("masked tokens predicted correctly", f"{result.masked_accuracy:.1%}", f"{result.baseline:.1%}"),
            ("loss of the masked tokens, nats", f"{result.masked_loss:.3f}", ""),
            ("pairs classified correctly, next or not", f"{result.next_accuracy:.1%}", "50.0%"),
            ("loss of the pairs, nats", f"{result.next_loss:.3f}", ""),
        ]
        titles = "", "this model", "baseline: the most frequent piece, a coin"
        sizes = (
            f"{settings.n_layers} layers x {settings.n_heads} heads, width {settings.width}, "
            f"{settings.n_positions} positions, {n_parameters(self.network):,} parameters"
        )
        base = self._base
        begun = f" Its training began with the weights of {base.name}." if base else ""
        about = (
            f"A BERT encoder ({sizes}), trained to predict masked tokens and whether one segment follows "
            f"another (Devlin et al. 2019, arXiv:1810.04805, section 3.1).{begun}"
        )
        found = f"On {result.n_tokens:,} tokens of held-out documents.\n\n{table(titles, evaluated)}"
        parts = [
            ("Training data", table(("file", "size", "documents", "tokens", "licence"), texts)),
            ("Settings", self._settings_table(position)),
            ("Evaluation", found),
        ]
        write_card(out, "fill-mask", about, parts, command)

    def _settings_table(self, position: RunPosition) -> str:
        settings, base = self._settings, self._base
        n_trained = None if base is None else base.n_trained_positions
        positions = settings.positions_start if base is None else ""
        if n_trained is not None and n_trained < settings.n_positions:
            positions = f"from {n_trained:,} on copies of those before, which the base had trained"
        batch, schedule = f"{settings.batch_tokens:,}", LINEAR
        if settings.first_batch_tokens is not None:
            growth = f"over the first {settings.growth_tokens:,} tokens"
            batch = f"{settings.first_batch_tokens:,}, growing to {batch} {growth}"
        if settings.schedule == CONSTANT:
            fall = f"falls to 0 in the last {settings.cool_down:.0%} of the run"
            schedule = f"warms up over {settings.warm_up_tokens:,} tokens, is constant, and {fall}"
        own = [
            ("pieces of the vocabulary, at most", f"{settings.vocabulary_size:,}"),
            (
                "tokens of an example",
                f"{settings.length}, from {settings.long_from:.0%} of the run on {settings.n_positions}",
            ),
            ("examples that are one text instead of a pair", f"{settings.single_share:.0%}"),
            ("segments without their final full stop", f"{settings.open_share:.0%}"),
            ("tokens of a batch, padding included", batch),
            *([("position embeddings before the training", positions)] if positions else []),
        ]
        return settings_table(own, settings, schedule, position)
