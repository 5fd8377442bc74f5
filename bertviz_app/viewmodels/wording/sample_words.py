"""What is written beside pictures of a sample of the queries, while a long text is being computed."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.measures import HeadOverview


def sample_line(overview: HeadOverview) -> str:
    """Return how much of an overview is of a sample of the queries; "" where all of it is exact."""
    sample = overview.sample
    if sample is None:
        return ""
    words = QCoreApplication.translate("Samples", "Sample of {0} of {1} queries in {2} of {3} layers")
    counts = int(sample.layers.sum()), sample.layers.size
    return words.format(f"{sample.n_queries:,}", f"{overview.n_tokens:,}", *counts)
