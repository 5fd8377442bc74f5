"""What the documents tell people to type exists, and so does every file that they link to."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Collection, Iterable
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.learning.documents import KINDS, documents, linked
from bertviz_app.version import __version__
from tests.pictures.scenes import STILLS, TOUR
from tests.support.module_facts import ROOT, examples, modules_of

PAGES = [
    *(ROOT / name for name in ("README.md", "README.ko.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "resources" / "docs").rglob("*.md")),
    *sorted((ROOT / "models").glob("*/README.md")),
]
DOCUMENTS = ROOT / "resources" / "docs"
FOR_DEVELOPERS = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(DOCUMENTS / "explanation" / f"{name}.md" for name in ("architecture", "decisions")),
    *sorted((DOCUMENTS / "how-to").glob("add_*.md")),
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _anchors(page: Path) -> set[str]:
    """Return the anchors that a reader of Markdown makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", _text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _faults(pages: Iterable[Path], of: Callable[[Path], Collection[str]]) -> dict[str, list[str]]:
    """Return what `of` finds wrong, by the pages that have faults."""
    return {page.relative_to(ROOT).as_posix(): sorted(found) for page in pages if (found := of(page))}


def test_every_make_command_is_in_the_makefile() -> None:
    goals = set(re.findall(r"^([a-z-]+):", _text(ROOT / "Makefile"), re.MULTILINE))

    def missing(page: Path) -> set[str]:
        return set(re.findall(r"(?:^    |`)make ([a-z-]+)", _text(page), re.MULTILINE)) - goals

    assert _faults(PAGES, missing) == {}


def test_every_link_leads_somewhere() -> None:
    def leads(page: Path, link: str) -> bool:
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        is_there = target.exists() and target.is_relative_to(ROOT)
        return is_there and (not anchor or anchor in _anchors(target))

    def missing(page: Path) -> set[str]:
        return {link for link in _LINK.findall(_text(page)) if "://" not in link and not leads(page, link)}

    assert _faults(PAGES, missing) == {}


MADE_UP = re.compile(r"NAME|entropy|cli/count|constraints-3\.X|name(\.ko)?\.md")
"""The files that a guide has the reader make, and patterns of names."""


def _names_of_files(page: Path) -> set[str]:
    """Return the files that a page names, by their whole path or by its end."""
    pattern = r"(?<![\w/.:-])(?:[\w-]+/)*[\w-]+(?:\.ko)?\.(?:py|md|sh|ts|toml)\b"
    return {name for name in re.findall(pattern, _text(page)) if not MADE_UP.search(name)}


@pytest.fixture(scope="module")
def files() -> list[str]:
    """Every file of the project that a page may name."""
    tops = ("bertviz_app", "tests", "resources", "models", "installers")
    below = [path for top in tops for path in (ROOT / top).rglob("*") if path.is_file()]
    return [f"/{path.relative_to(ROOT).as_posix()}" for path in (*below, *ROOT.glob("*.*"))]


def test_every_file_that_is_named_is_there(files: list[str]) -> None:
    def missing(page: Path) -> list[str]:
        names = _names_of_files(page)
        return [name for name in names if not any(file.endswith(f"/{name}") for file in files)]

    assert _faults(FOR_DEVELOPERS, missing) == {}


@pytest.fixture(scope="module")
def classes() -> dict[str, list[ast.ClassDef]]:
    """The classes of the program by their names."""
    found: dict[str, list[ast.ClassDef]] = {}
    for node in (node for module in modules_of("bertviz_app") for node in module.classes()):
        found.setdefault(node.name, []).append(node)
    return found


def _members(name: str, classes: dict[str, list[ast.ClassDef]]) -> set[str]:
    """Return the names that stand in a class of the program, and in the classes that it inherits from."""
    own = classes.get(name, [])
    bases = {base for node in own for base in re.findall(r"\w+", " ".join(map(ast.unparse, node.bases)))}
    nodes = own + [node for base in sorted(bases) for node in classes.get(base, [])]
    return {member for node in nodes for member in _names_in(node)}


