"""Figures from Python and of analyses: every label at a given width, the same numbers, what is refused."""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from pypdf import PdfReader
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication
from shiboken6 import Shiboken, isValid

from bertviz_app import api
from bertviz_app.analysis.catalogue import CATALOGUE, find_analysis
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.picture import Axis, Picture, Quantity, counted
from bertviz_app.analysis.results import HeadScalars, NamedArrays, Result
from bertviz_app.errors import AppError, FigureError, FileError, SelectionError
from bertviz_app.features.rendering.rendering import render
from bertviz_app.figures import _AT, _OF_CHOICE, Figure, FigureSettings, pixels_of
from bertviz_app.options import OtherOptions, PictureSize, RenderOptions
from bertviz_app.text.edits import Edits
from bertviz_app.trace import Trace
from tests.support.scene import lines_of_text

TEXT = "The keys to the old cabinet are lost because nobody labelled them"
OTHER = "The keys to the new cabinet are lost because nobody labelled them"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def model() -> api.Model:
    return api.open_model(device="cpu")


@pytest.fixture(scope="module")
def trace(model: api.Model) -> Trace:
    return model.trace(TEXT)


def _texts(figure: Figure, tmp_path: Path, width: str) -> list[str]:
    return _texts_of(figure.save(tmp_path / "a.svg", width=width))


def _texts_of(path: Path) -> list[str]:
    return ["".join(text.itertext()).strip() for text in ElementTree.parse(path).iter(f"{SVG}text")]


def _centimetres(path: Path) -> tuple[float, float]:
    box = PdfReader(path).pages[0].mediabox
    return float(box.width) / 72 * 2.54, float(box.height) / 72 * 2.54


# widths


@pytest.mark.parametrize(
    ("given", "centimetres"),
    [
        ("7.7cm", 7.7),
        ("77mm", 7.7),
        (" 5.5 in ", 13.97),
        ("72pt", 2.54),
        ("96px", 2.54),
        ("ACL", 7.7),
        ("acl-wide", 16.0),
        ("neurips", 13.97),
        ("nature", 8.9),
        ("nature-wide", 18.3),
    ],
)
def test_a_length_has_a_unit_or_is_that_of_a_column(given: str, centimetres: float) -> None:
    assert pixels_of(given) / 96 * 2.54 == pytest.approx(centimetres)


@pytest.mark.parametrize(
    "wrong", ["abc", "", "12", "0cm", "-3cm", "1mm", "9km", "1e3cm", "300cm", "7,7cm", "cm"]
)
def test_a_length_that_is_none_is_refused_with_one_sentence_and_a_way_out(wrong: str) -> None:
    with pytest.raises(FigureError, match=r"no length.*(acl|2 cm)") as caught:
        pixels_of(wrong)
    assert str(caught.value).count(".") <= 5


@pytest.mark.parametrize(
    ("view", "width"), [("matrix", "acl"), ("lines", "nature"), ("overview", "16cm"), ("pooled", "acl")]
)
def test_a_figure_is_as_wide_as_asked(
    qapp: QApplication, trace: Trace, tmp_path: Path, view: str, width: str
) -> None:
    path = trace.figure(view).save(tmp_path / "a.pdf", width=width)
    expected = pixels_of(width) / 96 * 2.54
    assert _centimetres(path)[0] == pytest.approx(expected, abs=0.02)  # a page has whole points
    svg = ElementTree.parse(trace.figure(view).save(tmp_path / "a.svg", width=width)).getroot()
    assert float(svg.attrib["width"].removesuffix("mm")) == pytest.approx(10 * expected, abs=0.01)
    image = QImage.fromData(trace.figure(view).png(dpi=150, width=width))
    assert image.width() == pytest.approx(expected / 2.54 * 150, abs=1.5)
    assert image.dotsPerMeterX() == round(150 / 0.0254)


def test_the_height_is_the_most_and_a_grid_is_narrower_there_without_a_white_side(
    qapp: QApplication, trace: Trace, tmp_path: Path
) -> None:
    whole = _centimetres(trace.figure("overview").save(tmp_path / "a.pdf", width="16cm"))
    low = _centimetres(trace.figure("overview").save(tmp_path / "b.pdf", width="16cm", height="6cm"))
    assert whole[1] > 6
    assert low[1] <= 6.03
    assert low[0] < 14
    image = QImage.fromData(trace.figure("overview").png(dpi=96, width="16cm", height="6cm"))
    words = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(words.constBits(), np.uint32).reshape(image.height(), -1)
    drawn = np.flatnonzero((pixels & 0xFFFFFF != 0xFFFFFF).any(0))
    assert image.width() - drawn.max() < 0.05 * image.width()


