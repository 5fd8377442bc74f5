"""The main window: builds its parts, connects them, and shows in them what its state and its room hold."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QByteArray, QObject, QSize, Qt, Slot
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QKeyEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QMainWindow

from bertviz_app.json_store import finish_writing
from bertviz_app.paths import replacing
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.commands.views import add_shortcuts, all_commands
from bertviz_app.shell.feature import Feature, panel_views
from bertviz_app.shell.session import FileDialogs, Files, WindowSession
from bertviz_app.shell.settings import Appearance, SettingsStore, Theme
from bertviz_app.shell.window.bar_state import BarState, NumbersState, OwnSentence
from bertviz_app.shell.window.dialogs import Dialogs, Drops, Leaving, ProblemNotice, QuestionPrompt, TermHelp
from bertviz_app.shell.window.docks import CardArranging
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.frame import Guide, Presentation, WidgetContents, WindowFrame, WindowPart
from bertviz_app.text.edits import MASKS
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Panel
from bertviz_app.viewmodels.panels import Rooms
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import Arrangement, Room
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import notice_area
from bertviz_app.weak_slots import slot_of

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea

SMALLEST = (960, 600)
_FIRST = (1600, 1000)
_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}
_START_PAGE = Qt.KeyboardModifier.ControlModifier | Qt.Key.Key_Home


_Part = TypeVar("_Part", bound=WindowPart)


class MainWindow(Guarded, QMainWindow):
    """One window and the state it shows.

    The parts are built here and given what they need; the commands and the bar alone reach for all of them.
    What the rooms bring comes last, in `parts`; `guide` is the one of them that leads through the window.
    """

    def __init__(
        self,
        app_state: AppState,
        look: Look,
        theme: Theme,
        store: SettingsStore,
        rooms: Sequence[Feature],
    ) -> None:
        """`rooms`: those whose parts the window has."""
        super().__init__()
        self.app_state, self.look = app_state, look
        self.setWindowTitle("BertViz App")
        self.setMinimumSize(*SMALLEST)
        self.session = WindowSession(app_state, store, self)
        recents, available = self.session.recents, app_state.workspace.available
        available.set_recent(recents.checkpoints)
        recents.changed.connect(lambda: available.set_recent(recents.checkpoints))
        self.appearance = Appearance(look, theme, store)
        self.files = Files(app_state, self.session.opener, recents, self)
        self.file_dialogs = FileDialogs(self, self.files)
        self.export = Export(self, app_state, look, self.files)
        self.presentation = Presentation(self, self.appearance)
        self.parts: list[WindowPart] = []
        self.rooms_there, self.panel_views = rooms, panel_views(rooms)
        for room in rooms:
            self.parts += room.parts(self)
        self.guide = next((part for part in self.parts if isinstance(part, Guide)), None) or Guide(self)
        self.leaving = Leaving(self, self.parts, self.files)
        self.dialogs = Dialogs(
            self, app_state, look, self.appearance, store, recents, self.commands, self.parts
        )
        self.rooms = RoomArranging(
            app_state.rooms, app_state.workspace, self.guide, self.presentation, store, lambda: self.frame
        )
        self.own_sentence = OwnSentence(app_state, lambda words: self.frame.status.show_message(words), self)
        self.term_help = TermHelp(self, app_state, look, self.dialogs)
        self._connect()
        self._build()
        self.drops = Drops(self, look, self.files)

    def _build(self) -> None:
        """Build everything that words are written in, around the state as it is now."""
        app_state, recents = self.app_state, self.session.recents
        self.frame = WindowFrame(app_state, self.look, lambda: recents.checkpoints, self.panel_views)
        self.setCentralWidget(self.frame)
        bars = self.frame.bar, self.frame.compare
        self.notice = ProblemNotice(notice_area(self.frame), self.frame.bar, app_state.workspace)
        self.questions = QuestionPrompt(
            self, self.look, app_state.answering, app_state.workspace, bars, self.notice
        )
        self.own_sentence.move_to(self.frame.welcome)
        self.export.move_to(self.frame)
        for part in self.parts:
            part.move_to(self.frame)
        self.frame.bar.offers_lessons = self.guide in self.parts
        self.frame.welcome.offer_lessons(are_there=self.guide in self.parts)
        NumbersState(app_state, self.frame.bar.numbers)
        self._bar_state = BarState(self, self.notice, self.files, self.commands)
        self._connect_frame()
        self._shortcuts = add_shortcuts(self)
        self._bar_state.refresh()
        self.rooms.arrange()
        self._on_shown_changed()
        if self.app_state.workspace.is_blank:
            self._on_cleared()
        self.frame.show_activity()

    def _rebuild(self) -> None:
        """Build another frame in another language; what no state holds is carried over."""
        frame, notice = self.frame, self.notice
        carried = WidgetContents(frame)
        run = frame.main_area.runs.run if frame.has_main_area else None
        self.setUpdatesEnabled(False)  # it is painted once all of it is there
        try:
            for action in self._shortcuts:
                self.removeAction(action)
                action.deleteLater()
            self.questions.close()
            self.takeCentralWidget()
            frame.hide()
            frame.setParent(None)
            frame.deleteLater()  # once no handler of its events runs
            self._build()
            self.frame.show()  # now, so that it has its size, and can have the focus
            if run is not None:
                self.main_area.runs.show_run(run)
            if not notice.isHidden():
                self.notice.show_again()
            self.questions.show_again()
            for part in self.parts:
                part.show_again()
            self.dialogs.show_again()
            carried.put(self.frame)
        finally:
            self.setUpdatesEnabled(True)

    @property
    def main_area(self) -> MainArea:
        """The views of a result, built at the first use."""
        return self.frame.main_area

    def part(self, kind: type[_Part]) -> _Part:
        """Return the part of this kind. Raises LookupError where no room brought one."""
        if (found := next((part for part in self.parts if isinstance(part, kind)), None)) is None:
            raise LookupError(f"the window has no {kind.__name__}")
        return found

    def commands(self) -> list[Command]:
        """Return all commands, named in the language in force."""
        return all_commands(self)

    def _connect(self) -> None:
        """Connect what stays when another language is chosen."""
        workspace = self.app_state.workspace
        # Qt calls in the order of connection. The state behind the views connected before this window was
        # built: selections, pictures and panels are those of the new result already when the views show it.
        for signal, slot in (
            (workspace.shown_changed, self._on_shown_changed),
            (workspace.cleared, self._on_cleared),
            (self.appearance.language_changed, self._rebuild),
            (self.dialogs.preferences_closed, self.guide.refresh),
            (self.guide.changed, self._on_guide_changed),
        ):
            signal.connect(slot)
        self.dialogs.report_saved.connect(self._on_report_saved)
        self.files.began.connect(lambda: self.notice.forget_remark())
        self.files.refused.connect(lambda words: self.notice.show_message(words))
        self.files.content_requested.connect(lambda: self.frame.pages.leave_pages())
        self.files.saved.connect(
            lambda path: self.frame.status.show_message(self.tr("Saved {0}.").format(path))
        )
        self.session.opener.remarked.connect(self._on_opener_remarked)
        self.export.copied.connect(lambda words: self.frame.status.show_message(words))

    def _connect_frame(self) -> None:
        frame, dialogs = self.frame, self.file_dialogs
        frame.main_area_made.connect(self._on_main_area_made)
        for field in (frame.bar.text, frame.bar.pair):
            field.returnPressed.connect(self.app_state.kept_vectors.keep)
        models = frame.compare.models
        for action, ask in (
            (models.file, dialogs.ask_for_file),
            (models.folder, dialogs.ask_for_folder),
            (models.hub, dialogs.ask_for_hub_id),
        ):
            action.triggered.connect(lambda _=False, ask=ask: ask(self.files.compare_with))
        frame.bar.commands.clicked.connect(self.dialogs.open_palette)
        frame.bar.rooms.chosen.connect(self.app_state.rooms.enter)
        frame.bar.lessons.clicked.connect(self.guide.open_list)
        frame.bar.language.clicked.connect(
            lambda: self.appearance.choose_language("en" if self.appearance.language == "ko" else "ko")
        )
        frame.welcome.last.clicked.connect(
            lambda: self.app_state.workspace.set_texts(*self._last_texts(), at_once=True)
        )
        frame.welcome.text_entered.connect(self._on_text_entered)
        # Who types, or opens a text, a trace or a session, wants to see it, not a page above it.
        frame.bar.texts_edited.connect(frame.pages.leave_pages)

    @Slot()
    def _on_guide_changed(self) -> None:
        self.session.autosave.pause(self.guide.is_open)  # after a crash one's own work comes back
        self.frame.pages.leave_pages()

    @Slot(object, str)
    def _on_report_saved(self, path: Path, text: str) -> None:
        def write() -> None:
            with replacing(path) as beside:
                beside.write_text(text, encoding="utf-8")

        self.files.write(path, write)

    def leave(self) -> None:
        """Leave the presentation or a page above the views, else unpin the pinned token."""
        if self.presentation.is_on:
            self.presentation.leave()
        elif self.frame.pages.has_page:
            self.frame.pages.leave_page()
        elif self.guide.is_open and not self.guide.holds_pin:
            self.guide.leave()
        else:
            self.app_state.selection.clear()

    def close_window(self) -> None:
        """Close the window, and say nothing of whether it did: a command returns nothing."""
        self.close()

    def warn(self, words: str) -> None:
        """Show a sentence in the status line."""
        self.frame.status.show_message(words, "warning")

    # changes of the state

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self.app_state.workspace.shown
        if shown is None or self.app_state.workspace.is_blank:
            return
        frame = self.frame
        frame.main_area.show_result(shown)
        frame.pages.show_behind(frame.main_area)
        frame.status.show_result(shown)
        frame.show_activity()

    @Slot()
    def _on_cleared(self) -> None:
        """Show the start page, with the way back to the text before."""
        text, pair = self._last_texts()
        self.frame.welcome.offer_last(text if pair is None else f"{text}  |  {pair}")
        self.frame.pages.show_behind(self.frame.welcome)
        self.frame.show_activity()

    def open_start_page(self) -> None:
        """Show the start page; what was typed can be brought back there."""
        self.frame.pages.leave_pages()
        self.guide.leave()
        self.app_state.workspace.set_texts("", None, at_once=True)

    @Slot(str)
    def _on_opener_remarked(self, words: str) -> None:
        self.notice.show_message(translated(words), tone="warning")

    @Slot(str)
    def _on_text_entered(self, text: str) -> None:
        """Encode the sentence of the start page, in Explore; what is typed next goes on with it."""
        if self.app_state.rooms.room == "learn":
            self.app_state.rooms.enter("explore")
        self.own_sentence.expect(text if self.session.store.settings.opens_on_pair else "")
        self.app_state.workspace.set_texts(text, None, at_once=True)
        self.frame.welcome.field.write("")  # it is in the bar now
        self.frame.bar.text.setFocus()
        self.frame.bar.text.end(False)

    def _last_texts(self) -> tuple[str, str | None]:
        """Return what was shown last, in this window or the one before; an empty text where nothing was."""
        shown, recents = self.app_state.workspace.shown, self.session.recents.texts
        if shown is not None:
            return shown.result.request.text, shown.result.request.pair
        return recents[0] if recents else ("", None)

    @Slot()
    def _on_main_area_made(self) -> None:
        from bertviz_app.shell.commands.analyses import make_possible, open_gallery

        settings, main_area = self.session.store.settings, self.main_area
        first = Arrangement(settings.layout, settings.shows_predictions)
        CardArranging(self.app_state.store, first, main_area.docks, main_area.inspector_page.predictions)
        main_area.flow.text_requested.connect(self.frame.focus_text)
        main_area.flow.lesson_requested.connect(self.guide.open_about)
        main_area.flow.lesson_named = self.guide.named
        ExploreControls(self.app_state, main_area, self.frame)
        self.rooms.arrange()
        self.export.add_buttons(main_area)
        main_area.area.gallery_requested.connect(partial(open_gallery, self))
        for part in (main_area.area, main_area.inspector_page.predictions):
            part.remedy_requested.connect(partial(make_possible, self))

    # the window itself

    def restore(self) -> None:
        """Restore appearance, size and position of the last time, or fill most of the screen."""
        self.appearance.restore()
        geometry = QByteArray.fromBase64(self.session.store.settings.geometry.encode())
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            self.resize(self.screen().availableSize().boundedTo(QSize(*_FIRST)))
            if self.size() != QSize(*_FIRST):  # the window manager's frame needs room too
                self.setWindowState(Qt.WindowState.WindowMaximized)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk heads and layers by the arrows that no view used; go home from a field, too; type letters."""
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is not None and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self.app_state.panels.walk(*step)
        elif event.keyCombination() == _START_PAGE:  # a field takes the shortcut, and leaves the key
            self.open_start_page()
        elif event.text().isalpha() and not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            self.frame.type_text(event.text())
        else:
            event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.questions.follow()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        self.drops.hint_at(event)

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self.drops.hint_at(event)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.drops.hint.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self.drops.take(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        if not self.leaving.may_close():
            event.ignore()
            return
        self.presentation.leave()
        self.guide.leave()  # what is saved is one's own work
        if self.frame.has_main_area:
            is_open = self.main_area.inspector_page.predictions.is_open
            self.session.store.change(layout=self.main_area.docks.layout_text, shows_predictions=is_open)
        self.session.store.change(geometry=self.saveGeometry().toBase64().toStdString())
        self.session.autosave.end()
        for part in self.parts:
            part.close()
        self.files.close()
        finish_writing()
        event.accept()


_OVERVIEW_IN_EXPLORE = 0.36
"""Of the width: so the heads fill a card that has the column for itself."""


class RoomArranging(QObject):
    """Decides what the bars and the cards around the panels show in each room, and while a lesson is open.

    Others say by `arrange` that something changed.
    """

    def __init__(
        self,
        rooms: Rooms,
        workspace: Workspace,
        guide: Guide,
        presentation: Presentation,
        store: SettingsStore,
        frame: Callable[[], WindowFrame],
    ) -> None:
        super().__init__(guide)
        self._rooms, self._workspace, self._guide = rooms, workspace, guide
        self._presentation, self._store, self._frame = presentation, store, frame
        self._before_lesson: Room | None = None
        rooms.store.watch(("room", "cards"), self._on_room_changed)
        guide.changed.connect(self._on_guide_changed)
        presentation.changed.connect(self.arrange)
        workspace.shown_changed.connect(self._on_shown_changed)
        self._was_blank = self._workspace.is_blank
        rooms.store.watch(("text", "pair", "saved"), self._on_texts_changed)

    @Slot()
    def _on_room_changed(self) -> None:
        if self._guide.is_open and self._rooms.room != "learn":
            self._before_lesson = None
            self._guide.leave()
        if not self._rooms.is_lesson:  # a lesson is in Learn, which is not what the user has chosen
            self._store.change(room=self._rooms.room, explore_cards=tuple(sorted(self._rooms.cards)))
        focused = QApplication.focusWidget()
        self.arrange()
        if self._frame().has_main_area and focused is not QApplication.focusWidget():
            self._frame().main_area.area.focus_active()  # not what Qt takes for the next after what is hidden

    @Slot()
    def _on_guide_changed(self) -> None:
        """Be in Learn for as long as a lesson is open, with its scenes in the place of one's own panels."""
        rooms = self._rooms
        rooms.is_lesson = self._guide.is_open
        if self._guide.is_open and rooms.room != "learn":
            self._before_lesson = rooms.room
            rooms.note("learn")
        elif not self._guide.is_open and self._before_lesson is not None:
            before, self._before_lesson = self._before_lesson, None
            rooms.note(before)
        self.arrange()

    @Slot()
    def _on_shown_changed(self) -> None:
        """In a presentation bring the card that answers, and put it away with its question."""
        if self._presentation.is_on and not self._guide.is_open:
            self.arrange()

    def _on_texts_changed(self) -> None:
        """Bring what acts on a text with its first letter, and take it away with the last one.

        Numbers from a file are a text, too, even one without letters.
        """
        if self._workspace.is_blank != self._was_blank:
            self.arrange_bars()

    @Slot()
    def arrange_bars(self) -> None:
        """Show in the bars what belongs to the room and acts on something."""
        frame, room, is_blank = self._frame(), self._rooms.store.now.room, self._workspace.is_blank
        is_lesson = self._rooms.is_lesson
        needed = self._guide.points_at if is_lesson else ""
        self._was_blank = is_blank
        frame.bar.show_room(room, is_lesson=is_lesson, is_blank=is_blank, needed=needed)
        frame.welcome.set_brief(self._guide.is_open, is_coming=not is_blank)
        frame.arrange(is_presented=self._presentation.is_on, is_calm=room == "learn")

    @Slot()
    def arrange(self) -> None:
        """Show what belongs to the room now."""
        self.arrange_bars()
        frame, room = self._frame(), self._rooms.room
        if not frame.has_main_area:
            return
        frame.main_area.flow.setVisible(room == "learn")
        frame.main_area.show_ids(room != "explore" or "ids" in self._rooms.cards)
        frame.main_area.explore.setVisible(room == "explore" and not self._presentation.is_on)
        if self._guide.is_open:
            self._guide.arrange_cards()
        else:
            cards: Collection[str] | None = None if room == "research" else ()  # None: as the user has them
            if self._presentation.is_on:
                cards = ("inspector",) if self._has_answer else ()
            elif room == "explore":
                cards = self._rooms.cards - {"ids"}
            frame.main_area.docks.show_only(cards, "overview", _OVERVIEW_IN_EXPLORE)
            if self._presentation.is_on and self._has_answer:
                frame.main_area.show_predictions()

    @property
    def _has_answer(self) -> bool:
        """Whether a word is masked, and the checkpoint names others for it: a class wants to see them."""
        shown = self._workspace.shown
        if shown is None or "masked" not in shown.result.facts.task_heads:
            return False
        return not {*MASKS}.isdisjoint(shown.result.trace.tokens.pieces)


class ExploreControls(QObject):
    """Adds to the one picture of Explore what the row above it offers, and shows there what is added."""

    def __init__(self, app_state: AppState, main_area: MainArea, frame: WindowFrame) -> None:
        super().__init__(main_area)
        self._app_state, self._main_area, self._frame = app_state, main_area, frame
        self._row = main_area.explore
        for key, button in self._row.buttons.items():
            button.clicked.connect(slot_of(self._on_switched, key))
        for dock in main_area.docks.docks.values():
            dock.closed.connect(slot_of(self._on_closed, dock.objectName()))
        shown_changed = app_state.workspace.shown_changed
        for signal in (shown_changed, app_state.comparison.changed, app_state.selection.changed):
            signal.connect(self._show)
        app_state.store.watch(("edits", "room", "cards", "panels"), self._show)
        self._show()

    @Slot()
    def _show(self) -> None:
        app_state, buttons = self._app_state, self._row.buttons
        if app_state.store.now.room != "explore":  # nobody sees the row
            return
        is_masked = bool(app_state.workspace.edits.replaced)
        for name in ("inspector", "overview", "ids"):
            buttons[name].setChecked(name in app_state.rooms.cards)
        buttons["steps"].setChecked(self._steps() is not None)
        buttons["compare"].setChecked(app_state.comparison.is_on)
        buttons["mask"].setChecked(is_masked)
        buttons["mask"].setEnabled(is_masked or app_state.editing.is_possible)

    def _steps(self) -> Panel | None:
        return next((one for one in self._app_state.panels.panels if one.kind.key == "steps"), None)

    def _on_switched(self, key: str) -> None:
        if key == "steps":
            panels, steps = self._app_state.panels, self._steps()
            if steps is not None:
                panels.close(steps.number)
            elif panels.active is not None:
                panels.insert(replace(panels.active, view_kind="steps", content=SHOWS_ATTENTION))
        elif key == "compare":
            self._frame.toggle_comparison()
        elif key == "mask":
            # Mask a word and show what is expected there; or read all words as they are written.
            editing, workspace = self._app_state.editing, self._app_state.workspace
            position = editing.token_to_mask()
            if workspace.edits.replaced:
                workspace.set_edits(replace(workspace.edits, replaced=()))
            elif position is not None:
                self._app_state.rooms.show_card("inspector", is_shown=True)
                if editing.can_predict():
                    editing.predict(position)
                else:
                    self._app_state.selection.pin(query=position)
                    editing.toggle_mask(position)
                    self._main_area.show_predictions()  # or rather what to open for some
        else:
            self._app_state.rooms.show_card(key, is_shown=self._row.buttons[key].isChecked())
        self._show()

    def _on_closed(self, name: str) -> None:
        if self._app_state.rooms.room == "explore":
            self._app_state.rooms.show_card(name, is_shown=False)