def _names_in(node: ast.ClassDef) -> set[str]:
    names = set[str]()
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef):
            names.add(each.name)
        elif isinstance(each, ast.Name):
            names.add(each.id)
        elif isinstance(each, ast.Attribute):
            names.add(each.attr)
    return names


@pytest.mark.slow
def test_every_method_that_is_named_is_there(classes: dict[str, list[ast.ClassDef]]) -> None:
    def missing(page: Path) -> set[str]:
        named = re.findall(r"(?<![\w/])([A-Z][a-z]\w+)\.(_?[a-z]\w+)(?![\w/]|\.py)", _text(page))
        absent = {f"{name}.{member}" for name, member in named if member not in _members(name, classes)}
        return absent - {"Trace.mosaic"}  # a decision says why that one is gone

    assert _faults(FOR_DEVELOPERS, missing) == {}


def test_every_name_of_the_code_is_in_the_code() -> None:
    known = {*_words_of_the_code(), "includes_self"}  # the parameter of an example
    pages = [
        page for page in FOR_DEVELOPERS if page.stem != "decisions"
    ]  # those name parts of libraries, too

    def missing(page: Path) -> set[str]:
        return set(re.findall(r"`(_?[a-z]\w*_\w+)(?:\([^`]*\))?`", _text(page))) - known

    assert _faults(pages, missing) == {}


@cache
def _words_of_the_code() -> frozenset[str]:
    code = (
        path.read_text("utf-8") for top in ("bertviz_app", "tests") for path in (ROOT / top).rglob("*.py")
    )
    return frozenset(word for text in code for word in re.findall(r"\w+", text))


def test_readme_links_every_document_of_every_kind() -> None:
    links = [link for link in _LINK.findall(_text(ROOT / "README.md")) if ":" not in link]
    assert {page.path.resolve() for page in documents()} <= {(ROOT / link).resolve() for link in links}
    assert {page.kind for page in documents()} == set(KINDS)


