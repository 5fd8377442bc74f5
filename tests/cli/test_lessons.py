"""`bertviz-app lesson`: mistakes in a lesson are one line each, with exit code 2."""

from __future__ import annotations

import json
from pathlib import Path

from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.paths import resources
from tests.cli.conftest import Run


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
