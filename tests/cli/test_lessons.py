"""Commands for lessons, handouts and guides."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader
from PySide6.QtWidgets import QApplication

import bertviz_app
from bertviz_app.cli import commands
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.paths import resources
from tests.cli.conftest import Run
from tests.support.module_facts import examples, run_example


def test_the_lessons_are_listed(run: Run) -> None:
    code, out, err = run("lesson", "list")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert [line.split()[0] for line in lines[1:]] == [lesson.key for lesson in shipped_lessons()]


def test_a_lesson_is_checked_on_its_numbers(run: Run, tmp_path: Path) -> None:
    sound = resources() / "lessons" / "07_residual_and_norm.json"
    code, out, err = run("lesson", "check", str(sound))
    assert (code, err) == (0, "")
    assert out.endswith(": 3 stations, no mistakes.\n")
    content = json.loads(sound.read_text(encoding="utf-8"))
    content["stations"][2]["task"]["claims"][2]["is"] = "<"
    (tmp_path / "false.json").write_text(json.dumps(content), encoding="utf-8")
    code, out, err = run("lesson", "check", str(tmp_path / "false.json"))
    assert (code, out) == (2, "")
    assert [line.split(": ")[2] for line in err.splitlines()] == ["forgets (en)", "forgets (ko)"]
    assert "the claim “layer_norm < layer_norm” is false: 1.34164, -1.34164" in err


def test_a_mistake_names_its_line(run: Run, tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    text = (resources() / "lessons" / "07_residual_and_norm.json").read_text(encoding="utf-8")
    content = json.loads(text)
    del content["stations"][1:]
    content["stations"][0]["scene"]["query"] = "zebra"
    content["stations"][0].pop("task")
    own.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    code, _, err = run("lesson", "check", str(own))
    (line,) = (n for n, each in enumerate(own.read_text(encoding="utf-8").split("\n"), 1) if "zebra" in each)
    assert code == 2
    assert f"own.json, line {line}: " in err.splitlines()[0]
    assert "there is no token “zebra”" in err
    content["stations"][0]["scene"].pop("query")
    own.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")
    assert run("lesson", "check", str(own))[1].endswith(": 1 station, no mistakes.\n")


def test_a_lesson_that_cannot_be_read_is_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('{\n "key": 3\n}', encoding="utf-8")
    for arguments, words in (
        (("check", str(tmp_path / "bad.json")), "bad.json, line 1: “title” is missing"),
        (("check", str(tmp_path / "none.json")), "none.json cannot be read"),
        (("check",), "No lesson to check was given. Give it: lesson check FILE."),
    ):
        code, out, err = run("lesson", *arguments)
        assert (code, out) == (2, "")
        assert words in err
        assert err.count("\n") == 1


TEXT = "A cat ate the fish because it was hungry"


def test_the_head_of_a_pair_is_written(qapp: QApplication, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "x.pdf"
    code, out, err = run("handout", TEXT, "--query", "it", "--key", "cat", "--out", str(path))
    assert (code, out, err) == (0, f"Wrote {path}.\n", "")
    text = " ".join(" ".join(page.extract_text().split()) for page in PdfReader(path).pages)
    trace = bertviz_app.open_model().trace(TEXT)
    weights = trace.attention()[:, :, 7, 2]
    layer, head = divmod(int(weights.argmax()), trace.n_heads)
    assert f"layer {layer} · head {head}" in text
    assert f"{weights.max():.4f}" in text


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_head_that_is_named(qapp: QApplication, run: Run, tmp_path: Path, language: str) -> None:
    path = tmp_path / "x.pdf"
    options = ("--layer", "1", "--head", "2", "--language", language)
    assert run("handout", "나는 밥을 먹었다", *options, "--out", str(path))[0] == 0
    text = " ".join(" ".join(page.extract_text().split()) for page in PdfReader(path).pages)
    assert {"en": "layer 1 · head 2", "ko": "레이어 1 · 헤드 2"}[language] in text
    assert "나는 밥을 먹었다" in text


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ((), "No file was given for the hand-out."),
        (("--out", "x.png"), "does not end in .pdf"),
        (("--out", "x.pdf", "--query", "dog"), "There is no token “dog”."),
        (("--out", "x.pdf", "--layer", "99"), "There is no layer 99"),
    ],
)
def test_what_cannot_be_written_is_one_line(
    qapp: QApplication, run: Run, options: tuple[str, ...], words: str
) -> None:
    code, out, err = run("handout", TEXT, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_the_sub_command_of_the_guide_counts_tokens(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, test = examples("add_a_subcommand.md")
    names: dict[str, Any] = {"__name__": "count"}
    run_example(module, names)

    monkeypatch.setattr(commands, "COMMANDS", (*commands.COMMANDS, names["count"]))
    run_example(test, names)
    names["test_tokens_are_counted"](run, tmp_path)
