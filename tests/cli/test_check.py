"""`bertviz-app check heads.toml`: exit codes, lines, and files that are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.analysis.measures import KEYS, head_measures, head_names
from bertviz_app.api import check, open_model
from bertviz_app.errors import ArgumentError, FileError
from bertviz_app.inference.corpus.assertions import read_statements
from tests.cli.conftest import Run

TEXTS = ("the cat ate", "the dog ran on the mat", "it was a big house")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    file = tmp_path / "texts.txt"
    file.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
    return file


def _write(folder: Path, text: str) -> Path:
    file = folder / "heads.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_mean_is_that_of_the_traces(tiny_bert: Path, corpus: Path, tmp_path: Path) -> None:
    """Every measure, as the mean over texts of what a trace of each has."""
    model = open_model(str(tiny_bert), "cpu")
    of_texts = [head_measures(model.trace(text)) for text in TEXTS]
    checks = "".join(
        f'[[check]]\nhead = "1.2"\nmeasure = "{key}"\nfile = "texts.txt"\nminimum = 0\n' for key in KEYS
    )
    found = check(_write(tmp_path, checks), model)
    for key, one in zip(KEYS, found, strict=True):
        assert one.value == pytest.approx(sum(float(of[key][1, 2]) for of in of_texts) / 3, abs=1e-5)
        assert (one.n_texts, one.at, one.holds) == (3, (1, 2), True)
    assert found.holds
    assert next(iter(found.as_table().rows))[:4] == (1, 1, 2, KEYS[0])


def test_a_name_is_a_share_of_the_texts(tiny_bert: Path, tmp_path: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    texts = ["the cat ate the dog", "it was a big house on a mat", "a dog ran to the house"]
    toml = 'texts = ["' + '", "'.join(texts) + '"]\n[[check]]\nhead = "0.1"\nname = "broad"\nminimum = 0.5\n'
    (found,) = check(_write(tmp_path, toml), model)
    named = [head_names(model.trace(text)).get((0, 1)) for text in texts]
    share = sum(name is not None and name.rule.key == "broad" for name in named) / 3
    assert found.value == pytest.approx(share)
    assert found.holds == (share >= 0.5)


def test_any_head_of_a_layer(tiny_bert: Path, tmp_path: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    measured = head_measures(model.trace(TEXTS[0]))["entropy"]
    toml = f'text = "{TEXTS[0]}"\n'
    toml += '[[check]]\nhead = "1.*"\nmeasure = "entropy"\nminimum = 0.1\n'
    toml += '[[check]]\nhead = "*.*"\nmeasure = "entropy"\nmaximum = 9\n'
    largest, least = check(_write(tmp_path, toml), model)
    assert largest.at == (1, int(measured[1].argmax()))
    assert largest.value == pytest.approx(measured[1].max(), abs=1e-5)
    assert least.value == pytest.approx(measured.min(), abs=1e-5)


def test_exit_codes_and_lines(run: Run, tiny_bert: Path, corpus: Path, tmp_path: Path) -> None:
    good = '[[check]]\nhead = "0.0"\nmeasure = "entropy"\nminimum = 0.01\nfile = "texts.txt"\n'
    bad = '[[check]]\nhead = "0.1"\nmeasure = "previous"\nminimum = 0.99\nfile = "texts.txt"\n'
    bad += 'note = "so it was"\n'
    found = run("check", str(_write(tmp_path, good)), "--model", str(tiny_bert))
    assert found[0] == 0
    assert found[1].startswith("holds  0.0  mean of “entropy” ")
    out = tmp_path / "verdicts.csv"
    found = run("check", str(_write(tmp_path, good + bad)), "--model", str(tiny_bert), "--out", str(out))
    assert found[0] == 1
    lines = found[1].splitlines()
    assert lines[1].startswith("FAILS  0.1  mean of “previous” 0.")
    assert lines[1].endswith("at least 0.99 (3 texts of texts.txt): so it was")
    assert "1 of 2 statements in heads.toml do not hold." in found[2]
    assert [line.rpartition(",")[2] for line in out.read_text("utf-8").splitlines()] == ["holds", "yes", "no"]


def test_the_file_may_name_the_model(run: Run, tiny_bert: Path, corpus: Path, tmp_path: Path) -> None:
    toml = f'model = "{tiny_bert}"\nfile = "texts.txt"\n'
    toml += '[[check]]\nhead = "1.3"\nmeasure = "first"\nmaximum = 1\n'
    assert run("check", str(_write(tmp_path, toml)))[0] == 0


def test_a_column_of_a_table(tiny_bert: Path, tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_text("id\tsentence\n1\tthe cat ate\n2\tthe dog ran\n", encoding="utf-8")
    toml = 'file = "rows.tsv"\ncolumn = "sentence"\n[[check]]\nhead = "0.0"\nmeasure = "same"\nminimum = 0\n'
    (found,) = check(_write(tmp_path, toml), open_model(str(tiny_bert), "cpu"))
    assert (found.n_texts, found.n_left_out) == (2, 0)


GOOD = {"head": '"0.1"', "measure": '"entropy"', "minimum": "0.5", "text": '"the cat"'}
WRONG = {
    "head": ("1", '"0"', '"0.1.2"', '"a.b"', '""', "[0, 1]", '"-1.0"', "0.1"),
    "measure": ('"Entropy"', "3", '""', '"loss"'),
    "minimum": ('"0.5"', "true", "-1", "inf", "nan", "[1]"),
    "text": ('""', '"  "', "3", '["the cat"]'),
    "texts": ("[]", '"the cat"', '["the cat", ""]', "[1]"),
    "file": ('"missing.txt"', '""', "3", '"."', '"a\\u0000b"'),
    "note": ("3", '""'),
    "column": ("true", "[1]"),
    "name": ('"prev"', "1"),
    "maximum": ('"1"', "-0.1"),
    "threshold": ("0.5",),
}


@pytest.mark.parametrize(
    ("key", "value"), [(key, value) for key, values in WRONG.items() for value in values]
)
def test_a_wrong_value_is_named_with_its_line(tmp_path: Path, key: str, value: str) -> None:
    table = dict(GOOD)
    if key in ("texts", "file"):
        del table["text"]
    if key == "name":
        del table["measure"]
    table[key] = value
    first = '# heads\n\n[[check]]\nhead = "0.0"\nmeasure = "first"\nmaximum = 1\ntext = "a"\n\n[[check]]\n'
    toml = first + "".join(f"{name} = {given}\n" for name, given in table.items())
    line = 1 + toml.splitlines().index(f"{key} = {value}")
    with pytest.raises(FileError) as raised:
        read_statements(_write(tmp_path, toml))
    assert raised.value.message == f"heads.toml, line {line}: “{key}” is wrong."
    assert raised.value.hint


@pytest.mark.parametrize(
    ("toml", "said"),
    [
        ("", "states nothing"),
        ("model = 3\n[[check]]\n", "line 1: “model” is wrong"),
        ("models = 'x'\n[[check]]\n", "line 1: “models” is wrong"),
        ("check = 3\n", "line 1: “check” is wrong"),
        ("[check]\nhead = '0.1'\n", "line 1: “check” is wrong"),
        ("[[check]]\nhead = 0.1.2\n", "at line 2, column 11"),
        ("[[check]]\nhead = '0.1'\n", "line 1: “measure” is wrong"),
        ("[[check]]\nhead = '0.1'\nmeasure = 'first'\nname = 'first'\n", "line 4: “name” is wrong"),
        ("[[check]]\nhead = '0.1'\nmeasure = 'first'\n", "line 1: “minimum” is wrong"),
        ("[[check]]\nhead = '0.1'\nmeasure = 'first'\nminimum = 1\n", "line 1: “file” is wrong"),
        ("[[check]]\nhead = '0.1'\nmeasure = 'first'\nminimum = 2\n", "line 4: “minimum” is wrong"),
        (
            "[[check]]\nhead = '0.1'\nmeasure = 'first'\nminimum = 0.5\nmaximum = 0.1\ntext = 'a'\n",
            "line 4: “minimum” is wrong",
        ),
        (
            "text = 'a'\nfile = 'b'\n[[check]]\nhead = '0.1'\nmeasure = 'first'\nminimum = 0.5\n",
            "line 1: “text” is wrong",
        ),
        ("a = " + "[" * 3000, "is no TOML"),
    ],
)
def test_a_wrong_file_is_refused(tmp_path: Path, toml: str, said: str) -> None:
    with pytest.raises(FileError) as raised:
        read_statements(_write(tmp_path, toml))
    assert said in raised.value.message


def test_files_that_cannot_be_read(run: Run, tmp_path: Path, tiny_bert: Path) -> None:
    assert run("check", str(tmp_path / "missing.toml"))[0] == 2
    assert run("check", str(tmp_path))[0] == 2
    (tmp_path / "heads.toml").write_bytes(b"\xff\xfe[[check]]")
    found = run("check", str(tmp_path / "heads.toml"))
    assert found[0] == 2
    assert "is not UTF-8" in found[2]
    (tmp_path / "empty.txt").write_text("\n\n", encoding="utf-8")
    toml = 'file = "empty.txt"\n[[check]]\nhead = "0.0"\nmeasure = "same"\nminimum = 0\n'
    found = run("check", str(_write(tmp_path, toml)), "--model", str(tiny_bert))
    assert found[0] == 2
    assert "Nothing of empty.txt can be measured." in found[2]
    found = run("check", str(_write(tmp_path, toml.replace("0.0", "0.9"))), "--model", str(tiny_bert))
    assert found[0] == 2
    assert "heads.toml, line 2: there is no head 0.9." in found[2]


def test_from_python_what_is_no_path_is_refused() -> None:
    with pytest.raises(ArgumentError, match="in a file, not int"):
        check(3)  # type: ignore[arg-type]
