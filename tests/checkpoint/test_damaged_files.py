"""Random damage to every file of a checkpoint: it opens, or an AppError says why not. Nothing else."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bertviz_app.checkpoint.config import read_config
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import AppError
from tests.support.checkpoint_folders import copy_of, opened, to_pickle

KEYS = (
    "vocab_size",
    "hidden_size",
    "num_attention_heads",
    "num_hidden_layers",
    "hidden_act",
    "layer_norm_eps",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=5,
)
CHANGES = st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=6)
QUICK = settings(
    max_examples=100,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def folder(tiny_bert: Path, tmp_path: Path) -> Path:
    return copy_of(tiny_bert, tmp_path)


def _opens_or_says_why(folder: Path) -> None:
    """Open the checkpoint and encode a text with it; only an AppError may come of it."""
    why: AppError | None = None
    try:
        checkpoint = opened(folder)
        trace = record(checkpoint.encoder, checkpoint.tokens("the cat 고양이", "ate"), "fuzzed")
        assert trace.n_layers == checkpoint.facts.n_layers
    except AppError as error:
        why = error
    assert why is None or (why.message.isprintable() and why.message and why.hint)


def _spoil(content: bytes, changes: list[tuple[float, int]], share: float) -> bytes:
    """Return `content` with some bytes changed, most of them within its first `share`."""
    spoilt = bytearray(content)
    for offset, value in changes:
        spoilt[int(offset * share * len(spoilt))] = value
    return bytes(spoilt)


@QUICK
@given(changes=st.dictionaries(st.sampled_from(KEYS), JSON, min_size=1, max_size=3))
def test_any_value_in_config_json(folder: Path, tiny_bert: Path, changes: dict[str, object]) -> None:
    sound = json.loads((tiny_bert / "config.json").read_text("utf-8"))
    (folder / "config.json").write_text(json.dumps(sound | changes), "utf-8")
    _opens_or_says_why(folder)


@QUICK
@given(content=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_as_config_json(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as made:
        path = Path(made) / "config.json"
        path.write_bytes(content)
        with pytest.raises(AppError):
            read_config(path)


@pytest.mark.parametrize(
    "name", ["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]
)
def test_changed_bytes(folder: Path, tiny_bert: Path, name: str) -> None:
    sound = (tiny_bert / name).read_bytes()
    # The header is where a change of a safetensors file means something other than another number.
    share = 0.1 if name == "model.safetensors" else 1.0

    @QUICK
    @given(changes=CHANGES)
    def check(changes: list[tuple[float, int]]) -> None:
        (folder / name).write_bytes(_spoil(sound, changes, share))
        _opens_or_says_why(folder)

    check()


def test_changed_bytes_of_a_vocabulary(folder: Path, tiny_bert: Path) -> None:
    (folder / "tokenizer.json").unlink()
    sound = (tiny_bert / "vocab.txt").read_bytes()

    @QUICK
    @given(changes=CHANGES)
    def check(changes: list[tuple[float, int]]) -> None:
        (folder / "vocab.txt").write_bytes(_spoil(sound, changes, 1.0))
        _opens_or_says_why(folder)

    check()


def test_changed_bytes_of_a_pickle(folder: Path) -> None:
    path = to_pickle(folder)
    sound = path.read_bytes()

    @QUICK
    @given(changes=CHANGES)
    def check(changes: list[tuple[float, int]]) -> None:
        path.write_bytes(_spoil(sound, changes, 0.15))
        _opens_or_says_why(folder)

    check()


@QUICK
@given(
    value=JSON,
    key=st.sampled_from(
        ["model", "normalizer", "pre_tokenizer", "post_processor", "added_tokens", "decoder"]
    ),
)
def test_any_value_in_tokenizer_json(folder: Path, tiny_bert: Path, key: str, value: object) -> None:
    sound = json.loads((tiny_bert / "tokenizer.json").read_text("utf-8"))
    (folder / "tokenizer.json").write_text(json.dumps(sound | {key: value}), "utf-8")
    _opens_or_says_why(folder)
