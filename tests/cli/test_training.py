"""Commands that train: pre-training and fine-tuning."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from functools import wraps
from pathlib import Path

import pyarrow as pa
import pytest

from bertviz_app import api
from bertviz_app.api import open_model
from bertviz_app.cli import main, training
from bertviz_app.cli.terminal import INTERRUPTED
from bertviz_app.errors import AppError, Cancelled
from bertviz_app.features.training.finetuning.settings import read_rows
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings
from bertviz_app.features.training.settings import read_documents, read_record
from bertviz_app.text_tables.table import TableError
from tests.cli.conftest import Run
from tests.support.published_tables import TABLES
from tests.support.training_texts import write_conll, write_reviews, write_texts

SIZES = ("--layers", "1", "--heads", "2", "--width", "16", "--vocab", "300", "--positions", "48")
COURSE = ("--length", "32", "--batch", "256", "--precision", "float32")


def _arguments(texts: list[Path], out: Path, *more: str) -> list[str]:
    return ["pretrain", "--corpus", *map(str, texts), "--out", str(out), *SIZES, *COURSE, *more]


def test_it_trains_and_prints_its_stages_and_evaluations(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    texts, out = write_texts(tmp_path), tmp_path / "model"
    assert main(_arguments(texts, out, "--steps", "3")) == 0
    printed = capsys.readouterr()
    assert "Making the vocabulary" in printed.out
    assert "Step 3, on held-out text: " in printed.out
    assert f"Wrote {out}." in printed.out
    assert printed.err == ""  # no bar where there is no terminal
    assert main(["trace", "The cat ate.", "--model", str(out)]) == 0
    assert "1 layers x 2 heads" in capsys.readouterr().out


def test_it_begins_with_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, first, second = write_texts(tmp_path), tmp_path / "first", tmp_path / "second"
    assert main(_arguments(texts, first, "--steps", "3")) == 0
    command = ["pretrain", "--corpus", *map(str, texts), "--out", str(second), *COURSE, "--steps", "2"]
    capsys.readouterr()
    assert main([*command, "--model", str(first)]) == 0
    assert "Making the vocabulary" not in capsys.readouterr().out
    assert (second / "vocab.txt").read_bytes() == (first / "vocab.txt").read_bytes()
    assert "began with the weights of first" in (second / "README.md").read_text("utf-8")
    assert main([*command[:-4], "--model", str(tmp_path / "none"), "--steps", "2"]) == 2


def test_a_constant_rate_falls_over_the_share_that_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[PretrainingSettings] = []

    @wraps(api.pretrain)  # its parameters are the options
    def train(
        files: object, out: Path, settings: PretrainingSettings, *_: object, **__: object
    ) -> Evaluation:
        given.append(settings)
        return Evaluation(1, 1, 1.0, 0.5, 1.0, 0.5, 0.1)

    monkeypatch.setattr(api, "pretrain", train)
    more = ("--schedule", "constant", "--steps", "8")
    assert main(_arguments(write_texts(tmp_path), tmp_path / "model", *more)) == 0
    assert main(_arguments(write_texts(tmp_path), tmp_path / "model", *more, "--cool-down", "0.5")) == 0
    assert [settings.cool_down for settings in given] == [0.1, 0.5]


def test_ctrl_c_keeps_the_run_and_resume_goes_on(tmp_path: Path) -> None:
    texts, out = write_texts(tmp_path), tmp_path / "model"
    command = [sys.executable, "-m", "bertviz_app", *_arguments(texts, out, "--steps", "100000")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ}) as run:
        assert run.stdout is not None
        while b"Step 0" not in run.stdout.readline():
            pass
        run.send_signal(signal.SIGINT)
        _, complaint = run.communicate(timeout=300)
    assert run.returncode == 130
    assert complaint.decode().count("\n") == 1
    assert "--resume continues it" in complaint.decode()
    done = [line["step"] for line in read_record(out) if line["kind"] == "step"]
    assert main(_arguments(texts, out, "--resume", "--steps", str(len(done) + 2))) == 0
    assert [line["step"] for line in read_record(out) if line["kind"] == "step"] == list(
        range(1, len(done) + 3)
    )


def test_one_that_is_stopped_before_its_first_step_has_nothing_to_resume(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stop(self: object, stage: str) -> None:
        if stage == "training":
            raise Cancelled

    monkeypatch.setattr(training.Terminal, "on_stage", stop)
    texts, out = write_texts(tmp_path), tmp_path / "model"
    assert main(_arguments(texts, out, "--steps", "3")) == INTERRUPTED
    complaint = capsys.readouterr().err
    assert complaint == "bertviz-app: Stopped before the first step: there is no run to go on with.\n"
    assert out.exists()


def test_a_classifier_begins_with_the_bundled_model_unless_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @wraps(api.finetune)
    def train(ref: str | None, *_: object, **named: object) -> None:
        raise AppError(f"It begins with {ref}.")

    monkeypatch.setattr(api, "finetune", train)
    command = ["finetune", "--data", str(tmp_path / "rows.tsv"), "--out", str(tmp_path / "model")]
    assert main(command) == main([*command, "--model", "tiny"]) == 2
    assert capsys.readouterr().err == (
        "bertviz-app: It begins with None.\nbertviz-app: It begins with tiny.\n"
    )


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (("--steps", "0"), "when the run ends"),
        (("--minutes", "never"), "no number of minutes"),
        (("--steps", "5", "--heads", "3"), "cannot be shared"),
        (("--steps", "5", "--resume"), "no run"),
        (("--steps", "5", "--device", "abacus"), "no device"),
        (("--steps", "5", "--rate", "-1"), "rate"),
        (("--steps", "5", "--single", "2"), "no share"),
        (("--steps", "5", "--cool-down", "0"), "rate falls is 0"),
        (("--steps", "5", "--open", "some"), "no number"),
        (("--steps", "5", "--model", "nowhere/to-be-found"), "sizes are those of the model"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], more: tuple[str, ...], message: str
) -> None:
    assert main(_arguments(write_texts(tmp_path), tmp_path / "model", *more)) == 2
    complaint = capsys.readouterr().err
    assert message in complaint
    assert complaint.count("\n") == 1


@pytest.mark.parametrize(("share", "left"), [(0.0, ""), (0.5, "1:40 left")])
def test_the_time_left_is_shown_where_the_end_is_known(
    monkeypatch: pytest.MonkeyPatch, share: float, left: str
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(training, "show_progress", shown.append)
    training.Terminal({}).bar(share, 100.0, "facts")
    assert shown[-1].endswith(f"facts  {left}".rstrip())


def test_an_open_end_is_set_by_resume(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    texts, out = write_texts(tmp_path), tmp_path / "model"
    recipe = ("--schedule", "constant", "--single", "0.2", "--open", "0.5", "--positions-start", "sinusoids")
    growth = ("--part", "64", "--batch-growth", "64", "1000", "--long-from", "0.8")
    assert main(_arguments(texts, out, *recipe, *growth, "--tokens", "900")) == 0
    assert main(_arguments(texts, out, *recipe, *growth, "--tokens", "2000", "--resume")) == 0
    steps = [line for line in read_record(out) if line["kind"] == "step"]
    counts = [line["n_tokens"] for line in steps if isinstance(line["n_tokens"], int)]
    assert counts[-2] < 2000 <= counts[-1]
    card = (out / "README.md").read_text("utf-8")
    assert "64, growing to 256 over the first 1,000 tokens" in card
    assert "falls to 0 in the last 10% of the run" in card
    assert "| examples that are one text instead of a pair | 20% |" in card
    assert capsys.readouterr().err == ""


def test_a_column_of_a_table_is_trained_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    documents = [document for path in write_texts(tmp_path) for document in read_documents(path)]
    wiki, out = tmp_path / "wiki", tmp_path / "model"
    wiki.mkdir()
    table = pa.table({"title": documents, "text": documents})
    with pa.ipc.new_stream(str(wiki / "data.arrow"), table.schema) as stream:
        stream.write_table(table)
    (wiki / "state.json").write_text('{"_data_files": [{"filename": "data.arrow"}]}')
    (wiki / "dataset_info.json").write_text("{}")
    assert main(_arguments([wiki], out, "--steps", "2")) == 2
    assert "several columns may be the text: title, text. Give --column; " in capsys.readouterr().err
    assert main(_arguments([wiki], out, "--steps", "2", "--column", "text")) == 0
    assert capsys.readouterr().err == "bertviz-app: wiki is read as Arrow: column text.\n"
    size = f"{(wiki / 'data.arrow').stat().st_size / 1e6:.1f} MB"
    assert f"| wiki | {size} | {len(documents):,} |" in (out / "README.md").read_text("utf-8")
    kept = sorted(out.glob("run/*.npz"))
    with pytest.raises(TableError) as raised:
        api.pretrain(wiki, tmp_path / "other", PretrainingSettings(steps=1))
    assert raised.value.hint == "Give settings=PretrainingSettings(column=…); the columns: title, text"
    with (wiki / "data.arrow").open("ab") as file:
        file.write(bytes(8))  # beyond the end of the stream: the folder is as it was, its file is not
    assert main(_arguments([wiki], out, "--steps", "3", "--column", "text", "--resume")) == 0
    assert len(sorted(out.glob("run/*.npz"))) == len(kept) + 1, "the tokens are made again"


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
