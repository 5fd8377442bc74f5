"""A change that a test notices is killed, one that none notices lives; both are found again after edits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutants import __main__ as mutants
from tests.mutants.changes import mutants_of

_SIZES = '''"""Sizes."""


def is_large(n: int) -> bool:
    """Return whether n is large."""
    return n > 10


def never(n: int) -> int:
    return n + n


def shared(n: int) -> int:
    return n * n
'''
_TESTS = """import pytest

from bertviz_app.sizes import is_large, shared


@pytest.fixture(scope="module")
def area() -> int:
    return shared(3)


def test_it_is_a_number(area: int) -> None:
    assert isinstance(area, int | float)


def test_eleven_is_large() -> None:
    assert is_large(11)


def test_the_area(area: int) -> None:
    assert area == 9


def test_that_fails() -> None:
    assert not is_large(11)
"""


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout with one file and its tests, as the command sees it."""
    root = tmp_path / "checkout"
    (root / "bertviz_app").mkdir(parents=True)
    (root / "bertviz_app/__init__.py").touch()
    (root / "bertviz_app/sizes.py").write_text(_SIZES, encoding="utf-8")
    (root / "test_sizes.py").write_text(_TESTS, encoding="utf-8")
    subprocess.run(["git", "init", "-q", root], check=True)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setattr(mutants, "ROOT", root)
    monkeypatch.setattr(mutants, "FILE", tmp_path / "killed.txt")
    group = {"changed": ["bertviz_app/sizes.py"], "tests": ["test_sizes.py"]}
    monkeypatch.setattr(mutants, "GROUPS", {"sizes": group})
    return root


def _row(outcome: str, function: str, change: str, statement: str) -> str:
    return f"{outcome}\tsizes\tbertviz_app/sizes.py\t{function}\t0\t{change}\t{statement}\n"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
def test_each_is_run_with_the_tests_of_its_line_and_what_was_killed_may_not_live(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        _row("killed", "is_large", "n > 10 -> n >= 10", "return n > 10"),
        _row("lived", "is_large", "10 -> 11", "return n > 10"),
        _row("killed", "never", "n + n -> n - n", "return n + n"),
        _row("killed", "shared", "n * n -> n / n", "return n * n"),
        _row("killed", "shared", "n * n -> n // n", "return n * n"),
    ]
    mutants.FILE.write_text("".join(rows), encoding="utf-8")
    assert mutants.main([]) == 1
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].endswith("test_sizes.py::test_that_fails")
    assert [each[:13].strip() for each in printed[1:6]] == [
        "lived",
        "killed",
        "not covered",
        "killed",
        "gone",
    ]
    assert printed[8].split() == ["sizes", "2", "0", "1", "1", "1"]
    assert printed[9:] == [f"was killed: {each}" for each in (printed[1], printed[3])]
    assert (root / "bertviz_app/sizes.py").read_text("utf-8") == _SIZES
    assert mutants.FILE.read_text("utf-8") == "".join(rows)


def test_what_is_chosen_is_written_and_found_where_its_function_has_moved(root: Path) -> None:
    chosen = mutants.choose(root, "sizes")
    assert {each.function for each in chosen} == {"is_large", "never", "shared"}
    mutants.write(chosen)
    assert mutants.read() == chosen == mutants.choose(root, "sizes")
    (root / "bertviz_app/sizes.py").unlink()
    _, _, rest = _SIZES.replace("n * n", "n**2").partition("def never")
    moved = f"def never{rest}\n\nclass Sizes:\n    def is_large(self, n):\n        return n > 10\n"
    (root / "bertviz_app/moved.py").write_text(moved, encoding="utf-8")
    found = [mutants.find(root, each) for each in mutants.read()]
    assert {(each.function, each.file, each.line) for each in found} == {
        ("never", "bertviz_app/moved.py", 2),
        ("Sizes.is_large", "bertviz_app/moved.py", 11),
        ("shared", "bertviz_app/sizes.py", 0),
    }


_STATEMENTS = b'''def changed(self, some, other):
    """No change."""
    assert some is not None
    for each in some:
        if each < 2 and not other:
            self.count += 1
            break
        self.names[each] = f"{each + 1}"
    while some:
        other.append(-some)
        continue
    return some if other else other[1:]
'''


def test_each_kind_of_change_is_made_once_and_leaves_the_rest_as_it_is() -> None:
    found = list(mutants_of("file.py", _STATEMENTS))
    assert [(each.line, each.change) for each in found] == [
        (5, "each < 2 and (not other) -> not (each < 2 and (not other))"),
        (5, "each < 2 and (not other) -> each < 2 or not other"),
        (5, "each < 2 -> each <= 2"),
        (5, "2 -> 3"),
        (5, "2 -> 1"),
        (5, "not other -> other"),
        (6, "removed"),
        (6, "-> self.count -= 1"),
        (6, "1 -> 2"),
        (6, "1 -> 0"),
        (7, "break -> continue"),
        (8, "removed"),
        (9, "some -> not some"),
        (10, "removed"),
        (10, "-some -> some"),
        (11, "continue -> break"),
        (12, "some if other else other[1:] -> None"),
        (12, "some if other else other[1:] -> some if not other else other[1:]"),
        (12, "1 -> 2"),
        (12, "1 -> 0"),
    ]
    before = _STATEMENTS.splitlines()
    for each in found:
        compile(each.applied(_STATEMENTS), each.file, "exec")
        after = each.applied(_STATEMENTS).splitlines()
        assert [at + 1 for at, line in enumerate(before) if after[at] != line] == [each.line]
