"""The tensors in a file of weights, by the file's own names. Nothing here runs code from a file."""

from __future__ import annotations

import re
import struct
import warnings
import zipfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, takewhile
from pathlib import Path
from pickle import UnpicklingError
from types import EllipsisType

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.folder import (
    INDEX_ENDING,
    PICKLED,
    SAFETENSORS,
    format_error,
    is_in_other_format,
    kind_of,
    no_weights_error,
    packed_by,
    refuse_pointer,
)
from bertviz_app.checkpoint.weights.shards import (
    Contents,
    Made,
    OutlinedTable,
    false_claim,
    outline_of,
    refuse_quantised,
    separated,
    weight_files,
    weight_map,
)
from bertviz_app.errors import Check, CheckpointError, Message, Progress, shown
from bertviz_app.values import dataclass, replace

_TOKENS = "embeddings.token.weight"

WRAPPERS = ("state_dict", "model_state_dict", "model_state", "model", "net", "module", "weights")
"""The names that scripts give the state dict in a file; the first one that the file has is used."""
PREFIXES = ("module.", "model.", "_orig_mod.")
"""The prefixes of a model trained on several devices, of a part of another model, of a compiled model."""

_WRAPPED = re.compile(r"(?<![^.])(_orig_mod|_fsdp_wrapped_module|_checkpoint_wrapped_module)\.")
"""The modules that torch puts around those that are compiled, split over devices or computed again."""


def flat(tensor: Tensor) -> Tensor:
    """Return a matrix without the dimension that it has more in the file: as a convolution [out, in, 1]."""
    if tensor.dim() != 3:
        return tensor
    side = next((side for side in (2, 0, 1) if tensor.shape[side] == 1), None)
    return tensor if side is None else tensor.select(side, 0)


def unwrapped(found: Mapping[object, object]) -> Mapping[object, object]:
    """Return the table of weights: `found` itself, or its entry under one of WRAPPERS.

    The other entries are the state of the optimiser, the epoch and so on. Weights under another name are
    found if there is only one table of tensors.
    """
    tables = {name: value for name, value in found.items() if isinstance(value, Mapping) and _is_named(value)}
    for name in WRAPPERS:
        if name in tables:
            return tables[name]
    has_own = any(isinstance(value, Tensor) and value.dim() for value in found.values())
    return next(iter(tables.values())) if len(tables) == 1 and not has_own else found


def _is_named(table: Mapping[object, object]) -> bool:
    """Return whether all keys of `table` are names and all its values tensors."""
    names = [name for name, value in table.items() if isinstance(value, Tensor)]
    return bool(names) and all(isinstance(name, str) for name in names)


def common_prefixes(names: Collection[str]) -> Iterator[str]:
    """Yield "" and then each prefix that all `names` share, up to a dot and the shortest first."""
    first = next(iter(names), "")
    prefixes = (first[: at + 1] for at, letter in enumerate(first) if letter == ".")
    return takewhile(lambda prefix: all(name.startswith(prefix) for name in names), chain([""], prefixes))


def with_outer(family: Family, names: Collection[str]) -> Family:
    """Return `family` with the prefix `outer` of the encoder's names in a file with these `names`.

    It is what comes before the name of the table of token embeddings.
    Raises CheckpointError for a file with several encoders.
    """
    if family.outer or any(family.rename(family.strip(name)) == _TOKENS for name in names):
        return family
    found = {prefix for name in names if (prefix := _before(family, name)) is not None}
    if len(found) > 1 and "" not in found:
        listed = ", ".join(shown(prefix) for prefix in sorted(found))
        message = Message("The file holds several encoders, whose names begin with {0}.", listed)
        raise CheckpointError(message, Message("Save the state dict of one of them."))
    return family if not found or "" in found else replace(family, outer=found.pop())


def _before(family: Family, name: str) -> str | None:
    """Return what comes before the name of the table of token embeddings; None for other tensors."""
    starts = (0, *(at + 1 for at, letter in enumerate(name) if letter == "."))
    return next((name[:at] for at in starts if family.rename(family.strip(name[at:])) == _TOKENS), None)