def _code(page: Path) -> list[str]:
    """Return the lines that are to be typed: those of indented and of fenced blocks."""
    text = _text(page)
    fenced = re.findall(r"^```\w*\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    outside = re.sub(r"^```\w*\n.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    return [*re.findall(r"^    (\S.*)$", outside, re.MULTILINE), *"".join(fenced).splitlines()]


FOR_STUDENTS = [
    ROOT / "README.md",
    *(page.path for page in documents() if page.kind == "tutorials"),
    *(DOCUMENTS / "how-to" / f"{name}.md" for name in ("train_a_model", "write_a_lesson")),
    DOCUMENTS / "explanation" / "in_class.md",
]


def test_pages_for_students_and_teachers_are_in_korean_too() -> None:
    patterns = {"headings": r"^(#+) ", "pictures": r"!\[[^\]]*\]\(([^)]+)\)", "rows of tables": r"^(\|)"}

    def differing(page: Path) -> list[str]:
        both = page, page.with_suffix(".ko.md")
        found = [
            what
            for what, pattern in patterns.items()
            if len({tuple(re.findall(pattern, _text(each), re.MULTILINE)) for each in both}) > 1
        ]
        found += ["code"] if _code(both[0]) != _code(both[1]) else []
        return found + (["is not Korean"] if len(re.findall("[가-힣]", _text(both[1]))) <= 300 else [])

    assert _faults(FOR_STUDENTS, differing) == {}


def test_every_guide_for_students_and_teachers_is_in_korean() -> None:
    # For researchers; those that add something are for developers.
    for_others = {"measure_a_corpus"}
    guides = [page for page in documents() if page.kind == "how-to" and page.path.stem not in for_others]
    translated = {page.path.stem for page in guides if "ko" in page.titles}
    assert {page.path.stem for page in guides if not page.path.stem.startswith("add_")} == translated


def test_readme_has_the_requirements_and_the_first_two_commands() -> None:
    text = _text(ROOT / "README.md")
    assert "    make run " in text
    assert "    make test " in text
    set_up = _text(DOCUMENTS / "reference" / "set_up.md")
    assert "(resources/docs/reference/set_up.md)" in text
    assert "--index-url ADDRESS" in set_up
    assert "disk for `.venv`" in set_up


def test_each_document_has_a_title_and_links_are_followed() -> None:
    pages = {page.path.stem: page for page in documents()}
    for page in documents():
        assert page.text("en").startswith(f"# {page.title('en')}\n")
        for language, title in page.titles.items():
            assert page.title(language) == title
            assert page.text(language).startswith(f"# {title}\n")
        assert {"en", "ko"} <= {*page.titles, *page.more_titles}, page.path.name
    assert linked(pages["first_steps"], "../how-to/train_a_model.md") == pages["train_a_model"]
    assert linked(pages["first_steps"], "../how-to/train_a_model.ko.md") == pages["train_a_model"]
    assert pages["first_steps"].contains("토큰 소프트맥스")
    assert linked(pages["families"], "accuracy.md#any") == pages["accuracy"]
    assert linked(pages["families"], "https://example.org") is None
    assert pages["families"].contains("DeBERTa modernbert")
    assert not pages["families"].contains("zebra")


def test_the_pictures_of_readme_are_those_that_are_drawn() -> None:
    named = re.findall(r"]\(resources/docs/pictures/(\w+)\.png\)", _text(ROOT / "README.md"))
    first, *others = STILLS
    assert named == [first, TOUR, *others]
    for name in named:
        path = ROOT / "resources" / "docs" / "pictures" / f"{name}.png"
        assert path.stat().st_size < 1_500_000, name
        assert (b"acTL" in path.read_bytes()[:100]) == (name == TOUR), "it moves, or it does not"


def test_the_heads_of_the_examples_are_in_the_bundled_checkpoint() -> None:
    """Whoever copies a command that names no checkpoint gets the one that comes with the program."""
    facts = json.loads((ROOT / "models" / "bert-mini-en-ko" / "config.json").read_text(encoding="utf-8"))
    limits = {"layer": facts["num_hidden_layers"], "head": facts["num_attention_heads"]}
    found = []
    for path in (ROOT / "README.md", *(ROOT / "resources" / "docs").rglob("*.md")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if "bertviz-app " in line and "--model" not in line:
                found += [(path.name, *each) for each in re.findall(r"--(layer|head) (\d+)", line)]
    assert found
    assert [one for one in found if int(one[2]) >= limits[one[1]]] == []


def test_every_name_that_an_example_imports_is_in_its_module() -> None:
    def missing(page: Path) -> list[str]:
        text = "\n".join(examples(page.name))
        imports = re.findall(r"^ *from (bertviz_app[\w.]*) import ([\w, ]+)$", text, re.MULTILINE)
        named = [(module, name) for module, names in imports for name in names.split(", ")]
        return [f"{module}.{name}" for module, name in named if not hasattr(import_module(module), name)]

    assert _faults(sorted((DOCUMENTS / "how-to").glob("*.md")), missing) == {}


def test_the_program_is_installed_from_its_folder() -> None:
    wrong = [page for page in PAGES if "pip install bertviz-app" in _text(page).replace('"', "")]
    assert wrong == [], "no package index has it"


def test_no_message_names_a_package_that_no_index_has() -> None:
    assert [path for path in (ROOT / "bertviz_app").rglob("*.py") if "bertviz-app[" in _text(path)] == []


def test_there_are_thirteen_lessons_as_the_pages_say() -> None:
    assert any(re.search("hirteen|열세", _text(page)) for page in PAGES)
    assert len(shipped_lessons()) == 13


def test_what_is_cited_is_this_version() -> None:
    lines = dict(line.split(": ", 1) for line in _text(ROOT / "CITATION.cff").splitlines() if ": " in line)
    assert (lines["title"], lines["version"], lines["license"]) == ("BertViz App", __version__, "Apache-2.0")
