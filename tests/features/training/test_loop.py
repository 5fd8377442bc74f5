"""The loop of a training: settings, files, records and whom they belong to."""

from __future__ import annotations

import errno
import gzip
import lzma
import math
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file
from torch import nn

from bertviz_app.errors import Cancelled, FileError, Message
from bertviz_app.features.training import settings as ownership
from bertviz_app.features.training.finetuning.run import finetune
from bertviz_app.features.training.finetuning.settings import TuningSettings
from bertviz_app.features.training.loop import (
    Computed,
    DataPosition,
    Loop,
    RunPosition,
    write_tensors,
)
from bertviz_app.features.training.pretraining.run import pretrain
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.settings import (
    LOG,
    STATE,
    WORK,
    LoopSettings,
    SilentListener,
    StepFacts,
    TrainingError,
    check_folder,
    owned,
    read_documents,
    read_record,
    sentences,
)
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.values import dataclass
from tests.support.training_texts import (
    TINY,
    TUNING,
    Follower,
    TuningFollower,
    base_of,
    of_classes,
    write_reviews,
    write_texts,
)


@dataclass(frozen=True)
class _Settings(LoopSettings):
    seed: int = 0
    warm_up: float = 0.0
    rate: float = 0.1
    decay: float = 0.0
    clip: float = 1.0
    precision: str = "float32"
    stores: str = "float32"
    evaluate_every: int = 2
    save_every: float = 1e9
    snapshot_every: int | None = None


@dataclass(frozen=True)
class _Report(StepFacts):
    loss: float


@dataclass(frozen=True)
class _Result:
    step: int
    loss: float
    is_last: bool


class _Line:
    """A line that is fitted to y = 3 x, one point a step."""

    def __init__(self, n_steps: int = 6, spoilt_loss: int = 0, spoilt_gradient: int = 0) -> None:
        torch.manual_seed(0)
        self.network = nn.Linear(1, 1)
        self.n_steps = n_steps
        self.spoilt_loss, self.spoilt_gradient = spoilt_loss, spoilt_gradient
        self.evaluation = 0.5

    def resumable_settings(self) -> dict[str, object]:
        return {"slope": 3}

    def share(self, position: RunPosition) -> float:
        return position.step / self.n_steps

    def rate(self, position: RunPosition) -> float:
        return 0.1

    def compute(self, position: RunPosition) -> Computed[_Report]:
        x = torch.tensor([[1.0 + position.data.batch]])
        loss = (self.network(x) - 3 * x).square().mean()
        torch.autograd.backward(loss)
        step = position.step + 1
        if step == self.spoilt_gradient:
            self.network.weight.grad = torch.full_like(self.network.weight, torch.inf)
        found = math.nan if step == self.spoilt_loss else float(loss.detach())
        report = partial(_Report, loss=found)
        return Computed(found, 1, replace(position.data, batch=position.data.batch + 1), report)

    def evaluate(self, step: int, check: Callable[[], None], *, is_last: bool) -> _Result:
        check()
        return _Result(step, self.evaluation, is_last)

    def save_model(self, folder: Path, position: RunPosition) -> None:
        del position
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model").write_text("weights", "utf-8")


def _loop(task: _Line, out: Path, settings: _Settings | None = None) -> Loop[_Report, _Result, nn.Linear]:
    return Loop(task, settings or _Settings(), out, DataPosition(8))


def _weights(out: Path) -> dict[str, torch.Tensor]:
    weights: dict[str, torch.Tensor] = load_file(out / WORK / STATE)
    return weights


def _steps(out: Path) -> list[object]:
    return [line["step"] for line in read_record(out) if line["kind"] == "step"]


def test_it_evaluates_on_the_way_and_once_at_the_end(tmp_path: Path) -> None:
    result = _loop(_Line(), tmp_path).run(SilentListener())
    assert result == _Result(6, 0.5, is_last=True)
    assert _steps(tmp_path) == [1, 2, 3, 4, 5, 6]
    found = [(line["step"], line["is_last"]) for line in read_record(tmp_path) if line["kind"] == "held-out"]
    assert found == [(0, False), (2, False), (4, False), (6, True)]


@pytest.mark.parametrize("spoilt", [{"spoilt_loss": 4}, {"spoilt_gradient": 4}])
def test_a_number_that_is_lost_ends_the_run_with_the_state_before(
    tmp_path: Path, spoilt: dict[str, int]
) -> None:
    task = _Line(**spoilt)
    with pytest.raises(TrainingError, match="at step 4"):
        _loop(task, tmp_path, _Settings(save_every=0.0)).run(SilentListener())
    assert _steps(tmp_path) == [1, 2, 3]
    assert all(torch.isfinite(tensor).all() for tensor in _weights(tmp_path).values())
    assert all(torch.isfinite(parameter).all() for parameter in task.network.parameters())
    again = _Line()
    loop = _loop(again, tmp_path)
    loop.restore()
    assert loop.position.step == 3
    assert torch.equal(again.network.weight, task.network.weight), "the step changed nothing"
    loop.run(SilentListener())
    assert _steps(tmp_path) == [1, 2, 3, 4, 5, 6]


