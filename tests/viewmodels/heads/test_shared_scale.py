"""One scale for a head in both runs, on which uniform attention is pale."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.measures import head_overview
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.head_atlas import full_colours, thumbnails
from bertviz_app.viewmodels.heads.pictures import HeadPicture, head_picture
from bertviz_app.viewmodels.options import DrawOptions
from tests.support.factories import trace_of
from tests.support.scene import random_attention

SHARED = DrawOptions()


def _uniform(n_tokens: int) -> Trace:
    return trace_of(np.full((1, 1, n_tokens, n_tokens), 1 / n_tokens))


def _peaked(n_tokens: int, largest: float) -> Trace:
    weights: Doubles = np.full((n_tokens, n_tokens), (1 - largest) / (n_tokens - 1))
    weights[:, 1] = largest
    return trace_of(weights[None, None])


def _picture(trace: Trace, beside: Trace | None = None, options: DrawOptions = SHARED) -> HeadPicture:
    return head_picture(trace, 0, 0, options=options, beside=beside)


def _levels(picture: HeadPicture) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return picture.pyramid.levels[0]


@pytest.mark.parametrize("n_tokens", [5, 11, 64, 300])
def test_uniform_attention_is_pale_and_a_peak_is_not(n_tokens: int) -> None:
    assert _levels(_picture(_uniform(n_tokens))).max() == 51  # a fifth of 255
    assert _levels(_picture(_peaked(n_tokens, 0.99))).max() > 250


def test_of_two_runs_a_weight_has_one_colour() -> None:
    weak, strong = _peaked(11, 0.5), _peaked(11, 0.8)
    pictures = _picture(weak, strong), _picture(strong, weak)
    assert pictures[0].full == pictures[1].full == pytest.approx(0.8, abs=1e-6)
    assert pictures[0].largest == pytest.approx(0.5, abs=1e-6)
    assert [_levels(picture).max() for picture in pictures] == [round(255 * 0.5 / 0.8), 255]


def test_a_head_that_the_other_run_lacks_is_scaled_by_itself() -> None:
    larger = trace_of(np.stack([random_attention(11, seed) for seed in range(4)])[None])
    alone = head_picture(larger, 0, 3, options=SHARED)
    beside = head_picture(larger, 0, 3, options=SHARED, beside=_peaked(11, 0.9))
    assert alone.full == beside.full


def test_the_scale_of_the_head_alone_can_be_chosen() -> None:
    own = DrawOptions(scale="linear")
    assert _levels(_picture(_uniform(11), _peaked(11, 0.8), own)).min() == 255


def test_numbers_and_lines_are_those_of_the_head_on_every_scale() -> None:
    trace = trace_of(random_attention(9)[None, None])
    shared, own = _picture(trace, _peaked(9, 0.9)), _picture(trace, None, DrawOptions(scale="linear"))
    assert shared.largest == own.largest
    np.testing.assert_array_equal(shared.weights, own.weights)
    np.testing.assert_array_equal(shared.row_sums, own.row_sums)


@pytest.mark.parametrize("n_tokens", [11, 130])
def test_in_the_overview_uniform_heads_are_pale_and_runs_share_a_scale(n_tokens: int) -> None:
    uniform, peaked = head_overview(_uniform(n_tokens)), head_overview(_peaked(n_tokens, 0.9))
    alone = thumbnails(uniform.pictures, 20, full_colours(uniform, None))
    assert alone.max() == 51
    beside = thumbnails(uniform.pictures, 20, full_colours(uniform, peaked))
    assert beside.max() == round(255 / n_tokens / 0.9)
    assert thumbnails(peaked.pictures, 20, full_colours(peaked, uniform)).max() == 255
