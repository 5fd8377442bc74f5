"""Rows of a picture's source: those of queries that are no neighbours are the rows of each of them."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.viewmodels.heads.head_sources import HeadSource
from bertviz_app.viewmodels.heads.token_places import order_of
from bertviz_app.viewmodels.options import DrawOptions
from tests.support.factories import make_trace
from tests.support.scene import difference_picture

_QUERIES = np.array([5, 0, 3, 3])


@pytest.mark.parametrize("options", [DrawOptions(), DrawOptions(hides_special=True)])
def test_scattered_rows_are_those_of_each_query(options: DrawOptions) -> None:
    trace = make_trace(12)
    source = HeadSource(trace, 1, 2, order_of(trace.tokens, options))
    rows = source.scattered_rows(_QUERIES)
    places = source.token_order
    assert places.is_plain == (options == DrawOptions())
    assert rows.shape == (4, len(places.keys))
    queries, keys = places.queries.starts[_QUERIES], places.keys.starts
    np.testing.assert_allclose(rows, trace.attention(1, 2)[np.ix_(queries, keys)], rtol=1e-6)


def test_scattered_rows_of_a_difference_have_no_number_where_a_run_lacks_the_token() -> None:
    source = difference_picture(make_trace(9), make_trace(9, seed=1)).source
    expected = np.stack([source.row(query) for query in _QUERIES.tolist()])
    np.testing.assert_array_equal(source.scattered_rows(_QUERIES), expected)
    np.testing.assert_array_equal(source.rows(2, 5), source.scattered_rows(np.arange(2, 5)))
