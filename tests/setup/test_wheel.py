"""The wheel has all that the program reads, and nothing that only a checkout needs."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

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


def _files(folder: Path) -> set[str]:
    """Return the files of a folder of the checkout, without what tools leave there and downloads begun."""
    files = (path.relative_to(ROOT) for path in folder.rglob("*") if path.is_file())
    return {path.as_posix() for path in files if not {"__pycache__", ".incomplete"} & {*path.parts}}


def _is_of_a_checkout(name: str) -> bool:
    """Return whether only a checkout needs a file: its set-up, README's pictures, sources of translations."""
    return (
        name.startswith("resources/setup/")
        or (name.startswith("resources/docs/pictures/") and name.endswith(".png"))
        or (name.startswith("resources/translations/") and name.endswith(".ts"))
    )


@pytest.mark.slow
def test_the_wheel_has_the_package_and_everything_of_resources_and_models(names: set[str]) -> None:
    shipped = _files(ROOT / "resources") | _files(ROOT / "models")
    unneeded = {name for name in shipped if _is_of_a_checkout(name)}
    assert len(unneeded) < len(shipped) / 4
    assert names == _files(ROOT / "bertviz_app") | {f"bertviz_app/{name}" for name in shipped - unneeded}


@pytest.mark.slow
def test_the_wheel_has_nothing_that_only_a_checkout_needs(names: set[str]) -> None:
    inside = {name.removeprefix("bertviz_app/") for name in names}
    assert [name for name in inside if _is_of_a_checkout(name)] == []
    assert {name.split("/")[0] for name in names} == {"bertviz_app"}


@pytest.mark.slow
def test_the_wheel_has_every_file_that_a_document_shows(names: set[str]) -> None:
    docs = ROOT / "resources" / "docs"
    for path in docs.rglob("*.md"):
        for picture in re.findall(r"!\[[^\]]*\]\(([^)]+)\)", path.read_text(encoding="utf-8")):
            shown = (path.parent / picture).resolve().relative_to(ROOT).as_posix()
            assert f"bertviz_app/{shown}" in names


@pytest.mark.slow
def test_the_source_distribution_has_everything_of_a_checkout(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False)
    assert done.returncode == 0, done.stderr
    (path,) = tmp_path.glob("bertviz_app-*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    folders = ("bertviz_app", "resources", "models", "installers", "tests")
    assert [name for folder in folders for name in sorted(_files(ROOT / folder)) if name not in names] == []
