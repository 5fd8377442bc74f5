"""`BarState`: fills the bar at the top from the window's state."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.checkpoint.model_facts import ModelFacts
from bertviz_app.shell.commands import menus
from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.context import CommandContext
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.window.problem_notice import ProblemNotice
from bertviz_app.viewmodels.wording.error_words import all_translated, translated


class BarState(QObject):
    """Fills the pickers, the fields and the menus of the bar, and passes on what is typed."""

    training_asked = Signal()

    def __init__(
        self,
        context: CommandContext,
        notice: ProblemNotice,
        files: Files,
        commands: Callable[[], list[Command]],
    ) -> None:
        """`commands()` returns what the menu lists, named in the language in force."""
        super().__init__(context.bar)
        self._context = context
        self._bar = bar = context.bar
        self._app_state = app_state = context.app_state
        self._notice = notice
        self._files = files
        self._commands = commands
        self._seen: dict[str, ModelFacts] = {}
        workspace = app_state.workspace
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.available.sources_changed.connect(self._on_sources_changed)
        for signal in (workspace.available.devices_changed, workspace.device_changed):
            signal.connect(self._on_devices_changed)
        workspace.texts_changed.connect(self._on_texts_changed)
        workspace.activity_changed.connect(self._on_activity_changed)
        app_state.comparison.changed.connect(self._on_comparison_changed)
        bar.texts_edited.connect(workspace.set_texts)
        bar.menu.menu().aboutToShow.connect(self._on_menu_asked)
        bar.recent.menu().aboutToShow.connect(self._on_recents_asked)
        bar.models.menu().aboutToShow.connect(workspace.available.look_for_sources)
        bar.models.menu().aboutToShow.connect(notice.hide)

    def refresh(self) -> None:
        """Say everything again: in another language, or what was there before the bar."""
        self._on_sources_changed()
        self._on_devices_changed()
        self._on_facts_changed()
        self._on_texts_changed()
        self._on_comparison_changed()
        self._on_shown_changed()

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self._app_state.workspace.shown
        if shown is None:
            return
        n_left_out = shown.result.trace.tokens.n_left_out
        remark = self.tr("{0} left out").format(n_left_out) if n_left_out else ""
        self._bar.text.set_remark(remark, all_translated(shown.result.notices))
        self._show_whether_saved()
        self._on_devices_changed()

    def _show_whether_saved(self) -> None:
        """Say that nothing can be typed while a saved trace is shown, and how to go on."""
        workspace = self._app_state.workspace
        saved = workspace.saved if workspace.opening.pending is None else None
        self._bar.set_editable(saved is None)
        if saved is not None and workspace.problem is None:
            words = self.tr(
                "This is a saved trace of {0}: its numbers are shown, its text cannot be changed."
            )
            way_out = (self.tr("Encode the text"), workspace.leave_saved) if workspace.facts else None
            self._notice.show_message(self._bar.text, words.format(saved.facts.name), way_out, "warning")

    @Slot()
    def _on_facts_changed(self) -> None:
        facts = self._app_state.workspace.facts
        if facts is None:
            self._bar.models.set_texts(self.tr("Checkpoint"))
        else:
            self._bar.models.set_texts(facts.name, menus.described(facts))
            self._bar.models.setToolTip("\n".join(map(translated, (facts.origin, *facts.remarks))))
            self._on_sources_changed()

    @Slot()
    def _on_sources_changed(self) -> None:
        others = [
            (self.tr("Open a folder …"), self._context.file_dialogs.ask_for_folder),
            (self.tr("Open a file of weights …"), self._context.file_dialogs.ask_for_file),
            (self.tr("From the hub …"), self._context.file_dialogs.ask_for_hub_id),
            (self.tr("Train a model …"), self.training_asked.emit),
        ]
        workspace = self._app_state.workspace
        if workspace.facts is not None and workspace.facts.questions is not None:
            others.append((self.tr("Answers about this checkpoint …"), self._context.answer_again))
        self._seen |= workspace.available.in_memory
        listed = [
            menus.Listed(
                source,
                is_open=source.ref in workspace.available.in_memory,
                is_shown=workspace.available.in_memory.get(source.ref) is workspace.facts is not None,
                seen=self._seen.get(source.ref),
            )
            for source in workspace.available.sources
        ]
        menus.fill_models(self._bar.models.menu(), listed, self._files.open_model, others)

    @Slot()
    def _on_devices_changed(self) -> None:
        workspace = self._app_state.workspace
        menus.fill_devices(
            self._bar.devices.menu(), workspace.available.devices, workspace.device, workspace.set_device
        )
        used = workspace.device if workspace.shown is None else workspace.shown.result.device.name
        device = next((device for device in workspace.available.devices if device.name == used), None)
        words = (device.label, translated(device.detail)) if device else (self.tr("Device"), "")
        self._bar.devices.set_texts(*words)

    @Slot()
    def _on_texts_changed(self) -> None:
        self._bar.set_texts(self._app_state.workspace.text, self._app_state.workspace.pair)

    @Slot()
    def _on_activity_changed(self) -> None:
        workspace = self._app_state.workspace
        if workspace.opening.pending is not None and workspace.facts is None:
            self._bar.models.set_texts(self.tr("opening …"))
        elif workspace.saved is not None:
            self._show_whether_saved()

    @Slot()
    def _on_comparison_changed(self) -> None:
        self._bar.compare.setChecked(self._app_state.comparison.is_on)

    @Slot()
    def _on_menu_asked(self) -> None:
        menus.fill_commands(self._bar.menu.menu(), self._commands())

    @Slot()
    def _on_recents_asked(self) -> None:
        menus.fill_recents(self._bar.recent.menu(), self._context.recents, self._files)
