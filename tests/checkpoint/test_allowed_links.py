"""Links out of a checkpoint's folder: refused until the user allows them, as they are at that moment."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.checkpoint.folder import links_out_of
from bertviz_app.checkpoint.questions import Answers, AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.inference.engine import Engine
from tests.support.checkpoint_folders import opened

pytestmark = pytest.mark.skipif(os.name == "nt", reason="links need a permission there")


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


def test_links_are_an_open_question_that_names_them(linked: Path, tmp_path: Path) -> None:
    with pytest.raises(AnswersError, match="leads out of") as caught:
        opened(linked)
    assert "--follow-links" in caught.value.hint
    assert "links=True" in caught.value.hint
    questions = caught.value.questions
    assert questions.unanswered == ("links",)
    scratch = tmp_path / "scratch"
    assert questions.links == (str(scratch / "model.safetensors"), str(scratch / "tokenizer.json"))
    assert find(str(linked)).asks


def test_what_was_allowed_once_stays_allowed_and_is_not_written_into_the_folder(
    linked: Path, tiny_bert: Path
) -> None:
    assert open_model(str(linked), "cpu", links=True).facts.fingerprint == opened(tiny_bert).facts.fingerprint
    assert not (linked / "bertviz_app.json").exists()
    assert opened(linked).facts.name == "linked"


def test_a_link_that_is_changed_later_is_not_allowed(linked: Path, tiny_bert: Path) -> None:
    Engine().answer(str(linked), Answers(links=True))
    (linked / "tokenizer.json").unlink()
    (linked / "tokenizer.json").symlink_to(tiny_bert / "tokenizer.json")
    with pytest.raises(AnswersError, match=r"tokenizer\.json is a link that leads out of"):
        opened(linked)


def test_a_folder_cannot_allow_its_own_links(linked: Path) -> None:
    (linked / "bertviz_app.json").write_text(json.dumps({"links": True}), "utf-8")
    with pytest.raises(AnswersError, match="leads out of"):
        opened(linked)


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
