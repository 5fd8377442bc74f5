"""config.json: what is read of it, what is refused by name, and what is left unread."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import CONFIG_MAPPING

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.families.registry import FAMILIES
from bertviz_app.checkpoint.folder import MAX_BYTES
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import CheckpointError
from bertviz_app.shell.commands.menus import described
from tests.support.checkpoint_folders import assert_refused, change_config, change_weights, each, opened

SOUND = {
    "model_type": "bert",
    "vocab_size": 100,
    "max_position_embeddings": 64,
    "type_vocab_size": 2,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "hidden_size": 32,
    "intermediate_size": 48,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.json"


def _write(path: Path, **changes: object) -> None:
    settings = SOUND | changes
    path.write_text(json.dumps({key: value for key, value in settings.items() if value is not ...}), "utf-8")


def test_sizes_are_read_and_the_rest_has_its_defaults(path: Path) -> None:
    _write(path)
    sizes = EncoderConfig(
        vocabulary_size=100,
        n_positions=64,
        n_segments=2,
        n_layers=3,
        n_heads=4,
        width=32,
        feed_forward_width=48,
    )
    assert read_config(path).encoder == sizes


def test_a_value_that_is_none_or_is_not_computed_is_refused_by_name(path: Path) -> None:
    def read(settings: dict[str, Any]) -> object:
        _write(path, **settings)
        return read_config(path)

    sizes = [key for key in SOUND if key != "model_type"]
    assert_refused(
        read,
        *each(**dict.fromkeys(sizes, (True, "12", 1.5, None, [], {}, 0, -1, 10**9, 10**30))),
        *each(layer_norm_eps=(0, 1, -1e-12, "1e-12", True, float("nan"), float("inf"), 10**400)),
        *each(hidden_act=(["gelu"],)),
        ({"hidden_size": ..., "vocab_size": ...}, r"lacks vocab_size, hidden_size"),
        ({"num_attention_heads": 5}, "32 cannot be shared by 5 heads"),
        ({"is_decoder": True}, "is_decoder = .*does not compute"),
        ({"add_cross_attention": True}, "add_cross_attention = .*does not compute"),
    )


@pytest.mark.parametrize("family", ["gpt2", "bart", "", "b\ud800\x1b[31m"])
def test_an_unknown_family_is_refused_with_those_that_are_known(path: Path, family: str) -> None:
    _write(path, model_type=family)
    with pytest.raises(CheckpointError, match="cannot be read") as caught:
        read_config(path)
    assert "bert" in caught.value.hint
    assert caught.value.message.isprintable()


@pytest.mark.parametrize("family", [..., None, 3, ["bert"]])
def test_no_family_is_refused(path: Path, family: object) -> None:
    _write(path, model_type=family)
    with pytest.raises(CheckpointError, match="model_type"):
        read_config(path)


def test_code_beside_a_checkpoint_without_a_family_is_named(path: Path) -> None:
    _write(path, model_type=..., auto_map={"AutoConfig": "a.NorbertConfig", "AutoModel": "a.NorbertModel"})
    with pytest.raises(
        CheckpointError, match=r"Its code comes with the checkpoint \(NorbertModel\)"
    ) as caught:
        read_config(path)
    assert '"bert"' not in caught.value.hint


def _write_family(path: Path, family: str, **changes: object) -> None:
    sizes = {"embedding_size": 16} if family in ("electra", "albert") else {}
    _write(path, model_type=family, **(sizes | changes))


@pytest.mark.parametrize("kind", ["relative", 3, ["absolute"]])
def test_an_unknown_kind_of_positions_is_refused(path: Path, kind: object) -> None:
    _write(path, position_embedding_type=kind)
    with pytest.raises(CheckpointError, match=r"position_embedding_type = .*not known") as caught:
        read_config(path)
    assert "relative_key_query" in caught.value.hint


@pytest.mark.parametrize(
    ("kind", "meets_keys"), [("absolute", None), ("relative_key", False), ("relative_key_query", True)]
)
def test_distances_in_the_scores_replace_the_table_of_positions(
    path: Path, kind: str, meets_keys: bool | None
) -> None:
    _write(path, position_embedding_type=kind)
    encoder = read_config(path).encoder
    assert encoder.has_position_table is (meets_keys is None)
    assert (None if encoder.relative_keys is None else encoder.relative_keys.meets_keys) is meets_keys


@pytest.mark.parametrize(
    ("n_groups", "n_inner", "stored"),
    [
        (1, 1, (0, 0, 0)),
        (2, 1, (0, 0, 1)),
        (3, 1, (0, 1, 2)),
        (1, 2, (0, 1, 0, 1, 0, 1)),
        (2, 2, (0, 1, 0, 1, 2, 3)),
    ],
)
def test_layers_of_a_group_share_their_weights(
    path: Path, n_groups: int, n_inner: int, stored: tuple[int, ...]
) -> None:
    _write_family(path, "albert", num_hidden_layers=3, num_hidden_groups=n_groups, inner_group_num=n_inner)
    encoder = read_config(path).encoder
    assert (encoder.stored_layers, encoder.n_layers) == (stored, len(stored))
    assert encoder.shares_layers is (n_groups == n_inner == 1)


@pytest.mark.parametrize(
    ("family", "wrong"),
    [
        ("albert", dict.fromkeys(("num_hidden_groups", "inner_group_num"), (0, -1, 1001, True, "2", 1.5))),
        ("mpnet", {"relative_attention_num_buckets": (31, 0, True, "32", 10**7)}),
        ("ernie", {"use_task_id": (1,), "task_type_vocab_size": (0, "3")}),
        ("xlm-roberta", {"pad_token_id": (None, -1, "1", True, 10**7)}),
    ],
)
def test_what_makes_no_sense_of_a_family_is_refused(
    path: Path, family: str, wrong: dict[str, tuple[object, ...]]
) -> None:
    def read(settings: dict[str, Any]) -> object:
        _write_family(path, family, **({"use_task_id": True} if family == "ernie" else {}) | settings)
        return read_config(path)

    assert_refused(read, *each(**wrong))


def test_a_padding_that_leaves_no_position_is_refused(path: Path) -> None:
    _write_family(path, "xlm-roberta", pad_token_id=63)
    with pytest.raises(CheckpointError, match="positions") as caught:
        read_config(path)
    assert caught.value.hint


def test_an_albert_shares_layers_and_an_electra_projects_where_it_is_narrower(path: Path) -> None:
    _write_family(path, "albert", embedding_size=32)
    albert = read_config(path).encoder
    assert (albert.shares_layers, albert.embedding_width, albert.activation) == (True, 32, "gelu_new")
    for embedding_size, width in ((16, 16), (32, None)):
        _write_family(path, "electra", embedding_size=embedding_size)
        assert read_config(path).encoder.embedding_width == width


@pytest.mark.parametrize(("padding", "first"), [(..., 2), (1, 2), (0, 1), (5, 6)])
def test_positions_of_roberta_begin_after_its_padding(path: Path, padding: object, first: int) -> None:
    _write_family(path, "roberta", pad_token_id=padding)
    encoder = read_config(path).encoder
    assert (encoder.first_position, encoder.max_tokens) == (first, 64 - first)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[1]",
        b"3",
        b"null",
        b"\xff\xfe\x00",
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        b'{"vocab_size": ' + b"9" * 10_000 + b"}",
        b" " * (MAX_BYTES + 1),
    ],
    ids=["empty", "cut", "list", "number", "null", "bytes", "deep", "digits", "huge"],
)
def test_what_is_no_json_object_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"config\.json"):
        read_config(path)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="is no file: it is a folder"):
        read_config(tmp_path)


def _remarks(folder: Path, settings: dict[str, object]) -> list[str]:
    path = folder / "config.json"
    path.write_text(json.dumps(settings), "utf-8")
    return [text for text in read_config(path).remarks if "not known here" in text]


@pytest.mark.parametrize(
    "model_type", [family.model_type for family in FAMILIES if family.model_type in CONFIG_MAPPING]
)
def test_what_transformers_writes_is_known(model_type: str, tmp_path: Path) -> None:
    settings = CONFIG_MAPPING[model_type]().to_dict() | {"model_type": model_type}
    if model_type == "esm":  # whose defaults have neither
        settings |= {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 2}
    assert _remarks(tmp_path, settings) == []


@pytest.mark.parametrize(
    ("model_type", "bases"),
    [
        ("nomic_bert", {"rotary_emb_base": 1000}),
        ("modernbert", {"global_rope_theta": 160_000.0, "local_rope_theta": 10_000.0}),
    ],
)
@pytest.mark.parametrize("left_out", [(), ("rope_parameters",)])
def test_older_names_of_the_bases_of_rotations_are_known(
    model_type: str, bases: dict[str, float], left_out: tuple[str, ...], tmp_path: Path
) -> None:
    """A file may have the newer names besides, which take precedence."""
    settings = CONFIG_MAPPING[model_type]().to_dict() | {"model_type": model_type} | bases
    assert _remarks(tmp_path, {name: settings[name] for name in settings if name not in left_out}) == []


def test_settings_of_other_arithmetic_are_named(tmp_path: Path) -> None:
    settings = CONFIG_MAPPING["bert"]().to_dict()
    more = {"use_rope": True, "softmax_one": True, "use_alibi": False, "my_dropout_rate": 0.1}
    assert _remarks(tmp_path, settings | more) == [
        "config.json has settings that are not known here: use_rope, softmax_one. If they change what the "
        "model computes, the numbers are not those of its own code."
    ]


def test_many_are_not_all_named(tmp_path: Path) -> None:
    settings = CONFIG_MAPPING["bert"]().to_dict() | {f"twist_{number}": 1 for number in range(9)}
    (remark,) = _remarks(tmp_path, settings)
    assert "twist_5, …. If" in remark


NORBERT = {"AutoModel": "ltg/norbert3-base--modeling_norbert.NorbertModel"}


@pytest.mark.parametrize("architectures", [["NorbertForMaskedLM"], ...])
@pytest.mark.parametrize("model_type", ["norbert", ...])
def test_code_of_its_own_is_named_and_no_other_family_is_advised(
    architectures: Any, model_type: Any, folder: Path
) -> None:
    change_config(folder, auto_map=NORBERT, architectures=architectures, model_type=model_type)
    change_weights(folder, lambda tensors: {f"transformer.{name}": tensors[name] for name in tensors})
    with pytest.raises(CheckpointError, match=r"code comes with the checkpoint \(NorbertModel\)") as caught:
        opened(folder)
    assert "model_type" not in caught.value.hint


def test_a_plain_family_in_place_of_its_own_code_is_named_in_the_bar(folder: Path) -> None:
    assert described(opened(folder).facts).startswith("BERT · ")
    change_config(folder, auto_map={"AutoModel": "modeling_own.MyBert"}, architectures=["MyBert"])
    facts = opened(folder).facts
    assert described(facts).startswith("computed as plain BERT · ")
    assert "config.json names code of its own, modeling_own.MyBert, which is not run." in facts.remarks


def test_colbert_s_projection_is_named(folder: Path) -> None:
    change_config(folder, architectures=["HF_ColBERT"])

    def projected(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        return {f"bert.{name}": tensors[name] for name in tensors} | {"linear.weight": torch.zeros(128, 32)}

    change_weights(folder, projected)
    remarks = opened(folder).facts.remarks
    assert any("linear.weight is ColBERT's projection of every token's vector" in each for each in remarks)
    assert not any("Unknown tensors" in each for each in remarks)


def test_splade_s_vector_is_described(folder: Path) -> None:
    modules = "sentence_transformers.sparse_encoder.models."
    entries = [
        {"idx": 0, "name": "0", "path": "", "type": f"{modules}MLMTransformer"},
        {"idx": 1, "name": "1", "path": "1_SpladePooling", "type": f"{modules}SpladePooling"},
    ]
    (folder / "modules.json").write_text(json.dumps(entries), "utf-8")
    assert any("largest log(1 + relu(logit))" in remark for remark in opened(folder).facts.remarks)


def test_a_loss_s_weight_of_lightning_is_named(folder: Path) -> None:
    change_weights(
        folder,
        lambda tensors: (
            {f"model.bert.{name}": tensors[name] for name in tensors} | {"criterion.weight": torch.ones(3)}
        ),
    )
    assert any("criterion.weight" in remark for remark in opened(folder).facts.remarks)


_SCORES = "sbert_ce_default_activation_function"


@pytest.mark.parametrize(
    ("settings", "activation", "said"),
    [
        (
            {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Tanh"}},
            "Tanh",
            "through Tanh",
        ),
        ({_SCORES: "torch.nn.modules.activation.Sigmoid"}, "Sigmoid", "through Sigmoid, as sentence-tr"),
        ({_SCORES: "torch.nn.modules.linear.Identity"}, None, ""),
        ({"sentence_transformers": {"version": "5.1"}}, None, ""),
        ({"sentence_transformers": {"activation_fn": "own.Stretch"}}, None, "here they are shown without it"),
    ],
)
def test_the_function_of_a_cross_encoder_s_scores_is_read(
    settings: dict[str, object], activation: str | None, said: str, folder: Path
) -> None:
    change_config(folder, **settings)
    checkpoint = opened(folder)
    assert checkpoint.meaning.activation == activation
    scores = [remark for remark in checkpoint.facts.remarks if remark.startswith("Scores go through")]
    assert len(scores) == bool(said)
    assert said in "".join(scores)
