"""Results of heads: the map of heads, maps of outcomes and the ranking; clicks, arrows and Enter."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.picture import Axis, Picture as ResultPicture, Quantity, counted, picture_named
from bertviz_app.analysis.pure.heads import PATTERN_NAMES
from bertviz_app.analysis.results import HeadMap, HeadScalars, NamedArrays, OutcomeMap, Result, Scalar
from bertviz_app.features.methods.circuits import HeadPairs
from bertviz_app.features.methods.combined import HeadRanking
from bertviz_app.features.methods.vectors import PairParts, QueryKeyMap
from bertviz_app.types import Floats
from bertviz_app.values import replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, shown_table
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PicturePoints
from bertviz_app.views.analyses.picture_view import OutcomeView, PictureView
from bertviz_app.views.analyses.table import TableView
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from tests.support.english_texts import painted_texts
from tests.support.fakes import HeldJobs
from tests.support.panel_scenes import VectorScene
from tests.support.scene import click, double_click, drag, leave, move, on_screen, pixels_of, turn_events

KEY = Qt.Key


def cells_of(view: PictureView) -> PictureCells:
    assert isinstance(view.plot, PictureCells)
    return view.plot


POINTS = np.array([[0, 0], [1, 0], [3, 0.2], [0, 2], [1, 2], [3, 2]], np.float32)
N_HEADS = 3


def heads_at(points: Floats, distances: Floats, n_heads: int = N_HEADS) -> ResultPicture:
    """Return the picture of a map of heads."""
    names = tuple("{}.{}".format(*divmod(at, n_heads)) for at in range(len(points)))
    heads = Axis("head", names)
    axes = {"values": (heads, Axis("other head", names)), "map": (heads, Axis("dimension", ("x", "y")))}
    return HeadMap({"values": distances, "map": points.copy()}, axes).pictures()[0]


def _distances(points: Floats) -> Floats:
    away: Floats = np.linalg.norm(points[:, None] - points[None], axis=-1).astype(np.float32)
    return away


@pytest.fixture
def dots(qtbot: QtBot, look: Look) -> PicturePoints:
    """A map of two layers of three heads: the second layer above the first."""
    dots = PicturePoints(look)
    dots.show_picture(heads_at(POINTS, _distances(POINTS), N_HEADS))
    dots.mark(1)
    return on_screen(qtbot, dots, 500, 400)


@pytest.fixture
def heads(dots: PicturePoints) -> list[tuple[int, int]]:
    """The heads that were asked for."""
    asked: list[tuple[int, int]] = []
    dots.part_chosen.connect(lambda part: asked.append(divmod(part, N_HEADS)))
    return asked


ENTER = Qt.Key.Key_Return
CHANGE = Scalar("change", Quantity(""))
VALUES = np.array([[0.1, -0.2, 0.0], [0.0, 0.3, -0.4]], np.float32)


class Scene:
    def __init__(self, qtbot: QtBot, look: Look) -> None:
        self._qtbot = qtbot
        self.scene = VectorScene(look, HeldJobs(), Panels())
        self.heads: list[tuple[int, int]] = []

    def show(self, view: PanelView, result: Result, layer: int = 0, head: int = 1) -> None:
        view.head_requested.connect(lambda *at: self.heads.append(at))
        view.show_panel(Panel(1, layer, head, "grid"))
        view.show_result(Analysed(Content("patching"), (), result, shown_table(result)))
        view.show_panel(Panel(1, layer, head, "grid"))
        on_screen(self._qtbot, view, 500, 500)


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> Scene:
    return Scene(qtbot, look)


def _map(*tokens: str) -> OutcomeMap:
    columns = Axis("token", tokens) if tokens else counted("head", 3)
    positions = (0, 2, 3) if tokens else ()
    axes = {"values": (counted("layer", 2), columns)}
    return OutcomeMap({"values": VALUES.copy()}, axes, {"outcome": 0.5}, positions=positions)


def test_arrows_go_to_the_nearest_head_in_their_direction_and_enter_shows_it(
    dots: PicturePoints, heads: list[tuple[int, int]]
) -> None:
    reached = []
    for key in (KEY.Key_Up, KEY.Key_Right, KEY.Key_Down, KEY.Key_Left, KEY.Key_Left, KEY.Key_Left):
        QTest.keyClick(dots, key)
        reached.append(dots.read_out.lines[0])
        QTest.keyClick(dots, KEY.Key_Return)
    assert heads == [(1, 1), (1, 2), (0, 2), (0, 1), (0, 0), (0, 0)]
    assert reached[0] == "Layer 1 · Head 1"
    nearest = "1.800 nats apart", "2.000 nats apart", "2.828 nats apart"
    assert tuple(dots.lines_of(5))[1:] == tuple(
        map(": ".join, zip(("0·2", "1·1", "0·1"), nearest, strict=True))
    )
    assert dots.accessibleDescription().startswith("Layer 0 · Head 0, 0·1: 1.000")
    QTest.keyClick(dots, KEY.Key_Escape)
    assert not dots.read_out.lines


def test_names_of_many_heads_do_not_overlap_and_the_legend_has_every_layer(qtbot: QtBot, look: Look) -> None:
    points = np.random.default_rng(0).normal(size=(384, 2)).astype(np.float32)
    dots = PicturePoints(look)
    dots.show_picture(heads_at(points, _distances(points), 16))
    dots.mark(3 * 16 + 4)
    on_screen(qtbot, dots, 500, 400)
    drawn = drawn_texts(dots)
    names = [box for box, text in drawn if "·" in text and len(text) < 6]
    assert 25 < len(names) < 384
    assert not [
        1 for one, other in itertools.combinations(names, 2) if one.intersects(other.adjusted(1, 3, -1, -3))
    ]
    assert "3·4" in [text for _, text in drawn], "the marked head has its name whatever is near"
    layers = {text: box for box, text in drawn if text.isdigit()}
    assert set(layers) == set(map(str, range(24)))
    assert max(box.right() for box in layers.values()) <= 500


def test_a_cell_of_a_head_shows_before_and_after_and_enter_goes_there(scene: Scene) -> None:
    view = OutcomeView(scene.scene.tools)
    scene.show(view, _map())
    assert view.axis_titles.right == "Change of the outcome"
    assert cells_of(view).lines_of((1, 2)) == [
        "Layer 1 · Head 2",
        "Change of the outcome −0.4000",
        "outcome 0.5000 → 0.1000",
    ]
    assert view.note.text() == ("Layer 0 · Head 1 · Change of the outcome −0.2000 · outcome 0.5000 → 0.3000")
    assert cells_of(view).accessibleDescription().startswith("Layer 0 · Head 1")
    click(cells_of(view), *cells_of(view).cell_rect(1, 2).center().toTuple())
    QTest.keyClick(cells_of(view), ENTER)
    assert scene.heads == [(1, 2), (1, 2)], "the head that was chosen is framed"


def test_a_cell_of_a_token_selects_the_token_and_its_layer(scene: Scene) -> None:
    view = OutcomeView(scene.scene.tools)
    scene.show(view, _map("[CLS]", "cat", "ate"))
    assert cells_of(view).accessibleName() == "Change of the outcome: layer down, token across"
    click(cells_of(view), *cells_of(view).cell_rect(1, 1).center().toTuple())
    assert scene.heads == [(1, 1)], "the layer of the cell, the head of the panel"
    assert scene.scene.tools.selection.pinned.query == 2
    view.show_panel(Panel(1, 1, 1, "grid"))
    assert view.note.text() == ("Layer 1 · cat · Change of the outcome +0.3000 · outcome 0.5000 → 0.8000")


def test_the_note_of_a_pair_has_what_it_adds_and_what_no_head_carried(scene: Scene) -> None:
    keys = ("both", "own side", "other side")
    found = PairParts(
        tuple(Scalar(key, Quantity("")) for key in keys),
        np.stack([VALUES] * 3),
        1e-9,
        tokens=("fox", "hound"),
        contribution=0.25,
        feed_forward=np.array([0.1, 0.2], np.float32),
        biases=np.array([0.05, 0.0], np.float32),
        embeddings=0.1,
    )
    view = OutcomeView(scene.scene.tools)
    scene.show(view, found)
    assert view.note.text() == (
        "“fox” – “hound” add +0.2500 to the cosine · heads −0.2000, feed-forward parts +0.3000, "
        "biases +0.0500, embeddings +0.1000 · Layer 0 · Head 1 · Both runs −0.2000"
    )


def test_the_ranking_states_the_flavour_and_a_row_goes_to_its_head(scene: Scene) -> None:
    rank = Quantity("", 1, 6)
    scalars = (CHANGE, Scalar("importance", Quantity("", 0)), Scalar("a", rank), Scalar("b", rank))
    importance = np.arange(6, dtype=np.float32).reshape(2, 3)
    ranks = np.array([[4, 3, 5.5], [5.5, 2, 1]], np.float32)
    values = np.stack([VALUES, importance, ranks, 6 - importance])
    found = HeadRanking(scalars, values, outcome=0.5, flavour="uniform", agreement=-0.25)
    view = TableView(scene.scene.tools)
    scene.show(view, found)
    assert view.remark.text() == (
        "Each head made to attend to all tokens alike · outcome with all heads: 0.5000 · "
        "both rankings agree by −0.25 (Spearman)"
    )
    rows = view.model.rows
    assert [row[:2] for row in rows] == [(1, 2), (1, 1), (0, 1), (0, 0), (0, 2), (1, 0)]
    assert [row[4] for row in rows] == [1, 2, 3, 4, 5.5, 5.5], "equal heads share a rank, as in files"
    assert [index.row() for index in view.table.selectionModel().selectedRows()] == [2]
    cell = view.table.visualRect(view.table.rows.index(1, 1)).center()
    QTest.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=cell)
    QTest.keyClick(view.table, Qt.Key.Key_Up)
    QTest.keyClick(view.table, ENTER)
    assert scene.heads == [(1, 1), (1, 2)]


def test_in_a_narrow_panel_a_long_text_is_shortened_and_the_number_beside_it_in_sight(scene: Scene) -> None:
    methods = Axis("method", ("integrated-gradients", "attention-rollout"))
    result = NamedArrays(
        {"spearman": np.eye(2, dtype=np.float32)}, {"spearman": (methods, methods)}, main="spearman"
    )
    view = TableView(scene.scene.tools)
    scene.show(view, result)
    view.resize(310, 400)
    table = view.table
    last = table.columnViewportPosition(2) + table.columnWidth(2)
    assert last <= table.viewport().width()
    assert table.model().index(1, 1).data(Qt.ItemDataRole.ToolTipRole) == "attention-rollout"


def test_patterns_have_names_and_colours_of_their_own(scene: Scene) -> None:
    numbers = np.array([[[0, 1, 2], [3, 4, 4]]], np.float32)
    view = OutcomeView(scene.scene.tools)
    scene.show(view, HeadScalars((Scalar("pattern", Quantity("", 0, 4), PATTERN_NAMES),), numbers))
    texts = list(painted_texts(view))
    counts = {text: texts.count(text) for text in ("het.", "vert.", "diag.", "v + d", "block")}
    # three of them are at the colour bar, too
    assert counts == {"het.": 2, "vert.": 1, "diag.": 2, "v + d": 1, "block": 3}
    assert not [text for text in texts if "." in text.rstrip(".")], texts  # no number such as 4.00
    # the colour of a pattern does not depend on the others
    view, pictures = OutcomeView(scene.scene.tools), []
    for other in (1, 4):
        numbers = np.array([[[1, 1], [0, other]]], np.float32)
        scene.show(view, HeadScalars((Scalar("pattern", Quantity("", 0, 4), PATTERN_NAMES),), numbers))
        at = cells_of(view).cell_rect(0, 0).topLeft().toPoint() + QPoint(6, 6)
        pictures.append(cells_of(view).grab().toImage().pixelColor(at).name())
    assert pictures[0] == pictures[1]


def test_distances_are_comparable_and_all_dots_and_names_are_in_sight(dots: PicturePoints) -> None:
    for size in ((500, 400), (200, 500), (900, 200)):
        dots.resize(*size)
        pixels = dots.pixels()
        scales = [
            np.hypot(*(pixels[b] - pixels[a])) / _distances(POINTS)[a, b] for a, b in ((0, 1), (0, 3), (2, 4))
        ]
        assert np.ptp(scales) < 0.01 * scales[0]
        texts = {text: box for box, text in drawn_texts(dots)}
        assert set(texts) >= {f"{layer}·{head}" for layer in range(2) for head in range(3)}
        room = dots.box.geometry_in_plot()
        assert all(room.contains(*pixel) for pixel in pixels.tolist())


def test_a_state_of_b_is_dragged_onto_a_token_of_a(scene: Scene) -> None:
    carried: list[tuple[int, int, int]] = []
    view = OutcomeView(scene.scene.tools)
    scene.show(view, _map("[CLS]", "cat", "[SEP]"))
    cells = cells_of(view)
    cells.cell_carried.connect(lambda *at: carried.append(at))
    cells.reached = lambda layer, column: np.ones((2, 3), bool)
    start, end = (cells.cell_rect(0, column).center() for column in (1, 2))
    path = [(start.x(), start.y()), (start.x() + 30, start.y() + 3), (end.x(), end.y() + 4)]
    drag(cells.viewport(), path)
    assert not carried, "nothing is dragged where run B has nothing to give"
    assert [words for words, _ in cells.menu_items()] == ["Copy the numbers"]
    cells.box.show_all()
    cells.carries = True
    cells.read_out.hide_lines()
    before = pixels_of(cells)
    assert cells.box.carry(QPointF(start), QPointF(end), False)
    cells.read_out.hide_lines()
    assert (pixels_of(cells) != before).any(), "what the state can reach is shaded"
    drag(cells.viewport(), path)
    assert carried == [(0, 1, 2)]
    drag(cells.viewport(), [path[0], path[1], (-20, -20)])
    assert len(carried) == 1, "let go beside the cells it goes nowhere"
    view.show_panel(Panel(1, 1, 0, "grid"))
    cells.carries = True
    (words, put) = cells.menu_items()[0]
    assert "[CLS]" in words
    assert put is not None
    put()
    assert carried[1:] == [(1, 0, 0)], "by the keyboard: the framed cell's own token"


def _pairs() -> HeadPairs:
    """Return three layers of two heads; head 2·1 reads 1·0 most by queries, and 0·1 by keys."""
    values = np.full((2, 6, 6), np.nan, np.float32)
    values[:, 2:4, :2] = values[:, 4:, :4] = 0.0
    values[0, 5, :4] = -0.1, 0.05, 0.2, 0.1
    values[1, 5, :4] = 0.0, 0.3, 0.0, 0.0
    names = tuple(f"{layer}.{head}" for layer in range(3) for head in range(2))
    return HeadPairs(names, 2, ("queries", "keys"), values, 0.125)


def test_pairs_of_heads_name_those_that_the_panels_head_reads_most(scene: Scene, look: Look) -> None:
    view = OutcomeView(scene.scene.tools)
    scene.show(view, _pairs(), layer=2, head=1)
    assert view.note.text() == (
        "ratios, less 0.125, that of random directions · "
        "Layer 2 · Head 1 · earlier head 1·0 · By queries +0.2000 · "
        "2·1 reads most of 1·0 (+0.200), 1·1 (+0.100), 0·1 (+0.050)"
    )
    assert view.parts is not None
    assert view.caption == "By queries"
    assert cells_of(view).lines_of((5, 2))[:2] == [
        "Layer 2 · Head 1 · earlier head 1·0",
        "By queries +0.2000",
    ]
    assert (view.axis_titles.left, view.axis_titles.above) == ("head", "earlier head")
    assert view.axis_titles.right == "By queries"
    cells_of(view).part_chosen.emit((3, 0))
    assert scene.heads == [(1, 1)], "a click shows the head of the row"
    view.show_panel(Panel(1, 2, 1, "grid", content=Content("composition", part="keys")))
    assert "2·1 reads most of 0·1 (+0.300)" in view.note.text()
    assert view.axis_titles.right == "By keys"
    view.show_panel(Panel(1, 2, 1, "grid", content=Content("composition")))
    assert view.axis_titles.right == "By queries", "the first picture is back when the choice is undone"
    view.show_panel(Panel(1, 0, 1, "grid"))
    assert view.note.text().endswith(" · 0·1 is in the first layer: no head is earlier")
    view.show_panel(Panel(1, 9, 0, "grid"))
    assert view.note.text() == "ratios, less 0.125, that of random directions", "a head of another checkpoint"
    view.set_omits_hints(omits_hints=True)
    assert view.note.text() == "ratios, less 0.125, that of random directions", "in a saved picture, too"


def test_a_pruned_head_reads_no_other(scene: Scene) -> None:
    found = _pairs()
    values = found.values.copy()
    values[:, 5] = values[:, :, 3] = np.nan
    pruned = replace(found, values=values)
    assert pruned.pictures()[0].details({"head of all": 5, "earlier head": 0}) == ()
    (words,) = pruned.pictures()[0].details({"head of all": 4, "earlier head": 0})
    assert "1·1" not in words, "nor is it read"


def test_significant_heads_have_a_dot_and_their_weights_are_drawn(scene: Scene) -> None:
    weights = np.full((1, 2, 3), 0.5, np.float32)
    flags = np.array([[[0, 1, 0], [0, 0, np.nan]]], np.float32)
    scalars = Scalar("weight", Quantity("weight", 0, 1)), Scalar("significant", Quantity("", 0, 1))
    found = HeadScalars(scalars, np.concatenate([weights, flags]))
    view = OutcomeView(scene.scene.tools)
    scene.show(view, found, head=0)
    assert "a dot: significant after correction, 1 of 6 heads" in view.note.text()
    assert view.axis_titles.right == "Weight"
    picture = cells_of(view).grab().toImage()

    def colours(layer: int, head: int) -> set[str]:
        corner = cells_of(view).cell_rect(layer, head).topRight().toPoint()
        return {
            picture.pixelColor(corner + QPoint(-across, down)).name()
            for across in range(3, 8)
            for down in range(3, 8)
        }

    assert len(colours(0, 1)) > 1, "the cell and its dot"
    assert len(colours(0, 2)) == 1, "the cell alone"
    assert list(painted_texts(view)).count("0.500") == 7, "six heads, and the colour bar"
    assert not found.minus(found).marked.any(), "a difference of marks is no mark"


def test_changes_below_the_noise_are_grey_and_said_to_be_rounding(scene: Scene, look: Look) -> None:
    values = np.array([[3e-6, -4e-6, 0.0], [-2e-6, 1e-6, 5e-5]], np.float32)
    axes = {"values": (counted("layer", 2), counted("head", 3))}
    view, colours = OutcomeView(scene.scene.tools), []
    for noise in (1e-5, 0.0):
        scene.show(view, OutcomeMap({"values": values.copy()}, axes, {"outcome": 2.0, "noise": noise}))
        picture = cells_of(view).grab().toImage()
        corners = [cells_of(view).cell_rect(*at).topLeft().toPoint() for at in np.ndindex(2, 3)]
        colours.append([picture.pixelColor(corner + QPoint(6, 6)).name() for corner in corners])
        said = "no more than rounding" in cells_of(view).lines_of((1, 0))[1]
        assert said is (noise > 0)
    grey, (with_noise, without) = look.colour("rule").name(), colours
    assert with_noise == [grey] * 5 + without[5:]
    assert grey not in without
    scene.show(view, OutcomeMap({"values": values / 100}, axes, {"outcome": 2.0, "noise": 1e-5}))
    assert list(painted_texts(view)).count("≈0") == 6


def test_heads_that_cannot_be_read_are_grey_and_have_no_number(scene: Scene, look: Look) -> None:
    view = OutcomeView(scene.scene.tools)
    scene.show(view, _pairs(), layer=2, head=1)
    picture, grey = cells_of(view).grab().toImage(), look.colour("rule").name()

    def colour(row: int, column: int) -> str:
        corner = cells_of(view).cell_rect(row, column).topLeft().toPoint()
        return str(picture.pixelColor(corner + QPoint(6, 6)).name())

    is_grey = [[colour(row, column) == grey for column in range(6)] for row in range(6)]
    assert is_grey == [[column // 2 >= row // 2 for column in range(6)] for row in range(6)]
    values = np.array([[0.5, -0.25, 0.1], [np.nan] * 3], np.float32)
    axes = {"values": (counted("layer", 2), counted("head", 3))}
    scene.show(view, OutcomeMap({"values": values}, axes, {"outcome": 2.0, "noise": 1e-5}))
    assert "in no earlier layer than a receiver" in view.note.text()
    assert not [text for text in painted_texts(view) if "nan" in text]


def _shown_again(view: PictureView, result: Result) -> None:
    view.show_result(Analysed(Content("patching"), (), result, shown_table(result)))


def test_numbers_of_the_text_before_do_not_stay_where_another_text_has_none(scene: Scene) -> None:
    view = PictureView(scene.scene.tools)
    axes = {"values": (counted("layer", 2), counted("head", 3))}
    scene.show(view, NamedArrays({"values": VALUES.copy()}, axes))
    assert cells_of(view).isVisible()
    none = NamedArrays(
        {"values": np.zeros((0, 3), np.float32)}, {"values": (Axis("pair", ()), axes["values"][1])}
    )
    _shown_again(view, none)
    assert view.plot is None
    assert not any(plot.isVisible() for plots in view.plots.values() for plot in plots)
    assert view.caption == ""
    assert view.note.text() == "The result has no numbers for this text"
    _shown_again(view, NamedArrays({"values": VALUES.copy()}, axes))
    assert cells_of(view).isVisible()
    assert "no numbers" not in view.note.text()


def test_a_cell_of_a_query_and_a_key_selects_both(scene: Scene) -> None:
    view = PictureView(scene.scene.tools)
    tokens = ("[CLS]", "cat", "ate")
    axes = Axis("query", tokens[2:]), Axis("key", tokens)
    values = np.array([[0.1, 0.2, 0.3]], np.float32)
    drawn = (ResultPicture("flow", "cells", values, axes, Quantity("weight", 0, 1), positions=(2,)),)
    scene.show(view, NamedArrays({"values": values}, {"values": axes}, drawn=drawn))
    click(cells_of(view), *cells_of(view).cell_rect(0, 1).center().toTuple())
    pinned = scene.scene.tools.selection.pinned
    assert (pinned.query, pinned.key) == (2, 1)
    assert view.framed == (0, 1)


def test_pictures_stand_side_by_side_in_one_scale(scene: Scene) -> None:
    values = np.arange(8 * 2 * 3, dtype=np.float32).reshape(8, 2, 3)
    axes = Axis("step", tuple(map(str, range(8)))), counted("layer", 2), counted("head", 3)
    picture = ResultPicture("grown", "cells", values, axes, Quantity("", 0), beside="step")
    assert [at for at, _ in picture.side_by_side({})] == [0, 1, 3, 4, 6, 7], (
        "the first and the last are there"
    )
    assert {one.top for _, one in picture.side_by_side({})} == {values.max()}
    with pytest.raises(ValueError, match="no axis “layer”"):
        replace(picture, beside="layer")
    scalars = tuple(Scalar(key, Quantity("weight", 0, 1)) for key in ("1 → 1", "1 → 2", "alone"))
    result = HeadScalars(scalars, values[:3] / np.float32(100), beside=((None, ("1 → 1", "1 → 2")),))
    together, alone = result.pictures()
    assert picture_named((alone, together), "1 → 2") is together
    view = PictureView(scene.scene.tools)
    scene.show(view, result)
    view.resize(700, 400)
    turn_events()
    shown = [plot for plot in view.plots["cells"] if plot.isVisible()]
    assert [view.names[plot].text() for plot in shown] == ["1 → 1", "1 → 2"]
    assert shown[0].x() < shown[1].x() < 700
    assert view.parts is not None, "“alone” is another picture"
    heads: list[tuple[int, int]] = []
    view.head_requested.connect(lambda *head: heads.append(head))
    shown[1].part_chosen.emit((1, 2))
    assert heads == [(1, 2)]
    view.resize(300, 600)
    turn_events()
    assert shown[0].x() == shown[1].x(), "a narrow panel has them below each other"
    view.choose("alone")
    assert [plot.isVisible() for plot in view.plots["cells"]] == [True, False]
    assert view.names[shown[0]].isHidden()


def test_a_table_is_sorted_by_a_column_and_searched(scene: Scene) -> None:
    view, labels = TableView(scene.scene.tools), tuple(f"word {at}" for at in range(30))
    values = np.array([3, 10, np.nan, 2, *range(100, 126)], np.float32)
    scene.show(view, NamedArrays({"values": values}, {"values": (Axis("word", labels),)}))
    rows = view.table.rows
    first = "word 0\t3"
    assert view.table.copied().splitlines()[:2] == ["word\tvalue", first], "as the result has them"
    view.table.sortByColumn(1, Qt.SortOrder.AscendingOrder)
    found = [line.split("\t")[1] for line in view.table.copied().splitlines()[1:5]]
    assert found == ["2", "3", "10", "100"], "by their numbers, not by their letters; nan has no row"
    view.search.setText("WORD 3")
    assert [rows.index(at, 0).data() for at in range(rows.rowCount())] == ["word 3"]
    view.search.setText("nothing of the kind")
    assert view.table.copied().splitlines() == ["word\tvalue"]
    view.search.clear()
    assert rows.rowCount() == 29
    scene.show(view, NamedArrays({"values": values[:4]}, {"values": (Axis("word", labels[:4]),)}))
    assert view.search.isHidden(), "few rows need no search"


def test_the_ends_of_the_colour_bar_are_dragged_and_come_back_by_a_double_click(scene: Scene) -> None:
    view = PictureView(scene.scene.tools)
    values = np.array([[1, 2, 3], [4, 6, 8]], np.float32)
    axes = {"values": (counted("layer", 2), counted("head", 3))}
    scene.show(view, NamedArrays({"values": values}, axes))
    cells, before = cells_of(view), pixels_of(cells_of(view))
    bar, whole, said = cells.colour_bar, cells.cells.bar, cells.lines_of((0, 0))
    from_low = [(bar.left() + 4, bar.bottom() - bar.height() * share) for share in (0.02, 0.2, 0.4, 0.5)]
    drag(cells.viewport(), from_low)
    high, _, low = cells.cells.bar
    assert (high, low[:1]) == (whole[0], "≤"), "the high end stays"
    assert float(low[2:]) == pytest.approx(4, abs=0.3)
    level = cells.cells.colours.level
    assert level(0, 2) == 0
    assert level(1, 1) == pytest.approx(128, abs=8)
    assert (pixels_of(cells) != before).any()
    assert cells.lines_of((0, 0)) == said, "numbers stay what they are"
    double_click(cells, *from_low[1])
    assert cells.cells.bar == whole
    drag(cells.viewport(), [(x, bar.top() + bar.bottom() - y) for x, y in from_low])
    high, _, low = cells.cells.bar
    assert (high[:2], low) == ("≥ ", whole[2])


@pytest.mark.parametrize("colours", ["role", "position"])
def test_a_point_is_a_token_as_a_query_or_as_a_key_and_lights_up_with_it(scene: Scene, colours: str) -> None:
    view, points = PictureView(scene.scene.tools), np.arange(16, dtype=np.float32).reshape(8, 2)
    names = ("the", "cat", "sat", "down")
    result = QueryKeyMap(
        {"values": points, "ratios": np.array([0.5, 0.25], np.float32)},
        {"values": (counted("point", 8), counted("component", 2)), "ratios": (counted("component", 2),)},
        {"correlation": -0.9, "c": 1.5},
        labels=names,
        positions=(1, 2, 3, 4),
        colours=colours,
    )
    scene.show(view, result)
    plot, selection = view.plot, scene.scene.selection
    assert isinstance(plot, PicturePoints)
    assert plot.groups == (["query", "key"] if colours == "role" else plot.groups)
    assert len(plot.groups) == (2 if colours == "role" else 4)
    selection.hover(query=2, key=3)
    assert plot.marked == [1, 6], "the query “cat”, the key “sat”"
    at = plot.place_of(5)
    move(plot, at.x(), at.y())
    assert (selection.shown.query, selection.shown.key) == (None, 2)
    assert plot.read_out.lines == ("cat", "key at position 2")
    click(plot, at.x(), at.y())
    leave(plot)
    assert selection.shown.key == 2, "a click pins it"
    assert [plot.name_of(at) for at in range(8)] == [*names, *names]


def test_the_words_above_bars_are_those_of_bars_with_intervals_too(scene: Scene) -> None:
    values, axes = np.array([0.5, -0.25, 0.0], np.float32), (Axis("token", ("a", "b", "c")),)
    picture = ResultPicture(
        "change", "bars", values, axes, Quantity(""), low=values - 1, high=values + 1, baseline=values
    )
    view = PictureView(scene.scene.tools)
    scene.show(view, NamedArrays({"values": values}, {"values": axes}, drawn=(picture,)))
    assert view.strip.text_of(0) == "a b c"
    assert view.strip.lines_of((0, 1)) == ["b", "change −0.2500"]
    picked: list[bool] = []
    # with the scene in the slot, Qt would keep its views for good
    scene.scene.tools.selection.changed.connect(lambda: picked.append(True))
    view.strip.part_chosen.emit((0, 2))
    assert picked, "a click on a word selects its token, as one on its bar"
