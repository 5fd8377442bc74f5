"""`BarState` fills the bar at the top from the window's state, `OwnSentence` the start page."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from bertviz_app.analysis.pairs import SpecificPair, most_specific_pair
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import TraceResult
from bertviz_app.inference.opened_checkpoint import device_name, dtype_of
from bertviz_app.learning.words import FirstPicture
from bertviz_app.shell.commands import menus
from bertviz_app.shell.commands.menus import Command, Listed, fill_models
from bertviz_app.shell.session import Files
from bertviz_app.shell.window.dialogs import ProblemNotice
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace, WeightsTrace
from bertviz_app.trace.arrays import EncoderDecoderTraces
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.run import SavedResult
from bertviz_app.viewmodels.state import change_options
from bertviz_app.viewmodels.wording import all_translated, error_text, token_name, translated
from bertviz_app.views.bars.buttons import NumbersPicker
from bertviz_app.views.bars.status_line import text_remark
from bertviz_app.views.bars.top_bar import model_name
from bertviz_app.views.kit.widgets import Action, Notice, notice_area
from bertviz_app.views.start import StartPage

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


class BarState(QObject):
    """Fills the pickers, the fields and the menus of the bar, and passes on what is typed."""

    def __init__(
        self, window: MainWindow, notice: ProblemNotice, files: Files, commands: Callable[[], list[Command]]
    ) -> None:
        """`commands()` returns what the menu lists, named in the language in force."""
        super().__init__(window.frame.bar)
        self._window = window
        self._bar = bar = window.frame.bar
        self._app_state = app_state = window.app_state
        self._notice, self._files = notice, files
        self._seen: dict[str, ModelFacts] = {}
        self._named: object = None
        """What the name of the checkpoint was written from."""
        self._used = ""
        """The device that the picker names."""
        self._is_noticed = False  # whether the notice is about saved numbers
        self._asks_for_checkpoint = False  # whether it is about a session without numbers
        workspace = app_state.workspace
        for signal, slot in (
            (workspace.shown_changed, self._on_shown_changed),
            (workspace.facts_changed, self._on_facts_changed),
            (files.opener.changed, self._on_opener_changed),
            (workspace.available.sources_changed, self._on_sources_changed),
            (workspace.available.devices_changed, self._on_devices_changed),
            (workspace.device_changed, self._on_devices_changed),
            (workspace.activity_changed, self._on_activity_changed),
            (app_state.comparison.changed, self._on_comparison_changed),
        ):
            signal.connect(slot)
        app_state.store.watch(("included",), self._show_whether_saved)
        app_state.store.watch(("text", "pair"), self._on_texts_changed)
        bar.texts_edited.connect(workspace.set_texts)
        menu, recent = bar.menu.menu(), bar.recent.menu()
        menu.aboutToShow.connect(lambda: menus.fill_commands(menu, commands()))
        recent.aboutToShow.connect(lambda: menus.fill_recents(recent, window.session.recents, files))
        bar.models.menu().aboutToShow.connect(workspace.available.look_for_sources)
        bar.models.menu().aboutToShow.connect(notice.dismiss)

    def refresh(self) -> None:
        """Write everything again: in another language, or what was there before the bar."""
        self._named = None
        self._on_sources_changed()
        self._on_devices_changed()
        self._on_facts_changed()
        self._on_texts_changed()
        self._on_comparison_changed()
        self._on_shown_changed()
        if not self._notice.isHidden():
            self._on_opener_changed()

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self._app_state.workspace.shown
        if shown is None:
            return
        remark = text_remark(shown.result.trace.tokens, shown.result.facts)
        self._bar.text.set_remark(remark, all_translated(shown.result.notices))
        self._show_whether_saved()
        if shown.result.device.name != self._used:
            self._on_devices_changed()

    @Slot()
    def _show_whether_saved(self) -> None:
        """Show that nothing can be typed while saved numbers are shown, whose they are, and how to go on."""
        workspace = self._app_state.workspace
        saved = workspace.saved if workspace.opening.pending is None else None
        self._bar.set_editable(saved is None or not saved.trace.has_states)
        needs_checkpoint = saved is None or saved.is_here
        self._bar.compare.setEnabled(needs_checkpoint or self._app_state.comparison.is_on)
        self._bar.devices.setEnabled(needs_checkpoint)
        self._name_checkpoint()
        if saved is None and self._is_noticed:
            self._notice.forget_remark()
        self._is_noticed = saved is not None and workspace.problem is None
        if saved is not None and self._is_noticed:
            words, actions = self._saved_words(saved)
            self._show_words(words, actions)

    @Slot()
    def _on_opener_changed(self) -> None:
        """Show also that a session without arrays is not encoded with its own checkpoint, and how to."""
        self._show_whether_saved()
        opener, workspace = self._files.opener, self._app_state.workspace
        checkpoint = opener.checkpoint
        if checkpoint is None and self._asks_for_checkpoint:
            self._notice.forget_remark()
        self._asks_for_checkpoint = checkpoint is not None and workspace.saved is None
        if checkpoint is None or workspace.saved is not None:
            return
        if opener.whereabouts == "unchecked":
            words = self.tr(
                "This session holds neither numbers nor a fingerprint: whether it was saved with {0} cannot "
                "be checked. Nothing in it contradicts that."
            )
            use = self.tr("Use it"), opener.encode
            self._show_words(words.format(model_name(opener.found.ref or "")), (use, *self._ways_to_it()))
        if opener.whereabouts != "missing":
            return
        words = self.tr("{0} is not on this computer: the text is encoded with the checkpoint in use.")
        self._show_words(words.format(checkpoint.name or checkpoint.ref), self._ways_to_it())

    def _show_words(self, words: str, actions: tuple[Action, ...]) -> None:
        """Show the remarks on a checkpoint that is not in use, or why the result is of another checkpoint."""
        problem, tone = self._files.opener.problem, "warning"
        if problem is not None:
            words, tone = error_text(problem), "error"
        self._notice.show_message(words, None, tone, others=actions)

    def _ways_to_it(self) -> tuple[Action, ...]:
        """Return the actions that find the checkpoint that a file was saved with."""
        opener = self._files.opener
        look = partial(self._window.file_dialogs.ask_for_folder, opener.try_checkpoint)
        actions: list[Action] = [(self.tr("Look for it …"), look)]
        if opener.checkpoint is not None and opener.checkpoint.hub_ref:
            actions.append((self.tr("Download it"), opener.download))
        return tuple(actions)

    def _saved_words(self, saved: SavedResult) -> tuple[str, tuple[Action, ...]]:
        """Return the notice about saved numbers, and the ways to go on."""
        opener, facts, name = self._files.opener, self._app_state.workspace.facts, saved.facts.name
        if not saved.trace.has_states:
            return self._words_of_weights(saved.trace, name)
        if opener.whereabouts == "looking":
            words = self.tr("These are saved numbers of {0}. Looking for it on this computer …")
            return words.format(name), ()
        encode = self.tr("Encode the text")
        if opener.whereabouts == "here":
            words = self.tr(
                "This is a saved trace of {0}: its numbers are shown, its text cannot be changed."
            )
            return words.format(name), ((encode, opener.encode),)
        words = self.tr(
            "These are saved numbers of {0}, which is not on this computer: what needs the checkpoint itself "
            "cannot be shown, and the text cannot be changed."
        )
        if opener.checkpoint is not None and opener.checkpoint.has_successor:
            words = self.tr(
                "These are saved numbers of {0}, which has changed since: in its folder is another "
                "checkpoint now. What needs the saved one cannot be shown, and the text cannot be changed."
            )
        encode = self.tr("Encode with {0}").format(facts.name) if facts else encode
        return words.format(name), (*self._ways_to_it(), (encode, opener.encode))

    def _words_of_weights(self, trace: Trace, name: str) -> tuple[str, tuple[Action, ...]]:
        """Return the notice about weights alone; other parts of an encoder-decoder can be shown."""
        words = self.tr(
            "These are attention weights alone, of {0}: what needs more of the model cannot be shown. A "
            "text that you type is encoded with a checkpoint."
        )
        remarks, panels = [translated(one) for one in trace.remarks], self._app_state.panels
        actions: list[Action] = []
        if isinstance(trace, WeightsTrace):
            shown = {
                "encoder": self.tr("Shown is the attention within the encoder."),
                "decoder": self.tr("Shown is the attention within the decoder."),
            }
            remarks += [shown[trace.part]] if trace.part in shown else []
            names = {
                "encoder": self.tr("Show the encoder's"),
                "decoder": self.tr("Show the decoder's"),
                "cross": self.tr("Show from decoder to encoder"),
            }
            if trace.parts is not None:
                show = partial(self._show_part, trace.parts)
                actions += [(text, partial(show, part)) for part, text in names.items() if part != trace.part]
        if trace.is_cross:
            remarks.append(self.tr("The tokens of the first row look at those of the second row."))
        if panels.store.now.included.is_partial:
            actions.append((self.tr("Show all layers and heads"), panels.include_all))
        return " ".join([words.format(name), *remarks]), tuple(actions)

    def _show_part(self, parts: EncoderDecoderTraces, part: str) -> None:
        opener = self._files.opener
        opener.open_trace(parts.linked(part), "" if opener.checkpoint is None else opener.checkpoint.ref)

    @Slot()
    def _on_facts_changed(self) -> None:
        self._name_checkpoint()
        if self._app_state.workspace.facts is not None:
            self._on_sources_changed()

    def _name_checkpoint(self) -> None:
        """Write the name of the checkpoint that computed what is shown."""
        workspace, models = self._app_state.workspace, self._bar.models
        saved = workspace.saved if workspace.opening.pending is None else None
        facts = workspace.facts if saved is None else saved.facts
        remarks = () if facts is None else (*self._files.opener.remarks, *facts.remarks)
        if self._named == (facts, saved, remarks):
            return
        self._named = facts, saved, remarks
        self._bar.remarks.set_remarks(tuple(map(translated, remarks)))
        self._bar.prompts.set_prompts(() if facts is None else facts.prompts)
        self._window.frame.welcome.show_model("" if facts is None else facts.name)
        if facts is None:
            models.set_texts(self.tr("Checkpoint"))
        elif saved is None:
            models.set_texts(facts.name, menus.described(facts))
            models.setToolTip("\n".join(map(translated, (facts.origin, *remarks))))
        else:
            models.set_texts(facts.name, menus.described(replace(facts, family=self.tr("saved numbers"))))
            provenance, lines = saved.trace.provenance, []
            identity = provenance.checkpoint
            if identity.hub_id:
                lines.append(f"{identity.hub_id}@{identity.revision}")
            if identity.fingerprint:
                lines.append(self.tr("Fingerprint {0}").format(identity.fingerprint[:12]))
            if provenance.program:
                lines.append(self.tr("Computed by BertViz App {0}").format(provenance.program))
            models.setToolTip(
                "\n".join(lines) or self.tr("This file does not say where its numbers are from.")
            )

    @Slot()
    def _on_sources_changed(self) -> None:
        others = [
            (self.tr("Open a folder …"), self._window.file_dialogs.ask_for_folder),
            (self.tr("Open a file of weights …"), self._window.file_dialogs.ask_for_file),
            (self.tr("From the hub …"), self._window.file_dialogs.ask_for_hub_id),
            *(way for part in self._window.parts for way in part.ways_to_checkpoints()),
        ]
        workspace = self._app_state.workspace
        facts, in_memory = workspace.facts, workspace.available.in_memory
        if facts is not None and facts.questions is not None:
            others.append((self.tr("Answers about this checkpoint …"), self._window.questions.ask_again))
        if facts is not None:
            others.append((self.tr("Choose a tokenizer folder …"), self._window.questions.ask_for_tokenizer))
        self._seen |= in_memory
        listed = [
            Listed(
                source,
                is_open=source.ref in in_memory,
                is_shown=facts is not None and in_memory.get(source.ref) is facts,
                seen=self._seen.get(source.ref),
            )
            for source in workspace.available.sources
        ]
        fill_models(self._bar.models.choices, listed, self._files.open_model, others)

    @Slot()
    def _on_devices_changed(self) -> None:
        workspace = self._app_state.workspace
        menus.fill_devices(
            self._bar.devices.menu(),
            workspace.available.devices,
            device_name(workspace.device, "float32"),
            lambda name: workspace.set_device(device_name(name, dtype_of(workspace.device))),
        )
        menus.add_bfloat16(
            self._bar.devices.menu(),
            workspace.available.devices,
            workspace.device,
            lambda dtype: workspace.set_device(device_name(workspace.device, dtype)),
        )
        used = self._used = (
            workspace.device if workspace.shown is None else workspace.shown.result.device.name
        )
        name = device_name(used, "float32")
        device = next((device for device in workspace.available.devices if device.name == name), None)
        words = (device.label, translated(device.detail)) if device else (self.tr("Device"), "")
        if dtype_of(used) == "bfloat16":
            words = (words[0], "bfloat16")
        self._bar.devices.set_texts(*words)

    @Slot()
    def _on_texts_changed(self) -> None:
        self._bar.set_texts(self._app_state.workspace.text, self._app_state.workspace.pair)
        if not self._app_state.workspace.text:
            self._bar.text.set_remark("")
        self._name_checkpoint()

    @Slot()
    def _on_activity_changed(self) -> None:
        workspace = self._app_state.workspace
        if workspace.opening.pending is not None and workspace.facts is None:
            self._named = None
            self._bar.models.set_texts(self.tr("opening …"))
        elif workspace.saved is not None and workspace.shown is not None:
            self._show_whether_saved()
        elif workspace.facts is None:  # the first one was not opened
            self._name_checkpoint()

    @Slot()
    def _on_comparison_changed(self) -> None:
        self._bar.compare.setChecked(self._app_state.comparison.is_on)
        saved = self._app_state.workspace.saved
        self._bar.compare.setEnabled(saved is None or saved.is_here or self._app_state.comparison.is_on)


class NumbersState(QObject):
    """Passes on what is chosen; a refusal stays until it is closed or others than weights are chosen."""

    def __init__(self, app_state: AppState, picker: NumbersPicker) -> None:
        super().__init__(picker)
        store = self._store = app_state.store
        self._picker = picker
        self._notice: Notice | None = None
        picker.kind_chosen.connect(lambda kind: change_options(store, numbers=kind))
        picker.special_chosen.connect(
            lambda special: store.change(options=store.now.options.with_special_tokens(special))
        )
        store.watch(("options",), self._show)
        app_state.numbers_switch.refused.connect(self._on_refused)
        self._show()

    @Slot()
    def _show(self) -> None:
        stamp = self._store.now.options.stamp
        self._picker.show_stamp(stamp)
        if self._notice is not None and stamp.numbers != "weight":
            self._notice.dismiss()

    @Slot(object)
    def _on_refused(self, error: AppError) -> None:
        if self._notice is None:
            self._notice = Notice(notice_area(self._picker.window()))
        instead = self.tr("Attention weights are shown instead.")
        self._notice.show_message(f"{error_text(error)} {instead}", None, "warning")


_TYPED, _SLOT = "typed sentence", "own sentence"
_REST_MS = 350
"""After so long without a key the head is looked for that is most specific to the sentence."""
_LONGEST_DRAWN = 128
"""Tokens: a longer text is not drawn on the start page."""


class OwnSentence(QObject):
    """Draws the newest trace of what is typed on the start page, and opens it in Explore on what was drawn.

    While somebody types the head stays; then, and where a text is opened before, it is the one that is most
    specific to a pair of words: never one that looks at the same key, or the same distance, from everywhere,
    see `analysis.pairs.specificity`.
    """

    def __init__(self, app_state: AppState, say: Callable[[str], object], parent: QObject) -> None:
        super().__init__(parent)
        self._app_state, self._say = app_state, say
        self._text = self._expected = ""
        self._result: TraceResult | None = None
        self._looked_from: tuple[FirstPicture, int] | None = None
        """What was drawn of the text that is expected, and the word that was chosen in it."""
        self._rest = OneShot(self, self._find_head, _REST_MS)
        app_state.workspace.facts_changed.connect(self._encode)

    def move_to(self, page: StartPage) -> None:
        """Draw on the start page of a window that is built, maybe anew."""
        self._page, self._text = page, ""
        page.typed.connect(self._on_typed)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        if text == self._text:
            return
        self._text = text
        self._rest.stop()
        if not text:
            self._app_state.workers.encoder.cancel(_TYPED)
            self._page.show_picture()
        elif self._app_state.workspace.facts is None:
            words = self.tr("The model is still being opened. Your sentence is drawn as soon as it is there.")
            self._page.show_remark(words)
        else:
            self._encode()

    @Slot()
    def _encode(self) -> None:
        """Draw what is typed, after what is encoded now: who types without a pause sees results, too."""
        workspace, page = self._app_state.workspace, self._page
        tasks = self._app_state.workers.encoder
        if workspace.request is None or not self._text or tasks.is_busy(_TYPED):
            return
        request = replace(workspace.request, text=self._text, pair=None, edits=NO_EDITS)
        name = "" if workspace.facts is None else workspace.facts.name
        before = page.picture if page.picture.model == name else None

        def work(check: Check, *_: object) -> tuple[TraceResult, FirstPicture | None]:
            result = self._app_state.engine.trace(request, check)
            if result.trace.n_tokens > _LONGEST_DRAWN:
                return result, None
            only = None if before is None else (before.layer, before.head)
            return result, _picture(result, most_specific_pair(result.trace, check, only), only or (0, 0))

        def failed(error: Exception) -> None:
            if isinstance(error, AppError):
                self._page.show_remark(error_text(error))
            else:
                self._app_state.workspace.failed.emit(error)

        tasks.start(_TYPED, work, self._show, failed)

    def _show(self, found: tuple[TraceResult, FirstPicture | None]) -> None:
        self._result, picture = found
        if self._result.request.text != self._text:
            self._encode()
        if picture is None:
            self._page.show_remark(self.tr("So long a text is drawn inside: press Enter."))
        else:
            self._page.show_picture(picture)
            self._rest.start()  # again with each picture

    @Slot()
    def _find_head(self) -> None:
        """Look for the head that is most specific to a pair of the words that are drawn."""
        result, page = self._result, self._page

        def done(found: SpecificPair | None) -> None:
            if page is not self._page or found is None or result is None:
                return
            if result.request.text == page.picture.text == self._text:
                page.show_picture(_picture(result, found))

        if result is not None:
            self._look_for_pair(result.trace, done)

    def _look_for_pair(self, trace: Trace, done: Callable[[SpecificPair | None], None]) -> None:
        workers = self._app_state.workers
        workers.analyses.start(_SLOT, lambda check, _: most_specific_pair(trace, check), done, workers.failed)

    # in Explore

    def expect(self, text: str) -> None:
        """Open the numbers of this text as they were drawn, when they come; "": of none."""
        self._rest.stop()
        if bool(text) != bool(self._expected):
            shown_changed = self._app_state.workspace.shown_changed
            (shown_changed.connect if text else shown_changed.disconnect)(self._on_shown)
        self._expected, self._looked_from = text, None
        page = self._page
        if page.picture.text == text and page.ribbons.query != page.picture.query:
            self._looked_from = page.picture, page.ribbons.query

    @Slot()
    def _on_shown(self) -> None:
        shown = self._app_state.workspace.shown
        if shown is None or shown.result.request.text != self._expected:
            return
        trace, looked_from = shown.result.trace, self._looked_from
        self.expect("")
        if looked_from is not None:
            picture, query = looked_from
            key = max(range(trace.n_tokens), key=picture.weights[query].__getitem__)
            self._open(trace, picture.layer, picture.head, query, key)
            return

        def done(found: SpecificPair | None) -> None:
            if found is not None and self._open(trace, found.layer, found.head, found.query, found.key):
                query, key = (token_name(trace.tokens, at) for at in (found.query, found.key))
                words = self.tr(
                    "Opened on layer {0}, head {1}: there {2} looks at {3} as no other word does."
                )
                self._say(words.format(found.layer, found.head, query, key))

        self._look_for_pair(trace, done)

    def _open(self, trace: Trace, layer: int, head: int, query: int, key: int) -> bool:
        """Show the head, and pin the pair, unless another text is there by now or something was chosen."""
        app_state, now = self._app_state, self._app_state.workspace.shown
        is_other = now is None or now.result.trace is not trace or app_state.rooms.is_lesson
        if is_other or app_state.selection.pinned:
            return False
        with app_state.store.amending():
            app_state.panels.show(layer, head)
            app_state.selection.walk_to(query=query, key=key)
        return True


def _picture(
    result: TraceResult, pair: SpecificPair | None, otherwise: tuple[int, int] = (0, 0)
) -> FirstPicture:
    """Return the picture of a head, looked from the query of a pair; without one `otherwise` is the head."""
    trace = result.trace
    tokens = trace.tokens
    layer, head = otherwise if pair is None else (pair.layer, pair.head)
    words = [at for at, is_special in enumerate(tokens.is_special.tolist()) if not is_special]
    return FirstPicture(
        text=result.request.text,
        example="",
        model=result.facts.name,
        layer=layer,
        head=head,
        query=pair.query if pair is not None else words[-1] if words else 0,
        key=None if pair is None else pair.key,
        tokens=tokens.labels,
        weights=tuple(map(tuple, trace.attention(layer, head).tolist())),
        special=tuple(tokens.labels[at] for at in range(len(tokens)) if at not in words),
        sees_all=trace.bias is None and trace.mask is None,
    )
