"""The messages that the layers without Qt show to people, read off the syntax trees: `Message("...", ...)`.

And the words that pyqtgraph shows in the menu and the dialog of a plot, which are translated with ours.
`python -m tests.architecture.shown_words` prints them as a module for the translator: `make translations`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tests.support.module_facts import Module, called_name, modules_of

_MESSAGE, _ERROR = "Message", "AppError"
_LISTS = frozenset({"notices", "remarks", "sentences"})
"""Lists that are filled with sentences for people."""
_WORDS = frozenset({"message", "hint", "problem", "remark"})
"""Arguments by name that are sentences for people."""
_COMMAND_LINE = ("bertviz_app.cli", "bertviz_app.features.rendering")
"""What runs without a window, and speaks English."""
_WIDEST = 84
_OF_PYQTGRAPH = {
    "ViewBox": ("View All", "axis", "Mouse Mode", "3 button", "1 button"),
    "GraphicsScene": ("Export...",),
    "Form": (
        *("Auto", "Manual", "Invert Axis", "Mouse Enabled", "Visible Data Only", "Auto Pan Only", "%"),
        "<html><head/><body><p>Percent of data to be visible when auto-scaling. It may be useful to decrease "
        "this value for data with spiky noise.</p></body></html>",
        "<html><head/><body><p>Automatically resize this axis whenever the displayed data is changed.</p>"
        "</body></html>",
        "<html><head/><body><p>Set the range for this axis manually. This disables automatic scaling. </p>"
        "</body></html>",
        "<html><head/><body><p>Minimum value to display for this axis.</p></body></html>",
        "<html><head/><body><p>Maximum value to display for this axis.</p></body></html>",
        "<html><head/><body><p>Inverts the display of this axis. (+y points downward instead of upward)</p>"
        "</body></html>",
        "<html><head/><body><p>Enables mouse interaction (panning, scaling) for this axis.</p></body></html>",
        "<html><head/><body><p>When checked, the axis will only auto-scale to data that is visible along the "
        "orthogonal axis.</p></body></html>",
        "<html><head/><body><p>When checked, the axis will automatically pan to center on the current data, "
        "but the scale along this axis will not change.</p></body></html>",
        *("Export", "Item to export:", "Export format", "Export options", "Close", "Copy"),
    ),
    "Exporter": (
        *("Image File (PNG, TIF, JPG, ...)", "width", "height", "antialias", "background", "invertValue"),
        *("CSV of original plot data", "separator", "precision", "columnMode"),
    ),
}
"""By pyqtgraph's contexts, what it shows in the menu of a plot and in its dialog to export one."""


def templates(modules: Iterable[Module]) -> tuple[str, ...]:
    """Return the template of each message once, in order; one that only joins others has no words."""
    found = {
        str(call.args[0].value)
        for module in modules
        for call in module.nodes(ast.Call)
        if _called(call) == _MESSAGE and call.args and isinstance(call.args[0], ast.Constant)
    }
    return tuple(sorted(text for text in found if any(map(str.isalpha, text))))


def not_messages(modules: Iterable[Module]) -> list[str]:
    """Return where people are shown a text that is no `Message`, or a message without a literal template."""
    known = [module for module in modules if not module.name.startswith(_COMMAND_LINE)]
    errors = _errors(known)
    return [
        f"{module.where(text)}: {ast.unparse(text)}"
        for module in known
        for call in module.nodes(ast.Call)
        for text in _plain(call, errors, module)
    ]


def words_of_pyqtgraph() -> list[tuple[str, str]]:
    """Return (context, text) of the words of pyqtgraph that people see."""
    return [(context, text) for context, texts in _OF_PYQTGRAPH.items() for text in texts]


def source(texts: Iterable[str], context: str = "Errors") -> str:
    """Return a module that marks `texts` for `lupdate`; long ones are in several pieces."""
    return "".join(f'QT_TRANSLATE_NOOP("{context}", {" ".join(_parts(text))})\n' for text in texts)


def _called(call: ast.Call) -> str:
    return called_name(call).split(".")[-1]


def _errors(modules: Iterable[Module]) -> frozenset[str]:
    """Return the names of the errors that people see."""
    parents = {
        definition.name: {ast.unparse(base) for base in definition.bases}
        for module in modules
        for definition in module.classes()
    }
    names = {_ERROR}
    while more := {name for name, bases in parents.items() if bases & names} - names:
        names |= more
    return frozenset(names)


def _plain(call: ast.Call, errors: frozenset[str], module: Module) -> Iterator[ast.expr]:
    """Yield the arguments of a call that should be messages, or should have a literal template."""
    called = _called(call)
    if called == _MESSAGE:
        if module.name != "bertviz_app.errors" and not _is_text(call.args[0]):
            yield call
        return
    shown = [word.value for word in call.keywords if word.arg in _WORDS and called in errors]
    if called in errors:
        shown += call.args[:2]
    elif called == "append" and called_name(call).split(".")[0] in _LISTS:
        shown += call.args
    for text in shown:
        branches = [text.body, text.orelse] if isinstance(text, ast.IfExp) else [text]
        if any(_is_text(branch) or isinstance(branch, ast.JoinedStr | ast.BinOp) for branch in branches):
            yield text


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != ""


def _parts(text: str) -> list[str]:
    parts = [text[start : start + _WIDEST] for start in range(0, len(text), _WIDEST)]
    return [repr(part) for part in parts]


if __name__ == "__main__":
    print(source(templates(modules_of("bertviz_app"))), end="")  # noqa: T201
    for name, words in _OF_PYQTGRAPH.items():
        print(source(words, name), end="")  # noqa: T201
