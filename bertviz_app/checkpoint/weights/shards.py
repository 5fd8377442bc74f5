"""Weights in one file or split over several, and how many there are. Loads no torch."""

from __future__ import annotations

import json
import math
import pickletools
import re
import struct
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import IO, TYPE_CHECKING

from bertviz_app.checkpoint.folder import (
    AGAIN,
    FILES,
    INDEX_ENDING,
    MODULES,
    WEIGHTS,
    file_in,
    kind_of,
    module_files,
    own_pieces,
    read_object,
    weights_in,
)
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.values import dataclass, field

if TYPE_CHECKING:
    from torch import Tensor

MOST_SHARDS = 1000


def weight_files(path: Path) -> tuple[Path, ...]:
    """Return the files of weights: `path` itself, or those listed by the index at `path`.

    Raises CheckpointError for an index that is damaged, names a file elsewhere, or one that is not there.
    """
    if not path.name.endswith(INDEX_ENDING):
        return (path,)
    found = []
    for name in dict.fromkeys(weight_map(path).values()):
        shard = file_in(path.parent, name)
        if shard is None:
            raise CheckpointError(
                Message("A part of the weights is missing: {0}, which {1} names.", shown(name), path.name),
                Message("Fetch the file; it comes with the checkpoint."),
            )
        found.append(shard)
    return tuple(found)


def weight_map(path: Path) -> Mapping[str, str]:
    """Return which file holds each tensor, by the index at `path`. Raises CheckpointError."""
    table = read_object(path).get("weight_map")
    if not isinstance(table, dict) or not table:
        raise CheckpointError(Message("{0} does not say which file holds which tensor.", path.name), AGAIN)
    ending = Path(path.name.removesuffix(INDEX_ENDING)).suffix
    for name in dict.fromkeys(str(value) for value in table.values()):
        is_plain = PurePosixPath(name).name == PureWindowsPath(name).name == name and name.isprintable()
        if not is_plain or not name.endswith(ending) or name == ending:
            raise CheckpointError(
                Message("{0} names “{1}”, which is no {2} file beside it.", path.name, shown(name), ending),
                AGAIN,
            )
    if not all(isinstance(value, str) for value in table.values()):
        raise CheckpointError(Message("{0} does not say which file holds which tensor.", path.name), AGAIN)
    if len(set(table.values())) > MOST_SHARDS:
        raise CheckpointError(Message("{0} names more than {1} files.", path.name, f"{MOST_SHARDS:,}"), AGAIN)
    return table


def files_read(folder: Path, weights: str | None = None) -> tuple[Path, ...]:
    """Return the existing files that opening `folder` reads; `weights` names one file of weights."""
    found = [folder / name for name in FILES if name not in WEIGHTS and (folder / name).is_file()]
    beside = [path.name for path in folder.glob("*") if path.is_file()]
    found += [folder / name for name in own_pieces(beside)]
    within = {path.relative_to(folder).as_posix() for path in folder.glob("*/*")}
    found += [folder / name for name in sorted(module_files({MODULES, *within}))]
    try:
        main = weights_in(folder, weights)
        parts = weight_files(main)
    except CheckpointError:
        return tuple(found)
    return (*found, *dict.fromkeys((main, *parts)))


_MARK = object()


@dataclass(eq=False)
class OutlinedTable:
    """A dictionary: the outlines of its values by name; other keys are left out."""

    entries: dict[str, object] = field(default_factory=dict)

    def has_tensors(self) -> bool:
        return any(isinstance(entry, Made) and entry.is_tensor for entry in self.entries.values())

    def made(self) -> Iterator[tuple[str, Made]]:
        """Yield the objects in it, or in tables in it, that are neither tensors nor tables, by name."""
        for name, entry in self.entries.items():
            if isinstance(entry, Made) and not entry.is_tensor:
                yield name, entry
            elif isinstance(entry, OutlinedTable):
                yield from ((f"{name}.{within}", made) for within, made in entry.made())


@dataclass(eq=False)
class Made:
    """An object that a call of `name`, with its module, would make; `state` is what would fill it."""

    name: str
    state: object = None

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor or a parameter."""
        return self.name.startswith(("torch._utils._rebuild", "torch._tensor._rebuild"))

    @property
    def is_module(self) -> bool:
        """Whether it is a module of torch's, which has parameters or other modules."""
        return isinstance(self.state, OutlinedTable) and "_modules" in self.state.entries


@dataclass(frozen=True)
class _Named:
    """A class or a function that the pickle names."""

    name: str


