"""The commands of lessons: for learners, and for teachers who show them to a class or write their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.commands.command import Command
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def lesson_commands(window: MainWindow) -> list[Command]:
    """Return the commands; those of a presenter's remote have its keys, too, while a lesson is open."""
    teaching = window.teaching
    return [
        Command(translate("Commands", "All lessons …"), "", window.lessons.catalogue.open_list),
        Command(translate("Commands", "Next station of the lesson"), "Ctrl+PgDown", teaching.next),
        Command(translate("Commands", "Station before"), "Ctrl+PgUp", teaching.back),
        Command(translate("Commands", "Stations of the lesson …"), "Ctrl+J", teaching.show_stations),
        Command(translate("Commands", "Teacher's notes …"), "Ctrl+Alt+N", teaching.show_notes),
        Command(
            translate("Commands", "Make a station of what I see …"), "Ctrl+Alt+J", window.station_maker.ask
        ),
        Command(translate("Commands", "Hand-out of this head …"), "Ctrl+Alt+P", window.handouts.ask),
        Command(translate("Commands", "Black screen, in a lesson"), "B", teaching.darken, True),
    ]