_NUMBERS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
_GLOBAL = re.compile(r"(?:GLOBAL|class|function|global:?)\s+`?([A-Za-z_][\w.]*\.\w+)")


def read_tensors(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of a file of safetensors or of torch, mapped from the file, not yet read.

    Its bytes say which of the two it is, whatever its ending. Copy what is used later: the mapped numbers
    become invalid when the file is overwritten. Raises CheckpointError.
    """
    refuse_pointer(path)
    if is_in_other_format(path):
        raise format_error(path)
    if kind_of(path) is None:
        _refuse_other_kinds(path)
    return _from_safetensors(path) if _is_safetensors(path) else _from_pickle(path)


_PICKLED_TEXT = re.compile(rb"\(?([dl]p\d|c[\w.]+\n[\w.]+\n)")
"""What pickles of protocol 0 begin with, which are of printable characters alone."""


def _refuse_other_kinds(path: Path) -> None:
    """Raise CheckpointError for a packed file, a web page, another text, and what no pickle begins with."""
    if program := packed_by(path):
        message = Message("{0} is packed by {1}.", path.name, program)
        raise CheckpointError(message, Message("Unpack it, and open what it holds."))
    with path.open("rb") as file:
        start = file.read(256)
    again = Message("Fetch the file again; it may have been cut short.")
    if not start:
        raise CheckpointError(Message("{0} is damaged: it is empty.", path.name), again)
    download = Message("Download the file itself: on the hub, by its “resolve” link.")
    if start.lstrip().lower().startswith((b"<!doctype html", b"<html")):
        raise CheckpointError(Message("{0} is a web page, not a file of weights.", path.name), download)
    if _PICKLED_TEXT.match(start) or start[:2] == b"PK":
        return
    if all(byte in b"\t\n\r" or 32 <= byte < 127 for byte in start):
        line = shown(start.decode("ascii").strip().partition("\n")[0], 80)
        message = Message("{0} is a text, not a file of weights. It begins: {1}", path.name, line)
        raise CheckpointError(message, download)
    if start[:1] not in b"\x80}])(" and path.suffix != ".safetensors":
        message = Message(
            "{0} is damaged, or no file of weights: no file of torch's begins with the bytes {1}.",
            *(path.name, start[:8].hex(" ").upper()),
        )
        raise CheckpointError(message, again)


def _is_safetensors(path: Path) -> bool:
    """Return whether a file is of safetensors by its bytes, by its ending where these tell nothing."""
    kind = kind_of(path)
    return kind == "safetensors" or (kind is None and path.suffix == ".safetensors")


def read_weights(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of the file at `path`, or of all files listed by an index.

    They are mapped as by `read_tensors`. Their names are without the prefixes of training scripts and of
    adapters. Raises CheckpointError, also if the index and the files differ.
    """
    return read_contents(path).tensors


def read_contents(path: Path) -> Contents:
    """Return the tensors at `path` as `read_weights` does, and the adapters' factors in the same file."""
    in_file = _joined(path) if path.name.endswith(INDEX_ENDING) else read_tensors(path)
    refuse_quantised(path.name, in_file)
    found: Mapping[str, Tensor] = {_WRAPPED.sub("", name): tensor for name, tensor in in_file.items()}
    if len(found) < len(in_file):  # two names are alike without them
        found = in_file
    while found and (prefix := next((one for one in PREFIXES if all(n.startswith(one) for n in found)), "")):
        found = {name.removeprefix(prefix): tensor for name, tensor in found.items()}
    stored = dict(zip(found, in_file, strict=True))  # the names in the file, in the same order
    contents = separated(found)
    names = {name: stored[contents.stored_names.get(name, name)] for name in contents.tensors}
    prefix = next((theirs.removesuffix(name) for name, theirs in stored.items() if theirs.endswith(name)), "")
    inside = dict.fromkeys(
        part
        for name, theirs in stored.items()
        if not theirs.endswith(name)
        for part in _WRAPPED.findall(theirs)
    )
    return replace(contents, stored_names=names, prefix=prefix, wrappers=tuple(inside))


def _joined(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of all files listed by the index at `path`."""
    file_of = weight_map(path)
    found = {
        name: tensor
        for shard in weight_files(path)
        for name, tensor in read_tensors(shard).items()
        if file_of.get(name, shard.name) == shard.name
    }
    if absent := [name for name in file_of if name not in found]:
        message = Message(
            "{0} lacks {1}, which {2} says it holds.", file_of[absent[0]], shown(absent[0]), path.name
        )
        raise CheckpointError(message, Message("Fetch the files again; they may be of different versions."))
    return found


def is_mapped(path: Path) -> bool:
    """Return whether the weights at `path` are mapped; torch's older format is read into memory."""
    return all(_is_safetensors(file) or _is_archive(file) for file in weight_files(path))


def validate(name: str, tensor: Tensor) -> None:
    """Raise CheckpointError unless `tensor` is a dense tensor of floating-point numbers."""
    if tensor.layout != torch.strided:
        kind = str(tensor.layout).removeprefix("torch.").removeprefix("_")
        raise CheckpointError(
            Message("The tensor {0} is sparse ({1}), which is not read.", shown(name), kind),
            Message("Save the model again with {0} in its place.", "tensor.to_dense()"),
        )
    if tensor.device.type != "cpu":
        message = Message("The tensor {0} has no numbers: it is on the device “meta”.", shown(name))
        raise CheckpointError(message, Message("Load the model with its weights, and save it again."))
    if tensor.is_quantized or tensor.dtype not in _NUMBERS:
        kind = str(tensor.dtype).removeprefix("torch.")
        message = Message("The tensor {0} has numbers of the type {1}, which is not read.", shown(name), kind)
        raise CheckpointError(message, Message("Save the model again in float32, float16 or bfloat16."))


def _from_safetensors(path: Path) -> Mapping[str, Tensor]:
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (
        SafetensorError,
        OSError,
        ValueError,
        RuntimeError,
        KeyError,
        AttributeError,
        MemoryError,
    ) as error:
        message = Message("{0} is damaged or no safetensors file: {1}", path.name, _line(error))
        otherwise = CheckpointError(message, Message("Fetch the file again; it may have been cut short."))
        raise false_claim(path) or otherwise from error


def _from_pickle(path: Path) -> Mapping[str, Tensor]:
    is_archive = _is_archive(path)
    # Pickles of other programs are refused: torch writes protocol 2 only.
    with path.open("rb") as file:
        start = file.read(2)
    if not is_archive and start[:1] == b"\x80" and start != b"\x80\x02":
        raise CheckpointError(
            Message("{0} is a plain pickle, which can run code when opened, and was not opened.", path.name),
            Message("Ask for the model as {0}, which holds numbers only.", SAFETENSORS),
        )
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's warnings here are followed by an error or are harmless
            # A file in torch's older format is no archive, and cannot be mapped.
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=is_archive)
    except Exception as error:
        raise _pickle_error(path, error) from error
    facts = path.stat()
    if is_archive and (damaged := _damaged_member(path, facts.st_size, facts.st_mtime_ns)):
        message = Message(
            "{0} is damaged: {1} in it does not have the CRC-32 that was saved with it.", path.name, damaged
        )
        raise CheckpointError(message, Message("Fetch the file again; it comes with the checkpoint."))
    table = unwrapped(found) if isinstance(found, Mapping) else {}
    tensors = {name: value for name, value in table.items() if isinstance(value, Tensor)}
    if not tensors and isinstance(found, Mapping) and "param_groups" in found:
        raise no_weights_error(path)
    if not tensors:
        raise CheckpointError(
            Message("{0} holds no table of tensors.", path.name),
            Message("A checkpoint's {0} is what torch.save makes of a state dict.", PICKLED),
        )
    named = {name: tensor for name, tensor in tensors.items() if isinstance(name, str)}
    if len(named) < len(tensors):
        raise CheckpointError(
            Message("{0} has tensors without names.", path.name), Message("Save the model again.")
        )
    return named


def _is_archive(path: Path) -> bool:
    """Return whether the file is an archive, as torch writes it; else it may be in torch's older format.

    Raises CheckpointError for a damaged one, and for one that holds more than the file has bytes: a few
    kilobytes can be packed to unfold into all memory. What torch writes is not packed.
    """
    try:
        if not zipfile.is_zipfile(path):
            with path.open("rb") as file:
                start = file.read(4)
            if start == b"PK\x03\x04":
                message = Message("{0} is damaged: its end, which says what it holds, is missing.", path.name)
                raise CheckpointError(message, Message("Fetch the file again; it may have been cut short."))
            return False
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
    # A damaged directory of contents can raise anything in the library.
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, MemoryError) as error:
        raise _pickle_error(path, error) from error
    is_packed = any(entry.compress_type != zipfile.ZIP_STORED for entry in entries)
    if is_packed or sum(entry.file_size for entry in entries) > path.stat().st_size:
        if is_in_other_format(path):
            raise format_error(path)
        raise CheckpointError(
            Message("{0} is a packed archive, which can unfold to any size, and was not opened.", path.name),
            Message("Ask for the model as {0}, or as torch.save writes it.", SAFETENSORS),
        )
    return True


