"""What writes a file returns its path, always."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import bertviz_app
from bertviz_app.api import Model, open_model
from bertviz_app.trace import Trace

TEXT = "the cat ate the fish"
_WRITERS: dict[str, Callable[[Model, Trace, Path], Any]] = {
    "a.npz": lambda model, trace, path: bertviz_app.save_trace(trace, path),
    "a.html": lambda model, trace, path: trace.to_html(path),
    "a.svg": lambda model, trace, path: trace.figure("matrix").save(path),
    "parameters.csv": lambda model, trace, path: model.parameters().save(path),
    "notes.md": lambda model, trace, path: bertviz_app.dossier(model).save(path),
    "names.csv": lambda model, trace, path: bertviz_app.corpus_summary(
        model.measure_corpus([TEXT] * 3, Path.home() / "heads.csv", progress=False).out
    ).save(path),
}


@pytest.mark.parametrize("name", list(_WRITERS))
@pytest.mark.usefixtures("qapp")
def test_what_writes_a_file_returns_its_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    model = open_model("bert-mini-en-ko", "cpu")
    for path in (tmp_path / name, Path("~") / f"again {name}"):
        written = _WRITERS[name](model, model.trace(TEXT), path)
        assert written == tmp_path / path.name
        assert written.stat().st_size > 0
