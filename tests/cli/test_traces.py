"""`bertviz-app heads`: the measures of every head, printed and written."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from bertviz_app.analysis.measures import KEYS
from bertviz_app.api import open_model, pair_weights, strongest_heads
from tests.cli.conftest import Run


def test_heads_are_printed_by_layer_and_head_or_by_a_measure(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("heads", "the cat", "--model", str(tiny_bert))
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split()[:3] == ["head", "entropy", "(bits)"]
    assert [line.split()[0] for line in lines[1:]] == [f"{at // 4}.{at % 4}" for at in range(8)]
    _, out, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "largest")
    column = out.splitlines()[0].replace(" (bits)", "").replace(" (tokens)", "").split().index("max")
    largest = [float(line.split()[column]) for line in out.splitlines()[1:]]
    assert largest == sorted(largest, reverse=True)


def test_heads_writes_what_it_prints_with_every_digit(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.csv"
    code, printed, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "next", "--out", str(out))
    rows = [line.split(",") for line in out.read_text("utf-8").splitlines()]
    assert (code, len(rows)) == (0, 9)
    first = printed.splitlines()[1].split()
    assert first[0] == ".".join(rows[1][:2])
    n_measures = len(KEYS)
    assert [f"{float(value):.4f}" for value in rows[1][2:-1]] == first[1 : 1 + n_measures]
    assert rows[0][-1] == "name"
    code, _, err = run("heads", "the cat", "--out", str(tmp_path / "heads.xlsx"))
    assert (code, err.count("\n")) == (2, 1)


def test_an_unknown_measure_is_refused_with_those_there_are(run: Run) -> None:
    code, _, err = run("heads", "the cat", "--by", "spread")
    assert code == 2
    assert "“spread”" in err
    assert ", ".join(KEYS) in err


def test_a_pair_of_tokens_has_its_weight_in_every_head_largest_first(
    run: Run, tiny_bert: Path, tmp_path: Path
) -> None:
    out = tmp_path / "heads.json"
    common = ("heads", "the cat ate", "--model", str(tiny_bert))
    code, printed, err = run(*common, "--query", "3", "--key", "cat", "--out", str(out))
    assert (code, err) == (0, "")
    lines = printed.splitlines()
    trace = open_model(str(tiny_bert)).trace("the cat ate")
    weights = pair_weights(trace, 3, 2)
    assert lines[0].startswith("head  ate → cat  entropy")
    order = [(one.layer, one.head) for one in strongest_heads(weights, weights.size)]
    assert [line.split()[0] for line in lines[1 : 1 + weights.size]] == [f"{at[0]}.{at[1]}" for at in order]
    assert [line.split()[1] for line in lines[1 : 1 + weights.size]] == [f"{weights[at]:.4f}" for at in order]
    best = ", ".join(f"{at[0]}.{at[1]} ({weights[at]:.4f})" for at in order[:3])
    assert f"ate (3) → cat (2): most weight in heads {best}" in lines
    read = json.loads(out.read_text("utf-8"))
    assert (read["pair"]["query"], read["pair"]["key_token"]) == (3, "cat")
    assert [(row["layer"], row["head"]) for row in read["heads"]] == order


def test_a_measure_orders_the_heads_of_a_pair_too(run: Run, tiny_bert: Path) -> None:
    arguments = ("heads", "the cat", "--model", str(tiny_bert), "--query", "1", "--key", "2")
    _, printed, _ = run(*arguments, "--by", "next")
    _, plain, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "next")
    assert [line.split()[0] for line in printed.splitlines()[1:9]] == [
        line.split()[0] for line in plain.splitlines()[1:9]
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--query", "1"), "Give both --query and --key."),
        (("--query", "the", "--key", "0"), "Several tokens are “the”: at 1, 3."),
        (("--query", "dog", "--key", "0"), "There is no token “dog”."),
        (("--query", "the#3", "--key", "0"), "There is no token “the#3”"),
        (("--query", "9", "--key", "0"), "There is no token 9"),
    ],
)
def test_a_token_that_is_not_plain_is_refused_in_one_line(
    run: Run, tiny_bert: Path, arguments: tuple[str, ...], words: str
) -> None:
    code, printed, err = run("heads", "the cat the", "--model", str(tiny_bert), *arguments)
    assert (code, printed, err.count("\n")) == (2, "", 1)
    assert words in err


def test_a_head_that_looks_back_is_named_so_with_its_number(run: Run) -> None:
    """Head 0.1 of the bundled checkpoint looks at the token before."""
    _, printed, _ = run("heads", "A cat ate the fish because it was hungry")
    named = next(line for line in printed.splitlines() if line.startswith("0.1 "))
    assert named.endswith("previous token 1.00")


CHANGES = ["--intervene", "head:0.1=mean", "--intervene", "token:1=drop", "--reference", "it rained"]
NAMED = "token 1 drop; head 0.1 mean over “it rained”"


@pytest.mark.parametrize(
    "command", [["heads"], ["heads", "--query", "1", "--key", "0"], ["analyse", "attention-rollout"]]
)
def test_interventions_are_named_on_standard_error_and_in_each_file(
    run: Run, tiny_bert: Path, tmp_path: Path, command: list[str]
) -> None:
    for ending in (".csv", ".json"):
        out = tmp_path / f"with{ending}"
        options = ["--model", str(tiny_bert), *CHANGES, "--out", str(out)]
        code, _, err = run(*command, "the cat sat", *options)
        assert (code, err) == (0, f"bertviz-app: With interventions: {NAMED}.\n")
        written = out.read_text("utf-8")
        assert NAMED in written or all(
            one in json.loads(written)["interventions"] for one in NAMED.split("; ")
        )
    with (tmp_path / "with.csv").open(encoding="utf-8", newline="") as file:
        names, *rows = csv.reader(file)
    assert names[-1] == "interventions"
    assert {row[-1] for row in rows} == {NAMED}
    out = tmp_path / "without.csv"
    code, _, err = run(*command, "the cat sat", "--model", str(tiny_bert), "--out", str(out))
    assert (code, err) == (0, "")
    assert "interventions" not in out.read_text("utf-8")