# labels


@pytest.mark.parametrize("width", ["acl", "16cm"])
def test_a_matrix_has_square_cells_and_names_every_token_with_letters_of_six_points_or_more(
    qapp: QApplication, trace: Trace, tmp_path: Path, width: str
) -> None:
    texts = _texts(trace.figure("matrix", layer=1, head=4), tmp_path, width)
    for label in set(trace.tokens.labels):
        assert texts.count(label) == 2 * trace.tokens.labels.count(label), label
    written = (tmp_path / "a.svg").read_text("utf-8")
    root = ElementTree.fromstring(written)
    millimetres = float(root.attrib["width"].removesuffix("mm"))
    scale = millimetres / float(root.attrib["viewBox"].split()[2]) / 25.4 * 72
    assert min(map(float, re.findall(r'font-size="([\d.]+)"', written))) * scale >= 5.99
    boxes = re.findall(r'd="M([\d.]+),([\d.]+) L([\d.]+),\2 L\3,([\d.]+)', written)
    sides = [(float(right) - float(left), float(low) - float(top)) for left, top, right, low in boxes]
    assert [side for side in sides if abs(side[0] - side[1]) < 0.6 and 5 < side[0] < 60]


def test_too_narrow_a_figure_is_refused_with_the_least_width_which_is_enough(
    qapp: QApplication, model: api.Model, tmp_path: Path
) -> None:
    figure = model.trace(f"{TEXT}, and {TEXT}").figure("matrix")
    with pytest.raises(FigureError, match="not every label has room") as caught:
        figure.save(tmp_path / "a.pdf", width="acl")
    assert not (tmp_path / "a.pdf").exists()
    assert "hides_special" in caught.value.hint
    (enough,) = re.findall(r"takes (\d+) mm", caught.value.message)
    figure.save(tmp_path / "a.pdf", width=f"{enough}mm")
    with pytest.raises(FigureError):
        figure.save(tmp_path / "a.pdf", width=f"{int(enough) - 2}mm")
    with pytest.raises(FigureError, match="too low"):
        figure.save(tmp_path / "a.pdf", width="16cm", height="3cm")


# no selection


def test_no_figure_has_a_frame_of_the_selection_or_blue_numbers(
    options: RenderOptions, tmp_path: Path, tiny_bert: Path
) -> None:
    """What is drawn of another head looks the same where the head is no part of the picture."""
    for view in ("overview", "head-measures"):
        drawn = set()
        for head in (0, 3):
            out = tmp_path / "a.svg"
            size = PictureSize(600, None, is_printed=True)
            render(replace(options, view=view, layer=0, head=head, out=out, size=size, theme="paper"))
            drawn.add(out.read_bytes())
        assert len(drawn) == 1, view


# analyses


@pytest.mark.usefixtures("plain_lenses")
@pytest.mark.parametrize("key", [*{each.result: each.key for each in CATALOGUE}.values(), "agreement"])
def test_every_kind_of_result_is_drawn_by_the_key_of_its_analysis(tmp_path: Path, key: str) -> None:
    out, analysis = tmp_path / "a.svg", find_analysis(key)
    needs_other = Needs.SECOND_RUN in analysis.needs or key == "word-cosines"
    wanted = RenderOptions(
        text="the [MASK] was lost",
        view=key,
        out=out,
        device="cpu",
        size=PictureSize(pixels_of("acl"), None, is_printed=True),
        other=OtherOptions(text="the dog was lost") if needs_other else None,
        settings=(("swaps", "was/is"),) if key == "counterfactuals" else (),
    )
    render(wanted)
    assert len(lines_of_text(out)) > 3


def test_parameters_of_an_analysis_are_settings_of_its_picture(options: RenderOptions) -> None:
    out = options.out.with_suffix(".svg")
    wanted = replace(options, view="attention-rollout", out=out, layer=1)
    drawn = []
    for settings in ((), (("residual", "0.9"),)):
        render(replace(wanted, settings=settings))
        drawn.append(out.read_bytes())
    assert drawn[0] != drawn[1]
    with pytest.raises(SelectionError, match="no picture “beauty”"):
        render(replace(options, view="head-measures", part="beauty"))
    with pytest.raises(AppError, match="residual"):
        render(replace(wanted, settings=(("residual", "2"),)))
    with pytest.raises(AppError, match="compares two runs"):
        render(replace(options, view="patching"))


