"""Every command: what it is called, its keys, and what it does. Menus and the palette are made of these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtGui import QAction, QKeySequence

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, SPECIAL_TOKENS, SpecialTokens
from bertviz_app.analysis.measures import MEASURES
from bertviz_app.options import Run
from bertviz_app.shell.commands.menus import Action, Command
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.panel import IMAGE, PANEL_KINDS, Panel
from bertviz_app.viewmodels.state import (
    ATTENTION,
    CHOICES,
    PAIR,
    SHOWS,
    DrawingChoice,
    DrawOptions,
    Room,
    Shows,
    Store,
    Switch,
    change_options,
    change_overview,
)
from bertviz_app.viewmodels.wording import kind_words, special_title
from bertviz_app.views.kit.words import in_both, translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.viewmodels.inspected import PairInHeads

_FINER = 1.5
_Choice = TypeVar("_Choice")


def _after(now: _Choice, choices: Sequence[_Choice]) -> _Choice:
    """Return the choice after `now`, after the last one the first."""
    return choices[(choices.index(now) + 1) % len(choices)]


def panel_commands(window: MainWindow) -> list[Command]:
    panels = window.app_state.panels

    def on_active(act: Callable[[Panel], None]) -> Action:
        """Return what calls `act` with the active panel, if there is one."""

        def run() -> None:
            if panels.active is not None:
                act(panels.active)

        return run

    def draw_as(view_kind: str) -> Action:
        return on_active(lambda panel: panels.draw_as(panel.number, view_kind))

    def activate(step: int) -> Action:
        def activate_other(panel: Panel) -> None:
            there = panels.panels
            panels.activate(there[(there.index(panel) + step) % len(there)].number)

        return on_active(activate_other)

    def draw_all(panel: Panel) -> None:
        panels.draw_as(panel.number, "lines")
        panels.isolate_head(panel.number, panel.head)

    def has_image() -> bool:
        active = panels.active
        return active is None or window.main_area.area.cards[active.number].tools.pictures.has_image

    walk, applies = panels.walk, {IMAGE: has_image}
    return [
        Command(translate("Commands", "Next head"), "Right", partial(walk, 0, 1), is_shown_only=True),
        Command(translate("Commands", "Previous head"), "Left", partial(walk, 0, -1), is_shown_only=True),
        Command(translate("Commands", "Next layer"), "Down", partial(walk, 1, 0), is_shown_only=True),
        Command(translate("Commands", "Previous layer"), "Up", partial(walk, -1, 0), is_shown_only=True),
        *(
            Command(in_both(kind.command), kind.shortcut, draw_as(key), applies=applies.get(key))
            for key, kind in PANEL_KINDS.items()
            if not kind.is_of_room or key in window.panel_views
        ),
        Command(
            translate("Commands", "Lines of all heads of the layer, or of one"),
            "Shift+L",
            on_active(draw_all),
        ),
        *_run_commands(window),
        Command(translate("Commands", "Add a panel"), "Ctrl+D", on_active(panels.insert)),
        Command(
            translate("Commands", "Close the panel"),
            "Ctrl+W",
            on_active(lambda panel: panels.close(panel.number)),
        ),
        Command(translate("Commands", "Next panel"), "]", activate(1)),
        Command(translate("Commands", "Previous panel"), "[", activate(-1)),
        Command(
            translate("Commands", "Options of the drawing …"), "O", lambda: window.main_area.open_options()
        ),
    ]


def _run_commands(window: MainWindow) -> list[Command]:
    panels = window.app_state.panels

    def has_runs() -> bool:
        return window.app_state.comparison.difference is not None

    def show(run: Run) -> None:
        if has_runs() and panels.active is not None:
            panels.show_run(panels.active.number, run)

    runs: tuple[tuple[str, str, Run], ...] = (
        (translate("Commands", "Show run A in the panel"), "Shift+A", "A"),
        (translate("Commands", "Show run B in the panel"), "Shift+B", "B"),
        (translate("Commands", "Show A − B in the panel"), "Shift+D", "A-B"),
    )
    return [Command(words, keys, partial(show, run), applies=has_runs) for words, keys, run in runs]


def _numbers_commands(store: Store) -> list[Command]:
    """Return the commands that choose the numbers of attention that all views show."""
    show = translate("Commands", "All views: show {0}")

    def treat(special: SpecialTokens) -> None:
        store.change(options=store.now.options.with_special_tokens(special))

    return [
        Command(
            translate("Commands", "All views: next of weights, norms, norms with residual"),
            "Shift+W",
            lambda: change_options(store, numbers=_after(store.now.options.numbers, NUMBERS_KINDS)),
        ),
        *(
            Command(show.format(kind_words(kind)), "", partial(change_options, store, numbers=kind))
            for kind in NUMBERS_KINDS
        ),
        *(
            Command(show.format(special_title(special)), "", partial(treat, special))
            for special in SPECIAL_TOKENS
        ),
        Command(
            translate("Commands", "Next treatment of special tokens: shown, hidden, removed"),
            "Ctrl+H",
            lambda: treat(_after(store.now.options.special_tokens, SPECIAL_TOKENS)),
        ),
    ]


def drawing_commands(window: MainWindow) -> list[Command]:
    """Return the commands that change how lines and matrices are drawn."""
    store = window.app_state.store

    def toggle(field: Switch) -> None:
        change_options(store, **{field: not getattr(store.now.options, field)})

    def step(field: DrawingChoice) -> None:
        change_options(store, **{field: _after(getattr(store.now.options, field), CHOICES[field])})

    def move_threshold(factor: float) -> None:
        threshold = store.now.options.threshold * factor
        if threshold == 0 and factor > 1:
            threshold = 0.01
        change_options(store, threshold=0.0 if threshold < 0.005 else min(1.0, threshold))

    words = translate("Commands", "Join or split the pieces of words")
    spaces = translate("Commands", "Join or split what stands between spaces")
    return [
        *_numbers_commands(store),
        Command(words, "J", partial(toggle, "joins_words")),
        Command(spaces, "Alt+J", partial(toggle, "joins_at_spaces")),
        Command(translate("Commands", "Hide or show special tokens"), "H", partial(toggle, "hides_special")),
        Command(
            translate("Commands", "Hide or show punctuation"), "Shift+H", partial(toggle, "hides_punctuation")
        ),
        Command(
            translate("Commands", "Rescale each row to add up to 1: on or off"),
            "",
            partial(toggle, "renormalises"),
        ),
        Command(
            translate("Commands", "Next choice of sentences: all, 1 → 1, 1 → 2, 2 → 1, 2 → 2"),
            "F",
            partial(step, "sentences"),
        ),
        Command(translate("Commands", "Parse: to heads, to dependents, hidden"), "", partial(step, "parse")),
        Command(
            translate("Commands", "Show or hide weights on lines"), "W", partial(toggle, "writes_weights")
        ),
        Command(translate("Commands", "Fewer lines"), ">", partial(move_threshold, _FINER)),
        Command(translate("Commands", "More lines"), "<", partial(move_threshold, 1 / _FINER)),
        Command(
            translate("Commands", "Next scale: shared, per head, log, per row"), "G", partial(step, "scale")
        ),
        Command(translate("Commands", "Next colours of the matrix"), "C", partial(step, "colours")),
        Command(
            translate("Commands", "Show or hide sums of rows and columns"), "U", partial(toggle, "shows_sums")
        ),
        Command(
            translate("Commands", "Mark the largest weight of each row: on or off"),
            "I",
            partial(toggle, "marks_maxima"),
        ),
        Command(translate("Commands", "Words: every layer, or one head"), "", partial(toggle, "every_layer")),
        Command(
            translate("Commands", "Reset drawing options"), "", lambda: store.change(options=DrawOptions())
        ),
    ]


def in_panel(window: MainWindow, view_kind: str, act: Callable[[Any], None]) -> Action:
    """Return an action that calls `act` with the view of a panel that shows that kind of view.

    That is the active panel if it does, else the first that does; where none does the active one is changed.
    """
    panels = window.app_state.panels

    def run() -> None:
        if (active := panels.active) is None:
            return
        found = next((panel for panel in (active, *panels.panels) if panel.kind.key == view_kind), None)
        if found is None:
            panels.draw_as(active.number, view_kind)
        card = window.main_area.area.cards[(found or active).number]
        if card.panel.kind.key == view_kind:
            act(card.view)

    return run


def overview_commands(window: MainWindow) -> list[Command]:
    store = window.app_state.store

    def choose(shows: Shows) -> None:
        shows_pair = store.now.overview.shows_pair and _pinned(window) is None
        change_overview(store, shows=shows, shows_pair=shows_pair)

    def rearrange() -> None:
        choice, has_pair = store.now.overview, _pinned(window) is not None
        is_ordered = bool(choice.order(has_pair=has_pair))
        if has_pair and choice.shows_pair and not is_ordered:
            change_overview(store, ordered_by=PAIR)
        elif is_ordered:
            change_overview(store, ordered_by="")
        elif choice.shows == ATTENTION:
            window.warn(translate("Commands", "Attention cannot be sorted: show a measure first."))
        else:
            change_overview(store, ordered_by=choice.shows)

    shown: dict[Shows, str] = {ATTENTION: translate("Commands", "Attention")}
    shown |= {measure.key: in_both(measure.words(BERT_NAMES).title) for measure in MEASURES}
    words = translate("Commands", "Overview: show {0}")
    return [
        Command(
            translate("Commands", "Overview: scale per head or shared"),
            "S",
            lambda: change_overview(store, is_per_head=not store.now.overview.is_per_head),
        ),
        Command(
            translate("Commands", "Overview: show the next measure"),
            "Shift+S",
            lambda: choose(_after(store.now.overview.shows, SHOWS)),
        ),
        *(Command(words.format(name), "", partial(choose, key)) for key, name in shown.items()),
        Command(
            translate("Commands", "Overview: sort by the measure, or by layer and head"),
            "Ctrl+Shift+A",
            rearrange,
        ),
        Command(
            translate("Commands", "Overview: show all heads"),
            "",
            lambda: store.change(overview=store.now.overview.filtered("")),
        ),
        Command(
            translate("Commands", "Heads: show or hide null baselines beside the measures"),
            "",
            lambda: change_overview(store, shows_baselines=not store.now.overview.shows_baselines),
        ),
    ]


def pair_commands(window: MainWindow) -> list[Command]:
    """Return the commands about the pinned pair of tokens: its weight in every head, its strongest heads."""
    store = window.app_state.store

    def toggle_pair() -> None:
        if _pinned(window) is None:
            window.warn(no_pair)
        else:
            change_overview(store, shows_pair=not store.now.overview.shows_pair)

    def go_to(index: int) -> None:
        if (pair := _pinned(window)) is None:
            window.warn(no_pair)
        elif len(found := pair.strongest(index + 1)) > index:
            window.app_state.panels.show(found[index].layer, found[index].head)

    no_pair = translate("Commands", "Pin a pair of tokens first: click a cell of a matrix, or a line.")
    show = translate("Commands", "Overview: show the pinned pair in every head, or what was shown before")
    strongest = (
        translate("Commands", "Which head does this? Show the strongest"),
        translate("Commands", "Which head does this? Show the second"),
        translate("Commands", "Which head does this? Show the third"),
    )
    return [
        Command(show, "Shift+P", toggle_pair),
        *(Command(words, "", partial(go_to, index)) for index, words in enumerate(strongest)),
        Command(
            translate("Commands", "Why this weight?"),
            "Shift+Y",
            lambda: window.app_state.shown_runs.why_weight.ask(),
        ),
    ]


def _pinned(window: MainWindow) -> PairInHeads | None:
    """Return the pinned pair of the run that the inspector is about."""
    runs = window.app_state.shown_runs
    return runs.pinned_pair.of(runs.inspected.run)


def edit_commands(window: MainWindow) -> list[Command]:
    """Return the commands of run B and of edits, of the pinned token and of the active panel's head."""
    editing, runs = window.app_state.editing, window.app_state.comparison

    def predict(position: int, run: Run) -> None:
        if editing.can_predict(run):
            editing.predict(position, run)
        else:
            window.warn(translate("Commands", "This checkpoint has no head for masked tokens."))

    def at_pinned(do: Callable[[int, Run], None]) -> Callable[[], None]:
        """Return a function that calls `do` with the pinned token of the run that the active panel shows."""

        def command() -> None:
            if editing.pinned is not None:
                do(editing.pinned, editing.run)
            else:
                window.warn(translate("Commands", "Click a token first: that token is edited."))

        return command

    return [
        Command(
            translate("Commands", "Start or stop comparing with a second run"),
            "Ctrl+Shift+C",
            window.frame.toggle_comparison,
            also="compare",
        ),
        Command(translate("Commands", "Swap run A and run B"), "Ctrl+Shift+X", runs.swap),
        Command(translate("Commands", "Mute or unmute the panel's head"), "X", editing.toggle_mute_active),
        Command(
            translate("Commands", "Compare with the panel's head muted"), "Shift+X", editing.compare_active
        ),
        Command(
            translate("Commands", "Mask the pinned token, or undo its edit"),
            "Ctrl+Shift+M",
            at_pinned(editing.toggle_mask),
        ),
        Command(
            translate("Commands", "Mask the pinned token and show what is expected there"),
            "Ctrl+Shift+F",
            at_pinned(predict),
        ),
        Command(
            translate("Commands", "Replace the pinned token …"),
            "Ctrl+Shift+R",
            at_pinned(editing.ask_for_replacement),
        ),
        Command(
            translate("Commands", "Compare with the pinned token masked"),
            "Ctrl+Shift+K",
            at_pinned(lambda position, _: editing.compare_token(position)),
        ),
        Command(
            translate("Commands", "Compare with the pinned token replaced …"),
            "",
            at_pinned(lambda position, _: editing.ask_for_replacement(position, "compared")),
        ),
        Command(translate("Commands", "Undo all edits: tokens and heads"), "", editing.undo_all),
    ]


