"""The steps of a run, which can be stopped at any moment and resumed, and what is saved of it."""

from __future__ import annotations

import json
import math
import re
import shutil
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Generic, Protocol, Self, TypeVar

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from bertviz_app.checkpoint.folder import tokenizer_files
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.errors import Cancelled, Check, Message
from bertviz_app.features.training.settings import (
    STATE,
    WORK,
    Listener,
    LoopSettings,
    RunLog,
    TrainingError,
    refuse,
)
from bertviz_app.json_store import decode
from bertviz_app.paths import SNAPSHOTS, replacing
from bertviz_app.text import Tokenizer
from bertviz_app.torch_operations import cpu_multiplies_bfloat16
from bertviz_app.values import asdict, dataclass, replace

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_LATELY = 20.0  # seconds


@dataclass
class Clock:
    """Seconds of training over all parts of a run, and the recent tokens per second."""

    seconds: float = 0.0
    _last: float = 0.0
    _pace: float = 0.0

    def start(self) -> None:
        self._last = time.perf_counter()

    def leave_out(self, seconds: float) -> None:
        """Do not count `seconds` of the time since the last tick, such as a pause."""
        self._last += seconds

    def tick(self, n_tokens: int) -> float:
        """Return the recent tokens per second; `n_tokens` are those since the last call."""
        now = time.perf_counter()
        passed, self._last = max(now - self._last, 1e-9), now
        self.seconds += passed
        weight = min(1.0, passed / _LATELY) if self._pace else 1.0
        self._pace += weight * (n_tokens / passed - self._pace)
        return self._pace


def precision(name: str, device: torch.device) -> Callable[[], AbstractContextManager[object]]:
    """Return a maker of contexts with a precision; "auto" is bfloat16 where `device` computes in it."""
    is_low = name == "bfloat16"
    if name == "auto" and device.type == "cuda":
        is_low = torch.cuda.is_bf16_supported()
    elif name == "auto":
        is_low = device.type == "cpu" and cpu_multiplies_bfloat16()
    return (lambda: torch.autocast(device.type, torch.bfloat16)) if is_low else nullcontext


