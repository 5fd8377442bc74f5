"""Weights in formats that are not read: whose format it is, and how to convert it. Loads no torch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from bertviz_app.checkpoint.file_kind import FileKind, kind_of
from bertviz_app.errors import CheckpointError, Message

GIT_LFS = b"version https://git-lfs"
_ORIGINAL = Message("Ask for the checkpoint that it was exported from.")
_OLD_RELEASE = Message(
    "Convert it with transformers 4: {0}.",
    "AutoModel.from_pretrained(folder, from_tf=True).save_pretrained(folder)",
)
_CONVERTED_FROM_GOOGLE = (
    "config = BertConfig.from_json_file('{0}'); "
    "BertForPreTraining.from_pretrained('{1}', from_tf=True, config=config).save_pretrained('.')"
)
_GOOGLE_CONFIG = "bert_config.json"
_OF_FLAX = Message(
    "Convert it with transformers 4: {0}.",
    "AutoModel.from_pretrained(folder, from_flax=True).save_pretrained(folder)",
)
_Format = tuple[Message, Message]
_BY_BYTES: Mapping[FileKind, _Format] = MappingProxyType(
    {
        "hdf5": (Message("TensorFlow's"), _OLD_RELEASE),
        "keras": (Message("Keras'"), _ORIGINAL),
        "msgpack": (Message("Flax's"), _OF_FLAX),
        "gguf": (Message("llama.cpp's, with rounded weights"), _ORIGINAL),
        "onnx": (Message("ONNX's"), _ORIGINAL),
        "tflite": (Message("TensorFlow Lite's"), _ORIGINAL),
    }
)
"""By what the bytes of a file are: whose format it is, and what the user can do."""
_PROGRAMS: Mapping[FileKind, tuple[Message, str]] = MappingProxyType(
    {
        "torchscript": (
            Message("TorchScript, a program and not weights alone"),
            "torch.save(torch.jit.load({0!r}).state_dict(), 'weights.pt')",
        ),
        "exported program": (
            Message("torch.export's, a program and not weights alone"),
            "torch.save(torch.export.load({0!r}).state_dict, 'weights.pt')",
        ),
    }
)
"""By what the bytes of a file are: whose program it is, and the line that saves its weights alone."""
_FORMATS: Mapping[str, _Format] = MappingProxyType(
    {
        ".h5": _BY_BYTES["hdf5"],
        ".keras": _BY_BYTES["keras"],
        ".msgpack": _BY_BYTES["msgpack"],
        ".gguf": _BY_BYTES["gguf"],
        ".onnx": _BY_BYTES["onnx"],
        ".ot": (Message("rust-bert's"), _ORIGINAL),
        ".tflite": _BY_BYTES["tflite"],
        ".pb": (Message("TensorFlow's, a program with its weights"), _ORIGINAL),
        ".mlmodel": (Message("Core ML's"), _ORIGINAL),
        ".distcp": (
            Message("torch's, one part of each process"),
            Message(
                "Join the parts: {0}.",
                "python -m torch.distributed.checkpoint.format_utils dcp_to_torch folder pytorch_model.bin",
            ),
        ),
    }
)
"""By the ending of a file: whose format it is, and what the user can do."""
_OPENVINO = "openvino_model.bin"
_DATA_OF_GOOGLE = re.compile(r"\.data-[0-9]{5}-of-[0-9]{5}")
_OF_TRAINING = re.compile(
    r"(optimizer|scheduler|scaler|sampler|rng_state|random_states)(_[0-9]+)*\.(pt|pth|bin|pkl)|training_args\.bin"
)
"""The files that a Trainer or Accelerate saves beside the weights, to resume the training."""
_FOLDERS_OF_EXPORTS = ("onnx", "openvino", "coreml", "tflite")
"""Folders in which repositories have exported models, beside their weights or instead of them."""
_DEEPSPEED = "zero_to_fp32.py"
_PART_OF_DEEPSPEED = re.compile(r"_(model|optim)_states\.pt")
_STEP_OF_DEEPSPEED = re.compile(r"global_step[0-9]{1,18}")


def is_in_other_format(path: Path) -> bool:
    """Return whether the file at `path` holds weights in such a format, by its name or by its bytes."""
    return is_other_format(path.name) or kind_of(path) in {*_BY_BYTES, *_PROGRAMS}


def is_other_format(name: str) -> bool:
    """Return whether a file of this name holds weights in a format that is not read."""
    suffix = Path(name).suffix
    return suffix in _FORMATS or name == _OPENVINO or _is_of_google(suffix)


def _is_of_google(suffix: str) -> bool:
    return suffix in (".index", ".meta") or bool(_DATA_OF_GOOGLE.fullmatch(suffix))


def is_of_training(name: str) -> bool:
    """Return whether a file of this name is the state of a training: an optimiser's, or its settings."""
    return bool(_OF_TRAINING.fullmatch(name))


