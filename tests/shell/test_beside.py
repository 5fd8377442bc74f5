"""What the window beside a notebook sends."""

from __future__ import annotations

import io

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.cli.beside import Beside
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from tests.support.scene import not_none


def test_heads_and_pinned_tokens_are_sent_once_each(
    window_with_text: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"do": "something else"}\n'))
    sent: list[dict[str, object]] = []
    beside = Beside(lambda **message: sent.append(message))
    beside.connect(window_with_text)
    assert sent == [{"kind": "open"}]
    app_state.panels.show(0, 2)
    tokens = not_none(app_state.runs).a.trace.tokens

    def selected(**selection: int | None) -> dict[str, object]:
        return {"kind": "selection", "text": tokens.text, "pair": tokens.pair, "selection": selection}

    assert sent[1:] == [selected(layer=0, head=2, query=None, key=None)]
    app_state.selection.hover(query=1)
    assert len(sent) == 2, "what the pointer is on is not chosen"
    app_state.selection.pin(query=2, key=1)
    assert sent[2:] == [selected(layer=0, head=2, query=2, key=1)]
    assert window_with_text.isVisible()


@pytest.mark.fresh_window
def test_the_window_is_closed_on_its_own_thread(
    qtbot: QtBot, window_with_text: MainWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO('{"do": "close"}\n'))
    beside = Beside(lambda **_: None)
    beside.connect(window_with_text)
    qtbot.waitUntil(lambda: not window_with_text.isVisible())


def test_what_is_set_before_a_text_is_shown_is_selected_with_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "sys.stdin", io.StringIO('{"do": "select", "selection": {"layer": 1, "head": 2, "query": 2}}\n')
    )
    sent: list[dict[str, object]] = []
    beside = Beside(lambda **message: sent.append(message))
    beside.connect(window)
    qtbot.wait(50)
    assert sent == [{"kind": "open"}]
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    qtbot.waitUntil(lambda: sent[-1]["kind"] == "selected")
    assert [message["kind"] for message in sent] == ["open", "selection", "selected"], "no half of it"
    assert sent[1]["selection"] == {"layer": 1, "head": 2, "query": 2, "key": None}
    assert sent[2]["error"] is None
