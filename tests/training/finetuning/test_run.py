"""A fine-tuning learns, can be stopped at any moment, and leaves a model that others read, too."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from bertviz_app import api
from bertviz_app.errors import AppError, Cancelled, FileError
from bertviz_app.training import loop
from bertviz_app.training.finetuning.run import finetune
from bertviz_app.training.finetuning.settings import TuningSettings, read_rows
from bertviz_app.training.loop import Clock
from bertviz_app.training.settings import WORK, TrainingError, read_record
from tests.support.checkpoint_folders import opened
from tests.support.families import write_family
from tests.support.reviews import TUNING, TuningFollower, base_of, of_classes, write_reviews

TEXTS = (("the cat was hungry", None), ("a fish ate it", "because it was"), ("고양이", None))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("rows") / "reviews.tsv")


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("rows") / "others.tsv", 30, seed=2)


@pytest.fixture(scope="module")
def whole(
    tiny_bert: Path, data: Path, held_out: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, TuningFollower]:
    """Return a run that nobody stopped: its folder, and what it told."""
    out = tmp_path_factory.mktemp("whole") / "out"
    follower = TuningFollower()
    settings = replace(TUNING, snapshot_every=8)
    finetune(base_of(tiny_bert), data, out, settings, follower, test=held_out)
    return out, follower


def test_the_follower_receives_reports_and_evaluations(whole: tuple[Path, TuningFollower]) -> None:
    _, follower = whole
    assert follower.stages == ["rows", "tokens", "training"]
    assert [notice.split(" is read as ")[0] for notice in follower.notices] == ["reviews.tsv", "others.tsv"]
    assert [report.step for report in follower.reports] == list(range(1, 17))  # 60 rows are 8 batches, twice
    assert [report.epoch for report in follower.reports] == [1] * 8 + [2] * 8
    assert follower.reports[-1].share == 1.0
    assert [result.step for result in follower.evaluations] == [0, 5, 10, 15, 16]
    last = of_classes(follower.evaluations[-1])
    assert (last.n_rows, last.baseline, last.labels) == (30, 0.5, ("bad", "good"))
    assert [sum(row) for row in last.confusion] == [15, 15]
    assert sum(last.confusion[label][label] for label in (0, 1)) == round(30 * last.accuracy)


def test_positions_hardly_trained_in_the_base_are_stated_of_the_classifier(
    whole: tuple[Path, TuningFollower], tiny_bert: Path, data: Path, tmp_path: Path
) -> None:
    base = replace(base_of(tiny_bert), n_trained_positions=9)
    finetune(base, data, tmp_path / "out", replace(TUNING, epochs=1), TuningFollower())
    assert opened(tmp_path / "out").facts.n_trained_positions == 9
    assert opened(whole[0]).facts.n_trained_positions is None


def test_it_learns_to_predict_the_labels(tiny_bert: Path, data: Path, held_out: Path, tmp_path: Path) -> None:
    settings = replace(TUNING, epochs=12, rate=3e-3, evaluate_every=1_000)
    follower = TuningFollower()
    last = of_classes(finetune(base_of(tiny_bert), data, tmp_path / "out", settings, follower, test=held_out))
    assert last.accuracy > 0.9 > of_classes(follower.evaluations[0]).accuracy
    assert last.loss < 0.4 < follower.evaluations[0].loss


def test_the_log_has_every_step_and_evaluation(whole: tuple[Path, TuningFollower]) -> None:
    out, follower = whole
    lines = read_record(out)
    losses = [line["loss"] for line in lines if line["kind"] == "step"]
    assert losses == [report.loss for report in follower.reports]
    assert [line["step"] for line in lines if line["kind"] == "held-out"] == [0, 5, 10, 15, 16]


def test_transformers_and_the_program_read_it_alike(whole: tuple[Path, TuningFollower]) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    out, _ = whole
    theirs = AutoModelForSequenceClassification.from_pretrained(out).eval()
    tokenizer = AutoTokenizer.from_pretrained(out)
    assert type(theirs).__name__ == "BertForSequenceClassification"
    assert theirs.config.id2label == {0: "bad", 1: "good"}
    model = api.open_model(str(out), "cpu")
    for text, pair in TEXTS:
        with torch.inference_mode():
            expected = theirs(**tokenizer(text, pair, return_tensors="pt")).logits[0].numpy()
        logits = model.logits(model.trace(text, pair)).classes
        assert logits is not None
        np.testing.assert_allclose(logits, expected, atol=1e-5)
    classes = model.classify("the cat was hungry")
    assert {label.name for label in classes.labels} == {"bad", "good"}


def test_the_evaluation_is_that_of_the_model_that_was_written(
    whole: tuple[Path, TuningFollower], held_out: Path
) -> None:
    out, follower = whole
    model = api.open_model(str(out), "cpu")
    confusion = np.zeros((2, 2), int)
    for row in read_rows(held_out).rows:
        logits = model.logits(model.trace(row.text))
        assert logits.classes is not None
        confusion[logits.labels.index(row.label), int(np.argmax(logits.classes))] += 1
    assert confusion.tolist() == [list(row) for row in of_classes(follower.evaluations[-1]).confusion]


def test_snapshots_open_and_the_run_is_cleared_away(whole: tuple[Path, TuningFollower]) -> None:
    out, follower = whole
    assert [folder.name for folder in follower.snapshots] == ["step-000008", "step-000016"]
    for folder in follower.snapshots:
        assert opened(folder).facts.task_heads == ("classes",)
    assert not (out / WORK).exists()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


@pytest.mark.parametrize("stop_after", [1, 8, 15])
def test_a_stopped_run_opens_and_goes_on_as_if_it_had_not_stopped(
    whole: tuple[Path, TuningFollower],
    tiny_bert: Path,
    data: Path,
    held_out: Path,
    tmp_path: Path,
    stop_after: int,
) -> None:
    _, follower = whole
    out, base = tmp_path / "out", base_of(tiny_bert)
    with pytest.raises(Cancelled):
        finetune(base, data, out, TUNING, TuningFollower(stop_after), test=held_out)
    assert opened(out).facts.task_heads == ("classes",)
    rest = TuningFollower()
    finetune(base, data, out, TUNING, rest, test=held_out, resume=True)
    losses = [line["loss"] for line in read_record(out) if line["kind"] == "step"]
    assert losses == pytest.approx([report.loss for report in follower.reports], abs=1e-6)
    assert [report.step for report in rest.reports] == list(range(stop_after + 1, 17))
    first, last = (of_classes(one.evaluations[-1]) for one in (follower, rest))
    assert last.confusion == first.confusion


def test_what_is_stopped_before_its_first_step_leaves_nothing(
    tiny_bert: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(Cancelled):
        finetune(base_of(tiny_bert), data, tmp_path / "out", TUNING, TuningFollower(stop_after=0))
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_finished_is_not_begun(
    tiny_bert: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise FileError("The disk is full.")

    monkeypatch.setattr(loop, "save_state", fail)
    with pytest.raises(FileError, match="The disk is full"):
        finetune(base_of(tiny_bert), data, tmp_path / "out", TUNING, TuningFollower())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("step", [1, 9])
def test_a_killed_run_opens_and_goes_on(
    whole: tuple[Path, TuningFollower],
    tiny_bert: Path,
    data: Path,
    held_out: Path,
    tmp_path: Path,
    step: int,
) -> None:
    _, follower = whole
    out, base = tmp_path / "out", base_of(tiny_bert)
    program = (
        "import os, signal\n"
        "from dataclasses import replace\n"
        "from pathlib import Path\n"
        "from bertviz_app.training.finetuning.run import finetune\n"
        "from tests.support.reviews import TUNING, TuningFollower, base_of\n"
        "class Killer(TuningFollower):\n"
        "    def on_step(self, report, network):\n"
        f"        if report.step == {step}:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        f"finetune(base_of(Path({str(tiny_bert)!r})), Path({str(data)!r}), Path({str(out)!r}),\n"
        f"    replace(TUNING, save_every=0.0), Killer(), test=Path({str(held_out)!r}))\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ}, timeout=300, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert opened(out).facts.task_heads == ("classes",)
    rest = TuningFollower()
    finetune(base, data, out, TUNING, rest, test=held_out, resume=True)
    losses = [line["loss"] for line in read_record(out) if line["kind"] == "step"]
    assert losses == pytest.approx([report.loss for report in follower.reports], abs=1e-6)
    assert rest.reports[0].step == step  # that step was not kept


def test_a_frozen_run_goes_on_and_leaves_every_head_as_it_was(
    tiny_bert: Path, data: Path, tmp_path: Path
) -> None:
    settings = replace(TUNING, freezes_encoder=True)
    out, base = tmp_path / "out", base_of(tiny_bert)
    with pytest.raises(Cancelled):
        finetune(base, data, out, settings, TuningFollower(stop_after=6))
    finetune(base, data, out, settings, TuningFollower(), resume=True)
    before, after = (api.open_model(str(folder), "cpu") for folder in (tiny_bert, out))
    one, other = (model.trace("the cat was hungry") for model in (before, after))
    np.testing.assert_array_equal(one.attention(), other.attention())
    assert one.pooled is not None
    assert other.pooled is not None
    assert np.abs(one.pooled - other.pooled).max() > 1e-3


def test_without_an_evaluation_file_a_share_of_the_rows_is_held_out(
    tiny_bert: Path, data: Path, tmp_path: Path
) -> None:
    follower = TuningFollower()
    result = of_classes(finetune(base_of(tiny_bert), data, tmp_path / "out", TUNING, follower))
    assert result == follower.evaluations[-1]
    assert [sum(row) for row in result.confusion] == [3, 3]  # a tenth of 30 each
    assert len(follower.reports) == 2 * 7  # 54 rows are 7 batches


def test_a_model_stored_in_16_bits_is_evaluated_as_stored(
    tiny_bert: Path, data: Path, held_out: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    settings = replace(TUNING, stores="float16", epochs=1)
    result = finetune(base_of(tiny_bert), data, out, settings, TuningFollower(), test=held_out)
    assert {tensor.dtype for tensor in load_file(out / "model.safetensors").values()} == {torch.float16}
    model = api.open_model(str(out), "cpu")
    losses = []
    for row in read_rows(held_out).rows:
        logits = model.logits(model.trace(row.text))
        assert logits.classes is not None
        shares = np.exp(logits.classes) / np.exp(logits.classes).sum()
        losses.append(-np.log(shares[logits.labels.index(row.label)]))
    assert result.loss == pytest.approx(float(np.mean(losses)), abs=1e-5)


def test_notices_count_bad_rows_and_long_ones(tiny_bert: Path, tmp_path: Path) -> None:
    path = write_reviews(tmp_path / "rows.tsv")
    with path.open("a", encoding="utf-8") as file:
        file.write("good\n" + "good\t" + "cat " * 50 + "\n")
    follower = TuningFollower()
    finetune(base_of(tiny_bert), path, tmp_path / "out", replace(TUNING, epochs=1), follower)
    assert follower.notices[1:] == [
        "rows.tsv: 1 of 62 rows cannot be used.",
        "Line 62 has 1 column instead of 2.",
        "rows.tsv: texts of more than 48 tokens, whose ends are not read: 1.",
    ]


def test_a_loss_that_is_no_number_ends_the_run(tiny_bert: Path, data: Path, tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="not a number any more at step") as caught:
        finetune(base_of(tiny_bert), data, tmp_path / "out", replace(TUNING, rate=1e30), TuningFollower())
    assert "rate" in caught.value.hint
    assert all(
        torch.isfinite(tensor).all() for tensor in load_file(tmp_path / "out/model.safetensors").values()
    )
    for line in (tmp_path / "out/log.jsonl").read_text("utf-8").splitlines():
        json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        (replace(TUNING, epochs=0), "The number for epochs is 0."),
        (replace(TUNING, batch=0), "The number for rows of a batch is 0."),
        (replace(TUNING, length=7), "Texts cannot be read by 7 tokens."),
        (replace(TUNING, rate=0.0), "The rate cannot be 0.0."),
        (replace(TUNING, decay=-1.0), "The weight decay is -1.0."),
        (replace(TUNING, clip=0.0), "Gradients cannot be clipped to a norm of 0.0."),
        (replace(TUNING, rate=float("nan")), "The rate cannot be nan."),
    ],
)
def test_settings_that_no_run_can_have(
    tiny_bert: Path, data: Path, tmp_path: Path, settings: TuningSettings, sentence: str
) -> None:
    with pytest.raises(TrainingError) as caught:
        finetune(base_of(tiny_bert), data, tmp_path / "out", settings, TuningFollower())
    assert caught.value.message == sentence
    assert caught.value.hint


def test_what_is_there_already_is_not_written_over(tiny_bert: Path, data: Path, tmp_path: Path) -> None:
    base, out = base_of(tiny_bert), tmp_path / "out"
    (tmp_path / "file").write_text("mine")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    for name in ("file", "full"):
        with pytest.raises(TrainingError, match="There is something at"):
            finetune(base, data, tmp_path / name, TUNING, TuningFollower())
    with pytest.raises(TrainingError, match="There is no run in"):
        finetune(base, data, out, TUNING, TuningFollower(), resume=True)
    out.mkdir()  # an empty folder may be there
    with pytest.raises(Cancelled):
        finetune(base, data, out, TUNING, TuningFollower(stop_after=2))
    with pytest.raises(TrainingError, match="There is a run in"):
        finetune(base, data, out, TUNING, TuningFollower())


def test_a_folder_with_a_place_for_the_run_is_taken_once_and_what_is_in_it_kept(
    tiny_bert: Path, data: Path, tmp_path: Path
) -> None:
    base, out, settings = base_of(tiny_bert), tmp_path / "out", replace(TUNING, epochs=1)
    (out / WORK).mkdir(parents=True)
    (out / WORK / "job.json").write_text("mine")
    finetune(base, data, out, settings, TuningFollower())
    assert [path.name for path in (out / WORK).iterdir()] == ["job.json"]
    assert opened(out).facts.task_heads == ("classes",)
    with pytest.raises(TrainingError, match="There is something at"):
        finetune(base, data, out, settings, TuningFollower())


class _Waiting(TuningFollower):
    """Is held up before every step."""

    def check(self) -> None:
        time.sleep(0.05)


def test_waiting_is_no_time_of_training(
    tiny_bert: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left_out: list[float] = []
    monkeypatch.setattr(Clock, "leave_out", lambda _, seconds: left_out.append(seconds))
    follower = _Waiting()
    finetune(base_of(tiny_bert), data, tmp_path / "out", replace(TUNING, epochs=1), follower)
    assert len(left_out) > len(follower.reports)  # before every step and every held-out batch
    assert min(left_out) >= 0.05


def test_a_run_goes_on_with_its_own_rows_and_settings_only(
    tiny_bert: Path, data: Path, held_out: Path, tmp_path: Path
) -> None:
    base, out = base_of(tiny_bert), tmp_path / "out"
    with pytest.raises(Cancelled):
        finetune(base, data, out, TUNING, TuningFollower(stop_after=2))
    for rows, settings, other in (
        (data, replace(TUNING, rate=1e-4), "rate"),
        (held_out, TUNING, "rows, rows to evaluate on"),
    ):
        with pytest.raises(TrainingError, match=f"other settings: {other}"):
            finetune(base, rows, out, settings, TuningFollower(), resume=True)
    more = TuningFollower()
    finetune(base, data, out, replace(TUNING, epochs=3), more, resume=True)
    assert more.reports[-1].step == 3 * 7


def test_models_that_are_not_built_like_bert_are_refused(data: Path, tmp_path: Path) -> None:
    for family in ("roberta", "distilbert", "albert", "mpnet", "modernbert", "squeezebert", "big_bird"):
        write_family(tmp_path / family, family)
        with pytest.raises(TrainingError, match=f"{family} is not built like BERT") as caught:
            finetune(base_of(tmp_path / family), data, tmp_path / "out", TUNING, TuningFollower())
        assert caught.value.hint


def test_pairs_need_two_segments(tmp_path: Path) -> None:
    write_family(tmp_path / "one", "bert", type_vocab_size=1)
    pairs = write_reviews(tmp_path / "pairs.tsv", has_pairs=True)
    with pytest.raises(TrainingError, match="knows a single segment"):
        finetune(base_of(tmp_path / "one"), pairs, tmp_path / "out", TUNING, TuningFollower())


def test_pairs_are_learnt(tiny_bert: Path, tmp_path: Path) -> None:
    pairs = write_reviews(tmp_path / "pairs.tsv", has_pairs=True)
    finetune(base_of(tiny_bert), pairs, tmp_path / "out", TUNING, TuningFollower())
    classes = api.open_model(str(tmp_path / "out"), "cpu").classify("the cat", "it was")
    assert classes is not None


def test_errors_have_a_way_out(tiny_bert: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("1\ta cat\n1\ta fish\n", encoding="utf-8")
    with pytest.raises(AppError, match="have the label “1”") as caught:
        finetune(base_of(tiny_bert), path, tmp_path / "out", TUNING, TuningFollower())
    assert caught.value.hint
    assert not (tmp_path / "out").exists()