def test_a_snapshot_is_there_though_the_run_is_stopped_in_the_evaluation_of_its_step(tmp_path: Path) -> None:
    class Stopping(SilentListener):
        def on_step(self, report: object, network: object) -> bool | None:
            at = read_record(tmp_path)[-1]["step"]
            return True if at == 2 else None

        def check(self) -> None:
            if len(_steps(tmp_path)) == 2:
                raise Cancelled

    (tmp_path / "vocab.txt").write_text("[PAD]\n[UNK]\na\n", "utf-8")
    with pytest.raises(Cancelled):
        _loop(_Line(), tmp_path).run(Stopping())
    (folder,) = (tmp_path / "snapshots").iterdir()
    assert {file.name for file in folder.iterdir()} == {"model", "vocab.txt"}, "the tokenizer of the run"
    assert folder.name == "step-000002"


def test_an_evaluation_without_a_number_ends_the_run_and_is_not_logged(tmp_path: Path) -> None:
    task = _Line()
    task.evaluation = math.inf
    with pytest.raises(TrainingError, match="not a number any more at step"):
        _loop(task, tmp_path).run(SilentListener())
    assert read_record(tmp_path) == []


def test_a_run_that_is_stopped_gives_the_same_as_one_that_is_not(tmp_path: Path) -> None:
    class Stopper(SilentListener):
        n_steps = 0

        def on_step(self, report: object, network: object) -> None:
            self.n_steps += 1

        def check(self) -> None:
            if self.n_steps == 3:
                raise Cancelled

    for name in ("whole", "stopped"):
        (tmp_path / name).mkdir()
    _loop(_Line(), tmp_path / "whole").run(SilentListener())
    with pytest.raises(Cancelled):
        _loop(_Line(), tmp_path / "stopped").run(Stopper())
    rest = _loop(_Line(), tmp_path / "stopped")
    rest.restore()
    assert rest.position.data == DataPosition(8, 0, 3)
    rest.run(SilentListener())
    whole, stopped = (_weights(tmp_path / name) for name in ("whole", "stopped"))
    assert all(torch.equal(whole[name], stopped[name]) for name in whole)


def test_other_settings_do_not_resume_a_run(tmp_path: Path) -> None:
    class Other(_Line):
        def resumable_settings(self) -> dict[str, object]:
            return {"slope": 4}

    _loop(_Line(), tmp_path).run(SilentListener())
    with pytest.raises(TrainingError, match="slope"):
        _loop(Other(), tmp_path).restore()


Settings = PretrainingSettings | TuningSettings


def test_a_weight_decay_is_from_0_and_gradients_are_clipped_to_a_norm_above_0() -> None:
    for decay, clip in ((0.0, 1e-9), (0.01, 1.0), (5000.0, math.inf)):
        replace(TuningSettings(), decay=decay, clip=clip).validate()
    for decay in (-1e-9, math.nan, math.inf, -math.inf):
        with pytest.raises(TrainingError, match=f"The weight decay is {decay}") as caught:
            replace(TuningSettings(), decay=decay).validate()
        assert "from 0" in caught.value.hint
    for clip in (0.0, -1.0, math.nan):
        with pytest.raises(TrainingError, match=f"clipped to a norm of {clip}") as caught:
            replace(TuningSettings(), clip=clip).validate()
        assert "above 0" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (PretrainingSettings(n_layers=0), "layers"),
        (PretrainingSettings(n_heads=0), "heads"),
        (PretrainingSettings(width=0), "width"),
        (PretrainingSettings(vocabulary_size=0), "vocabulary"),
        (TuningSettings(epochs=0), "epochs"),
        (TuningSettings(batch=0), "rows of a batch"),
    ],
)
def test_the_name_of_a_count_below_1_can_be_translated(settings: Settings, name: str) -> None:
    with pytest.raises(TrainingError, match=f"The number for {name} is 0") as caught:
        settings.validate()
    assert isinstance(caught.value.message, Message)
    assert isinstance(caught.value.message.arguments[0], Message)


def _with(settings: Settings, name: str, value: Any) -> Settings:
    return replace(settings, **{name: value})