def outline_of(path: Path) -> OutlinedTable | Made | None:
    """Return the outline of a file of torch's, None if it cannot be determined. Nothing in it is called."""
    try:
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                name = next(each for each in archive.namelist() if each.rpartition("/")[2] == "data.pkl")
                if archive.getinfo(name).file_size > 64 << 20:
                    return None
                with archive.open(name) as file:
                    found = _read(file)
        else:
            with path.open("rb") as file:
                for _ in range(3):  # in torch's older format: its number, its version, and sizes of integers
                    _read(file)
                found = _read(file)
    # A damaged pickle can end in any of these, and a damaged archive in anything that its library raises.
    except Exception:  # noqa: BLE001 - it is read only to explain an error that is raised in any case
        return None
    return found if isinstance(found, OutlinedTable | Made) else None


def _read(file: IO[bytes]) -> object:
    """Return the outline of the next pickle in `file`."""
    stack: list[object] = []
    memo: dict[int, object] = {}
    for n_steps, (code, argument, _) in enumerate(pickletools.genops(file)):
        if n_steps > 5_000_000:
            return None
        if code.name == "STOP":
            return stack.pop()
        if code.name in ("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"):
            memo[argument if isinstance(argument, int) else len(memo)] = stack[-1]
        elif code.name in ("GET", "BINGET", "LONG_BINGET"):
            assert isinstance(argument, int)
            stack.append(memo[argument])
        elif code.name == "MARK":
            stack.append(_MARK)
        else:
            values = _popped(code, stack)
            stack += [_made(code.name, argument, values)] * len(code.stack_after)
    return None


def _popped(code: pickletools.OpcodeInfo, stack: list[object]) -> list[object]:
    """Take off the stack what an opcode takes: a count of values, or those down to the last mark."""
    before = [kind.name for kind in code.stack_before]
    if "mark" not in before:
        at = len(stack) - len(before)
        values = stack[at:]
        del stack[at:]
        return values
    at = max(index for index, value in enumerate(stack) if value is _MARK)
    first = at - before.index("mark")
    values = [*stack[first:at], *stack[at + 1 :]]
    del stack[first:]
    return values


def _made(name: str, argument: object, values: list[object]) -> object:
    """Return the outline of what an opcode leaves on the stack, None for what does not matter."""
    if isinstance(argument, str):
        found = _Named(argument.replace(" ", "."))
        return {"GLOBAL": found, "INST": Made(found.name)}.get(name, argument)
    if name == "STACK_GLOBAL":
        return _Named(f"{values[0]}.{values[1]}")
    make = _MAKERS.get(name)
    return None if make is None else make(values)


def _called(values: list[object]) -> object:
    called = values[0].name if isinstance(values[0], _Named) else "?"
    is_table = called in ("collections.OrderedDict", "collections.defaultdict")
    return OutlinedTable() if is_table else Made(called)


def _built(values: list[object]) -> object:
    if isinstance(values[0], Made):
        values[0].state = values[1]
    return values[0]


def _stored_elsewhere(values: list[object]) -> object:
    """Return the class of a module, which torch's older format keeps with its source; None for a storage."""
    holds = values[0] if isinstance(values[0], tuple) else ()
    return holds[1] if len(holds) > 1 and holds[0] == "module" else None


def _filled(table: object, values: list[object]) -> object:
    if isinstance(table, OutlinedTable):
        pairs = zip(values[::2], values[1::2], strict=False)
        table.entries.update((key, value) for key, value in pairs if isinstance(key, str))
    return table


_MAKERS: Mapping[str, Callable[[list[object]], object]] = MappingProxyType(
    {
        **dict.fromkeys(("REDUCE", "NEWOBJ", "NEWOBJ_EX", "OBJ"), _called),
        "EMPTY_DICT": lambda _: OutlinedTable(),
        "DICT": lambda values: _filled(OutlinedTable(), values),
        **dict.fromkeys(("SETITEM", "SETITEMS"), lambda values: _filled(values[0], values[1:])),
        "BUILD": _built,
        **dict.fromkeys(("TUPLE", "TUPLE1", "TUPLE2", "TUPLE3"), tuple),
        **dict.fromkeys(("APPEND", "APPENDS", "ADDITEMS", "DUP"), lambda values: values[0]),
        "BINPERSID": _stored_elsewhere,
    }
)
"""By opcode: what it makes of the outlines that it takes off the stack."""


MERGE = Message("Merge it where it was trained: {0}.", "model.merge_and_unload().save_pretrained(folder)")
UNMERGEABLE = Message(
    "It cannot be merged into weights. Open the checkpoint that it was trained on, without it."
)
"""The ways out where an adapter is not computed."""

