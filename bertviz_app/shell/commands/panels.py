"""The commands of panels: which heads and runs they show, how they are drawn, and with which options."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from bertviz_app.analysis.attention.stamp import NUMBERS_KINDS, SPECIAL_TOKENS
from bertviz_app.options import Run
from bertviz_app.shell.commands.command import Command
from bertviz_app.viewmodels.options import CHOICES, DrawingChoice, DrawOptions, Options, Switch
from bertviz_app.viewmodels.panels import PANEL_KINDS, Panel
from bertviz_app.viewmodels.wording import kind_words, special_title
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow

_FINER = 1.5


def panel_commands(window: MainWindow) -> list[Command]:  # noqa: C901 - a table of commands, each a line
    panels = window.app_state.panels

    def active() -> Panel:
        assert panels.active is not None
        return panels.active

    def draw_as(view_kind: str) -> None:
        if panels.active is not None:
            panels.draw_as(active().number, view_kind)

    def show_run(run: Run) -> None:
        if window.app_state.comparison.difference is not None:
            panels.show_run(active().number, run)

    def add() -> None:
        if panels.active is not None:
            panels.insert(active())

    def close() -> None:
        if panels.active is not None:
            panels.close(active().number)

    def activate(step: int) -> None:
        if panels.active is not None:
            index = (panels.panels.index(active()) + step) % len(panels.panels)
            panels.activate(panels.panels[index].number)

    def draw_all() -> None:
        if panels.active is not None:
            panels.draw_as(active().number, "lines")
            panels.isolate_head(active().number, active().head)

    walk = panels.walk
    return [
        Command(translate("Commands", "Next head"), "Right", partial(walk, 0, 1), is_shown_only=True),
        Command(translate("Commands", "Previous head"), "Left", partial(walk, 0, -1), is_shown_only=True),
        Command(translate("Commands", "Next layer"), "Down", partial(walk, 1, 0), is_shown_only=True),
        Command(translate("Commands", "Previous layer"), "Up", partial(walk, -1, 0), is_shown_only=True),
        *(
            Command(kind.words(translate).command, kind.shortcut, partial(draw_as, key))
            for key, kind in PANEL_KINDS.items()
        ),
        Command(translate("Commands", "Lines of all heads of the layer, or of one"), "Shift+L", draw_all),
        Command(translate("Commands", "Show run A in the panel"), "Shift+A", partial(show_run, "A")),
        Command(translate("Commands", "Show run B in the panel"), "Shift+B", partial(show_run, "B")),
        Command(translate("Commands", "Show A − B in the panel"), "Shift+D", partial(show_run, "A-B")),
        Command(translate("Commands", "Add a panel"), "Ctrl+D", add),
        Command(translate("Commands", "Close the panel"), "Ctrl+W", close),
        Command(translate("Commands", "Next panel"), "]", partial(activate, 1)),
        Command(translate("Commands", "Previous panel"), "[", partial(activate, -1)),
        Command(
            translate("Commands", "Options of the drawing …"),
            "O",
            lambda: window.main_area.open_options(),
        ),
    ]


def _joining_commands(toggle: Callable[[Switch], None]) -> list[Command]:
    words = translate("Commands", "Join or split the pieces of words")
    spaces = translate("Commands", "Join or split what stands between spaces")
    return [
        Command(words, "J", partial(toggle, "joins_words")),
        Command(spaces, "Alt+J", partial(toggle, "joins_at_spaces")),
    ]


def _numbers_commands(options: Options) -> list[Command]:
    """Return the commands that choose the numbers of attention that all views show."""

    def show_next() -> None:
        index = NUMBERS_KINDS.index(options.value.numbers) + 1
        options.choose("numbers", NUMBERS_KINDS[index % len(NUMBERS_KINDS)])

    def treat_next() -> None:
        index = SPECIAL_TOKENS.index(options.value.special_tokens) + 1
        options.treat_special_tokens(SPECIAL_TOKENS[index % len(SPECIAL_TOKENS)])

    show = translate("Commands", "All views: show {0}")
    return [
        Command(
            translate("Commands", "All views: next of weights, norms, norms with residual"),
            "Shift+W",
            show_next,
        ),
        *(
            Command(show.format(kind_words(kind)), "", partial(options.choose, "numbers", kind))
            for kind in NUMBERS_KINDS
        ),
        *(
            Command(show.format(special_title(special)), "", partial(options.treat_special_tokens, special))
            for special in SPECIAL_TOKENS
        ),
        Command(
            translate("Commands", "Next treatment of special tokens: shown, hidden, removed"),
            "Ctrl+H",
            treat_next,
        ),
    ]


def drawing_commands(window: MainWindow) -> list[Command]:
    """Return the commands that change how lines and matrices are drawn."""
    options = window.app_state.options

    def toggle(field: Switch) -> None:
        options.switch(field, not getattr(options.value, field))

    def step(field: DrawingChoice) -> None:
        choices = CHOICES[field]
        position = choices.index(getattr(options.value, field)) + 1
        options.choose(field, choices[position % len(choices)])

    def move_threshold(factor: float) -> None:
        threshold = options.value.threshold * factor
        if threshold == 0 and factor > 1:
            threshold = 0.01
        options.change(threshold=0.0 if threshold < 0.005 else min(1.0, threshold))

    return [
        *_numbers_commands(options),
        *_joining_commands(toggle),
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
        Command(
            translate("Commands", "Show or hide weights on lines"), "W", partial(toggle, "writes_weights")
        ),
        Command(translate("Commands", "Fewer lines"), ">", partial(move_threshold, _FINER)),
        Command(translate("Commands", "More lines"), "<", partial(move_threshold, 1 / _FINER)),
        Command(
            translate("Commands", "Next scale: shared, per head, log, per row"),
            "G",
            partial(step, "scale"),
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
        Command(translate("Commands", "Reset drawing options"), "", lambda: options.set(DrawOptions())),
    ]
