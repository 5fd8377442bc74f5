"""What mouse and keys do in a plot is written once, in the class of all plots with parts."""

from __future__ import annotations

import ast

from tests.support.module_facts import modules_of

HANDLERS = frozenset(
    {
        "keyPressEvent",
        "mouseMoveEvent",
        "mousePressEvent",
        "on_clicked",
        "on_entered",
        "on_let_go",
        "on_pointed",
        "on_walked",
        "press",
    }
)
SPECIAL = {
    "Plot": "has them for every plot",
    "PicturePlot": "has them for every plot with parts",
    "MatrixPlot": "its view has them for lines, matrix and patches, which are three plots of one head",
    "HeadGridView": "Enter adds a panel of the active head",
    "DivergenceView": "Enter shows the head in which two runs are farthest apart",
}


def _plots() -> dict[str, ast.ClassDef]:
    """Return the class of all plots and those that inherit from it, by their names."""
    modules = (module for module in modules_of("bertviz_app") if ".views." in module.name)
    classes = {node.name: node for module in modules for node in module.classes()}
    found: dict[str, ast.ClassDef] = {}
    more = {"Plot"}
    while more:
        found |= {name: classes[name] for name in more}
        more = {name for name, node in classes.items() if _bases(node) & found.keys()} - found.keys()
    return found


def _bases(node: ast.ClassDef) -> set[str]:
    """Return the names of the bases of a class, without what they are parametrized by."""
    plain = (base.value if isinstance(base, ast.Subscript) else base for base in node.bases)
    return {ast.unparse(base).rpartition(".")[2] for base in plain}


def _defined(node: ast.ClassDef) -> set[str]:
    """Return what a class defines by `def`, or by giving its name a value."""
    targets = [target for each in node.body if isinstance(each, ast.Assign) for target in each.targets]
    names = {part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)}
    return names | {each.name for each in node.body if isinstance(each, ast.FunctionDef)}


def test_no_plot_handles_mouse_or_keys_by_itself() -> None:
    plots = _plots()
    assert len(plots) > len(SPECIAL) + 10, "the plots were found"
    assert {name for name, node in plots.items() if _defined(node) & HANDLERS} == SPECIAL.keys()
