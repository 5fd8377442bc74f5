"""Checkpoints opened: assembled, damaged, linked, bundled, and known by their fingerprint."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import transformers
from torch import Tensor

from bertviz_app import paths
from bertviz_app.api import Model, open_model
from bertviz_app.checkpoint.assemble import verify
from bertviz_app.checkpoint.folder import links_out_of
from bertviz_app.checkpoint.loader import Checkpoint, fingerprint, open_checkpoint
from bertviz_app.checkpoint.questions import Answers, AnswersError
from bertviz_app.checkpoint.sources.source import default_source, find
from bertviz_app.checkpoint.weights.tensors import WeightsError
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Cancelled, CheckpointError, TextError, TokenizerError
from bertviz_app.inference.engine import Engine
from bertviz_app.trace.form import Form
from tests.bench.patterns import measured, nouns, own_segment
from tests.support.checkpoint_folders import (
    SMALL,
    Tensors,
    change_config,
    change_weights,
    opened,
    small_encoder,
)
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.families import write_family

TEXT = "The cat ate the fish because it was hungry"
PAIR = "고양이가 배고파서"
WORDS = "embeddings.word_embeddings.weight"


def _hidden(checkpoint: Checkpoint) -> np.ndarray:
    return record(checkpoint.encoder, checkpoint.tokens(TEXT, PAIR), "ours").hidden


def test_vocab_txt_alone_is_enough_and_its_settings_count(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").unlink()
    assert opened(folder).tokens("Cat").pieces == ("[CLS]", "cat", "[SEP]")
    (folder / "tokenizer_config.json").write_text('{"do_lower_case": false}')
    assert opened(folder).tokens("Cat").pieces == ("[CLS]", "[UNK]", "[SEP]")


def test_old_names_give_the_same(tiny_bert: Path, folder: Path) -> None:

    def rename(tensors: Tensors) -> Tensors:
        old = {
            name.replace("LayerNorm.weight", "LayerNorm.gamma").replace(
                "LayerNorm.bias", "LayerNorm.beta"
            ): tensor
            for name, tensor in tensors.items()
        }
        return old | {"embeddings.position_ids": torch.arange(512)[None]}

    change_weights(folder, rename)
    checkpoint = opened(folder)
    np.testing.assert_array_equal(_hidden(checkpoint), _hidden(opened(tiny_bert)))
    assert checkpoint.facts.remarks == ()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_other_precisions_are_computed_in_float32(tiny_bert: Path, folder: Path, dtype: torch.dtype) -> None:
    change_weights(folder, lambda tensors: {name: tensor.to(dtype) for name, tensor in tensors.items()})
    checkpoint = opened(folder)
    assert {parameter.dtype for parameter in checkpoint.encoder.parameters()} == {torch.float32}
    np.testing.assert_allclose(_hidden(checkpoint), _hidden(opened(tiny_bert)), atol=0.3)


def test_no_pooler_is_no_error(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "bare", random_bert(has_pooler=False))
    checkpoint = opened(folder)
    assert not checkpoint.facts.has_pooler
    assert record(checkpoint.encoder, checkpoint.tokens(TEXT), "ours").pooled is None


def test_half_a_pooler_is_an_error(folder: Path) -> None:
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if n != "pooler.dense.bias"})
    with pytest.raises(WeightsError, match=r"Missing: pooler\.dense\.bias"):
        opened(folder)


def test_missing_tensors_are_an_error_that_folds_the_layers(folder: Path) -> None:
    change_weights(folder, lambda tensors: {n: t for n, t in tensors.items() if "self.query.weight" not in n})
    with pytest.raises(WeightsError, match=r"layers\.\{0\.\.1\}\.attention\.query\.weight") as caught:
        opened(folder)
    assert caught.value.report.missing == ("layers.{0..1}.attention.query.weight",)
    assert caught.value.hint


def test_sizes_that_disagree_with_the_tensors_are_an_error_with_both_shapes(folder: Path) -> None:
    n_pieces = len(vocabulary())
    change_config(folder, vocab_size=n_pieces + 5)
    with pytest.raises(WeightsError, match=rf"\[{n_pieces}, 32\].*\[{n_pieces + 5}, 32\]") as caught:
        opened(folder)
    (mismatch,) = caught.value.report.mismatched
    assert mismatch.name == "embeddings.token.weight"


def test_tensors_nobody_knows_are_a_remark(folder: Path) -> None:
    change_weights(folder, lambda tensors: tensors | {"adapter.weight": torch.zeros(3)})
    checkpoint = opened(folder)
    assert checkpoint.report.unexpected == ("adapter.weight",)
    assert checkpoint.facts.remarks == ("Unknown tensors that are not used: adapter.weight.",)


def test_one_parameter_under_two_names_is_an_error_unless_both_are_the_same(folder: Path) -> None:
    change_weights(folder, lambda tensors: tensors | {f"bert.{WORDS}": tensors[WORDS].clone()})
    assert opened(folder).report.unexpected == ()
    change_weights(folder, lambda tensors: tensors | {f"bert.{WORDS}": tensors[WORDS] + 1})
    with pytest.raises(CheckpointError, match="Two tensors"):
        opened(folder)


def test_weights_survive_their_file_being_written_anew(folder: Path) -> None:
    checkpoint = opened(folder)
    before = _hidden(checkpoint)
    (folder / "model.safetensors").write_bytes(b"")
    np.testing.assert_array_equal(_hidden(checkpoint), before)


def test_special_tokens_beyond_the_vocabulary_are_an_error(folder: Path) -> None:
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["post_processor"]["special_tokens"]["[CLS]"]["ids"] = [7000]
    path.write_text(json.dumps(settings), "utf-8")
    rules = {"tokenizer_class": "PreTrainedTokenizerFast"}  # which takes tokenizer.json as it is
    (folder / "tokenizer_config.json").write_text(json.dumps(rules), "utf-8")
    with pytest.raises(TokenizerError, match=r"“\[CLS\]” 7000"):
        opened(folder)


@pytest.mark.parametrize("key", ["do_lower_case", "strip_accents", "tokenize_chinese_chars"])
def test_tokenizer_settings_of_a_wrong_kind_are_an_error(folder: Path, key: str) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer_config.json").write_text(json.dumps({key: "yes"}))
    with pytest.raises(TokenizerError, match=f"{key} in tokenizer_config.json must be true or false"):
        opened(folder)


def test_a_model_of_one_segment_reads_no_pair(tmp_path: Path) -> None:
    checkpoint = opened(write_bert(tmp_path / "one", random_bert(type_vocab_size=1)))
    assert checkpoint.tokens(TEXT).segment_ids.max() == 0
    with pytest.raises(TextError, match="one text at a time") as caught:
        checkpoint.tokens(TEXT, PAIR)
    assert caught.value.field == "pair"


def test_facts_of_the_real_checkpoint(minilm: Path) -> None:
    facts = opened(minilm).facts
    assert (facts.name, facts.family) == ("all-MiniLM-L6-v2", "BERT")
    assert (facts.n_layers, facts.n_heads, facts.width) == (6, 12, 384)
    assert (facts.vocabulary_size, facts.n_positions, facts.n_segments) == (30522, 512, 2)
    assert facts.n_parameters == 22_713_216
    assert facts.has_pooler
    assert facts.remarks == (
        "This checkpoint's pooler is not used by sentence-transformers, which pools the tokens: mean.",
        "sentence-transformers reads 256 tokens at most (max_seq_length), and so are texts read here.",
    )


def test_another_file_under_the_published_name_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"one")
    verify(path, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")
    path.write_bytes(b"other")
    with pytest.raises(CheckpointError, match="SHA-256"):
        verify(path, "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed")


@pytest.mark.parametrize(
    "modules",
    ["[", "3", '[{"type": "x.Pooling", "path": "/etc"}]', '[{"type": "Pooling", "path": "\\u0000"}]', "[7]"],
)
def test_a_strange_modules_json_leaves_out_the_sentence_vector_alone(folder: Path, modules: str) -> None:
    (folder / "modules.json").write_text(modules)
    facts = opened(folder).facts
    assert not facts.has_sentence_vector
    (remark,) = facts.remarks
    assert remark.startswith("The sentence vector is not computed. ")


def test_progress_reaches_the_end_and_a_check_stops_it(tiny_bert: Path) -> None:
    from bertviz_app.checkpoint.loader import open_checkpoint
    from bertviz_app.checkpoint.sources.source import find

    reports: list[tuple[int, int]] = []
    open_checkpoint(find(str(tiny_bert)), lambda done, total: reports.append((done, total)))
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1] > 0

    def check() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        open_checkpoint(find(str(tiny_bert)), check=check)


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_link_out_of_the_folder_is_refused(tiny_bert: Path, folder: Path, name: str) -> None:
    (folder / name).unlink()
    (folder / name).symlink_to(tiny_bert / name)
    with pytest.raises(CheckpointError, match="link that leads out"):
        opened(folder)


def test_fewer_positions_than_special_tokens_is_an_error(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "short", random_bert(max_position_embeddings=1))
    with pytest.raises(TokenizerError, match="reads 1 tokens at most"):
        opened(folder)


def test_a_tokenizer_that_panics_is_an_error(folder: Path) -> None:
    path = folder / "tokenizer.json"
    settings = json.loads(path.read_text("utf-8"))
    settings["post_processor"]["special_tokens"] = {}
    path.write_text(json.dumps(settings), "utf-8")
    with pytest.raises(TokenizerError):
        opened(folder)


INSIDE = {
    "roberta": "encoder.layer.1.attention.self.temperature",
    "xlm-roberta": "embeddings.language.weight",
    "distilbert": "transformer.layer.0.ffn.lin3.weight",
    "electra": "embeddings.language.weight",
    "albert": "encoder.albert_layer_groups.1.albert_layers.0.ffn.weight",
    "mpnet": "encoder.layer.3.attention.attn.q.weight",
    "modernbert": "layers.0.mlp.scale",
    "nomic_bert": "layers.0.mlp.experts.weight",
    "gte": "layers.0.mlp.scale",
    "jina_embeddings_v3": "layers.0.mlp.scale",
    "eurobert": "layers.0.mlp.scale",
    "deberta-v2": "encoder.conv.conv.weight",
}


@pytest.mark.parametrize("family", ["bert", *INSIDE])
def test_an_unknown_tensor_inside_the_encoder_is_refused_by_name(family: str, tmp_path: Path) -> None:
    write_family(tmp_path, family)
    name = INSIDE.get(family, "encoder.layer.0.output.gate.weight")
    change_weights(tmp_path, lambda tensors: tensors | {name: torch.zeros(3)})
    with pytest.raises(WeightsError) as caught:
        opened(tmp_path)
    assert caught.value.report.not_computed == (name,)
    assert f"Parts of the encoder that are not computed: {name}." in caught.value.message


def test_a_layer_beyond_those_of_config_json_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path, "bert")
    extra = {f"encoder.layer.{layer}.output.dense.bias": torch.zeros(32) for layer in (3, 4)}
    change_weights(tmp_path, lambda tensors: tensors | extra)
    with pytest.raises(WeightsError, match=r"encoder\.layer\.\{3\.\.4\}\.output\.dense\.bias"):
        opened(tmp_path)


def test_the_layers_of_the_file_are_named_and_the_advice_opens(folder: Path) -> None:
    change_config(folder, num_hidden_layers=1)
    with pytest.raises(WeightsError) as caught:
        opened(folder)
    assert "It has 2 layers" in caught.value.hint
    assert "let “num_hidden_layers” in config.json be 2." in caught.value.hint
    change_config(folder, num_hidden_layers=2)
    opened(folder)


def test_wrappers_within_names_are_taken_off_with_a_remark(folder: Path) -> None:
    plain = opened(folder).facts

    def wrapped(tensors: Tensors) -> Tensors:
        return {
            name.replace("layer.0.", "layer.0._orig_mod.").replace(
                "layer.1.", "layer.1._fsdp_wrapped_module._checkpoint_wrapped_module."
            ): tensor
            for name, tensor in tensors.items()
        }

    change_weights(folder, wrapped)
    found = opened(folder).facts
    assert found.fingerprint == plain.fingerprint
    [remark] = set(found.remarks) - set(plain.remarks)
    assert remark.endswith(": _orig_mod, _fsdp_wrapped_module, _checkpoint_wrapped_module.")


def test_a_table_of_positions_that_deberta_does_not_use_is_no_part_of_it(tmp_path: Path) -> None:
    write_family(tmp_path, "deberta-v2")
    table = {"embeddings.position_embeddings.weight": torch.zeros(260, 32)}
    change_weights(tmp_path, lambda tensors: tensors | table)
    assert opened(tmp_path).report.unexpected == ()


def test_a_table_of_positions_beside_the_rotations_of_esm_is_no_part_of_it(tmp_path: Path) -> None:
    write_family(tmp_path, "esm")
    before = opened(tmp_path).encoder.state_dict()
    table = {"esm.embeddings.position_embeddings.weight": torch.zeros(260, 32)}
    change_weights(tmp_path, lambda tensors: tensors | table)
    found = opened(tmp_path)
    assert found.report.unexpected == ()
    assert found.encoder.state_dict().keys() == before.keys()


DECODER, BIAS = "cls.predictions.decoder.weight", "cls.predictions.decoder.bias"


def _logits(folder: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the logits of masked tokens, ours and those of transformers."""
    text = "the cat ate the [MASK]"
    tokens = transformers.AutoTokenizer.from_pretrained(folder)(text, return_tensors="pt")
    theirs = transformers.AutoModelForMaskedLM.from_pretrained(folder).eval()
    found = opened(folder)
    ids = found.tokens(text).ids
    assert ids.tolist() == tokens["input_ids"][0].tolist()
    with torch.no_grad():
        hidden = theirs(**tokens, output_hidden_states=True)
        head = found.task_heads.masked
        assert head is not None
        ours = head(hidden.hidden_states[-1])
    return ours[0].numpy(), hidden.logits[0].numpy()


