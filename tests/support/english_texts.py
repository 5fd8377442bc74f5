"""`english_texts`: the texts of a window in Korean that were left in English."""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

from PySide6.QtCore import QAbstractListModel, QBuffer, QByteArray, QSize, Qt
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QLineEdit, QMenu, QWidget

from bertviz_app.features.lessons.course.reading import shipped_examples
from bertviz_app.learning.glossary import glossary
from bertviz_app.paths import own_lessons
from bertviz_app.shell.process import log_file
from tests.support.fakes import FACTS

NAMED = """
    BertViz App BERT CLS SEP ID CPU bfloat MB GB ms GELU ReLU SiLU tanh softmax exp cos max norm JS PC
    PNG SVG PDF CSV TSV NPZ JSON UTF CP GB Python English Korean Viridis Magma Cividis ALTI DecompX GlobEnc
    Kobayashi Parquet f x acl neurips nature wide mm cm in pt
    Ctrl Shift Alt Del Delete Esc Enter Home Page Up Down PgUp PgDown Left Right Return
    from_arrays attention tokens patches image AttnLRP CKA OV QK
    fake bert mini en ko PyTorch CoNLL KLUE NER can the cat fish sat it slept
"""
"""Names and keys, the words of formulas, and the tokens of the text and of the sentence of lessons."""
# Terms such as "RMS" are English names; tests/learning reads the entries themselves.
TERMS = {f"{entry.name.ko} (무엇인가요?)" for entry in glossary()}
EXAMPLES = []
for _each in shipped_examples():
    _texts = [text.ko for text in (_each.scene.text, _each.scene.pair) if text]
    EXAMPLES.append((_each.title.ko, f"{'  |  '.join(_texts)}\n{_each.ask.ko}"))
OF_THE_TESTS = frozenset(
    (
        FACTS.origin,
        str(log_file()),
        str(own_lessons()),
        "sentence-transformers가 계산하는 문장 벡터",  # the library has no other name
        *(text for title, ask in EXAMPLES for text in (title, ask, f"{title}. {ask}")),
    )
)
"""What is English by rights: the examples, where the fake checkpoint comes from, a file."""
WORD = re.compile("[A-Za-z]{2,}")


def all_texts(*widgets: QWidget) -> set[str]:
    """Return the texts of widgets and of those in them."""
    texts: set[str] = set()
    for widget in widgets:
        texts |= {text for part in (widget, *widget.findChildren(QWidget)) for text in _written(part)}
        texts |= set(painted_texts(widget))
    return texts


def english_texts(*widgets: QWidget) -> set[str]:
    """Return the texts of widgets, and of those in them, with words that are no names."""
    return {
        text
        for text in all_texts(*widgets) - OF_THE_TESTS - TERMS
        if set(WORD.findall(_plain(text))) - set(WORD.findall(NAMED))
    }


def _plain(text: str) -> str:
    """Return `text` without marks: of rich text, and of the letter that a menu underlines."""
    return re.sub(r"<[^>]*>|&\w+;", " ", text).replace("&", "")


def _written(widget: QWidget) -> Iterator[str]:
    """Yield what a widget says by itself, and what it says when asked."""
    yield from (
        widget.windowTitle(),
        widget.toolTip(),
        widget.accessibleName(),
        widget.accessibleDescription(),
    )
    if isinstance(widget, QLabel | QAbstractButton):
        yield widget.text()
    if isinstance(widget, QLineEdit):
        yield widget.placeholderText()
    if isinstance(widget, QComboBox):
        yield from (widget.itemText(index) for index in range(widget.count()))
    if isinstance(widget, QMenu):
        for action in widget.actions():
            yield from (action.text(), action.toolTip())
    if isinstance(widget, QAbstractItemView):
        yield from _listed(widget)


def _listed(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    n_columns = 1 if isinstance(model, QAbstractListModel) else model.columnCount()
    for role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
        for column in range(n_columns):
            yield str(model.headerData(column, Qt.Orientation.Horizontal, role) or "")
            for row in range(model.rowCount()):
                yield str(model.index(row, column).data(role) or "")


def painted_texts(widget: QWidget) -> Iterator[str]:
    """Yield what is drawn of a widget and of those in it."""
    data = QByteArray()
    buffer = QBuffer(data)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setSize(QSize(widget.width(), widget.height()))
    widget.render(generator)
    for node in ElementTree.fromstring(bytes(data.data())).iter("{http://www.w3.org/2000/svg}text"):
        yield node.text or ""
