"""`bertviz-app handout`: a PDF of the head that is named, or of the one that gives a pair most weight."""

from __future__ import annotations

from pathlib import Path

import pytest
from pypdf import PdfReader
from PySide6.QtWidgets import QApplication

import bertviz_app
from tests.cli.conftest import Run

TEXT = "A cat ate the fish because it was hungry"


def test_the_head_of_a_pair_is_written(qapp: QApplication, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    code, out, err = run("handout", TEXT, "--query", "it", "--key", "cat", "--out", str(path))
    assert (code, out, err) == (0, f"Wrote {path}.\n", "")
    text = " ".join(" ".join(page.extract_text().split()) for page in PdfReader(path).pages)
    trace = bertviz_app.open_model().trace(TEXT)
    weights = trace.attention()[:, :, 7, 2]
    layer, head = divmod(int(weights.argmax()), trace.n_heads)
    assert f"layer {layer} · head {head}" in text
    assert f"{weights.max():.4f}" in text


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_head_that_is_named(qapp: QApplication, run: Run, tmp_path: Path, language: str) -> None:
    path = tmp_path / "x.pdf"
    options = ("--layer", "1", "--head", "2", "--language", language)
    assert run("handout", "나는 밥을 먹었다", *options, "--out", str(path))[0] == 0
    text = " ".join(" ".join(page.extract_text().split()) for page in PdfReader(path).pages)
    assert {"en": "layer 1 · head 2", "ko": "레이어 1 · 헤드 2"}[language] in text
    assert "나는 밥을 먹었다" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "No file was given for the hand-out."),
        (("--out", "x.png"), "does not end in .pdf"),
        (("--out", "x.pdf", "--query", "dog"), "There is no token “dog”."),
        (("--out", "x.pdf", "--layer", "99"), "There is no layer 99"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    qapp: QApplication, run: Run, options: tuple[str, ...], words: str
) -> None:
    code, out, err = run("handout", TEXT, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1
