"""`bertviz-app analyse` and `bertviz-app analyses`: every analysis of the catalogue."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import CATALOGUE, find_analysis
from bertviz_app.analysis.entry import Needs
from bertviz_app.analysis.parameters import parameters_of
from tests.cli.conftest import Run

TEXT, OTHER = "the [MASK] ate the fish", "the dog ate the fish"
KEYS = [analysis.key for analysis in CATALOGUE]


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
        assert json.loads(str(arrays["parameters"])) == facts["parameters"]
        assert "[CLS]" in arrays["tokens"].tolist()
        if "values" in arrays:
            assert arrays["values"].ndim == len(arrays["axes"])
        assert ("identity_error" in arrays) == (facts["identity_error"] is not None)
    written = json.loads((tmp_path / "a.json").read_text("utf-8"))
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        columns, *rows = list(csv.reader(file))
    assert written["columns"] == columns
    assert len(written["rows"]) == len(rows) > 0


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