def export_commands(window: MainWindow) -> list[Command]:
    """Return the commands; they are about the card with the focus, else about the active panel."""
    export = window.export
    return [
        Command(translate("Commands", "Copy the panel as a picture"), "Ctrl+C", export.copy_picture),
        Command(translate("Commands", "Save the panel as a picture …"), "Ctrl+S", export.ask_for_picture),
        Command(translate("Commands", "Save the panel's numbers …"), "Ctrl+Shift+S", export.ask_for_numbers),
        Command(translate("Commands", "Copy the panel as Python"), "Ctrl+Shift+P", export.copy_python),
        Command(translate("Commands", "Save as page …"), "Ctrl+Alt+E", export.ask_for_page),
    ]


def all_commands(window: MainWindow) -> list[Command]:
    """Return the commands in the order in which the palette lists them."""
    return [command for _, commands in _groups_of(window) for command in commands()]


def add_shortcuts(window: MainWindow) -> list[QAction]:
    """Make the keys of the commands work in `window`, and return the actions."""
    analyses = translate("Commands", "Analyses")  # they have no keys, and need every analysis
    return [
        _add_shortcut(window, command)
        for title, commands in _groups_of(window)
        if title != analyses
        for command in commands()
        if command.keys and not command.is_shown_only
    ]


