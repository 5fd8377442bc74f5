"""What the window says about a table that cannot be read as it is: neither options nor keywords of Python."""

from __future__ import annotations

import ast
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet
from pytestqt.qtbot import QtBot

from bertviz_app import text_tables
from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.features.corpora.process.measuring import LineReader, TextReading
from bertviz_app.features.corpora.process.readers import READERS
from bertviz_app.features.corpora.process.run import Remarks, nothing_measured
from bertviz_app.features.corpora.state.history import TrainingTime
from bertviz_app.features.training.settings import read_documents
from bertviz_app.features.training.state import look_at
from bertviz_app.inference.jobs import Jobs
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.wording import error_text

_WORDS = "".join(f"{at}\tword\t_\tNOUN\t_\t_\t0\troot\t_\t_\n" for at in range(1, 4)) + "\n"
_TAGS = "word\tner\tpos\n" + "the\tO\tDET\ncat\tB-X\tNOUN\n\n" * 20
_CHOSEN = "\n\n".join("the O\ncat B-X" for _ in range(20)) + "\n"
_ROWS = "label\ttext\n" + "a\tgood\nb\tbad\n" * 5
_FLAGS = "id,comment,toxic,threat\n1,a b,1,0\n2,c d,0,0\n"
_SCORES = "sentence1\tsentence2\tscore\n" + "".join(f"a {n}\tb {n}\t{n % 6}\n" for n in range(12))
_SPANS = '{"text": "a b", "label": [[0, 1, "X"]], "entities": [[0, 1, "Y"]]}\n'
_Read = Callable[[Path], object]


def _tuned(choices: TableChoices = BY_CONTENT) -> _Read:
    def read(path: Path) -> None:
        error = look_at(path, None, choices).error
        if error is not None:
            raise error

    return read


def _measured(reading: TextReading) -> _Read:
    return lambda path: LineReader((str(path),), reading).form(str(path))


def _parquet() -> bytes:
    content = io.BytesIO()
    parquet.write_table(pa.table({"title": ["a"], "text": ["b c"]}), content)
    return content.getvalue()


CASES: tuple[tuple[str | bytes, _Read], ...] = (
    ("a b c\td e f\tg h i\n" * 3, _tuned()),
    ("one\ntwo\n", _tuned(TableChoices(target="classes"))),
    ("one\ntwo\n", lambda path: list(READERS["labelled"](path, BY_CONTENT))),
    (_ROWS.replace("text", "what"), _tuned()),
    (_ROWS.replace("label", "what"), _tuned()),
    ("label\ttext\tcomment\n" + "a\tb c\td e\n" * 5, _tuned()),
    ("label\tintent\ttext\n" + "a\tb\td e\n" * 5, _tuned()),
    (_ROWS, _tuned(TableChoices(label_column="hate"))),
    (_ROWS, _tuned(TableChoices(text_column="label", label_column="label"))),
    (_ROWS, lambda path: list(READERS["pairs"](path, TableChoices(text_column="text")))),
    (_FLAGS, _tuned()),
    (_SCORES, _tuned()),
    ("text\tlabel\na b\t2,14\nc d\t2\n", _tuned()),
    ('text\tlabel\na b\t[{"a": 1}]\n', _tuned()),
    ('{"text": "a b"}\n' * 3, _tuned()),
    (_parquet(), _measured(TextReading())),
    (_parquet(), lambda path: read_documents(path)),
    (_WORDS * 5, _tuned()),
    (_WORDS * 5, _tuned(TableChoices(label_column="hate"))),
    (_TAGS, _tuned()),
    (_CHOSEN, _tuned(TableChoices(target="tokens", label_column="9"))),
    (_SPANS * 3, _tuned()),
    (bytes(range(128, 256)) * 3, _tuned()),
    (b"label\ttext\n" + "고양이\t배\n".encode("cp949") * 9, _tuned(TableChoices(encoding="utf-8"))),
    ("고양이\n배\n".encode("cp949"), _measured(TextReading(encoding="utf-8"))),
    (_FLAGS, _measured(TextReading())),
    (_FLAGS, _measured(TextReading(column="body"))),
    ('{"a": "x y", "b": "z"}\n' * 3, lambda path: read_documents(path, "c")),
    ('{"a": "x y", "b": "z"}\n' * 3, _measured(TextReading())),
)


def _errors(folder: Path) -> Iterator[AppError]:
    for number, (content, read) in enumerate(CASES):
        path = folder / f"{number}.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            read(path)
        except AppError as error:
            yield error


def _hints_with_options() -> set[str]:
    """Return the templates of hints in each function of `text_tables` that names an option."""
    found = set()
    for file in Path(text_tables.__path__[0]).glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                texts = [one.value for one in ast.walk(function) if isinstance(one, ast.Constant)]
                if any(isinstance(text, str) and text.startswith("--") for text in texts):
                    found |= {text for text in texts if isinstance(text, str) and text.startswith("Give ")}
    return found


def _templates(hint: str) -> Iterator[str]:
    if isinstance(hint, Message):
        yield hint.template
        for part in hint.arguments:
            if isinstance(part, Message):
                yield from _templates(part)


def test_no_option_and_no_keyword_is_named_in_the_window(tmp_path: Path) -> None:
    errors = list(_errors(tmp_path))
    seen = {template for error in errors for template in _templates(error.hint)}
    expected = _hints_with_options()
    assert len(expected) >= 9
    assert expected <= seen, "each of them is among the cases"
    for error in errors:
        words = error_text(error)
        assert "--" not in words
        assert not re.search(r"\b[a-z_]+=", words), words
        if "--" in error.hint:
            assert isinstance(error, TableError)
            assert "Make your choice in “" in words
            assert words.endswith("”, below the first rows.")


def test_each_way_out_names_the_boxes_in_which_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(_FLAGS)
    look = look_at(path, None, BY_CONTENT)
    assert look.error is not None
    assert "--label-column toxic,threat" in look.error.hint
    assert error_text(look.error) == (
        "a.csv does not show which column has the labels. Make your choice in “Label”, below the first rows."
    )


def test_what_only_a_prompt_has_is_left_out() -> None:
    remarks = Remarks(counts=Counter({"undecodable": 2, "long": 1, "damaged": 1}), file="a.csv")
    error = nothing_measured(["a.txt"], 4, remarks)
    assert "--truncate" in error.hint
    assert error_text(error).endswith(
        ": damaged 1, long 1, undecodable 2. All are named in a.csv. "
        "Make your choice in “Encoding”, below the first rows. Correct what is named there."
    )


def test_where_no_column_is_asked_for_a_text_is(qtbot: QtBot, tmp_path: Path) -> None:
    path, errors, jobs = tmp_path / "a.csv", list[Exception](), Jobs("test")
    path.write_text(_FLAGS)
    for step in (1, 2):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "config.json").write_text("{}")
    jobs.start()
    TrainingTime(Tasks(jobs), errors.append).open(tmp_path, path)
    qtbot.waitUntil(lambda: bool(errors))
    jobs.close()
    (error,) = errors
    assert isinstance(error, FileError)
    assert "is a table (separated by comma" in error.message
    assert error.hint == "Give a file of text, a sentence a line."
