"""The commands of the overview: what its cells show, in which order."""

from __future__ import annotations

from functools import partial

from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.context import CommandContext
from bertviz_app.viewmodels.overview_options import ATTENTION, SHOWS
from bertviz_app.views.kit.words import translate
from bertviz_app.views.overview.measure_words import measure_words


def overview_commands(context: CommandContext) -> list[Command]:
    """Return the commands of the overview's card."""
    options = context.app_state.overview

    def show_next(step: int) -> None:
        place = SHOWS.index(options.value.shows) + step
        options.change(shows=SHOWS[place % len(SHOWS)])

    def toggle_scale() -> None:
        options.change(is_per_head=not options.value.is_per_head)

    def rearrange() -> None:
        shows, is_ordered = options.value.shows, bool(options.value.ordered_by)
        if shows == ATTENTION and not is_ordered:
            context.warn(translate("Commands", "Attention cannot be sorted: show a measure first."))
        else:
            options.change(ordered_by="" if is_ordered else shows)

    shown: dict[str, str] = {ATTENTION: translate("Commands", "Attention")}
    shown |= {key: words.title for key, words in measure_words().items()}
    words = translate("Commands", "Overview: show {0}")
    return [
        Command(translate("Commands", "Overview: scale per head or shared"), "S", toggle_scale),
        Command(translate("Commands", "Overview: show the next measure"), "Shift+S", partial(show_next, 1)),
        *(Command(words.format(name), "", partial(options.change, shows=key)) for key, name in shown.items()),
        Command(
            translate("Commands", "Overview: sort by the measure, or by layer and head"),
            "Ctrl+Shift+A",
            rearrange,
        ),
        Command(translate("Commands", "Overview: show all heads"), "", partial(options.filter_by, "")),
    ]