PEFT_PREFIX = "base_model.model."
_FACTOR = re.compile(
    # Not of PyTorch's own parametrizations: Jina's have the adapters of several tasks in one tensor.
    r"(?P<module>(?:(?!\.parametrizations\.).)+)\.(?P<part>lora_(?:embedding_)?[AB]|lora_magnitude_vector)"
    r"(?:\.(?P<adapter>(?!weight$|bias$)[^.]+))?(?:\.(?P<kind>weight|bias))?"
)
_SAVED = re.compile(r"(?P<module>.+)\.modules_to_save\.(?:(?P<adapter>[^.]+)\.)?(?P<kind>[^.]+)")
_OTHERS = (
    (re.compile(r"\.ia3_l(\.|$)"), "IA3"),
    (re.compile(r"\.lora_E(\.|$)|\.ranknum(\.|$)"), "AdaLoRA"),
    (re.compile(r"\.hada_[wt]\d"), "LoHa"),
    (re.compile(r"\.lokr_[wt]\d"), "LoKr"),
    (re.compile(r"\.oft_[rR](\.|$)"), "OFT"),
    (re.compile(r"\.boft_[Rs](\.|$)"), "BOFT"),
    (re.compile(r"\.vera_(lambda|[AB])"), "VeRA"),
    (re.compile(r"\.fourierft_"), "FourierFT"),
    (re.compile(r"\.ln_tuning_layers\."), "LN tuning"),
    (re.compile(r"(^|\.)(prompt_embeddings|prompt_encoder|prefix_encoder)(\.|$)"), "prompt or prefix tuning"),
    (re.compile(r"\.trainable_tokens_(delta|original)"), "trainable tokens"),
    (re.compile(r"\.loras\."), "LoRA of AdapterHub"),
    (re.compile(r"\.(adapters|adapter_fusion_layer|invertible_adapters|prefix_tunings)\."), "AdapterHub"),
)
"""What the parameters of adapters that are not computed are called by."""
_WAYS_OUT = MappingProxyType(
    {
        "LoRA of AdapterHub": Message(
            "Merge it where it was trained: {0}.", "model.merge_adapter(name); model.save_pretrained(folder)"
        ),
        "AdapterHub": UNMERGEABLE,
        "prompt or prefix tuning": UNMERGEABLE,
    }
)
"""For those kinds that PEFT cannot merge."""


@dataclass(frozen=True, eq=False)
class LowRank:
    """The factors A [rank, inputs] and B [outputs, rank] of one module, as they are in the file.

    `bias` [outputs] is added by B; `magnitude` is the length of each row of the adapted weights.
    """

    down: Tensor
    up: Tensor
    bias: Tensor | None = None
    magnitude: Tensor | None = None
    is_embedding: bool = False


@dataclass(frozen=True, eq=False)
class Contents:
    """The tensors of a file, and the factors of adapters beside them, by the names of their modules.

    `stored_names`: of the tensors whose name in the file is another one, that name. `prefix`: that of a
    training script, which all names in the file begin with; `wrappers`: parts of names that torch added.
    """

    tensors: Mapping[str, Tensor]
    factors: Mapping[str, LowRank] = field(default_factory=dict)
    stored_names: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    wrappers: tuple[str, ...] = ()


def separated(tensors: Mapping[str, Tensor]) -> Contents:
    """Return `tensors` as they would be without adapters, and the factors of those.

    What an adapter has trained as a whole takes the place of the original. Raises CheckpointError for other
    adapters than LoRA, for several ones, and for factors without their counterparts.
    """
    for name in tensors:
        for pattern, kind in _OTHERS:
            if pattern.search(name):
                message = Message(
                    "The weights have an adapter of the kind {0}, which is not supported: {1}.",
                    kind,
                    shown(name),
                )
                raise CheckpointError(message, _WAYS_OUT.get(kind, MERGE))
    if not any(
        name.startswith(PEFT_PREFIX)
        or ".lora_" in name
        or ".base_layer." in name
        or ".modules_to_save." in name
        for name in tensors
    ):
        return Contents(tensors)
    factors: dict[str, dict[str, Tensor]] = {}
    plain: dict[str, Tensor] = {}
    saved: dict[str, Tensor] = {}
    adapters: set[str] = set()
    stored: dict[str, str] = {}
    for in_file, tensor in tensors.items():
        name = in_file.removeprefix(PEFT_PREFIX)
        if (factor := _FACTOR.fullmatch(name)) is not None:
            part = f"{factor['part']}.bias" if factor["kind"] == "bias" else factor["part"]
            factors.setdefault(factor["module"], {})[part] = tensor
            adapters.add(factor["adapter"] or "")
        elif (module := _SAVED.fullmatch(name)) is not None:
            saved[f"{module['module']}.{module['kind']}"] = tensor
            stored[f"{module['module']}.{module['kind']}"] = in_file
            adapters.add(module["adapter"] or "")
        elif ".original_module." not in name:
            plain[name.replace(".base_layer.", ".")] = tensor
            stored.setdefault(name.replace(".base_layer.", "."), in_file)
    if len(adapters) > 1:
        listed = ", ".join(shown(adapter) for adapter in sorted(adapters))
        message = Message("The weights have several adapters: {0}.", listed)
        raise CheckpointError(message, Message("Save the model with one of them."))
    low_rank = {module: _low_rank(module, parts) for module, parts in factors.items()}
    return Contents(saved | plain, low_rank, stored)


