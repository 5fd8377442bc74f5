"""A fine-tuning of a classifier of texts."""

from __future__ import annotations

import gzip
import lzma
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from bertviz_app import api
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import Cancelled, FileError, Message
from bertviz_app.features.training import loop
from bertviz_app.features.training.finetuning.labelled import (
    ClassifierNetwork,
    LabelledBatch,
    dropout,
    evaluation_batches,
    labelled,
    network_on,
    numbers_of,
    split_rows,
    training_batches,
)
from bertviz_app.features.training.finetuning.run import finetune
from bertviz_app.features.training.finetuning.settings import (
    Row,
    Rows,
    TuningSettings,
    label_names,
    label_notices,
    read_rows,
    scores_of,
)
from bertviz_app.features.training.loop import Clock, change, named, optimiser
from bertviz_app.features.training.settings import WORK, TrainingError, read_record
from bertviz_app.text import Tokenizer
from bertviz_app.text_tables.table import TableChoices
from tests.support.checkpoint_folders import opened
from tests.support.checkpoints import random_bert, write_bert
from tests.support.families import write_family
from tests.support.training_texts import TUNING, TuningFollower, base_of, of_classes, write_reviews

TEXTS = (("the cat was hungry", None), ("a fish ate it", "because it was"), ("고양이", None))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("rows") / "reviews.tsv")


@pytest.fixture(scope="module")
def held_out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_reviews(tmp_path_factory.mktemp("rows") / "others.tsv", 30, seed=2)


Whole = tuple[Path, TuningFollower]


