"""`torch.nn.TransformerEncoder` and codertimo's BERT-pytorch: what is asked, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.api import open_model
from bertviz_app.checkpoint.questions import AnswersError, LoneNorm
from bertviz_app.errors import AppError, CheckpointError
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebooks import N_PIECES, WIDTH, write_notebook
from tests.support.torch_notebooks import TORCH_KINDS, random_notebook


def _write(folder: Path, kind: str, **others: Tensor | None) -> Path:
    """Write the model of a kind with `others` among its tensors, None for those to leave out."""
    model = random_notebook(kind)
    write_notebook(folder, model)
    tensors = {**model.state_dict(), **{name.replace("__", "."): tensor for name, tensor in others.items()}}
    torch.save({name: tensor for name, tensor in tensors.items() if tensor is not None}, folder / "model.pt")
    return folder


def test_the_order_of_the_norms_the_activation_and_the_scaling_are_open_questions(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "torch", random_notebook("torch"), config={"nhead": 4, "eps": 1e-5})
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    questions = raised.value.questions
    assert questions.unanswered == ("lower_case", "norm_first", "scales_tokens", "activation")
    assert "--norm-first (or --norm-last)" in raised.value.hint
    answers = {"lower_case": True, "norm_first": True, "activation": "gelu", "scales_tokens": False}
    model = open_model(str(folder), "cpu", **answers)  # type: ignore[arg-type]
    trace = model.trace("The cat")
    assert (trace.form.is_pre_norm, trace.form.scales_tokens) == (True, False)
    assert model.details(trace, 0).activation == "gelu"
    with pytest.raises(CheckpointError, match="--activation cannot be “step”"):
        open_model(str(folder), "cpu", activation="step")


def test_config_json_may_have_the_answers(tmp_path: Path) -> None:
    folder = write_notebook(
        tmp_path / "torch",
        random_notebook("torch, norm first"),
        config={"nhead": 4, "eps": 1e-5, "norm_first": True, "activation": "gelu", "do_lower_case": True},
    )
    assert opened(folder).encoder.config.form.is_pre_norm


def test_stored_sines_and_cosines_are_the_positions(tmp_path: Path) -> None:
    for kind in ("torch", "codertimo"):
        model = random_notebook(kind)
        (table,) = (tensor for name, tensor in model.state_dict().items() if name.endswith("pe"))
        trace = open_model(str(_write(tmp_path / kind, kind)), "cpu").trace("The cat ate")
        assert trace.position_embeddings is not None
        np.testing.assert_array_equal(trace.position_embeddings, table.reshape(-1, WIDTH)[: trace.n_tokens])


def test_codertimos_segments_begin_at_1(tmp_path: Path) -> None:
    folder = _write(tmp_path / "model", "codertimo")
    model = open_model(str(folder), "cpu")
    assert model.tokens("The cat").segment_ids.tolist() == [1, 1, 1, 1]
    assert model.tokens("The cat", "ate").segment_ids.tolist() == [1, 1, 1, 1, 2, 2]
    short = _write(tmp_path / "short", "codertimo", bert__embedding__segment__weight=torch.zeros(2, WIDTH))
    with pytest.raises(AppError):
        open_model(str(short), "cpu").tokens("The cat", "ate")


@pytest.mark.parametrize("kind", TORCH_KINDS)
def test_every_tensor_but_one_is_not_enough(kind: str, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook(kind))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    for name in tensors:
        torch.save({other: tensor for other, tensor in tensors.items() if other != name}, folder / "model.pt")
        if "segment" in name or ("pos" in name and "weight" in name) or name.endswith("pe"):
            continue  # a model without segments, or one whose positions are asked for
        with pytest.raises(CheckpointError):
            opened(folder)


def test_a_decoder_is_not_computed(tmp_path: Path) -> None:
    name = "decoder__layers__0__multihead_attn__in_proj_weight"
    folder = _write(tmp_path, "torch", **{name: torch.zeros(3 * WIDTH, WIDTH)})
    with pytest.raises(CheckpointError, match="holds a decoder besides its encoder"):
        opened(folder)


def test_beside_a_norm_of_the_embeddings_the_other_one_is_the_last(tmp_path: Path) -> None:
    model = random_notebook("torch, two norms")
    folder = write_notebook(tmp_path, model)
    flat = {name.removeprefix("encoder."): tensor for name, tensor in model.state_dict().items()}
    before = opened(folder).facts.fingerprint
    torch.save(flat, folder / "model.pt")
    assert opened(folder).facts.fingerprint == before


def test_where_a_norm_of_two_meanings_stands_is_an_open_question(tmp_path: Path) -> None:
    norm = {"layer_norm__weight": torch.rand(WIDTH), "layer_norm__bias": torch.rand(WIDTH)}
    folder = _write(tmp_path, "torch", **norm)
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    assert raised.value.questions.unanswered == ("lone_norm",)
    found = {}
    places: tuple[LoneNorm, ...] = ("embeddings", "last")
    for place in places:
        trace = open_model(str(folder), "cpu", lone_norm=place).trace("The cat")
        found[place] = trace.form.has_embedding_norm, trace.form.has_final_norm
    assert found == {"embeddings": (True, False), "last": (False, True)}


def test_shapes_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    odd = torch.zeros(3 * WIDTH + 1, WIDTH)
    folder = _write(tmp_path / "odd", "torch", encoder__layers__1__self_attn__in_proj_weight=odd)
    with pytest.raises(CheckpointError, match="cannot be cut into 3"):
        opened(folder)
    table = torch.zeros(2, 5, WIDTH)
    folder = _write(tmp_path / "table", "torch", pos_encoder__pe=table)
    with pytest.raises(CheckpointError, match=r"pos_encoder\.pe"):
        opened(folder)
    folder = _write(tmp_path / "heads", "torch")
    change_config(folder, nhead=5)
    with pytest.raises(AnswersError, match="5 heads cannot share the 32 numbers"):
        opened(folder)


def test_segments_may_have_as_many_rows_as_the_vocabulary(tmp_path: Path) -> None:
    model = random_notebook("d")
    folder = write_notebook(tmp_path, model)
    table = torch.randn(N_PIECES, WIDTH)
    torch.save({**model.state_dict(), "embedding.segment_emb.weight": table}, folder / "model.pt")
    change_config(folder, type_vocab_size=2)
    opened_model = open_model(str(folder), "cpu")
    trace = opened_model.trace("The cat", "ate")
    assert trace.segment_embeddings is not None
    np.testing.assert_array_equal(trace.segment_embeddings, table.numpy()[trace.tokens.segment_ids])
    assert set(trace.tokens.segment_ids.tolist()) == {0, 1}
    assert any("as many rows as the vocabulary" in remark for remark in opened_model.facts.remarks)
