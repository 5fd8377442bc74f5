"""A fine-tuning of a classifier of tokens: its rows, its run, and how it is judged."""

from __future__ import annotations

import json
import re
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app import api
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import Cancelled, FileError
from bertviz_app.features.training.finetuning.labelled import (
    NOT_COUNTED,
    ClassifierNetwork,
    HeldOut,
    LabelledBatch,
    Predicted,
    Tagged,
    accuracy_of,
    loss_of,
    network_on,
    split_sentences,
    tagged,
)
from bertviz_app.features.training.finetuning.run import Tags, finetune, gather_rows
from bertviz_app.features.training.finetuning.settings import (
    SpanCounts,
    TagEvaluation,
    Unit,
    count_spans,
    in_all,
    mean_f1,
)
from bertviz_app.features.training.loop import named
from bertviz_app.features.training.process.job import as_held_out
from bertviz_app.features.training.settings import TrainingError, read_record
from bertviz_app.text import Tokenizer
from bertviz_app.text_tables.table import TableChoices, TableError
from bertviz_app.text_tables.token_labels import LabelledSentence, marks_of, read_token_table, spans_of
from tests.support.checkpoint_folders import opened
from tests.support.training_texts import TUNING, TuningFollower, base_of, write_conll, write_klue

LEARNING = replace(TUNING, epochs=6, rate=1e-2, evaluate_every=1_000)
SHORT = replace(TUNING, epochs=2, evaluate_every=3)


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_conll(tmp_path_factory.mktemp("data") / "words.txt")


Whole = tuple[Path, TuningFollower, TagEvaluation]


