"""Pictures rendered without a window: of every view, of one run and of two."""

from __future__ import annotations

import errno
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication
from shiboken6 import isValid

from bertviz_app import api
from bertviz_app.errors import AppError, CheckpointError, DeviceError, FileError, SelectionError, TextError
from bertviz_app.features.rendering import rendering
from bertviz_app.features.rendering.rendering import render
from bertviz_app.inference.engine import Engine
from bertviz_app.options import CARDS, OtherOptions, RenderOptions, Run
from bertviz_app.shell.window.main_area import show_vector
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import IMAGE, PANEL_KINDS
from bertviz_app.viewmodels.runs.run import Shown
from bertviz_app.views.kit.card import Card
from bertviz_app.views.vectors.plots import VectorPlot
from tests.features.rendering.conftest import SIZE, lines_of, pixels
from tests.support.checkpoints import random_bert, write_bert
from tests.support.families import write_family

# What only this view writes.
TEXT_OF_VIEW = {
    "window": "Inspector",
    "overview": "largest",
    "pooled": "dimension",
    "divergence": "bits",
    "words": "ate",
    "lines": "ate",
    "matrix": "ate",
    "steps": "queries Q",
    "vectors": "embeddings",
    "parameters": "weight",
}
BUTTONS = ("Lines", "Matrix", "Steps", "Vectors", "Options", "Walk", "Shared", "←", "BertViz App")


@pytest.mark.parametrize("view", [*CARDS, *(kind for kind in PANEL_KINDS if kind != IMAGE)])
def test_every_view_is_drawn_in_the_size_asked_for_without_buttons_or_a_frame(
    options: RenderOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, view: str
) -> None:
    monkeypatch.setattr("bertviz_app.paths.settings", lambda: tmp_path / "settings")
    other = OtherOptions(text="the cat was hungry") if view == "divergence" else None
    size = (1000, 1400) if view == "parameters" else SIZE  # has room for all rows
    options = replace(options, view=view, other=other, size=size)
    drawn = pixels(options)
    assert drawn.shape == (size[1], size[0])
    assert len(np.unique(drawn)) > 30
    assert [file.name for file in tmp_path.glob("*.png")] == ["picture.png"]
    text = "\n".join(lines_of(options))
    assert QSvgRenderer(str(options.out.with_suffix(".svg"))).isValid()
    assert TEXT_OF_VIEW[view] in text
    assert not (tmp_path / "settings").exists(), "those of the user are left alone"
    if view != "window":
        assert [words for words in BUTTONS if words in text] == []
    if view not in ("window", "parameters"):  # the rows of a table go from edge to edge
        assert len({*drawn[0], *drawn[-1], *drawn[:, 0], *drawn[:, -1]}) == 1, "no frame"


@pytest.mark.parametrize("view", ["overview", "steps", "pooled"])
def test_a_pdf_has_fonts_and_a_title_names_the_text(options: RenderOptions, view: str) -> None:
    titled = replace(options, view=view, has_title=True)
    text = "\n".join(lines_of(titled))
    assert "the cat ate fish" in text
    assert "BertViz App" not in text
    out = options.out.with_suffix(".pdf")
    render(replace(titled, out=out))
    content = out.read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert b"/Font" in content


def test_a_text_has_no_picture_over_an_image(options: RenderOptions) -> None:
    with pytest.raises(AppError, match="not the patches of an image"):
        render(replace(options, view=IMAGE))
    assert not options.out.exists()


def test_the_picture_of_the_difference_of_two_runs_names_both(options: RenderOptions) -> None:
    other = OtherOptions(text="the cat was hungry")
    drawn = "\n".join(lines_of(options, view="divergence", other=other, has_title=True, size=(1000, 800)))
    assert "A: " in drawn
    assert "B: " in drawn
    assert "the cat was hungry" in drawn


def test_parameters_grow_higher_to_show_all_rows(options: RenderOptions) -> None:
    lines = {height: lines_of(options, view="parameters", size=(1000, height)) for height in (640, 1400)}
    assert lines[640] == lines[1400]
    height, width = pixels(options, view="parameters").shape
    assert width == SIZE[0]
    assert height > SIZE[1]


EDITS = Edits(((0, 1),), ((2, "[MASK]"),))


def _trace(options: RenderOptions, edits: Edits) -> Trace:
    """Return the trace of the text of a picture, with edits."""
    model = api.open_model(options.model, "cpu")
    return model.trace(options.text, muted=edits.muted, replaced=dict(edits.replaced))


