"""Whether a vocabulary is cased or uncased, decided by its pieces. Loads no torch."""

from __future__ import annotations

import json
from pathlib import Path

_MOST_BYTES = 16 << 20  # characters of the beginning, where the frequent pieces are


def seems_lower_case(vocabulary: Path) -> bool | None:
    """Return whether a vocab.txt, or a list in JSON, looks lower-cased as by BERT; None if it does not show.

    BERT's lower-casing also removes accents and, by the same normalisation, decomposes Hangul syllables.
    """
    try:
        with vocabulary.open("rb") as file:
            content = file.read(_MOST_BYTES).decode("utf-8", "ignore")
    except OSError:
        return None
    pieces = content.splitlines()
    if vocabulary.suffix == ".json":
        try:
            pieces = [piece for piece in json.loads(content) if isinstance(piece, str)]
        except (ValueError, RecursionError):
            return None
    text = "".join(piece for piece in pieces if not _is_special(piece))
    has_syllables = any("가" <= character <= "힣" for character in text)
    has_letters = any("ᄀ" <= character <= "ᇿ" for character in text)
    if any(character.isupper() for character in text) or (has_syllables and not has_letters):
        return False
    if has_syllables:  # both syllables and letters: undecided
        return None
    return True if has_letters or any(character.islower() for character in text) else None


def _is_special(piece: str) -> bool:
    return len(piece) > 2 and piece[0] + piece[-1] in {"[]", "<>"}
