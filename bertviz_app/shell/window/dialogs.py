"""What is opened, asked or said over the window: dialogs, questions, leaving, drops, terms."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QChildEvent, QCoreApplication, QEvent, QMimeData, QObject, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QDropEvent, QHelpEvent, QKeyEvent, QWhatsThisClickedEvent
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow, QMessageBox, QPushButton, QWidget
from shiboken6 import isValid

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.learning.glossary import glossary
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.process import report
from bertviz_app.shell.session import Files, Recents, ask_where_to_save
from bertviz_app.shell.settings import Appearance, SettingsStore
from bertviz_app.shell.window.frame import EndQuestion, Guide, WidgetContents, WindowPart
from bertviz_app.text.tokens import is_unreadable
from bertviz_app.timers import OneShot
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.session.archive import is_checkpoint
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.bars.top_bar import CompareBar, TopBar
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import show_tip_of_text, term_at
from bertviz_app.views.kit.widgets import Action, DropHint, Notice, NoticeArea, notice_area
from bertviz_app.views.kit.words import language

if TYPE_CHECKING:
    from bertviz_app.learning.documents import Document
    from bertviz_app.licences import Component
    from bertviz_app.shell.window.preferences_dialog import Preferences
    from bertviz_app.views.bars.questions import AnswerForm
    from bertviz_app.views.dialogs.help import DocumentsDialog, GlossaryDialog


class Dialogs(QObject):
    """Opens them; each closes itself, and is imported when it is opened: the first paint needs none."""

    preferences_closed = Signal()
    report_saved = Signal(object, str)  # the path and the text

    def __init__(  # noqa: PLR0913 - each is named by its callers
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        appearance: Appearance,
        store: SettingsStore,
        recents: Recents,
        commands: Callable[[], list[Command]],
        parts: Sequence[WindowPart],
    ) -> None:
        """`commands()` returns the commands of the palette, named in the language in force.

        `parts`: what the rooms have in the window, such as rows of the preferences.
        """
        super().__init__(window)
        self._window, self._app_state, self._look = window, app_state, look
        self._appearance, self._store, self._recents = appearance, store, recents
        self._commands, self._parts = commands, parts
        self._glossary: GlossaryDialog | None = None

    def show_again(self) -> None:
        """Open what is open over the window once more, in the language in force, where it stands."""
        from bertviz_app.shell.window.preferences_dialog import Preferences
        from bertviz_app.views.dialogs.help import DocumentsDialog, GlossaryDialog

        kinds = GlossaryDialog, DocumentsDialog, Preferences  # the last one keeps keys from the others
        shown = [each for kind in kinds for each in self._window.findChildren(kind) if each.isVisible()]
        carried = [WidgetContents(each) for each in shown]
        for each in shown:
            each.hide()
            each.deleteLater()  # later: a choice in it may be what is handled now
        for each, of_it in zip(shown, carried, strict=True):
            again: QDialog
            if isinstance(each, Preferences):
                again = self.open_preferences()
            elif isinstance(each, DocumentsDialog):
                again = self.open_documents(each.shown)
            else:
                self._glossary = None
                again = self.open_glossary(each.shown if isinstance(each, GlossaryDialog) else "")
            again.setGeometry(each.geometry())
            of_it.put(again)

    def open_palette(self) -> None:
        """Show every command, to be found by typing."""
        from bertviz_app.views.dialogs.palette import CommandPalette, PaletteEntry

        entries = [command.entry for command in self._commands()]
        if (guide := self._guide) is not None:
            entries = [replace(entry, run=partial(guide.run, entry.run)) for entry in entries]
        of_parts = [entry for part in self._parts for entry in part.palette_entries()]
        is_learning = self._app_state.rooms.room == "learn"  # of two that fit alike the first is the better
        entries = of_parts + entries if is_learning else entries + of_parts
        words, group = self.tr("{0} (what is it?)"), QCoreApplication.translate("Commands", "Glossary")
        for entry in glossary():
            text = words.format(entry.name.in_language(language()))
            names = " ".join((entry.name.en, entry.name.ko, *entry.also))
            show, key = partial(self.open_glossary, entry.key), f"term {entry.key}"
            entries.append(PaletteEntry(text, "", show, names, group, key, order=2))
        palette = CommandPalette(self._look, entries, self._window, self._recents.commands)
        palette.ran.connect(self._recents.add_command)
        palette.open()

    @property
    def _guide(self) -> Guide | None:
        return next((part for part in self._parts if isinstance(part, Guide)), None)

    def open_shortcuts(self) -> None:
        """Show every command that has keys, group by group; the palette has the others, too."""
        from bertviz_app.views.dialogs.palette import SheetGroup, ShortcutSheet

        with_keys = [command for command in self._commands() if command.keys]
        groups = [
            SheetGroup(group, tuple((command.text, command.shown_keys) for command in commands))
            for group, commands in groupby(with_keys, key=lambda command: command.group)
        ]
        ShortcutSheet(self._look, groups, self._window).open()

    def open_glossary(self, term: str = "") -> GlossaryDialog:
        """Show the glossary beside the window, at the entry of one term if its key is given."""
        from bertviz_app.views.dialogs.help import GlossaryDialog

        facts = self._app_state.shown_facts
        # A dialog that blocks the window blocks what belongs to the window, too.
        above = QApplication.activeModalWidget()
        shown = self._glossary if above is None else None
        if shown is None or not isValid(shown):
            shown = GlossaryDialog(self._look, glossary(), facts, above or self._window)
            if (guide := self._guide) is not None:
                shown.lesson_named = guide.named
                shown.lesson_requested.connect(guide.open_about)
                shown.update_example()
            self._app_state.workspace.shown_changed.connect(shown.update_example)
            self._glossary = shown if above is None else self._glossary
        shown.show()
        shown.raise_()
        if term:
            shown.show_entry(term)
        return shown

    def open_documents(self, shown: Document | None = None) -> DocumentsDialog:
        """Show the documents beside the window."""
        from bertviz_app.views.dialogs.help import DocumentsDialog

        documents = DocumentsDialog(self._look, self._window)
        documents.show()
        if shown is not None:
            documents.show_document(shown)
        return documents

    def open_about(self) -> None:
        """Show what the program is, and the licences of its parts, which a worker reads."""
        from bertviz_app.licences import components
        from bertviz_app.views.dialogs.help import AboutDialog

        dialog = AboutDialog(self._look, self._window)

        def show(found: list[Component]) -> None:
            if isValid(dialog):
                dialog.show_components(found)

        self._app_state.workers.listings.start(
            "licences", lambda *_: components(), show, self._app_state.failed.emit
        )
        dialog.open()

    def open_report(self, happened: str = "") -> None:
        """Show a report of a problem, "" where nothing is known but that there is one."""
        from bertviz_app.shell.diagnosis import facts
        from bertviz_app.views.dialogs.help import ReportDialog

        workspace = self._app_state.workspace
        texts = [text for text in (workspace.text, workspace.pair or "") if text.strip()]
        dialog = ReportDialog(self._look, report(happened, facts(), texts), texts, self._window)

        def save(text: str) -> None:
            title, kinds = self.tr("Save the report"), self.tr("Texts (*.txt)")
            path = ask_where_to_save(self._window, title, "bertviz-app-report.txt", kinds, ".txt")
            if path is not None:
                self.report_saved.emit(path, text)

        dialog.save_requested.connect(save)
        dialog.open()

    def tell_of_crash(self, happened: str) -> None:
        """Say over the window that the program ended by a fault the last time, and offer the report."""
        notice = Notice(notice_area(self._window))
        words = self.tr("BertViz App ended unexpectedly the last time. What was open is shown again.")
        notice.show_message(words, (self.tr("Report …"), lambda: self.open_report(happened)), "warning")

    def open_preferences(self) -> Preferences:
        from bertviz_app.shell.window.preferences_dialog import Preferences

        workspace = self._app_state.workspace
        rows = [row for part in self._parts for row in part.preferences()]
        dialog = Preferences(self._appearance, self._store, workspace, self._recents, rows, self._window)
        dialog.finished.connect(self.preferences_closed)
        dialog.open()
        return dialog


class ProblemNotice(Notice):
    """Shows the workspace's problem, with a button where one click puts it right."""

    def __init__(self, area: NoticeArea, bar: TopBar, workspace: Workspace) -> None:
        super().__init__(area)
        self._bar, self._workspace = bar, workspace
        workspace.problem_changed.connect(self._on_problem_changed)
        bar.texts_edited.connect(self.forget_remark)

    @Slot()
    def forget_remark(self) -> None:
        """Hide a remark about a file once the user goes on; a problem stays until it is solved."""
        if self._workspace.problem is None:
            self.dismiss()

    def show_again(self) -> None:
        """Show what is still wrong."""
        if self._workspace.problem is not None:
            self._on_problem_changed()

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._workspace.problem
        self._bar.text.set_problem(problem is not None and problem.field == "text")
        self._bar.pair.set_problem(problem is not None and problem.field == "pair")
        if problem is None or isinstance(problem.error, AnswersError):  # the form asks
            self.dismiss()
            return
        workspace = self._workspace
        way_out: Action | None = None
        texts = [workspace.text, workspace.pair or ""]
        cleaned = ["".join(c for c in text if c != "\0" and not is_unreadable(c)) for text in texts]

        def clean() -> None:
            workspace.set_texts(cleaned[0], cleaned[1] or None, at_once=True)

        if problem.field == "device":
            way_out = self.tr("Use the CPU"), partial(workspace.set_device, "cpu")
        elif problem.field == "model":
            way_out = self.tr("Choose another"), self._bar.models.showMenu
        elif cleaned != texts:
            way_out = self.tr("Take them out"), clean
        self.show_message(error_text(problem.error), way_out)