def _end_of_scale(options: RenderOptions, edits: Edits) -> str:
    """Return what stands at the end of the colour bar of a run alone: the largest weight of head 1·3."""
    return f"{_trace(options, edits).attention(1, 3).max():.2f}"


@pytest.mark.parametrize("view", ["matrix", "lines"])
def test_runs_a_and_b_have_the_numbers_and_tokens_of_each_and_their_difference_those_of_both(
    options: RenderOptions, view: str
) -> None:
    settings = (("writes_weights", "yes"),) if view == "lines" else ()
    options = replace(options, view=view, settings=settings)
    other = OtherOptions(edits=EDITS)
    alone, edited = lines_of(options), lines_of(options, edits=EDITS)
    assert alone != edited
    if view == "matrix":  # beside each other, both runs have one scale of colours: to the larger maximum
        end = alone.index(_end_of_scale(options, Edits()))
        assert edited[end] == _end_of_scale(options, EDITS)
        assert alone[end] != edited[end]
        alone[end] = edited[end] = max(alone[end], edited[end], key=float)
    assert lines_of(options, run="A", other=other) == alone
    assert lines_of(options, run="B", other=other) == edited
    difference = "\n".join(lines_of(options, run="A-B", other=other))
    assert "cat | [MASK]" in difference
    first = [_trace(options, edits).attention(1, 3)[0, 0] for edits in (Edits(), EDITS)]
    assert f"{first[0] - first[1]:.2f}".lstrip("-") in difference


def test_the_overview_of_run_b_has_the_heads_of_the_same_edits_in_run_a(options: RenderOptions) -> None:
    options = replace(options, view="overview")
    pictures = []
    for changes in ({"run": "B", "other": OtherOptions(edits=EDITS)}, {"edits": EDITS}, {}):
        pictures.append(pixels(options, **changes))
    n_in_frame, n_in_heads = ((pictures[1] != each).sum() for each in (pictures[0], pictures[2]))
    assert 0 < 10 * n_in_frame < n_in_heads  # the frame of the active head has the colour of its run


def test_the_window_with_run_b_names_its_edits(options: RenderOptions) -> None:
    text = "\n".join(lines_of(options, view="window", run="B", other=OtherOptions(edits=EDITS)))
    assert "Muted: 0·1" in text
    assert "cat → [MASK]" in text


@pytest.mark.parametrize(
    ("changes", "title", "row"),
    [
        ({}, "queries Q", "the"),
        ({"stage": "active"}, "activation", "the"),
        ({"stage": "active", "token": 3}, "activation", "ate"),
        ({"stage": "pooled"}, "tanh: the pooled vector", "[CLS]"),
    ],
)
def test_the_steps_are_at_the_stage_that_is_asked_for(
    options: RenderOptions, changes: dict[str, object], title: str, row: str
) -> None:
    lines = lines_of(options, view="steps", **changes)
    # On some fonts the place of the stop is on the same baseline.
    assert any(line.startswith(title) for line in lines)
    assert any(line.startswith(row) for line in lines)


def test_stages_are_those_of_the_family(options: RenderOptions, tmp_path: Path) -> None:
    for family in ("albert", "distilbert"):
        write_family(tmp_path / family, family)
    albert = replace(options, view="steps", model=str(tmp_path / "albert"))
    assert any("projection" in line for line in lines_of(albert, stage="embedding_projection"))
    assert any("segment" in line for line in lines_of(albert, stage="segment"))
    distilbert = replace(options, view="steps", model=str(tmp_path / "distilbert"))
    for stage, message in (
        ("segment", "has no segments"),
        ("embedding_projection", "does not project"),
        ("pooled", "has no pooler"),
        ("disentangled", "does not add up content and position"),
    ):
        with pytest.raises(SelectionError, match=message):
            render(replace(distilbert, stage=stage))


