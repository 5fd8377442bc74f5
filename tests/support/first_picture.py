"""The weights of the first screen's picture, recorded from the models; run as a module it writes the file."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np

import bertviz_app
from bertviz_app.learning.words import FIRST_PICTURE, FirstPicture


def recorded(picture: FirstPicture, text: str) -> FirstPicture:
    """Return `picture` with the tokens and weights of its model for `text`."""
    trace = bertviz_app.open_model(picture.model).trace(text)
    weights = np.asarray(trace.attention(picture.layer, picture.head), np.float64)
    rows = tuple(tuple(round(float(weight), 4) for weight in row) for row in weights)
    return replace(picture, tokens=tuple(trace.tokens.pieces), weights=rows)


_CHOSEN = {
    "en": FirstPicture("A cat ate the fish because it was hungry", "pronoun", "all-MiniLM-L6-v2", 3, 1, 7),
    "ko": FirstPicture("배를 타고 맛있는 배를 먹었다", "ambiguous", "bert-mini-en-ko", 1, 2, 1),
}

if __name__ == "__main__":
    content = {key: asdict(recorded(picture, picture.text)) for key, picture in _CHOSEN.items()}
    lines = json.dumps(content, ensure_ascii=False, indent=1).replace("\n    ", " ").replace("\n   ]", " ]")
    FIRST_PICTURE.write_text(lines + "\n", encoding="utf-8")