# the same numbers with matplotlib


def test_axes_have_the_numbers_of_the_trace_and_of_results(
    qapp: QApplication, model: api.Model, trace: Trace
) -> None:
    from matplotlib.figure import Figure as Page

    matrix = Page().subplots()
    trace.figure("matrix", layer=1, head=4, axes=matrix)
    np.testing.assert_array_equal(matrix.images[0].get_array(), trace.attention(1, 4))
    assert [label.get_text() for label in matrix.get_yticklabels()] == list(trace.tokens.labels)
    lines = Page().subplots()
    trace.figure("lines", layer=1, head=4, axes=lines)
    (drawn,) = lines.collections
    ends = np.array([path.vertices for path in drawn.get_paths()]).astype(int)  # [lines, 2 ends, (x, y)]
    found = trace.attention(1, 4)[ends[:, 0, 1], ends[:, 1, 1]]
    widths = np.array(drawn.get_linewidth())
    np.testing.assert_allclose(widths / widths.max(), found / found.max(), rtol=1e-5)
    grid = Page().subplots()
    measures = model.analyse("head-measures", trace)
    measures.figure(part="previous", axes=grid)
    np.testing.assert_array_equal(grid.images[0].get_array(), measures.of("previous"))  # type: ignore[attr-defined]
    bars = Page().subplots()
    saliency = model.analyse("saliency", trace)
    saliency.figure(axes=bars)
    np.testing.assert_allclose(
        [bar.get_width() for bar in bars.containers[0]], saliency.arrays()["values"], rtol=1e-6
    )
    both = Page().subplots()
    compared = api.compare(trace, model.trace(OTHER))
    compared.figure("matrix", layer=1, head=4, axes=both)
    np.testing.assert_array_equal(np.asarray(both.images[0].get_array()), compared.difference(1, 4))
    overview = Page().subplots()
    trace.figure("overview", axes=overview)
    assert overview.get_xlabel() == "head"
    with pytest.raises(FigureError, match="no axes of matplotlib"):
        trace.figure(axes=[])  # type: ignore[arg-type]


def test_axes_have_the_names_and_the_ends_of_the_picture(
    qapp: QApplication, model: api.Model, trace: Trace, examples: Result
) -> None:
    from matplotlib.figure import Figure as Page

    bars = Page().subplots()
    examples.figure(part="key", layer=1, head=2, axes=bars)
    picture = next(one for one in examples.pictures() if one.key == "key").at({"layer": 1, "head": 2})
    assert picture.text is not None
    named = [label.get_text() for label in bars.get_yticklabels()]
    assert named == [text for text in picture.text.tolist() if text], "pieces, not their ranks"
    lens = Page().subplots()
    model.analyse("logit-lens", trace).figure("picture", axes=lens)
    assert lens.images[0].get_clim() == (0, 1), "full colour is a probability of 1"


@pytest.fixture(scope="module")
def examples(model: api.Model, tmp_path_factory: pytest.TempPathFactory) -> Result:
    file = tmp_path_factory.mktemp("studied") / "lines.txt"
    file.write_text(f"{TEXT}\n{OTHER}\n", "utf-8")
    found: Result = model.study("head-examples", file)
    return found


def test_the_figure_of_a_study_says_what_its_menus_have_chosen(
    qapp: QApplication, model: api.Model, examples: Result, tmp_path: Path
) -> None:
    texts = " ".join(_texts(examples.figure(part="key", layer=1, head=2, has_title=True), tmp_path, "16cm"))
    assert "Heaviest pieces as key · Layer 1 · Head 2" in texts
    assert "lines.txt" in texts
    (tmp_path / "one.txt").write_text(TEXT, "utf-8")
    measures = model.study("head-measures", tmp_path / "one.txt")
    assert "Entropy · Mean" in _texts(measures.figure(part="entropy", has_title=True), tmp_path, "16cm")
    with pytest.raises(SelectionError, match="no head 99"):
        examples.figure(layer=1, head=99)


# Steps, Vectors, Parameters, norms, differences


