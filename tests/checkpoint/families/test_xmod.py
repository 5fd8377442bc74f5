"""X-MOD's adapters: which language is read, their stops in Steps, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import Model, open_model
from bertviz_app.checkpoint.families.roberta import xmod_fields
from bertviz_app.errors import AnalysisError, CheckpointError
from bertviz_app.trace.archive import load_trace, save_trace
from bertviz_app.viewmodels.steps import stops as words
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import Stop, all_stops, stop_tensors
from tests.support.checkpoint_folders import change_config, opened
from tests.support.families import write_family

TEXT = "the cat ate the fish because it was hungry"
LANGUAGES = ["en_XX", "ko_KR", "ko"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("xmod")
    write_family(folder, "xmod")
    return open_model(str(folder), "cpu")


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_language_has_its_own_numbers(language: str, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "xmod", default_language="en_XX")
    change_config(tmp_path, default_language=language)
    model = open_model(str(tmp_path), "cpu")
    assert any(f"adapters of {language}, of 3 languages" in remark for remark in model.facts.remarks)
    trace = model.trace(TEXT)
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]
    with torch.inference_mode():
        expected = theirs(ids, lang_ids=torch.tensor([LANGUAGES.index(language)])).last_hidden_state[0]
    assert np.abs(trace.hidden[-1] - expected.numpy()).max() < 1e-5
    report = opened(tmp_path).report
    assert (report.unexpected, report.not_computed) == ((), ())


def test_a_language_that_is_left_open_is_refused_with_the_list(tmp_path: Path) -> None:
    write_family(tmp_path, "xmod")
    change_config(tmp_path, default_language=None)
    with pytest.raises(CheckpointError, match="3 languages") as caught:
        opened(tmp_path)
    assert "default_language" in caught.value.hint
    assert all(language in caught.value.hint for language in LANGUAGES)
    change_config(tmp_path, default_language="fr_XX")
    with pytest.raises(CheckpointError, match="fr_XX"):
        opened(tmp_path)
    change_config(tmp_path, default_language=caught.value.hint.split(": ")[1].split(", ")[1])
    assert opened(tmp_path).facts.family == "X-MOD"


def test_the_only_language_need_not_be_named(tmp_path: Path) -> None:
    write_family(tmp_path, "xmod", languages=["ko_KR"], default_language="ko_KR")
    change_config(tmp_path, default_language=None)
    assert "ko_KR" in " ".join(opened(tmp_path).facts.remarks)


@pytest.mark.parametrize(
    "settings",
    [
        {"adapter_reduction_factor": 0},
        {"adapter_reduction_factor": True},
        {"adapter_reduction_factor": 33},
        {"adapter_layer_norm": 1},
        {"adapter_reuse_layer_norm": "yes"},
        {"ln_before_adapter": None},
        {"pre_norm": 0},
    ],
)
def test_what_makes_no_sense_is_refused(settings: dict[str, object]) -> None:
    with pytest.raises(CheckpointError, match=next(iter(settings))) as caught:
        xmod_fields(settings, {"width": 32})
    assert caught.value.hint


@pytest.mark.parametrize("languages", [[], "en_XX", 3])
def test_languages_that_are_no_list_are_refused(languages: object, tmp_path: Path) -> None:
    write_family(tmp_path, "xmod")
    change_config(tmp_path, languages=languages)
    with pytest.raises(CheckpointError, match="languages"):
        opened(tmp_path)


FORMS: list[tuple[dict[str, Any], list[str], str]] = [
    ({}, ["adapter_norm", "adapted", "adapter_sum", "output"], "adapter_norm"),
    ({"ln_before_adapter": False}, ["adapter_norm", "adapted", "adapter_sum", "output"], "output_sum"),
    ({"adapter_reuse_layer_norm": False, "pre_norm": True}, ["adapted", "adapter_sum"], "output_sum"),
]


@pytest.mark.parametrize(("sizes", "expected", "added"), FORMS)
def test_steps_have_the_adapter(
    sizes: dict[str, Any], expected: list[str], added: str, tmp_path: Path
) -> None:
    write_family(tmp_path, "xmod", **sizes)
    model = open_model(str(tmp_path), "cpu")
    trace = model.trace(TEXT)
    stages = [stop.stage for stop in all_stops(Architecture.of(trace)) if stop.section == 1]
    assert stages[stages.index("output_sum") + 1 :] == expected
    details = model.details(trace, 1)
    assert details.adapted is not None
    assert details.adapter_sum is not None
    total = details.adapted + getattr(details, added)
    np.testing.assert_allclose(details.adapter_sum, total, atol=1e-6)
    assert np.abs(details.output - trace.hidden[2]).max() < 1e-5
    shown = stop_tensors(trace, Stop(1, "adapter_sum"), 0, 2, details, None)
    tensor = shown.tensor()
    assert tensor is not None
    assert np.array_equal(tensor, details.adapter_sum)
    letter = "n''_i" if added == "adapter_norm" else "r'_i"
    assert words.formulas(shown)[0] == f"r''_i = {letter} + d_i"


def test_analyses_of_whole_layers_refuse_by_name(model: Model) -> None:
    with pytest.raises(AnalysisError, match="adapters of a language"):
        model.analyse("decompx", model.trace(TEXT))


def test_a_saved_trace_has_the_form(model: Model, tmp_path: Path) -> None:
    trace = model.trace(TEXT)
    save_trace(trace, tmp_path / "trace.npz")
    assert load_trace(tmp_path / "trace.npz").form == trace.form
