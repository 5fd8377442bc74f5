"""ConvBERT's convolutions beside the heads: their stop in Steps, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import Model, open_model
from bertviz_app.checkpoint.families.distant import convbert_fields
from bertviz_app.encoder.config import SpanConvolution
from bertviz_app.errors import AnalysisError, CheckpointError
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.viewmodels.steps import stops as words
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import Stop, all_stops, stop_tensors
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family

TEXT = "the cat ate the fish because it was hungry"
SIZES = {"width": 48, "n_heads": 8}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("convbert")
    write_family(folder, "convbert")
    return open_model(str(folder), "cpu")


@pytest.mark.parametrize(
    ("settings", "n_heads", "head_width", "kernel"),
    [({}, 4, 6, 9), ({"head_ratio": 4}, 2, 12, 9), ({"head_ratio": 100, "conv_kernel_size": 3}, 1, 24, 3)],
)
def test_one_head_in_a_few_is_left(
    settings: dict[str, object], n_heads: int, head_width: int, kernel: int
) -> None:
    fields = convbert_fields(settings, SIZES)
    assert (fields["n_heads"], fields["own_head_width"]) == (n_heads, head_width)
    assert fields["span_convolution"] == SpanConvolution(kernel)


@pytest.mark.parametrize(
    ("settings", "named"),
    [
        ({"head_ratio": 0}, "head_ratio"),
        ({"head_ratio": "2"}, "head_ratio"),
        ({"conv_kernel_size": 4}, "conv_kernel_size"),
        ({"conv_kernel_size": True}, "conv_kernel_size"),
        ({"head_ratio": 1}, "A width of 45"),
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, object], named: str) -> None:
    with pytest.raises(CheckpointError, match=named) as caught:
        convbert_fields(settings, {"width": 45, "n_heads": 8})
    assert caught.value.hint


def test_groups_that_the_widths_cannot_have_are_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "convbert")
    change_config(tmp_path, num_groups=5)
    with pytest.raises(CheckpointError, match="num_groups"):
        opened(tmp_path)


def test_half_of_what_the_output_reads_is_of_convolutions(model: Model) -> None:
    assert any("4 heads and as many convolutions" in remark for remark in model.facts.remarks)
    trace = model.trace(TEXT)
    assert (trace.n_heads, trace.head_width) == (4, 4)
    for layer in range(trace.n_layers):
        details = model.details(trace, layer)
        assert details.span_convolved is not None
        assert np.array_equal(details.concat[:, 16:], details.span_convolved)
        assert np.abs(details.output - trace.hidden[layer + 1]).max() < 1e-5


def test_a_muted_head_leaves_the_convolutions(model: Model) -> None:
    plain, muted = (model.details(model.trace(TEXT, muted=muted), 0) for muted in ([], [(0, 1)]))
    assert not muted.mixed[1].any()
    assert plain.span_convolved is not None
    assert muted.span_convolved is not None
    assert np.array_equal(plain.span_convolved, muted.span_convolved)
    assert np.abs(plain.output - muted.output).max() > 1e-4


def test_steps_have_a_stop_before_all_is_joined(model: Model) -> None:
    trace = model.trace(TEXT)
    stages = [stop.stage for stop in all_stops(Architecture.of(trace)) if stop.section == 1]
    assert stages[stages.index("concat") - 1] == "span_convolved"
    details = model.details(trace, 1)
    shown = stop_tensors(trace, Stop(1, "span_convolved"), 0, 2, details, None).tensor()
    assert shown is not None
    assert details.span_convolved is not None
    assert np.array_equal(shown, details.span_convolved)
    joined = stop_tensors(trace, Stop(1, "concat"), 0, 2, details, None)
    assert words.formulas(joined)[0].endswith("g_i]")
    assert words.shapes(joined).endswith(f"[{trace.n_tokens}, 32]")
    assert "span_convolved" not in [stop.stage for stop in all_stops(Architecture(3))]


def test_analyses_that_follow_values_refuse_by_name(model: Model) -> None:
    with pytest.raises(AnalysisError, match="convolutions beside"):
        model.analyse("globenc", model.trace(TEXT))


def test_a_saved_trace_has_the_form(model: Model, tmp_path: Path) -> None:
    trace = model.trace(TEXT)
    save_trace(trace, tmp_path / "trace.npz")
    assert load_trace(tmp_path / "trace.npz").form == trace.form
