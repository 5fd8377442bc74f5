"""Analyses of other packages: what an entry point may bring, and what is left out, with a reason."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bertviz_app import api
from bertviz_app.analysis.catalogue import (
    CATALOGUE,
    GROUP,
    THEMES,
    analyses,
    analysis_with,
    by_theme,
    find_analysis,
    installed,
)
from bertviz_app.api import analyse, from_arrays
from bertviz_app.errors import AnalysisError
from tests.api.test_analyse import PIECES, weights

HEAD = """
    from dataclasses import dataclass
    from bertviz_app.analysis.entry import Inputs, analysis
    from bertviz_app.analysis.parameters import NoParameters, Reporter
    from bertviz_app.analysis.results import Quantity, TokenScalars
    from bertviz_app.errors import Message
    import numpy as np

    def made(key, title="Ones", parameters=NoParameters, result=TokenScalars):
        def ones(inputs, parameters, reporter):
            pieces = inputs.trace.tokens.pieces
            return TokenScalars(pieces, np.ones(len(pieces), np.float32), Quantity(""))

        ones.__annotations__ = {"parameters": parameters, "return": result}
        words = Message(title), Message("All are 1."), Message("It says nothing.")
        return analysis(key=key, title=words[0], summary=words[1], limits=words[2], paper="Nobody 2024")(ones)
"""
Install = Callable[..., None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package as pip leaves it: a module, and beside it a folder with its entry points."""
    before = set(sys.modules)
    monkeypatch.syspath_prepend(tmp_path)

    def make(package: str, source: str | None, *points: str) -> None:
        module = package.replace("-", "_")
        if source is not None:
            (tmp_path / f"{module}.py").write_text(dedent(HEAD) + dedent(source), encoding="utf-8")
        about = tmp_path / f"{module}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
        lines = [f"{point} = {module}:{point}" for point in points]
        (about / "entry_points.txt").write_text("\n".join([f"[{GROUP}]", *lines]), encoding="utf-8")
        installed.cache_clear()

    yield make
    for name in {*sys.modules} - before:
        if name.startswith("package_"):
            del sys.modules[name]
    installed.cache_clear()


def keys() -> list[str]:
    return [one.key for one in installed().analyses]


def test_one_analysis_or_several_are_behind_ours_and_a_theme_of_their_own(install: Install) -> None:
    install("package-b", 'several = [made("ones-b"), made("ones-c")]', "several")
    install("package-a", 'one = made("ones-a")', "one")
    assert keys() == ["ones-a", "ones-b", "ones-c"]
    assert installed().problems == ()
    assert analyses() == (*CATALOGUE, *installed().analyses)
    assert by_theme() == [*THEMES, ("From other packages", installed().analyses)]
    assert analyses() == api.ANALYSES
    assert find_analysis("ones-b") is installed().analyses[1]
    trace = from_arrays(weights(2, 3, 7, 7), PIECES)
    assert analyse("ones-c", trace).arrays()["values"].tolist() == [1.0] * 7


def test_nothing_is_imported_before_analyses_are_listed(install: Install) -> None:
    install("package-a", 'one = made("ones-a")', "one")
    assert analysis_with("head-measures") in CATALOGUE
    assert "package_a" not in sys.modules
    assert analysis_with("ones-a") is not None
    assert "package_a" in sys.modules


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (None, "ModuleNotFoundError: No module named 'package_bad'"),
        ("other = 1", "AttributeError: module 'package_bad' has no attribute 'point'"),
        ("raise ValueError('no\\n  such file.')", "ValueError: no such file"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("def point(): ...", "it is of type function, and not what @analysis(...) makes of a function"),
        ("point = None", "it is of type NoneType, and not what @analysis(...) makes of a function"),
        (
            'point = made("Ones of mine")',
            "its key “Ones of mine” is not small letters and digits with hyphens between them",
        ),
        ("point = made(3)", "its key “3” is not small letters and digits with hyphens between them"),
        ('point = made("head-measures")', "there is another analysis with the key “head-measures”"),
        ('point = made("ones-a")', "there is another analysis with the key “ones-a”"),
        ('point = made("ones-b", title="")', "its title is not a text"),
        (
            'point = made("ones-b", result=dict)',
            "what it returns is annotated as <class 'dict'>, which is no result",
        ),
        (
            'Bare = dataclass(type("Bare", (), {"__annotations__": {"n": int}}))\n'
            'point = made("ones-b", parameters=Bare)',
            "its parameters cannot be read: TypeError: ",
        ),
        (
            'point = analysis(key="ones", title="a", summary="b", limits="c", paper="d")(lambda i, p, r: 1)',
            "TypeError: the function of an analysis has no annotation of: parameters, return",
        ),
    ],
)
def test_what_cannot_be_an_analysis_is_named_with_the_reason_and_the_rest_works(
    install: Install, source: str | None, reason: str
) -> None:
    install("package-a", 'one = made("ones-a")', "one")
    install("package-bad", None if source is None else dedent(source), "point")
    assert keys() == ["ones-a"]
    (problem,) = installed().problems
    assert problem.startswith("The analysis “point” of the package “package-bad” is left out: " + reason)
    assert problem.endswith(".")
    assert "\n" not in problem
    with pytest.raises(AnalysisError) as raised:
        find_analysis("ones-z")
    assert raised.value.hint.endswith(f"self-test, ones-a. {problem}")
    with pytest.warns(UserWarning, match="is left out") as warned:
        listed = api.ANALYSES
    assert [str(one.message) for one in warned] == [problem]
    assert listed == analyses()


def test_of_a_list_only_what_cannot_be_is_left_out(install: Install) -> None:
    install("package-a", 'several = [made("ones-a"), 1, made("ones-a"), made("ones-b")]', "several")
    assert keys() == ["ones-a", "ones-b"]
    assert len(installed().problems) == 2


def test_a_result_of_another_class_than_the_annotation_is_named(install: Install) -> None:
    install(
        "package-a",
        'from bertviz_app.analysis.results import HeadScalars\none = made("ones-a", result=HeadScalars)',
        "one",
    )
    with pytest.raises(TypeError, match="ones-a returned a TokenScalars, and is annotated with HeadScalars"):
        analyse("ones-a", from_arrays(weights(2, 3, 7, 7), PIECES))


def test_a_distribution_without_metadata_is_named_by_its_module(install: Install, tmp_path: Path) -> None:
    install("package-a", "point = 1", "point")
    (tmp_path / "package_a-1.0.dist-info" / "METADATA").unlink()
    (problem,) = installed().problems
    assert "of the package “package_a” is left out" in problem


def test_the_command_line_lists_them_and_says_in_a_line_what_is_left_out(
    install: Install, capsys: pytest.CaptureFixture[str]
) -> None:
    from bertviz_app.cli import main

    install("package-a", 'one = made("ones-a")', "one")
    install("package-bad", None, "point")
    assert main(["analyses"]) == 0
    printed: Any = capsys.readouterr()
    assert "\nones-a\n  Ones: Nobody 2024.\n  All are 1.\n" in printed.out
    (line,) = printed.err.splitlines()
    assert line.startswith("bertviz-app: The analysis “point” of the package “package-bad” is left out: Mod")