def _numbers(texts: list[str]) -> list[float]:
    found = [text.replace("−", "-").removeprefix("= ") for text in texts]
    return [float(text) for text in found if re.fullmatch(r"-?\d+\.\d+", text)]


def test_steps_have_the_products_of_a_query_and_a_key(
    qapp: QApplication, trace: Trace, tmp_path: Path
) -> None:
    query, key = trace.queries[1, 4, 2], trace.keys[1, 4, 5]
    figure = trace.figure("steps", layer=1, head=4, stage="scores", token=2, key=5, products=True)
    written = _numbers(_texts(figure, tmp_path, "16cm"))
    for number in (*query, *key, *(query * key), query @ key):
        assert any(abs(one - number) < 2e-3 + 1e-4 * abs(number) for one in written), number
    texts = _texts(figure, tmp_path, "16cm")
    assert not any(" of " in text or "◂" in text for text in texts), "what is there to walk through it"


def test_steps_are_as_high_as_all_of_their_rows(qapp: QApplication, model: api.Model, tmp_path: Path) -> None:
    heights = []
    for text in (TEXT, f"{TEXT}, and {TEXT}"):
        trace = model.trace(text)
        assert {*trace.tokens.labels} <= {*_texts(trace.figure("steps", layer=1, head=4), tmp_path, "acl")}
        size = ElementTree.parse(tmp_path / "a.svg").getroot().attrib["height"]
        heights.append(float(size.removesuffix("mm")))
    assert heights[1] > 1.5 * heights[0]


def test_what_a_trace_does_not_have_is_computed_by_its_model(
    qapp: QApplication, model: api.Model, trace: Trace, tmp_path: Path
) -> None:
    with pytest.raises(FigureError, match="model=model"):
        trace.figure("steps", layer=1, stage="expanded")
    assert len(_texts(trace.figure("steps", layer=1, stage="expanded", model=model), tmp_path, "16cm")) > 20
    name = "bert.encoder.layer.0.attention.self.query.weight"
    options: dict[str, Any] = {"model": model, "parameter": name, "output": 3, "token": 2}
    product = _texts(trace.figure("parameters", page="product", **options), tmp_path, "16cm")
    expected = model.linear_product(trace, "layers.0.attention.query.weight", token=2, output=3)
    sentence = "".join(product)
    assert f"{expected.computed:.4f}" in sentence.replace("−", "-")
    other = api.open_model("bert-mini-en-ko-sentiment", device="cpu")
    with pytest.raises(AppError, match="bert-mini-en-ko"):
        trace.figure("parameters", model=other)
    with pytest.raises(FigureError, match="what open_model returns, not int"):
        trace.figure("steps", model=3)


@pytest.mark.parametrize("page", ["cls", "tokens", "map", "similar"])
def test_every_page_of_the_vectors_is_drawn(
    qapp: QApplication, trace: Trace, tmp_path: Path, page: str
) -> None:
    texts = _texts(trace.figure("vectors", page=page, state=2), tmp_path, "16cm")
    assert len(texts) > 5
    if page in ("tokens", "similar"):
        assert {*trace.tokens.labels} <= {*texts}


def test_python_and_the_command_line_draw_the_same(
    qapp: QApplication, model: api.Model, tmp_path: Path
) -> None:
    """The same keys: a stage of Steps, a page of Vectors, a parameter."""
    text, size = "the dog was lost", PictureSize(pixels_of("16cm"), None, is_printed=True)
    trace = model.trace(text)
    wanted = RenderOptions(
        text=text, view="steps", out=tmp_path / "b.svg", device="cpu", size=size, theme="paper"
    )
    name = "bert.pooler.dense.weight"
    places: tuple[tuple[str, dict[str, Any]], ...] = (
        ("steps", {"layer": 1, "head": 2, "stage": "scores", "products": True, "token": 1, "key": 2}),
        ("vectors", {"layer": 1, "page": "similar", "state": 1}),
        ("parameters", {"layer": 1, "parameter": name, "page": "picture"}),
    )
    for view, at in places:
        mine = _texts(trace.figure(view, model=model, **at), tmp_path, "16cm")
        render(replace(wanted, view=view, **at))
        assert sorted(mine) == sorted(_texts_of(tmp_path / "b.svg")), view