def no_weights_error(path: Path) -> CheckpointError:
    """Return the error for the file at `path`, for which `is_of_training` holds."""
    message = Message("{0} holds no weights: a training keeps it beside them, to go on later.", path.name)
    hint = Message(
        "Open a folder of that training with {0} in it, or write one: {1}.",
        "model.safetensors",
        "trainer.save_model(folder)",
    )
    return CheckpointError(message, hint)


def checkpoint_of_google(ref: str) -> Path | None:
    """Return the index of the TensorFlow checkpoint `ref`, a path without an ending; None if it is none."""
    try:
        path = Path(f"{ref}.index").expanduser()
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # path too long, unknown user, NUL
        return None


def format_error(path: Path) -> CheckpointError:
    """Return the error for the file at `path`, for which `is_in_other_format` holds."""
    name = f"{path.parent.name}/{path.name}" if path.parent.name in _FOLDERS_OF_EXPORTS else path.name
    if path.name == _OPENVINO:
        whose, hint = Message("OpenVINO's"), _ORIGINAL
    elif _is_of_google(path.suffix):
        whose, hint = Message("TensorFlow's"), _from_google(path)
    else:
        whose, hint = _format_of(path)
    if kind_of(path) in _PROGRAMS:
        return CheckpointError(Message("{0} is {1}.", name, whose), hint)
    return CheckpointError(Message("The format of {0} is {1}, which is not read.", name, whose), hint)


def _format_of(path: Path) -> _Format:
    kind = kind_of(path)
    if kind is not None and kind in _PROGRAMS:
        whose, line = _PROGRAMS[kind]
        hint = Message("If you trust it, save its weights alone, and open them: {0}.", line.format(path.name))
        return whose, hint
    by_bytes = None if kind is None else _BY_BYTES.get(kind)
    return by_bytes or _FORMATS[path.suffix]


def _from_google(path: Path) -> Message:
    """Return how to convert the TensorFlow checkpoint to which the file at `path` belongs."""
    config = "config.json" if (path.parent / "config.json").is_file() else _GOOGLE_CONFIG
    line = _CONVERTED_FROM_GOOGLE.format(config, f"{path.stem}.index")
    return Message("Convert it with transformers 4 and TensorFlow, in that folder: {0}.", line)


def other_format_in(folder: Path) -> CheckpointError | None:
    """Return the error for a folder whose only weights are in such a format, or None."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
        steps = [path for path in folder.iterdir() if _STEP_OF_DEEPSPEED.fullmatch(path.name)]
    except OSError:
        return None
    is_step = any(_PART_OF_DEEPSPEED.search(name) for name in names)
    if _DEEPSPEED in names or steps or is_step:
        return _split_by_deepspeed(folder, is_step=is_step and _DEEPSPEED not in names)
    found = next(
        (folder / name for name in names if is_in_other_format(folder / name)), None
    ) or _export_within(folder)
    if found is not None:
        return format_error(found)
    state = next((name for name in names if is_of_training(name)), None)
    return None if state is None else no_weights_error(folder / state)


def _export_within(folder: Path) -> Path | None:
    """Return the first exported model in _FOLDERS_OF_EXPORTS, or None."""
    try:
        return next(
            path
            for name in _FOLDERS_OF_EXPORTS
            if (folder / name).is_dir()
            for path in sorted((folder / name).iterdir())
            if path.is_file() and is_other_format(path.name)
        )
    except (StopIteration, OSError):
        return None


def _split_by_deepspeed(folder: Path, *, is_step: bool) -> CheckpointError:
    """Return the error for a folder that DeepSpeed saved, or for that of one step inside of it."""
    home = folder.parent if is_step else folder
    message = Message("The weights in {0} are split over the processes of DeepSpeed.", folder)
    script = _DEEPSPEED if (home / _DEEPSPEED).is_file() else "-m deepspeed.utils.zero_to_fp32"
    return CheckpointError(
        message, Message("Join them in the folder {0}: {1}.", home, f"python {script} . pytorch_model.bin")
    )


def refuse_pointer(path: Path) -> None:
    """Raise CheckpointError if the file at `path` is a pointer of git-lfs in place of the file itself.

    Also if it cannot be read: every file of a checkpoint is first looked at here.
    """
    try:
        with path.open("rb") as file:
            start = file.read(len(GIT_LFS))
    except OSError as error:
        raise unreadable(path, error) from error
    if start == GIT_LFS:
        message = Message("{0} is a pointer of git-lfs: the file itself was not fetched.", path.name)
        raise CheckpointError(message, Message("Run {0} in the folder.", "git lfs pull"))


def unreadable(path: Path, error: OSError) -> CheckpointError:
    """Return the error for a file that the operating system does not let us read."""
    is_refused = isinstance(error, PermissionError)
    again = Message("Fetch the file again; it comes with the checkpoint.")
    hint = Message("Check the folder's permissions.") if is_refused else again
    return CheckpointError(Message("{0} cannot be read: {1}.", path, error.strerror or error), hint)
