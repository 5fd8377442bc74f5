"""The wheel has all that the program reads, and nothing that only a checkout needs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from bertviz_app.learning.documents import KINDS

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The files in a wheel built of this checkout, without those about the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("bertviz_app-*.whl")
    with ZipFile(wheel) as archive:
        return {name for name in archive.namelist() if ".dist-info/" not in name}


def _shipped(*folders: str) -> set[str]:
    """Return the files of these folders as the wheel calls them."""
    files = (path for folder in folders for path in (ROOT / folder).rglob("*") if path.is_file())
    return {f"bertviz_app/{path.relative_to(ROOT).as_posix()}" for path in files}


@pytest.mark.slow
def test_the_wheel_has_the_package_its_types_and_what_it_reads(names: set[str]) -> None:
    package = {path.relative_to(ROOT).as_posix() for path in (ROOT / "bertviz_app").rglob("*.py")}
    translations = {name for name in _shipped("resources/translations") if name.endswith(".qm")}
    assert translations
    models = {name for name in _shipped("models") if "/.incomplete/" not in name}
    expected = {
        *package,
        "bertviz_app/py.typed",
        *_shipped(*(f"resources/{name}" for name in ("icons", "themes", "glossary", "lessons", "examples"))),
        *_shipped("resources/notebook"),
        *_shipped("resources/steps"),
        *_shipped(*(f"resources/docs/{kind}" for kind in KINDS)),
        "bertviz_app/resources/docs/titles.json",
        "bertviz_app/resources/docs/pictures/learning_curve.svg",
    }
    assert names == expected | translations | models


@pytest.mark.slow
def test_the_wheel_has_nothing_that_only_a_checkout_needs(names: set[str]) -> None:
    unneeded = ("bertviz_app/resources/setup/", "tests/")
    assert [name for name in names if name.startswith(unneeded) or name.endswith(".ts")] == []