@lru_cache(maxsize=8)
def _damaged_member(path: Path, size: int, mtime_ns: int) -> str:
    """Return the name of the first member of an archive with another CRC-32 than it should have, "" for none.

    torch maps the tensors and does not look at it. Where it was told not to compute it, it has written 0.
    `size` and `mtime_ns` are part of the cache key only.
    """
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            try:
                with archive.open(entry) as file:
                    while entry.CRC and file.read(1 << 20):
                        pass  # the library compares at the end
            except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error):
                return shown(entry.filename)
    return ""


def _pickle_error(path: Path, error: Exception) -> CheckpointError:
    text = str(error)
    wants = _GLOBAL.search(text)
    if isinstance(error, UnpicklingError) and (named := _object_error(path)) is not None:
        return named
    if isinstance(error, UnpicklingError) and ("Unsupported" in text or wants):
        what = f" ({wants[1]})" if wants else ""
        message = Message("{0} would run code when opened{1}, and was not opened.", path.name, what)
        return CheckpointError(message, _NUMBERS_ONLY)
    message = Message("{0} is damaged or no file of torch's: {1}", path.name, _line(error))
    return CheckpointError(message, Message("Fetch the file again; it may have been cut short."))


def _object_error(path: Path) -> CheckpointError | None:
    """Return the error for a file with objects of which the class is known, and how to save its weights."""
    outline = outline_of(path)
    load = f"torch.load({path.name!r}, weights_only=False)"
    if isinstance(outline, Made):
        return None if outline.is_tensor else _whole_error(path, outline, load)
    if outline is None:
        return None
    module = next(((name, made) for name, made in outline.made() if made.is_module), None)
    if module is not None:
        return _whole_error(path, module[1], f"{load}[{module[0]!r}]")
    first = next(outline.made(), None)
    if first is None:
        return None
    message = Message(
        "{0} holds an object of {1} under “{2}”, which would run code when opened, and was not opened.",
        path.name,
        shown(first[1].name),
        shown(first[0]),
    )
    tables = {name: table for name, table in outline.entries.items() if isinstance(table, OutlinedTable)}
    if outline.has_tensors():
        weights = f"{{name: one for name, one in {load}.items() if torch.is_tensor(one)}}"
        return CheckpointError(message, _saved_alone(weights))
    name = next(
        (name for name in (*WRAPPERS, *tables) if name in tables and tables[name].has_tensors()), None
    )
    if name is None:
        return CheckpointError(message, _NUMBERS_ONLY)
    return CheckpointError(message, _saved_alone(f"{load}[{name!r}]"))


