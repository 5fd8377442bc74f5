"""What the outcomes of a run are called, and how their numbers are written."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.probing.outcomes import Outcome


def outcome_name(one: Outcome, where: str) -> str:
    """Return what an outcome is called; `where` names the token that it is of."""
    translate = QCoreApplication.translate
    vectors = {
        "sentence": translate("Interventions", "sentence"),
        "pooled": translate("Interventions", "pooled"),
        "first": translate("Interventions", "first token"),
    }
    if one.kind == "masked":
        return translate("Interventions", "“{0}” at {1}").format(one.name, where)
    if one.kind == "next-sentence":
        return translate("Interventions", "Sentence 2 follows")
    if one.kind == "order":
        return translate("Interventions", "Sentences in their order")
    if one.kind == "class":
        return one.name
    if one.kind == "vector":
        return translate("Interventions", "Cosine ({0})").format(vectors[one.name])
    return translate("Interventions", "Cosine with B ({0})").format(vectors[one.name])


def outcome_tip(one: Outcome) -> str:
    translate = QCoreApplication.translate
    tips = {
        "masked": translate(
            "Interventions",
            "Probability of this piece by the checkpoint's head for masked tokens. Before: the text with its "
            "masks and no other intervention.",
        ),
        "vector": translate(
            "Interventions", "Cosine of the vector with the one before: 1 where nothing changed."
        ),
        "other": translate("Interventions", "Run B with its own interventions. Before: run A without any."),
    }
    otherwise = translate(
        "Interventions", "By the checkpoint's own task head. Before: the text without any intervention."
    )
    return tips.get(one.kind, otherwise)


def outcome_numbers(one: Outcome) -> str:
    return f"{one.before:.3f} → {one.after:.3f}"