def test_norms_are_drawn_in_the_place_of_weights(qapp: QApplication, model: api.Model, trace: Trace) -> None:
    from matplotlib.figure import Figure as Page

    axes = Page().subplots()
    trace.figure("matrix", layer=1, head=4, numbers="norm", model=model, axes=axes)
    expected = model.analyse("norm-attention", trace).arrays()["values"][1, 4]
    np.testing.assert_allclose(np.asarray(axes.images[0].get_array()), expected, rtol=1e-6)
    trace.figure("overview", numbers="norm", model=model)
    axes = Page().subplots()
    trace.figure("matrix", layer=1, numbers="residual", model=model, axes=axes)
    expected = model.analyse("norm-attention-residual", trace).arrays()["values"][1]
    np.testing.assert_allclose(np.asarray(axes.images[0].get_array()), expected, rtol=1e-6)


@pytest.mark.parametrize("key", ["head-measures", "saliency"])
def test_a_difference_of_results_names_both_of_its_runs(
    qapp: QApplication, model: api.Model, trace: Trace, tmp_path: Path, key: str
) -> None:
    other = model.trace(OTHER)
    alignment = api.compare(trace, other).alignment
    difference = model.analyse(key, trace).minus(model.analyse(key, other), alignment)
    texts = _texts(difference.figure(layer=1, has_title=True), tmp_path, "16cm")
    assert any(text.startswith("A:") and TEXT in text for text in texts)
    assert any(text.startswith("B:") and OTHER in text for text in texts)
    assert any("A − B" in text for text in texts)
    shown = difference._repr_html_()
    assert TEXT in shown
    assert OTHER in shown


# what is refused, and where


@pytest.mark.parametrize(("key", "view"), [("saliency", "bars"), ("head-measures", "grid")])
def test_the_names_that_views_had_before_draw_the_picture(
    qapp: QApplication, model: api.Model, trace: Trace, key: str, view: str
) -> None:
    result = model.analyse(key, trace)
    assert result.figure(view).svg == result.figure("picture").svg


def test_what_cannot_be_drawn_is_refused_at_the_call(
    qapp: QApplication, model: api.Model, trace: Trace, tmp_path: Path
) -> None:
    refused: dict[str, Callable[[], object]] = {
        "no figure “cube”": lambda: trace.figure("cube"),
        "no layer 99": lambda: trace.figure(layer=99),
        "no head 99": lambda: trace.figure("lines", layer=0, heads=(1, 99)),
        "no style": lambda: trace.figure(style="red"),  # type: ignore[arg-type]
        "no setting": lambda: trace.figure(beauty=1),  # type: ignore[call-arg]
        "include_layers cannot be 99": lambda: trace.figure("overview", include_layers=[99]),
        "“include_layers” is of the view": lambda: trace.figure("lines", include_layers=[0]),
        "attention weights alone; its model": lambda: trace.figure(numbers="norm"),
        "has no parameters": lambda: trace.figure("parameters"),
        "of the view “steps”": lambda: trace.figure("vectors", stage="scores"),
        "“token” is of the view": lambda: trace.figure("matrix", token=2),
        "“heads” is of the view": lambda: trace.figure("matrix", heads=[0, 1]),
        "takes “heads”": lambda: api.compare(trace, trace).figure("lines", heads=[0, 1]),
        "no page “first”": lambda: trace.figure("vectors", page="first"),
        "no stage “first_step”": lambda: trace.figure("steps", stage="first_step"),
        "no parameter “x”": lambda: trace.figure("parameters", model=model, parameter="x"),
        "has no row 4096": lambda: trace.figure(
            "parameters", model=model, parameter="bert.pooler.dense.weight", output=4096
        ),
        "no token 99": lambda: trace.figure("steps", token=99),
        "Only a figure of a trace": lambda: model.analyse("saliency", trace).figure(stage="scores"),
        "There are: picture": lambda: model.analyse("saliency", trace).figure("matrix"),
        "no picture “beauty”": lambda: model.analyse("head-measures", trace).figure(part="beauty"),
        "no picture “change”": lambda: model.analyse("saliency", trace).figure(part="change"),
        "dots to an inch": lambda: trace.figure().png(dpi=3),
        "does not say": lambda: replace(model.analyse("head-measures", trace)).figure(),  # type: ignore[type-var]
    }
    for message, call in refused.items():
        with pytest.raises((FigureError, SelectionError), match=message):
            call()
    for path, message in (
        (tmp_path / "a.gif", "cannot be written as"),
        (tmp_path / "gone" / "a.pdf", "no folder"),
    ):
        with pytest.raises(FileError, match=message):
            trace.figure().save(path)
    assert list(tmp_path.iterdir()) == []


