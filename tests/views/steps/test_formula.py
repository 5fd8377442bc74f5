"""Formulas: how they are read, and how much room they take."""

from __future__ import annotations

import gc
import weakref

import pytest

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.formula import Formula, Node, fitting, parse


def _flat(node: Node) -> str:
    inner = "".join(_flat(part) for part in node.parts)
    return node.text if node.kind == "text" else inner if node.kind == "row" else f"<{node.kind} {inner}>"


@pytest.mark.parametrize(
    ("formula", "tree"),
    [
        ("q_i", "q<sub i>"),
        ("s_{ij}", "s<sub ij>"),
        ("e^{s_j − m}", "e<sup s<sub j> − m>"),
        ("\\frac{a}{\\sqrt{b}}", "<frac a<sqrt b>>"),
        ("\\t{softmax}(x)_j", "<upright softmax>(x)<sub j>"),
        ("Q·K", "Q·K"),
    ],
)
def test_it_is_read_as_it_is_written(formula: str, tree: str) -> None:
    assert _flat(parse(formula)) == tree


def test_scripts_and_fractions_take_their_room(look: Look) -> None:
    def box(formula: str) -> tuple[float, float]:
        whole = Formula(look, formula, 16).box
        return whole.width, whole.above + whole.below

    assert box("x_i")[0] > box("x")[0]
    assert box("x_i")[0] < box("xi")[0] * 1.05
    assert box("\\frac{a}{b}")[1] > 1.5 * box("a")[1]
    assert box("\\sqrt{a}")[0] > box("a")[0]


def test_the_fullest_form_that_fits_is_taken(look: Look) -> None:
    forms = ("y = \\t{LayerNorm}(x) + b", "y = x", "y")
    widths = [Formula(look, form, 15).box.width for form in forms]
    assert fitting(look, forms, widths[0] + 1).box.width == widths[0]
    assert fitting(look, forms, widths[0] - 1).box.width == widths[1]
    small = fitting(look, forms[:1], widths[0] / 2)
    assert small.box.width <= widths[0] / 2 * 1.1
    assert not small.is_full_size


@pytest.mark.usefixtures("qapp")
def test_a_measured_formula_does_not_keep_its_look_alive() -> None:
    look = Look(read_palette("light"))
    fitting(look, ("q_i · k_j",), 400)
    dead = weakref.ref(look)
    del look
    gc.collect()
    assert dead() is None


def test_a_formula_is_measured_once_for_each_text_size(look: Look) -> None:
    formulas = ("q_i · k_j",)
    first = fitting(look, formulas, 400)
    assert fitting(look, formulas, 400) is first
    look.set_scale(2.0)
    assert fitting(look, formulas, 400).box.width > 1.8 * first.box.width
