"""Adapters beside whole models, on their own, and inside a file of weights: nothing is guessed."""

from __future__ import annotations

import json
import shutil
import warnings
from pathlib import Path
from typing import Unpack

import pytest
import torch
from safetensors.torch import load_file, save_file

from bertviz_app import paths
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.questions import Answers, AnswersError, GivenAnswers
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import Engine
from tests.support.adapters import OF_BERT, write_adapter
from tests.support.checkpoint_folders import Tensors, change_weights, opened
from tests.support.families import write_family

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkpoint in a folder, on a computer with an empty cache of the hub."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(paths, "trained_models", lambda: tmp_path / "trained")
    write_family(tmp_path / "base", "bert")
    return tmp_path / "base"


@pytest.fixture
def adapter(base: Path, tmp_path: Path) -> Path:
    """A LoRA of that checkpoint, in a folder of its own."""
    write_adapter(tmp_path / "adapter", base, target_modules=OF_BERT)
    return tmp_path / "adapter"


def _with(folder: Path, **answers: Unpack[GivenAnswers]) -> Checkpoint:
    return open_checkpoint(find(str(folder)), answers=Answers(**answers))


def _change_settings(adapter: Path, **changes: object) -> None:
    path = adapter / "adapter_config.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | changes), "utf-8")


def _change_adapter(adapter: Path, tensors: Tensors) -> None:
    path = adapter / "adapter_model.safetensors"
    save_file({name: tensor.clone() for name, tensor in (load_file(path) | tensors).items()}, path)


def test_an_adapter_alone_finds_its_base_and_remarks_list_what_was_added(adapter: Path, base: Path) -> None:
    facts = opened(adapter).facts
    assert (facts.name, facts.n_layers) == ("adapter", 3)
    assert facts.remarks[:2] == (
        f"The adapter adapter is added to the weights in {base}.",
        "LoRA is added to 10 matrices, with the scale 1.5.",
    )
    source = find(str(adapter))
    assert (source.family, source.n_layers, source.problem, source.asks) == ("BERT", 3, None, False)


@pytest.mark.parametrize("name", ["adapter_config.json", "adapter_model.safetensors"])
def test_a_file_of_an_adapter_stands_for_it(name: str, adapter: Path) -> None:
    assert opened(adapter / name).facts.fingerprint == opened(adapter).facts.fingerprint


def test_an_adapter_as_a_pickle_gives_the_same(adapter: Path) -> None:
    before = opened(adapter).facts.fingerprint
    path = adapter / "adapter_model.safetensors"
    torch.save(load_file(path), adapter / "adapter_model.bin")
    path.unlink()
    assert opened(adapter).facts.fingerprint == before


def test_the_base_is_found_in_the_cache_of_the_hub(adapter: Path, base: Path, tmp_path: Path) -> None:
    before = opened(adapter).facts.fingerprint
    repository = tmp_path / "hub" / "models--someone--base"
    shutil.move(base, repository / "snapshots" / REVISION)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(REVISION)
    _change_settings(adapter, base_model_name_or_path="someone/base")
    assert opened(adapter).facts.fingerprint == before
    _change_settings(adapter, revision="other")
    with pytest.raises(AnswersError, match="someone/base@other"):
        opened(adapter)


