"""`bertviz-app analyse` and `bertviz-app analyses`: every analysis of the catalogue."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import CATALOGUE, find_analysis
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.reporter import parameters_of
from tests.cli.conftest import Run
from tests.support.families import write_family

TEXT, OTHER = "the [MASK] ate the fish", "the dog ate the fish"
KEYS = [analysis.key for analysis in CATALOGUE]


CHOSEN = {
    "direct-logits": {"token", "piece", "logit", "embeddings"},
    "head-ablation": {"outcome"},
    "head-ranking": {"outcome", "agreement", "flavour"},
    "similarity-heads": {"contribution", "embeddings"},
}
"""What an analysis chose or found besides its arrays, without which they cannot be read."""


@pytest.mark.parametrize("key", KEYS)
def test_it_runs_from_the_command_line_and_its_files_agree(run: Run, tmp_path: Path, key: str) -> None:
    analysis = find_analysis(key)
    second = ["--other-text", OTHER] if Needs.SECOND_RUN in analysis.needs else []
    for ending in (".npz", ".csv", ".json"):
        code, out, err = run("analyse", key, TEXT, *second, "--out", str(tmp_path / f"a{ending}"))
        assert (code, err) == (0, "")
        assert str(analysis.limits) in out
        assert analysis.paper in out
    with np.load(tmp_path / "a.npz") as arrays:
        facts = json.loads(str(arrays["facts"]))
        assert facts["analysis"] == key
        assert CHOSEN.get(key, set()) <= facts["result"].keys()
        assert json.loads(str(arrays["parameters"])) == facts["parameters"]
        assert "[CLS]" in arrays["tokens"].tolist()
        labels = [arrays[f"labels_{axis}"] for axis in arrays["axes"]]
        assert arrays["values"].shape == tuple(map(len, labels))
        error = float(arrays["identity_error"])
        assert facts["identity_error"] == (None if np.isnan(error) else error)
        assert facts.get("other", {}).get("text") == (OTHER if second else None)
        for name in (key.removeprefix("axes_") for key in arrays if key.startswith("axes_")):
            labels = [arrays[f"labels_{name}_{axis}"] for axis in arrays[f"axes_{name}"]]
            assert arrays[name].shape == tuple(map(len, labels))
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        columns, *rows = list(csv.reader(file))
    assert written["columns"] == columns
    assert len(written["rows"]) == len(rows) > 0


def test_the_numbers_of_agreement_are_printed_with_the_methods_that_they_are_of(
    run: Run, tmp_path: Path
) -> None:
    to = str(tmp_path / "a.npz")
    chosen = ("--set", "target=cosine", "--other-text", OTHER)
    code, out, _ = run("analyse", "agreement", TEXT, *chosen, "--out", to)
    assert code == 0
    assert "0.1  occlusion · saliency " in out
    with np.load(to) as arrays:
        assert json.loads(str(arrays["facts"]))["other"]["text"] == OTHER
        assert arrays["labels_deletion_method"][0] == "occlusion"
        assert arrays["labels_deletion_step"][0] == "0"


def test_all_are_listed_on_the_command_line(run: Run) -> None:
    code, out, err = run("analyses")
    assert (code, err) == (0, "")
    for analysis in CATALOGUE:
        assert f"{analysis.key}\n" in out
        assert analysis.paper in out
        assert str(analysis.limits) in out
        for parameter in parameters_of(analysis.parameters):
            assert f"--set {parameter.name}=" in out


def test_a_wrong_parameter_is_refused_before_the_model_is_opened(run: Run) -> None:
    code, _, err = run("analyse", "attention-rollout", TEXT, "--model", "nowhere", "--set", "residual=2")
    assert code == 2
    assert "“residual” cannot be “2”" in err


def test_a_mask_in_the_second_text_is_that_of_the_tokenizer(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "roberta"
    write_family(folder, "roberta")
    where = ("--model", str(folder))
    same = ("divergence", TEXT, *where, "--other-text", TEXT)
    code, _, err = run("analyse", *same, "--out", str(tmp_path / "a.json"))
    assert code == 0, err
    rows = json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"]
    assert max(row[-1] for row in rows) == 0