@pytest.mark.parametrize("settings", [PretrainingSettings(steps=1), TuningSettings()])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("evaluate_every", 0, "evaluate_every is 0"),
        ("precision", "bf16", "must be auto, float32, bfloat16"),
        ("stores", "f16", "must be float32, float16"),
    ],
)
def test_a_loop_runs_as_its_settings_say_or_not_at_all(
    settings: Settings, name: str, value: Any, words: str
) -> None:
    settings.validate()
    with pytest.raises(TrainingError, match=words):
        _with(settings, name, value).validate()


def test_the_shares_of_a_fine_tuning_are_from_0_to_1() -> None:
    for name, share in (("dropout", -0.1), ("dropout", math.nan), ("held_out", 1.5)):
        with pytest.raises(TrainingError, match=f"The share of {name} is {share}"):
            _with(TuningSettings(), name, share).validate()


_LIMITED = """
import resource, signal, sys
from pathlib import Path
import torch
from bertviz_app.errors import FileError
from bertviz_app.features.training.loop import write_tensors
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_tensors(Path(sys.argv[1]), {"a": torch.ones(3000)}, {})
except FileError as error:
    print(error)
"""


def test_a_file_is_written_into_a_new_folder_and_over_the_last_one(tmp_path: Path) -> None:
    path = tmp_path / "new" / "a.safetensors"
    for value in (1.0, 2.0):
        write_tensors(path, {"a": torch.full((3,), value)}, {"format": "pt"})
        assert load_file(path)["a"].tolist() == [value] * 3
    assert list(path.parent.iterdir()) == [path]


def test_a_folder_that_cannot_be_made_is_an_error_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    with pytest.raises(FileError, match="could not be written: ") as caught:
        write_tensors(tmp_path / "file" / "a.safetensors", {"a": torch.ones(3)}, {})
    assert caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of a file")
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.safetensors"
    write_tensors(path, {"a": torch.zeros(3)}, {})
    done = subprocess.run(
        [sys.executable, "-c", _LIMITED, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(f"{path} could not be written: File too large. Free some space")
    assert load_file(path)["a"].tolist() == [0.0] * 3
    assert list(tmp_path.iterdir()) == [path]


def test_a_run_is_begun_where_there_is_none_and_resumed_where_there_is_one(tmp_path: Path) -> None:
    check_folder(tmp_path, is_resumed=False)
    with pytest.raises(TrainingError, match="no run"):
        check_folder(tmp_path, is_resumed=True)
    (tmp_path / WORK).mkdir()
    (tmp_path / WORK / STATE).touch()
    check_folder(tmp_path, is_resumed=True)
    with pytest.raises(TrainingError, match=r"a run .* already"):
        check_folder(tmp_path, is_resumed=False)


@pytest.mark.parametrize("is_resumed", [False, True])
def test_a_folder_that_may_not_be_read_is_an_error_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_resumed: bool
) -> None:
    def refused(path: Path) -> bool:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "exists", refused)
    with pytest.raises(FileError, match="could not be read: Permission denied") as caught:
        check_folder(tmp_path, is_resumed=is_resumed)
    assert str(tmp_path) in caught.value.message
    assert caught.value.hint


def test_damaged_lines_are_left_out(tmp_path: Path) -> None:
    assert read_record(tmp_path) == []
    lines = [b'{"step": 1}', b"\xff\xfe\x00{", b"\x00" * 40, b"[2]", b'{"step": 3}', b'{"st']
    (tmp_path / LOG).write_bytes(b"\n".join(lines))
    assert read_record(tmp_path) == [{"step": 1}, {"step": 3}]