def test_a_head_of_content_and_position_is_drawn_in_every_way(options: RenderOptions, tmp_path: Path) -> None:
    write_family(tmp_path / "deberta", "deberta-v2")
    deberta = replace(options, model=str(tmp_path / "deberta"))
    for view in ("lines", "matrix", "steps", "overview"):
        assert any(TEXT_OF_VIEW[view] in line for line in lines_of(deberta, view=view)), view
    render(replace(deberta, view="steps", stage="disentangled"))
    with pytest.raises(SelectionError, match="does not divide its products in a step of its own"):
        render(replace(deberta, view="steps", stage="scaled"))
    masked = OtherOptions(edits=Edits(((0, 1),), ((2, "[MASK]"),)))
    for view, run in (("matrix", "A-B"), ("lines", "B"), ("divergence", "A")):
        assert any(TEXT_OF_VIEW[view] in line for line in lines_of(deberta, view=view, run=run, other=masked))


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_overview_of_a_pair_has_its_weight_in_every_head(options: RenderOptions, run: str) -> None:
    masked = Edits((), ((1, "[MASK]"),))
    trace = _trace(options, masked if run == "B" else Edits())
    weights = api.pair_weights(trace, 3, 2)
    lines = lines_of(options, view="overview", token=3, key=2, run=run, other=OtherOptions(edits=masked))
    drawn = "".join(lines)
    for weight in weights.ravel():
        assert f"{weight:.2f}".removeprefix("0") in drawn
    assert f"{weights.max():.4f} ate→cat" in drawn.replace(" →", "→").replace("→ ", "→").replace("  ", " ")
    plain = "".join(lines_of(options, view="overview", token=3, key=2, settings=(("shows_pair", "no"),)))
    assert "→" not in plain


def test_the_head_asked_for_is_drawn(options: RenderOptions) -> None:
    trace = _trace(options, Edits())
    for given, drawn in (((0, 1), (0, 1)), ((1, 2), (1, 2)), ((None, None), (1, 3))):
        lines = lines_of(options, layer=given[0], head=given[1])
        weights = [line[:4] for line in lines if line.count(".") == len(trace.tokens)]
        assert weights == [f"{weight:.2f}" for weight in trace.attention(*drawn)[:, 0]]


