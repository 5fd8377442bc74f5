"""Parts of studies add up: sums are added, rows stand in the file's order."""

import numpy as np

from bertviz_app.analysis.studies.study import NOTHING, Part, joined


def _part(total: float, *rows: float) -> Part:
    return Part({"total": np.array([total], np.float64)}, {"row": np.array(rows, np.float32)})


def test_parts_add_up_in_order() -> None:
    whole = joined([_part(1, 5, 6), NOTHING, _part(2, 7)])
    assert whole.sums["total"].tolist() == [3]
    assert whole.rows["row"].tolist() == [5, 6, 7]


def test_two_parts_are_like_many() -> None:
    one, two, three = _part(1, 5), _part(2), _part(4, 8, 9)
    whole, pairwise = joined([one, two, three]), one.plus(two).plus(three)
    assert whole.sums["total"] == pairwise.sums["total"] == [7]
    assert whole.rows["row"].tolist() == pairwise.rows["row"].tolist() == [5, 8, 9]


def test_a_name_that_a_part_lacks_is_nothing_there() -> None:
    extra = Part({"other": np.array([3])})
    assert joined([_part(1, 2), extra]).sums["other"].tolist() == [3]
    assert extra.plus(_part(1, 2)).rows["row"].tolist() == [2]