def _whole_error(path: Path, made: Made, load: str) -> CheckpointError:
    if not made.is_module:
        message = Message(
            "{0} holds an object of {1}, which would run code when opened, and was not opened.",
            path.name,
            shown(made.name),
        )
        return CheckpointError(message, _NUMBERS_ONLY)
    message = Message(
        "{0} holds a whole model (class {1}), which would run code when opened, and was not opened.",
        path.name,
        shown(made.name),
    )
    return CheckpointError(message, _saved_alone(f"{load}.state_dict()"))


def _saved_alone(weights: str) -> Message:
    return Message(
        "If you trust it, save its weights alone where its code is, and open them, or ask for {0}: {1}",
        *(SAFETENSORS, f"torch.save({weights}, 'weights.pt')"),
    )


_NUMBERS_ONLY = Message(
    "Ask for the model as {0}, or save of your own the state dict alone: numbers only.", SAFETENSORS
)


def _line(error: BaseException) -> str:
    """Return the first line of a library's error, for the end of a sentence."""
    lines = str(error).splitlines() or [type(error).__name__]
    return f"{shown(lines[0], 160).strip().rstrip('.')}."


_SMALLEST_WINDOW, _SHARE = 16 << 20, 32
_SLACK = 64 << 20


@dataclass(frozen=True)
class _Piece:
    """Some rows of a tensor, or all of it."""

    name: str
    rows: slice | EllipsisType
    n_bytes: int


