"""A pre-training that begins with a checkpoint has its weights, sizes and tokenizer."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch
from transformers import BertConfig, BertForPreTraining

from bertviz_app.errors import Cancelled, FileError
from bertviz_app.text import Tokenizer
from bertviz_app.text.cutter import Backend
from bertviz_app.training.pretraining.network import PretrainingNetwork, mask
from bertviz_app.training.pretraining.run import first_turn, network_from, pretrain, validate_base
from bertviz_app.training.pretraining.settings import Evaluation, StepReport
from bertviz_app.training.pretraining.vocabulary import SPECIAL_PIECES, TOKENIZER, Pieces, SpecialIds
from bertviz_app.training.settings import TrainingError, read_record
from tests.support.checkpoint_folders import opened
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.reviews import base_of
from tests.support.training_texts import TINY, Follower, write_texts


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path], Evaluation]:
    """A pre-trained model, the texts that it was trained on, and its last evaluation."""
    texts = write_texts(tmp_path_factory.mktemp("texts"))
    out = tmp_path_factory.mktemp("models") / "first"
    return out, texts, pretrain(texts, out, replace(TINY, precision="float32"), Follower())


def test_the_first_evaluation_is_the_last_one_of_the_base(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, evaluation = first
    follower = Follower()
    pretrain(texts, tmp_path, replace(TINY, steps=2), follower, base=base_of(folder))
    begun = follower.evaluations[0]
    assert begun.masked_loss == pytest.approx(evaluation.masked_loss, abs=1e-6)
    assert begun.next_loss == pytest.approx(evaluation.next_loss, abs=1e-6)
    assert follower.stages == ["tokens", "tokens", "training"]  # it has a vocabulary already
    assert (tmp_path / "vocab.txt").read_bytes() == (folder / "vocab.txt").read_bytes()
    assert "began with the weights of first" in (tmp_path / "README.md").read_text("utf-8")


def test_the_sizes_are_those_of_the_base(first: tuple[Path, list[Path], Evaluation], tmp_path: Path) -> None:
    folder, texts, _ = first
    settings = replace(TINY, n_layers=5, width=40, n_heads=5, vocabulary_size=90, n_positions=64, steps=1)
    pretrain(texts, tmp_path, settings, Follower(), base=base_of(folder))
    assert opened(tmp_path).encoder.config == opened(folder).encoder.config


def test_positions_that_the_base_declares_hardly_trained_begin_as_those_before(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, _ = first
    stated = tmp_path / "stated"
    shutil.copytree(folder, stated, ignore=shutil.ignore_patterns("run"))
    config = json.loads((stated / "config.json").read_text("utf-8"))
    (stated / "config.json").write_text(json.dumps({**config, "n_trained_positions": 20}), encoding="utf-8")
    out = tmp_path / "out"
    pretrain(texts, out, replace(TINY, steps=1, rate=1e-9), Follower(), base=base_of(stated))
    assert "from 20 on copies of those before" in (out / "README.md").read_text("utf-8")
    before, after = (opened(each).encoder.embeddings.position for each in (folder, out))
    assert before is not None
    assert after is not None
    torch.testing.assert_close(after.weight[:20], before.weight[:20], atol=1e-6, rtol=0)
    torch.testing.assert_close(after.weight[20:], before.weight[torch.arange(20, 48) % 20], atol=1e-6, rtol=0)
    assert not torch.allclose(after.weight[20:], before.weight[20:], atol=1e-3)


def _stated(folder: Path) -> object:
    """Return from where on the model says that its positions are hardly trained, or None."""
    return opened(folder).facts.n_trained_positions


def test_a_run_of_short_examples_alone_states_that_later_positions_are_not_trained(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, _ = first
    short = replace(TINY, steps=2, long_from=1.0, length=20, snapshot_every=1)
    assert _stated(folder) is None  # the last part of its run had examples of all positions
    pretrain(texts, tmp_path / "new", short, Follower())
    assert _stated(tmp_path / "new") == 20
    assert _stated(tmp_path / "new" / "snapshots" / "step-000001") == 20
    pretrain(texts, tmp_path / "further", short, Follower(), base=base_of(tmp_path / "new"))
    assert _stated(tmp_path / "further") == 20
    long = replace(short, long_from=0)
    pretrain(texts, tmp_path / "long", long, Follower(), base=base_of(tmp_path / "new"))
    assert _stated(tmp_path / "long") is None
    pretrain(texts, tmp_path / "kept", short, Follower(), base=base_of(folder))
    assert _stated(tmp_path / "kept") is None  # the base had trained them


def test_a_longer_end_does_not_make_trained_positions_untrained(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    texts = first[1]
    settings = replace(TINY, steps=2, long_from=0.5, length=20, schedule="constant")
    pretrain(texts, tmp_path, settings, Follower())
    assert _stated(tmp_path) is None
    longer = replace(settings, steps=8, snapshot_every=1)  # its third step has short examples again
    pretrain(texts, tmp_path, longer, Follower(), resume=True)
    assert _stated(tmp_path / "snapshots" / "step-000003") is None


def test_the_base_stays_as_it_is(first: tuple[Path, list[Path], Evaluation], tmp_path: Path) -> None:
    folder, texts, _ = first
    base = base_of(folder)
    before = {name: tensor.clone() for name, tensor in base.encoder.state_dict().items()}
    pretrain(texts, tmp_path, replace(TINY, steps=2), Follower(), base=base)
    after = base.encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert not torch.equal(
        opened(tmp_path).encoder.embeddings.token.weight, before["embeddings.token.weight"]
    )


def test_the_texts_are_read_in_another_order_than_by_the_base(
    first: tuple[Path, list[Path], Evaluation],
) -> None:
    folder = first[0]
    base = base_of(folder)
    other = network_from(base, TINY)
    with torch.no_grad():
        other.encoder.embeddings.token.weight[0, 0] += 1.0
    changed = replace(base, encoder=other.encoder)
    assert first_turn(base) == first_turn(base_of(folder)) > 0
    assert first_turn(changed) != first_turn(base)


def test_a_resumed_run_goes_on_as_if_it_had_not_stopped(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, _ = first
    whole = Follower()
    settings = replace(TINY, steps=6)
    pretrain(texts, tmp_path / "whole", settings, whole, base=base_of(folder))
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path / "parts", settings, Follower(stop_after=3), base=base_of(folder))
    pretrain(texts, tmp_path / "parts", settings, Follower(), base=base_of(folder), resume=True)
    losses = [line["masked_loss"] for line in read_record(tmp_path / "parts") if line["kind"] == "step"]
    assert losses == pytest.approx([report.masked_loss for report in whole.reports], abs=1e-6)


def test_a_run_is_not_resumed_without_its_base(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, _ = first
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, TINY, Follower(stop_after=1), base=base_of(folder))
    with pytest.raises(TrainingError, match="base"):
        pretrain(texts, tmp_path, TINY, Follower(), resume=True)


def test_a_checkpoint_of_another_program_is_trained_with_its_own_special_tokens(tmp_path: Path) -> None:
    base = base_of(_with_special_tokens_last(write_bert(tmp_path / "bert")))
    before = base.encoder.embeddings.token.weight.detach().clone()
    moved: list[list[bool]] = []

    class Watcher(Follower):
        def on_step(self, report: StepReport, network: PretrainingNetwork) -> None:
            table = network.encoder.embeddings.token.weight.detach()
            is_read = [
                base.tokenizer.backend.rust.token_to_id(piece) for piece in ("[MASK]", "[CLS]", "[SEP]")
            ]
            moved.append([not torch.equal(table[number], before[number]) for number in is_read])

    settings = replace(TINY, steps=1, length=16, batch_tokens=512, warm_up=0.0)
    pretrain(write_texts(tmp_path), tmp_path / "out", settings, Watcher(), base=base)
    assert moved == [[True, True, True]]
    ours, theirs = opened(tmp_path / "out").tokens("the cat ate"), base.tokenizer.encode("the cat ate")
    assert list(ours.ids) == list(theirs.ids)
    assert ours.pieces[0] == "[CLS]"
    config = json.loads((tmp_path / "out" / "config.json").read_text("utf-8"))
    assert config["pad_token_id"] == base.tokenizer.backend.rust.token_to_id("[PAD]") != 0


def test_special_ids_are_those_of_the_vocabulary(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    ours = base_of(first[0]).tokenizer.backend.alone()
    theirs = base_of(_with_special_tokens_last(write_bert(tmp_path / "bert"))).tokenizer.backend.alone()
    assert ours is not None
    assert theirs is not None
    assert SpecialIds.of(ours) == SpecialIds(pad=0, unknown=1, cls=2, sep=3, mask=4)
    found = SpecialIds.of(theirs)
    assert found == tuple(theirs.token_to_id(piece) for piece in SPECIAL_PIECES)
    assert max(found) == theirs.get_vocab(with_added_tokens=True)["[MASK]"]
    assert min(found) > 100


def test_random_pieces_are_never_special_ones() -> None:
    special = SpecialIds(pad=6, unknown=2, cls=7, sep=8, mask=9)
    pieces = Pieces(np.ones(10, bool), np.zeros(10, bool), special)
    assert pieces.ordinary.tolist() == [0, 1, 3, 4, 5]
    ids = np.full((20, 200), 3)
    masked = mask(ids, np.zeros_like(ids, bool), special.mask, pieces.ordinary, [1])
    assert set(np.unique(masked.ids)) <= {0, 1, 3, 4, 5, special.mask}
    assert len(np.unique(masked.ids)) > 3


def test_the_head_of_a_base_with_another_activation_gives_the_same_logits(tmp_path: Path) -> None:
    sizes = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(vocabulary()), hidden_act="relu", **sizes)
    base = base_of(write_bert(tmp_path / "bert", BertForPreTraining(config)))
    network = network_from(base, TINY)
    hidden = torch.randn(1, 5, 32, generator=torch.Generator().manual_seed(1))
    assert network.heads.masked is not None
    assert base.task_heads.masked is not None
    with torch.no_grad():
        assert torch.equal(network.heads.masked(hidden), base.task_heads.masked(hidden))


def test_the_tokenizer_is_the_one_that_the_program_reads_the_base_with(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "bert", lower_case=False)
    stated = json.loads((folder / "tokenizer_config.json").read_text("utf-8")) | {"do_lower_case": True}
    (folder / "tokenizer_config.json").write_text(json.dumps(stated), encoding="utf-8")
    base = base_of(folder)
    settings = replace(TINY, steps=1, length=16, batch_tokens=512)
    pretrain(write_texts(tmp_path), tmp_path / "out", settings, Follower(), base=base)
    read = base.tokenizer.encode("The Cat").ids
    assert list(opened(tmp_path / "out").tokens("The Cat").ids) == list(read)
    trained_with = tokenizers.Tokenizer.from_file(str(tmp_path / "out" / TOKENIZER))
    assert trained_with.encode("The Cat").ids == list(read)


def test_a_run_is_not_resumed_with_another_base_of_the_same_name(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    folder, texts, _ = first
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path / "run", TINY, Follower(stop_after=1), base=base_of(folder))
    before = (tmp_path / "run" / TOKENIZER).read_bytes()
    changed = network_from(base_of(folder), TINY)
    with torch.no_grad():
        changed.encoder.embeddings.token.weight[0, 0] += 1.0
    lower = base_of(folder).tokenizer.lower_cased()
    other = replace(base_of(folder), encoder=changed.encoder, task_heads=changed.heads, tokenizer=lower)
    with pytest.raises(TrainingError, match="base"):
        pretrain(texts, tmp_path / "run", TINY, Follower(), base=other, resume=True)
    assert (tmp_path / "run" / TOKENIZER).read_bytes() == before


def test_heads_that_the_base_lacks_are_initialised(tmp_path: Path) -> None:
    base = base_of(write_bert(tmp_path / "bert", random_bert(has_pooler=False)))
    network = network_from(base, TINY)
    assert base.task_heads.names() == ()
    assert network.heads.names() == ("masked", "next_sentence")
    assert network.heads.masked is not None
    assert network.heads.masked.decoder.weight is network.encoder.embeddings.token.weight
    assert torch.equal(network.encoder.embeddings.token.weight, base.encoder.embeddings.token.weight)


def test_checkpoints_that_are_not_like_bert_are_refused(
    first: tuple[Path, list[Path], Evaluation], tmp_path: Path
) -> None:
    base = base_of(write_bert(tmp_path / "bert", random_bert(type_vocab_size=1)))
    with pytest.raises(TrainingError, match="a single segment"):
        validate_base(base)
    unmasked = base_of(first[0])
    pieces = json.loads((first[0] / TOKENIZER).read_text("utf-8").replace("[MASK]", "[HIDE]"))
    without = Backend(tokenizers.Tokenizer.from_str(json.dumps(pieces)))
    with pytest.raises(FileError, match=r"vocabulary of first has no \[MASK\]"):
        validate_base(replace(unmasked, tokenizer=Tokenizer(without, 48)))
    own = base_of(first[0])
    assert own.task_heads.masked is not None
    decoder = own.task_heads.masked.decoder
    decoder.weight = torch.nn.Parameter(decoder.weight.detach() + 1.0)
    with pytest.raises(TrainingError, match="a table of its own"):
        validate_base(own)


def _with_special_tokens_last(folder: Path) -> Path:
    """Give the checkpoint in `folder` a vocabulary whose last five pieces are the special ones."""
    pieces = (folder / "vocab.txt").read_text("utf-8").split()
    pieces.sort(key=lambda piece: piece in SPECIAL_PIECES)  # keeps the order of the others
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in pieces), encoding="utf-8")
    (folder / "tokenizer.json").unlink()
    return folder
