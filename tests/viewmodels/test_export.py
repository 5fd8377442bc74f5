"""What a panel shows, written and read back, and as Python that computes it again."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.attention.overview import LayeredOverview
from bertviz_app.analysis.compare import by_position, divergence
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.measures import head_measures, head_overview
from bertviz_app.analysis.parameters import SILENT, NoParameters
from bertviz_app.analysis.picture import Axis, Picture
from bertviz_app.analysis.pure.heads import measures_of_heads
from bertviz_app.analysis.results import HeadMatrices, HeadScalars, NamedArrays, Result, TokenMatrices
from bertviz_app.api import Model, open_model
from bertviz_app.errors import FileError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import RUNS, Run
from bertviz_app.tables import table_as_csv
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.viewmodels.analyses.analyses import Analysed, pictures_of_result
from bertviz_app.viewmodels.export import (
    Numbers,
    divergence_as_python,
    head_numbers,
    inspector_as_python,
    measures_as_text,
    overview_as_python,
    overview_numbers,
    result_as_python,
    result_numbers,
    save_numbers,
    steps_as_python,
    vectors_as_python,
    weights_as_python,
)
from bertviz_app.viewmodels.panel import Content, Panel
from bertviz_app.viewmodels.state import DrawOptions
from tests.support.factories import make_trace
from tests.support.fakes import runs_of
from tests.support.families import write_family
from tests.support.scene import expect, head_picture

TEXT, PAIR = "the cat ate fishes because it was hungry", "it's the \"hungry\" cat's"


EDITS = Edits(muted=((0, 1),), replaced=((2, "fish"), (3, "[MASK]")))


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> Model:
    return open_model(str(tiny_bert), "cpu")


def _run(lines: str) -> dict[str, object]:
    found: dict[str, object] = {}
    exec(compile(lines, "copied", "exec"), found)
    return found


def _request(tiny_bert: Path, edits: Edits = EDITS) -> TraceRequest:
    return TraceRequest(str(tiny_bert), "cpu", TEXT, PAIR, edits)


PANEL = Panel(1, 1, 2, "matrix")


def head_measures_of(trace: Trace) -> HeadScalars:
    return measures_of_heads.run(Inputs(trace), NoParameters(), SILENT)


def _of_head() -> Numbers:
    return head_numbers(PANEL, (head_picture(make_trace(6), 1, 2),))


def _in_bfloat16(trace: Trace) -> Trace:
    return replace(trace, provenance=replace(trace.provenance, dtype="bfloat16"))


@pytest.mark.parametrize(
    "options",
    [
        DrawOptions(),
        DrawOptions(joins_words=True, hides_special=True, hides_punctuation=True, renormalises=True),
        DrawOptions(sentences="ab"),
    ],
)
@pytest.mark.parametrize("heads", [(), (1, 3)])
def test_lines_and_matrix(
    tiny_bert: Path, model: Model, options: DrawOptions, heads: tuple[int, ...]
) -> None:
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    panel = Panel(1, 1, 3, "lines", heads=heads)
    pictures = [head_picture(trace, 1, head, options=options) for head in panel.shown_heads]
    weights = _run(weights_as_python(panel, runs_of(_request(tiny_bert)), pictures[-1]))["weights"]
    expected = head_numbers(panel, tuple(pictures)).arrays["weights"]
    if heads:
        assert isinstance(weights, dict)
        assert list(weights) == [1, 3]
        weights = np.stack(list(weights.values()))
    assert isinstance(weights, np.ndarray)
    np.testing.assert_allclose(weights, expected, atol=1e-6)


@pytest.mark.parametrize(
    ("options", "special_tokens"),
    [
        (DrawOptions(hides_special=True), "hidden"),
        (DrawOptions(hides_special=True, renormalises=True), "removed"),
    ],
)
def test_a_comment_in_python_names_the_tokens_that_are_among_the_weights(
    tiny_bert: Path, options: DrawOptions, special_tokens: str
) -> None:
    picture = head_picture(open_model(str(tiny_bert), "cpu").trace(TEXT), 1, 3, options=options)
    runs = runs_of(_request(tiny_bert))
    for content in (Content(), Content("attention-rollout")):
        lines = weights_as_python(Panel(1, 1, 3, "lines", content=content), runs, picture)
        assert f"# special tokens {special_tokens}; each row is a query" in lines


def test_the_difference_of_two_runs(tiny_bert: Path, model: Model) -> None:
    runs = runs_of(_request(tiny_bert, Edits()), _request(tiny_bert))
    found = _run(weights_as_python(Panel(1, 1, 3, "matrix", "A-B"), runs))["weights"]
    a = model.trace(TEXT, PAIR)
    b = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    assert isinstance(found, np.ndarray)
    np.testing.assert_allclose(found, a.attention(1, 3) - b.attention(1, 3), atol=1e-6)
    apart = _run(divergence_as_python(runs))["apart"]
    np.testing.assert_array_equal(apart, divergence(a, b, by_position(len(a.tokens))))


def test_steps_have_every_stage_of_their_layer(tiny_bert: Path, model: Model) -> None:
    details = _run(steps_as_python(Panel(1, 1, 3, "steps"), runs_of(_request(tiny_bert))))["details"]
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    assert isinstance(details, LayerDetails)
    np.testing.assert_array_equal(details.output, trace.hidden[2])


def test_steps_of_content_and_position_have_their_parts(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta-v2")
    request = TraceRequest(str(tmp_path), "cpu", "The cat ate")
    trace = open_model(str(tmp_path), "cpu").trace("The cat ate")
    parts = _run(steps_as_python(Panel(1, 1, 3, "steps"), runs_of(request), trace.added))["parts"]
    assert isinstance(parts, dict)
    assert list(parts) == ["content", "content_to_position", "position_to_content"]
    np.testing.assert_allclose(sum(parts.values()), trace.scores(1, 3), atol=1e-5)


def test_overview_and_vectors(tiny_bert: Path, model: Model) -> None:
    trace = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    measures = expect(dict, _run(overview_as_python(runs_of(_request(tiny_bert))))["measures"])
    for key, values in head_measures(trace).items():
        np.testing.assert_array_equal(measures[key], values)
    np.testing.assert_array_equal(
        _run(vectors_as_python(runs_of(_request(tiny_bert))))["pooled"], trace.pooled
    )


def test_python_of_the_inspector_has_the_predictions_of_both_runs(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForPreTraining")
    model = open_model(str(tmp_path), "cpu")
    runs = runs_of(_request(tmp_path), _request(tmp_path, Edits()))
    found = _run(inspector_as_python(Panel(1, 1, 3, "matrix", "B"), runs, {"A": 3, "B": 2}))
    a = model.trace(TEXT, PAIR, muted=EDITS.muted, replaced=dict(EDITS.replaced))
    b = model.trace(TEXT, PAIR)
    assert found["predictions"] == model.predict(a, [3])
    assert found["other_predictions"] == model.predict(b, [2])
    assert isinstance(found["weights"], np.ndarray)
    np.testing.assert_array_equal(found["weights"], b.attention(1, 3))


@pytest.mark.parametrize(
    ("content", "view"),
    [
        (Content("attention-rollout", (("residual", 0.25),)), "matrix"),
        (Content("head-measures"), "grid"),
        (Content("divergence"), "grid"),
    ],
)
@pytest.mark.parametrize("run", RUNS)
def test_the_python_of_an_analysis_is_the_call_that_computes_it(
    tiny_bert: Path, model: Model, content: Content, view: str, run: Run
) -> None:
    of_a, of_b = _request(tiny_bert), _request(tiny_bert, Edits())
    a, b = (
        model.trace(TEXT, PAIR, muted=one.edits.muted, replaced=dict(one.edits.replaced))
        for one in (of_a, of_b)
    )
    panel = Panel(1, 1, 2, view, run, content=content)
    python = weights_as_python if view in ("matrix", "lines") else result_as_python
    found = _run(python(panel, runs_of(of_a, of_b)))
    given: dict[str, Any] = dict(content.parameters)
    if content.analysis == "divergence":
        expected = model.analyse("divergence", *((b, a) if run == "B" else (a, b)))
    else:
        results = [model.analyse(content.analysis, trace, **given) for trace in (a, b)]
        alignment = by_position(a.n_tokens)
        expected = results[0].minus(results[1], alignment) if run == "A-B" else results[run == "B"]
    result = found["result"]
    assert isinstance(result, Result)
    np.testing.assert_array_equal(result.arrays()["values"], expected.arrays()["values"])
    if isinstance(expected, HeadMatrices | TokenMatrices):
        matrix = expected.source(1, 2) if isinstance(expected, HeadMatrices) else expected.source(1)
        np.testing.assert_array_equal(found["weights"], matrix.rows(slice(None)))


def test_a_csv_of_a_matrix_is_the_matrix_between_its_names(tmp_path: Path) -> None:
    numbers = _of_head()
    save_numbers(numbers, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    names = ["[CLS]", "w1", "w2", "w3", "w4", "[SEP]"]
    assert rows[0] == ["weight, special tokens shown", *names]
    assert [row[0] for row in rows[1:]] == names
    read = np.array([row[1:] for row in rows[1:]], np.float64).astype(np.float32)
    np.testing.assert_array_equal(read, make_trace(6).attention(1, 2))


def test_json_has_null_where_there_is_no_number(tmp_path: Path) -> None:
    weights = np.array([[0.1, np.nan], [-np.inf, 0]], np.float32)  # -inf: a score beyond a local window
    arrays = {"weights": weights, "state": np.array(2)}
    save_numbers(Numbers({"run": "A-B"}, arrays), tmp_path / "a.json")
    read = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))
    assert read["facts"] == {"run": "A-B"}
    assert read["arrays"]["weights"][0][1] is None
    assert read["arrays"]["weights"][1] == [None, 0]
    assert np.float32(read["arrays"]["weights"][0][0]) == np.float32(0.1)
    assert read["arrays"]["state"] == 2


def test_several_heads_are_one_array_a_line_a_number(tmp_path: Path) -> None:
    trace = make_trace(4)
    numbers = head_numbers(PANEL, tuple(head_picture(trace, 1, head) for head in (0, 2)))
    assert numbers.facts["heads"] == [0, 2]
    save_numbers(numbers, tmp_path / "a.csv")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = {(array, index): value for array, index, value in csv.reader(file)}
    assert rows["weights", "1.3.2"] == f"{trace.attention(1, 2)[3, 2]:.9g}"
    assert rows["queries", "1"] == "w1"


def test_the_overview_has_every_measure(tmp_path: Path) -> None:
    overview = head_overview(make_trace(6))
    save_numbers(overview_numbers(overview), tmp_path / "a.csv")
    lines = (tmp_path / "a.csv").read_text(encoding="utf-8").splitlines()
    assert lines[1:3] == ["stamp,numbers,weight", "stamp,special_tokens,shown"]
    assert len(lines) == 3 + len(overview.measures) * 6
    assert f"entropy,1.2,{overview.measures['entropy'][1, 2]:.9g}" in lines


def test_numbers_of_an_analysis_name_it_and_a_csv_has_its_rows(tmp_path: Path) -> None:
    trace = make_trace(4)
    content = Content("head-measures")
    result = head_measures_of(trace)
    numbers = result_numbers(Analysed(content, (trace,), result, result.as_table()))
    for ending in (".csv", ".npz", ".json"):
        save_numbers(numbers, tmp_path / f"a{ending}")
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ["layer", "head", "entropy"]
    assert len(rows) == 1 + trace.n_layers * trace.n_heads
    read = np.load(tmp_path / "a.npz")
    np.testing.assert_array_equal(read["values"], result.arrays()["values"])
    facts = json.loads(str(read["facts"]))
    assert facts["analysis"] == "head-measures"
    assert facts["paper"].startswith("Clark")
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["facts"] == facts


def test_a_csv_and_the_python_of_arrays_are_those_of_the_picture_that_is_shown(
    tiny_bert: Path, model: Model, tmp_path: Path
) -> None:
    trace = model.trace(TEXT, PAIR)
    result = model.analyse("word-cosines", trace, token=1)
    (picture,) = result.pictures()
    analysed = Analysed(Content("word-cosines", (("token", 1),)), (trace,), result, result.as_table())
    save_numbers(result_numbers(analysed, picture), tmp_path / "a.csv")
    saved = (tmp_path / "a.csv").read_text(encoding="utf-8")
    assert saved == table_as_csv(picture.as_table())
    assert saved.startswith("series,state,value\n")
    panel = Panel(1, 1, 2, "picture", content=analysed.content)
    found = _run(result_as_python(panel, runs_of(_request(tiny_bert, Edits())), picture))
    assert isinstance(found["picture"], Picture)
    np.testing.assert_array_equal(found["picture"].values, picture.values)
    measures = model.analyse("head-measures", trace)
    of_heads = result_numbers(
        Analysed(Content("head-measures"), (trace,), measures, measures.as_table()), measures.pictures()[0]
    )
    assert of_heads.table is not None
    assert of_heads.table().columns == measures.as_table().columns, "a row for each head has the others too"


def test_numbers_of_an_analysis_have_the_axes_of_each_array_and_how_exact_they_are(tmp_path: Path) -> None:
    trace, axes = make_trace(2), {"a": (Axis("method", ("x", "y")),), "b": (Axis("step", ("0", "3", "5")),)}
    arrays = {name: np.zeros(len(of[0]), np.float32) for name, of in axes.items()}
    result = NamedArrays(arrays, axes, {"piece": "fish", "logit": 2.5}, identity_error=2e-6, main="a")
    numbers = result_numbers(Analysed(Content("agreement"), (trace,), result, result.as_table()))
    assert numbers.facts["identity_error"] == 2e-6
    assert numbers.facts["result"] == {"piece": "fish", "logit": 2.5}
    save_numbers(numbers, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as read:
        assert read["a method"].tolist() == ["x", "y"]
        assert read["b step"].tolist() == ["0", "3", "5"]
        assert read["axes"].tolist() == ["method"]
        assert read["tokens"].tolist() == list(trace.tokens.pieces)
        assert json.loads(str(read["parameters"]))["target"] == "sentence"
        assert read["identity_error"] == 2e-6


@pytest.mark.parametrize("heads", [(0, 2)])
def test_exported_matrices_of_an_analysis_have_their_identity_error(
    tiny_bert: Path, tmp_path: Path, heads: tuple[int, ...]
) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    result = expect(HeadMatrices, model.analyse("norm-attention", trace))
    made = pictures_of_result(result, (trace,))
    pictures = tuple(made.make(1, head, DrawOptions(), lambda: None) for head in heads)
    save_numbers(
        head_numbers(replace(PANEL, content=Content("norm-attention")), pictures), tmp_path / "a.npz"
    )
    with np.load(tmp_path / "a.npz") as read:
        facts = json.loads(str(read["facts"]))
        assert read["identity_error"] == facts["identity_error"] == result.identity_error
        assert read["axes"].tolist() == (["head", "query", "key"] if len(heads) > 1 else ["query", "key"])
        assert read["values"].ndim == len(read["axes"])
        assert read["tokens"].tolist() == list(trace.tokens.pieces)
        assert json.loads(str(read["parameters"])) == {}


def test_a_csv_of_numbers_computed_in_bfloat16_names_it(tmp_path: Path) -> None:
    of_head = _of_head()
    matrix = replace(of_head, facts=of_head.facts | {"dtype": "bfloat16"})
    save_numbers(matrix, tmp_path / "a.csv")
    corner = (tmp_path / "a.csv").read_text(encoding="utf-8").partition("[CLS]")[0]
    assert corner == '"weight, special tokens shown, computed in bfloat16",'
    difference = replace(of_head, facts=of_head.facts | {"other": {"dtype": "bfloat16"}}, stamp=None)
    save_numbers(difference, tmp_path / "b.csv")
    assert (tmp_path / "b.csv").read_text(encoding="utf-8").startswith("computed in bfloat16,[CLS]")
    vector = Numbers({"dtype": "bfloat16"}, {"pooled": np.zeros(2, np.float32)})
    save_numbers(vector, tmp_path / "c.csv")
    assert (tmp_path / "c.csv").read_text(encoding="utf-8").splitlines()[1] == "dtype,,bfloat16"


@pytest.mark.parametrize("is_long", [True])
def test_copied_measures_computed_in_bfloat16_name_it(*, is_long: bool) -> None:
    trace = make_trace(6)

    def copied(trace: Trace) -> list[str]:
        overview = head_overview(trace)
        if is_long:
            layered = LayeredOverview(trace)
            layered.sample(lambda: None)
            overview = layered.overview()
        return [line.rpartition("\t")[2] for line in measures_as_text(overview, [(0, 0)]).splitlines()]

    assert copied(_in_bfloat16(trace)) == ["dtype", "bfloat16"]
    assert copied(trace) == ["special_tokens", "shown"]


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="xlsx"):
        save_numbers(_of_head(), tmp_path / "a.xlsx")
    assert list(tmp_path.iterdir()) == []
