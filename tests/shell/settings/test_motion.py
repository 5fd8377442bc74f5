"""Whether things move by themselves: as chosen, as the system is set, or as the desktop answers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QObject
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusServer, QDBusVariant, QDBusVirtualObject
from PySide6.QtWidgets import QApplication, QStyle
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.appearance import DesktopMotion, reduces_motion, system_reduces_motion
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.shell.window.window import MainWindow
from tests.support.scene import not_none


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
