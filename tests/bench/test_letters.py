"""The typist of the benchmark of letters: what it times is the text with the letter, painted."""

from __future__ import annotations

import sys
from itertools import islice

from PySide6.QtWidgets import QApplication

from tests.bench.letters import LETTERS, Typist, text_of
from tests.support.opened_window import opened
from tests.walk.gestures import MODEL


def test_each_letter_is_typed_seen_and_removed_again(qapp: QApplication) -> None:
    text = text_of(38)
    with opened(MODEL, text) as (app_state, window):
        typist, texts = Typist(app_state, window), list[str]()
        shown_changed = app_state.workspace.shown_changed
        shown_changed.connect(lambda: texts.append(app_state.workspace.text))
        letters = list(islice(typist.letters(), 3))
        assert texts == [text + LETTERS[0], text, text + LETTERS[1], text, text + LETTERS[2]]
    assert all(0 < each.painted <= each.all_painted for each in letters)
    if sys.platform != "win32":  # where the processor time of a thread is counted in steps of 16 ms
        assert all(0 < each.interface <= 1.1 * each.painted for each in letters)
    assert all(each.alone > 0 for each in letters)


def test_the_text_has_as_many_tokens_as_the_row_says() -> None:
    assert text_of(124).endswith(text_of(38)), "or text_of would have refused it"
