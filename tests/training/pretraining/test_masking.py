"""What is to be guessed is the paper's choice: 15 % of the tokens, most of them hidden."""

from __future__ import annotations

import numpy as np

from bertviz_app.training.pretraining.network import mask

N_PIECES, MASK_ID, FIRST = 2_000, 4, 5
ORDINARY = np.arange(FIRST, N_PIECES)


def _texts(n_rows: int, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    ids = np.random.default_rng(0).integers(FIRST, N_PIECES, (n_rows, n_tokens))
    ids[:, 0], ids[:, -1] = 2, 3
    ids[: n_rows // 2, -5:] = 0  # padding
    return ids, np.isin(ids, (0, 2, 3))


def test_the_shares_are_those_of_the_paper() -> None:
    ids, is_special = _texts(500, 102)
    masked = mask(ids, is_special, MASK_ID, ORDINARY, [1])
    seen = masked.ids.reshape(-1)[masked.positions]
    n_free = (~is_special).sum(axis=1)
    assert len(masked.positions) == np.round(0.15 * n_free).sum()
    is_masked, is_kept = seen == MASK_ID, seen == masked.answers
    # 3.5 standard deviations of a share of 7,300
    assert abs(is_masked.mean() - 0.8) < 0.017
    assert abs(is_kept.mean() - 0.1) < 0.013
    assert abs((~is_masked & ~is_kept).mean() - 0.1) < 0.013
    random = seen[~is_masked & ~is_kept]
    assert random.min() >= FIRST
    assert len(np.unique(random)) > 400  # drawn from all pieces


def test_special_tokens_are_never_chosen_and_the_rest_is_as_it_was() -> None:
    ids, is_special = _texts(50, 40)
    masked = mask(ids, is_special, MASK_ID, ORDINARY, [2])
    assert not is_special.reshape(-1)[masked.positions].any()
    assert np.array_equal(masked.answers, ids.reshape(-1)[masked.positions])
    untouched = np.ones(ids.size, bool)
    untouched[masked.positions] = False
    assert np.array_equal(masked.ids.reshape(-1)[untouched], ids.reshape(-1)[untouched])


def test_a_short_text_has_one_token_to_guess() -> None:
    ids = np.array([[2, 9, 3, 0], [2, 9, 8, 3]])
    masked = mask(ids, np.isin(ids, (0, 2, 3)), MASK_ID, ORDINARY, [3])
    assert len(masked.positions) == 2
    assert masked.positions[0] == 1


def test_places_differ_from_seed_to_seed_and_are_the_same_for_one() -> None:
    ids, is_special = _texts(20, 40)
    first, again, other = (mask(ids, is_special, MASK_ID, ORDINARY, [s]) for s in (1, 1, 2))
    assert np.array_equal(first.ids, again.ids)
    assert not np.array_equal(first.positions, other.positions)


def test_every_place_is_chosen_equally_often() -> None:
    ids = np.full((20_000, 10), 9)
    masked = mask(ids, np.zeros_like(ids, bool), MASK_ID, ORDINARY, [4])
    counts = np.bincount(masked.positions % 10, minlength=10) / 20_000  # 2 of 10 each: round(1.5) is even
    assert np.abs(counts - 0.2).max() < 0.012