def test_the_theme_is_the_one_asked_for_and_nothing_of_a_picture_stays_behind(
    application: QApplication, options: RenderOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A timer of the state that dies when another thread collects garbage ends the process."""
    made: list[AppState] = []

    def make(engine: Engine) -> AppState:
        made.append(AppState(engine))
        return made[-1]

    monkeypatch.setattr(rendering, "AppState", make)
    application.setStyleSheet("QToolTip { padding: 3px; }")
    before = application.palette(), application.styleSheet()
    drawn = []
    for theme in ("light", "dark", "dark"):
        drawn.append(pixels(options, theme=theme))
        assert (application.palette(), application.styleSheet()) == before
    assert (drawn[0] & 255).mean() > 180 > 80 > (drawn[1] & 255).mean()
    np.testing.assert_array_equal(drawn[1], drawn[2], "the same twice")
    with pytest.raises(SelectionError):
        render(replace(options, theme="dark", layer=99))
    with pytest.raises(FileError, match="missing"):
        render(replace(options, theme="dark", out=options.out.parent / "missing" / "x.png"))
    assert (application.palette(), application.styleSheet()) == before
    assert [isValid(app_state) for app_state in made] == [False] * len(made)


Refused = tuple[dict[str, Any], type[AppError], str]
REFUSED: tuple[Refused, ...] = (
    ({"layer": 2}, SelectionError, "no layer 2"),
    ({"head": 4}, SelectionError, "no head 4"),
    ({"layer": -1}, SelectionError, "no layer -1"),
    ({"out": Path("picture.jpg")}, FileError, ".png"),
    ({"out": Path("a.gif"), "model": "nowhere"}, FileError, "a.gif"),
    ({"text": ""}, TextError, "empty"),
    ({"text": "  "}, TextError, "empty"),
    ({"pair": ""}, TextError, "empty"),
    ({"text": "a\ud800b"}, TextError, ""),
    ({"device": "cuda:9"}, DeviceError, "cuda:9"),
    ({"model": "/nowhere/at/all"}, CheckpointError, "/nowhere"),
    ({"view": "steps", "stage": "nothing"}, SelectionError, "nothing"),
    ({"view": "steps", "token": 6}, SelectionError, "6"),
    ({"view": "steps", "key": 6}, SelectionError, "6"),
    ({"view": "steps", "run": "A-B", "other": OtherOptions(text="a")}, SelectionError, "has no steps"),
    ({"view": "pooled", "run": "A-B", "other": OtherOptions(text="a")}, SelectionError, "no pooled vector"),
    (
        {"view": "overview", "run": "A-B", "other": OtherOptions(text="a")},
        SelectionError,
        "--view divergence",
    ),
    ({"other": OtherOptions(edits=Edits(((9, 9),)))}, SelectionError, "no head 9 · 9"),
    ({"other": OtherOptions(edits=Edits((), ((0, "cat"),)))}, TextError, "Token 0"),
    ({"other": OtherOptions(text="a\ud800")}, TextError, "character"),
    ({"other": OtherOptions(model="nothing")}, CheckpointError, "nothing"),
)


def test_what_cannot_be_drawn_is_refused_and_nothing_is_written(
    options: RenderOptions, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for changes, error, words in REFUSED:
        with pytest.raises(error) as raised:
            render(replace(options, **changes))
        assert words in str(raised.value)
        assert list(tmp_path.glob("*.*g*")) == []


def _no_space(*_: object) -> bool:
    raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_leaves_the_old_file(options: RenderOptions, monkeypatch: pytest.MonkeyPatch) -> None:
    for failing in ("write_bytes", "replace"):
        options.out.write_bytes(b"the old picture")
        with monkeypatch.context() as patch:
            patch.setattr(Path, failing, _no_space)
            with pytest.raises(FileError):
                render(options)
        assert options.out.read_bytes() == b"the old picture"
        assert [file.name for file in options.out.parent.iterdir() if file.is_file()] == ["picture.png"]


TEXT = "the cat was hungry"


@pytest.fixture
def other(tmp_path: Path) -> OtherOptions:
    """A run B with another text and another checkpoint: three layers of six heads instead of two of four."""
    model = random_bert(3, hidden_size=48, num_hidden_layers=3, num_attention_heads=6)
    folder = write_bert(tmp_path / "larger", model)
    return OtherOptions(model=str(folder), text=f"{TEXT} {TEXT}")


def _lines_of_b(options: RenderOptions, other: OtherOptions, run: Run, **changes: Any) -> list[str]:
    return lines_of(options, other=other, run=run, settings=(("writes_weights", "yes"),), **changes)


@pytest.mark.parametrize("run", ["A", "B"])
def test_the_pooled_vector_is_that_of_the_run(
    options: RenderOptions, other: OtherOptions, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[Floats] = []

    def show(card: Card, plot: VectorPlot, shown: Shown) -> None:
        show_vector(card, plot, shown)
        assert shown.result.trace.pooled is not None
        drawn.append(shown.result.trace.pooled)

    monkeypatch.setattr(rendering, "show_vector", show)
    lines = _lines_of_b(options, other, run, view="pooled", has_title=True)
    folder, text = (options.model, options.text) if run == "A" else (other.model, other.text)
    assert folder is not None
    assert text is not None
    expected = api.open_model(folder, "cpu").trace(text).pooled
    assert expected is not None
    assert any(line.startswith(f"{run}: {Path(folder).name}") for line in lines)
    np.testing.assert_allclose(drawn[0], expected, atol=1e-6)


def test_heads_and_tokens_that_only_run_b_has_are_drawn(options: RenderOptions, other: OtherOptions) -> None:
    assert other.model is not None
    assert other.text is not None
    trace = api.open_model(other.model, "cpu").trace(other.text)
    lines = _lines_of_b(options, other, "B", view="matrix", layer=2, head=5, token=9)
    weights = [line[:4] for line in lines if line.count(".") == trace.n_tokens]
    assert weights == [f"{weight:.2f}" for weight in trace.attention(2, 5)[:, 0]]
    assert _lines_of_b(options, other, "B", view="lines", layer=2, heads=(4, 5))
    pair = "".join(_lines_of_b(options, other, "B", view="overview", token=9, key=2))
    assert f"{api.pair_weights(trace, 9, 2).max():.4f}" in pair


@pytest.mark.parametrize("view", ["matrix", "lines"])
def test_a_difference_is_of_a_head_that_both_have(
    view: str, options: RenderOptions, other: OtherOptions
) -> None:
    """The last head of the larger run, which is shown at first, is none of the other's."""
    assert options.model is not None
    assert other.model is not None
    reversed_runs = replace(other, model=options.model), replace(options, model=other.model)
    assert "[CLS]" in "".join(_lines_of_b(reversed_runs[1], reversed_runs[0], "A-B", view=view))
    with pytest.raises(SelectionError, match="no head 5: this model has heads 0 to 3"):
        _lines_of_b(reversed_runs[1], reversed_runs[0], "A-B", view=view, layer=1, head=5)


def test_remarks_name_the_checkpoint_that_they_are_about(
    options: RenderOptions, other: OtherOptions, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert other.model is not None
    (Path(other.model) / "config.json").write_text(
        (Path(other.model) / "config.json")
        .read_text("utf-8")
        .replace("{", '{"auto_map": {"AutoModel": "own.Model"},', 1),
        "utf-8",
    )
    (remark,) = render(replace(options, other=other))
    assert remark.startswith("larger: config.json names code of its own")
    (remark,) = render(replace(options, model=other.model))
    assert remark.startswith("config.json names code of its own")
