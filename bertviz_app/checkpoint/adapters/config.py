"""PEFT's adapter_config.json: how a LoRA is scaled, and which checkpoint it belongs to. Loads no torch."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path

from bertviz_app.checkpoint.folder import ADAPTER_CONFIG, read_object
from bertviz_app.checkpoint.weights.shards import MERGE, UNMERGEABLE
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.values import dataclass

_AGAIN = Message("Fetch {0} again; it comes with the adapter.", ADAPTER_CONFIG)
_LONGEST_PATTERN = 200
_SAFE_PATTERN = re.compile(r"\^?(?:[\w-]|\\?\.|\\d|\[[\w-]+\]|\((?:\?:)?[\w.|-]+\))+\$?")
"""Names, single wildcards and choices of names: nothing that could take long to match."""
_WILD = re.compile(r"\.[*+]|\\d\+|\[0-9\]\+")
_WITHOUT_EFFECT = frozenset(
    {
        *("auto_mapping", "inference_mode", "peft_version", "target_modules", "exclude_modules", "bias"),
        *("modules_to_save", "layers_to_transform", "layers_pattern", "lora_dropout", "init_lora_weights"),
        *("loftq_config", "eva_config", "corda_config", "lora_ga_config", "runtime_config", "megatron_core"),
        *("qalora_group_size", "ensure_weight_tying", "lora_bias", "merge_weights", "task_type"),
        *("base_model_name_or_path", "revision", "peft_type", "r", "lora_alpha", "rank_pattern"),
        *("alpha_pattern", "use_rslora", "use_dora", "fan_in_fan_out"),
    }
)
"""Keys that are read here, or that change nothing about what a saved adapter computes.

PEFT itself ignores fan_in_fan_out for torch's linear layers, of which all these encoders are made.
"""


@dataclass(frozen=True)
class AdapterConfig:
    """How a LoRA changes the weights W of a module: by `scale` x B A, with A and B from its file.

    `ranks` and `alphas` are for modules whose names match a pattern. `by_root`: the scale is alpha divided by
    the root of the rank. `base` names the checkpoint that it belongs to, `task` is what PEFT calls the task
    that it was trained for.
    """

    rank: int
    alpha: float
    ranks: Mapping[str, int]
    alphas: Mapping[str, float]
    by_root: bool
    base: str
    task: str

    def scale(self, module: str, rank: int) -> float:
        """Return the scale of B A in the module with this name in the adapted model.

        `rank` is that of the module's A. Raises CheckpointError where the file states another one.
        """
        stated = _of_pattern(self.ranks, module, self.rank)
        if rank != stated:
            message = Message(
                "{0} gives {1} the rank {2}, but the weights have {3}.",
                ADAPTER_CONFIG,
                shown(module),
                stated,
                rank,
            )
            raise CheckpointError(message, Message("The two files are not of the same adapter."))
        return _of_pattern(self.alphas, module, self.alpha) / (math.sqrt(rank) if self.by_root else rank)


def read_adapter_config(path: Path) -> AdapterConfig:
    """Return what the file at `path` says. Raises CheckpointError for a kind other than LoRA."""
    settings = read_object(path)
    kind = settings.get("peft_type")
    if kind is None and ("model_class" in settings or "config" in settings):
        message = Message("The adapter is one of AdapterHub, which is not supported.")
        raise CheckpointError(message, Message("Only LoRA adapters of PEFT are added to the weights."))
    if kind != "LORA":
        message = Message("The adapter is of the kind {0}, which is not supported.", shown(str(kind)))
        # Kinds that add vectors to the input or the keys, not to weights.
        is_beside = any(name in str(kind) for name in ("PROMPT", "PREFIX", "P_TUNING", "ADAPTION"))
        raise CheckpointError(message, UNMERGEABLE if is_beside else MERGE)
    start = settings.get("init_lora_weights")
    if start not in (True, False, None, "gaussian", "eva", "orthogonal"):
        message = Message(
            "The adapter began as {0}, which changes the weights that it is added to.", shown(str(start))
        )
        raise CheckpointError(message, MERGE)
    for name, one in settings.items():
        if name not in _WITHOUT_EFFECT and one not in (None, False) and one not in ([], {}, ""):
            raise CheckpointError(Message("The adapter has {0}, which is not supported.", shown(name)), MERGE)
    revision, base = _text(settings, "revision"), _text(settings, "base_model_name_or_path")
    is_on_hub = bool(base and revision) and not Path(base).is_absolute()
    ranks, alphas = _patterns(settings, "rank_pattern"), _patterns(settings, "alpha_pattern")
    by_root = settings.get("use_rslora") or False
    if not isinstance(by_root, bool):
        raise CheckpointError(
            Message("{0} in {1} must be true or false.", "use_rslora", ADAPTER_CONFIG), _AGAIN
        )
    return AdapterConfig(
        rank=_rank("r", settings.get("r", 8)),
        alpha=_number("lora_alpha", settings.get("lora_alpha", 8)),
        ranks={key: _rank("rank_pattern", value) for key, value in ranks.items()},
        alphas={key: _number("alpha_pattern", value) for key, value in alphas.items()},
        by_root=by_root,
        base=f"{base}@{revision}" if is_on_hub else base,
        task=_text(settings, "task_type"),
    )


def _patterns(settings: Mapping[str, object], key: str) -> Mapping[str, object]:
    """Return a table by patterns of module names; its keys are regular expressions, as PEFT reads them."""
    table = settings.get(key) or {}
    if not isinstance(table, dict) or len(table) > 10_000:
        raise CheckpointError(Message("{0} in {1} must be an object.", key, ADAPTER_CONFIG), _AGAIN)
    for pattern in table:
        plain, n_wild = _WILD.subn("a", pattern[: _LONGEST_PATTERN + 1])
        is_long = len(pattern) > _LONGEST_PATTERN or n_wild > 3
        if is_long or _SAFE_PATTERN.fullmatch(plain) is None or not _compiles(pattern):
            message = Message("{0} has the pattern “{1}”, which is not known.", key, shown(pattern))
            raise CheckpointError(message, Message("Known are names of modules, “.*” and “\\d+” in them."))
    return table


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


def _of_pattern(table: Mapping[str, float], module: str, otherwise: float) -> float:
    """Return the value of the first pattern that matches `module`, or its end after a dot."""
    for pattern, value in table.items():
        if re.match(rf"(.*\.)?({pattern})$", module):
            return value
    return otherwise


def _rank(key: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 100_000:
        message = Message("{0} in {1} must be a whole number from 1.", key, ADAPTER_CONFIG)
        raise CheckpointError(message, _AGAIN)
    return value


def _number(key: str, value: object) -> float:
    # Compared as it is: an integer of 400 digits is no float at all.
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e9:
        raise CheckpointError(Message("{0} in {1} must be a number.", key, ADAPTER_CONFIG), _AGAIN)
    return float(value)


def _text(settings: Mapping[str, object], key: str) -> str:
    value = settings.get(key) or ""
    if not isinstance(value, str):
        raise CheckpointError(Message("{0} in {1} must be a name.", key, ADAPTER_CONFIG), _AGAIN)
    return value
