"""Parts of studies add up: sums are added, rows stand in the file's order."""

import numpy as np

from bertviz_app.features.corpora.studies.study import (
    NO_ENTRY,
    NOTHING,
    Part,
    counted_off,
    hashed,
    heaviest,
    joined,
    merged,
    with_lowest,
)


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


def _sample(*numbers: int, n_kept: int = 3) -> Part:
    entries = np.zeros(len(numbers), [("priority", np.uint64), ("line", np.int64)])
    entries["line"], entries["priority"] = numbers, hashed(numbers)
    return Part(kept={"sample": with_lowest(entries, n_kept)})


def test_a_sample_is_the_same_in_whatever_order_its_parts_are_added() -> None:
    parts = [_sample(1, 2, 3, 4), _sample(), _sample(5, 6), _sample(7)]
    one, other = joined(parts).kept["sample"], joined(parts[::-1]).kept["sample"]
    whole = _sample(1, 2, 3, 4, 5, 6, 7).kept["sample"]
    assert one.tolist() == other.tolist() == whole.tolist()
    assert len(one) == 3


def test_of_few_entries_the_rest_stays_empty() -> None:
    kept = _sample(8).plus(_sample(9)).kept["sample"]
    assert sorted(kept["line"][kept["priority"] != NO_ENTRY].tolist()) == [8, 9]
    assert kept["priority"].tolist().count(NO_ENTRY) == 1


def test_hashes_are_spread_and_depend_on_the_seed() -> None:
    numbers = hashed(np.arange(10_000))
    shares = np.bincount((numbers >> np.uint64(61)).astype(np.int64), minlength=8) / 10_000
    assert np.abs(shares - 1 / 8).max() < 0.02
    assert not np.array_equal(numbers, hashed(np.arange(10_000), seed=1))


def test_few_kinds_are_counted_exactly() -> None:
    a = heaviest(np.array([3, 5]), np.array([2.0, 7.0]), 4)
    b = heaviest(np.array([5, 9]), np.array([1.0, 0.5]), 4)
    found = merged(a, b)
    assert {(i, t) for i, t in found.tolist() if i >= 0} == {(5, 8.0), (3, 2.0), (9, 0.5)}
    assert counted_off(found, np.array(10.5)) == 0


def test_many_kinds_are_counted_within_the_bound() -> None:
    """Worked out in another way: each total is compared with that of a dictionary."""
    numbers = np.random.default_rng(5)
    kinds = numbers.zipf(1.5, 4000) % 400
    weights, n_kept = numbers.random(4000), 24
    true: dict[int, float] = {}
    kept = heaviest(np.zeros(0, np.int64), np.zeros((1, 0)), n_kept)
    for some in np.split(np.arange(4000), 40):
        ids, at = np.unique(kinds[some], return_inverse=True)
        kept = merged(kept, heaviest(ids, np.bincount(at, weights[some]).astype(np.float64)[None], n_kept))
        for kind, weight in zip(kinds[some].tolist(), weights[some].tolist(), strict=True):
            true[kind] = true.get(kind, 0) + weight
    bound = counted_off(kept, np.array([weights.sum()]))[0]
    counted = dict(kept[0][kept[0]["id"] >= 0].tolist())
    assert 0 < bound <= weights.sum() / (n_kept + 1)
    for kind, total in true.items():
        assert total - bound - 1e-9 <= counted.get(kind, 0) <= total + 1e-9
    assert max(true, key=true.__getitem__) == max(counted, key=counted.__getitem__)
