"""Every kind of panel has a view, and words of its own."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.viewmodels.panel_kinds import ALL_KINDS, PANEL_KINDS
from bertviz_app.views.panels.registry import PANEL_ENTRIES


def test_every_kind_of_panel_has_a_view_and_no_view_is_without_a_kind() -> None:
    assert list(PANEL_ENTRIES) == list(ALL_KINDS)


def test_no_two_kinds_share_a_title_a_command_or_a_key() -> None:
    words = [kind.words(QCoreApplication.translate) for kind in PANEL_KINDS.values()]
    for values in (
        [word.title for word in words],
        [word.command for word in words],
        [kind.shortcut for kind in PANEL_KINDS.values()],
    ):
        assert len(set(values)) == len(PANEL_KINDS)
