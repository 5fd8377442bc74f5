"""The shelf in its panel: what it compares, what a click brings back, what is removed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from bertviz_app.analysis.vectors import cosine_matrix
from tests.support.scene import click, pixels_of
from tests.support.vector_scene import VectorScene, array_of, middle_of, press, read_outs, scene

__all__ = ["read_outs", "scene"]


# the shelf


@pytest.fixture
def shelved(scene: VectorScene) -> VectorScene:
    """A scene with three sentences on its shelf, which is shown."""
    for text in ("one cat", "two old dogs", "three"):
        scene.type(text)
        scene.tools.shelf.keep()
    shown = scene.workspace.shown
    assert shown is not None
    scene.show(shown.result.trace)
    scene.view.show_page("shelf")
    return scene


def _texts(scene: VectorScene) -> list[str]:
    return [item.text for item in scene.tools.shelf.items]


@pytest.mark.parametrize("kind", ["pooled", "cls", "mean"])
def test_the_shelf_compares_what_it_keeps(shelved: VectorScene, kind: str) -> None:
    page = shelved.view.stack.shelf
    page.kinds.choose(kind)
    page.refresh()
    vectors_of_items = [item.vector(kind) for item in shelved.tools.shelf.items]
    vectors = np.stack([vector for vector in vectors_of_items if vector is not None])
    np.testing.assert_array_equal(array_of(shelved, "vectors"), vectors)
    np.testing.assert_array_equal(array_of(shelved, "cosine"), cosine_matrix(vectors))
    assert shelved.view.numbers()["sentences"] == ("one cat", "two old dogs", "three")


def test_a_label_brings_its_sentence_back_a_cell_does_not(shelved: VectorScene) -> None:
    heat = shelved.view.stack.shelf.heat
    pixels_of(heat)
    click(heat, *middle_of(heat, 1, 2))
    assert shelved.requests == []
    click(heat, 12, middle_of(heat, 0, 0)[1])
    assert [request[0] for request in shelved.requests] == ["one cat"]
    press(heat, Qt.Key.Key_Down)
    press(heat, Qt.Key.Key_Return)
    assert [request[0] for request in shelved.requests] == ["one cat", "two old dogs"]


def test_a_point_of_the_shelfs_map_brings_its_sentence_back(shelved: VectorScene) -> None:
    page = shelved.view.stack.shelf
    page.ways.choose("map")
    page.refresh()
    assert page.map.isVisible()
    pixels_of(page.map)
    x, y = page.map.pixels()[1].tolist()
    click(page.map, x, y)
    assert [request[0] for request in shelved.requests] == ["two old dogs"]


def test_the_chosen_one_is_removed_by_key_and_by_button(shelved: VectorScene) -> None:
    page = shelved.view.stack.shelf
    click(page.heat, *middle_of(page.heat, 0, 2))
    press(page.heat, Qt.Key.Key_Delete)
    assert _texts(shelved) == ["two old dogs", "three"]
    page.remove.click()
    assert _texts(shelved) == ["two old dogs"]
    page.clear.click()
    assert _texts(shelved) == []
    assert not page.clear.isEnabled()
    page.keep.click()
    assert _texts(shelved) == ["three"]


def test_of_a_model_without_pooler_other_vectors_are_offered(shelved: VectorScene) -> None:
    page, shelf = shelved.view.stack.shelf, shelved.tools.shelf
    items = shelf.items
    others = ("cls", "mean")
    shelf.restore(replace(item, vectors={kind: item.vectors[kind] for kind in others}) for item in items)
    labels = [label.text() for label in page.findChildren(QLabel) if label.isVisible()]
    assert labels == ["This model has no such vector: choose [CLS] or the mean."]
    page.kinds.choose("mean")
    page.refresh()
    assert page.heat.isVisible()
