"""Models saved from notebooks: recognised by their tensors, their positions, heads and encoders of torch."""

from __future__ import annotations

import json
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from bertviz_app import paths
from bertviz_app.api import open_model
from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.question_table import save_answers, saved_answers, saved_answers_file
from bertviz_app.checkpoint.questions import Answers, AnswersError, LoneNorm, PositionFormula
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import AppError, ArgumentError, CheckpointError, FileError
from bertviz_app.features.own_checkpoints.recognise import notebook_of
from tests.support.checkpoint_folders import change_config, opened
from tests.support.notebooks import (
    INNER,
    KINDS,
    N_HEADS,
    N_LAYERS,
    N_PIECES,
    N_POSITIONS,
    TORCH_KINDS,
    WIDTH,
    ModelD,
    random_headed,
    random_notebook,
    write_notebook,
)
from tests.support.own_berts import PYTORCHIC

ALL = Answers(n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of settings."""
    monkeypatch.setattr(paths, "settings", lambda: tmp_path / "settings")
    return tmp_path / "settings"


@pytest.fixture
def silent(tmp_path: Path, settings: Path) -> Path:
    """A checkpoint of which config.json says nothing."""
    return write_notebook(tmp_path / "silent", random_notebook("c"), config={})


def test_the_sizes_are_those_of_the_weights(tmp_path: Path) -> None:
    config = opened(write_notebook(tmp_path, random_notebook("a"))).encoder.config
    assert (config.n_layers, config.n_heads, config.head_width, config.width) == (3, 4, 6, 32)
    assert (config.n_positions, config.max_tokens, config.first_position) == (41, 40, 1)
    assert config.norm_eps == 1e-6


def test_the_norms_of_b_have_torchs_epsilon_whatever_config_json_has(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("b"))
    assert json.loads((folder / "config.json").read_text("utf-8"))["layer_norm_eps"] == 1e-12
    assert opened(folder).encoder.config.norm_eps == 1e-5
    change_config(folder, model_type="bert")
    assert opened(folder).encoder.config.form.adds_before_projection


def test_all_missing_answers_are_named_in_one_error(silent: Path) -> None:
    with pytest.raises(CheckpointError, match="--heads, --eps, --lower-case") as raised:
        opened(silent)
    assert "--heads 12 --eps 1e-5 --lower-case" in raised.value.hint
    assert "bertviz_app.json" in raised.value.hint
    with pytest.raises(CheckpointError, match=r"known: --eps\."):
        open_checkpoint(find(str(silent)), answers=Answers(n_heads=N_HEADS, lower_case=True))


def test_what_was_answered_is_kept_beside_it(silent: Path) -> None:
    model = open_model(str(silent), "cpu", n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)
    assert json.loads((silent / "bertviz_app.json").read_text("utf-8")) == {
        "n_heads": N_HEADS,
        "norm_eps": 1e-5,
        "lower_case": True,
    }
    again = open_model(str(silent), "cpu").trace("The cat")
    np.testing.assert_array_equal(again.hidden, model.trace("The cat").hidden)
    assert again.tokens.pieces == ("[CLS]", "the", "cat", "[SEP]")


def test_a_later_answer_replaces_an_earlier_one(silent: Path) -> None:
    open_model(str(silent), "cpu", n_heads=N_HEADS, norm_eps=1e-5, lower_case=True)
    open_model(str(silent), "cpu", n_heads=2)
    assert saved_answers(silent) == Answers(2, 1e-5, True)
    assert open_model(str(silent), "cpu").facts.n_heads == 2


def test_an_answer_that_does_not_fit_is_not_kept(silent: Path) -> None:
    with pytest.raises(CheckpointError, match="7 heads cannot share the 32 numbers"):
        open_model(str(silent), "cpu", n_heads=7, norm_eps=1e-5, lower_case=True)
    assert saved_answers_file(silent) is None


def test_the_newest_answer_holds_where_the_folder_can_no_longer_be_written(
    silent: Path, settings: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_answers(silent, ALL)
    later, replacing = replace(ALL, n_heads=2), paths.replacing

    def refusing(path: Path) -> AbstractContextManager[Path]:
        if path.parent == silent:
            raise FileError("read-only")
        return replacing(path)

    with monkeypatch.context() as patched:
        patched.setattr(paths, "replacing", refusing)
        assert save_answers(silent, later).is_relative_to(settings)
    assert saved_answers(silent) == later
    assert save_answers(silent, ALL) == saved_answers_file(silent) == silent / "bertviz_app.json"
    assert saved_answers(silent) == ALL


@pytest.mark.parametrize(
    "answers",
    [
        {"n_heads": 0},
        {"n_heads": "4"},
        {"norm_eps": 2.0},
        {"lower_case": 1},
        {"n_heads": True},
        {"positions": "sines"},
    ],
)
def test_damaged_answers_are_refused(silent: Path, answers: dict[str, object]) -> None:
    (silent / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    with pytest.raises(CheckpointError, match="an answer that can be none"):
        opened(silent)


def test_a_family_needs_no_answers(tiny_bert: Path) -> None:
    with pytest.raises(CheckpointError, match="says itself"):
        open_checkpoint(find(str(tiny_bert)), answers=ALL)


def test_a_size_that_contradicts_the_weights_is_refused(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    change_config(folder, d_hidn=64)
    with pytest.raises(CheckpointError, match=r"d_hidn in config\.json is 64, but the weights make it 32"):
        opened(folder)


def test_a_part_that_is_not_computed_is_refused(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("c"))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    torch.save({**tensors, "encoder.adapter.scale": torch.ones(16)}, folder / "model.pt")
    with pytest.raises(CheckpointError, match=r"encoder\.adapter\.scale"):
        opened(folder)


@pytest.mark.parametrize("kind", [*KINDS, *TORCH_KINDS])
def test_every_tensor_but_one_is_not_enough(kind: str, tmp_path: Path) -> None:
    """Of the layers one is tried: they are alike."""
    folder = write_notebook(tmp_path, random_notebook(kind))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    needed = [name for name in tensors if not name.startswith(("fc.", "linear.", "pooler."))]
    for name in needed if kind in KINDS else tensors:
        if ".0." in name or ".2." in name:
            continue
        without_segments = any(part in name for part in ("segment", "seg_emb", "token_type"))
        is_asked_for = kind in TORCH_KINDS and (name.endswith("pe") or ("pos" in name and "weight" in name))
        if without_segments or is_asked_for:
            continue
        torch.save({other: tensor for other, tensor in tensors.items() if other != name}, folder / "model.pt")
        with pytest.raises(CheckpointError):
            opened(folder)


def test_other_names_are_no_notebooks() -> None:
    names = ("attention.self.query", "attention.output.dense", "intermediate.dense", "output.dense")
    of_bert = {f"bert.encoder.layer.0.{name}.weight": torch.zeros(8, 8) for name in names}
    assert notebook_of(of_bert) is None
    assert notebook_of({"fc.weight": torch.zeros(2, 8)}) is None
    assert notebook_of({}) is None


def test_names_that_are_not_known_are_shown_with_the_way_out(tmp_path: Path) -> None:
    """Also where answers are given: it is not true then that its files leave nothing open."""
    folder = write_notebook(tmp_path, random_notebook("c"))
    tensors = torch.load(folder / "model.pt", weights_only=True)
    renamed = {f"p{number}": tensor for number, tensor in enumerate(tensors.values())}
    torch.save(renamed, folder / "model.pt")
    for answers in (Answers(), ALL):
        with pytest.raises(CheckpointError, match=r"no “model_type”, and .* such names: ") as raised:
            open_checkpoint(find(str(folder)), answers=answers)
        assert "--parts FILE" in raised.value.hint


def test_saved_answers_about_its_files_are_no_answers_about_the_model(silent: Path) -> None:
    answers = {"n_heads": 4, "norm_eps": 1e-5, "lower_case": True, "links": True}
    (silent / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    source = find(str(silent))
    assert source.problem is None
    assert not source.asks
    assert opened(silent).encoder.config.n_heads == 4


@pytest.fixture
def unanswered(tmp_path: Path) -> Path:
    """A model whose file has no positions, and whose config.json says everything else."""
    return write_notebook(
        tmp_path / "d", random_notebook("d"), config={**ModelD.config, "do_lower_case": True}
    )


def test_an_unknown_position_formula_is_an_open_question(unanswered: Path) -> None:
    with pytest.raises(AnswersError, match=r"known: --positions\.") as raised:
        opened(unanswered)
    assert raised.value.questions.unanswered == ("positions",)
    assert raised.value.questions.choices["positions"] == ("textbook", "columns", "none")
    assert "--positions textbook (or columns, none)" in raised.value.hint


@pytest.mark.parametrize("answer", ["textbook", "columns"])
def test_the_numbers_are_those_of_the_formula(unanswered: Path, answer: PositionFormula) -> None:
    trace = open_model(str(unanswered), "cpu", positions=answer).trace("The cat ate the fish")
    columns, positions = np.arange(trace.width), np.arange(trace.n_tokens)[:, None]
    power = 2 * columns if answer == "columns" else 2 * (columns // 2)
    angles = positions / 10000.0 ** (power / trace.width)
    expected = np.where(columns % 2 == 0, np.sin(angles), np.cos(angles))
    assert trace.position_embeddings is not None
    np.testing.assert_allclose(trace.position_embeddings, expected, atol=1e-7)
    assert (trace.form.has_sinusoids, trace.form.has_column_sinusoids) == (True, answer == "columns")
    assert json.loads((unanswered / "bertviz_app.json").read_text("utf-8")) == {"positions": answer}
    again = open_model(str(unanswered), "cpu").trace("The cat ate the fish")
    np.testing.assert_array_equal(again.hidden, trace.hidden)


def test_without_positions_the_order_of_the_tokens_does_not_matter(unanswered: Path) -> None:
    model = open_model(str(unanswered), "cpu", positions="none")
    trace, other = model.trace("cat ate"), model.trace("ate cat")
    assert trace.position_embeddings is None
    np.testing.assert_allclose(trace.hidden[-1, 1], other.hidden[-1, 2], atol=1e-5)


def test_a_formula_that_is_none_is_refused(unanswered: Path) -> None:
    with pytest.raises(ArgumentError, match="is one of textbook, columns, none, not 'sines'") as raised:
        open_model(str(unanswered), "cpu", positions="sines")  # type: ignore[arg-type]
    assert 'positions="textbook"' in raised.value.hint
    assert not (unanswered / "bertviz_app.json").exists()


def test_where_positions_are_stored_no_formula_can_be_given(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "c", random_notebook("c"))
    with pytest.raises(CheckpointError, match="does not leave open what positions answers"):
        open_model(str(folder), "cpu", positions="textbook")
    questions = opened(folder).facts.questions
    assert questions is not None
    assert questions.in_force == Answers(4, 1e-5, True)


def _written(tmp_path: Path, name: str, *, answers: dict[str, object] | None = None) -> Path:
    """Write the model `name` with these answers beside it, by default its own."""
    model = random_headed(name)
    folder = write_notebook(tmp_path / "model", model)
    if answers is not None:
        (folder / "bertviz_app.json").write_text(json.dumps(answers), encoding="utf-8")
    return folder


def _with(folder: Path, **others: Tensor) -> Path:
    tensors = torch.load(folder / "model.pt", weights_only=True)
    tensors |= {name.replace("__", "."): tensor for name, tensor in others.items()}
    torch.save(tensors, folder / "model.pt")
    return folder


def _error_of(folder: Path) -> AnswersError:
    with pytest.raises(AnswersError) as raised:
        opened(folder)
    return raised.value


def test_a_classifier_of_tokens_alone_shows_its_probabilities(tmp_path: Path) -> None:
    folder = _written(tmp_path, "tokens alone, classes", answers={})
    error = _error_of(folder)
    assert error.questions.unanswered == ("positions", "classifier_reads")
    assert "--classifier-reads mean" in error.hint
    given = {"positions": "none", "classifier_reads": "mean", "labels": ("bad", "good")}
    model = open_model(str(folder), "cpu", **given)  # type: ignore[arg-type]
    classes = model.classify("The cat ate the fish")
    logits = model.logits(model.trace("The cat ate the fish")).classes
    assert logits is not None
    expected = np.exp(logits) / np.exp(logits).sum()
    assert {label.name: label.value for label in classes.labels} == pytest.approx(
        {"bad": expected[0], "good": expected[1]}
    )
    assert json.loads((folder / "bertviz_app.json").read_text("utf-8"))["labels"] == ["bad", "good"]


def test_names_of_config_json_are_those_of_the_classes(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    change_config(folder, id2label={"0": "bad", "1": "fair", "2": "good"})
    model = open_model(str(folder), "cpu")
    assert {label.name for label in model.classify("The cat").labels} == {"bad", "fair", "good"}


def test_names_of_other_classes_are_not_used_and_the_user_is_notified(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    change_config(folder, id2label={"0": "bad", "1": "good"})
    model = open_model(str(folder), "cpu")
    assert not {label.name for label in model.classify("The cat").labels} & {"bad", "good"}
    assert any("names for 2 classes, but there are 3" in remark for remark in model.facts.remarks)


def test_each_class_has_one_name(tmp_path: Path) -> None:
    folder = _written(tmp_path, "b, classes", answers={})
    with pytest.raises(CheckpointError, match="2 names cannot be those of 3 classes"):
        open_model(str(folder), "cpu", labels=("bad", "good"))


def test_without_a_pooler_nothing_reads_the_pooled_vector(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={})
    error = _error_of(folder)
    assert error.questions.unanswered == ("classifier_reads", "classifier_activation")
    with pytest.raises(CheckpointError, match="classifier_reads cannot be “pooled”"):
        open_model(str(folder), "cpu", classifier_reads="pooled", classifier_activation="relu")


def test_which_output_means_follows_is_an_open_question(tmp_path: Path) -> None:
    folder = _written(tmp_path, "a, pre-training", answers={})
    assert _error_of(folder).questions.unanswered == ("follows",)
    found = []
    for follows in (0, 1):
        model = open_model(str(folder), "cpu", follows=follows)
        found.append(model.next_sentence("The cat ate", "It was hungry.").probability)
    assert found[0] + found[1] == pytest.approx(1, abs=1e-6)
    with pytest.raises(ArgumentError, match="number of an output, 0 or 1, not 2"):
        open_model(str(folder), "cpu", follows=2)


def test_a_head_can_be_left_out(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={"classifier_reads": "none"})
    facts = open_model(str(folder), "cpu").facts
    assert facts.task_heads == ()
    assert any("fc1.weight" in remark for remark in facts.remarks)


def test_heads_of_other_parts_are_named_and_not_used(tmp_path: Path) -> None:
    folder = _with(_written(tmp_path, "b, classes", answers={}), classifier_norm__weight=torch.ones(WIDTH))
    with pytest.raises(CheckpointError, match=r"classifier_norm\.weight"):
        opened(folder)
    for number, (name, tensor) in enumerate(
        {
            "classifier__norm__weight": torch.ones(3),
            "classifier__2__weight": torch.ones(4, WIDTH + 1),
            "classifier__table": torch.ones(3, 3, 3),
        }.items()
    ):
        folder = _with(_written(tmp_path / str(number), "b, classes", answers={}), **{name: tensor})
        facts = opened(folder).facts
        assert facts.task_heads == ()
        assert any("classifier" in remark for remark in facts.remarks)


def test_numbers_of_another_kind_are_no_head(tmp_path: Path) -> None:
    bytes_ = torch.ones(3, WIDTH, dtype=torch.int8)
    folder = _with(_written(tmp_path, "b, classes", answers={}), classifier__weight=bytes_)
    assert opened(folder).facts.task_heads == ()


def test_fc1_and_fc2_may_be_two_heads(tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={"classifier_reads": "first", "follows": 1})
    tensors = torch.load(folder / "model.pt", weights_only=True)
    tensors = {name: tensor for name, tensor in tensors.items() if not name.startswith("fc")}
    tensors |= {"fc1.weight": torch.randn(N_PIECES, WIDTH), "fc2.weight": torch.randn(2, WIDTH)}
    torch.save(tensors, folder / "model.pt")
    assert opened(folder).facts.task_heads == ("masked", "next_sentence")


@pytest.mark.parametrize("missing", ["fc1.weight", "fc2.weight"])
def test_a_head_of_which_a_tensor_is_missing_is_not_used(missing: str, tmp_path: Path) -> None:
    folder = _written(tmp_path, "c, two layers", answers={})
    tensors = torch.load(folder / "model.pt", weights_only=True)
    torch.save({name: tensor for name, tensor in tensors.items() if name != missing}, folder / "model.pt")
    facts = opened(folder).facts
    assert facts.task_heads == ()
    assert any("Task heads that are not used" in remark for remark in facts.remarks)


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


def _refused(folder: Path, tensors: dict[str, Tensor]) -> Path:
    folder = PYTORCHIC.write(folder, tensors)
    (folder / "config.json").write_text("{}", encoding="utf-8")
    return folder


@pytest.mark.parametrize("shape", [(1, N_POSITIONS, WIDTH), (N_POSITIONS, WIDTH), (N_POSITIONS, 1, WIDTH)])
@pytest.mark.parametrize("name", ["pos_embedding", "positional_encoding"])
def test_a_bare_table_of_positions_is_read(name: str, shape: tuple[int, ...], tmp_path: Path) -> None:
    tensors = _tensors()
    table = tensors.pop("pos_embedding").reshape(shape)
    model = open_model(str(_refused(tmp_path, {**tensors, name: table})), "cpu", **ANSWERS)  # type: ignore[arg-type]
    trace = model.trace("The cat ate")
    assert trace.position_embeddings is not None
    np.testing.assert_array_equal(trace.position_embeddings, table.reshape(-1, WIDTH)[: trace.n_tokens])


def test_the_template_of_the_layers_is_left_out_with_a_remark(tmp_path: Path) -> None:
    tensors = _tensors()
    model = open_model(str(_refused(tmp_path, tensors)), "cpu", **ANSWERS)  # type: ignore[arg-type]
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
        open_model(str(_refused(tmp_path, tensors)), "cpu", **ANSWERS)  # type: ignore[arg-type]


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
        open_model(str(_refused(tmp_path, {**_tensors(), **others})), "cpu")
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
        open_model(str(_refused(tmp_path, {**tensors, **second})), "cpu")


def test_a_family_that_config_json_names_is_not_taken_for_a_model_of_ones_own() -> None:
    two = {
        f"{tower}.layers.0.{name}.weight": torch.zeros(WIDTH, WIDTH)
        for tower in ("one", "two")
        for name in ("attn.q", "attn.k", "attn.o", "mlp.up", "mlp.down")
    }
    assert notebook_of(two, only_known=True) is None
    with pytest.raises(CheckpointError, match="2 stacks"):
        notebook_of(two)
    numbered = {name.replace("one.", "encoder.").replace("two.", "encoder2."): two[name] for name in two}
    with pytest.raises(CheckpointError, match=r"2 stacks of layers: encoder\.layers\., encoder2\.layers\."):
        notebook_of(numbered)


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
        open_model(str(_refused(tmp_path, tensors)), "cpu")


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
    assert questions.unanswered == ("lower_case", "scales_tokens", "norm_first", "activation")
    assert "--norm-first (or --norm-last)" in raised.value.hint
    answers = {"lower_case": True, "norm_first": True, "activation": "gelu", "scales_tokens": False}
    model = open_model(str(folder), "cpu", **answers)  # type: ignore[arg-type]
    trace = model.trace("The cat")
    assert (trace.form.is_pre_norm, trace.form.scales_tokens) == (True, False)
    assert model.details(trace, 0).activation == "gelu"
    with pytest.raises(CheckpointError, match="activation cannot be “step”"):
        open_model(str(folder), "cpu", activation="step")


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


@pytest.mark.parametrize("name", ["multihead_attn__in_proj_weight", "src_attn__linears__0__weight"])
def test_a_decoder_is_not_computed(name: str, tmp_path: Path) -> None:
    folder = _write(tmp_path, "torch", **{f"decoder__layers__0__{name}": torch.zeros(3 * WIDTH, WIDTH)})
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
