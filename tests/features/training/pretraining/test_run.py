"""A pre-training from its start to its end."""

from __future__ import annotations

import json
import math
import os
import shutil
import signal
import subprocess
import sys
from dataclasses import replace
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
import tokenizers
import torch
from safetensors import safe_open
from safetensors.torch import load_file
from transformers import BertConfig, BertForPreTraining

from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.errors import AppError, Cancelled, FileError
from bertviz_app.features.training.pretraining.network import PretrainingNetwork, mask
from bertviz_app.features.training.pretraining.run import (
    first_turn,
    held_out_share,
    network_from,
    pretrain,
    validate_base,
)
from bertviz_app.features.training.pretraining.settings import PretrainingSettings, StepReport
from bertviz_app.features.training.pretraining.vocabulary import (
    MADE_FROM,
    SPECIAL_PIECES,
    TOKENIZER,
    Pieces,
    SpecialIds,
)
from bertviz_app.features.training.settings import STATE, WORK, TrainingError, read_record
from bertviz_app.text import Tokenizer
from bertviz_app.text.cutter import Backend
from tests.support.checkpoint_folders import opened
from tests.support.checkpoints import random_bert, vocabulary, write_bert
from tests.support.training_texts import TINY, Follower, base_of, write_texts

Whole = tuple[Path, list[Path], Follower]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """Return a run that nobody stopped: its folder, its texts, and what it reported."""
    texts = write_texts(tmp_path_factory.mktemp("texts"))
    out = tmp_path_factory.mktemp("models") / "first"
    follower = Follower()
    pretrain(texts, out, replace(TINY, snapshot_every=6), follower)
    return out, texts, follower


def _copy_vocabulary(out: Path, other: Path) -> None:
    """Let another run have the same: it may choose otherwise among equally common pieces."""
    (other / WORK).mkdir(parents=True)
    shutil.copy(out / TOKENIZER, other)
    shutil.copy(out / WORK / MADE_FROM, other / WORK)


def test_the_follower_receives_reports_and_evaluations(whole: Whole) -> None:
    out, _, follower = whole
    n_pieces = len((out / "vocab.txt").read_text("utf-8").splitlines())
    assert follower.stages == ["vocabulary", "tokens", "tokens", "training"]
    assert [report.step for report in follower.reports] == list(range(1, 13))
    assert [result.step for result in follower.evaluations] == [0, 5, 10, 12]
    assert follower.reports[-1].share == 1.0
    assert follower.reports[-1].n_tokens > 12 * 150
    assert follower.evaluations[0].masked_loss == pytest.approx(
        math.log(n_pieces), abs=0.1
    )  # it knows nothing
    assert follower.evaluations[-1].masked_loss < follower.evaluations[0].masked_loss
    assert 0 < follower.evaluations[0].baseline < 0.5


def test_an_evaluation_says_how_many_examples_it_is_of(whole: Whole) -> None:
    result = whole[2].evaluations[0]
    assert result.next_accuracy * result.n_pairs == pytest.approx(
        round(result.next_accuracy * result.n_pairs)
    )
    assert result.masked_accuracy * result.n_masked == pytest.approx(
        round(result.masked_accuracy * result.n_masked)
    )
    assert 0.1 < result.n_masked / result.n_tokens < 0.2


@pytest.mark.parametrize(
    ("n_tokens", "held_out"),
    [(100_000_000, 500_000), (1_600_000, 8_000), (200_000, 8_000), (20_000, 1_000), (0, 0)],
)
def test_a_small_corpus_has_a_larger_part_held_out(n_tokens: int, held_out: int) -> None:
    assert held_out_share(n_tokens) * n_tokens == pytest.approx(held_out)


def test_only_the_last_part_has_texts_as_long_as_they_may_be(whole: Whole, tmp_path: Path) -> None:
    moved: list[bool] = []

    class Watcher(Follower):
        def on_step(self, report: StepReport, network: PretrainingNetwork) -> None:
            table = network.encoder.embeddings.position
            assert table is not None
            late = table.weight.detach()[TINY.length :]
            moved.append(not torch.equal(late, kept.setdefault("late", late.clone())))

    kept: dict[str, torch.Tensor] = {}
    pretrain(whole[1], tmp_path, replace(TINY, decay=0.0, long_from=0.7), Watcher())
    assert moved[:9] == [False] * 9  # 8 of 12 steps are less than 0.7 of the run
    assert moved[-1]


