"""The program as a user has it: typed into under a real X server, looked at, and closed."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from subprocess import TimeoutExpired
from zipfile import ZipFile

import numpy as np
from numpy.typing import NDArray

from bertviz_app import compare, open_model
from bertviz_app.shell.settings import read_palette
from tests.e2e.conftest import Program
from tests.support.module_facts import ROOT

LIGHT, DARK = read_palette("light"), read_palette("dark")
Start = Callable[..., Program]


def _quit(program: Program) -> None:
    for _ in range(20):  # a window that has just come up may not have the keyboard yet
        program.screen.press("ctrl+q")
        with suppress(TimeoutExpired):
            assert program.process.wait(2) == 0
            break
    assert program.wait_for_the_end() == 0
    assert program.complaints == ""


def test_what_is_typed_is_shown_and_mistakes_lose_nothing(start: Start) -> None:
    program = start()
    screen = program.screen
    program.wait_until_open(LIGHT.accent)
    screen.type("the cat ate fish")
    program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "four words are in the strip")
    screen.press("ctrl+a", "Delete")
    program.until(lambda: screen.n_bars(LIGHT.accent) == 0, "the start page")
    assert not screen.has(LIGHT.error)
    for _ in range(3):
        screen.type("the cat ate the fish because it was hungry ", delay_ms=1)
        screen.press("ctrl+a")
    screen.type("it was hungry", delay_ms=1)
    program.until(lambda: screen.n_bars(LIGHT.accent) == 3, "the last text after fast typing")
    assert not screen.has(LIGHT.error)
    screen.press("ctrl+t")
    program.until(lambda: screen.has(DARK.card, at_least=100_000), "the dark theme")
    # A new picture reaches the screen in pieces: whoever looks meanwhile sees part of the old one.
    program.until(lambda: not screen.has(LIGHT.card, at_least=100_000), "no light theme")
    _quit(program)


def test_who_is_new_types_a_sentence_on_the_first_screen(start: Start) -> None:
    program = start(is_first=True)
    screen = program.screen
    program.until(lambda: screen.has(LIGHT.accent, at_least=8_000), "the main button and the ribbons")
    program.until(lambda: screen.has_frame(LIGHT.accent, rows=slice(400, None)), "its field has the focus")
    screen.type("the cat ate fish")
    assert screen.n_bars(LIGHT.accent) == 0, "nothing is encoded before it is asked for"
    screen.press("Return")
    program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "four words are in the strip")
    program.wait_until_open(LIGHT.accent)
    screen.type(" it")
    program.until(lambda: screen.n_bars(LIGHT.accent) == 5, "what is typed next goes on with it")
    _quit(program)


def test_texts_given_at_the_start_are_shown(start: Start) -> None:
    program = start("the cat ate", "--pair", "it was")
    screen = program.screen
    program.until(lambda: screen.n_bars(LIGHT.accent) == 3, "sentence 1")
    program.until(lambda: screen.n_bars(LIGHT.sentence_b) == 2, "sentence 2")
    program.wait_until_open(LIGHT.accent)
    _quit(program)


def test_what_was_shown_comes_back_after_a_kill_and_after_an_end(start: Start, tmp_path: Path) -> None:
    program = start("the cat ate fish", user="anna")
    screen, last = program.screen, tmp_path / "config-anna" / "bertviz-app" / "last.bva"
    program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "four words are in the strip")
    # What is written before the checkpoint is asked for is of none, and not restored with another one.
    program.until(
        lambda: _holds(last, "the cat ate fish") and _holds(last, "tiny-bert"), "it is written down"
    )
    program.process.kill()
    program.process.wait()
    for _ in range(2):
        program = start(user="anna")
        program.wait_until_open(LIGHT.accent)  # what is left of the killed window on the screen has no frame
        program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "the same four words are there again")
        _quit(program)


def test_a_presentation_fills_the_screen_and_is_left_by_escape(start: Start) -> None:
    program = start("the cat ate fish")
    screen = program.screen
    program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "four words are in the strip")
    program.wait_until_open(LIGHT.accent)
    panels = slice(300, 700)
    before = program.wait_until_still(panels)
    screen.press("F11")
    program.until(
        lambda: _n_wide(screen.pixels()[:20], LIGHT.accent) == 4, "the strip is the top of the screen"
    )
    program.until(lambda: not screen.has_frame(LIGHT.accent), "the bars have left their room to the panels")
    screen.press("Escape")
    program.until(lambda: bool((screen.pixels()[panels] == before).mean() > 0.99), "as before")
    _quit(program)


def _n_wide(pixels: NDArray[np.uint32], colour: str) -> int:
    """Return how many marks as wide as a token's a colour makes side by side."""
    is_marked = (pixels == int(colour[1:], 16)).any(axis=0)
    return sum(1 for marked, run in groupby(is_marked) if marked and len(list(run)) >= 30)


def test_it_can_be_closed_while_it_is_still_starting(start: Start) -> None:
    program = start("the cat")
    program.wait_until_open(LIGHT.accent)
    _quit(program)


def test_what_is_typed_into_run_b_is_compared(start: Start, tiny_bert: Path) -> None:
    """The cell that differs most has the full colour of its sign; swapped, that of the other."""
    one, other = "the cat ate fish", "the cat was hungry"
    apart = _largest_difference(tiny_bert, one, other)
    if apart < 0:
        one, other = other, one
    program = start(one)
    screen, more_in_a = program.screen, LIGHT.differences[-1]
    program.until(lambda: screen.n_bars(LIGHT.accent) == 4, "four words are in the strip")
    program.wait_until_open(LIGHT.accent)
    assert not screen.has_cell(more_in_a)
    screen.press("ctrl+shift+c")
    screen.type(other)
    program.until(lambda: screen.has_cell(more_in_a), "the difference")
    screen.press("ctrl+shift+x")
    program.until(lambda: not screen.has_cell(more_in_a), "the other difference")
    screen.press("ctrl+shift+x")
    program.until(lambda: screen.has_cell(more_in_a), "the difference as at first")
    screen.press("ctrl+shift+c")
    program.until(lambda: not screen.has_cell(more_in_a), "no difference")
    _quit(program)


def _largest_difference(checkpoint: Path, one: str, other: str) -> float:
    """Return the difference of the largest size in the head that the window shows first, the last one."""
    model = open_model(str(checkpoint), "cpu")
    last = model.facts.n_layers - 1, model.facts.n_heads - 1
    apart = compare(model.trace(one), model.trace(other)).difference(*last)
    return float(apart.flat[np.abs(apart).argmax()])


def _holds(session: Path, text: str) -> bool:
    """Return whether a session file is there and has this text."""
    if not session.exists():
        return False
    with ZipFile(session) as archive:
        return text in archive.read("session.json").decode()


def test_a_desktop_finds_the_menu_entry_of_the_window(start: Start) -> None:
    """By the class of the window: so the task bar shows the program's icon and name."""
    program = start()
    program.wait_until_open(LIGHT.accent)
    (entry,) = (ROOT / "installers/desktop").glob("*.desktop")
    (name,) = re.findall(r"^StartupWMClass=(.*)$", entry.read_text(encoding="utf-8"), re.MULTILINE)
    program.screen.do("search", "--onlyvisible", "--class", f"^{name}$")  # which fails where there is none
    _quit(program)
