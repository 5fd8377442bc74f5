"""`bertviz-app pretrain` trains, says how well, and is stopped and continued by the keys that all know."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bertviz_app import api
from bertviz_app.cli import arguments as terminal
from bertviz_app.cli import main
from bertviz_app.errors import Cancelled
from bertviz_app.training.pretraining.settings import Evaluation, PretrainingSettings
from bertviz_app.training.settings import read_record
from tests.support.training_texts import write_texts

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

    monkeypatch.setattr(terminal.Terminal, "on_stage", stop)
    texts, out = write_texts(tmp_path), tmp_path / "model"
    assert main(_arguments(texts, out, "--steps", "3")) == terminal.INTERRUPTED
    complaint = capsys.readouterr().err
    assert complaint == "bertviz-app: Stopped before the first step: there is no run to go on with.\n"
    assert out.exists()


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
    monkeypatch.setattr(terminal, "show_progress", shown.append)
    terminal.Terminal({}).bar(share, 100.0, "facts")
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


def test_a_file_that_cannot_be_read_is_refused_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(_arguments([tmp_path / "nowhere.txt"], tmp_path / "model", "--steps", "5")) == 2
    assert "nowhere.txt could not be read" in capsys.readouterr().err
