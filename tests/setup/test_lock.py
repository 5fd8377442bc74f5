"""The locks name one version of each requirement, in the ranges of `pyproject.toml`."""

from __future__ import annotations

import importlib.util
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PYTHONS = ("3.11", "3.12", "3.13")


@pytest.fixture(scope="module")
def lock() -> ModuleType:
    """The command that `make lock` runs."""
    spec = importlib.util.spec_from_file_location("lock", ROOT / "resources/setup/lock.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    by_name = project["project"]["optional-dependencies"]
    del by_name["notebook"]  # what it installs is tried in notebooks; the tests have a stand-in
    extras = by_name.values()
    groups = [project["build-system"]["requires"], project["project"]["dependencies"], *extras]
    return [Requirement(line) for group in groups for line in group]


@pytest.mark.parametrize("python", PYTHONS)
def test_every_requirement_is_locked_to_a_version_in_its_range(lock: ModuleType, python: str) -> None:
    locked = lock.read(lock.path_of(python))
    environment = {"python_version": python, "python_full_version": f"{python}.0"}
    required = [each for each in _requirements() if each.marker is None or each.marker.evaluate(environment)]
    outside = [
        str(each)
        for each in required
        if not each.specifier.contains(locked.get(canonicalize_name(each.name), "0"))
    ]
    assert outside == [], "run `make lock`"


@pytest.mark.parametrize("python", PYTHONS)
def test_a_lock_names_public_versions_and_nothing_else(lock: ModuleType, python: str) -> None:
    comment, *lines = lock.path_of(python).read_text(encoding="utf-8").splitlines()
    assert comment == lock.HEADER.format(python).strip()
    requirements = [Requirement(line) for line in lines]
    names = [requirement.name for requirement in requirements]
    assert names == sorted(set(names))
    for requirement in requirements:
        (version,) = requirement.specifier
        assert (version.operator, requirement.url, requirement.marker) == ("==", None, None)
        assert "+" not in version.version


def test_a_python_without_a_lock_has_no_versions(lock: ModuleType) -> None:
    assert lock.read(lock.path_of("3.99")) == {}


def test_locked_versions_stay_and_a_build_of_this_machine_is_not_locked(
    lock: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[list[str]] = []

    def resolve(interpreter: str, constraints: list[str]) -> dict[str, str]:
        requested.append(constraints)
        if "torch!=2.13.0+cpu" in constraints:
            return {"numpy": "2.4.6", "torch": "2.13.0", "triton": "3.7.1"}
        return {"numpy": "2.4.6", "torch": "2.13.0+cpu"}

    monkeypatch.setattr(lock, "resolve", resolve)
    found = lock.versions_for("python3.11", {"numpy": "2.4.6"})
    assert found == {"numpy": "2.4.6", "torch": "2.13.0", "triton": "3.7.1"}
    assert requested == [["numpy==2.4.6"], ["numpy==2.4.6", "torch!=2.13.0+cpu"]]


def test_what_changed_is_one_line_each(lock: ModuleType) -> None:
    old, new = (
        {"numpy": "2.4.5", "ruff": "0.17.6", "tqdm": "4.70.1"},
        {"numpy": "2.4.6", "ruff": "0.17.6", "typer": "1"},
    )
    assert lock.changes(old, new) == [
        "  numpy: 2.4.5 -> 2.4.6",
        "  tqdm: 4.70.1 -> not there",
        "  typer: not there -> 1",
    ]
