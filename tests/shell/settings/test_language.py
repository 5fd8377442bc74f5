"""The language, switched while the program runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QLibraryInfo, QLocale
from PySide6.QtWidgets import QApplication, QLabel

from bertviz_app import paths
from bertviz_app.shell.settings.appearance import LACKING, Language
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from tests.support.scene import turn_events

HANGUL = re.compile("[가-힣]")


def _menu_titles(window: MainWindow) -> list[str]:
    window.frame.bar.menu.menu().aboutToShow.emit()
    return [action.text() for action in window.frame.bar.menu.menu().actions()]


def _words(window: MainWindow) -> list[str]:
    """Return what stands in menus, fields, headers and the status line."""
    titles = [dock.windowTitle() for dock in window.main_area.docks.docks.values()]
    headers = [window.main_area.cards.inspector.title.text(), window.main_area.cards.heads.title.text()]
    field = window.frame.bar.text.placeholderText()
    return [*_menu_titles(window), *titles, *headers, field, *window.frame.status.words]


def test_the_whole_window_is_in_korean_and_then_in_english_again(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    before = _words(window_with_text)
    window_with_text.appearance.choose_language("ko")
    turn_events()  # Qt tells the window in the next turn
    assert "파일" in _menu_titles(window_with_text)
    assert window_with_text.main_area.docks.docks["heads"].windowTitle() == "헤드"
    assert window_with_text.main_area.cards.inspector.title.text() == "인스펙터"
    assert window_with_text.frame.bar.text.placeholderText() == "문장을 입력하세요 …"
    assert window_with_text.frame.status.words[0].startswith("토큰 5개")
    assert store.settings.language == "ko"
    window_with_text.appearance.choose_language("en")
    turn_events()
    assert _words(window_with_text) == before


def test_texts_and_panels_stay_as_they_are(window_with_text: MainWindow, app_state: AppState) -> None:
    before = window_with_text.session.snapshot_taker.take()
    app_state.selection.pin(query=1, key=2)
    window_with_text.appearance.choose_language("ko")
    turn_events()
    assert window_with_text.session.snapshot_taker.take().panels == before.panels
    assert window_with_text.frame.bar.text.text() == "the cat sat"
    assert (app_state.selection.pinned.query, app_state.selection.pinned.key) == (1, 2)


def _preferences(window: MainWindow) -> Preferences:
    turn_events()
    (dialog,) = [each for each in window.findChildren(Preferences) if each.isVisible()]
    return dialog


def test_the_welcome_and_an_open_dialog_follow(window: MainWindow) -> None:
    window.dialogs.open_preferences()
    languages = _preferences(window).languages
    try:
        languages.setCurrentIndex(languages.findData("ko"))
        dialog = _preferences(window)
        assert dialog.windowTitle() == "환경 설정"
        assert dialog.languages.currentData() == "ko"
        assert any(HANGUL.search(label.text()) for label in window.frame.welcome.findChildren(QLabel))
    finally:
        window.appearance.choose_language("en")
    assert _preferences(window).windowTitle() == "Preferences"
    _preferences(window).accept()


@pytest.fixture
def language(qapp: QApplication) -> Iterator[Language]:
    language = Language(qapp)
    yield language
    language.choose("en")
    language.deleteLater()


@pytest.mark.parametrize(
    ("locale", "name"), [("ko_KR", "ko"), ("ko", "ko"), ("en_GB", "en"), ("fr_FR", "en"), ("C", "en")]
)
def test_the_language_of_the_system_is_used_where_there_is_a_translation(
    language: Language, monkeypatch: pytest.MonkeyPatch, locale: str, name: str
) -> None:
    monkeypatch.setattr(QLocale, "system", lambda: QLocale(locale))
    language.choose("system")
    assert language.name == name
    language.choose("en")
    assert language.name == "en"


def test_dialogs_of_qt_are_in_the_language_too(qapp: QApplication, language: Language) -> None:
    language.choose("ko")
    for text in map(str, LACKING):
        assert HANGUL.search(qapp.translate("QFileDialog", text))
    assert qapp.translate("QPlatformTheme", "Cancel") == "취소"


def test_without_its_file_a_language_is_english(
    qapp: QApplication, language: Language, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "resources", lambda: tmp_path)
    monkeypatch.setattr(QLibraryInfo, "path", lambda *_: str(tmp_path))
    language.choose("ko")
    assert qapp.translate("Commands", "File") == "File"
