"""The keys of analyses and studies as types, for editors: `python -m tests.support.keys` writes them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.features.corpora.studies.catalogue import STUDIES

PATH = Path(__file__).resolve().parents[2] / "bertviz_app" / "api" / "analysis_keys.py"


def content() -> str:
    """Return the module with the keys that the catalogues have."""
    analyses = _literal("AnalysisKey", (one.key for one in CATALOGUE))
    studies = _literal("StudyKey", (one.key for one in STUDIES))
    title = '"""Keys of analyses and studies, for editors. Written by `python -m tests.support.keys`."""'
    return f"{title}\n\nfrom typing import Literal\n\n{analyses}\n{studies}"


def _literal(name: str, keys: Iterable[str]) -> str:
    return f"{name} = Literal[\n" + "".join(f'    "{key}",\n' for key in keys) + "]\n"


if __name__ == "__main__":
    PATH.write_text(content(), encoding="utf-8")
