"""The titles of sections, what they explain to a student, and the names of parts."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.trace.bias import CONTENT, DISTANCE, TO_CONTENT, TO_POSITION
from bertviz_app.viewmodels.analyses.analyses import Section, SectionRow
from bertviz_app.viewmodels.panels import Content
from bertviz_app.viewmodels.wording import content_title


def title(section: Section) -> str:
    translate = QCoreApplication.translate
    words = {
        "competitors": translate("Sections", "Score {0} gives weight {1}: rank {2} of {3}"),
        "parts": translate("Sections", "Content and position: together {0}"),
        "embeddings": translate("Sections", "By token, segment and position: together {0}"),
        "query writers": translate("Sections", "What wrote the query's vector: together {0}"),
        "key writers": translate("Sections", "What wrote the key's vector: together {0}"),
        "dimensions": translate("Sections", "query · key by its {0} dimensions: together {1}"),
        "logit": translate("Sections", "Logit of “{0}” at {1}: {2}"),
        "logit heads": translate("Sections", "Heads, the largest first"),
        "logit feed-forward": translate("Sections", "Feed-forward part of each layer"),
        "by layer": translate("Sections", "Probability of “{0}” at {1}, if each layer were the last"),
        "fillers": translate("Sections", "Likeliest after layer {0}"),
        "agreement": translate("Sections", "How alike a method and occlusion rank the tokens (Spearman)"),
        "deletion": translate("Sections", "Outcome as tokens are masked: {0} to {1}, mean on the way"),
        "insertion": translate("Sections", "Outcome as tokens are shown: {0} to {1}, mean on the way"),
    }
    if section.key == "fillers" and section.words == ("0",):
        return translate("Sections", "Likeliest from the embeddings alone")
    words_of = [str(int(section.words[0]) - 1)] if section.key == "fillers" else section.words
    return words[section.key].format(*words_of)


def explanation(section: Section) -> str:
    """Return the explanation of a section in a sentence or two; "" where its title is enough."""
    translate = QCoreApplication.translate
    words = {
        "competitors": translate(
            "Sections",
            "The softmax shares a weight of 1 among these keys; the score beside each decides its part.",
        ),
        "parts": translate(
            "Sections",
            "How much of the score comes from the content of the two tokens, and how much from their "
            "positions.",
        ),
        "embeddings": translate(
            "Sections",
            "In layer 0 vectors are sums of embeddings. A row is a part of the query with one of the key.",
        ),
        "query writers": translate(
            "Sections",
            "Which earlier head or feed-forward part wrote what this query reads. Exact at the given norms.",
        ),
        "key writers": translate("Sections", "The same for the vector of the key."),
        "dimensions": translate("Sections", "Each dimension of the query times that of the key, scaled."),
        "logit": translate("Sections", "What each kind of part adds directly; the sum is the model's logit."),
        "by layer": translate(
            "Sections",
            "The task head was trained on the last layer only. Click a word below to follow it, a token to "
            "see another place.",
        ),
        "agreement": translate(
            "Sections",
            "1: the same order; 0: no relation; −1: the opposite. The table has all pairs of methods.",
        ),
        "deletion": translate(
            "Sections",
            "Tokens are masked one after the other, in the order in which each method ranks them. The method "
            "with the lowest mean comes first: the tokens that it ranks highest matter most to the outcome.",
        ),
        "insertion": translate(
            "Sections",
            "All tokens are masked, then shown again in the same order. The highest mean comes first.",
        ),
    }
    return words.get(section.key, "")


def row_label(section: Section, row: SectionRow) -> str:
    translate = QCoreApplication.translate
    if section.key == "competitors" or row.piece:  # a token or a piece, whatever parts are called
        return row.label
    if section.key == "by layer":
        if row.label == "0":
            return translate("Sections", "embeddings")
        return translate("Sections", "after layer {0}").format(int(row.label) - 1)
    if section.key == "logit feed-forward":
        return translate("Sections", "layer {0}").format(row.label)
    if section.key in ("agreement", "deletion", "insertion"):
        return content_title(Content(row.label))
    words = {
        CONTENT: translate("Sections", "content"),
        DISTANCE: translate("Sections", "bias of the distance"),
        TO_POSITION: translate("Sections", "content → position"),
        TO_CONTENT: translate("Sections", "position → content"),
        "heads": translate("Sections", "all heads"),
        "feed-forward": translate("Sections", "all feed-forward parts"),
        "biases": translate("Sections", "biases of the layers"),
        "embeddings": translate("Sections", "embeddings"),
        "task head": translate("Sections", "task head's biases"),
        "sum": translate("Sections", "sum = logit"),
    }
    if row.label.startswith("rest ("):
        return translate("Sections", "all others {0}").format(row.label.removeprefix("rest "))
    return words.get(row.label, row.label)
