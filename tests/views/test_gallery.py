"""The gallery of analyses: cards by theme, search, keys, and what makes an analysis possible."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.catalogue import CATALOGUE, THEMES, find_analysis
from bertviz_app.analysis.results import HeadMatrices, LayerRankings, NamedArrays, Result, TokenScalars
from bertviz_app.viewmodels.analyses.gallery import RunsThere, gallery_items, kind_of_picture, obstacle
from bertviz_app.viewmodels.panel import Content
from bertviz_app.views.dialogs.gallery import AnalysisGallery, GalleryCard, SketchPicture
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.scene import on_screen

RUNS = RunsThere(make_trace(4))


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    return on_screen(qtbot, QWidget(), 1280, 800)


@pytest.fixture
def gallery(look: Look, window: QWidget) -> AnalysisGallery:
    gallery = AnalysisGallery(look, gallery_items(RUNS, "en"), window)
    gallery.open()
    return gallery


def card(gallery: AnalysisGallery, key: str) -> GalleryCard:
    return next(card for card in gallery.cards if card.item.content == Content(key))


def test_there_is_a_card_for_attention_and_for_each_analysis_by_theme(gallery: AnalysisGallery) -> None:
    assert [card.item.content.analysis for card in gallery.cards] == ["", *(one.key for one in CATALOGUE)]
    assert {card.item.theme for card in gallery.cards} == {str(theme.title) for theme in THEMES}


def test_cards_without_a_small_result_have_the_kind_of_their_picture_in_grey(
    look: Look, window: QWidget
) -> None:
    results: tuple[type[Result], ...] = (HeadMatrices, LayerRankings, TokenScalars, NamedArrays)
    kinds = [kind_of_picture(result) for result in results]
    assert kinds == ["cells", "cells", "bars", "table"]
    first = gallery_items(RUNS, "en")[0]
    items = [replace(first, sketch=None, kind=kind) for kind in kinds[1:]]
    gallery = AnalysisGallery(look, [first, *items], window, ["Another <b>was</b> left out."])
    gallery.open()
    assert gallery.note.text().endswith("kind of picture alone.\nAnother <b>was</b> left out.")
    images = [picture.grab().toImage() for picture in gallery.findChildren(SketchPicture)]
    assert len(images) == 4
    assert all(one != other for one, other in combinations(images, 2))
    ends = {look.colour("card").lightness(), look.colour("rule").lightness()}
    for image in images[1:]:
        seen = {image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}
        assert len(seen) > 1
        assert all(min(ends) <= QColor(colour).lightness() <= max(ends) for colour in seen)


def test_what_cannot_be_done_says_why_beside_the_button_that_makes_it_possible(
    gallery: AnalysisGallery,
) -> None:
    asked: list[tuple[object, str]] = []
    chosen: list[object] = []
    gallery.chosen.connect(chosen.append)
    gallery.remedy_requested.connect(lambda *both: asked.append(both))
    compared = card(gallery, "divergence")
    assert not compared.button.isEnabled()
    assert compared.item.obstacle == "This analysis compares two runs."
    assert "compares two runs" in compared.button.accessibleName()
    assert compared.remedy is not None
    assert compared.remedy.text() == "Compare with another sentence"
    compared.remedy.click()
    assert (asked, chosen) == ([(Content("divergence"), "second run")], [])
    assert not gallery.isVisible()


def test_what_is_typed_finds_a_question_and_enter_chooses_it(gallery: AnalysisGallery) -> None:
    chosen: list[object] = []
    gallery.chosen.connect(chosen.append)
    QTest.keyClicks(gallery.field, "shuffeld words")
    assert [card.item.content.analysis for card in gallery.cards] == ["head-baselines"]
    QTest.keyClick(gallery.field, Qt.Key.Key_Return)
    assert chosen == [Content("head-baselines")]


def test_arrows_go_from_card_to_card_and_enter_on_nothing_does_nothing(gallery: AnalysisGallery) -> None:
    gallery.activateWindow()
    QTest.keyClick(gallery.field, Qt.Key.Key_Down)
    assert gallery.cards[0].button.hasFocus()
    QTest.keyClick(gallery.cards[0].button, Qt.Key.Key_Right)
    assert gallery.cards[1].button.hasFocus()
    gallery.field.setText("xyzzy")
    assert gallery.cards == []
    QTest.keyClick(gallery.field, Qt.Key.Key_Return)
    assert gallery.isVisible()


@pytest.mark.parametrize(
    ("key", "runs", "remedy"),
    [
        ("divergence", RunsThere(RUNS.trace, has_second=True), None),
        ("head-measures", RunsThere(RUNS.trace, is_model_open=False), None),
        ("decompx", RunsThere(RUNS.trace, is_model_open=False), "checkpoint"),
        ("logit-lens", RUNS, "task head"),
        ("logit-lens", RunsThere(RUNS.trace, ("masked",)), None),
        ("logits", RUNS, "task head"),
    ],
)
def test_an_obstacle_is_what_the_analysis_would_end_with(
    key: str, runs: RunsThere, remedy: str | None
) -> None:
    error = obstacle(find_analysis(key), runs)
    assert (None if error is None else error.remedy) == remedy
