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
from bertviz_app.learning.handouts import MOST_TOKENS, HandoutNumbers, handout_numbers
from bertviz_app.shell.settings.appearance import Language
from bertviz_app.views.handouts import handout_html, handout_pdf, write_pdf
from tests.support.factories import make_trace

Pages = tuple[str, str]


def read(numbers: HandoutNumbers, path: Path) -> Pages:
    """Return the text of the pages with blanks, and that of the pages with answers."""
    write_pdf(handout_pdf(handout_html(numbers)), path)
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]
    assert all(
        (round(float(page.mediabox.width)), round(float(page.mediabox.height))) in ((595, 842), (594, 841))
        for page in PdfReader(path).pages
    ), "A4"
    (middle,) = [at for at, page in enumerate(pages) if page.startswith(("Answers", "정답"))]
    return " ".join(pages[:middle]), " ".join(pages[middle:])


def section(text: str, number: int) -> str:
    return re.split(rf" {number + 1}\. [^\d]", re.split(rf" {number}\. ", text, maxsplit=1)[1], maxsplit=1)[0]


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
    """The text of the pages with blanks, and of those with answers."""
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

    parts = (trace.token_embeddings, trace.segment_embeddings, trace.position_embeddings)
    rows = [part[3, :8] for part in parts if part is not None]
    expected = [*rows, trace.embedding_sum[3, :8], trace.hidden[0, 3, :8]]
    assert numbers_in(section(answers, 2)) == pytest.approx(np.concatenate(expected), abs=6e-5)
    vectors = np.concatenate([queries[3, :8], keys[:, :8].ravel(), values[:, :8].ravel()])
    assert numbers_in(section(answers, 3)) == pytest.approx(vectors, abs=6e-5)
    products = queries[3, :8] * keys[5, :8]
    assert numbers_in(section(answers, 4)) == pytest.approx(
        [*products, scores[5] - products.sum(), scores[5]], abs=6e-5
    )
    columns = np.stack([scores, scaled, exponentials, weights], 1).ravel()
    found = numbers_in(section(answers, 5))
    assert found[0] == pytest.approx(1 / trace.scale, abs=6e-5)
    assert found[1:] == pytest.approx([*columns, exponentials.sum(), 1], abs=6e-5)
    weighted = weights[:, None] * values[:, :4]
    table = np.concatenate([weights[:, None], weighted], 1).ravel()
    assert numbers_in(section(answers, 6)) == pytest.approx([*table, 1, *weighted.sum(0)], abs=6e-5)


def test_what_is_asked_for_is_left_blank(numbers: HandoutNumbers, pages: Pages) -> None:
    blanks, answers = pages
    assert "Name: ____" in blanks
    assert "Name" not in answers
    counts = [
        (len(numbers_in(section(blanks, at))), len(numbers_in(section(answers, at)))) for at in range(2, 7)
    ]
    n_tokens, width = 9, min(8, numbers.trace.head_width)
    n_given = len(numbers.embeddings) + 1
    assert counts == [
        (8 * n_given, 8 * (n_given + 1)),
        (width * (1 + 2 * n_tokens),) * 2,
        (1, width + 2),
        (1 + n_tokens - 1 + 1, 1 + 4 * n_tokens + 2),
        (1, 5 * n_tokens + 5),
    ]


def test_a_hand_out_in_korean_has_the_numbers_of_that_in_english(korean: Language, tmp_path: Path) -> None:
    trace = make_trace(6)
    labels = ("[CLS]", "고양이", "##가", "밥을", "먹었다", "[SEP]")
    trace = replace(trace, tokens=replace(trace.tokens, pieces=labels, text="고양이가 밥을 먹었다"))
    numbers = handout_numbers(trace, 0, 0, 1)
    blanks, answers = read(numbers, tmp_path / "ko.pdf")
    for text in (blanks, answers):
        assert "고양이가 밥을 먹었다" in text
        assert "토큰" in text
        assert not re.search(r"token|score|weight|layer|sum", text)
    korean.choose("en")
    blanks_in_english, answers_in_english = read(numbers, tmp_path / "en.pdf")
    assert "token" in answers_in_english
    for at in range(2, 7):
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
    assert (
        f"The 24 tokens with the largest weights of 60; the others have {numbers.weight_left:.4f}" in answers
    )
    total = numbers_in(section(answers, 6))[-4:]
    values = trace.values[0, 1].astype(np.float64)[:, :4]
    assert total == pytest.approx(numbers.weights.astype(np.float64) @ values, abs=6e-5)


def test_what_there_is_not_is_refused(qapp: QApplication, tmp_path: Path, numbers: HandoutNumbers) -> None:
    with pytest.raises(SelectionError):
        handout_numbers(make_trace(5), 0, 99)
    with pytest.raises(FileError):
        write_pdf(b"", tmp_path / "none" / "a.pdf")


def test_no_table_that_fits_on_a_page_is_cut(qapp: QApplication, tmp_path: Path) -> None:
    numbers = handout_numbers(make_trace(14), 1, 2, 3, 5)
    write_pdf(handout_pdf(handout_html(numbers)), tmp_path / "page.pdf")
    pages = [" ".join(page.extract_text().split()) for page in PdfReader(tmp_path / "page.pdf").pages]
    labels = [numbers.trace.tokens.labels[at] for at in (numbers.shown[0], numbers.shown[-1])]
    for letter in "kv":
        first, last = ([at for at, page in enumerate(pages) if f"{letter} {each}" in page] for each in labels)
        assert first == last
        assert len(first) == 2  # with blanks, and with answers
    for title in ("5. Scores", "6. Weighted", "7. All"):
        starts = [page.index(title) for page in pages if title in page]
        ends = [page.rindex(labels[-1]) for page in pages if title in page]
        assert all(start < end for start, end in zip(starts, ends, strict=True))


def test_edits_are_named(qapp: QApplication) -> None:
    trace = make_trace(6)
    provenance = replace(trace.provenance, replaced=((2, "[MASK]"),))
    trace = replace(trace, muted=((1, 0),), provenance=provenance)
    words = "Position 2 is read as [MASK]. Head 0 of layer 1 is muted."
    assert words in handout_html(handout_numbers(trace, 1, 0))
