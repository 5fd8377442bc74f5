"""`bertviz-app parameters`: the table of parameters, printed and written."""

from __future__ import annotations

import json
from pathlib import Path

from bertviz_app.api import open_model
from tests.cli.conftest import Run


def test_parameters_are_printed_by_group_with_the_total(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("parameters", "--model", str(tiny_bert))
    table = open_model(tiny_bert).parameters()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Embeddings: ")
    assert lines[-1] == f"{table.total:,} parameters in {len(table)} matrices and vectors"
    row = next(line for line in lines if "encoder.layer.1.attention.self.key.weight" in line)
    assert row.split() == [
        *("Keys:", "weights", "W_K", "encoder.layer.1.attention.self.key.weight"),
        *("32", "x", "32", "1,024", f"{1024 / table.total:.2%}"),
    ]


def test_the_table_is_written_with_every_digit(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    csv, as_json = tmp_path / "parameters.csv", tmp_path / "parameters.json"
    for out in (csv, as_json):
        assert run("parameters", "--model", str(tiny_bert), "--out", str(out))[0] == 0
    table = open_model(tiny_bert).parameters()
    rows = csv.read_text("utf-8").splitlines()
    assert len(rows) == len(table) + 1
    found = json.loads(as_json.read_text("utf-8"))
    assert found["total"] == table.total
    counts = [row[found["columns"].index("parameters")] for row in found["rows"]]
    assert counts == [entry.n_numbers for entry in table]
    code, _, err = run("parameters", "--model", str(tiny_bert), "--out", str(tmp_path / "p.xlsx"))
    assert (code, err.count("\n")) == (2, 1)