def _add_shortcut(window: MainWindow, command: Command) -> QAction:
    action, letter = QAction(command.text, window), command.keys.removeprefix("Shift+")

    def run() -> None:
        is_possible = not window.app_state.workspace.is_blank and (not command.applies or command.applies())
        if len(letter) == 1 and letter.isalpha() and not is_possible:
            window.frame.type_text(letter.lower() if letter == command.keys else letter)
        else:
            command.run()

    action.setShortcuts([QKeySequence(keys) for keys in (command.keys, *command.more_keys)])
    action.triggered.connect(lambda _=False: run())
    window.addAction(action)
    return action


def _groups_of(window: MainWindow) -> list[tuple[str, Callable[[], list[Command]]]]:
    """Return the titles of the groups and what makes their commands: those of the rooms, then "Help"."""
    of_rooms: dict[str, list[Command]] = {}
    for part in window.parts:
        for command in part.commands():
            of_rooms.setdefault(command.group, []).append(command)

    def commands_of(title: str, make: Callable[[MainWindow], list[Command]]) -> list[Command]:
        return [replace(command, group=title) for command in make(window)] + of_rooms.get(title, [])

    groups: list[tuple[str, Callable[[MainWindow], list[Command]]]] = [
        (translate("Commands", "File"), _file_commands),
        (translate("Commands", "Export"), export_commands),
        (translate("Commands", "Text and checkpoint"), _text_commands),
        (translate("Commands", "Panels"), panel_commands),
        (translate("Commands", "Analyses"), _analysis_commands),
        (translate("Commands", "Comparing and editing"), edit_commands),
        (translate("Commands", "Drawing"), drawing_commands),
        (translate("Commands", "Overview"), overview_commands),
        (translate("Commands", "Overview"), pair_commands),
        (translate("Commands", "Zoom and selection"), _zoom_commands),
        (translate("Commands", "View"), _view_commands),
        (translate("Commands", "Help"), _help_commands),
    ]
    own = {title for title, _ in groups}
    made: list[tuple[str, Callable[[], list[Command]]]]
    made = [(title, partial(commands_of, title, make)) for title, make in groups]
    made[-1:-1] = [(title, partial(list, found)) for title, found in of_rooms.items() if title not in own]
    return made


