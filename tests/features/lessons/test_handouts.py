"""Hand-outs: the numbers that are read back from the PDF are those of the trace; blanks are blank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pypdf import PdfReader
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import FileError, SelectionError
from bertviz_app.features.lessons.handouts import MOST_TOKENS, N_SUMMED, HandoutNumbers, handout_numbers
from bertviz_app.features.lessons.views.printed import edits_of, handout_pdf, write_pdf
from bertviz_app.shell.settings import Language
from tests.support.factories import make_trace

Pages = tuple[str, str]


def read(numbers: HandoutNumbers, path: Path) -> Pages:
    """Return the text of the page with blanks, and that of the one with answers."""
    write_pdf(handout_pdf(numbers), path)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]
    assert all(
        (round(float(page.mediabox.width)), round(float(page.mediabox.height))) in ((595, 842), (594, 841))
        for page in PdfReader(path).pages
    ), "A4"
    _, blanks, answers = pages
    assert answers.startswith(("Answers", "정답"))
    return blanks, answers


def section(text: str, number: int) -> str:
    after = re.split(rf" {number}\. ", text, maxsplit=1)[1]
    return re.split(rf" {number + 1}\. [^\d]", after, maxsplit=1)[0]


def numbers_in(text: str) -> list[float]:
    return [float(found.replace("−", "-")) for found in re.findall(r"−?\d+\.\d{4}", text)]


@pytest.fixture
def korean(qapp: QApplication) -> Iterator[Language]:
    language = Language(qapp)
    language.choose("ko")
    yield language
    language.choose("en")


@pytest.fixture(scope="module")
def numbers() -> HandoutNumbers:
    return handout_numbers(make_trace(9), 1, 2, 3, 5)


@pytest.fixture(scope="module")
def pages(qapp: QApplication, numbers: HandoutNumbers, tmp_path_factory: pytest.TempPathFactory) -> Pages:
    """The text of the page with blanks, and of the one with answers."""
    return read(numbers, tmp_path_factory.mktemp("handout") / "a.pdf")


def test_the_answers_are_the_numbers_of_the_trace(numbers: HandoutNumbers, pages: Pages) -> None:
    trace, (_, answers) = numbers.trace, pages
    queries, keys, values = (
        array[1, 2].astype(np.float64) for array in (trace.queries, trace.keys, trace.values)
    )
    scores = queries[3] @ keys.T
    scaled = scores * trace.scale
    exponentials = np.exp(scaled - scaled.max())
    weights = exponentials / exponentials.sum()

    rows = numbers.computed
    others = [at for at in range(9) if at not in rows]
    width = numbers.n_numbers
    expected = [queries[3, :width]]
    for at in rows:
        products = queries[3, :width] * keys[at, :width]
        expected += [keys[at, :width], products, [scores[at] - products.sum(), scores[at]]]
    assert numbers_in(section(answers, 1)) == pytest.approx(np.concatenate(expected), abs=6e-5)
    table = np.stack([scaled, exponentials, weights], 1)[rows].ravel()
    left = [exponentials[others].sum(), weights[others].sum(), exponentials.sum(), 1]
    found = numbers_in(section(answers, 2))
    assert found == pytest.approx([1 / trace.scale, scaled.max(), *table, *left], abs=6e-5)
    weighted = weights[:, None] * values[:, :N_SUMMED]
    table = np.concatenate([values[rows, :N_SUMMED], weighted[rows]], 1).ravel()
    sums = [*weighted[others].sum(0), *weighted.sum(0)]
    assert numbers_in(section(answers, 3)) == pytest.approx([*table, *sums], abs=6e-5)


def test_what_is_asked_for_is_left_blank(numbers: HandoutNumbers, pages: Pages) -> None:
    blanks, answers = pages
    counts = [
        (len(numbers_in(section(blanks, at))), len(numbers_in(section(answers, at)))) for at in (1, 2, 3)
    ]
    width, n_rows = numbers.n_numbers, len(numbers.computed)
    assert n_rows == 3
    of_scores = width + n_rows * (width + 1)
    assert counts == [
        (of_scores, of_scores + n_rows * (width + 1)),
        (2 + 2 + 1, 2 + 3 * n_rows + 2 + 2),
        (3 * n_rows + 3, 6 * n_rows + 6),
    ]


def test_the_first_page_has_the_picture_and_the_formulas(numbers: HandoutNumbers, tmp_path: Path) -> None:
    write_pdf(handout_pdf(numbers), tmp_path / "a.pdf")
    first = " ".join(PdfReader(tmp_path / "a.pdf").pages[0].extract_text().split())
    assert "Name: ____" in first
    query, key = (numbers.trace.tokens.labels[at] for at in (numbers.query, numbers.key))
    assert f"“{query}” puts {100 * numbers.weights[numbers.key]:.0f} % of its attention on “{key}”" in first
    for at in numbers.shown:
        assert f"{numbers.weights[at]:.2f}" in first
    assert "The four formulas" in first
    assert all(sign in first for sign in ("√", "Σ", "÷", "α"))


def test_a_hand_out_in_korean_has_the_numbers_of_that_in_english(korean: Language, tmp_path: Path) -> None:
    trace = make_trace(6)
    labels = ("[CLS]", "고양이", "##가", "밥을", "먹었다", "[SEP]")
    trace = replace(trace, tokens=replace(trace.tokens, pieces=labels, text="고양이가 밥을 먹었다"))
    numbers = handout_numbers(trace, 0, 0, 1)
    blanks, answers = read(numbers, tmp_path / "ko.pdf")
    assert "고양이가 밥을 먹었다" in answers
    for text in (blanks, answers):
        assert "가중치" in text
        assert not re.search(r"token|score|weight|layer|sum", text)
    korean.choose("en")
    blanks_in_english, answers_in_english = read(numbers, tmp_path / "en.pdf")
    assert "weight" in answers_in_english
    for at in (1, 2, 3):
        assert numbers_in(section(answers, at)) == numbers_in(section(answers_in_english, at)) != []
        assert numbers_in(section(blanks, at)) == numbers_in(section(blanks_in_english, at))


def test_of_a_long_text_the_largest_weights_are_printed(qapp: QApplication, tmp_path: Path) -> None:
    trace = make_trace(60)
    numbers = handout_numbers(trace, 0, 1, 30)
    assert len(numbers.shown) == MOST_TOKENS
    assert {numbers.query, numbers.key} <= set(numbers.shown)
    assert numbers.shown == sorted(numbers.shown)
    left = sorted(set(range(60)) - set(numbers.shown))
    assert numbers.weights[left].max() <= np.delete(numbers.weights[numbers.shown], [0, 1]).max()
    _, answers = read(numbers, tmp_path / "a.pdf")
    first = " ".join(PdfReader(tmp_path / "a.pdf").pages[0].extract_text().split())
    assert f"largest weights of 60; the others have {numbers.weight_left:.4f} together" in first
    total = numbers_in(section(answers, 3))[-N_SUMMED:]
    values = trace.values[0, 1].astype(np.float64)[:, :N_SUMMED]
    assert total == pytest.approx(numbers.weights.astype(np.float64) @ values, abs=6e-5)


def test_what_there_is_not_is_refused(qapp: QApplication, tmp_path: Path, numbers: HandoutNumbers) -> None:
    with pytest.raises(SelectionError):
        handout_numbers(make_trace(5), 0, 99)
    with pytest.raises(FileError):
        write_pdf(b"", tmp_path / "none" / "a.pdf")


@pytest.mark.parametrize("n_tokens", [2, 3, 14, 15, 400])
def test_every_text_takes_three_pages(qapp: QApplication, tmp_path: Path, n_tokens: int) -> None:
    trace = make_trace(n_tokens)
    trace = replace(trace, tokens=replace(trace.tokens, text="so " * n_tokens + "x" * 300))
    blanks, answers = read(handout_numbers(trace, 1, 2), tmp_path / "a.pdf")
    assert blanks.endswith("2")
    assert answers.endswith("3")


def test_edits_are_named(qapp: QApplication) -> None:
    trace = make_trace(6)
    provenance = replace(trace.provenance, replaced=((2, "[MASK]"),))
    trace = replace(trace, muted=((1, 0),), provenance=provenance)
    words = "Position 2 is read as [MASK]. Head 0 of layer 1 is muted."
    assert words in edits_of(handout_numbers(trace, 1, 0))
