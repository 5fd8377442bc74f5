"""`Base`: the open checkpoint that a training begins with."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, replace
from pathlib import Path

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.errors import Message
from bertviz_app.paths import replacing
from bertviz_app.text import Tokenizer
from bertviz_app.training.settings import TrainingError


@dataclass(frozen=True, eq=False)
class Base:
    """The modules are copied, never changed. `files` are those of its tokenizer.

    `n_trained_positions`: how many of the positions its config.json says were trained enough; None: all.
    """

    name: str
    encoder: Encoder
    task_heads: TaskHeads
    tokenizer: Tokenizer
    files: tuple[Path, ...]
    n_trained_positions: int | None = None

    def validate(self, *, has_pairs: bool) -> None:
        """Raise TrainingError for a checkpoint that cannot be trained further and saved in BERT's layout."""
        config = self.encoder.config
        if replace(config, has_pooler=True) != _like_bert(config) or not config.n_segments:
            message = Message("{0} is not built like BERT, with learned positions and segments.", self.name)
            raise TrainingError(message, Message("Choose a checkpoint of the family BERT."))
        if has_pairs and config.n_segments < 2:
            message = Message("{0} reads one text at a time: it knows a single segment.", self.name)
            raise TrainingError(message, Message("Give rows of one text, or choose another checkpoint."))

    def copy_tokenizer(self, folder: Path) -> None:
        """Write the tokenizer's files into `folder`. Raises FileError."""
        for file in self.files:
            with replacing(folder / file.name) as path:
                shutil.copyfile(file, path)


def _like_bert(config: EncoderConfig) -> EncoderConfig:
    """Return a BERT of the sizes of `config`."""
    return EncoderConfig(
        vocabulary_size=config.vocabulary_size,
        n_positions=config.n_positions,
        n_segments=config.n_segments,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        width=config.width,
        feed_forward_width=config.feed_forward_width,
        activation=config.activation,
        norm_eps=config.norm_eps,
    )
