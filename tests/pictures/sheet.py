"""Contact sheets of the pictures of all analyses and studies: `python -m tests.pictures.sheet FOLDER`.

Every analysis is run on a sentence with a gap and a second sentence, every study on the example file of the
program that it reads, with the bundled models; each picture of each result is drawn as in a figure of its
own, and all of them together on sheets of twelve.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QGuiApplication, QImage, QPainter

import bertviz_app
from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.results import Result
from bertviz_app.errors import AppError, FigureError
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.figures import Style
from bertviz_app.learning.words import copy_of_corpus

_WIDTH, _HEIGHT, _TITLE, _COLUMNS, _ROWS = 640.0, 460.0, 28.0, 4, 3
_TEXT, _OTHER = (
    "The cat sat on the [MASK] because it was tired.",
    "The dog sat on the [MASK] because it was old.",
)
_ROWS_OF = {
    "labelled": [
        *({"text": text, "label": "positive"} for text in ("a lovely film", "I like it", "warm and funny")),
        *({"text": text, "label": "negative"} for text in ("a dull film", "I hate it", "cold and boring")),
    ],
    "pairs": [{"text": "the man left", "pair": "the woman left"}, {"text": "he ate", "pair": "she ate"}],
}
"""Rows of the kinds of files of which the program has no example."""


def results() -> Iterator[tuple[str, Result | AppError]]:
    """Yield each analysis and each study with its result, or with the reason why there is none."""
    model = bertviz_app.open_model(None, "cpu")
    trace, other = model.trace(_TEXT), model.trace(_OTHER)
    for analysis in CATALOGUE:
        both = [other] if Needs.SECOND_RUN in analysis.needs else []
        settings: dict[str, Any] = {"swaps": "cat/dog"} if analysis.key == "counterfactuals" else {}
        try:
            yield analysis.key, model.analyse(analysis.key, trace, *both, **settings)
        except AppError as error:
            yield analysis.key, error
    for study in STUDIES:
        own: dict[str, Any] = {"label": "UPOS"} if study.key == "probe" else {}
        opened = (
            bertviz_app.open_model("bert-mini-en-ko-sentiment", "cpu") if study.key == "classifier" else model
        )
        second = model if Needs.SECOND_RUN in study.needs else None
        file: Any = _ROWS_OF.get(study.reads)
        try:
            file = copy_of_corpus("en", study.reads) if file is None else file
            yield f"study {study.key}", opened.study(study.key, file, other=second, **own)
        except AppError as error:
            yield f"study {study.key}", error


def pictures(style: Style) -> Iterator[tuple[str, QImage | str]]:
    """Yield each picture of each result with its name, or the reason why there is none."""
    for key, result in results():
        if isinstance(result, AppError):
            yield key, str(result)
            continue
        for part in [picture.key for picture in result.pictures()][:4] or [""]:
            try:
                figure = result.figure(part=part, style=style)
                try:
                    page = figure.png(dpi=96, width="160mm", height="110mm")
                except FigureError:  # too low for all of its rows
                    page = figure.png(dpi=96, width="160mm")
                yield f"{key} · {part}", QImage.fromData(page)
            except AppError as error:
                yield f"{key} · {part}", str(error)


def main() -> None:
    """Write the sheets into a folder."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--theme", default="light", choices=("light", "dark"))
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found = list(pictures(options.theme))
    each = _COLUMNS * _ROWS
    for number, start in enumerate(range(0, len(found), each), 1):
        sheet = QImage(round(_COLUMNS * _WIDTH), round(_ROWS * _HEIGHT), QImage.Format.Format_RGB32)
        sheet.fill(Qt.GlobalColor.white)
        with QPainter(sheet) as painter:
            for at, (name, drawn) in enumerate(found[start : start + each]):
                row, column = divmod(at, _COLUMNS)
                box = QRectF(column * _WIDTH, row * _HEIGHT, _WIDTH, _HEIGHT).adjusted(6, 2, -6, -2)
                painter.drawText(box, name)
                room = box.adjusted(0, _TITLE, 0, 0)
                if isinstance(drawn, str):
                    painter.drawText(room, Qt.TextFlag.TextWordWrap, drawn)
                else:
                    size = drawn.size().scaled(room.size().toSize(), Qt.AspectRatioMode.KeepAspectRatio)
                    painter.drawImage(QRectF(room.topLeft(), size), drawn)
        sheet.save(str(options.folder / f"{options.theme}-{number:02}.png"))
    sys.stdout.write(f"{len(found)} pictures in {options.folder}\n")


if __name__ == "__main__":
    QGuiApplication.setApplicationName("pictures")
    main()
