"""Pictures by `rendering` of a run B: its own vector, heads, tokens and remarks, never those of run A."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app import api
from bertviz_app.errors import SelectionError
from bertviz_app.options import OtherOptions, RenderOptions, Run
from bertviz_app.shell.rendering import rendering
from bertviz_app.shell.rendering.rendering import render
from bertviz_app.shell.window.main_area import show_vector
from bertviz_app.types import Floats
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.views.kit.card import Card
from bertviz_app.views.vectors.heat import VectorPlot
from tests.support.checkpoints import random_bert, write_bert
from tests.support.svg_text import lines_of_text

TEXT = "the cat was hungry"


@pytest.fixture
def other(tmp_path: Path) -> OtherOptions:
    """A run B with another text and another checkpoint: three layers of six heads instead of two of four."""
    model = random_bert(3, hidden_size=48, num_hidden_layers=3, num_attention_heads=6)
    folder = write_bert(tmp_path / "larger", model)
    return OtherOptions(model=str(folder), text=f"{TEXT} {TEXT}")


def _lines(options: RenderOptions, other: OtherOptions, run: Run, **changes: Any) -> list[str]:
    out = options.out.with_suffix(".svg")
    settings = (("writes_weights", "yes"),)
    render(
        RenderOptions(
            **{**vars(options), "out": out, "other": other, "run": run, "settings": settings, **changes}
        )
    )
    return lines_of_text(out)


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
    lines = _lines(options, other, run, view="pooled", has_title=True)
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
    lines = _lines(options, other, "B", view="matrix", layer=2, head=5, token=9)
    weights = [line[:4] for line in lines if line.count(".") == trace.n_tokens]
    assert weights == [f"{weight:.2f}" for weight in trace.attention(2, 5)[:, 0]]
    assert _lines(options, other, "B", view="lines", layer=2, heads=(4, 5))
    pair = "".join(_lines(options, other, "B", view="overview", token=9, key=2))
    assert f"{api.pair_weights(trace, 9, 2).max():.4f}" in pair


@pytest.mark.parametrize("view", ["matrix", "lines"])
def test_a_difference_is_of_a_head_that_both_have(
    view: str, options: RenderOptions, other: OtherOptions
) -> None:
    """The last head of the larger run, which is shown at first, is none of the other's."""
    assert options.model is not None
    assert other.model is not None
    reversed_runs = replace(other, model=options.model), replace(options, model=other.model)
    assert "[CLS]" in "".join(_lines(reversed_runs[1], reversed_runs[0], "A-B", view=view))
    with pytest.raises(SelectionError, match="no head 5: this model has heads 0 to 3"):
        _lines(reversed_runs[1], reversed_runs[0], "A-B", view=view, layer=1, head=5)


@pytest.mark.parametrize(
    ("view", "words"), [("pooled", "has no pooled vector"), ("overview", "--view divergence")]
)
def test_what_has_no_difference_is_refused(
    view: str, words: str, options: RenderOptions, other: OtherOptions
) -> None:
    with pytest.raises(SelectionError, match=words):
        _lines(options, other, "A-B", view=view)


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
