"""What numbers of attention are called on screen and in pictures: their kind, and special tokens."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.attention.stamp import NumbersKind, SpecialTokens, Stamp


def kind_title(kind: NumbersKind) -> str:
    """Return what a kind of numbers is called on a button."""
    translate = QCoreApplication.translate
    words = {
        "weight": translate("Stamps", "Weights"),
        "norm": translate("Stamps", "Norms"),
        "residual": translate("Stamps", "Norms + residual"),
    }
    return words[kind]


def kind_words(kind: NumbersKind) -> str:
    """Return what a kind of numbers is, with its paper."""
    translate = QCoreApplication.translate
    words = {
        "weight": translate("Stamps", "Attention weights α"),
        "norm": translate("Stamps", "Norms ||α f(x)|| (Kobayashi 2020)"),
        "residual": translate(
            "Stamps", "Norms with residual and layer norm, all heads together (Kobayashi 2021)"
        ),
    }
    return words[kind]


def unit_words(kind: NumbersKind) -> str:
    translate = QCoreApplication.translate
    words = {
        "weight": translate("Stamps", "attention weight"),
        "norm": translate("Stamps", "norm ||α f(x)||"),
        "residual": translate("Stamps", "norm with residual, all heads"),
    }
    return words[kind]


def special_title(special: SpecialTokens) -> str:
    """Return how special tokens are treated."""
    translate = QCoreApplication.translate
    words = {
        "shown": translate("Stamps", "Special tokens shown"),
        "hidden": translate("Stamps", "Special tokens hidden"),
        "removed": translate("Stamps", "Special tokens removed, rows add up to 1"),
    }
    return words[special]


def stamp_line(stamp: Stamp) -> str:
    """Return the line that stands below every exported picture: the kind of numbers, and special tokens."""
    return f"{kind_words(stamp.numbers)} · {special_title(stamp.special_tokens)}"


def stamp_remark(stamp: Stamp) -> str:
    """Return what a card says beside its title: only what is not as usual."""
    parts = [] if stamp.numbers == "weight" else [kind_title(stamp.numbers)]
    parts += [] if stamp.special_tokens == "shown" else [special_title(stamp.special_tokens)]
    return " · ".join(parts)


def brief_remark(stamp: Stamp) -> str:
    """Return what `stamp_remark` says in the shortest words, for the narrowest panel."""
    translate = QCoreApplication.translate
    kinds = {"norm": "||α f(x)||", "residual": "||α f(x) + x||"}
    special = {
        "hidden": translate("Stamps", "special hidden"),
        "removed": translate("Stamps", "special removed"),
    }
    parts = (kinds.get(stamp.numbers), special.get(stamp.special_tokens))
    return " · ".join(part for part in parts if part is not None)