@pytest.mark.parametrize("case", ["same", "other decoder", "other bias", "decoder alone"])
def test_the_decoder_of_masked_tokens_is_that_of_the_file(case: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert", "AutoModelForMaskedLM")
    table = model.get_input_embeddings().weight.detach()
    generator = torch.Generator().manual_seed(5)
    added = {
        "same": {DECODER: table.clone()},
        "other decoder": {DECODER: torch.randn(table.shape, generator=generator)},
        "other bias": {BIAS: torch.randn(len(table), generator=generator)},
        "decoder alone": {DECODER: table.clone()},
    }[case]

    def change(tensors: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        gone = {"bert.embeddings.word_embeddings.weight"} if case == "decoder alone" else set()
        return {name: tensor for name, tensor in (tensors | added).items() if name not in gone}

    change_weights(tmp_path, change)
    ours, theirs = _logits(tmp_path)
    np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)
    assert opened(tmp_path).report.not_computed == ()


@pytest.fixture
def linked(tiny_bert: Path, tmp_path: Path) -> Path:
    """A folder as on clusters: its weights and its vocabulary lie elsewhere."""
    folder, elsewhere = tmp_path / "linked", tmp_path / "scratch"
    shutil.copytree(tiny_bert, folder)
    elsewhere.mkdir()
    for name in ("model.safetensors", "tokenizer.json"):
        shutil.move(folder / name, elsewhere / name)
        (folder / name).symlink_to(elsewhere / name)
    return folder


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_links_are_an_open_question_that_names_them(linked: Path, tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="leads out of") as caught:
        opened(linked)
    assert "--follow-links" in caught.value.hint
    assert "links=True" not in caught.value.hint
    with pytest.raises(AnswersError, match=r"open_model\(folder, links=True\)") as caught:
        open_model(linked, "cpu")
    questions = caught.value.questions
    assert questions.unanswered == ("links",)
    scratch = tmp_path / "scratch"
    assert questions.links == (str(scratch / "model.safetensors"), str(scratch / "tokenizer.json"))
    assert find(str(linked)).asks


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_what_was_allowed_once_stays_allowed_and_is_not_written_into_the_folder(
    linked: Path, tiny_bert: Path
) -> None:
    assert open_model(str(linked), "cpu", links=True).facts.fingerprint == opened(tiny_bert).facts.fingerprint
    assert not (linked / "bertviz_app.json").exists()
    assert opened(linked).facts.name == "linked"


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_a_link_that_is_changed_later_is_not_allowed(linked: Path, tiny_bert: Path) -> None:
    Engine().answer(str(linked), Answers(links=True))
    (linked / "tokenizer.json").unlink()
    (linked / "tokenizer.json").symlink_to(tiny_bert / "tokenizer.json")
    with pytest.raises(AnswersError, match=r"tokenizer\.json is a link that leads out of"):
        opened(linked)


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_a_folder_cannot_allow_its_own_links(linked: Path) -> None:
    (linked / "bertviz_app.json").write_text(json.dumps({"links": True}), "utf-8")
    with pytest.raises(AnswersError, match="leads out of"):
        opened(linked)


@pytest.mark.skipif(os.name == "nt", reason="links need a permission there")
def test_a_folder_that_cannot_be_read_hides_no_link(
    linked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (linked / "closed").mkdir()
    iterdir = Path.iterdir

    def refuse(path: Path) -> Iterator[Path]:
        if path.name == "closed":
            raise PermissionError(path)
        return iterdir(path)

    monkeypatch.setattr(Path, "iterdir", refuse)
    assert list(links_out_of(linked)) == ["model.safetensors", "tokenizer.json"]


def _heads() -> TaskHeads:
    torch.manual_seed(1)
    return TaskHeads(SMALL, TaskHeadsConfig(n_classes=3))


def _of(encoder: Encoder, heads: TaskHeads | None = None) -> str:
    return fingerprint(encoder, heads or _heads())


def test_any_other_number_gives_another() -> None:
    for name, at in (("embeddings.token.weight", 7), ("layers.1.attention.key.bias", -1)):
        encoder = small_encoder()
        parameter: Tensor = encoder.get_parameter(name).data
        parameter.view(-1)[at] += 1e-6
        assert _of(encoder) != _of(small_encoder()), name


def test_another_head_gives_another() -> None:
    heads = _heads()
    heads.get_parameter("classifier.output.bias").data[1] += 1
    assert _of(small_encoder(), heads) != _of(small_encoder())


@pytest.mark.parametrize("changes", [{"norm_eps": 1e-5}, {"activation": "relu"}, {"n_heads": 2}])
def test_another_configuration_gives_another(changes: dict[str, Any]) -> None:
    encoder = small_encoder()
    encoder.config = replace(encoder.config, **changes)
    assert _of(encoder) != _of(small_encoder())


@pytest.mark.parametrize(
    ("changes", "digest"),
    [
        ({}, "6490f89a4d16e20f"),
        ({"form": Form(has_query_biases=False, has_key_biases=False)}, "690a07394345b269"),
        ({"form": Form(has_value_biases=False, has_output_biases=False)}, "5595221fa1e2535d"),
        ({"rotary_bases": (10_000.0,) * 3, "form": Form(is_rotary=True)}, "f062c60bc74ea944"),
    ],
)
def test_a_later_version_gives_the_same(changes: dict[str, Any], digest: str) -> None:
    """Lenses, dossiers and sessions of a checkpoint are found by it."""
    encoder = small_encoder(**changes)
    for tensor in encoder.state_dict().values():
        tensor.zero_()
    assert _of(encoder, TaskHeads(SMALL, TaskHeadsConfig()))[:16] == digest


def test_the_folder_and_the_file_format_do_not_matter(tmp_path: Path) -> None:
    model = random_bert()
    one, other = write_bert(tmp_path / "one", model), write_bert(tmp_path / "other", model)
    expected = opened(one).facts.fingerprint
    assert opened(other).facts.fingerprint == expected
    (other / "model.safetensors").unlink()
    torch.save(model.state_dict(), other / "pytorch_model.bin")
    assert opened(other).facts.fingerprint == expected


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


def test_the_default_is_the_bundled_one_and_is_small(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    source = default_source()
    assert (source.name, source.origin) == (BASE, "bundled")
    assert source.folder.parent == paths.bundled_models()
    assert (source.folder / "model.safetensors").stat().st_size <= LARGEST
    facts = model.facts
    assert (facts.n_layers, facts.n_heads, facts.width, facts.vocabulary_size) == (6, 8, 256, 16_000)
    assert facts.task_heads == ("masked", "next_sentence")


def test_every_bundled_folder_opens_completely_and_has_a_licence_and_a_card() -> None:
    folders = [path for path in paths.bundled_models().iterdir() if path.is_dir()]
    assert {BASE} <= {path.name for path in folders}
    for folder in folders:
        assert open_checkpoint(find(str(folder))).report.summary() == ""
        assert {"README.md", "LICENSE"} <= {path.name for path in folder.iterdir()}


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


def test_heads_look_at_neighbours_at_the_separator_and_at_the_other_pieces_of_a_word(model: Model) -> None:
    found = measured(model, TEXTS)
    least = {"the token before": 0.5, "the token after": 0.5, "the separator": 0.95}
    for pattern, most in {**least, "other pieces of the same word": 0.4}.items():
        weights, evenly = found[pattern]
        assert weights.max() > most, pattern
        assert evenly < 0.1, pattern


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