def _low_rank(module: str, parts: Mapping[str, Tensor]) -> LowRank:
    is_embedding = "lora_embedding_A" in parts or "lora_embedding_B" in parts
    start = "lora_embedding_" if is_embedding else "lora_"
    down, up = parts.get(f"{start}A"), parts.get(f"{start}B")
    if down is None or up is None:
        message = Message("The adapter has only one of the two factors of {0}.", shown(module))
        raise CheckpointError(message, Message("Fetch the file again; it may have been cut short."))
    if down.ndim != 2 or up.ndim != 2 or down.shape[0] != up.shape[1]:
        message = Message(
            "The factors of {0} cannot be multiplied: their shapes are {1} and {2}.",
            shown(module),
            list(up.shape),
            list(down.shape),
        )
        raise CheckpointError(message, MERGE)
    return LowRank(down, up, parts.get("lora_B.bias"), parts.get("lora_magnitude_vector"), is_embedding)


def n_parameters(files: Iterable[Path]) -> int:
    """Return the count over all files, 0 if one of them is no sound safetensors file."""
    counts = [_count(path) for path in files]
    return 0 if 0 in counts else sum(counts)


def _count(path: Path) -> int:
    try:
        with path.open("rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            if kind_of(path) != "safetensors" or length > 100_000_000:  # the limit of the library
                return 0
            header = json.loads(file.read(length))
        return sum(
            math.prod(tensor["shape"])
            for name, tensor in header.items()
            if name != "__metadata__" and tensor["dtype"].startswith(("F", "BF"))  # others are indices
        )
    except (OSError, struct.error, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0


_LENGTH_BYTES = 8
_CUT_SHORT = Message("Fetch the file again; it may have been cut short.")


def false_claim(path: Path) -> CheckpointError | None:
    """Return the error if the header of the file at `path` declares more than the file can hold, else None.

    That is a header longer than the file, or a tensor of more numbers than the file has bits.
    """
    try:
        n_bytes = path.stat().st_size
        with path.open("rb") as file:
            length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
            content = file.read(min(length, 4 << 20))  # longer headers are not checked here
    except OSError:
        return None
    if n_bytes >= _LENGTH_BYTES and length > n_bytes:
        message = Message(
            "{0} is damaged: it claims a header of {1} bytes, and has {2}.",
            path.name,
            f"{length:,}",
            f"{n_bytes:,}",
        )
        return CheckpointError(message, _CUT_SHORT)
    try:
        header = json.loads(content)
    except (ValueError, RecursionError):
        return None
    for name, entry in header.items() if isinstance(header, dict) else ():
        shape = entry.get("shape") if isinstance(entry, dict) else None
        sides = shape if isinstance(shape, list) and len(shape) <= 8 else []
        are_sizes = bool(sides) and all(type(side) is int and 0 <= side < 1 << 64 for side in sides)
        count = math.prod(sides) if are_sizes else 0
        if count > 8 * n_bytes:
            claim = Message("{0} numbers for {1}", f"{count:,}", shown(name))
            message = Message(
                "{0} is damaged: it claims {1}, and has {2} bytes.", path.name, claim, f"{n_bytes:,}"
            )
            return CheckpointError(message, _CUT_SHORT)
    return None


_METHODS: tuple[tuple[tuple[str, ...], str], ...] = (
    ((".SCB",), "bitsandbytes, 8 bits"),
    ((".quant_state.bitsandbytes__nf4",), "bitsandbytes, 4 bits (nf4)"),
    ((".quant_state.bitsandbytes__fp4",), "bitsandbytes, 4 bits (fp4)"),
    ((".qweight", ".g_idx"), "GPTQ"),
    ((".qweight", ".qzeros"), "AWQ"),
    ((".weight_packed", ".weight_scale"), "compressed-tensors"),
    ((".weight_scale_inv",), "blocks of 8-bit floating-point numbers"),
)
"""By what names end in: the method; all endings of a row are there. GPTQ has AWQ's endings, and one more."""


def refuse_quantised(file: str, names: Collection[str]) -> None:
    """Raise CheckpointError if tensors of these `names`, in the file `file`, are quantised ones."""
    for endings, method in _METHODS:
        found = [next((name for name in names if name.endswith(end)), None) for end in endings]
        if all(found):
            raise CheckpointError(
                Message(
                    "The weights in {0} are quantised ({1}): {2} says so. Rounded weights are not computed "
                    "with.",
                    file,
                    method,
                    shown(str(found[0])),
                ),
                Message("Open the checkpoint that was quantised, in full precision."),
            )
