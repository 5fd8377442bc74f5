"""What the room of tokenizers brings: the classes that split texts in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.checkpoint.tokenizer_files import InPython


def _tokenizers() -> InPython:
    from bertviz_app.features.tokenizers.classes import in_python

    return in_python


TOKENIZERS = Feature(tokenizers=_tokenizers)