class QuestionPrompt(QObject):
    """Makes the form at the first use and places it under the picker of the run that it is about."""

    def __init__(
        self,
        window: QMainWindow,
        look: Look,
        answering: Answering,
        workspace: Workspace,
        bars: tuple[TopBar, CompareBar],
        notice: ProblemNotice,
    ) -> None:
        super().__init__(notice)
        self._window, self._look, self._answering, self._workspace = window, look, answering, workspace
        self._bar, self._compare = bars
        self._notice = notice
        self.form: AnswerForm | None = None
        self._answering.changed.connect(self._on_changed)
        self._answering.remarked.connect(self._on_remarked)

    def close(self) -> None:
        """Take the form away for good: the window is built anew. What was answered stays in the state."""
        self._answering.disconnect(self)
        if self.form is not None:
            self.form.hide()
            self.form.setParent(None)  # it no longer follows a field that is in no window
            self.form.deleteLater()

    def show_again(self) -> None:
        """Show the form that is open in the state."""
        if self._answering.open_questions is not None:
            self._on_changed()

    def ask_again(self) -> None:
        """Ask about the checkpoint of run A, or go back to the form that is there."""
        if not self._answering.can_ask_again:
            self._notice.show_message(
                self.tr("This checkpoint's files say all that must be known: there is nothing to answer."),
                tone="warning",
            )
            return
        self._answering.ask_again()
        if self.form is not None:
            self.form.take_cursor()

    def ask_for_tokenizer(self) -> None:
        """Ask for the folder of another tokenizer for the checkpoint of run A."""
        self._answering.ask_for_tokenizer()
        if self.form is not None:
            self.form.take_cursor()

    def follow(self) -> None:
        """Stay under the picker when the window changes its size."""
        if self.form is not None and self.form.isVisible():
            self.form.follow()

    @Slot()
    def _on_changed(self) -> None:
        open_questions = self._answering.open_questions
        if open_questions is None:
            # The focus returns to the text; without any checkpoint the notice says why, and how to go on.
            focused, workspace = self._window.focusWidget(), self._workspace
            if self.form is not None and focused is not None and self.form.isAncestorOf(focused):
                self._bar.text.setFocus()
            is_without = workspace.facts is None and workspace.opening.pending is None
            if is_without and self._answering.can_ask_again:
                self._notice.show_message(
                    self.tr("No checkpoint is open: this one leaves something open that must be answered."),
                    (self.tr("Answer …"), self.ask_again),
                )
            return
        if open_questions.names == ("parts",) and not self._answering.is_elsewhere:
            self._answering.parts_requested.emit()
        if self._answering.is_elsewhere:
            if self.form is not None:
                self.form.hide()
            return
        if self.form is None:
            from bertviz_app.views.bars.questions import AnswerForm

            self.form = AnswerForm(self._look, self._answering, self._window)
            self.form.questions.parts.button.clicked.connect(self._answering.parts_requested)
        if not self.form.isVisible():
            self._notice.forget_remark()
            self.form.ask((self._compare if open_questions.run == "B" else self._bar).models)
            if not self._workspace.is_busy and self._workspace.facts is not None:  # nobody is typing
                self.form.take_cursor()

    @Slot(str)
    def _on_remarked(self, remark: str) -> None:
        self._notice.show_message(translated(remark), tone="warning")