def _analysis_commands(window: MainWindow) -> list[Command]:
    from bertviz_app.shell.commands.analyses import analysis_commands

    return analysis_commands(window)


def _text_commands(window: MainWindow) -> list[Command]:
    bar, dialogs = window.frame.bar, window.file_dialogs
    return [
        Command(translate("Commands", "Edit sentence 1"), "Ctrl+L", window.frame.focus_text),
        Command(translate("Commands", "Add or edit sentence 2"), "Ctrl+B", bar.open_pair),
        Command(translate("Commands", "Remove sentence 2"), "Ctrl+Shift+B", bar.close_pair),
        Command(translate("Commands", "Choose a checkpoint"), "Ctrl+M", bar.models.showMenu),
        Command(translate("Commands", "Open a checkpoint folder …"), "Ctrl+O", dialogs.ask_for_folder),
        Command(translate("Commands", "Open a file of weights …"), "Ctrl+Alt+W", dialogs.ask_for_file),
        Command(
            translate("Commands", "Open a checkpoint from the hub …"), "Ctrl+Shift+O", dialogs.ask_for_hub_id
        ),
        Command(
            translate("Commands", "Answers about this checkpoint …"), "Ctrl+Alt+M", window.questions.ask_again
        ),
        Command(translate("Commands", "Choose a tokenizer folder …"), "", window.questions.ask_for_tokenizer),
        Command(translate("Commands", "Choose a device"), "Ctrl+Shift+D", bar.devices.showMenu),
        Command(translate("Commands", "Recent texts"), "Ctrl+R", bar.recent.showMenu),
    ]


