"""Text size, presentation, preferences, language and motion: followed at once, and remembered."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QLibraryInfo, QLocale, QObject, Qt
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusServer, QDBusVariant, QDBusVirtualObject
from PySide6.QtGui import QAction, QFontMetricsF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QStyle
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from bertviz_app import paths
from bertviz_app.shell import session as window_session
from bertviz_app.shell.settings import (
    LACKING,
    DesktopMotion,
    Language,
    SettingsStore,
    reduces_motion,
    system_reduces_motion,
)
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.dialogs.palette import CommandPalette, SheetGroup, ShortcutSheet, in_columns
from bertviz_app.views.kit.labels import SIZE, Labels
from bertviz_app.views.tokens.chip import piece_font
from tests.support.fakes import FakeEngine
from tests.support.scene import expect, not_none, pixels_of, turn_events
from tests.support.window_fixtures import Settle

CTRL = Qt.KeyboardModifier.ControlModifier


def _sizes(window: MainWindow) -> list[int]:
    """Return the heights of bar, strip, header and status line, and the sizes of two typefaces."""
    main_area = window.main_area
    header = main_area.docks.docks["heads"].titleBarWidget()
    heights = [part.height() for part in (window.frame.bar, main_area.strip, header, window.frame.status)]
    return [
        *heights,
        window.frame.bar.text.font().pixelSize(),
        main_area.cards.heads.title.font().pixelSize(),
    ]


def test_everything_grows_with_the_text_and_shrinks_again(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    window_with_text.resize(1280, 1000)  # in a low window the strip gives way
    turn_events()
    before = _sizes(window_with_text)
    window_with_text.appearance.set_text_size(1.5)
    turn_events()
    for small, large in zip(before, _sizes(window_with_text), strict=True):
        assert large == pytest.approx(1.5 * small, abs=2)
    assert store.settings.text_size == 1.5
    QTest.keyClick(window_with_text, Qt.Key.Key_0, CTRL)
    turn_events()
    assert _sizes(window_with_text) == before


@pytest.mark.usefixtures("sheets")
def test_keys_change_the_size_of_the_text_within_bounds(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Equal, CTRL)
    assert store.settings.text_size == pytest.approx(1.1)
    for start, key, expected in ((0.9, Qt.Key.Key_Minus, [0.8, 0.8]), (1.9, Qt.Key.Key_Equal, [2.0, 2.0])):
        window_with_text.appearance.set_text_size(start)
        for size in expected:
            QTest.keyClick(window_with_text, key, CTRL)
            assert store.settings.text_size == pytest.approx(size)


def test_presenting_shows_the_panels_large_and_alone_until_it_is_left(
    window_with_text: MainWindow, store: SettingsStore, app_state: AppState
) -> None:
    window, look = window_with_text, window_with_text.main_area.strip.look
    docks = window.main_area.docks.docks.values()
    before, state = _sizes(window), window.windowState()
    open_before = [dock.isVisible() for dock in docks]
    assert sum(open_before) == 4
    app_state.selection.pin(query=1)
    for leave in (Qt.Key.Key_F11, Qt.Key.Key_Escape):
        QTest.keyClick(window, Qt.Key.Key_F11)
        turn_events()
        assert window.isFullScreen()
        assert not any(dock.isVisible() for dock in docks)
        assert window.frame.bars.height() == 0
        assert not window.frame.status.isVisible()
        large = min(max(1.5 * window.screen().size().height() / 1080, 1.1), 1.5)
        assert look.scale == pytest.approx(large)
        QTest.keyClick(window, leave)
        turn_events()
        assert window.windowState() == state
        assert [dock.isVisible() for dock in docks] == open_before
        assert _sizes(window) == before
        assert app_state.selection.pinned.query == 1, "Escape unpins only when nothing is presented"
    QTest.keyClick(window, Qt.Key.Key_Escape)
    assert not app_state.selection.pinned
    assert store.settings.text_size == 1.0


@pytest.mark.usefixtures("sheets")
def test_in_a_presentation_the_bars_are_there_while_one_types(window_with_text: MainWindow) -> None:
    window_with_text.frame.focus_text()
    window_with_text.presentation.toggle()
    turn_events()
    assert window_with_text.frame.bars.height() == 0, "also when the key came from the text field"
    QTest.keyClick(window_with_text, Qt.Key.Key_L, Qt.KeyboardModifier.ControlModifier)
    turn_events()
    assert window_with_text.frame.bars.height() > 40
    window_with_text.main_area.strip.setFocus()
    turn_events()
    assert window_with_text.frame.bars.height() == 0
    window_with_text.presentation.leave()
    turn_events()
    assert window_with_text.frame.bars.height() > 40
    assert window_with_text.frame.status.isVisible()


@pytest.mark.usefixtures("sheets")
def test_the_words_of_a_presentation_are_read_from_the_last_row(window_with_text: MainWindow) -> None:
    window_with_text.resize(1280, 1000)  # in a low window the strip gives way
    turn_events()
    strip = window_with_text.main_area.strip
    before = strip.sizeHint().height()
    window_with_text.appearance.set_projected(1080)
    turn_events()
    look = strip.look
    assert piece_font(look).pixelSize() >= 28
    labels = Labels(look, ("cat",))
    assert labels.height >= 28
    assert labels.widest(1000) > 1.4 * QFontMetricsF(look.font(SIZE)).horizontalAdvance("cat")
    assert strip.sizeHint().height() > 1.5 * before, "the chips are as high as their words need"
    window_with_text.appearance.set_projected(None)
    assert piece_font(look).pixelSize() == 14


@pytest.mark.usefixtures("sheets")
def test_a_presentation_has_a_text_size_of_its_own(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    look = window_with_text.main_area.strip.look
    window_with_text.appearance.set_text_size(1.2)
    window_with_text.presentation.toggle()
    projected = look.scale
    QTest.keyClick(window_with_text, Qt.Key.Key_Equal, CTRL)
    assert look.scale == pytest.approx(1.1 * projected)
    assert (store.settings.text_size, store.settings.presented_text_size) == (1.2, 1.1)
    window_with_text.presentation.leave()
    assert look.scale == 1.2
    window_with_text.presentation.toggle()
    assert look.scale == pytest.approx(1.1 * projected), "the next one has it again"
    QTest.keyClick(window_with_text, Qt.Key.Key_0, CTRL)
    assert look.scale == pytest.approx(projected)
    assert store.settings.text_size == 1.2
    for height, scale in ((1080, 1.5), (2160, 1.5), (800, 1.111), (600, 1.1)):
        window_with_text.appearance.set_projected(height)
        assert look.scale == pytest.approx(scale, abs=0.001), "as the screen has room"
    window_with_text.appearance.set_projected(None)
    assert look.scale == 1.2


@pytest.mark.usefixtures("sheets")
def test_a_masked_word_is_answered_in_a_presentation(
    window_with_text: MainWindow, engine: FakeEngine, settle: Settle
) -> None:
    engine.task_heads = ("masked",)
    inspector = window_with_text.main_area.docks.docks["inspector"]
    for text, has_answer in (("the cat ran", False), ("the [MASK] ran", True), ("the cat sat", False)):
        window_with_text.presentation.leave()
        settle(text)
        window_with_text.presentation.toggle()
        turn_events()
        assert inspector.isVisible() == has_answer
    settle("a [MASK] sat")
    turn_events()
    assert inspector.isVisible(), "the word was masked in front of the class"
    assert window_with_text.main_area.inspector_page.predictions.isVisible()


def test_a_window_closed_while_presenting_is_not_restored_full_screen(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    window_with_text.presentation.toggle()
    window_with_text.close()
    window_with_text.restore()
    assert not window_with_text.isFullScreen()
    assert store.settings.layout == ""


def test_preferences_are_in_force_at_once(
    window_with_text: MainWindow, store: SettingsStore, app_state: AppState, engine: FakeEngine
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Comma, CTRL)
    (dialog,) = window_with_text.findChildren(Preferences)
    bright = pixels_of(window_with_text.frame.welcome).mean()
    dialog.fields["theme"].setCurrentIndex(dialog.fields["theme"].findData("dark"))
    assert pixels_of(window_with_text.frame.welcome).mean() < bright / 2
    dialog.fields["text_size"].setValue(120)
    dialog.fields["restores_session"].setChecked(False)
    dialog.fields["n_recents"].setValue(5)
    dialog.fields["memory_gb"].setValue(9)
    dialog.fields["device"].setCurrentIndex(dialog.fields["device"].findData("cpu"))
    settings = store.settings
    assert (settings.theme, settings.text_size, settings.device) == ("dark", 1.2, "cpu")
    assert (settings.restores_session, settings.n_recents) == (False, 5)
    assert app_state.workspace.device == "cpu"
    assert store.settings.memory_gb == 9
    assert engine.memory_limit == 9 * 10**9
    dialog.accept()


@pytest.mark.usefixtures("sheets")
def test_preferences_show_what_is_set_and_follow_the_keys(
    window_with_text: MainWindow, store: SettingsStore
) -> None:
    store.change(text_size=1.3, theme="dark", device="cuda:3", n_recents=7, restores_session=False)
    window_with_text.dialogs.open_preferences()
    (dialog,) = window_with_text.findChildren(Preferences)
    assert dialog.fields["text_size"].value() == 130
    assert dialog.fields["theme"].currentData() == "dark"
    assert dialog.fields["device"].currentData() == "cuda:3"
    assert dialog.fields["n_recents"].value() == 7
    assert not dialog.fields["restores_session"].isChecked()
    window_with_text.appearance.larger()
    assert dialog.fields["text_size"].value() == 140
    assert any("bertviz-app.log" in label.text() for label in dialog.findChildren(QLabel))
    dialog.accept()


def test_the_sheet_has_every_command(window_with_text: MainWindow) -> None:
    assert window_with_text.findChildren(ShortcutSheet) == []
    QTest.keyClick(window_with_text, Qt.Key.Key_Question)
    (sheet,) = window_with_text.findChildren(ShortcutSheet)
    assert sheet.isVisible()
    labels = {label.text() for label in sheet.findChildren(QLabel)}
    for command in window_with_text.commands():
        assert not command.keys or {command.text, command.group} <= labels
    assert {"Ctrl+K", "→", "?"} <= labels
    assert "Which head does this? Show the strongest" not in labels  # it has no keys
    assert sheet.height() <= window_with_text.height() - 100  # its title bar is on the screen, too
    sheet.accept()


def test_groups_are_spread_over_columns_as_evenly_as_their_order_allows() -> None:
    groups = [SheetGroup(str(size), (("do", "X"),) * size) for size in (4, 1, 6, 2, 3)]
    columns = in_columns(groups, 3)
    assert [group for column in columns for group in column] == groups
    assert len(columns) <= 3
    heights = [sum(group.height for group in column) for column in columns]
    # By hand: 4+1, 6, 2+3 lines, with two more a group.
    assert max(heights) == 9


def _offered(window: MainWindow) -> dict[tuple[str, str], QAction]:
    """Return the actions of the menu by their group and text."""
    menu = window.frame.bar.menu.menu()
    menu.aboutToShow.emit()
    actions: dict[tuple[str, str], QAction] = {}
    for group in menu.actions():
        below = expect(QMenu, group.menu())
        for action in _innermost(below):
            actions[group.text(), action.text().partition("\t")[0]] = action
    return actions


def _innermost(menu: QMenu) -> Iterator[QAction]:
    """Yield the actions of a menu, and of the menus in it."""
    for action in menu.actions():
        below = action.menu()
        if isinstance(below, QMenu):
            yield from _innermost(below)
        else:
            yield action


def test_the_menu_has_four_entries_and_the_palette_the_rest(window_with_text: MainWindow) -> None:
    offered = set(_offered(window_with_text))
    entries = ("File", "View", "Lessons", "Help")
    assert offered == {
        (command.group, command.text) for command in window_with_text.commands() if command.group in entries
    }
    assert {group for group, _ in offered} == set(entries)
    _offered(window_with_text)["Help", "All commands"].trigger()
    (palette,) = window_with_text.findChildren(CommandPalette)
    palette.reject()


def test_recent_texts_are_offered_and_shown(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    window_with_text.session.recents.add_texts("from & before", None)
    window_with_text.session.recents.add_texts("a pair", "of two")
    menu = window_with_text.frame.bar.recent.menu()
    menu.aboutToShow.emit()
    actions = {action.text(): action for action in menu.actions()}
    assert "a pair | of two" in actions
    actions["from && before"].trigger()
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert app_state.workspace.text == "from & before"


@pytest.fixture
def texts_settle_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_session, "SETTLES_MS", 1)


@pytest.mark.usefixtures("texts_settle_at_once")
def test_a_text_that_stays_counts_as_used(qtbot: QtBot, window_with_text: MainWindow) -> None:
    recents = window_with_text.session.recents
    qtbot.waitUntil(lambda: recents.texts == (("the cat sat", None),))


def test_back_by_keys_from_the_window_and_from_a_field(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    window_with_text.app_state.store.end_typing()
    app_state.workspace.set_texts("another", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    QTest.keyClick(window_with_text, Qt.Key.Key_Z, CTRL)
    assert app_state.workspace.text == "the cat sat"
    window_with_text.frame.bar.text.setFocus()
    QTest.keyClick(window_with_text.frame.bar.text, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert app_state.workspace.text == "another"
    QTest.keyClicks(window_with_text.frame.bar.text, "x")
    QTest.keyClick(window_with_text.frame.bar.text, Qt.Key.Key_Z, CTRL)  # the field's own undo
    assert window_with_text.frame.bar.text.text() == "another"


def test_large_letters_in_a_low_window_leave_the_height_to_the_panels(window_with_text: MainWindow) -> None:
    strip = window_with_text.main_area.strip
    whole = strip.height()
    window_with_text.appearance.set_text_size(1.5)
    turn_events()
    assert strip.height() < 1.1 * whole
    window_with_text.appearance.set_text_size(1.0)
    turn_events()
    assert strip.height() == whole


HANGUL = re.compile("[가-힣]")


@pytest.fixture
def language(qapp: QApplication) -> Iterator[Language]:
    language = Language(qapp)
    yield language
    language.choose("en")
    delete(language)


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


def _application(duration: int) -> Mock:
    application = Mock(spec=QApplication)
    hints = {QStyle.StyleHint.SH_Widget_Animation_Duration: duration}
    application.style.return_value.styleHint.side_effect = hints.__getitem__
    return application


def test_the_styles_time_of_animations_and_the_settings_of_kde_and_gtk_decide(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    for duration, is_reduced in ((0, True), (200, False)):
        application = _application(duration)
        assert system_reduces_motion(application) is is_reduced
        assert reduces_motion("system", application) is is_reduced
        assert reduces_motion("reduced", application)
        assert not reduces_motion("full", application)
    for file, content, is_reduced in (
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=none\n", False),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=0\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=true\n", False),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-theme-name=Adwaita\n", False),
    ):
        path = tmp_path / file
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")
        assert system_reduces_motion(_application(200)) is is_reduced, content  # Fusion has 200 at all times
        path.unlink()


def test_what_is_chosen_is_in_force_at_once_and_saved(window: MainWindow, store: SettingsStore) -> None:
    appearance = window.appearance
    for chosen, is_reduced in (("reduced", True), ("full", False)):
        appearance.choose_motion(chosen)
        assert (store.settings.motion, window.main_area.strip.look.reduces_motion) == (chosen, is_reduced)
    appearance.choose_motion("system")
    window.dialogs.open_preferences()
    (dialog,) = window.findChildren(Preferences)
    box = dialog.fields["motion"]
    assert [box.itemData(index) for index in range(box.count())] == ["system", "full", "reduced"]
    assert box.currentData() == "system"
    box.setCurrentIndex(2)
    assert store.settings.motion == "reduced"
    dialog.accept()


REDUCED = ("org.freedesktop.appearance", "reduced-motion")

ANIMATIONS = ("org.gnome.desktop.interface", "enable-animations")

PATH, INTERFACE = "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings"


class Portal(QDBusVirtualObject):
    """Answers `Read` from `values`, each in two variants as the portal does, and sends what changes."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.values: dict[tuple[str, str], object] = {}
        self.asked: list[tuple[str, str]] = []
        self.bus: QDBusConnection | None = None

    def introspect(self, path: str) -> str:
        return ""

    def handleMessage(self, message: QDBusMessage, connection: QDBusConnection) -> bool:
        namespace, name = message.arguments()
        key = (namespace, name)
        self.asked.append(key)
        if key in self.values:
            reply = message.createReply(QDBusVariant(QDBusVariant(self.values[key])))
        else:
            reply = message.createErrorReply("org.freedesktop.portal.Error.NotFound", "not found")
        connection.send(reply)
        return True

    def change(self, key: tuple[str, str], value: object) -> None:
        signal = QDBusMessage.createSignal(PATH, INTERFACE, "SettingChanged")
        signal.setArguments([*key, QDBusVariant(value)])
        not_none(self.bus).send(signal)