_HOLD = """
import sys
from pathlib import Path
from bertviz_app.features.training.settings import owned
with owned(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process_is_refused_until_the_first_one_ends(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(tmp_path / "run")],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(TrainingError, match="under way"), owned(tmp_path / "run"):
            pass
        holder.kill()
        holder.wait()
    with owned(tmp_path / "run"):
        assert (tmp_path / "run" / "lock").exists()


def test_a_disk_without_locks_is_not_another_training(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(number: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(ownership, "_lock", refuse)
    with pytest.raises(FileError, match="No locks available"), owned(tmp_path / "run"):
        pass


def _cells(card: str, first: str) -> list[str]:
    """Return the cells of the line of a table that begins with `first`."""
    lines = [line for line in card.splitlines() if line.startswith(f"| {first} |")]
    assert len(lines) == 1, first
    return [cell.strip() for cell in lines[0].strip("|").split("|")]


def test_of_a_pre_training(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    follower = Follower()
    result = pretrain(texts, tmp_path / "out", TINY, follower, command="bertviz-app pretrain --steps 12")
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert card.startswith("---\nlibrary_name: transformers\npipeline_tag: fill-mask\n---\n\n# out\n")
    assert "2 layers x 2 heads, width 16, 48 positions" in card
    name, size, documents, _, licence = _cells(card, "english.txt")
    assert (name, size, documents) == (
        "english.txt",
        f"{texts[0].stat().st_size / 1e6:.1f} MB",
        "30",
    )
    assert licence
    assert _cells(card, "korean.txt")[2] == "60"
    assert _cells(card, "steps")[1] == "12"
    assert _cells(card, "tokens seen")[1] == f"{follower.reports[-1].n_tokens:,}"
    guessed = _cells(card, "masked tokens predicted correctly")
    assert guessed[1:] == [f"{result.masked_accuracy:.1%}", f"{result.baseline:.1%}"]
    assert _cells(card, "pairs classified correctly, next or not")[1] == f"{result.next_accuracy:.1%}"
    assert "```sh\nbertviz-app pretrain --steps 12\n```" in card


@pytest.mark.parametrize("has_test", [False, True])
def test_of_a_fine_tuning(tiny_bert: Path, tmp_path: Path, has_test: bool) -> None:
    data = write_reviews(tmp_path / "reviews.tsv")
    test = write_reviews(tmp_path / "others.tsv", 20, seed=2) if has_test else None
    settings = replace(TUNING, epochs=1, freezes_encoder=True)
    base, follower = base_of(tiny_bert), TuningFollower()
    result = of_classes(finetune(base, data, tmp_path / "out", settings, follower, test=test))
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "fine-tuned from tiny-bert" in card
    assert _cells(card, "what is trained")[1] == "the pooler and the classifier"
    assert _cells(card, "epochs")[1] == "1"
    learnt, held_out = ("30", "10") if has_test else ("27", "3")
    tables = [line.split("|") for line in card.splitlines() if line.startswith("| `good` |")]
    counts, confusion = ([cell.strip() for cell in line[2:-1]] for line in tables)
    assert counts == [learnt, held_out]
    good = result.confusion[1]
    assert confusion == [*map(str, good), f"{good[1] / sum(good):.1%}"]
    evaluated_on = "rows of others.tsv" if has_test else "held-out rows of reviews.tsv"
    assert f"On {result.n_rows} {evaluated_on}: **{result.accuracy:.1%}** correct" in card
    assert "The command" not in card  # nobody gave one


def test_a_label_cannot_break_the_tables(tiny_bert: Path, tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    path.write_text("".join(f"a|b\ta cat\nc\ta fish{'s' * n}\n" for n in range(4)), encoding="utf-8")
    choices = TableChoices(target="classes")  # else a sign between two words is asked about
    tuning = replace(TUNING, epochs=1)
    finetune(base_of(tiny_bert), path, tmp_path / "out", tuning, TuningFollower(), choices=choices)
    card = (tmp_path / "out" / "README.md").read_text("utf-8")
    assert "| `a\\|b` | 3 | 1 |" in card


def test_a_blank_line_separates_documents(tmp_path: Path) -> None:
    path = tmp_path / "books.txt"
    path.write_text("One.\nStill one.\n \nTwo.\r\n\r\n\r\nThree.\n", encoding="utf-8")
    assert read_documents(path) == ["One.\nStill one.", "Two.", "Three."]


def test_without_blank_lines_every_line_is_a_document(tmp_path: Path) -> None:
    path = tmp_path / "reviews.txt"
    path.write_text("\ufeff좋아요.\n나빠요.\n", encoding="utf-8")
    assert read_documents(path) == ["좋아요.", "나빠요."]


@pytest.mark.parametrize(("ending", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_packed_files_are_read_too(tmp_path: Path, ending: str, pack: object) -> None:
    assert callable(pack)
    path = tmp_path / f"a.txt{ending}"
    path.write_bytes(pack("한 줄.\n두 줄.".encode()))
    assert read_documents(path) == ["한 줄.", "두 줄."]


def test_letters_taken_apart_are_composed(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("\u1112\u1161\u11ab", encoding="utf-8")
    assert read_documents(path) == ["한"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"", "no text"),
        ("a.txt", b" \n\n \n", "no text"),
        ("a.txt", b"caf\xe9", "UTF-8"),
        ("a.gz", gzip.compress(b"text that is long enough " * 9, mtime=0)[:-9], "could not be read"),
        ("a.xz", lzma.compress(b"text that is long enough " * 9)[:-9], "could not be read"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, name: str, content: bytes, message: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileError, match=message) as caught:
        read_documents(path)
    assert name in caught.value.message
    assert caught.value.hint


def test_sentences_end_at_their_signs() -> None:
    text = 'He left. "Why?" she asked (quietly.) No 3.5 answer…\n정말 좋다! 또 봐요'
    assert list(sentences(text)) == [
        "He left.",
        '"Why?"',
        "she asked (quietly.)",
        "No 3.5 answer…",
        "정말 좋다!",
        "또 봐요",
    ]