def _zoom_commands(window: MainWindow) -> list[Command]:
    app_state = window.app_state  # whose viewport is made with the first result
    return [
        Command(translate("Commands", "Zoom in"), "+", lambda: app_state.viewport.zoom_middle(0.7)),
        Command(translate("Commands", "Zoom out"), "-", lambda: app_state.viewport.zoom_middle(1 / 0.7)),
        Command(translate("Commands", "Show all tokens"), "0", lambda: app_state.viewport.fit()),
        Command(translate("Commands", "Unpin the token"), "Esc", window.leave),
    ]


def _file_commands(window: MainWindow) -> list[Command]:
    files = window.file_dialogs
    return [
        Command(
            translate("Commands", "Open a session, a trace or a text …"), "Ctrl+Alt+O", files.ask_to_open
        ),
        Command(
            translate("Commands", "Compare with attention weights of a file …"), "", files.ask_for_weights
        ),
        Command(translate("Commands", "Save the session …"), "Ctrl+Alt+S", files.ask_to_save),
        Command(translate("Commands", "Clear recent texts and files"), "", window.session.recents.clear),
        Command(translate("Commands", "Preferences …"), "Ctrl+,", window.dialogs.open_preferences),
        Command(translate("Commands", "Quit"), "Ctrl+Q", window.close_window),
    ]