@pytest.fixture
def portal(qtbot: QtBot, tmp_path: Path) -> Iterator[tuple[Portal, QDBusConnection]]:
    """A portal, and a connection to it without a bus between."""
    server, name = QDBusServer("unix:tmpdir=/tmp"), f"client of {tmp_path.name}"
    server.setAnonymousAuthenticationAllowed(True)
    portal = Portal(server)

    def on_connection(connection: QDBusConnection) -> None:
        portal.bus = QDBusConnection(connection)
        portal.bus.registerVirtualObject(PATH, portal)

    server.newConnection.connect(on_connection)
    bus = QDBusConnection.connectToPeer(server.address(), name)
    qtbot.waitUntil(lambda: portal.bus is not None)
    yield portal, bus
    QDBusConnection.disconnectFromPeer(name)


@pytest.mark.parametrize(
    ("values", "is_reduced"),
    [
        ({}, False),
        ({REDUCED: 1}, True),
        ({REDUCED: 0}, False),
        ({REDUCED: 7}, False),
        ({REDUCED: "1"}, False),
        ({ANIMATIONS: False}, True),
        ({ANIMATIONS: True}, False),
        ({REDUCED: 0, ANIMATIONS: False}, True),
    ],
)
def test_the_answers_of_the_portal_decide(
    qtbot: QtBot,
    portal: tuple[Portal, QDBusConnection],
    values: dict[tuple[str, str], object],
    *,
    is_reduced: bool,
) -> None:
    (desktop, bus), motion, emitted = portal, DesktopMotion(), list[bool]()

    def note() -> None:
        emitted.append(motion.is_reduced)

    motion.changed.connect(note)
    desktop.values = values
    motion.ask(bus, "")
    assert not motion.is_reduced, "nothing waits for the answer"
    qtbot.waitUntil(lambda: not motion.is_waiting)
    assert sorted(desktop.asked) == sorted([REDUCED, ANIMATIONS])
    assert motion.is_reduced is is_reduced
    assert emitted == [True] * is_reduced
    motion.changed.disconnect(note)