_PATIENCE_MS = 400


class Leaving(QObject):
    """The questions before the end; the answer closes the window, or leaves it open."""

    def __init__(self, window: QWidget, parts: Sequence[WindowPart], files: Files) -> None:
        super().__init__(window)
        self._window, self._parts, self._files = window, parts, files
        self._ends_parts = False  # what a part has asked is answered
        self._waits = False
        self._question: QMessageBox | None = None  # about the file
        self._finish: QPushButton | None = None
        self._patience = OneShot(self, self._ask_about_file, _PATIENCE_MS)
        # Queued: the window learns first how the writing ended.
        files.written.connect(self._on_written, Qt.ConnectionType.QueuedConnection)
        files.refused.connect(self._on_refused)

    def may_close(self) -> bool:
        """Return whether nothing is left to be asked; else ask, and close the window after the answer."""
        questions = () if self._ends_parts else [part.question_at_end() for part in self._parts]
        if question := next(filter(None, questions), None):
            box, stop = self._ask(question)

            def end() -> None:
                self._ends_parts = box.clickedButton() is stop
                if self._ends_parts:
                    self._window.close()

            box.finished.connect(end)
            return False
        if self._files.is_writing:
            if not self._waits:
                self._waits = True
                self._patience.start()  # most files are written before one could read a question
            return False
        return True

    @Slot()
    def _ask_about_file(self) -> None:
        self._waits = False
        question = EndQuestion(
            self.tr("A file is still being written. Quit anyway?"),
            self.tr("The window closes by itself as soon as the file is complete."),
            self.tr("Finish the file, then quit"),
            self.tr("Do not quit"),
        )
        box, wait = self._ask(question)
        self._question, self._finish = box, wait

        def end() -> None:
            self._question = self._finish = None
            self._waits = box.clickedButton() is wait
            self._ends_parts &= self._waits  # who stays is asked about the parts again
            if self._waits and not self._files.is_writing:
                self._window.close()

        box.finished.connect(end)

    def _ask(self, question: EndQuestion) -> tuple[QMessageBox, QPushButton]:
        """Open a question, and return its box with the button that ends something."""
        box = QMessageBox(
            QMessageBox.Icon.Question,
            "BertViz App",
            question.question,
            parent=self._window,
            informativeText=question.about,
        )
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        end = box.addButton(question.end, QMessageBox.ButtonRole.AcceptRole)
        stay = box.addButton(question.stay, QMessageBox.ButtonRole.RejectRole)
        box.setEscapeButton(stay)
        box.setDefaultButton(stay)
        box.open()
        return box, end

    @Slot()
    def _on_written(self) -> None:
        if self._files.is_writing:  # another file, since
            return
        if self._finish is not None:
            self._finish.click()  # nothing is left to be asked
        elif self._waits:
            self._patience.stop()
            self._window.close()

    @Slot()
    def _on_refused(self) -> None:
        """Stay: what could not be written would be lost, and the reason never read."""
        self._waits = self._ends_parts = False
        self._patience.stop()
        if self._question is not None:
            self._question.reject()