def test_a_base_that_is_not_here_is_an_open_question_and_never_downloaded(
    adapter: Path, base: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = opened(adapter).facts.fingerprint
    _change_settings(adapter, base_model_name_or_path="someone/base")
    monkeypatch.setattr("huggingface_hub.HfApi", None)
    source = find(str(adapter))
    assert (source.asks, source.problem) == (True, None)
    with pytest.raises(AnswersError, match="“someone/base”, which is not on this computer") as caught:
        opened(adapter)
    assert caught.value.questions.unanswered == ("base",)
    assert _with(adapter, base=str(base)).facts.fingerprint == before


def test_an_answer_is_saved_and_can_be_changed(adapter: Path, base: Path) -> None:
    _change_settings(adapter, base_model_name_or_path="someone/base")
    engine = Engine()
    assert engine.answer(str(adapter), Answers(base=str(base))) == ""
    facts = engine.load(str(adapter))
    assert facts.questions is not None
    assert facts.questions.in_force == Answers(base=str(base))
    assert Engine().load(str(adapter)).fingerprint == facts.fingerprint


def test_a_model_with_an_adapter_beside_it_asks_which_is_meant(adapter: Path, base: Path) -> None:
    plain, adapted = opened(base).facts, opened(adapter).facts
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        shutil.copy(adapter / name, base)
    with pytest.raises(AnswersError, match="--adapter") as caught:
        opened(base)
    assert caught.value.questions.unanswered == ("adapter",)
    without, added = _with(base, adapter=False).facts, _with(base, adapter=True).facts
    assert without.fingerprint == plain.fingerprint
    assert "The adapter beside the weights is not added to them." in without.remarks
    assert added.fingerprint == adapted.fingerprint
    assert added.questions is not None
    assert added.questions.in_force == Answers(adapter=True)


def test_the_engine_distinguishes_a_folder_with_and_without_its_adapter(adapter: Path, base: Path) -> None:
    for name in ("adapter_config.json", "adapter_model.safetensors"):
        shutil.copy(adapter / name, base)
    engine = Engine()
    engine.answer(str(base), Answers(adapter=False))
    without = engine.load(str(base)).fingerprint
    engine.answer(str(base), Answers(adapter=True))
    assert engine.load(str(base)).fingerprint != without


@pytest.mark.parametrize("answers", [{"adapter": True}, {"base": "x"}, {"lora_alpha": 8.0}])
def test_an_answer_about_no_adapter_is_refused(answers: GivenAnswers, base: Path) -> None:
    with pytest.raises(CheckpointError, match="no adapter"):
        _with(base, **answers)


@pytest.mark.parametrize(
    ("task", "kind", "head"),
    [
        ("SEQ_CLS", "SequenceClassification", "classes"),
        ("TOKEN_CLS", "TokenClassification", "token_labels"),
        ("QUESTION_ANS", "QuestionAnswering", "answer"),
    ],
)
def test_the_trained_head_of_an_adapter_is_computed(
    task: str, kind: str, head: str, base: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "for-a-task"
    write_adapter(folder, base, kind=f"AutoModelFor{kind}", task_type=task, target_modules=OF_BERT)
    assert opened(folder).facts.task_heads == (head,)
    assert opened(base).facts.task_heads == ()


def test_heads_of_pre_training_are_no_part_of_a_model_for_another_task(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "classifier"
    write_family(base, "bert", "AutoModelForPreTraining")
    write_adapter(
        folder, base, kind="AutoModelForSequenceClassification", task_type="SEQ_CLS", target_modules=OF_BERT
    )
    facts = opened(folder).facts
    assert facts.task_heads == ("classes",)
    assert any("Task heads that are not used: cls." in remark for remark in facts.remarks)


def test_an_adapter_of_another_checkpoint_is_refused(adapter: Path, tmp_path: Path) -> None:
    write_family(tmp_path / "narrow", "bert", hidden_size=16)
    with pytest.raises(CheckpointError, match=r"The adapter changes .* of the shape") as caught:
        _with(adapter, base=str(tmp_path / "narrow"))
    assert caught.value.hint == "The adapter is of another checkpoint."
    write_family(tmp_path / "short", "bert", num_hidden_layers=1)
    with pytest.raises(CheckpointError, match="which the checkpoint does not have"):
        _with(adapter, base=str(tmp_path / "short"))


def test_an_adapter_that_cannot_be_merged_is_refused(adapter: Path) -> None:
    for kind in ("PREFIX_TUNING", "PROMPT_TUNING", "P_TUNING", "ADAPTION_PROMPT"):
        _change_settings(adapter, peft_type=kind)
        with pytest.raises(CheckpointError, match=f"of the kind {kind}") as caught:
            opened(adapter)
        assert "cannot be merged" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"peft_type": "IA3"}, "of the kind IA3"),
        ({"peft_type": "PREFIX_TUNING"}, "of the kind PREFIX_TUNING"),
        ({"peft_type": "ADALORA"}, "of the kind ADALORA"),
        ({"peft_type": None, "model_class": "BertModel"}, "AdapterHub"),
        ({"init_lora_weights": "pissa"}, "began as pissa"),
        ({"use_qalora": True}, "use_qalora"),
        ({"layer_replication": [[0, 2]]}, "layer_replication"),
        ({"an_option_of_tomorrow": {"x": 1}}, "an_option_of_tomorrow"),
        ({"r": 2}, "the rank 2, but the weights have 4"),
        ({"alpha_pattern": {"(a+)+b": 3}}, "pattern “\\(a\\+\\)\\+b”"),
        ({"lora_alpha": "many"}, "lora_alpha"),
        ({"lora_alpha": 10**400}, "lora_alpha"),
        ({"alpha_pattern": {"query": -(10**400)}}, "alpha_pattern"),
    ],
)
def test_what_is_not_computed_is_refused_by_its_name(
    settings: dict[str, object], words: str, adapter: Path
) -> None:
    _change_settings(adapter, **settings)
    with pytest.raises(CheckpointError, match=words):
        opened(adapter)


