"""What ModernBERT's config.json says of its layers: in old words and in new, and what is refused."""

from __future__ import annotations

import pytest

from bertviz_app.checkpoint.families.rotary import layer_kinds
from bertviz_app.errors import CheckpointError

PUBLISHED = {
    "global_attn_every_n_layers": 3,
    "global_rope_theta": 160000.0,
    "local_attention": 128,
    "local_rope_theta": 10000.0,
}


def test_the_published_configuration() -> None:
    assert layer_kinds(PUBLISHED, 5) == {
        "rotary_bases": (160000.0, 10000.0, 10000.0, 160000.0, 10000.0),
        "reaches": (None, 64, 64, None, 64),
    }
    assert layer_kinds({}, 5) == layer_kinds(PUBLISHED, 5)


def test_the_words_of_newer_files() -> None:
    settings = {
        "layer_types": ["sliding_attention", "full_attention"],
        "rope_parameters": {
            "full_attention": {"rope_type": "default", "rope_theta": 50},
            "sliding_attention": {"rope_theta": 7.5},
        },
        "local_attention": 9,
        "global_rope_theta": 1000.0,
    }
    assert layer_kinds(settings, 2) == {"rotary_bases": (7.5, 50.0), "reaches": (4, None)}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"layer_types": ["full_attention"]}, "list of 2"),
        ({"layer_types": "full_attention"}, "list of 2"),
        ({"layer_types": ["full_attention", "round_attention"]}, "round_attention"),
        ({"layer_types": ["full_attention", {}]}, "not known"),
        ({"global_attn_every_n_layers": 0}, "global_attn_every_n_layers"),
        ({"global_attn_every_n_layers": True}, "global_attn_every_n_layers"),
        ({"local_attention": -4}, "local_attention"),
        ({"local_attention": 1.5}, "local_attention"),
        ({"global_rope_theta": "x"}, "global_rope_theta"),
        ({"local_rope_theta": 0}, "local_rope_theta"),
        ({"local_rope_theta": float("nan")}, "local_rope_theta"),
        ({"rope_scaling": {"type": "yarn"}}, "rope_scaling"),
        ({"rope_parameters": {"full_attention": {"rope_type": "yarn"}}}, "yarn"),
        ({"rope_parameters": {"full_attention": {"rope_type": ["a"]}}}, "rotations of the type"),
        ({"rope_parameters": {"sliding_attention": {"rope_theta": None}}}, "local_rope_theta"),
    ],
)
def test_what_is_no_such_configuration_is_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(CheckpointError, match=message) as caught:
        layer_kinds(settings, 2)
    assert caught.value.hint
