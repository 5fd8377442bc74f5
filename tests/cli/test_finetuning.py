"""`bertviz-app finetune` and `pretrain`: what is printed, what is written, and how they are stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.training.finetuning.settings import read_rows
from tests.cli.conftest import Run
from tests.support.published_tables import TABLES
from tests.support.reviews import write_reviews
from tests.support.tagged_texts import write_conll
from tests.support.training_texts import write_texts


@pytest.fixture
def common(tiny_bert: Path, tmp_path: Path) -> list[str]:
    """Return the arguments of a fine-tuning of a second."""
    data = write_reviews(tmp_path / "reviews.tsv")
    out = tmp_path / "out"
    arguments = ["--model", str(tiny_bert), "--data", str(data), "--out", str(out), "--device", "cpu"]
    return [*arguments, "--rate", "3e-3", "--batch", "8", "--precision", "float32"]


def test_a_classifier_is_trained(run: Run, common: list[str], tmp_path: Path) -> None:
    test = write_reviews(tmp_path / "others.tsv", 30, seed=2)
    code, out, err = run("finetune", *common, "--test", str(test), "--epochs", "12")
    lines = out.splitlines()
    assert (code, err.splitlines()) == (0, [_read_as("reviews.tsv"), _read_as("others.tsv")])
    assert lines[:3] == ["Reading the rows", "Cutting them into tokens", "Training"]
    assert lines[3].startswith("Step 0, on 30 held-out rows: ")
    assert lines[3].endswith("always the commonest label: 50.0%).")
    assert lines[4].startswith("Step 96, on 30 held-out rows: ")
    assert lines[5].split() == ["label", "given", "bad", "given", "good", "right"]
    assert [line.split()[0] for line in lines[6:8]] == ["bad", "good"]
    assert lines[8] == f"Wrote {tmp_path / 'out'}."
    model = open_model(str(tmp_path / "out"), "cpu")
    given = [model.classify(row.text).labels[0].name == row.label for row in read_rows(test).rows]
    assert lines[4].startswith(f"Step 96, on 30 held-out rows: {sum(given) / 30:.1%} ")
    assert sum(given) > 24
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert f"bertviz-app finetune {' '.join(common)} --test {test} --epochs 12\n" in card


def test_a_tagger_is_trained(run: Run, common: list[str], tmp_path: Path) -> None:
    write_conll(tmp_path / "reviews.tsv")
    code, out, err = run("finetune", *common, "--epochs", "12", "--rate", "1e-2")
    assert (code, err) == (
        0,
        "bertviz-app: reviews.tsv is read as UTF-8, CoNLL: a label for each word, in column 4 of 4, "
        "40 sentences. They mark spans by IOB2: LOC, PER.\n",
    )
    lines = out.splitlines()
    assert " words of 4 held-out sentences: " in lines[3]
    assert "; F1 of the spans: " in lines[3]
    assert lines[5].split() == ["spans", "precision", "recall", "F1", "count"]
    assert [line.split()[0] for line in lines[6:9]] == ["LOC", "PER", "all"]
    assert lines[9].startswith("label  given O")  # the confusion of labels
    assert open_model(str(tmp_path / "out"), "cpu").facts.task_heads == ("token_labels",)


def test_the_column_and_the_kind_of_labels_can_be_given(run: Run, common: list[str], tmp_path: Path) -> None:
    row = "{0}\tcat\tcat\tNOUN\tNN\t_\t0\troot\t_\t_\n2\tate\teat\tVERB\tVBD\t_\t1\tdep\t_\t_\n\n"
    (tmp_path / "reviews.tsv").write_text(row.format(1) * 6)
    code, _, err = run("finetune", *common, "--epochs", "1")
    assert code == 2
    assert err == (
        "bertviz-app: reviews.tsv is CoNLL-U: it has several columns of labels. "
        "Give --label-column as one of UPOS, XPOS, DEPREL.\n"
    )
    code, out, err = run("finetune", *common, "--epochs", "1", "--label-column", "UPOS")
    assert (code, "The 2 labels mark no spans." in err) == (0, True)
    assert "F1" not in out


def test_bad_rows_are_printed_and_the_rest_is_trained_on(run: Run, common: list[str], tmp_path: Path) -> None:
    with (tmp_path / "reviews.tsv").open("a", encoding="utf-8") as file:
        file.write("good\n")
    code, _, err = run("finetune", *common, "--epochs", "1", "--freeze-encoder", "--store", "float16")
    assert code == 0
    assert err.splitlines() == [
        _read_as("reviews.tsv"),
        "bertviz-app: reviews.tsv: 1 of 61 rows cannot be used.",
        "bertviz-app: Line 62 has 1 column instead of 2.",
    ]
    before, after = ((folder / "model.safetensors").stat().st_size for folder in _folders(common))
    assert after < 0.6 * before


def _read_as(name: str) -> str:
    columns = "label in column label, text in column text"
    return f"bertviz-app: {name} is read as UTF-8, separated by tab: {columns}."


@pytest.mark.parametrize(
    ("name", "answer", "labels"),
    [
        ("kor_hate", ["--label-column", "hate"], ["hate", "none"]),
        ("cola", ["--label-column", "2", "--text-column", "4"], ["0", "1"]),
    ],
)
def test_what_a_file_does_not_show_is_asked_for_and_can_be_given(
    run: Run, common: list[str], tmp_path: Path, name: str, answer: list[str], labels: list[str]
) -> None:
    (tmp_path / "reviews.tsv").write_text(TABLES[name], encoding="cp949")
    code, _, err = run("finetune", *common, "--epochs", "1")
    assert (code, err.count("\n")) == (2, 1)
    assert all(option in err for option in answer[::2])
    assert not (tmp_path / "out").exists()
    code, out, err = run("finetune", *common, "--epochs", "1", *answer)
    assert code == 0
    assert " is read as CP949, separated by tab: " in err
    assert [line.split()[0] for line in out.splitlines()[-3:-1]] == labels


def test_scores_are_predicted_as_numbers(run: Run, common: list[str], tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification

    test = write_reviews(tmp_path / "others.tsv", 30, seed=2)
    for path in (tmp_path / "reviews.tsv", test):
        text = path.read_text("utf-8").replace("label\t", "score\t")
        path.write_text(text.replace("good\t", "4.0\t").replace("bad\t", "0.8\t"), encoding="utf-8")
    code, out, err = run("finetune", *common, "--test", str(test), "--epochs", "16")
    assert code == 0
    assert "column score are numbers from 0.8 to 4: they are predicted as numbers (regression)." in err
    lines = out.splitlines()
    assert [line.split("  ")[0] for line in lines[-5:-1]] == [
        *("Pearson", "Spearman", "mean squared error", "always the mean"),
    ]
    pearson, _, error, mean = (float(line.split()[-1]) for line in lines[-5:-1])
    assert pearson > 0.8
    assert error < 0.5 * mean
    config = AutoModelForSequenceClassification.from_pretrained(tmp_path / "out").config
    assert (config.num_labels, config.problem_type, config.id2label) == (1, "regression", {0: "score"})
    found = open_model(str(tmp_path / "out"), "cpu").classify("cat", "it was")
    assert (found.problem, [label.name for label in found.labels]) == ("regression", ["score"])
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert f"| Pearson | {pearson:.3f} |" in card


def _folders(common: list[str]) -> tuple[Path, Path]:
    return Path(common[1]), Path(common[5])


def test_what_cannot_be_done_is_one_line(run: Run, common: list[str], tmp_path: Path) -> None:
    (tmp_path / "reviews.tsv").write_text("1\ta cat\n1\ta fish\n", encoding="utf-8")
    code, _, err = run("finetune", *common)
    assert code == 2
    assert err == (
        "bertviz-app: All rows of reviews.tsv have the label “1”. "
        "Give rows of two labels or more: there is nothing to tell apart.\n"
    )
    assert not (tmp_path / "out").exists()
    code, _, err = run("finetune", *common, "--resume")
    assert (code, err.count("\n")) == (2, 1)
    assert "There is no run in" in err


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_stopped_fine_tuning_prints_how_to_resume(run: Run, common: list[str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bertviz_app", "finetune", *common, "--epochs", "100000"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if line.startswith("Step 0"):
                process.send_signal(signal.SIGINT)
        code = process.wait()
        assert process.stderr is not None
        err = process.stderr.read()
    assert code == 130
    advice = f"The run is saved in {tmp_path / 'out'}: the same command with --resume continues it."
    assert err == f"{_read_as('reviews.tsv')}\nbertviz-app: Stopped. {advice}\n"
    assert "classes" in open_model(str(tmp_path / "out"), "cpu").facts.task_heads
    code, out, _ = run("finetune", *common, "--epochs", "1", "--resume")
    assert (code, out.splitlines()[-1]) == (0, f"Wrote {tmp_path / 'out'}.")
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "--epochs 1\n" in card  # and no --resume: the line that makes it anew


def test_a_pre_training_has_a_card_with_its_command(run: Run, tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    given = ["--corpus", *map(str, texts), "--out", str(tmp_path / "out"), "--steps", "3", "--device", "cpu"]
    given += ["--layers", "1", "--heads", "2", "--width", "16", "--vocab", "300", "--positions", "48"]
    code, out, err = run("pretrain", *given, "--length", "32", "--batch", "256")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1] == f"Wrote {tmp_path / 'out'}."
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert f"bertviz-app pretrain {' '.join(given)} --length 32 --batch 256\n" in card