@pytest.mark.parametrize(
    ("name", "kind", "way_out"),
    [
        ("encoder.layer.0.attention.self.query.ia3_l", "IA3", "merge_and_unload"),
        ("encoder.layer.0.output.adapters.mine.adapter_down.0.weight", "AdapterHub", "cannot be merged"),
        ("encoder.layer.0.attention.self.query.loras.mine.lora_A", "LoRA of AdapterHub", "merge_adapter"),
        ("encoder.layer.0.attention.self.query.hada_w1_a", "LoHa", "merge_and_unload"),
        ("encoder.layer.0.attention.self.query.lora_E", "AdaLoRA", "merge_and_unload"),
        ("prompt_encoder.default.embedding.weight", "prompt or prefix tuning", "cannot be merged"),
    ],
)
def test_another_adapter_among_the_weights_is_refused_by_its_kind(
    name: str, kind: str, way_out: str, base: Path
) -> None:
    change_weights(base, lambda tensors: tensors | {name: torch.zeros(4, 4)})
    with pytest.raises(CheckpointError, match=f"kind {kind}") as caught:
        opened(base)
    assert way_out in caught.value.hint


def test_factors_that_do_not_belong_together_are_refused(adapter: Path) -> None:
    name = "base_model.model.encoder.layer.0.attention.self.query.lora_A.weight"
    _change_adapter(adapter, {name: torch.zeros(3, 32)})
    with pytest.raises(CheckpointError, match=r"their shapes are \[32, 4\] and \[3, 32\]"):
        opened(adapter)
    _change_adapter(adapter, {name.replace("query", "missing"): torch.zeros(4, 32)})
    with pytest.raises(CheckpointError, match="only one of the two factors"):
        opened(adapter)


def _loralib(adapter: Path) -> dict[str, torch.Tensor]:
    """Return the factors of the adapter's linear modules by the names of loralib."""
    found = load_file(adapter / "adapter_model.safetensors")
    linear = {name: tensor for name, tensor in found.items() if "embedding" not in name}
    return {
        name.removeprefix("base_model.model.").removesuffix(".weight"): tensor
        for name, tensor in linear.items()
    }


def test_the_scale_of_loralib_is_an_open_question(base: Path, tmp_path: Path) -> None:
    adapter = tmp_path / "adapter"
    write_adapter(adapter, base, target_modules=["query", "intermediate.dense"])
    adapted, plain = opened(adapter).facts.fingerprint, opened(base).facts.fingerprint
    change_weights(base, lambda tensors: tensors | _loralib(adapter))
    with pytest.raises(AnswersError, match="--lora-alpha") as caught:
        opened(base)
    assert (caught.value.questions.unanswered, caught.value.questions.rank) == (("lora_alpha",), 4)
    facts = _with(base, lora_alpha=6.0).facts
    assert facts.fingerprint == adapted
    assert "LoRA is added to 6 matrices, with the scale 1.5." in facts.remarks
    assert facts.questions is not None
    assert facts.questions.in_force == Answers(lora_alpha=6.0)
    assert _with(base, lora_alpha=0.0).facts.fingerprint == plain


def test_the_tables_of_loralib_are_transposed(base: Path) -> None:
    before = opened(base).encoder.embeddings.token.weight.detach()
    down, up = torch.randn(2, len(before)), torch.randn(32, 2)
    start = "embeddings.word_embeddings.lora_"
    change_weights(base, lambda tensors: tensors | {f"{start}A": down, f"{start}B": up})
    after = _with(base, lora_alpha=2.0).encoder.embeddings.token.weight
    torch.testing.assert_close(after, before + (up @ down).T)


def test_a_saved_state_of_peft_is_opened_by_the_settings_beside_it(adapter: Path, base: Path) -> None:
    import peft
    from transformers import AutoModel

    expected = opened(adapter).facts.fingerprint
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of peft about transformers
        model = peft.PeftModel.from_pretrained(AutoModel.from_pretrained(base), adapter)
    (base / "model.safetensors").unlink()
    torch.save(model.state_dict(), base / "pytorch_model.bin")
    with pytest.raises(AnswersError, match="--lora-alpha"):
        opened(base)
    shutil.copy(adapter / "adapter_config.json", base)
    assert opened(base).facts.fingerprint == expected


def test_a_saved_state_of_two_adapters_is_refused(base: Path) -> None:
    start = "encoder.layer.0.attention.self.query.lora_"
    two = {f"{start}{part}.{name}.weight": torch.zeros(4, 4) for part in "AB" for name in ("one", "two")}
    change_weights(base, lambda tensors: tensors | two)
    with pytest.raises(CheckpointError, match="several adapters: one, two"):
        opened(base)
