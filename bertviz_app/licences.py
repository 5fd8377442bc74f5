"""What else is in the program, and under which licences: of each package that it needs, its own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.metadata import Distribution, PackageNotFoundError, distribution

from bertviz_app import paths
from bertviz_app.values import dataclass

_PROJECT = "bertviz-app"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_TEXT = re.compile(r"(licen[cs]e|copying|notice|copyright)[^/]*$", re.IGNORECASE)
_CODE = (".py", ".pyc", ".pyi", ".so", ".json")
_LINE = "=" * 100
_LISTED = re.compile(r"\* (\S+) (\S*): (.*)")


@dataclass(frozen=True)
class Component:
    """A part that somebody else wrote. `texts` are the licences that came with it, each after its file."""

    name: str
    version: str
    licence: str
    texts: tuple[tuple[str, str], ...] = ()


def components() -> list[Component]:
    """Return what others wrote in this very program. It reads some hundred files: call it on a worker.

    A program with its own Python has one file with all of it, any other the packages that are installed.
    """
    path = paths.resources() / "licences" / "THIRD_PARTY.txt"
    return from_text(path.read_text(encoding="utf-8")) if path.is_file() else installed_components()


def installed_components(also: Iterable[str] = ()) -> list[Component]:
    """Return the packages that the program needs and that are installed, and those of `also`, by their names.

    What they need in turn is among them; what an extra would add only where `also` names it.
    """
    found: dict[str, Component] = {}
    waiting = [_PROJECT, *also]
    while waiting:
        name = re.sub(r"[-_.]+", "-", waiting.pop()).lower()
        if name in found:
            continue
        try:
            package = distribution(name)
        except PackageNotFoundError:  # of another platform, or of another Python
            continue
        facts = package.metadata
        # The expression is the newest form; some packages have the whole text in the older field.
        named = [facts[name] for name in ("License-Expression", "License") if name in facts]
        declared = next((text for text in named if text), "").strip()
        classifiers = [
            line.rsplit("::", 1)[1].strip() for line in facts.get_all("Classifier") or () if "License" in line
        ]
        licence = declared if declared and "\n" not in declared else ", ".join(classifiers)
        found[name] = Component(facts["Name"], package.version, licence or "see its text", _texts(package))
        required = (line for line in package.requires or () if "extra ==" not in line)
        waiting += [start[0] for line in required if (start := _NAME.match(line))]
    found.pop(_PROJECT, None)
    return [found[name] for name in sorted(found)]


def as_text(components: Iterable[Component]) -> str:
    """Return a list of the components, and the text of each licence below it."""
    components = tuple(components)
    names = "\n".join(f"* {each.name} {each.version}: {each.licence}" for each in components)
    texts = [
        f"{_LINE}\n{each.name} {each.version}: {file}\n{_LINE}\n\n{text.strip()}\n"
        for each in components
        for file, text in each.texts
    ]
    return "\n".join([f"{names}\n", *texts])


def from_text(text: str) -> list[Component]:
    """Return the components of a text that `as_text` made, whatever stands before it."""
    parts = re.split(rf"^{_LINE}$\n", text, flags=re.MULTILINE)
    texts: dict[str, list[tuple[str, str]]] = {}
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        name, _, file = title.strip().partition(": ")
        texts.setdefault(name, []).append((file, body.strip()))
    return [
        Component(listed[1], listed[2], listed[3], tuple(texts.get(f"{listed[1]} {listed[2]}", ())))
        for line in parts[0].splitlines()
        if (listed := _LISTED.match(line))
    ]


def _texts(package: Distribution) -> tuple[tuple[str, str], ...]:
    """Return the licences among the files of a package: what several files say alike once."""
    by_text: dict[str, str] = {}
    for file in package.files or ():
        if _TEXT.search(file.name) and file.suffix not in _CODE and file.locate().is_file():  # type: ignore[attr-defined]
            text = file.read_binary().decode("utf-8", "replace")
            by_text.setdefault(text, re.sub(r"^.*?\.dist-info/(licenses/)?", "", file.as_posix()))
    return tuple(sorted((name, text) for text, name in by_text.items()))