def _view_commands(window: MainWindow) -> list[Command]:
    appearance, rooms = window.appearance, window.app_state.rooms
    docks = (
        ("overview", translate("Commands", "Overview: show or close"), "Ctrl+1"),
        ("heads", translate("Commands", "Heads: show or close"), "Ctrl+2"),
        ("inspector", translate("Commands", "Inspector: show or close"), "Ctrl+3"),
        ("vector", translate("Commands", "Vector: show or close"), "Ctrl+4"),
        ("interventions", translate("Commands", "Interventions: show or close"), "Ctrl+Shift+I"),
    )

    names: tuple[tuple[str, str, Room], ...] = (
        (translate("Commands", "Learn: lessons and one picture"), "Ctrl+Alt+1", "learn"),
        (translate("Commands", "Explore: one head, one picture"), "Ctrl+Alt+2", "explore"),
        (translate("Commands", "Research: everything"), "Ctrl+Alt+3", "research"),
    )

    def toggle(name: str) -> None:
        if rooms.room == "explore":
            rooms.show_card(name, is_shown=name not in rooms.cards)
        else:
            window.main_area.docks.toggle(name)

    return [
        *(Command(text, keys, partial(rooms.enter, room), also="room") for text, keys, room in names),
        Command(translate("Commands", "Undo"), "Ctrl+Z", window.app_state.store.undo),
        Command(
            translate("Commands", "Redo"), "Ctrl+Shift+Z", window.app_state.store.redo, more_keys=("Ctrl+Y",)
        ),
        Command(translate("Commands", "Undo (also while typing)"), "Alt+Left", window.app_state.store.undo),
        Command(translate("Commands", "Redo (also while typing)"), "Alt+Right", window.app_state.store.redo),
        *(Command(text, keys, partial(toggle, name)) for name, text, keys in docks),
        Command(
            translate("Commands", "Predictions: show or close"),
            "Ctrl+5",
            lambda: window.main_area.toggle_predictions(),
        ),
        Command(translate("Commands", "Reset the layout"), "", lambda: window.main_area.docks.reset()),
        Command(translate("Commands", "Larger text"), "Ctrl+=", appearance.larger, more_keys=("Ctrl++",)),
        Command(translate("Commands", "Smaller text"), "Ctrl+-", appearance.smaller),
        Command(translate("Commands", "Reset text size"), "Ctrl+0", appearance.reset_size),
        Command(translate("Commands", "Switch between light and dark"), "Ctrl+T", appearance.toggle_theme),
        Command(translate("Commands", "Use the system theme"), "", lambda: appearance.choose_theme("system")),
        Command("English", "", lambda: appearance.choose_language("en")),
        Command("한국어 (Korean)", "", lambda: appearance.choose_language("ko")),
        Command(translate("Commands", "Start page"), "Ctrl+Home", window.open_start_page),
        Command(
            translate("Commands", "Presentation mode"),
            "F11",
            window.presentation.toggle,
            more_keys=("F5", "Shift+F5"),  # what presenters' remotes send
        ),
    ]


def _help_commands(window: MainWindow) -> list[Command]:
    dialogs = window.dialogs
    return [
        Command(translate("Commands", "All commands"), "Ctrl+K", dialogs.open_palette),
        Command(translate("Commands", "Glossary"), "Ctrl+/", dialogs.open_glossary),
        Command(translate("Commands", "Documents"), "Ctrl+F1", dialogs.open_documents),
        Command(translate("Commands", "All keys"), "?", dialogs.open_shortcuts),
        Command(translate("Commands", "Explain what is under the pointer"), "F1", window.term_help.explain),
        Command(translate("Commands", "Report a problem …"), "", dialogs.open_report),
        Command(translate("Commands", "About BertViz App"), "", dialogs.open_about),
    ]
