"""What a pre-training begins with: random weights, or those of a checkpoint."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path

import tokenizers
import torch

from bertviz_app.errors import Message
from bertviz_app.paths import replacing
from bertviz_app.training.base import Base
from bertviz_app.training.parameters import fill
from bertviz_app.training.pretraining.network import PretrainingNetwork, fill_positions
from bertviz_app.training.pretraining.settings import SINUSOIDS, PretrainingSettings
from bertviz_app.training.pretraining.vocabulary import TOKENIZER, SpecialIds
from bertviz_app.training.settings import TrainingError

_ORDERS = 1_000_000


def validate_base(base: Base) -> None:
    """Raise TrainingError or FileError for a checkpoint that no pre-training can begin with."""
    base.validate(has_pairs=True)
    SpecialIds.of(_tokenizer(base), base.name)
    masked = base.task_heads.masked
    if masked is not None and not torch.equal(masked.decoder.weight, base.encoder.embeddings.token.weight):
        message = Message("The head for masked tokens of {0} has a table of its own.", base.name)
        raise TrainingError(
            message, Message("Choose a checkpoint whose head uses the token embeddings, as BERT's does.")
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


def random_network(settings: PretrainingSettings, n_pieces: int) -> PretrainingNetwork:
    """Return a network with newly initialised weights, for a vocabulary of `n_pieces`."""
    network = PretrainingNetwork(settings.encoder(n_pieces))
    fill(network, settings.seed, settings.initial_std)
    if settings.positions_start == SINUSOIDS:
        fill_positions(network.encoder, settings.initial_std)
    return network


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
        n_positions = len(table.weight)
        table.weight.copy_(table.weight[torch.arange(n_positions) % n_trained])


def first_turn(base: Base) -> int:
    """Return the number of the first pass over the texts: another order for every base.

    A base that has read the same texts, with the same seed, would otherwise read them in the same order
    again, up to where it stopped. The seed itself also chooses which documents are held out, which a
    continued model must not have read.
    """
    numbers = base.encoder.embeddings.token.weight.detach().cpu().contiguous().numpy()
    return 1 + zlib.crc32(numbers.tobytes()) % _ORDERS


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
