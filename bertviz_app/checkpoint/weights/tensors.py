"""The tensors in a file of weights, by the file's own names. Nothing here runs code from a file."""

from __future__ import annotations

import re
import struct
import warnings
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from pickle import UnpicklingError

import torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from bertviz_app.checkpoint.file_kind import kind_of
from bertviz_app.checkpoint.folder import INDEX_ENDING, PICKLED, SAFETENSORS
from bertviz_app.checkpoint.other_formats import (
    format_error,
    is_in_other_format,
    no_weights_error,
    refuse_pointer,
)
from bertviz_app.checkpoint.weights.adapter_factors import Contents, separated
from bertviz_app.checkpoint.weights.header_limits import false_claim
from bertviz_app.checkpoint.weights.pickle_outline import Made, OutlinedTable, outline_of
from bertviz_app.checkpoint.weights.prefixes import WRAPPERS, unwrapped, without_prefixes
from bertviz_app.checkpoint.weights.quantised import refuse_quantised
from bertviz_app.checkpoint.weights.shards import weight_files, weight_map
from bertviz_app.errors import CheckpointError, Message, shown

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
    return _from_safetensors(path) if _is_safetensors(path) else _from_pickle(path)


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
    is_split = path.name.endswith(INDEX_ENDING)
    in_file = _joined(path) if is_split else read_tensors(path)
    refuse_quantised(path.name, in_file)
    found = without_prefixes(in_file)
    stored = dict(zip(found, in_file, strict=True))  # the names in the file, in the same order
    contents = separated(found)
    names = {name: stored[contents.stored_names.get(name, name)] for name in contents.tensors}
    first = next(iter(found), "")
    prefix = stored[first].removesuffix(first) if found else ""
    return replace(contents, stored_names=names, prefix=prefix)


def _joined(path: Path) -> Mapping[str, Tensor]:
    """Return the tensors of all files listed by the index at `path`."""
    found: dict[str, Tensor] = {}
    file_of = weight_map(path)
    for shard in weight_files(path):
        for name, tensor in read_tensors(shard).items():
            if file_of.get(name, shard.name) == shard.name:
                found[name] = tensor
    absent = [name for name in file_of if name not in found]
    if absent:
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
    is_plain = tensor.layout == torch.strided and not tensor.is_quantized and tensor.device.type == "cpu"
    if not is_plain or tensor.dtype not in _NUMBERS:
        kind = str(tensor.dtype).removeprefix("torch.")
        message = Message(
            "The tensor {0} is of a kind that cannot be computed with ({1}).", shown(name), kind
        )
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
    _refuse_plain_pickle(path, is_archive)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # torch's warnings here are followed by an error or are harmless
            # A file in torch's older format is no archive, and cannot be mapped.
            found = torch.load(path, map_location="cpu", weights_only=True, mmap=is_archive)
    except Exception as error:
        raise _pickle_error(path, error) from error
    table = unwrapped(found) if isinstance(found, Mapping) else {}
    tensors = {name: value for name, value in table.items() if isinstance(value, Tensor)}
    if not tensors and isinstance(found, Mapping) and "param_groups" in found:
        raise no_weights_error(path)
    if not tensors:
        message = Message("{0} holds no table of tensors.", path.name)
        raise CheckpointError(
            message, Message("A checkpoint's {0} is what torch.save makes of a state dict.", PICKLED)
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
            if _begins_as_archive(path):
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
        message = Message(
            "{0} is a packed archive, which can unfold to any size, and was not opened.", path.name
        )
        raise CheckpointError(
            message, Message("Ask for the model as {0}, or as torch.save writes it.", SAFETENSORS)
        )
    return True


def _begins_as_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"PK\x03\x04"


def _refuse_plain_pickle(path: Path, is_archive: bool) -> None:
    """Raise CheckpointError for pickles of other programs: torch writes protocol 2 only."""
    with path.open("rb") as file:
        start = file.read(2)
    if not is_archive and start[:1] == b"\x80" and start != b"\x80\x02":
        message = Message(
            "{0} is a plain pickle, which can run code when opened, and was not opened.", path.name
        )
        raise CheckpointError(
            message, Message("Ask for the model as {0}, which holds numbers only.", SAFETENSORS)
        )


def _pickle_error(path: Path, error: Exception) -> CheckpointError:
    text = str(error)
    wants = _GLOBAL.search(text)
    if isinstance(error, UnpicklingError) and (named := _object_error(path)) is not None:
        return named
    if isinstance(error, UnpicklingError) and ("Unsupported" in text or wants):
        what = f" ({wants[1]})" if wants else ""
        message = Message("{0} would run code when opened{1}, and was not opened.", path.name, what)
        return CheckpointError(message, _numbers_only())
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
    name = next(
        (name for name in (*WRAPPERS, *tables) if name in tables and tables[name].has_tensors()), None
    )
    if name is None:
        return CheckpointError(message, _numbers_only())
    return CheckpointError(message, _saved_alone(f"{load}[{name!r}]"))


def _whole_error(path: Path, made: Made, load: str) -> CheckpointError:
    if not made.is_module:
        message = Message(
            "{0} holds an object of {1}, which would run code when opened, and was not opened.",
            path.name,
            shown(made.name),
        )
        return CheckpointError(message, _numbers_only())
    message = Message(
        "{0} holds a whole model (class {1}), which would run code when opened, and was not opened.",
        path.name,
        shown(made.name),
    )
    return CheckpointError(message, _saved_alone(f"{load}.state_dict()"))


def _saved_alone(weights: str) -> Message:
    line = f"torch.save({weights}, 'weights.pt')"
    return Message(
        "If you trust it, save its weights alone where its code is, and open them, or ask for {0}: {1}",
        SAFETENSORS,
        line,
    )


def _numbers_only() -> Message:
    return Message(
        "Ask for the model as {0}, or save of your own the state dict alone: numbers only.", SAFETENSORS
    )


def _line(error: BaseException) -> str:
    """Return the first line of a library's error, for the end of a sentence."""
    lines = str(error).splitlines() or [type(error).__name__]
    return f"{shown(lines[0], 160).strip().rstrip('.')}."
