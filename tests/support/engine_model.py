"""`EngineModel`: a model of the API whose engine a test may use, to work with the open checkpoint itself."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.api import Model
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.opened_checkpoint import find_device
from bertviz_app.trace import Trace

_Result = TypeVar("_Result")


class EngineModel(Model):
    """The checkpoint in `folder` (None: the one that opens by default), open on the CPU."""

    def __init__(self, folder: Path | None) -> None:
        self.engine = Engine()
        self.ref = None if folder is None else str(folder)
        super().__init__(self.engine, self.ref, find_device("cpu"), self.engine.load(self.ref))

    def with_model(self, trace: Trace, work: Callable[[ModelAccess], _Result]) -> _Result:
        """Return what `work` returns of the open checkpoint, which made `trace`."""
        request = TraceRequest(self.ref, "cpu", trace.tokens.text, trace.tokens.pair)
        return self.engine.with_model(request, trace, work, SILENT.check)