def optimiser(network: nn.Module, rate: float, decay: float) -> torch.optim.AdamW:
    """Return AdamW (Loshchilov and Hutter 2019, arXiv:1711.05101); biases and norms do not decay."""
    own = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [one for one in own if one.ndim > 1], "weight_decay": decay},
        {"params": [one for one in own if one.ndim <= 1], "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), eps=1e-6, fused=own[0].device.type != "mps")


def linear_rate(share: float, warm_up: float) -> float:
    """Return the part of the highest rate at `share` of the run, 0 to 1: up in a line, then down to 0."""
    return share / warm_up if share < warm_up else max(0.0, (1.0 - share) / (1.0 - warm_up))


def constant_rate(share: float, warmed: float, cool_down: float) -> float:
    """Return the part of the highest rate: up in a line, constant, and down to 0 in the last `cool_down`.

    `share` and `cool_down` are shares of the run, `warmed` is one of the warm-up; all are 0 to 1. Before the
    last part nothing depends on where the end is (Zhai et al. 2022, arXiv:2106.04560, section 3.5).
    """
    return min(1.0, warmed, max(0.0, (1.0 - share) / cool_down))


def change(
    optimizer: torch.optim.Optimizer, parameters: list[nn.Parameter], rate: float, largest: float
) -> float:
    """Do one step at `rate` and clear the gradients; return their norm before it was clipped to `largest`.

    Raises FloatingPointError, and changes no parameter, if the norm is infinite or no number.
    """
    for group in optimizer.param_groups:
        group["lr"] = rate
    norm = float(clip_grad_norm_(parameters, largest))
    if not math.isfinite(norm):
        raise FloatingPointError(norm)
    optimizer.step()
    optimizer.zero_grad(set_to_none=True)
    return norm


_REASON = re.compile(r"I/O error: (.+?) \(os error")


def write_tensors(path: Path, tensors: Mapping[str, Tensor], metadata: Mapping[str, str]) -> None:
    """Write `tensors` to `path`, in a folder that need not be there. Raises FileError.

    A kill at any moment leaves the old file or the new one.
    """
    with replacing(path) as beside:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            save_file(dict(tensors), beside, dict(metadata))
        except SafetensorError as error:  # also for a full disk
            reason = _REASON.search(str(error))
            raise OSError(reason[1] if reason else str(error)) from error


CONFIG, WEIGHTS = "config.json", "model.safetensors"
_TIED = "cls.predictions.decoder.weight"
_ENCODER = (
    (r"^embeddings\.token\.", "embeddings.word_embeddings."),
    (r"^embeddings\.segment\.", "embeddings.token_type_embeddings."),
    (r"^embeddings\.position\.", "embeddings.position_embeddings."),
    (r"^embeddings\.norm\.", "embeddings.LayerNorm."),
    (r"^layers\.(\d+)\.attention\.(query|key|value)\.", r"encoder.layer.\1.attention.self.\2."),
    (r"^layers\.(\d+)\.attention\.output\.", r"encoder.layer.\1.attention.output.dense."),
    (r"^layers\.(\d+)\.attention_norm\.", r"encoder.layer.\1.attention.output.LayerNorm."),
    (r"^layers\.(\d+)\.feed_forward\.expand\.", r"encoder.layer.\1.intermediate.dense."),
    (r"^layers\.(\d+)\.feed_forward\.contract\.", r"encoder.layer.\1.output.dense."),
    (r"^layers\.(\d+)\.feed_forward_norm\.", r"encoder.layer.\1.output.LayerNorm."),
)
_HEADS = (
    (r"^masked\.dense\.", "cls.predictions.transform.dense."),
    (r"^masked\.norm\.", "cls.predictions.transform.LayerNorm."),
    (r"^masked\.decoder\.bias$", "cls.predictions.bias"),
    (r"^masked\.decoder\.", "cls.predictions.decoder."),
    (r"^next_sentence\.", "cls.seq_relationship."),
    (r"^(classifier|token_labels)\.output\.", "classifier."),
)


def save_model(
    encoder: Encoder,
    heads: TaskHeads,
    folder: Path,
    labels: tuple[str, ...] = (),
    dtype: torch.dtype = torch.float32,
    stated: Mapping[str, object] | None = None,
) -> None:
    """Write config.json and model.safetensors into `folder`, as `BertForPreTraining` has them.

    With `labels`, the classes of a classifier, as `BertForSequenceClassification`: one alone names a score,
    which is predicted as a number. A classifier of tokens is written as `BertForTokenClassification`.
    `stated` are entries of config.json that the encoder does not know. Raises FileError.
    """
    tensors = {name: tensor.to("cpu", dtype).contiguous() for name, tensor in named(encoder, heads).items()}
    write_tensors(folder / WEIGHTS, tensors, {"format": "pt"})
    settings = _settings(encoder.config, dtype) | _task_settings(heads, labels) | dict(stated or {})
    with replacing(folder / CONFIG) as path:
        path.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def trained_positions(config: EncoderConfig, n_trained: int | None) -> dict[str, int]:
    """Return the entry of config.json with the number of positions that were trained enough, if not all."""
    return {} if n_trained is None or n_trained >= config.n_positions else {"n_trained_positions": n_trained}


def stored(name: str) -> torch.dtype:
    """Return the type of the numbers in a file that settings call `name`: "float32" or "float16"."""
    return torch.float16 if name == "float16" else torch.float32


def named(encoder: Encoder, heads: TaskHeads) -> dict[str, Tensor]:
    """Return the parameters by the names that Hugging Face gives them; a tied table once."""
    found = {f"bert.{_renamed(name, _ENCODER)}": tensor for name, tensor in encoder.state_dict().items()}
    found |= {_renamed(name, _HEADS): tensor for name, tensor in heads.state_dict().items()}
    found.pop(_TIED, None)
    return found


def _renamed(name: str, renames: tuple[tuple[str, str], ...]) -> str:
    for pattern, replacement in renames:
        name = re.sub(pattern, replacement, name)
    return name


def _task_settings(heads: TaskHeads, labels: tuple[str, ...]) -> dict[str, object]:
    """Return the entries of config.json on what the model was trained for, `architectures` first."""
    if not labels:
        return {"architectures": ["BertForPreTraining"]}
    names: dict[str, object] = {
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    if heads.token_labels is not None:
        return {"architectures": ["BertForTokenClassification"], **names}
    kind = "regression" if len(labels) == 1 else "single_label_classification"
    return {"architectures": ["BertForSequenceClassification"], **names, "problem_type": kind}


def _settings(config: EncoderConfig, dtype: torch.dtype) -> dict[str, object]:
    return {
        "model_type": "bert",
        "vocab_size": config.vocabulary_size,
        "hidden_size": config.width,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.feed_forward_width,
        "max_position_embeddings": config.n_positions,
        "type_vocab_size": config.n_segments,
        "hidden_act": config.activation,
        "layer_norm_eps": config.norm_eps,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "initializer_range": 0.02,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
        "dtype": str(dtype).removeprefix("torch."),
    }


_MOMENTS = ("step", "exp_avg", "exp_avg_sq")


@dataclass(frozen=True)
class DataPosition:
    """How far a run is in its data: `turn` whole passes over examples of `length`, then `batch` batches."""

    length: int  # tokens of an example, special tokens included
    turn: int = 0
    batch: int = 0


@dataclass(frozen=True)
class RunPosition:
    """How far a run is."""

    data: DataPosition  # of the next batch
    step: int = 0
    n_tokens: int = 0  # trained on, without padding
    seconds: float = 0.0  # of training, over all parts of the run
    longest: int = 0  # tokens of the longest examples so far


def save_state(
    path: Path,
    network: nn.Module,
    optimizer: torch.optim.Optimizer,
    position: RunPosition,
    settings: Mapping[str, object],
) -> None:
    """Write the run to `path`: a kill at any moment leaves the old file or the new one. Raises FileError.

    `settings` are those that must be the same when the run is resumed.
    """
    tensors: dict[str, Tensor] = {}
    for name, parameter in network.named_parameters():
        tensors[f"number.{name}"] = parameter.detach().cpu().contiguous()
        for moment in _MOMENTS:
            if parameter in optimizer.state:
                tensors[f"{moment}.{name}"] = optimizer.state[parameter][moment].detach().cpu().contiguous()
    facts = asdict(position)
    content = {"place": facts.pop("data"), "course": dict(settings), **facts}
    write_tensors(path, tensors, {"progress": json.dumps(content)})


def load_state(
    path: Path, network: nn.Module, optimizer: torch.optim.Optimizer
) -> tuple[RunPosition, Mapping[str, object]]:
    """Give `network` and `optimizer` the state at `path`; return the run's position and its settings.

    Raises TrainingError for a file that is missing, damaged, or of another model.
    """
    try:
        with safe_open(path, framework="pt") as file:
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - no mapping
            found = json.loads((file.metadata() or {})["progress"])
        older = {"longest": found["place"]["length"]}  # which older files lack
        position = decode(RunPosition, {**older, **found, "data": found["place"]})
        settings = dict(found["course"])
        for name, parameter in network.named_parameters():
            number = tensors[f"number.{name}"]
            if number.shape != parameter.shape:
                raise ValueError(name)
            with torch.no_grad():
                parameter.copy_(number)
            if f"step.{name}" in tensors:  # a parameter that was never updated has no moments
                # A fused AdamW needs the count of steps on the device, too.
                moments = {one: tensors[f"{one}.{name}"].to(parameter.device) for one in _MOMENTS}
                optimizer.state[parameter] = moments
    except (OSError, SafetensorError, KeyError, TypeError, ValueError, RuntimeError) as error:
        message = Message("{0} holds no run of this model that can be continued.", path.name)
        raise TrainingError(message, Message("Start again in another folder.")) from error
    return position, settings


_Step = TypeVar("_Step", bound="DataclassInstance")
_Evaluation = TypeVar("_Evaluation", bound="DataclassInstance")
_Network = TypeVar("_Network", bound=nn.Module)


@dataclass(frozen=True)
class Computed(Generic[_Step]):
    """A batch whose gradients were added to the parameters."""

    loss: float  # nats
    n_tokens: int  # of the batch, without padding
    data: DataPosition  # of the next batch
    report: Callable[..., _Step]  # of the fields of StepFacts


_Evaluated = TypeVar("_Evaluated", bound="DataclassInstance", covariant=True)
_Trained = TypeVar("_Trained", bound=nn.Module, covariant=True)


class TrainedTask(Protocol[_Step, _Evaluated, _Trained]):
    """What a run trains, and on which data."""

    @property
    def network(self) -> _Trained:
        """The network, on its device."""

    def resumable_settings(self) -> Mapping[str, object]:
        """Return the settings, and marks of the data, that must be the same when the run is resumed."""

    def share(self, position: RunPosition) -> float:
        """Return how much of the run is done at `position`; from 1 on it ends."""

    def rate(self, position: RunPosition) -> float:
        """Return the learning rate of the next step."""

    def compute(self, position: RunPosition) -> Computed[_Step]:
        """Add the gradients of the batch at `position` to the parameters; change nothing else."""

    def evaluate(self, step: int, check: Check, *, is_last: bool) -> _Evaluated:
        """Evaluate the network on held-out data. `check` is called before each batch and may raise."""

    def save_model(self, folder: Path, position: RunPosition) -> None:
        """Write the model, which is as trained up to `position`, into `folder`. Raises FileError."""


class Loop(Generic[_Step, _Evaluation, _Network]):
    """Trains the network of a task, and saves the run to a folder."""

    def __init__(
        self,
        task: TrainedTask[_Step, _Evaluation, _Network],
        settings: LoopSettings,
        out: Path,
        first: DataPosition,
    ) -> None:
        self._task = task
        self._settings = settings
        self._out = out
        self._optimiser = optimiser(task.network, settings.rate, settings.decay)
        self._parameters = [one for one in task.network.parameters() if one.requires_grad]
        self._record = RunLog(out)
        self._clock = Clock()
        self._saved_at = 0.0  # seconds of training
        self.position = RunPosition(first)

    def restore(self) -> None:
        """Continue where the run in the folder was saved. Raises TrainingError if it was another one."""
        self.position, saved = load_state(self._out / WORK / STATE, self._task.network, self._optimiser)
        other = [name for name, value in self._task.resumable_settings().items() if saved.get(name) != value]
        if other:
            raise TrainingError(
                Message("The run was begun with other settings: {0}.", ", ".join(sorted(other))),
                Message("Give the settings it was begun with; only its end may be changed."),
            )
        self._clock.seconds = self._saved_at = self.position.seconds
        self._record.forget_after(self.position.step)

    def run(self, listener: Listener[_Step, _Evaluation, _Network]) -> _Evaluation:
        """Do the steps that are left and return the last evaluation.

        A run that is stopped is saved. Where the loss is no number the last saved state stays.
        """
        try:
            if not self.position.step:
                self._record.forget_after(-1)
                self._evaluate(listener, is_last=False)
            self._clock.start()
            while self._task.share(self.position) < 1:
                self._check(listener)
                self._do_step(listener)
            with torch.no_grad():  # rounded as in the file, so that the last evaluation is of the file
                for parameter in self._task.network.parameters():
                    parameter.copy_(parameter.to(stored(self._settings.stores)))
            result = self._evaluate(listener, is_last=True)
        except (Cancelled, KeyboardInterrupt):
            self.save(self._out)
            raise
        self.save(self._out)
        return result

    def save(self, folder: Path) -> None:
        """Write the model and the state of the run into `folder`. Raises FileError."""
        self._task.save_model(folder, self.position)
        settings = self._task.resumable_settings()
        save_state(folder / WORK / STATE, self._task.network, self._optimiser, self.position, settings)
        self._saved_at = self.position.seconds

    def _do_step(self, listener: Listener[_Step, _Evaluation, _Network]) -> None:
        task, before = self._task, self.position
        rate = task.rate(before)
        computed = task.compute(before)
        try:
            if not math.isfinite(computed.loss):
                raise FloatingPointError
            change(self._optimiser, self._parameters, rate, self._settings.clip)
        except FloatingPointError as error:
            message = Message("The loss is not a number any more at step {0}.", f"{self.position.step + 1:,}")
            raise TrainingError(message, Message("Start again with a smaller learning rate.")) from error
        pace = self._clock.tick(computed.n_tokens)
        self.position = RunPosition(
            data=computed.data,
            step=before.step + 1,
            n_tokens=before.n_tokens + computed.n_tokens,
            seconds=self._clock.seconds,
            longest=max(before.longest, computed.data.length),
        )
        at = self.position
        report = computed.report(
            step=at.step,
            share=min(1.0, task.share(at)),
            seconds=at.seconds,
            n_tokens=at.n_tokens,
            tokens_per_second=pace,
            rate=rate,
        )
        self._record.add("step", report)
        is_wanted = listener.on_step(report, task.network) is True
        settings, step = self._settings, self.position.step
        # Before the evaluation, in which the run may be stopped: that share of it would have no snapshot.
        if is_wanted or (settings.snapshot_every and step % settings.snapshot_every == 0):
            folder = self._out / SNAPSHOTS / f"step-{step:06d}"
            self._task.save_model(folder, self.position)
            for file in tokenizer_files(self._out):
                with replacing(folder / file.name) as path:
                    shutil.copyfile(file, path)
            listener.on_snapshot(folder)
        if step % settings.evaluate_every == 0 and self._task.share(self.position) < 1:
            self._evaluate(listener, is_last=False)
        if self.position.seconds - self._saved_at >= settings.save_every:
            self.save(self._out)

    def _evaluate(self, listener: Listener[_Step, _Evaluation, _Network], *, is_last: bool) -> _Evaluation:
        result = self._task.evaluate(self.position.step, lambda: self._check(listener), is_last=is_last)
        self._record.add("held-out", result)
        listener.on_evaluated(result)
        return result

    def _check(self, listener: Listener[_Step, _Evaluation, _Network]) -> None:
        """Let the listener cancel or pause the run; a pause is not counted as training."""
        began = time.perf_counter()
        listener.check()
        self._clock.leave_out(time.perf_counter() - began)


_OF_BERT = (
    *("vocabulary_size", "n_positions", "n_segments", "n_layers", "n_heads", "width", "feed_forward_width"),
    *("activation", "norm_eps"),
)
"""The fields of EncoderConfig in which one BERT differs from another."""


@dataclass(frozen=True, eq=False)
class Base:
    """The modules are copied, never changed. `files` are those of its tokenizer.

    `n_trained_positions`: how many of the positions its config.json says were trained enough; None: all.
    `lower_case`: whether it makes texts lower-case, where the user has answered it and the files do not say.
    """

    name: str
    encoder: Encoder
    task_heads: TaskHeads
    tokenizer: Tokenizer
    files: tuple[Path, ...]
    n_trained_positions: int | None = None
    lower_case: bool | None = None

    def validate(self, *, has_pairs: bool) -> None:
        """Raise TrainingError for a checkpoint that cannot be trained further and saved in BERT's layout."""
        config = self.encoder.config
        like_bert = EncoderConfig(**{name: getattr(config, name) for name in _OF_BERT})
        refuse(
            (
                bool(config.pruned),
                Message("Heads were pruned from {0}: it is not trained further here.", self.name),
                Message("Open the model as it was before heads were pruned."),
            ),
            (
                replace(config, has_pooler=True) != like_bert or not config.n_segments,
                Message("{0} is not built like BERT, with learned positions and segments.", self.name),
                Message("Choose a checkpoint of the family BERT."),
            ),
            (
                has_pairs and config.n_segments < 2,
                Message("{0} reads one text at a time: it knows a single segment.", self.name),
                Message("Give rows of one text, or choose another checkpoint."),
            ),
        )

    def copy_tokenizer(self, folder: Path) -> None:
        """Write the tokenizer's files into `folder`. Raises FileError."""
        for file in self.files:
            with replacing(folder / file.name) as path:
                shutil.copyfile(file, path)
        if self.lower_case is None:
            return
        rules = folder / "tokenizer_config.json"
        stated = json.loads(rules.read_bytes()) if rules.exists() else {}
        with replacing(rules) as path:
            path.write_text(json.dumps({**stated, "do_lower_case": self.lower_case}), encoding="utf-8")


LICENCE = "to be filled in"
LINEAR = "warms up, then falls to 0 in a line"


def write_card(
    folder: Path, task: str, about: str, parts: Sequence[tuple[str, str]], command: str = ""
) -> None:
    """Write the model card into `folder`: the header for a model hub, `about`, and (title, content) `parts`.

    `command` is the line that started the training, "" for none. Raises FileError.
    """
    text = f"---\nlibrary_name: transformers\npipeline_tag: {task}\n---\n\n# {folder.name}\n\n{about}\n"
    for title, content in (*parts, *([("The command", f"```sh\n{command}\n```")] if command else [])):
        text += f"\n## {title}\n\n{content}\n"
    with replacing(folder / "README.md") as path:
        path.write_text(text, encoding="utf-8")


def n_parameters(network: nn.Module) -> int:
    return sum(parameter.numel() for parameter in network.parameters())


def settings_table(
    own: Sequence[tuple[str, str]], settings: LoopSettings, schedule: str, position: RunPosition
) -> str:
    """Return the table of the settings: a training's `own` rows, and those that every training has."""
    shared = [
        ("highest rate (AdamW)", f"{settings.rate:g}"),
        ("the rate", schedule),
        *([("share of the run that warms up", f"{settings.warm_up:g}")] if schedule == LINEAR else []),
        ("weight decay", f"{settings.decay:g}"),
        ("norm of a gradient, at most", f"{settings.clip:g}"),
        ("seed", f"{settings.seed}"),
        ("precision of the steps", settings.precision),
        ("steps", f"{position.step:,}"),
        ("tokens seen", f"{position.n_tokens:,}"),
        ("minutes of training", f"{position.seconds / 60.0:.1f}"),
    ]
    return table(("setting", "value"), [*own, *shared])


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table in Markdown."""
    lines = [titles, ["---"] * len(titles), *rows]
    return "\n".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |" for line in lines)


def fill(network: nn.Module, seed: int, std: float = 0.02) -> None:
    """Initialise the parameters as BERT does: weights normal with `std`, norms 1, biases 0."""
    generator = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std, generator=generator)
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
        bias = getattr(module, "bias", None)
        if isinstance(bias, Tensor):
            nn.init.zeros_(bias)


@dataclass(frozen=True, eq=False)
class ModelInputs:
    """B texts or pairs as inputs of the model, int64."""

    ids: Tensor  # [B, T]
    segment_ids: Tensor  # [B, T]
    seen: Tensor  # bool [B, T], False for padding

    @property
    def position_ids(self) -> Tensor:
        """The positions [B, T]: 0 to T - 1 in each row."""
        return torch.arange(self.ids.shape[1], device=self.ids.device).expand_as(self.ids)

    @property
    def n_tokens(self) -> int:
        """Tokens without padding."""
        return int(self.seen.sum())

    def to(self, device: torch.device) -> Self:
        """Return all tensors of the batch on `device`."""
        return type(self)(*(tensor.to(device, non_blocking=True) for tensor in vars(self).values()))