def test_what_is_changed_on_the_desktop_is_followed(
    qtbot: QtBot, portal: tuple[Portal, QDBusConnection]
) -> None:
    (desktop, bus), motion = portal, DesktopMotion()
    motion.ask(bus, "")
    qtbot.waitUntil(lambda: not motion.is_waiting)
    desktop.change(("org.freedesktop.appearance", "color-scheme"), 1)
    desktop.change(REDUCED, 1)
    qtbot.waitUntil(lambda: motion.is_reduced)
    desktop.change(REDUCED, 0)
    qtbot.waitUntil(lambda: not motion.is_reduced)


def test_only_the_systems_choice_follows_the_desktop(
    qtbot: QtBot, window: MainWindow, portal: tuple[Portal, QDBusConnection]
) -> None:
    (desktop, bus), appearance = portal, window.appearance
    look = window.main_area.strip.look
    appearance.choose_motion("system")
    before = look.reduces_motion
    desktop.values = {REDUCED: 1}
    appearance.desktop_motion.ask(bus, "")
    qtbot.waitUntil(lambda: look.reduces_motion)
    appearance.choose_motion("full")
    assert not look.reduces_motion
    appearance.choose_motion("system")
    assert look.reduces_motion
    desktop.change(REDUCED, 0)
    qtbot.waitUntil(lambda: look.reduces_motion is before)


@pytest.mark.parametrize("address", [None, ""])
def test_without_a_session_bus_nothing_is_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, address: str | None
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    if address is None:
        monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS")
    else:
        monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", address)
        (tmp_path / "bus").touch()
    motion = DesktopMotion()
    motion.ask_desktop()
    assert not motion.is_waiting
    assert not motion.is_reduced


def test_a_bus_without_a_portal_changes_nothing(qtbot: QtBot, portal: tuple[Portal, QDBusConnection]) -> None:
    _, bus = portal
    motion = DesktopMotion()
    motion.ask(bus, "no.such.service")
    qtbot.waitUntil(lambda: not motion.is_waiting)
    assert not motion.is_reduced
