"""Badges: each edit has one, and a click on it takes the edit back."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QBoxLayout, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.text import Edits
from bertviz_app.text.edits import with_edits
from bertviz_app.text.interventions import TokenIntervention
from bertviz_app.views.tokens.badges import Badges
from tests.support.factories import make_tokens
from tests.support.fakes import tokens_of

TOKENS = tokens_of("the cat sat", "it slept")


@pytest.fixture
def badges(qtbot: QtBot) -> Badges:
    badges = Badges(QBoxLayout.Direction.LeftToRight, most=2)
    qtbot.addWidget(badges)
    return badges


@pytest.fixture
def chosen(badges: Badges) -> list[Edits]:
    edits: list[Edits] = []
    badges.edits_chosen.connect(edits.append)
    return edits


def _texts(badges: Badges) -> list[str]:
    return [button.text() for button in badges.buttons]


def test_without_edits_there_are_no_badges(badges: Badges) -> None:
    assert badges.isHidden()
    badges.show_edits(Edits(((0, 1),)), TOKENS)
    assert not badges.isHidden()
    badges.show_edits(Edits(), TOKENS)
    assert badges.isHidden()
    assert badges.sizeHint().width() == 0


def test_a_token_is_named_as_it_is_written_in_its_own_sentence(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(((1, 2),), ((2, "[MASK]"), (6, "##ing")))
    badges.show_edits(edits, TOKENS)
    assert _texts(badges) == ["Muted: 1·2  ✕", "cat → [MASK]  ✕", "slept → ##ing  ✕"]
    badges.buttons[1].click()
    badges.buttons[0].click()
    assert chosen == [edits.with_token(2, None), Edits(replaced=edits.replaced)]
    assert all(button.toolTip() and button.accessibleName() for button in badges.buttons)


def test_an_ampersand_is_written_on_a_badge(badges: Badges) -> None:
    badges.show_edits(Edits(replaced=((2, "&"),)), TOKENS)
    assert _texts(badges) == ["cat → &&  ✕"]  # Qt would take a single one for the mark of a mnemonic
    assert badges.buttons[0].accessibleName().startswith("cat → &: ")


@pytest.mark.parametrize("positions", [(1,), (1, 2)])
def test_a_tip_does_not_take_a_token_for_a_tag(badges: Badges, positions: tuple[int, ...]) -> None:
    """Of "<s> (1): dropped" all the rest was struck through, and "<s>" was not to be read."""
    edits = Edits.of([TokenIntervention(position, "drop") for position in positions])
    badges.show_edits(edits, tokens_of("<s> cat"), Edits())
    (button,) = badges.buttons
    assert "<s> (1): dropped" in button.accessibleName()
    shown = QTextDocument()
    shown.setHtml(button.toolTip())
    assert "<s> (1): dropped" in shown.toPlainText()


def test_many_tokens_share_a_badge(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(replaced=((1, "a"), (2, "b"), (3, "c")))
    badges.show_edits(edits, TOKENS)
    assert _texts(badges) == ["the → a  ✕", "2 more replaced  ✕"]
    badges.buttons[1].click()
    assert chosen == [Edits()]


def test_many_heads_share_a_badge_whose_menu_unmutes_them(badges: Badges, chosen: list[Edits]) -> None:
    edits = Edits(((0, 1), (2, 3), (4, 5)))
    badges.show_edits(edits, make_tokens(4))
    assert _texts(badges) == ["Muted: 0·1, 2·3 …  ✕"]
    assert "0·1, 2·3, 4·5" in badges.buttons[0].toolTip()
    badges.buttons[0].click()
    actions = badges.findChildren(QMenu)[-1].actions()
    assert [action.text() for action in actions if action.text()] == [
        *("Unmute 0·1", "Unmute 2·3", "Unmute 4·5"),
        "Unmute all",
    ]
    actions[1].trigger()
    actions[-1].trigger()
    assert chosen == [Edits(((0, 1), (4, 5))), Edits()]


def test_the_menu_of_muted_heads_is_gone_once_it_is_closed(badges: Badges) -> None:
    badges.show_edits(Edits(((0, 1), (2, 3))), make_tokens(4))
    for _ in range(2):
        badges.buttons[0].click()
        badges.findChildren(QMenu)[-1].close()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert badges.findChildren(QMenu) == []


def test_without_the_tokens_their_positions_are_named(badges: Badges) -> None:
    badges.show_edits(Edits(replaced=((2, "x"), (40, "y"))), None)
    assert _texts(badges) == ["2 → x  ✕", "40 → y  ✕"]


def test_until_a_change_is_read_tokens_are_found_with_what_was_read(badges: Badges) -> None:
    drop, mask = TokenIntervention(1, "drop"), TokenIntervention(3)
    badges.show_edits(Edits.of([drop, mask]), TOKENS, Edits())
    assert _texts(badges) == ["sat → [MASK]  ✕", "the (1): dropped  ✕"]
    read = with_edits(TOKENS, Edits.of([drop]), lambda given: (given, 0))
    badges.show_edits(Edits.of([drop, mask]), read, Edits.of([drop]))
    assert _texts(badges) == ["sat → [MASK]  ✕", "the (1): dropped  ✕"]
