"""The application: builds and connects everything once, shows the window, and ends it in order."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from traceback import format_exception
from types import TracebackType

from PySide6.QtCore import (
    QCoreApplication,
    QEvent,
    QMessageLogContext,
    QObject,
    QSize,
    Qt,
    QTimer,
    QtMsgType,
    Signal,
    Slot,
    qInstallMessageHandler,
)
from PySide6.QtGui import QFileOpenEvent, QIcon
from PySide6.QtWidgets import QApplication, QMessageBox

from bertviz_app import __version__, paths
from bertviz_app.inference.engine import Engine
from bertviz_app.options import WindowOptions
from bertviz_app.room_loader import leave_out_rooms
from bertviz_app.shell.collector import Collector
from bertviz_app.shell.feature import features
from bertviz_app.shell.process import CrashLog, log_file
from bertviz_app.shell.settings import SettingsStore, Theme, language_of, read_palette
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.version import APPLICATION_ID
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import Room
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, as_written

_log = logging.getLogger(__name__)
_log_qt_messages = logging.getLogger("qt")

_LATER = ("pyqtgraph", "bertviz_app.shell.window.main_area")
"""What is imported after the first paint, each in about the same time.

No other thread may import them while events are handled. Each class derived from a class of Qt is entered
into a table of PySide's (6.11, `PepType_SOTP`), in which the interface thread looks classes up without
Python's lock whenever a signal arrives: if the table grows meanwhile, the process ends with a segmentation
fault.
"""
_NO_WINDOW = (
    "If there is no screen, use the other commands of bertviz-app, which need none: "
    "bertviz-app render draws a picture; bertviz-app --help lists them."
)


def make_application() -> QApplication:
    qInstallMessageHandler(_log_qt)
    application = QApplication.instance() or QApplication(["bertviz-app"])
    assert isinstance(application, QApplication)
    application.setApplicationName("BertViz App")
    application.setApplicationVersion(__version__)
    application.setDesktopFileName(APPLICATION_ID)  # by which Wayland finds the icon and the menu entry
    icon = QIcon()
    folder = paths.resources() / "icons" / "application"
    for size in (16, 24, 32, 48, 64, 128, 256):
        icon.addFile(str(folder / f"bertviz-app-{size}.png"), QSize(size, size))
    application.setWindowIcon(icon)
    application.setStyle("Fusion")
    application.setFont(as_written(application.font()))
    return application


def run(options: WindowOptions, opened: Callable[[MainWindow], None] | None = None) -> int:
    """Open the window, call `opened` with it, and return when it was closed."""
    if options.is_safe:
        leave_out_rooms()
    application = make_application()
    collector = Collector(application)  # before there is a worker
    # Python's own handler runs only between two lines of Python, so never while Qt waits for events. With the
    # system's, Ctrl-C ends the program at once: as after a crash, the next start shows what was shown last.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    crash_log = CrashLog(paths.settings() / "crash.txt")
    crashed = crash_log.begin()
    store = SettingsStore(paths.settings() / "settings.json")
    language_of(application).choose(store.settings.language)  # before there is anything to write anew
    look = Look(read_palette("light"))
    theme = Theme(application, look)
    app_state = AppState(Engine())
    window = MainWindow(app_state, look, theme, store, features())
    theme.choose(store.settings.theme)  # after the window is built: see Theme
    faults = Faults(window)
    sys.excepthook = faults.report
    threading.excepthook = faults.thread_failed.emit
    # What fails on a worker arrives here on the interface thread, where a dialog may be opened.
    app_state.failed.connect(faults.report_error)
    window.restore()
    app_state.rooms.begin(first_room(store, options), store.settings.explore_cards)
    app_state.workspace.available.set_memory(store.settings.memory_gb)
    app_state.workspace.set_device(store.settings.device if options.device == "auto" else options.device)
    begin = _show_first(window, app_state, options)
    window.show()
    window.frame.focus_text()
    if sys.platform == "darwin":  # it hears every event of the program
        FileOpener(application, window)
    if crashed:
        window.dialogs.tell_of_crash(crashed)
    if opened is not None:
        opened(window)
    # After the first paint, and one after the other: importing torch beside the views would hold them up.
    QTimer.singleShot(30, lambda: _start(window, begin))
    QTimer.singleShot(5000, collector.freeze)
    try:
        return application.exec()
    finally:
        crash_log.end()
        app_state.close()  # the workers end before the interpreter does: a thread left behind may abort it


def first_room(store: SettingsStore, options: WindowOptions) -> Room:
    """Return the room of the last time. Who is new learns, unless a text or a file is given."""
    if not store.is_first:
        return store.settings.room
    return "research" if options.path is not None else "learn" if options.text is None else "explore"


def _show_first(window: MainWindow, app_state: AppState, options: WindowOptions) -> Callable[[], None]:
    """Show the text of the command line or the last state; return what opens the checkpoint, or the file."""
    restores, path = window.session.store.settings.restores_session, options.path
    last = window.session.autosave.begin(restores=restores)
    if path is not None:

        def open_file() -> None:
            app_state.start(options.model, opens=options.model is not None)
            window.files.open_path(path, is_listed=options.is_listed)

        return open_file
    if options.text is not None:
        app_state.workspace.set_texts(options.text, options.pair, at_once=True)
    elif last is not None and options.model in (None, last.state.ref):
        opens, ref = window.session.opener.start_with(last)
        return lambda: app_state.start(ref, opens=opens)
    return lambda: app_state.start(options.model)


def _start(window: MainWindow, begin: Callable[[], None]) -> None:
    """Load what the first paint did without: the views of a result, then torch with a checkpoint.

    Each step takes a tenth of a second, with events in between. Torch is last: its import, on another thread,
    would take Python's lock from the other steps at each call of Qt.
    """
    loads: list[Callable[[], object]] = [partial(import_module, name) for name in _LATER]
    loads += [room.load for room in window.rooms_there]
    steps: Iterator[Callable[[], object]] = iter((*loads, lambda: window.main_area.ensurePolished(), begin))

    def run_step() -> None:
        if (step := next(steps, None)) is not None:
            step()
            QTimer.singleShot(1, window, run_step)

    run_step()


def _log_qt(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
    """Log the messages of Qt; off-screen it warns about every window with a minimum size, as expected."""
    level = logging.DEBUG if kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg) else logging.WARNING
    _log_qt_messages.log(logging.DEBUG if "propagateSizeHints" in message else level, "%s", message)
    if kind == QtMsgType.QtFatalMsg:  # Qt aborts the process when this returns: the log alone says nothing
        sys.stderr.write(f"{message}\n{_NO_WINDOW}\n")


class FileOpener(Guarded, QObject):
    """Opens what macOS hands over: there a double click on a file is an event, not an argument."""

    def __init__(self, application: QApplication, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        application.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self._window.files.open_path(Path(event.file()))
            return True
        return super().eventFilter(watched, event)


class Faults(QObject):
    """Defects of the program: logged with their traceback, shown once in a dialog, and survived."""

    thread_failed = Signal(object)
    """Takes the place of `threading.excepthook`: a dialog may be opened on the interface thread alone."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._is_open = False
        self.thread_failed.connect(self._on_thread_failed, Qt.ConnectionType.QueuedConnection)

    def report(
        self, kind: type[BaseException], error: BaseException, traceback: TracebackType | None
    ) -> None:
        """Take the place of `sys.excepthook`."""
        _log.error("unexpected error", exc_info=(kind, error, traceback))
        if self._is_open:
            return
        self._is_open = True
        translate = QCoreApplication.translate
        text = translate("Faults", "An unexpected error occurred. Your text is not lost.")
        detail = translate("Faults", "{0}\n\nThe details are in {1}.")
        box = QMessageBox(QMessageBox.Icon.Warning, "BertViz App", text, parent=self._window)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.setInformativeText(detail.format(f"{kind.__name__}: {error}", log_file()))
        report = box.addButton(translate("Faults", "Report …"), QMessageBox.ButtonRole.ActionRole)
        box.addButton(QMessageBox.StandardButton.Ok)
        happened = "".join(format_exception(kind, error, traceback))
        report.clicked.connect(lambda: self._window.dialogs.open_report(happened))
        box.finished.connect(self._on_closed)
        box.open()

    def report_error(self, error: Exception) -> None:
        self.report(type(error), error, error.__traceback__)

    @Slot(object)
    def _on_thread_failed(self, arguments: threading.ExceptHookArgs) -> None:
        self.report(arguments.exc_type, arguments.exc_value or arguments.exc_type(), arguments.exc_traceback)

    def _on_closed(self) -> None:
        self._is_open = False
