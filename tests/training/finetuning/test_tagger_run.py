"""A tagger learns words and characters, opens as BertForTokenClassification, and goes on where it stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import api
from bertviz_app.errors import Cancelled, FileError
from bertviz_app.inference.training.job import as_held_out
from bertviz_app.text_tables.table import TableChoices, TableError
from bertviz_app.text_tables.token_labels import marks_of, read_token_table, spans_of
from bertviz_app.training.finetuning.run import finetune
from bertviz_app.training.finetuning.settings import TagEvaluation, count_spans
from bertviz_app.training.settings import TrainingError, read_record
from tests.support.checkpoint_folders import opened
from tests.support.reviews import TUNING, TuningFollower, base_of
from tests.support.tagged_texts import write_conll, write_klue

LEARNING = replace(TUNING, epochs=6, rate=1e-2, evaluate_every=1_000)
SHORT = replace(TUNING, epochs=2, evaluate_every=3)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_conll(tmp_path_factory.mktemp("data") / "words.txt")


@pytest.fixture(scope="module")
def whole(
    tiny_bert: Path, words: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, TuningFollower, TagEvaluation]:
    """Return a run on words that nobody stopped: its folder, what it reported, and its last evaluation."""
    out, follower = tmp_path_factory.mktemp("whole") / "out", TuningFollower()
    test = write_conll(words.with_name("test.txt"), 20, seed=2)
    result = finetune(base_of(tiny_bert), words, out, LEARNING, follower, test=test)
    assert isinstance(result, TagEvaluation)
    return out, follower, result


def test_it_says_what_the_file_is(whole: tuple[Path, TuningFollower, TagEvaluation]) -> None:
    about = "is read as UTF-8, CoNLL: a label for each word, in column 4 of 4"
    assert whole[1].notices == [
        f"words.txt {about}, 40 sentences. They mark spans by IOB2: LOC, PER.",
        f"test.txt {about}, 20 sentences. They mark spans by IOB2: LOC, PER.",
    ]


def test_it_learns_the_labels(whole: tuple[Path, TuningFollower, TagEvaluation]) -> None:
    _, follower, result = whole
    first = follower.evaluations[0]
    assert isinstance(first, TagEvaluation)
    assert result.accuracy > 0.9 > first.accuracy
    assert result.f1 > 0.8 > first.f1
    assert result.loss < 0.5 < first.loss
    assert (result.n_rows, result.unit) == (20, "words")
    assert sum(map(sum, result.confusion)) == result.n_units
    assert result.baseline == sum(result.confusion[0]) / result.n_units  # "O", the commonest


def test_transformers_and_the_program_read_it_alike(
    whole: tuple[Path, TuningFollower, TagEvaluation],
) -> None:
    from transformers import AutoModelForTokenClassification, AutoTokenizer

    theirs, info = AutoModelForTokenClassification.from_pretrained(whole[0], output_loading_info=True)
    assert not info["unexpected_keys"]
    assert not info["missing_keys"]
    tokenizer = AutoTokenizer.from_pretrained(whole[0])
    assert type(theirs).__name__ == "BertForTokenClassification"
    assert theirs.config.id2label == {0: "O", 1: "B-LOC", 2: "B-PER", 3: "I-LOC"}
    model = api.open_model(str(whole[0]), "cpu")
    with torch.inference_mode():
        expected = theirs.eval()(**tokenizer("the cat was hungry", return_tensors="pt")).logits[0].numpy()
    found = model.logits(model.trace("the cat was hungry"))
    assert found.token_labels is not None
    np.testing.assert_allclose(found.token_labels, expected, atol=1e-5)
    assert found.labels == ("O", "B-LOC", "B-PER", "I-LOC")
    assert opened(whole[0]).facts.task_heads == ("token_labels",)


def test_the_evaluation_is_that_of_the_model_that_was_written(
    whole: tuple[Path, TuningFollower, TagEvaluation], words: Path
) -> None:
    model = api.open_model(str(whole[0]), "cpu")
    table = read_token_table(words.with_name("test.txt"))
    marks = marks_of(whole[2].labels)
    assert marks is not None
    n_right, n_all, pairs = 0, 0, []
    for sentence in table.sentences:
        logits = model.logits(trace := model.trace(" ".join(sentence.units))).token_labels
        assert logits is not None
        starts = np.cumsum([0, *(len(word) + 1 for word in sentence.units)])[:-1]
        firsts = [
            int(np.flatnonzero((trace.tokens.spans[:, 0] == at) & ~trace.tokens.is_special)[0])
            for at in starts
        ]
        predicted = [whole[2].labels[number] for number in logits[firsts].argmax(-1)]
        n_right += sum(one == other for one, other in zip(predicted, sentence.labels, strict=True))
        n_all += len(predicted)
        pairs.append(
            [spans_of([marks[label] for label in labels]) for labels in (sentence.labels, predicted)]
        )
    assert whole[2].accuracy == pytest.approx(n_right / n_all)
    assert whole[2].spans == count_spans((true, predicted) for true, predicted in pairs)


def test_the_log_can_be_read_again(whole: tuple[Path, TuningFollower, TagEvaluation]) -> None:
    found = [result for line in read_record(whole[0]) if (result := as_held_out(line)) is not None]
    assert found == whole[1].evaluations


def test_the_card_has_what_was_measured(whole: tuple[Path, TuningFollower, TagEvaluation]) -> None:
    card, result = (whole[0] / "README.md").read_text("utf-8"), whole[2]
    assert "pipeline_tag: token-classification" in card
    assert "40 sentences of words.txt" in card
    assert "The label of a word is learnt, and predicted, at its first token." in card
    assert f"On {result.n_units:,} words of 20 sentences of test.txt: **{result.accuracy:.1%}**" in card
    assert "| type | precision | recall | F1 | spans | predicted | right |" in card
    assert f"{result.f1:.1%} | 20 |" in card


@pytest.mark.parametrize("stop_after", [1, 5])
@pytest.mark.parametrize("write", [write_conll, write_klue])
def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(
    tiny_bert: Path, tmp_path: Path, stop_after: int, write: type
) -> None:
    data, base = write(tmp_path / "data.txt"), base_of(tiny_bert)
    finetune(base, data, tmp_path / "whole", SHORT, TuningFollower())
    with pytest.raises(Cancelled):
        finetune(base, data, tmp_path / "out", SHORT, TuningFollower(stop_after))
    assert opened(tmp_path / "out").facts.task_heads == ("token_labels",)
    finetune(base, data, tmp_path / "out", SHORT, TuningFollower(), resume=True)
    weights = [(tmp_path / name / "model.safetensors").read_bytes() for name in ("whole", "out")]
    assert weights[0] == weights[1]
    losses = [
        [line["loss"] for line in read_record(tmp_path / name) if line["kind"] == "step"]
        for name in ("whole", "out")
    ]
    assert losses[0] == losses[1]


def test_characters_of_klue_ner_are_learnt(tiny_bert: Path, tmp_path: Path) -> None:
    data = write_klue(tmp_path / "train.tsv")
    test = write_klue(tmp_path / "dev.tsv", 20, seed=2)
    follower = TuningFollower()
    result = finetune(base_of(tiny_bert), data, tmp_path / "out", LEARNING, follower, test=test)
    assert isinstance(result, TagEvaluation)
    assert result.unit == "characters"
    n_characters = sum(bool(unit.strip()) for one in read_token_table(test).sentences for unit in one.units)
    assert result.n_units == n_characters  # blanks are not counted, the rest of a piece is
    assert result.accuracy > 0.9
    assert [one.type for one in result.spans or ()] == ["LC", "PS"]
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "A token has the label of the character that it begins with" in card


def test_only_the_classifier_of_a_frozen_encoder_learns(tiny_bert: Path, words: Path, tmp_path: Path) -> None:
    settings = replace(SHORT, freezes_encoder=True)
    finetune(base_of(tiny_bert), words, tmp_path / "out", settings, TuningFollower())
    before, after = (api.open_model(str(folder), "cpu") for folder in (tiny_bert, tmp_path / "out"))
    one, other = (model.trace("the cat was hungry") for model in (before, after))
    np.testing.assert_array_equal(one.hidden, other.hidden)
    assert "| what is trained | the classifier |" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_labels_that_mark_no_spans(tiny_bert: Path, words: Path, tmp_path: Path) -> None:
    data = tmp_path / "pos.txt"
    data.write_text(words.read_text("utf-8").replace("I-LOC", "X").replace("B-", ""), encoding="utf-8")
    result = finetune(base_of(tiny_bert), data, tmp_path / "out", SHORT, TuningFollower())
    assert isinstance(result, TagEvaluation)
    assert (result.spans, result.all_spans, result.macro_f1) == (None, None, None)
    assert result.f1 == result.label_f1
    assert result.labels == ("LOC", "O", "PER", "X")


def test_what_is_cut_off_is_said_and_not_found(tiny_bert: Path, tmp_path: Path) -> None:
    data = tmp_path / "long.txt"
    data.write_text("the O\ncat B-P\n\n" * 5 + "the O\n" * 60 + "cat B-P\n", encoding="utf-8")
    follower = TuningFollower()
    result = finetune(
        base_of(tiny_bert), data, tmp_path / "out", replace(SHORT, held_out=0.5), follower, test=data
    )
    assert isinstance(result, TagEvaluation)
    assert follower.notices[2:4] == [
        "long.txt: texts of more than 48 tokens, whose ends are not read: 1.",
        "long.txt: words whose labels no token learns: 15.",
    ]
    assert result.n_units == 10 + 46
    assert sum(one.n_true for one in result.spans or ()) == 6


@pytest.mark.parametrize(
    ("content", "choices", "error", "sentence"),
    [
        ("a O\nb O\n\nc O\n", TableChoices(target="tokens"), FileError, "have the label “O”"),
        ("a O\nb B-P\n", TableChoices(), TrainingError, "one sentence only"),
        ("a O\nb B-P\n\nc O\n", TableChoices(target="words"), TrainingError, "There is no target “words”"),
        ("a b\nc d\n", TableChoices(target="tokens", label_column="x"), TableError, "has no column “x”"),
    ],
)
def test_what_cannot_be_learnt(
    tiny_bert: Path,
    tmp_path: Path,
    content: str,
    choices: TableChoices,
    error: type[Exception],
    sentence: str,
) -> None:
    (tmp_path / "a.txt").write_text(content)
    with pytest.raises(error, match=sentence):
        finetune(
            *(base_of(tiny_bert), tmp_path / "a.txt", tmp_path / "out", SHORT, TuningFollower()),
            choices=choices,
        )
    assert not (tmp_path / "out").exists()


def test_a_file_of_labels_of_words_can_be_read_as_texts_where_the_user_says_so(
    tiny_bert: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.txt").write_text("the\tB-P\ncat\tO\n\nwas\tO\nit\tB-P\n" * 4)
    choices = TableChoices(target="classes", label_column="2", text_column="1")
    result = finetune(
        *(base_of(tiny_bert), tmp_path / "a.txt", tmp_path / "out", SHORT, TuningFollower()), choices=choices
    )
    assert not isinstance(result, TagEvaluation)
    assert opened(tmp_path / "out").facts.task_heads == ("classes",)