@pytest.fixture(scope="module")
def whole(tiny_bert: Path, data: Path, held_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return a run that nobody stopped: its folder, and what it told."""
    out = tmp_path_factory.mktemp("whole") / "out"
    follower = TuningFollower()
    settings = replace(TUNING, snapshot_every=8)
    finetune(base_of(tiny_bert), data, out, settings, follower, test=held_out)
    return out, follower


def test_the_follower_receives_reports_and_evaluations(whole: Whole) -> None:
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
    whole: Whole, tiny_bert: Path, data: Path, tmp_path: Path
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


def test_transformers_and_the_program_read_it_alike(whole: Whole) -> None:
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


def test_the_evaluation_is_that_of_the_model_that_was_written(whole: Whole, held_out: Path) -> None:
    out, follower = whole
    model = api.open_model(str(out), "cpu")
    confusion = np.zeros((2, 2), int)
    for row in read_rows(held_out).rows:
        logits = model.logits(model.trace(row.text))
        assert logits.classes is not None
        confusion[logits.labels.index(row.label), int(np.argmax(logits.classes))] += 1
    assert confusion.tolist() == [list(row) for row in of_classes(follower.evaluations[-1]).confusion]


def test_snapshots_open_and_the_run_is_cleared_away(whole: Whole) -> None:
    out, follower = whole
    assert [folder.name for folder in follower.snapshots] == ["step-000008", "step-000016"]
    for folder in follower.snapshots:
        assert opened(folder).facts.task_heads == ("classes",)
    assert not (out / WORK).exists()
    assert [path.name for path in out.parent.iterdir()] == ["out"]


def test_a_stopped_run_opens_and_goes_on_as_if_it_had_not_stopped(
    whole: Whole, tiny_bert: Path, data: Path, held_out: Path, tmp_path: Path
) -> None:
    _, follower = whole
    out, base = tmp_path / "out", base_of(tiny_bert)
    with pytest.raises(Cancelled):
        finetune(base, data, out, TUNING, TuningFollower(7), test=held_out)
    assert opened(out).facts.task_heads == ("classes",)
    rest = TuningFollower()
    finetune(base, data, out, TUNING, rest, test=held_out, resume=True)
    losses = [line["loss"] for line in read_record(out) if line["kind"] == "step"]
    assert losses == pytest.approx([report.loss for report in follower.reports], abs=1e-6)
    assert [report.step for report in rest.reports] == list(range(8, 17))
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


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
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


def test_waiting_is_no_time_of_training(
    tiny_bert: Path, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, left_out = [0.0], list[float]()

    class Waiting(TuningFollower):
        def check(self) -> None:
            now[0] += 2.0

    monkeypatch.setattr("time.perf_counter", lambda: now[0])
    monkeypatch.setattr(Clock, "leave_out", lambda _, seconds: left_out.append(seconds))
    follower = Waiting()
    finetune(base_of(tiny_bert), data, tmp_path / "out", replace(TUNING, epochs=1), follower)
    assert len(left_out) > len(follower.reports)  # before every step and every held-out batch
    assert set(left_out) == {2.0}


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


NAMES = ("bad", "good", "so so")


@pytest.fixture(scope="module")
def batch(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> LabelledBatch:
    """Return rows of many lengths, pairs."""
    path = write_reviews(tmp_path_factory.mktemp("rows") / "rows.tsv", 12, has_pairs=True)
    rows = read_rows(path).rows
    return labelled(rows, numbers_of(rows, NAMES), opened(tiny_bert).tokenizer, lambda: None).batch(
        np.arange(12)
    )


def _network(folder: Path, n_outputs: int = len(NAMES)) -> ClassifierNetwork:
    return network_on(base_of(folder).encoder, TaskHeadsConfig(n_classes=n_outputs), seed=0)


@pytest.mark.parametrize("has_scores", [False, True])
def test_loss_and_gradients_are_those_of_transformers(
    tiny_bert: Path, batch: LabelledBatch, has_scores: bool
) -> None:
    from transformers import BertConfig, BertForSequenceClassification

    n_outputs = 1 if has_scores else len(NAMES)
    if has_scores:
        batch = replace(batch, labels=torch.linspace(0, 5, 12))
    network = _network(tiny_bert, n_outputs)
    config = BertConfig.from_pretrained(tiny_bert, num_labels=n_outputs)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    theirs = BertForSequenceClassification(config).train()
    theirs.load_state_dict(named(network.encoder, network.heads))
    expected = theirs(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        attention_mask=batch.seen.long(),
        labels=batch.labels,
    )
    found = network(batch)
    assert not batch.seen.all()  # there is padding to be told apart
    torch.testing.assert_close(found.logits, expected.logits, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.loss, expected.loss, atol=1e-5, rtol=0)
    torch.autograd.backward(found.loss)
    torch.autograd.backward(expected.loss)
    gradients = dict(theirs.named_parameters())
    ours = {name: number.grad for name, number in _by_their_names(network).items()}
    assert ours.keys() == gradients.keys()
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, gradients[name].grad, atol=1e-5, rtol=1e-4)


def _by_their_names(network: ClassifierNetwork) -> dict[str, Tensor]:
    theirs = named(network.encoder, network.heads)
    name_of = {number.data_ptr(): number for number in network.parameters()}
    return {name: name_of[tensor.data_ptr()] for name, tensor in theirs.items()}


def test_the_base_is_copied(tiny_bert: Path, batch: LabelledBatch) -> None:
    base = base_of(tiny_bert)
    before = {name: number.clone() for name, number in base.encoder.state_dict().items()}
    network = network_on(base.encoder, TaskHeadsConfig(n_classes=len(NAMES)), seed=0)
    assert all(torch.equal(number, before[name]) for name, number in network.encoder.state_dict().items())
    _learn(network, batch)
    assert all(torch.equal(number, before[name]) for name, number in base.encoder.state_dict().items())
    assert not torch.equal(network.encoder.embeddings.token.weight, before["embeddings.token.weight"])


def test_only_pooler_and_classifier_of_a_frozen_encoder_learn(tiny_bert: Path, batch: LabelledBatch) -> None:
    network = _network(tiny_bert)
    network.freeze_encoder()
    before = {name: number.clone() for name, number in network.named_parameters()}
    _learn(network, batch)
    changed = {name for name, number in network.named_parameters() if not torch.equal(number, before[name])}
    assert changed == {
        "encoder.pooler.dense.weight",
        "encoder.pooler.dense.bias",
        "heads.classifier.output.weight",
        "heads.classifier.output.bias",
    }


def test_a_pooler_is_made_where_there_is_none(tmp_path: Path, batch: LabelledBatch) -> None:
    write_bert(tmp_path, random_bert(has_pooler=False))
    assert base_of(tmp_path).encoder.pooler is None
    network = _network(tmp_path)
    assert network.encoder.pooler is not None
    assert network(batch).logits.shape == (12, len(NAMES))
    assert 0 < float(network.encoder.pooler.dense.weight.detach().std()) < 0.03


def test_dropout_keeps_the_mean_and_goes_by_its_seed() -> None:
    dropped_out = dropout((400, 100), 0.1, [0, 3])
    assert sorted(set(dropped_out.flatten().tolist())) == [0.0, pytest.approx(1 / 0.9)]
    assert float((dropped_out == 0).float().mean()) == pytest.approx(0.1, abs=0.01)
    assert torch.equal(dropped_out, dropout((400, 100), 0.1, [0, 3]))
    assert not torch.equal(dropped_out, dropout((400, 100), 0.1, [0, 4]))
    assert torch.equal(dropout((2, 3), 0.0, [0, 0]), torch.ones(2, 3))


def test_dropout_multiplies_the_pooled_vectors(tiny_bert: Path, batch: LabelledBatch) -> None:
    network = _network(tiny_bert)
    classifier = network.heads.classifier
    assert classifier is not None
    nothing = network(batch, torch.zeros(12, 32)).logits
    assert torch.equal(nothing, classifier.output.bias.expand(12, -1))


def _learn(network: ClassifierNetwork, batch: LabelledBatch) -> None:
    own = [number for number in network.parameters() if number.requires_grad]
    steps = optimiser(network, 1e-2, 0.01)
    torch.autograd.backward(network(batch).loss)
    change(steps, own, 1e-2, 1.0)


LABELS = ("bad", "good")
ROWS = (
    Row("bad", "the cat ate"),
    Row("good", "fish", "it was hungry"),
    Row("bad", "고양이 " * 40),
    Row("good", "the fish"),
)


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return opened(tiny_bert).tokenizer


def _nothing() -> None: ...


def test_rows_have_the_numbers_that_the_window_shows(tokenizer: Tokenizer) -> None:
    limited = tokenizer.limited(12)
    found = labelled(ROWS, numbers_of(ROWS, LABELS), limited, _nothing)
    for number, row in enumerate(ROWS):
        tokens = limited.encode(row.text, row.pair)
        own = slice(found.starts[number], found.starts[number + 1])
        assert found.ids[own].tolist() == tokens.ids.tolist()
        assert found.segment_ids[own].tolist() == tokens.segment_ids.tolist()
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert (int(found.lengths.max()), found.n_cut) == (12, 1)
    assert tokenizer.max_tokens > 12
    assert tokenizer.limited(10**6).max_tokens == tokenizer.max_tokens


def test_a_batch_is_padded_where_nothing_is_seen(tokenizer: Tokenizer) -> None:
    found = labelled(ROWS, numbers_of(ROWS, LABELS), tokenizer, _nothing)
    batch = found.batch(np.array([3, 1]))
    lengths = found.lengths[[3, 1]]
    assert batch.ids.shape == (2, lengths.max())
    assert batch.seen.sum(1).tolist() == lengths.tolist()
    assert batch.n_tokens == lengths.sum()
    assert not batch.ids[~batch.seen].any()
    assert batch.ids[0][batch.seen[0]].tolist() == tokenizer.encode("the fish").ids.tolist()
    assert batch.segment_ids[1].tolist() == tokenizer.encode("fish", "it was hungry").segment_ids.tolist()
    assert batch.labels.tolist() == [1, 1]


def test_other_rows_have_another_mark(tokenizer: Tokenizer) -> None:
    marks = {
        labelled(rows, numbers_of(rows, LABELS), tokenizer, _nothing).mark()
        for rows in (ROWS, ROWS[:3], ROWS[::-1], (Row("good", "the cat ate"), *ROWS[1:]))
    }
    assert len(marks) == 4


def test_a_share_of_each_label_is_kept() -> None:
    labels = np.array([0] * 50 + [1] * 10 + [2] * 2 + [3])
    learnt, held_out = split_rows(labels, 0.1, seed=0)
    assert sorted([*learnt, *held_out]) == list(range(len(labels)))
    assert np.bincount(labels[held_out], minlength=4).tolist() == [5, 1, 1, 0]
    assert held_out.tolist() != split_rows(labels, 0.1, seed=1)[1].tolist()


def test_labels_with_one_row_each_cannot_be_split() -> None:
    with pytest.raises(TrainingError, match="in column id has one row only"):
        split_rows(np.array([0, 1, 2]), 0.1, seed=0, column="id")


def test_a_share_of_scores_is_kept_whatever_they_are() -> None:
    scores = np.linspace(0, 5, 40, dtype=np.float32)
    learnt, held_out = split_rows(scores, 0.1, seed=0)
    assert sorted([*learnt, *held_out]) == list(range(40))
    assert len(held_out) == 4


def test_every_row_is_learnt_once_beside_rows_of_its_length() -> None:
    lengths = np.random.default_rng(0).integers(3, 100, 1_000)
    rows = np.arange(0, 1_000, 2)
    batches = training_batches(rows, lengths, 32, [0, 0])
    assert sorted(np.concatenate(batches)) == rows.tolist()
    assert sorted({len(batch) for batch in batches}) == [500 % 32, 32]
    n_padded = sum(lengths[batch].max() * len(batch) for batch in batches)
    assert n_padded < 1.1 * lengths[rows].sum()
    again, other = (training_batches(rows, lengths, 32, [0, turn]) for turn in (0, 1))
    assert all(np.array_equal(one, two) for one, two in zip(batches, again, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(batches, other, strict=True))


def test_evaluation_batches_go_from_short_to_long() -> None:
    lengths = np.array([5, 3, 9, 4, 7])
    batches = evaluation_batches(np.array([0, 2, 3, 4]), lengths, 2)
    assert [batch.tolist() for batch in batches] == [[3, 0], [4, 2]]


def _file(folder: Path, content: bytes | str, name: str = "rows.tsv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "1\ta cat\n0\ta fish\n1\t\n",
        "label\ttext\n1\ta cat\n0\ta fish",
        "\ufeffText\tLabel\r\na cat\t1\r\na fish\t0\r\n",
        "id\ttext\tlabel\tby\n7\t a cat \t1\tme\n\n8\ta fish\t0\tyou\n",
    ],
)
def test_columns_go_by_order_or_by_name(tmp_path: Path, content: str) -> None:
    rows = read_rows(_file(tmp_path, content))
    assert rows.rows == (Row("1", "a cat"), Row("0", "a fish"))
    assert not rows.has_pairs


@pytest.mark.parametrize(
    ("content", "choices"),
    [
        ("text_b\tlabel\ttext\nate\t1\ta cat\n", TableChoices()),
        ("1\ta cat\tate\n", TableChoices("1", "2", "3")),
    ],
)
def test_a_third_column_is_the_second_text(tmp_path: Path, content: str, choices: TableChoices) -> None:
    rows = read_rows(_file(tmp_path, content), choices)
    assert rows.rows == (Row("1", "a cat", "ate"),)
    assert rows.has_pairs


def test_packed_files_and_composed_letters(tmp_path: Path) -> None:
    taken_apart = "label\ttext\n1\t\u1100\u1161\n"  # one syllable as two letters
    packed = {
        "a.tsv.xz": lzma.compress(taken_apart.encode()),
        "a.tsv.gz": gzip.compress(taken_apart.encode()),
    }
    for name, content in packed.items():
        assert read_rows(_file(tmp_path, content, name)).rows == (Row("1", "가"),)


def test_bad_rows_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    bad = [b"1", b"1\t ", b"\tno label", b"1\ta\tb", b"1\t\xff", b"label\ttext", b"3"]
    path = _file(tmp_path, b"\n".join([b"label\ttext", "1\t고양이".encode(), *bad, b"0\ta fish"]))
    rows = read_rows(path)
    assert [row.label for row in rows.rows] == ["1", "0"]
    assert rows.notices == (
        "rows.tsv is read as UTF-8, separated by tab: label in column label, text in column text.",
        "rows.tsv: 7 of 9 rows cannot be used.",
        "Line 3 has 1 column instead of 2.",
        "Line 4 has no text.",
        "Line 5 has no label.",
        "Line 6 has 3 columns instead of 2.",
        "Line 7 is not UTF-8.",
        "Rows besides these that cannot be used: 2.",
    )


def test_labels_that_were_not_learnt_are_bad_rows(tmp_path: Path) -> None:
    rows = read_rows(_file(tmp_path, "label\ttext\n1\ta cat\n9\ta fish\n"), known=("0", "1"))
    assert [row.label for row in rows.rows] == ["1"]
    assert rows.notices[2] == "Line 3 has the label “9”, which is not among those learnt."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "rows.tsv is empty."),
        (" \n\n", "rows.tsv is empty."),
        ("label\ttext\n", "rows.tsv has no row to learn from."),
        ("label\ttext\n1\t\n", "rows.tsv has no row to learn from. Line 2 has no text."),
        ("some words\nand others\n", "The rows of rows.tsv have one column: no separator is found."),
        ("a\tb\tc\td\n", "rows.tsv has 4 columns, and no first line with names that are known."),
    ],
)
def test_a_file_without_rows_is_an_error(tmp_path: Path, content: str, sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_rows(_file(tmp_path, content))
    assert caught.value.message == sentence
    assert isinstance(caught.value.message, Message)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["none.tsv", "damaged.tsv.xz"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "damaged.tsv.xz").write_bytes(lzma.compress(b"1\ta cat")[:-9])
    with pytest.raises(FileError, match="could not be read"):
        read_rows(tmp_path / name)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("good", "bad", "good"), ("bad", "good")),
        (("10", "9", "-1", "9.5"), ("-1", "9", "9.5", "10")),
        (("10", "9", "none"), ("10", "9", "none")),
    ],
)
def test_labels_are_sorted_and_numbers_by_size(labels: tuple[str, ...], expected: tuple[str, ...]) -> None:
    rows = Rows("rows.tsv", tuple(Row(label, "a cat") for label in labels))
    assert label_names(rows) == expected


def _labelled(*labels: str) -> Rows:
    return Rows("rows.tsv", tuple(Row(label, "a cat") for label in labels), label_column="kind")


def test_many_and_rare_classes_are_said() -> None:
    assert label_notices(_labelled("a", "b", "a", "b")) == ()
    many, rare = label_notices(_labelled(*(f"premise {number:02}" for number in range(60)), "premise 00"))
    assert many == "rows.tsv: column kind has 60 different labels: is it the column of the labels?"
    assert "so that none of them can be held out: 59 (“premise 01”, " in rare
    assert rare.endswith("“premise 05”, …).")


@pytest.mark.parametrize(
    ("labels", "has_scores"),
    [
        (("0", "1", "2"), False),
        (("0.0", "1.0"), False),  # classes that were written as fractions
        (("3.7", "0.2", "5"), True),
        (("5.000", "3.800"), True),
        (("3.7", "good"), False),
        (("1e400", "0.5"), False),
        (("nan", "0.5"), False),
    ],
)
def test_real_numbers_are_scores(labels: tuple[str, ...], has_scores: bool) -> None:
    rows = _labelled(*labels)
    assert rows.has_scores is has_scores
    if has_scores:
        assert scores_of(rows) == [float(label) for label in labels]
        (notice,) = label_notices(rows)
        assert "predicted as numbers (regression)" in notice


def test_scores_that_are_none_are_an_error() -> None:
    with pytest.raises(TrainingError, match="“good” of rows"):
        scores_of(_labelled("3.5", "good"))
    with pytest.raises(TrainingError, match="have the label"):
        scores_of(_labelled("3.5", "3.5"))
