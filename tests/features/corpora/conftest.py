"""A measured corpus, for the tests that only look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.features.corpora.process.reading import CorpusTable, collect_examples, measure_file

LINES = [
    "the cat ate the fish",
    "a cat was hungry",
    "it ate fish because it was hungry",
    "the big dog ran",
] * 6


@pytest.fixture(scope="session")
def measured_table(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The table of a file of these lines, whose examples of heads are collected: read-only by agreement."""
    texts = tmp_path_factory.mktemp("corpus") / "texts.txt"
    texts.write_text("\n".join(LINES) + "\n", encoding="utf-8")
    table = measure_file(texts, str(tiny_bert), lambda share: None, lambda: None)
    collect_examples(CorpusTable(table).about, lambda share: None, lambda: None)
    return table
