"""Pictures of the matrices of results: of which tokens their rows and columns are."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.results import RunMatrix, TokenMatrices
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.viewmodels.analyses.result_pictures import pictures_of_result
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.panel_choices import ATTENTION, Content
from bertviz_app.viewmodels.panel_contents import has_layers
from bertviz_app.viewmodels.selection import Pair
from tests.support.fakes import FakeEngine

OTHER = ("[CLS]", "a", "fish", "sat", "[SEP]")


def test_between_two_texts_of_the_same_length_columns_are_of_the_other_one() -> None:
    trace = FakeEngine().trace(TraceRequest(None, "cpu", "the cat sat")).trace
    own = trace.tokens.pieces
    assert len(own) == len(OTHER)
    values = np.arange(25, dtype=np.float32).reshape(1, 5, 5)
    columns = []
    for kind in (RunMatrix, TokenMatrices):
        result = kind.dense(values.copy(), own, OTHER, Quantity(""), 0.0)
        made = pictures_of_result(result, (trace,)).make(0, 0, DrawOptions(), lambda: None)
        assert made.token_order.queries.labels == own
        columns.append(made.token_order.keys.labels)
    assert columns == [OTHER, own], "a matrix of a layer is between the tokens of the run"


def test_a_matrix_of_the_whole_run_has_no_layers() -> None:
    assert has_layers(ATTENTION)
    assert has_layers(Content("attention-rollout"))
    assert not has_layers(Content("similarity-pairs"))
    assert not has_layers(Content("patching"))


def test_a_column_between_two_texts_is_no_token_of_the_run() -> None:
    trace = FakeEngine().trace(TraceRequest(None, "cpu", "the cat sat")).trace
    own = trace.tokens.pieces
    result = RunMatrix.dense(np.zeros((1, 5, 5), np.float32), own, OTHER, Quantity(""), 0.0)
    order = pictures_of_result(result, (trace,)).make(0, 0, DrawOptions(), lambda: None).token_order
    assert order.tokens_of(Pair(1, 2)) == Pair(1, partner=2)
    assert order.pair_of(Pair(1, partner=2)) == Pair(1, 2)
    assert order.pair_of(Pair(1, 3)) == Pair(1), "a key of another panel is none of its columns"
