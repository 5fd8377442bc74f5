"""ESM's config.json: positions, masked tokens, norms, and what of it is refused."""

from __future__ import annotations

import pytest

from bertviz_app.checkpoint.families.roberta import esm_fields
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.form import Form

SIZES = {"n_layers": 2}
ESM_2 = {
    "position_embedding_type": "rotary",
    "token_dropout": True,
    "mask_token_id": 32,
    "pad_token_id": 1,
    "emb_layer_norm_before": False,
}


def test_the_published_configuration_of_esm_2() -> None:
    assert esm_fields(ESM_2, SIZES) == {
        "form": Form(
            is_pre_norm=True, has_final_norm=True, has_embedding_norm=False, is_rotary=True, zeroes_masks=True
        ),
        "zeroed_id": 32,
        "rotary_bases": (10_000.0, 10_000.0),
        "reaches": (None, None),
        "has_position_table": False,
    }


def test_the_published_configuration_of_esm_1b() -> None:
    of_1b = ESM_2 | {"position_embedding_type": "absolute", "emb_layer_norm_before": True}
    found = esm_fields(of_1b, SIZES)
    assert found["first_position"] == 2
    assert found["form"] == Form(is_pre_norm=True, has_final_norm=True, zeroes_masks=True)
    without = esm_fields(of_1b | {"token_dropout": False, "mask_token_id": None}, SIZES)
    assert without["zeroed_id"] is None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"position_embedding_type": "relative_key"}, "relative_key"),
        ({"position_embedding_type": 1}, "position_embedding_type"),
        ({"token_dropout": "yes"}, "token_dropout"),
        ({"emb_layer_norm_before": 1}, "emb_layer_norm_before"),
        ({"mask_token_id": None}, "mask_token_id"),
        ({"mask_token_id": -1}, "mask_token_id"),
        ({"rope_theta": 1}, "rope_theta"),
        ({"rope_theta": "10000"}, "rope_theta"),
        ({"position_embedding_type": "absolute", "pad_token_id": None}, "pad_token_id"),
    ],
)
def test_what_makes_no_sense_is_refused_by_name(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        esm_fields(ESM_2 | settings, SIZES)
    assert caught.value.hint
