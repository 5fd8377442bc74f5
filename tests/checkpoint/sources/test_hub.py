"""Downloads, from a server on this computer: what is fetched, how it is told, how it fails."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from transformers import BertModel

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.sources import hub as hub_module
from bertviz_app.checkpoint.sources.hub import download
from bertviz_app.checkpoint.sources.source import find, list_sources
from bertviz_app.errors import Cancelled, CheckpointError, HubError
from bertviz_app.inference.engine import Engine
from tests.support.adapters import write_adapter
from tests.support.checkpoint_folders import copy_of, opened
from tests.support.hub_server import REVISION, Hub, serving
from tests.support.sentence_piece_models import write_model

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


def test_a_revision_can_be_named(hub: Hub) -> None:
    assert download(NAME, revision="other", endpoint=hub.url).folder.name == REVISION
    assert f"GET /api/models/{NAME}/revision/other" in hub.requests


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


@pytest.mark.parametrize("revision", ["", "..", "a..b", "/x", "x/", "a b", "-x", "x" * 300])
def test_what_is_no_revision_asks_nobody(hub: Hub, revision: str) -> None:
    with pytest.raises(HubError, match="no such revision"):
        download(NAME, revision=revision, endpoint=hub.url)
    assert hub.requests == []


def test_requests_go_to_the_mirror_where_there_is_one(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
    facts = Engine().load(f"{NAME}@other")
    assert (facts.name, facts.n_layers) == (f"{NAME}@other", 2)
    assert f"GET /api/models/{NAME}/revision/other" in hub.requests


def test_an_address_that_is_none_is_an_error(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "nonsense")
    with pytest.raises(HubError, match="could not be reached"):
        download(NAME)


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
            thread.join(10)
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


def test_a_model_of_another_family_is_refused_before_it_is_fetched(hub: Hub) -> None:
    hub.model_type = "gpt2"
    with pytest.raises(CheckpointError, match="gpt2"):
        download(NAME, endpoint=hub.url)
    assert not [line for line in hub.requests if "resolve" in line]


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


@pytest.mark.parametrize(
    "name",
    [
        *("", "tiny", "a/b/c", "../etc", "org/../x", "org/na me", "o--rg/x", "-a/b"),
        *("org/a..b", "org/x.", "org/x-", "org/x.git"),
    ],
)
def test_what_is_no_name_asks_nobody(hub: Hub, name: str) -> None:
    with pytest.raises(HubError, match="no name of a model"):
        download(name, endpoint=hub.url)
    assert hub.requests == []


def test_a_full_disk_is_an_error(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr("huggingface_hub.file_download.http_get", full)
    with pytest.raises(HubError, match="could not be written") as caught:
        download(NAME, endpoint=hub.url)
    assert "Free some space" in caught.value.hint


def test_a_defect_is_not_called_an_error_of_the_hub(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*arguments: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(hub_module, "_files_to_load", broken)
    with pytest.raises(ZeroDivisionError):
        download(NAME, endpoint=hub.url)