def test_one_head_is_given_as_a_number_too(qapp: QApplication, trace: Trace, tmp_path: Path) -> None:
    both = [_texts(trace.figure("lines", layer=0, heads=heads), tmp_path, "16cm") for heads in (1, [1])]
    assert both[0] == both[1]


def test_the_bar_of_a_matrix_is_named_once(
    qapp: QApplication, model: api.Model, trace: Trace, tmp_path: Path
) -> None:
    texts = _texts(trace.figure("matrix", layer=1, head=1), tmp_path, "16cm")
    assert [text for text in texts if "weight" in text] == ["attention weight"]
    texts = _texts(model.analyse("attention-rollout", trace).figure(layer=1), tmp_path, "16cm")
    assert "share" in texts
    assert "weight" not in texts


def test_weights_are_drawn_at_the_head_that_they_show_at_first(qapp: QApplication) -> None:
    numbers = np.full((3, 4, 2, 2), 0.5, np.float32)
    chosen = api.from_arrays(numbers, ["a", "b"], layer=1, heads=[2, 3])
    assert chosen.figure().name == "Layer 1 · Head 2"
    assert chosen.figure(layer=0, head=1).name == "Layer 0 · Head 1"


def test_another_thread_is_refused_in_one_sentence(qapp: QApplication, trace: Trace) -> None:
    found: list[str] = []

    def draw() -> None:
        try:
            trace.figure()
        except FigureError as error:
            found.append(error.message)

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert found == ["Figures are drawn on the main thread alone."]


def test_figures_leave_the_application_and_its_windows_alone(qapp: QApplication, trace: Trace) -> None:
    before = qapp.styleSheet(), qapp.style().objectName(), len(qapp.topLevelWidgets())
    svg = trace.figure("overview")._repr_svg_()
    assert svg.startswith("<?xml")
    assert (qapp.styleSheet(), qapp.style().objectName()) == before[:2]
    assert len(qapp.topLevelWidgets()) <= before[2]
    assert repr(trace.figure("overview")) == "<Figure: Overview>"


def test_without_a_width_a_figure_is_as_wide_as_its_labels_need(
    qapp: QApplication, model: api.Model, trace: Trace
) -> None:
    for drawn, is_wider in ((trace, False), (model.trace(f"{TEXT}. " * 5), True)):
        root = ElementTree.fromstring(drawn.figure("matrix").svg)
        millimetres = float(root.attrib["width"].removesuffix("mm"))
        assert (millimetres > 161) == is_wider
        if not is_wider:
            assert millimetres == pytest.approx(160, abs=0.1)


def test_fonts_are_embedded(qapp: QApplication, trace: Trace) -> None:
    content = trace.figure("matrix").drawing.content(".pdf", pixels_of("acl"), None, 300)
    fonts = PdfReader(BytesIO(content)).pages[0]["/Resources"]["/Font"]
    assert fonts
    assert content.count(b"/FontFile") >= 1


SCRIPT = """
import sys
import bertviz_app
trace = bertviz_app.open_model(device="cpu").trace("A cat ate the fish")
assert not any(name.startswith(("PySide6", "matplotlib")) for name in sys.modules)
print(trace.figure("matrix").save(sys.argv[1], width="acl"))
assert "matplotlib" not in sys.modules
"""


def test_a_script_draws_without_a_display_and_loads_qt_at_the_call(tmp_path: Path) -> None:
    environment = {
        name: value
        for name, value in os.environ.items()
        if "DISPLAY" not in name and name != "QT_QPA_PLATFORM"
    }
    path = tmp_path / "a.pdf"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(path)],
        env={**environment, "DISPLAY": ":4711"},  # one that does not answer
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert _centimetres(path)[0] == pytest.approx(7.7, abs=0.02)


def _living() -> Counter[str]:
    """Return how many objects of Qt are alive, by the names of their classes."""
    found = [one for one in gc.get_objects() if isinstance(one, Shiboken.Object)]
    return Counter(type(one).__name__ for one in found if isValid(one))


