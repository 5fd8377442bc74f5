"""What the documents tell people to type exists, and so does every file that they link to."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bertviz_app.learning.documents import KINDS, documents, linked
from tests.pictures.scenes import STILLS, TOUR

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "README.ko.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "resources" / "docs").rglob("*.md")),
    *sorted((ROOT / "models").glob("*/README.md")),
]
_LINK = re.compile(r"\]\(([^)\s]+)\)")


def _text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def _anchors(page: Path) -> set[str]:
    """Return the anchors that a reader of Markdown makes of the headings."""
    headings = re.findall(r"^#+ (.*)$", _text(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_make_command_is_in_the_makefile(page: Path) -> None:
    commands = set(re.findall(r"(?:^    |`)make ([a-z-]+)", _text(page), re.MULTILINE))
    goals = set(re.findall(r"^([a-z-]+):", _text(ROOT / "Makefile"), re.MULTILINE))
    assert commands - goals == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(_text(page)):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in _anchors(target), link


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_every_file_that_is_named_is_there(name: str) -> None:
    pattern = r"(?:bertviz_app|tests|resources)/[\w/-]*\w\.(?:py|md|txt|sh|ts)\b"
    written = re.findall(pattern, _text(ROOT / name))
    locks = {"resources/setup/constraints-3.X.txt"}
    assert [each for each in {*written} - locks if not (ROOT / each).exists()] == []


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


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        *(page.path for page in documents() if page.kind == "tutorials"),
        *(
            ROOT / "resources" / "docs" / "how-to" / f"{name}.md"
            for name in ("train_a_model", "write_a_lesson")
        ),
        ROOT / "resources" / "docs" / "explanation" / "in_class.md",
    ],
    ids=lambda page: page.name,
)
def test_pages_for_students_and_teachers_are_in_korean_too(page: Path) -> None:
    korean = page.with_suffix(".ko.md")
    levels = [re.findall(r"^(#+) ", _text(each), re.MULTILINE) for each in (page, korean)]
    assert levels[0] == levels[1]
    assert _code(page) == _code(korean)
    pictures = [re.findall(r"!\[[^\]]*\]\(([^)]+)\)", _text(each)) for each in (page, korean)]
    assert pictures[0] == pictures[1]
    assert _text(page).count("\n|") == _text(korean).count("\n|")
    assert len(re.findall("[가-힣]", _text(korean))) > 300


def test_every_guide_for_students_and_teachers_is_in_korean() -> None:
    for_others = {"measure_a_corpus"}  # for researchers; those that add something are for developers
    guides = [page for page in documents() if page.kind == "how-to" and page.path.stem not in for_others]
    translated = {page.path.stem for page in guides if "ko" in page.titles}
    assert {page.path.stem for page in guides if not page.path.stem.startswith("add_")} == translated


def test_readme_says_what_is_needed_and_the_first_two_commands() -> None:
    text = _text(ROOT / "README.md")
    assert "    make run " in text
    assert "    make test " in text
    assert "--index-url ADDRESS" in text
    assert "disk for `.venv`" in text


def test_each_document_has_a_title_and_links_are_followed() -> None:
    pages = {page.path.stem: page for page in documents()}
    for page in documents():
        assert page.text("en").startswith(f"# {page.title('en')}\n")
        assert page.text("ko").startswith(f"# {page.title('ko')}\n")
    assert linked(pages["first_steps"], "../how-to/train_a_model.md") == pages["train_a_model"]
    assert linked(pages["first_steps"], "../how-to/train_a_model.ko.md") == pages["train_a_model"]
    assert pages["first_steps"].contains("토큰 소프트맥스")
    assert linked(pages["families"], "accuracy.md#any") == pages["accuracy"]
    assert linked(pages["families"], "https://example.org") is None
    assert pages["families"].contains("DeBERTa modernbert")
    assert not pages["families"].contains("zebra")


def test_the_pictures_of_readme_are_those_that_are_drawn() -> None:
    named = re.findall(r"]\(resources/docs/pictures/(\w+)\.png\)", _text(ROOT / "README.md"))
    assert named == [TOUR, *STILLS]
    for name in named:
        path = ROOT / "resources" / "docs" / "pictures" / f"{name}.png"
        assert path.stat().st_size < 1_500_000, name
        assert (b"acTL" in path.read_bytes()[:100]) == (name == TOUR), "it moves, or it does not"
