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
        "change": translate("Columns", "change"),
        "importance": translate("Columns", "importance"),
        "standard error": translate("Columns", "standard error"),
    }
    if key in words:
        return words[key]
    return next((word.title for name, word in measure_words().items() if name == key), key)