class Drops(QObject):
    """Opens what is dropped onto the window. What cannot be opened is refused with a sentence."""

    def __init__(self, window: QMainWindow, look: Look, files: Files) -> None:
        super().__init__(window)
        self._files = files
        self.hint = DropHint(look, window)
        window.setAcceptDrops(True)

    def hint_at(self, event: QDropEvent) -> None:
        """Say what a drop would open, while something is dragged over the window."""
        if event.source() is not None:
            return  # something of the window itself, such as an item of a list, is put elsewhere in it
        # What cannot be opened is accepted too: Qt would show no reason for refusing it.
        event.acceptProposedAction()
        words, is_accepted = self._describe(event.mimeData())
        if (self.hint.words, self.hint.isVisible()) != (words, True):
            self.hint.show_words(words, is_accepted=is_accepted)

    def take(self, event: QDropEvent) -> None:
        """Open what is dropped."""
        if event.source() is not None:
            return
        self.hint.hide()
        event.acceptProposedAction()
        data = event.mimeData()
        words, is_accepted = self._describe(data)
        paths = _paths(data)
        if not is_accepted:
            self._files.refused.emit(words)
        elif paths:
            self._files.open_path(paths[0])
        else:
            self._files.open_texts(" ".join(data.text().split()), None)

    def _describe(self, data: QMimeData) -> tuple[str, bool]:
        """Return what would be done with `data`, and whether it would be taken at all."""
        paths = _paths(data)
        if not paths and data.hasUrls():
            return self.tr("This is a web address: save the page as a file, and drop that file."), False
        if not paths:
            return (self.tr("Show this text"), True) if data.text().strip() else (self._refusal(), False)
        if len(paths) > 1:
            return self.tr("Drop one file or folder at a time."), False
        (path,) = paths
        kinds = {
            ".bva": self.tr("Open the session {0}"),
            ".npz": self.tr("Open the trace {0}"),
            ".txt": self.tr("Show the text in {0}"),
        }
        kinds |= dict.fromkeys((".md", ".text"), kinds[".txt"])
        words = self.tr("Open the checkpoint {0}") if is_checkpoint(path) else kinds.get(path.suffix.lower())
        return (self._refusal(), False) if words is None else (words.format(path.name), True)

    def _refusal(self) -> str:
        return self.tr(
            "This cannot be opened: drop a checkpoint folder or its weights (.safetensors, .bin, .pt, .pth), "
            "a .bva, .npz or .txt file, or text."
        )


