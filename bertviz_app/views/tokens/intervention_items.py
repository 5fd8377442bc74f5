"""What menus offer to do to a head, to a token and to one weight, and the fields that ask for a number."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QInputDialog, QWidget

from bertviz_app.options import Run
from bertviz_app.text.edits import HeadKind, TokenIntervention, TokenKind
from bertviz_app.viewmodels.interventions import RunInterventions
from bertviz_app.views.kit.menus import CHOSEN, Item
from bertviz_app.views.kit.words import plain

_DECIMALS = 4


def with_heading(items: list[Item], run: Run, interventions: Mapping[Run, RunInterventions]) -> list[Item]:
    """Return the items below the name of the run that they change, where two are compared."""
    if not items or interventions["B"].shown is None:
        return items
    return [(QCoreApplication.translate("PanelMenu", "Run {0}").format(run), None), ("", None), *items]


def head_items(interventions: RunInterventions, layer: int, head: int) -> list[Item]:
    """Return an item for each thing that can stand for the output of a head; the one that holds is marked."""
    translate = QCoreApplication.translate
    now = interventions.edits.head_at(layer, head)
    kinds: list[tuple[HeadKind | None, str]] = [
        (None, translate("HeadMenu", "Head {0}·{1}: on")),
        ("zero", translate("HeadMenu", "Head {0}·{1}: zero (mute)")),
        ("mean", translate("HeadMenu", "Head {0}·{1}: mean over the reference text")),
        ("uniform", translate("HeadMenu", "Head {0}·{1}: uniform (equal weights)")),
    ]
    holds = None if now is None else now.kind

    def item(kind: HeadKind | None, words: str) -> Item:
        text = words.format(layer, head)
        return CHOSEN + text if kind == holds else text, lambda: interventions.set_head(layer, head, kind)

    every = (translate("HeadMenu", "All interventions …"), interventions.opened.emit)
    return [*(item(*one) for one in kinds), every]


def token_items(parent: QWidget, interventions: RunInterventions, position: int) -> list[Item]:
    """Return what else can be done to the token that is read at a position."""
    translate = QCoreApplication.translate
    ids = interventions.ids_at(position)

    def put(kind: TokenKind, value: int | None = None) -> None:
        interventions.set_token(position, TokenIntervention(0, kind, value))

    items: list[Item] = []
    if not ids.is_special:
        items.append((translate("ChipMenu", "Leave this token out"), lambda: put("drop")))
    if ids.segment is not None:
        other = 0 if ids.segment else 1
        words = translate("ChipMenu", "Give it segment {0}").format(other)
        items.append((words, lambda: put("segment", other)))
    if ids.position is not None:
        current, last = ids.position, ids.last_position
        question = translate("ChipMenu", "Position ID of this token, from 0 to {0}:").format(last)
        items.append(
            (
                translate("ChipMenu", "Give it another position …"),
                lambda: _ask_for_position(parent, question, (current, last), lambda at: put("position", at)),
            )
        )
    return items


def special_items(parent: QWidget, interventions: RunInterventions, position: int) -> list[Item]:
    """Return what can be done to a special token, what cannot, and why."""
    translate, tokens = QCoreApplication.translate, interventions.tokens
    if tokens is None or not interventions.is_possible:
        return []
    why = translate("ChipMenu", "{0} was added by the tokenizer and always stays:").format(
        tokens.labels[position]
    )
    items: list[Item] = [
        (why, None),
        (translate("ChipMenu", "Mask this token (Delete)"), None),
        (translate("ChipMenu", "Replace this token … (F2)"), None),
        (translate("ChipMenu", "Leave this token out"), None),
    ]
    possible = token_items(parent, interventions, position)
    return [*items, ("", None), *possible] if possible else items


def _ask_for_position(
    parent: QWidget, words: str, numbers: tuple[int, int], put: Callable[[int], None]
) -> None:
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setInputMode(QInputDialog.InputMode.IntInput)
    dialog.setIntRange(0, numbers[1])
    dialog.setIntValue(numbers[0])
    dialog.setWindowTitle(QCoreApplication.translate("ChipMenu", "Another position"))
    dialog.setLabelText(plain(words))
    dialog.intValueSelected.connect(put)
    dialog.open()


def ask_for_weight(
    parent: QWidget, title: str, words: str, weight: float, put: Callable[[float], None]
) -> None:
    """Ask the user for an attention weight, and call `put` with it."""
    dialog = QInputDialog(parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setInputMode(QInputDialog.InputMode.DoubleInput)
    dialog.setDoubleDecimals(_DECIMALS)
    dialog.setDoubleRange(0, 1)
    dialog.setDoubleStep(0.1)
    dialog.setDoubleValue(weight)
    dialog.setWindowTitle(title)
    dialog.setLabelText(plain(words))
    dialog.doubleValueSelected.connect(put)
    dialog.open()