@pytest.fixture(scope="module")
def whole(tiny_bert: Path, words: Path, tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return a run on words that nobody stopped: its folder, what it reported, and its last evaluation."""
    out, follower = tmp_path_factory.mktemp("whole") / "out", TuningFollower()
    test = write_conll(words.with_name("test.txt"), 20, seed=2)
    result = finetune(base_of(tiny_bert), words, out, LEARNING, follower, test=test)
    assert isinstance(result, TagEvaluation)
    return out, follower, result


def test_it_learns_the_labels(whole: Whole) -> None:
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
    whole: Whole,
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


def test_the_evaluation_is_that_of_the_model_that_was_written(whole: Whole, words: Path) -> None:
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


def test_the_log_can_be_read_again(whole: Whole) -> None:
    lines = read_record(whole[0])
    found = [result for line in lines if (result := as_held_out(line)) is not None]
    of_tags = next(line for line in lines if "n_units" in line)
    assert as_held_out({**of_tags, "spans": "?"}) is None, "not taken for one of classes"
    assert found == whole[1].evaluations


def test_the_card_has_what_was_measured(whole: Whole) -> None:
    card, result = (whole[0] / "README.md").read_text("utf-8"), whole[2]
    assert "pipeline_tag: token-classification" in card
    assert "40 sentences of words.txt" in card
    assert "The label of a word is learnt, and predicted, at its first token." in card
    assert f"On {result.n_units:,} words of 20 sentences of test.txt: **{result.accuracy:.1%}**" in card
    assert "| type | precision | recall | F1 | spans | predicted | right |" in card
    assert f"{result.f1:.1%} | 20 |" in card


def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(tiny_bert: Path, tmp_path: Path) -> None:
    data, base = write_klue(tmp_path / "data.txt"), base_of(tiny_bert)
    finetune(base, data, tmp_path / "whole", SHORT, TuningFollower())
    with pytest.raises(Cancelled):
        finetune(base, data, tmp_path / "out", SHORT, TuningFollower(5))
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


def test_spans_of_texts_are_learnt_by_the_offsets_of_the_tokens(tiny_bert: Path, tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    source, rows = np.random.default_rng(1), []
    for _ in range(60):
        text = " ".join(source.choice(["the", "cat", "fish", "was", "hungry", "it", "ate"], 6))
        spans = [match.span() for match in re.finditer("the (cat|fish)|cat|fish", text)]
        rows.append({"text": text, "label": [[*span, "ANIMAL"] for span in spans]})
    data = tmp_path / "doccano.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    base = base_of(tiny_bert)
    gathered = gather_rows(base, data, None, LEARNING, TuningFollower())
    examples, names = gathered.training, gathered.target.labels
    assert names == ("O", "B-ANIMAL", "I-ANIMAL")
    theirs = AutoTokenizer.from_pretrained(tiny_bert)
    for at, row in enumerate(rows):
        expected = []
        for first, last in theirs(row["text"], return_offsets_mapping=True)["offset_mapping"]:
            span = next((one for one in row["label"] if one[0] <= first < one[1]), None)
            number = 0 if span is None else 1 if span[0] == first else 2
            expected.append(NOT_COUNTED if first == last else number)
        assert examples.labels[examples.starts[at] : examples.starts[at + 1]].tolist() == expected
    result = finetune(base, data, tmp_path / "out", LEARNING, TuningFollower())
    assert isinstance(result, TagEvaluation)
    assert (result.unit, result.labels) == ("characters", names)
    assert result.f1 > 0.7
    model = api.open_model(str(tmp_path / "out"), "cpu")
    found = model.predict(model.trace("it ate the fish")).token_labels
    assert {token.labels[0].name for token in found} <= set(names)


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


NAMES = ("O", "B-P", "I-P")
_ = NOT_COUNTED


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return opened(tiny_bert).tokenizer


def _tagged(
    tokenizer: Tokenizer, *sentences: tuple[str, str], are_characters: bool = False, gap: str = " "
) -> Tagged:
    rows = [
        LabelledSentence(tuple(units if are_characters else units.split(gap)), tuple(labels.split()))
        for units, labels in sentences
    ]
    return tagged(rows, NAMES, tokenizer, lambda: None, are_characters=are_characters)


def test_a_word_is_learnt_at_its_first_piece(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cats", "B-P"))
    pieces = [tokenizer.piece_of(number) for number in found.ids]
    assert pieces == ["[CLS]", "the", "cat", "##er", "was", "[SEP]", "[CLS]", "cat", "##s", "[SEP]"]
    assert found.labels.tolist() == [_, 0, 1, _, 0, _, _, 1, _, _]
    assert found.unit_pieces.tolist() == [1, 2, 4, 7]
    assert (found.n_cut, found.n_unread, len(found)) == (0, 0, 2)
    assert not found.continues.any()


def test_a_word_with_punctuation_is_one_word(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("(cat) !", "B-P O"))
    assert [tokenizer.piece_of(number) for number in found.ids] == ["[CLS]", "(", "cat", ")", "!", "[SEP]"]
    assert found.labels.tolist() == [_, 1, _, _, 0, _]


def test_a_piece_has_the_label_of_the_character_that_it_begins_with(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("cat fish", "B-P I-P I-P I-P O O O O"), are_characters=True)
    assert [tokenizer.piece_of(number) for number in found.ids] == ["[CLS]", "cat", "fish", "[SEP]"]
    assert found.labels.tolist() == [_, 1, 0, _]
    assert found.unit_pieces.tolist() == [1, 1, 1, -1, 2, 2, 2, 2]
    assert found.continues.tolist() == [False, True, True, False, False, True, True, True]
    assert found.is_counted.tolist() == [True, True, True, False, True, True, True, True]
    assert found.n_unread == 0


def test_a_character_of_several_pieces_is_learnt_at_the_first(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("는", "B-P"), are_characters=True)  # an uncased BERT takes it apart
    pieces = [tokenizer.piece_of(number) for number in found.ids][1:-1]
    assert len(pieces) == 3
    assert found.labels.tolist() == [_, 1, _, _, _]


def test_words_that_are_cut_off_or_nothing_are_counted(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer.limited(8), ("the " * 9 + "cat", "O " * 9 + "B-P"), ("the \u0301 cat", "O O O"))
    assert found.n_cut == 1
    assert found.n_unread == 4 + 1  # an accent alone is nothing to an uncased tokenizer
    assert found.unit_pieces[6:10].tolist() == [-1] * 4


def test_batches_are_padded_with_labels_that_are_not_counted(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cat", "B-P"))
    batch = found.batch(np.array([1, 0]))
    assert batch.labels.tolist() == [[_, 1, _, _, _, _], [_, 0, 1, _, 0, _]]
    assert batch.seen.sum(1).tolist() == [3, 6]
    assert accuracy_of(torch.eye(3)[torch.tensor([[0, 1, 1, 1, 1, 1], [1] * 6])], batch.labels) == 0.5


def test_loss_and_gradients_are_those_of_transformers(tiny_bert: Path, tokenizer: Tokenizer) -> None:
    from transformers import BertConfig, BertForTokenClassification

    batch = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cats it", "B-P O")).batch(np.array([0, 1]))
    network = network_on(base_of(tiny_bert).encoder, TaskHeadsConfig(n_token_labels=3), seed=0)
    assert network.encoder.pooler is None
    config = BertConfig.from_pretrained(tiny_bert, num_labels=3)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    theirs = BertForTokenClassification(config).train()
    theirs.load_state_dict(named(network.encoder, network.heads))
    expected = theirs(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        attention_mask=batch.seen.long(),
        labels=batch.labels,
    )
    found = network(batch)
    torch.testing.assert_close(found.logits[batch.seen], expected.logits[batch.seen], atol=1e-5, rtol=0)
    torch.testing.assert_close(found.loss, expected.loss, atol=1e-5, rtol=0)
    torch.autograd.backward(found.loss)
    torch.autograd.backward(expected.loss)
    ours = {
        name: next(one.grad for one in network.parameters() if one.data_ptr() == tensor.data_ptr())
        for name, tensor in named(network.encoder, network.heads).items()
    }
    gradients = dict(theirs.named_parameters())
    assert ours.keys() == gradients.keys()
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, gradients[name].grad, atol=1e-5, rtol=1e-4)


def test_dropout_multiplies_the_vectors_of_tokens(tiny_bert: Path, tokenizer: Tokenizer) -> None:
    batch = _tagged(tokenizer, ("the cat", "O B-P")).batch(np.array([0]))
    network = network_on(base_of(tiny_bert).encoder, TaskHeadsConfig(n_token_labels=3), seed=0)
    nothing = torch.zeros(1, 4, 32)
    assert torch.equal(network(batch, nothing).logits, torch.zeros(1, 4, 3))  # the biases begin at 0


def test_other_labels_have_another_mark(tokenizer: Tokenizer) -> None:
    texts = (("the cat", "O B-P"), ("the cat", "O O"), ("the fish", "O B-P"), ("the \u0301", "O B-P"))
    assert len({_tagged(tokenizer, text).mark() for text in texts}) == 4


def test_tokenising_can_be_cancelled(tokenizer: Tokenizer) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        tagged([LabelledSentence(("a",), ("O",))], NAMES, tokenizer, stop, are_characters=False)


def test_a_share_of_the_sentences_is_held_out() -> None:
    learnt, held_out = split_sentences(np.array([0, 2, 4, 6, 8, 9]), 0.34, seed=0)
    assert sorted([*learnt, *held_out]) == [0, 2, 4, 6, 8, 9]
    assert len(held_out) == 2
    assert [len(part) for part in split_sentences(np.array([3, 4]), 0.01, seed=1)] == [1, 1]
    with pytest.raises(TrainingError, match="one sentence only"):
        split_sentences(np.array([3]), 0.5, seed=0)


TAGS = ("O", "B-P", "I-P", "B-Q")


class _ByPiece(nn.Module):
    """Gives each piece the label that `answers` has for it, else the first one."""

    def __init__(self, tokenizer: Tokenizer, answers: dict[str, str]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self._answers = {tokenizer.piece(piece)[1]: TAGS.index(label) for piece, label in answers.items()}

    def forward(self, batch: LabelledBatch) -> Predicted:
        labels = [[self._answers.get(number, 0) for number in row] for row in batch.ids.tolist()]
        logits = 2.0 * nn.functional.one_hot(torch.tensor(labels), len(TAGS)).float()
        return Predicted(logits, loss_of(logits, batch.labels))


def _evaluated(
    tokenizer: Tokenizer, sentences: list[LabelledSentence], answers: dict[str, str], unit: Unit = "words"
) -> TagEvaluation:
    are_characters = unit == "characters"
    examples = tagged(sentences, TAGS, tokenizer, lambda: None, are_characters=are_characters)
    network = cast("ClassifierNetwork", _ByPiece(tokenizer, answers))
    held_out = HeldOut(network, examples, np.arange(len(examples)), nullcontext, lambda: None)
    return Tags(TAGS, 0, unit).evaluate(held_out, 3)


def _sentence(units: list[str], labels: str) -> LabelledSentence:
    return LabelledSentence(tuple(units), tuple(labels.split()))


def test_words(tokenizer: Tokenizer) -> None:
    sentences = [
        _sentence(["the", "cater", "fish", "was"], "O B-P I-P O"),
        _sentence(["fish", "it"], "B-Q O"),
    ]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P", "fish": "I-P", "it": "B-Q", "##er": "B-Q"})
    assert found.confusion == ((2, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 0))
    assert (found.n_rows, found.n_units, found.accuracy, found.baseline) == (2, 6, 4 / 6, 3 / 6)
    assert found.spans == (SpanCounts("P", 1, 2, 1), SpanCounts("Q", 1, 1, 0))
    assert found.f1 == pytest.approx(2 * 1 / (2 + 3))
    assert found.macro_f1 == pytest.approx((2 / 3 + 0) / 2)
    # F1 of O: 2 of 3 there and 2 given; of B-P: 1 of 1 and 1; of I-P: 1 of 1 and 2; of B-Q: none
    assert found.label_f1 == pytest.approx((4 / 5 + 1 + 2 / 3 + 0) / 4)
    right, wrong = (-np.log(np.exp(2) / (np.exp(2) + 3)), -np.log(1 / (np.exp(2) + 3)))
    assert found.loss == pytest.approx((4 * right + 2 * wrong) / 6)


def test_the_rest_of_a_piece_continues_its_label(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(list("cat fish"), "B-P I-P I-P O B-P I-P I-P I-P")]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P"}, "characters")
    assert found.confusion == ((0, 0, 0, 0), (1, 1, 0, 0), (3, 0, 2, 0), (0, 0, 0, 0))
    assert (found.n_units, found.accuracy) == (7, 3 / 7)  # the blank is not counted
    assert found.spans == (SpanCounts("P", 2, 1, 1),)


def test_a_span_over_a_blank_is_one(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(list("cat fish"), "B-P I-P I-P I-P I-P I-P I-P I-P")]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P", "fish": "I-P"}, "characters")
    assert found.spans == (SpanCounts("P", 1, 1, 1),)


def test_a_span_that_is_cut_off_is_not_found(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(["cat", "it", "fish", "fish"], "B-P O B-P I-P")]
    found = _evaluated(tokenizer.limited(5), sentences, {"cat": "B-P", "fish": "B-P"})
    assert found.n_units == 3
    assert found.accuracy == 1.0
    assert found.spans == (SpanCounts("P", 2, 2, 1),)


PAIRS = (
    # three spans; one is right, one has another type, one another end
    ("B-PER I-PER O B-LOC O B-ORG I-ORG", "B-PER I-PER O B-ORG O B-ORG O"),
    # two spans beside each other: predicted as one
    ("B-LOC B-LOC O", "B-LOC I-LOC O"),
    # nothing to find, one found
    ("O O", "I-PER O"),
    ("B-LOC O", "B-LOC O"),
)
"""True labels and predicted ones of four sentences."""


def _counts() -> tuple[SpanCounts, ...]:
    marks = marks_of({label for pair in PAIRS for labels in pair for label in labels.split()})
    assert marks is not None
    found = [[spans_of([marks[label] for label in labels.split()]) for labels in pair] for pair in PAIRS]
    return count_spans((true, predicted) for true, predicted in found)


def test_the_counts_of_each_type() -> None:
    assert _counts() == (
        SpanCounts("LOC", n_true=4, n_predicted=2, n_right=1),
        SpanCounts("ORG", n_true=1, n_predicted=2, n_right=0),
        SpanCounts("PER", n_true=1, n_predicted=2, n_right=1),
    )


def test_precision_recall_and_f1() -> None:
    whole = in_all(_counts())
    assert (whole.n_true, whole.n_predicted, whole.n_right) == (6, 6, 2)
    assert whole.precision == pytest.approx(2 / 6)
    assert whole.recall == pytest.approx(2 / 6)
    assert whole.f1 == pytest.approx(2 / 6)
    place, _, person = _counts()
    assert (place.precision, place.recall) == (0.5, 0.25)
    assert place.f1 == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert person.f1 == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert mean_f1(_counts()) == pytest.approx((1 / 3 + 0 + 2 / 3) / 3)


def test_nothing_to_find_and_nothing_found() -> None:
    nothing = in_all(count_spans([([], [])]))
    assert (nothing.precision, nothing.recall, nothing.f1, mean_f1(())) == (0.0, 0.0, 0.0, 0.0)