def _scripts(trace: Trace, options: RenderOptions) -> dict[str, Callable[[], object]]:
    masked = OtherOptions(edits=Edits((), ((2, "[MASK]"),)))
    return {
        "figure": lambda: trace.figure("matrix").svg,
        "difference": lambda: render(replace(options, view="matrix", other=masked, run="A-B")),
        "window": lambda: render(replace(options, view="window")),
    }


@pytest.mark.parametrize("name", ["figure", "difference", "window"])
def test_what_a_script_draws_is_gone_when_it_is_drawn(
    qapp: QApplication, trace: Trace, options: RenderOptions, name: str
) -> None:
    """A worker that collects garbage would free the widgets on its own thread, which ends the process."""
    draw = _scripts(trace, options)[name]
    draw()  # what is made once stays
    gc.collect()
    before = _living()
    draw()
    assert _living() - before == Counter()


def test_an_overview_of_some_layers_and_heads(
    qapp: QApplication, model: api.Model, trace: Trace, tmp_path: Path
) -> None:
    figure = trace.figure("overview", include_layers=[5, 0], include_heads=[1, 2, 3])
    numbers = [text for text in _texts(figure, tmp_path, "acl") if text.isdecimal()]
    assert sorted(numbers) == sorted(["1", "2", "3", "0", "5", "0"]), (
        "heads, layers, and the end of the scale"
    )
    difference = api.compare(trace, model.trace("it was hungry")).figure("divergence", include_layers=[2, 4])
    shown = {text for text in _texts(difference, tmp_path, "acl") if text.isdecimal()}
    assert {"2", "4"} <= shown


def test_the_settings_that_editors_complete_are_those_that_there_are(
    qapp: QApplication, trace: Trace
) -> None:
    with pytest.raises(SelectionError) as caught:
        trace.figure("overview", beauty=1)  # type: ignore[call-arg]
    there = set(str(caught.value).rpartition(": ")[2].rstrip(".").split(", "))
    assert there < set(FigureSettings.__annotations__)
    of_views = {*_AT, *_OF_CHOICE, "heads"}
    assert there | of_views == set(FigureSettings.__annotations__)


def test_axes_have_one_of_several_pictures_and_no_texts(
    qapp: QApplication, model: api.Model, trace: Trace
) -> None:
    from matplotlib.figure import Figure as Page

    found = model.analyse("head-baselines", trace, orders=1)
    assert isinstance(found, HeadScalars)
    for part in ("entropy", "entropy_shuffled"):
        axes = Page().subplots()
        found.figure(part=part, axes=axes)
        drawn = np.asarray(axes.images[0].get_array())
        np.testing.assert_allclose(drawn, found.of(part), atol=1e-6)
    trace.figure("words", layer=1, head=4, token=2, axes=Page().subplots())
    with pytest.raises(SelectionError):
        trace.figure("words", token=900)
    values, on = np.ones((1, 2), np.float32), (counted("text", 1), Axis("word", ("a", "b")))
    texts = Picture("texts", "words", values, on, Quantity(""))
    words = NamedArrays({"values": values}, {"values": on}, drawn=(texts,))
    words.remember("expansion-rate", {}, (trace,))
    words.figure()
    with pytest.raises(FigureError, match="have no axes"):
        words.figure(axes=Page().subplots())
    arcs = replace(texts, mark="arcs", axes=(Axis("query", ("c",)), texts.axes[1]))
    axes = Page().subplots()
    lines = NamedArrays({"values": values}, {"values": on}, drawn=(arcs,))
    lines.remember("expansion-rate", {}, (trace,))
    lines.figure(axes=axes)
    assert axes.get_xlabel() == "word"


def test_rows_that_a_height_has_no_room_for_are_refused_and_not_squeezed(
    qapp: QApplication, trace: Trace
) -> None:
    values, rows = np.linspace(0, 1, 40, dtype=np.float32), (counted("place", 40),)
    bars = NamedArrays(
        {"values": values}, {"values": rows}, drawn=(Picture("bars", "bars", values, rows, Quantity("", 0)),)
    )
    bars.remember("expansion-rate", {}, (trace,))
    with pytest.raises(FigureError, match="too low for its labels"):
        bars.figure().png(width="160mm", height="60mm")
    wide = QImage.fromData(bars.figure().png(dpi=96, width="160mm"))
    assert wide.width() == pytest.approx(160 / 25.4 * 96, abs=2)
