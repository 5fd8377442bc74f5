"""`DesktopMotion`: whether the Linux desktop's user wants little to move, as its settings portal answers."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import SLOT, QObject, Signal, Slot

if TYPE_CHECKING:
    from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher

_SERVICE, _PATH = "org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop"
_INTERFACE = "org.freedesktop.portal.Settings"
_KEYS = {
    ("org.freedesktop.appearance", "reduced-motion"): 1,
    ("org.gnome.desktop.interface", "enable-animations"): 0,
}
"""The settings that are read, each with the value that means reduced motion: the key of all desktops, which
older ones lack, and GNOME's own."""
_PATIENCE_MS = 5000


class DesktopMotion(QObject):
    """Reads the setting once, without blocking, and follows its later changes.

    GNOME's own switch is in a database that only its libraries read: the portal is the way of other programs.
    A desktop without a portal changes nothing.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.is_reduced = False
        self._answers: dict[tuple[str, str], bool] = {}
        self._bus: QDBusConnection | None = None
        self._calls: dict[QDBusPendingCallWatcher, tuple[str, str]] = {}

    @property
    def is_waiting(self) -> bool:
        """Whether an answer is outstanding."""
        return bool(self._calls)

    def ask_desktop(self) -> None:
        """Ask the portal of the desktop that the program runs in, the first time."""
        if self._bus is not None or not _has_bus():
            return
        from PySide6.QtDBus import QDBusConnection

        self.ask(QDBusConnection.sessionBus(), _SERVICE)

    def ask(self, bus: QDBusConnection, service: str) -> None:
        """Ask `service` on `bus`, and follow it."""
        from PySide6.QtDBus import QDBusMessage, QDBusPendingCallWatcher

        self._bus = bus
        slot: Any = SLOT("_on_setting_changed(QDBusMessage)")  # typed as bytes, which it refuses
        bus.connect(service, _PATH, _INTERFACE, "SettingChanged", self, slot)
        for key in _KEYS:
            message = QDBusMessage.createMethodCall(service, _PATH, _INTERFACE, "Read")
            message.setArguments(list(key))
            call = QDBusPendingCallWatcher(bus.asyncCall(message, _PATIENCE_MS), self)
            self._calls[call] = key
            call.finished.connect(self._on_answered)

    @Slot("QDBusPendingCallWatcher*")
    def _on_answered(self, call: QDBusPendingCallWatcher) -> None:
        key = self._calls.pop(call)
        call.deleteLater()
        if not call.isError():
            self._note(key, call.reply().arguments())

    @Slot("QDBusMessage")
    def _on_setting_changed(self, message: QDBusMessage) -> None:
        namespace, name, *value = message.arguments()
        self._note((namespace, name), value)

    def _note(self, key: tuple[str, str], arguments: list[Any]) -> None:
        """Take over one value; others than the two known ones are ignored."""
        from PySide6.QtDBus import QDBusVariant

        value = arguments[0] if arguments else None
        while isinstance(value, QDBusVariant):  # the portal puts one into another
            value = value.variant()
        if key not in _KEYS or not isinstance(value, int):
            return
        self._answers[key] = int(value) == _KEYS[key]
        is_reduced = any(self._answers.values())
        if is_reduced != self.is_reduced:
            self.is_reduced = is_reduced
            self.changed.emit()


def _has_bus() -> bool:
    """Return whether there is a session bus; an empty address is none. Without one, Qt would start it."""
    if sys.platform != "linux":
        return False
    address, folder = os.environ.get("DBUS_SESSION_BUS_ADDRESS"), os.environ.get("XDG_RUNTIME_DIR")
    return bool(address) if address is not None else folder is not None and Path(folder, "bus").exists()
