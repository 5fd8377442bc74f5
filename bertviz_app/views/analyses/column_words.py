"""The names of a result's columns on screen; files and the API name them by their English keys."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.views.overview.measure_words import measure_words


def column_word(key: str) -> str:
    """Return the name of a column in the language in force; a key that has none stands for itself."""
    translate = QCoreApplication.translate
    words = {
        "layer": translate("Columns", "layer"),
        "head": translate("Columns", "head"),
        "query": translate("Columns", "query"),
        "key": translate("Columns", "key"),
        "state": translate("Columns", "hidden state"),
        "position": translate("Columns", "position"),
        "token": translate("Columns", "token"),
        "value": translate("Columns", "value"),
        "divergence": translate("Columns", "divergence"),
        "last": translate("Columns", "last position"),
        "rank": translate("Columns", "rank"),
        "piece": translate("Columns", "piece"),
        "id": translate("Columns", "id"),
        "probability": translate("Columns", "probability"),
        "name": translate("Columns", "name"),
        "before": translate("Columns", "before"),
        "after": translate("Columns", "after"),
        "array": translate("Columns", "array"),
        "index": translate("Columns", "index"),
        "of": translate("Columns", "of"),
        "axes": translate("Columns", "axes"),
        "smallest": translate("Columns", "smallest"),
        "mean": translate("Columns", "mean"),
        "largest": translate("Columns", "largest"),
        "standard error": translate("Columns", "standard error"),
    }
    if key in words:
        return words[key]
    return scalar_title(key)


def scalar_title(key: str) -> str:
    """Return the name of a number of a head: that of a measure in the language in force, else its key."""
    words = measure_words()
    if key in words:
        return words[key].title
    translate = QCoreApplication.translate
    named = {
        "pattern": translate("Scalars", "Pattern"),
        "vertical": translate("Scalars", "Two columns"),
        "diagonal": translate("Scalars", "Diagonal"),
        "within": translate("Scalars", "Within a sentence"),
        "1 → special": translate("Scalars", "1 → special tokens"),
        "2 → special": translate("Scalars", "2 → special tokens"),
        "change": translate("Columns", "change"),
        "importance": translate("Columns", "importance"),
        "rank by change": translate("Columns", "rank by change"),
        "rank by importance": translate("Columns", "rank by importance"),
        "both": translate("Scalars", "Both runs"),
        "own side": translate("Scalars", "This run"),
        "other side": translate("Scalars", "Other run"),
    }
    endings = {
        "uniform": translate("Scalars", "{0}, equal weights"),
        "shuffled": translate("Scalars", "{0}, words shuffled"),
        "bound": translate("Scalars", "{0}, bound"),
    }
    titles = {str(measure): words[measure].title for measure in words}
    base, _, ending = key.rpartition("_")
    if base in titles and ending in endings:
        return endings[ending].format(titles[base])
    return named.get(key, key)
