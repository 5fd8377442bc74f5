"""The models that ship with the program: small, open without a network, and taught as their cards say.

The sentences here are in no file that they were trained on.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model, paths
from bertviz_app.api import Model
from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import default_source, find
from tests.bench.patterns import measured, nouns, own_segment

BASE = "bert-mini-en-ko"
LARGEST = 24_000_000  # bytes of the weights
TEXTS = (
    "The lighthouse keeper counted the ships that passed before dawn. None of them stopped.",
    "My grandmother kept seven clocks in her kitchen, and not one of them told the right time.",
    "Rain fell on the harbour all afternoon. The boats rocked gently beside the wooden pier.",
    "He wrote a long letter to his brother, but he never found the courage to send it.",
    "The teacher asked a question that nobody in the room could answer.",
    "어제 본 영화는 처음에는 지루했지만 마지막 장면이 정말 좋았습니다.",
    "배우들의 연기는 훌륭했다. 하지만 이야기가 너무 뻔해서 아쉬웠다.",
    "친구와 함께 봤는데 둘 다 많이 웃었어요. 다음 편도 기대됩니다!",
)


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model(BASE, device="cpu")


def test_the_default_is_the_bundled_one_and_needs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    source = default_source()
    assert (source.name, source.origin) == (BASE, "bundled")
    assert source.folder.parent == paths.bundled_models()


def test_it_is_small_and_has_its_licence_and_card(model: Model) -> None:
    folder = paths.bundled_models() / BASE
    assert (folder / "model.safetensors").stat().st_size <= LARGEST
    assert {"README.md", "LICENSE"} <= {path.name for path in folder.iterdir()}
    facts = model.facts
    assert (facts.n_layers, facts.n_heads, facts.width, facts.vocabulary_size) == (6, 8, 256, 16_000)
    assert facts.task_heads == ("masked", "next_sentence")


def test_transformers_gives_the_same_numbers(model: Model) -> None:
    import torch
    from transformers import AutoTokenizer, BertForPreTraining

    folder = paths.bundled_models() / BASE
    theirs = BertForPreTraining.from_pretrained(
        folder, dtype=torch.float32, attn_implementation="eager"
    ).eval()
    theirs.eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    for pair in ((TEXTS[0], TEXTS[5]), (TEXTS[6],)):
        trace = model.trace(*pair)
        given = tokenizer(*pair, return_tensors="pt")
        assert given["input_ids"][0].tolist() == trace.tokens.ids.tolist()
        with torch.no_grad():
            out = theirs(**given, output_attentions=True)
        found = np.stack([[trace.attention(layer, head) for head in range(8)] for layer in range(6)])
        expected = torch.stack(out.attentions)[:, 0].numpy()
        assert np.abs(found - expected).max() < 1e-5
        logits = model.logits(trace)
        assert logits.masked is not None
        assert np.abs(logits.masked - out.prediction_logits[0].numpy()).max() < 1e-4
        assert np.abs(logits.next_sentence - out.seq_relationship_logits[0].numpy()).max() < 1e-5


def test_heads_look_at_the_token_before_and_after(model: Model) -> None:
    found = measured(model, TEXTS)
    for pattern in ("the token before", "the token after"):
        weights, evenly = found[pattern]
        assert weights.max() >= 0.5
        assert evenly < 0.1


def test_a_head_looks_at_the_separator_and_one_at_the_other_pieces_of_a_word(model: Model) -> None:
    found = measured(model, TEXTS)
    for pattern, least in (("the separator", 0.95), ("other pieces of the same word", 0.4)):
        weights, evenly = found[pattern]
        assert weights.max() > least
        assert evenly < 0.1


def test_the_card_says_what_no_head_does(model: Model) -> None:
    shares = nouns(model)
    assert shares.max() < 0.7, "a head finds nouns of pronouns now: say so in the card"
    assert "No head finds the noun" in (paths.bundled_models() / BASE / "README.md").read_text("utf-8")


def test_a_head_keeps_to_the_segment_of_a_pair(model: Model) -> None:
    shares, evenly = own_segment(model, TEXTS)
    assert evenly < 0.7
    assert shares.max() > 0.85


def test_it_predicts_which_sentence_follows(model: Model) -> None:
    first = "She opened the window and looked out."
    follows, does_not = (
        "It was raining in the garden.",
        "The king of France marched against the English army.",
    )
    assert model.next_sentence(first, follows).probability > 0.5
    assert model.next_sentence(first, does_not).probability < 0.5


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She opened the [MASK] and went into the house.", "door"),
        ("배우들의 [MASK] 정말 좋았다.", "연기가"),
        ('"I do not [MASK] what you mean," he said.', "know"),
    ],
)
def test_it_fills_what_anybody_would(model: Model, text: str, expected: str) -> None:
    (filled,) = model.fill_mask(text)
    assert expected in [filler.piece for filler in filled.fillers]


def test_every_bundled_folder_opens_completely_and_has_a_licence() -> None:
    folders = [path for path in paths.bundled_models().iterdir() if path.is_dir()]
    assert {BASE} <= {path.name for path in folders}
    for folder in folders:
        opened = open_checkpoint(find(str(folder)))
        assert opened.report.summary() == ""
        assert (Path(folder) / "LICENSE").is_file()


def test_heads_that_find_the_neighbours_do_so_in_all_positions(model: Model) -> None:
    """Beyond 128 they did not until the third run, which began those positions as copies of the others."""
    trace = model.encode(" ".join((*TEXTS, *TEXTS))).trace
    n_tokens = len(trace.tokens)
    assert n_tokens == model.facts.n_positions == 256
    assert not any("hardly" in notice for notice in model.encode(" ".join(TEXTS * 2)).notices)
    for head, step in (((0, 1), -1), ((0, 3), 1)):
        weights = np.diagonal(trace.attention(*head), step)[1:-1]
        assert weights[:125].mean() > 0.95
        assert weights[130:].mean() > 0.9


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("정말 재미있고 감동적인 영화였어요. 강력 추천합니다!", "positive"),
        ("배우들 연기가 훌륭하고 음악도 좋았다.", "positive"),
        ("너무 지루하고 재미없어서 돈이 아까웠다.", "negative"),
        ("최악이다. 시간 낭비였다.", "negative"),
    ],
)
def test_the_sentiment_model_distinguishes_praise_from_blame(text: str, label: str) -> None:
    likeliest = open_model(f"{BASE}-sentiment", device="cpu").classify(text).labels[0]
    assert likeliest.name == label
    assert likeliest.value > 0.7