def copied(
    tensors: Mapping[str, Tensor],
    reopen: Callable[[], Mapping[str, Tensor]],
    progress: Progress | None,
    check: Check | None,
) -> dict[str, Tensor]:
    """Return float32 copies of mapped `tensors`; `reopen` maps the same names once more.

    Pages that were read count as the process's memory until they are unmapped, so each window has a mapping
    of its own. Mapped numbers would change when the file is overwritten; copies do not. `progress` gets the
    bytes copied and the total; `check` is called for each piece and may raise.
    """
    # A new tensor for each name: two names may share memory, and a tensor may have gaps in the file.
    copies = {name: torch.empty(tensor.shape, dtype=torch.float32) for name, tensor in tensors.items()}
    n_done, n_bytes = 0, sum(tensor.nbytes for tensor in tensors.values())
    for number, window in enumerate(_windows(tensors, max(_SMALLEST_WINDOW, n_bytes // _SHARE))):
        source = reopen() if number else tensors
        for piece in window:
            if check is not None:
                check()
            target = copies[piece.name]
            found = source.get(piece.name)
            if found is None or found.shape != target.shape:
                raise CheckpointError(
                    Message("The weights changed while they were being read."), Message("Open it again.")
                )
            target[piece.rows].copy_(found.detach()[piece.rows])
            n_done += piece.n_bytes
            if progress is not None:
                progress(n_done, n_bytes)
    return copies


def taken(tensors: Mapping[str, Tensor], progress: Progress | None, check: Check | None) -> dict[str, Tensor]:
    """Return tensors that are already in memory as float32, without a copy where possible."""
    found: dict[str, Tensor] = {}
    n_done, n_bytes = 0, sum(tensor.nbytes for tensor in tensors.values())
    for name, tensor in tensors.items():
        if check is not None:
            check()
        found[name] = tensor.detach().to(torch.float32).contiguous()
        n_done += tensor.nbytes
        if progress is not None:
            progress(n_done, n_bytes)
    return found


def refuse_swollen(tensors: Mapping[str, Tensor], n_bytes: int) -> None:
    """Raise CheckpointError if the tensors need much more memory than files of `n_bytes` can hold.

    A pickle can declare one number repeated a million million times, or the same tensor many times.
    """
    needed = 4 * sum(tensor.numel() for tensor in tensors.values())
    if needed > 2 * n_bytes + _SLACK:
        message = Message(
            "The weights would fill {0} MB, but their files hold {1} MB.",
            f"{needed / 1000000.0:,.0f}",
            f"{n_bytes / 1000000.0:,.0f}",
        )
        raise CheckpointError(message, Message("Save the model again, with every tensor written out."))


def _windows(tensors: Mapping[str, Tensor], most: int) -> Iterator[Sequence[_Piece]]:
    """Yield the tensors in groups of pieces of at most `most` bytes (or one piece)."""
    window: list[_Piece] = []
    for piece in (piece for name, tensor in tensors.items() for piece in _pieces(name, tensor, most)):
        if window and sum(held.n_bytes for held in window) + piece.n_bytes > most:
            yield window
            window = []
        window.append(piece)
    if window:
        yield window


def _pieces(name: str, tensor: Tensor, most: int) -> Iterator[_Piece]:
    if tensor.dim() == 0 or tensor.nbytes <= most:
        yield _Piece(name, ..., tensor.nbytes)
        return
    n_rows, row_bytes = len(tensor), tensor.nbytes // len(tensor)
    step = max(1, most // row_bytes)
    for start in range(0, n_rows, step):
        rows = slice(start, min(start + step, n_rows))
        yield _Piece(name, rows, (rows.stop - rows.start) * row_bytes)


_NUMBER = re.compile(r"(?<=\.)\d+(?=\.)")
_SHOWN = 3


@dataclass(frozen=True)
class Mismatch:
    """A tensor whose shape differs from the one that config.json implies."""

    name: str
    expected: tuple[int, ...]
    found: tuple[int, ...]


@dataclass(frozen=True)
class LoadReport:
    """Which parameters and which tensors of a file do not match; without names if all of them do.

    `missing` and `mismatched` are names of our parameters, the others names in the file. Names that differ
    only in the layer are merged: "layers.{0..11}.attention.query.weight". `task_heads` are parameters of task
    heads that the encoder does not use; `not_computed` are unknown names inside the encoder, `unexpected`
    all other unknown names. `prefix` and `wrappers` were removed from the names in the file; `adapter`
    is a sentence about the adapter that was added.
    """

    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    mismatched: tuple[Mismatch, ...] = ()
    task_heads: tuple[str, ...] = ()
    not_computed: tuple[str, ...] = ()
    prefix: str = ""
    wrappers: tuple[str, ...] = ()
    adapter: str = ""

    def summary(self) -> str:
        """Return the differences in sentences; empty if everything matches."""
        sentences: list[Message] = []
        if self.missing:
            sentences.append(Message("Missing: {0}.", listed(self.missing)))
        if self.mismatched:
            first = self.mismatched[0]
            sizes = first.name, list(first.found), list(first.expected)
            one = Message("Of another shape: {0} is {1} where config.json makes it {2}.", *sizes)
            others = len(self.mismatched) - 1
            many = Message(
                "Of another shape: {0} is {1} where config.json makes it {2}, and {3} more.", *sizes, others
            )
            sentences.append(many if others else one)
        if self.task_heads:
            sentences.append(Message("Task heads that are not used: {0}.", listed(self.task_heads)))
        if self.not_computed:
            names = listed(self.not_computed)
            sentences.append(Message("Parts of the encoder that are not computed: {0}.", names))
        if self.unexpected:
            sentences.append(Message("Unknown tensors that are not used: {0}.", listed(self.unexpected)))
        return Message.joined(sentences)


class WeightsError(CheckpointError):
    """The weights do not match the configuration; `report` says where."""

    def __init__(self, message: str, hint: str, report: LoadReport) -> None:
        super().__init__(message, hint)
        self.report = report


def folded(names: Iterable[str]) -> tuple[str, ...]:
    """Return `names` in order; names that differ only in their first number are merged."""
    numbers: dict[tuple[str, str], list[int | None]] = {}
    for name in names:
        found = _NUMBER.search(name)
        around = (name[: found.start()], name[found.end() :]) if found else (name, "")
        numbers.setdefault(around, []).append(int(found[0][:9]) if found else None)
    return tuple(_joined_layers(before, after, which) for (before, after), which in numbers.items())


def _joined_layers(before: str, after: str, which: list[int | None]) -> str:
    layers = sorted({number for number in which if number is not None})
    if not layers:
        return before
    if len(layers) == 1:
        return f"{before}{layers[0]}{after}"
    if layers[-1] - layers[0] == len(layers) - 1:
        return f"{before}{{{layers[0]}..{layers[-1]}}}{after}"
    return f"{before}{{{','.join(map(str, layers))}}}{after}"


def listed(names: Sequence[str]) -> str:
    """Return the first few names for a message."""
    first = ", ".join(shown(name, 100) for name in names[:_SHOWN])
    return first if len(names) <= _SHOWN else Message("{0} and {1} more", first, len(names) - _SHOWN)
