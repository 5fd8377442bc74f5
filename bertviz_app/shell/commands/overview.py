"""The commands of the overview: what its cells show, in which order, and the heads of the pinned pair."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bertviz_app.shell.commands.command import Command
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.options import ATTENTION, PAIR, SHOWS, Shows
from bertviz_app.views.kit.canvas import translate
from bertviz_app.views.overview.heads_table import measure_words

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def overview_commands(window: MainWindow) -> list[Command]:
    """Return the commands of the overview's card."""
    options = window.app_state.overview

    def choose(shows: Shows) -> None:
        is_pair_shown = options.value.shows_pair and _pinned(window) is not None
        options.show(shows, is_pair_shown=is_pair_shown)

    def show_next(step: int) -> None:
        index = SHOWS.index(options.value.shows) + step
        choose(SHOWS[index % len(SHOWS)])

    def toggle_scale() -> None:
        options.change(is_per_head=not options.value.is_per_head)

    def rearrange() -> None:
        has_pair = _pinned(window) is not None
        shows, is_ordered = options.value.shows, bool(options.value.order(has_pair=has_pair))
        if has_pair and options.value.shows_pair and not is_ordered:
            options.change(ordered_by=PAIR)
        elif is_ordered:
            options.change(ordered_by="")
        elif shows == ATTENTION:
            window.warn(translate("Commands", "Attention cannot be sorted: show a measure first."))
        else:
            options.change(ordered_by=shows)

    shown: dict[Shows, str] = {ATTENTION: translate("Commands", "Attention")}
    shown |= {key: words.title for key, words in measure_words().items()}
    words = translate("Commands", "Overview: show {0}")
    return [
        Command(translate("Commands", "Overview: scale per head or shared"), "S", toggle_scale),
        Command(translate("Commands", "Overview: show the next measure"), "Shift+S", partial(show_next, 1)),
        *(Command(words.format(name), "", partial(choose, key)) for key, name in shown.items()),
        Command(
            translate("Commands", "Overview: sort by the measure, or by layer and head"),
            "Ctrl+Shift+A",
            rearrange,
        ),
        Command(translate("Commands", "Overview: show all heads"), "", partial(options.filter_by, "")),
        Command(
            translate("Commands", "Heads: show or hide null baselines beside the measures"),
            "",
            lambda: options.change(shows_baselines=not options.value.shows_baselines),
        ),
    ]


def pair_commands(window: MainWindow) -> list[Command]:
    """Return the commands about the pinned pair of tokens: its weight in every head, its strongest heads."""
    options = window.app_state.overview

    def toggle_pair() -> None:
        if _pinned(window) is None:
            window.warn(no_pair)
        else:
            options.change(shows_pair=not options.value.shows_pair)

    def go_to(index: int) -> None:
        pair = _pinned(window)
        if pair is None:
            window.warn(no_pair)
        elif len(found := pair.strongest(index + 1)) > index:
            window.app_state.panels.show(found[index].layer, found[index].head)

    def ask_why() -> None:
        window.app_state.shown_runs.why_weight.ask()

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
        Command(translate("Commands", "Why this weight?"), "Shift+Y", ask_why),
    ]


def _pinned(window: MainWindow) -> PairInHeads | None:
    """Return the pinned pair of the run that the inspector is about."""
    runs = window.app_state.shown_runs
    return runs.pinned_pair.of(runs.inspected.run)