def _paths(data: QMimeData) -> list[Path]:
    """Return the local files and folders in `data`."""
    return [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]


class TermHelp(Guarded, QObject):
    """Explains what is under the pointer, or what has the focus; the whole glossary where that is no term.

    It does so in the window and in its dialogs, which the keys and the tool tips of the window do not reach.
    """

    def __init__(self, window: QMainWindow, app_state: AppState, look: Look, dialogs: Dialogs) -> None:
        super().__init__(window)
        self._window, self._app_state, self._look, self._dialogs = window, app_state, look, dialogs
        window.installEventFilter(self)

    def explain(self) -> None:
        """Open the entry of what is under the pointer."""
        position = QCursor.pos()
        term = term_at(position, QApplication.widgetAt(position))
        if not term:
            term = term_at(position, QApplication.focusWidget())
        if term:
            self.open_entry(term)
        else:
            self._dialogs.open_glossary()

    def open_entry(self, term: str) -> None:
        """Open one entry beside the pointer."""
        from bertviz_app.views.dialogs.help import EntryPopup

        facts = self._app_state.shown_facts()
        parent = QApplication.activeModalWidget() or self._window
        EntryPopup(self._look, glossary()[term], facts, parent).open_at(QCursor.pos())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take what the small i sends, and explain a term that the pointer rests on."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):  # no widget had a tool tip
            return isinstance(watched, QWidget) and show_tip_of_text(event, watched)
        if isinstance(event, QWhatsThisClickedEvent):
            self.open_entry(event.href())
            return True
        if event.type() == QEvent.Type.ChildPolished and isinstance(event, QChildEvent):
            if isinstance(event.child(), QDialog):
                event.child().installEventFilter(self)
        elif (
            isinstance(event, QKeyEvent)
            and isinstance(watched, QDialog)
            and event.type() == QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_F1
        ):
            self.explain()
            return True
        return False
