"""What no answer avoids is refused before anything is asked; what tutorials save besides is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app.api import open_model
from bertviz_app.checkpoint.notebooks.recognise import notebook_of
from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.errors import CheckpointError
from tests.support.notebooks import INNER, N_HEADS, N_LAYERS, N_PIECES, N_POSITIONS, WIDTH
from tests.support.own_berts import PYTORCHIC

ANSWERS = {
    "n_heads": N_HEADS,
    "norm_eps": 1e-5,
    "lower_case": True,
    "norm_first": False,
    "activation": "relu",
    "scales_tokens": False,
}


class Tutorial(nn.Module):
    """Embeddings under `nn.TransformerEncoder`, whose layer is an attribute too, as in many tutorials."""

    def __init__(self) -> None:
        super().__init__()
        self.token_embed = nn.Embedding(N_PIECES, WIDTH)
        self.encoder_layer = nn.TransformerEncoderLayer(WIDTH, N_HEADS, INNER, batch_first=True)
        self.encoder_block = nn.TransformerEncoder(self.encoder_layer, N_LAYERS, enable_nested_tensor=False)
        self.pos_embedding = nn.Parameter(torch.randn(1, N_POSITIONS, WIDTH))


def _tensors() -> dict[str, Tensor]:
    torch.manual_seed(0)
    return Tutorial().eval().state_dict()


def _written(folder: Path, tensors: dict[str, Tensor]) -> Path:
    folder = PYTORCHIC.write(folder, tensors)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("shape", [(1, N_POSITIONS, WIDTH), (N_POSITIONS, WIDTH), (N_POSITIONS, 1, WIDTH)])
@pytest.mark.parametrize("name", ["pos_embedding", "positional_encoding"])
def test_a_bare_table_of_positions_is_read(name: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    tensors = _tensors()
    table = tensors.pop("pos_embedding").reshape(shape)
    model = open_model(str(_written(tmp_path, {**tensors, name: table})), "cpu", **ANSWERS)  # type: ignore[arg-type]
    trace = model.trace("The cat ate")
    assert trace.position_embeddings is not None
    np.testing.assert_array_equal(trace.position_embeddings, table.reshape(-1, WIDTH)[: trace.n_tokens])


def test_the_template_of_the_layers_is_left_out_with_a_remark(tmp_path: Path) -> None:
    tensors = _tensors()
    model = open_model(str(_written(tmp_path, tensors)), "cpu", **ANSWERS)  # type: ignore[arg-type]
    assert any("encoder_layer is the layer that was copied" in remark for remark in model.facts.remarks)
    tutorial = Tutorial().eval()
    tutorial.load_state_dict(tensors)
    trace = model.trace("The cat ate the fish")
    ids = torch.from_numpy(trace.tokens.ids.astype(np.int64))[None]
    with torch.inference_mode():
        x = tutorial.token_embed(ids) + tutorial.pos_embedding[:, : ids.shape[1]]
        expected = tutorial.encoder_block(x)[0]
    np.testing.assert_allclose(trace.hidden[-1], expected, atol=1e-5)


def test_another_layer_than_the_template_is_not_left_out(tmp_path: Path) -> None:
    tensors = _tensors()
    tensors["encoder_layer.linear1.weight"] = torch.zeros(INNER + 1, WIDTH)
    with pytest.raises(AnswersError, match=r"encoder_layer\.self_attn"):
        open_model(str(_written(tmp_path, tensors)), "cpu", **ANSWERS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "others",
    [
        {"cls_token": torch.zeros(1, 1, WIDTH)},
        {"lstm.weight_ih_l0": torch.zeros(4, WIDTH), "lstm.bias_ih_l0": torch.zeros(4)},
    ],
)
def test_parts_that_are_not_computed_are_named_before_any_question(
    others: dict[str, Tensor], tmp_path: Path
) -> None:
    with pytest.raises(AnswersError, match=next(iter(others))) as raised:
        open_model(str(_written(tmp_path, {**_tensors(), **others})), "cpu")
    assert raised.value.questions.names == ("parts",)


def test_two_stacks_are_named(tmp_path: Path) -> None:
    tensors = _tensors()
    second = {
        name.replace("encoder_block", "encoder2"): tensor
        for name, tensor in tensors.items()
        if name.startswith("encoder_block")
    }
    with pytest.raises(
        CheckpointError, match=r"2 stacks of layers: encoder_block\.layers\., encoder2\.layers\."
    ):
        open_model(str(_written(tmp_path, {**tensors, **second})), "cpu")


def test_a_decoder_of_the_annotated_transformer_is_named(tmp_path: Path) -> None:
    tensors = _tensors()
    tensors["decoder.layers.0.src_attn.linears.0.weight"] = torch.zeros(WIDTH, WIDTH)
    with pytest.raises(CheckpointError, match="holds a decoder besides its encoder"):
        open_model(str(_written(tmp_path, tensors)), "cpu")


def test_a_family_that_config_json_names_is_not_taken_for_a_model_of_ones_own() -> None:
    two = {
        f"{tower}.layers.0.{name}.weight": torch.zeros(WIDTH, WIDTH)
        for tower in ("one", "two")
        for name in ("attn.q", "attn.k", "attn.o", "mlp.up", "mlp.down")
    }
    assert notebook_of(two, only_known=True) is None
    with pytest.raises(CheckpointError, match="2 stacks"):
        notebook_of(two)


def test_parts_that_are_layers_of_their_own_are_named(tmp_path: Path) -> None:
    """As x-transformers numbers them: attention in the even layers, feed-forward parts in the odd ones."""
    tensors = {"token_emb.emb.weight": torch.rand(N_PIECES, WIDTH)}
    for layer in range(0, 2 * N_LAYERS, 2):
        start = f"attn_layers.layers.{layer}."
        tensors |= {f"{start}1.{name}.weight": torch.rand(WIDTH, WIDTH) for name in ("to_q", "to_k", "to_v")}
        tensors[f"{start}1.to_out.weight"] = torch.rand(WIDTH, WIDTH)
        start = f"attn_layers.layers.{layer + 1}."
        tensors |= {f"{start}1.ff.0.0.weight": torch.rand(INNER, WIDTH)}
        tensors |= {f"{start}1.ff.2.weight": torch.rand(WIDTH, INNER)}
    with pytest.raises(CheckpointError, match="numbered as layers of their own, in turn"):
        open_model(str(_written(tmp_path, tensors)), "cpu")
