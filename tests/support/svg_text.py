"""What a reader of an SVG reads in it, however many elements the fonts of this machine cut its lines into."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

from PySide6.QtWidgets import QWidget

from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.look import Look

_SVG = "{http://www.w3.org/2000/svg}"


def lines_of_text(path: Path) -> list[str]:
    """Return the text on each baseline, from the top, each from left to right.

    Qt writes one element for each font of a line: where one font has both Latin and Hangul, a line of both is
    one element, elsewhere several. Spaces belong to the elements, so these are joined as they are.
    """
    baselines: dict[float, list[tuple[float, str]]] = defaultdict(list)
    for group in ElementTree.parse(path).iter(f"{_SVG}g"):
        for element in group.findall(f"{_SVG}text"):
            x, y = _on_page(group, float(element.attrib["x"]), float(element.attrib["y"]))
            baselines[round(y, 1)].append((x, "".join(element.itertext())))
    return ["".join(text for _, text in sorted(line)).strip() for _, line in sorted(baselines.items())]


def lines_drawn_by(widget: QWidget, look: Look, folder: Path) -> list[str]:
    """Return the text that `widget` draws, a line for each baseline; `folder` is written to."""
    path = folder / "drawn.svg"
    write(record(widget, look, None), path)
    return lines_of_text(path)


def _on_page(group: ElementTree.Element, x: float, y: float) -> tuple[float, float]:
    """Return where a point of a group is on the page: Qt writes groups side by side, never nested."""
    matrix = group.attrib["transform"].removeprefix("matrix")
    a, b, c, d, dx, dy = map(float, re.findall(r"[-+.e\d]+", matrix))
    return a * x + c * y + dx, b * x + d * y + dy