def test_the_model_opens_and_so_does_a_snapshot(whole: Whole) -> None:
    out, _, follower = whole
    assert [folder.name for folder in follower.snapshots] == ["step-000006", "step-000012"]
    for folder in (out, *follower.snapshots):
        opened = open_checkpoint(find(str(folder)))
        assert opened.task_heads.names() == ("masked", "next_sentence")
        assert opened.tokens("The cat ate.").pieces[0] == "[CLS]"


def test_a_stopped_run_goes_on_as_if_it_had_not_stopped(whole: Whole, tmp_path: Path) -> None:
    out, texts, follower = whole
    _copy_vocabulary(out, tmp_path)
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, TINY, Follower(stop_after=7))
    rest = Follower()
    pretrain(texts, tmp_path, TINY, rest, resume=True)
    losses = [line["masked_loss"] for line in read_record(tmp_path) if line["kind"] == "step"]
    assert losses == pytest.approx([report.masked_loss for report in follower.reports], abs=1e-6)
    assert [report.step for report in rest.reports] == list(range(8, 13))
    ours, theirs = (open_checkpoint(find(str(folder))).encoder.state_dict() for folder in (tmp_path, out))
    assert all(torch.allclose(ours[name], theirs[name], atol=1e-6) for name in ours)


def test_a_killed_run_goes_on_from_where_it_was_kept_last(whole: Whole, tmp_path: Path) -> None:
    out, texts, follower = whole
    _copy_vocabulary(out, tmp_path)
    program = (
        "import os, signal\n"
        "from dataclasses import replace\n"
        "from pathlib import Path\n"
        "from bertviz_app.features.training.pretraining.run import pretrain\n"
        "from tests.support.training_texts import TINY, Follower\n"
        "class Killer(Follower):\n"
        "    def on_step(self, report, network):\n"
        "        if report.step == 8:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        f"pretrain([Path(p) for p in {[str(path) for path in texts]!r}], Path({str(tmp_path)!r}),\n"
        "    replace(TINY, save_every=0.0), Killer())\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], env={**os.environ}, timeout=300, check=False)
    assert ended.returncode == -signal.SIGKILL
    assert opened(tmp_path).facts.task_heads == ("masked", "next_sentence")
    with (tmp_path / "log.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"kind": "step", "step": 9, "masked')  # as a kill may leave it
    rest = Follower()
    pretrain(texts, tmp_path, TINY, rest, resume=True)
    losses = [line["masked_loss"] for line in read_record(tmp_path) if line["kind"] == "step"]
    assert losses == pytest.approx([report.masked_loss for report in follower.reports], abs=1e-6)
    assert rest.reports[0].step == 8  # that step was not kept


def test_minutes_end_a_run_too(whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    follower, ticks = Follower(), count()
    monkeypatch.setattr("time.perf_counter", lambda: next(ticks) / 20)
    pretrain(whole[1], tmp_path, replace(TINY, steps=None, minutes=0.01), follower)
    assert follower.reports[-1].share == 1.0
    assert follower.reports[-1].seconds >= 0.6 > follower.reports[-2].seconds


def test_tokens_end_a_run_too(whole: Whole, tmp_path: Path) -> None:
    follower = Follower()
    pretrain(whole[1], tmp_path, replace(TINY, steps=None, tokens=5000), follower)
    assert follower.reports[-1].share == 1.0
    assert follower.reports[-2].n_tokens < 5000 <= follower.reports[-1].n_tokens


def test_a_run_with_another_part_held_out_is_not_resumed(
    whole: Whole, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was held out would be trained on."""
    out, texts, _ = whole
    shutil.copytree(out, tmp_path / "run")
    monkeypatch.setattr("bertviz_app.features.training.pretraining.run.held_out_share", lambda n_tokens: 0.3)
    with pytest.raises(TrainingError, match="held_out"):
        pretrain(texts, tmp_path / "run", replace(TINY, snapshot_every=6), Follower(), resume=True)


def test_the_parts_of_a_batch_give_the_gradient_of_the_whole(whole: Whole, tmp_path: Path) -> None:
    """If nothing is learnt, the loss of a batch lies between those of its four parts."""
    _, texts, _ = whole
    parted, single = Follower(), Follower()
    barely = replace(TINY, rate=1e-9, part_tokens=64, single_share=0.3, long_from=1.0)
    pretrain(texts, tmp_path / "parted", replace(barely, batch_tokens=256, steps=3), parted)
    _copy_vocabulary(tmp_path / "parted", tmp_path / "single")
    pretrain(texts, tmp_path / "single", replace(barely, batch_tokens=64, steps=12), single)
    assert [report.n_tokens for report in parted.reports] == [
        report.n_tokens for report in single.reports[3::4]
    ]
    for number, report in enumerate(parted.reports):
        own = single.reports[4 * number : 4 * number + 4]
        losses = [part.masked_loss for part in own]
        assert min(losses) < report.masked_loss < max(losses)


def test_a_batch_grows(whole: Whole, tmp_path: Path) -> None:
    follower = Follower()
    settings = replace(TINY, part_tokens=64, first_batch_tokens=64, growth_tokens=1000, long_from=1.0)
    pretrain(whole[1], tmp_path, settings, follower)
    counts = [after.n_tokens - before.n_tokens for before, after in pairwise(follower.reports)]
    assert follower.reports[0].n_tokens <= 64
    assert counts[-1] > 200
    assert max(counts[:3]) < 150


def test_an_end_is_set_and_moved_when_a_run_is_resumed(whole: Whole, tmp_path: Path) -> None:
    _, texts, _ = whole
    settings = replace(TINY, schedule="constant", warm_up_tokens=500, steps=None, cool_down=0.5)
    openly = Follower(stop_after=6)
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, settings, openly)
    assert [report.share for report in openly.reports] == [0.0] * 6
    rates = [report.rate for report in openly.reports]
    assert rates == sorted(rates)
    assert rates[-1] == TINY.rate
    rest = Follower()
    pretrain(texts, tmp_path, replace(settings, steps=10), rest, resume=True)
    falling = [report.rate / TINY.rate for report in rest.reports]
    assert falling == pytest.approx([0.8, 0.6, 0.4, 0.2])
    moved = Follower()
    pretrain(texts, tmp_path, replace(settings, steps=20), moved, resume=True)
    assert [report.step for report in moved.reports] == list(range(11, 21))
    assert moved.reports[0].rate == pytest.approx(TINY.rate)


def test_length_and_batch_may_change_when_a_run_is_resumed(whole: Whole, tmp_path: Path) -> None:
    _, texts, _ = whole
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, replace(TINY, part_tokens=128), Follower(stop_after=2))
    rest = Follower()
    settings = replace(TINY, part_tokens=128, length=16, batch_tokens=512)
    pretrain(texts, tmp_path, settings, rest, resume=True)
    assert rest.reports[-1].step == 12
    before, after = rest.reports[0], rest.reports[1]
    assert after.n_tokens - before.n_tokens > 350
    assert json.loads(_metadata(tmp_path / WORK / STATE)["progress"])["place"]["length"] == TINY.n_positions


def _metadata(path: Path) -> dict[str, str]:
    with safe_open(path, framework="pt") as file:
        return dict(file.metadata())


def test_bfloat16_learns_too(whole: Whole, tmp_path: Path) -> None:
    _, texts, exact = whole
    follower = Follower()
    pretrain(texts, tmp_path, replace(TINY, precision="bfloat16"), follower)
    assert follower.reports[-1].masked_loss == pytest.approx(exact.reports[-1].masked_loss, rel=0.02)


def test_a_model_stored_in_16_bits_is_the_one_that_was_evaluated(whole: Whole, tmp_path: Path) -> None:
    out, texts, exact = whole
    _copy_vocabulary(out, tmp_path)
    follower = Follower()
    pretrain(texts, tmp_path, replace(TINY, stores="float16"), follower)
    stored = load_file(tmp_path / "model.safetensors")
    assert {tensor.dtype for tensor in stored.values()} == {torch.float16}
    # A run that is over and continued is judged by what its state holds: the numbers of the file.
    again = Follower()
    pretrain(texts, tmp_path, replace(TINY, stores="float16"), again, resume=True)
    assert again.evaluations[-1] == follower.evaluations[-1]
    assert again.evaluations[-1].masked_loss == pytest.approx(exact.evaluations[-1].masked_loss, rel=1e-3)


def test_the_course_of_a_run_does_not_change(whole: Whole, tmp_path: Path) -> None:
    _, texts, _ = whole
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, TINY, Follower(stop_after=2))
    with pytest.raises(TrainingError, match="rate"):
        pretrain(texts, tmp_path, replace(TINY, rate=0.5), Follower(), resume=True)
    with pytest.raises(TrainingError, match=r"a run .* already"):
        pretrain(texts, tmp_path, TINY, Follower())
    with pytest.raises(TrainingError, match="corpora"):
        pretrain(texts[:1], tmp_path, TINY, Follower(), resume=True)


def test_a_loss_that_is_no_number_ends_the_run_and_spoils_nothing(whole: Whole, tmp_path: Path) -> None:
    settings = replace(TINY, rate=0.99, decay=5000.0, steps=400, save_every=0.0, evaluate_every=10_000)
    follower = Follower()
    with pytest.raises(TrainingError, match="not a number any more at step") as caught:
        pretrain(whole[1], tmp_path, settings, follower)
    assert "rate" in caught.value.hint
    for file in (tmp_path / "model.safetensors", tmp_path / WORK / STATE):
        assert all(torch.isfinite(tensor).all() for tensor in load_file(file).values()), file.name
    lines = (tmp_path / "log.jsonl").read_text("utf-8").splitlines()
    steps = [json.loads(line, parse_constant=pytest.fail)["step"] for line in lines]
    assert steps[-1] == follower.reports[-1].step


def test_a_damaged_state_is_named_and_loses_nothing(whole: Whole, tmp_path: Path) -> None:
    _, texts, _ = whole
    with pytest.raises(Cancelled):
        pretrain(texts, tmp_path, TINY, Follower(stop_after=2))
    state = tmp_path / WORK / STATE
    content = state.read_bytes()
    for spoilt in (content[: len(content) // 2], (tmp_path / "model.safetensors").read_bytes(), b"nothing"):
        state.write_bytes(spoilt)
        with pytest.raises(TrainingError, match=STATE):
            pretrain(texts, tmp_path, TINY, Follower(), resume=True)
        assert state.read_bytes() == spoilt


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_heads": 3}, "cannot be shared"),
        ({"n_layers": 0}, "layers"),
        ({"length": 49}, "positions"),
        ({"batch_tokens": 40}, "cannot hold"),
        ({"steps": None}, "when the run ends"),
        ({"steps": 0}, "when the run ends"),
        ({"tokens": 0}, "when the run ends"),
        ({"schedule": "bumpy"}, "no schedule"),
        ({"cool_down": 0.0}, "rate falls is 0.0"),
        ({"decay": -0.1}, "weight decay"),
        ({"decay": float("nan")}, "weight decay"),
        ({"clip": 0.0}, "clip"),
        ({"part_tokens": 40}, "cannot hold"),
        ({"first_batch_tokens": 512}, "cannot grow"),
        ({"single_share": 1.5}, "share of single texts"),
        ({"open_share": -0.1}, "share of open ends"),
        ({"initial_std": 0.0}, "standard deviation"),
        ({"positions_start": "waves"}, "cannot start"),
    ],
)
def test_settings_that_cannot_be_are_refused(
    tmp_path: Path, changes: dict[str, object], message: str
) -> None:
    settings = PretrainingSettings(**{**TINY.__dict__, **changes})
    with pytest.raises(TrainingError, match=message) as caught:
        pretrain(write_texts(tmp_path), tmp_path / "out", settings, Follower())
    assert caught.value.hint
    assert not (tmp_path / "out").exists()


def test_texts_too_short_to_learn_from_are_refused(tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("".join(f"{chr(0xAC00 + number)}\n" for number in range(200)), encoding="utf-8")
    with pytest.raises(AppError, match="too short"):
        pretrain([short], tmp_path / "out", TINY, Follower())


def test_a_text_without_words_is_refused_by_name(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    texts[1].write_text("\u200b\n\u200b\n" * 2000, encoding="utf-8")
    with pytest.raises(FileError, match=r"korean\.txt"):
        pretrain(texts, tmp_path / "out", TINY, Follower())


def test_the_first_evaluation_is_the_last_one_of_the_base(whole: Whole, tmp_path: Path) -> None:
    folder, texts, first = whole
    evaluation = first.evaluations[-1]
    follower = Follower()
    pretrain(texts, tmp_path, replace(TINY, steps=2), follower, base=base_of(folder))
    begun = follower.evaluations[0]
    assert begun.masked_loss == pytest.approx(evaluation.masked_loss, abs=1e-6)
    assert begun.next_loss == pytest.approx(evaluation.next_loss, abs=1e-6)
    assert follower.stages == ["tokens", "tokens", "training"]  # it has a vocabulary already
    assert (tmp_path / "vocab.txt").read_bytes() == (folder / "vocab.txt").read_bytes()
    assert "began with the weights of first" in (tmp_path / "README.md").read_text("utf-8")


def test_the_sizes_are_those_of_the_base(whole: Whole, tmp_path: Path) -> None:
    folder, texts, _ = whole
    settings = replace(TINY, n_layers=5, width=40, n_heads=5, vocabulary_size=90, n_positions=64, steps=1)
    pretrain(texts, tmp_path, settings, Follower(), base=base_of(folder))
    assert opened(tmp_path).encoder.config == opened(folder).encoder.config


def test_positions_that_the_base_declares_hardly_trained_begin_as_those_before(
    whole: Whole, tmp_path: Path
) -> None:
    folder, texts, _ = whole
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
    whole: Whole, tmp_path: Path
) -> None:
    folder, texts, _ = whole
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


def test_a_longer_end_does_not_make_trained_positions_untrained(whole: Whole, tmp_path: Path) -> None:
    texts = whole[1]
    settings = replace(TINY, steps=2, long_from=0.5, length=20, schedule="constant")
    pretrain(texts, tmp_path, settings, Follower())
    assert _stated(tmp_path) is None
    longer = replace(settings, steps=8, snapshot_every=1)  # its third step has short examples again
    pretrain(texts, tmp_path, longer, Follower(), resume=True)
    assert _stated(tmp_path / "snapshots" / "step-000003") is None


def test_the_base_stays_as_it_is(whole: Whole, tmp_path: Path) -> None:
    folder, texts, _ = whole
    base = base_of(folder)
    before = {name: tensor.clone() for name, tensor in base.encoder.state_dict().items()}
    pretrain(texts, tmp_path, replace(TINY, steps=2), Follower(), base=base)
    after = base.encoder.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert not torch.equal(
        opened(tmp_path).encoder.embeddings.token.weight, before["embeddings.token.weight"]
    )


def test_the_texts_are_read_in_another_order_than_by_the_base(
    whole: Whole,
) -> None:
    folder = whole[0]
    base = base_of(folder)
    other = network_from(base, TINY)
    with torch.no_grad():
        other.encoder.embeddings.token.weight[0, 0] += 1.0
    changed = replace(base, encoder=other.encoder)
    assert first_turn(base) == first_turn(base_of(folder)) > 0
    assert first_turn(changed) != first_turn(base)


def test_a_run_is_not_resumed_without_its_base(whole: Whole, tmp_path: Path) -> None:
    folder, texts, _ = whole
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


def test_special_ids_are_those_of_the_vocabulary(whole: Whole, tmp_path: Path) -> None:
    ours = base_of(whole[0]).tokenizer.backend.alone()
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


def test_a_run_is_not_resumed_with_another_base_of_the_same_name(whole: Whole, tmp_path: Path) -> None:
    folder, texts, _ = whole
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


def test_checkpoints_that_are_not_like_bert_are_refused(whole: Whole, tmp_path: Path) -> None:
    base = base_of(write_bert(tmp_path / "bert", random_bert(type_vocab_size=1)))
    with pytest.raises(TrainingError, match="a single segment"):
        validate_base(base)
    unmasked = base_of(whole[0])
    pieces = json.loads((whole[0] / TOKENIZER).read_text("utf-8").replace("[MASK]", "[HIDE]"))
    without = Backend(tokenizers.Tokenizer.from_str(json.dumps(pieces)))
    with pytest.raises(FileError, match=r"vocabulary of first has no \[MASK\]"):
        validate_base(replace(unmasked, tokenizer=Tokenizer(without, 48)))
    own = base_of(whole[0])
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
