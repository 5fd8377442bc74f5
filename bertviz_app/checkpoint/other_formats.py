"""Weights in formats that are not read: what they are, and how they are converted. Loads no torch."""

from __future__ import annotations

import re
from pathlib import Path
from types import MappingProxyType

from bertviz_app.errors import CheckpointError, Message

GIT_LFS = b"version https://git-lfs"
_ORIGINAL = Message("Ask for the checkpoint that it was exported from.")
_OLD_RELEASE = Message(
    "Convert it with transformers 4: {0}.",
    "AutoModel.from_pretrained(folder, from_tf=True).save_pretrained(folder)",
)
_GOOGLE = (
    Message("TensorFlow's"),
    Message(
        "Convert it with transformers 4 and TensorFlow: {0}.",
        "config = BertConfig.from_json_file('bert_config.json'); "
        "BertForPreTraining.from_pretrained('bert_model.ckpt.index', from_tf=True, config=config)"
        ".save_pretrained('.')",
    ),
)
_FORMATS = MappingProxyType(
    {
        ".h5": (Message("TensorFlow's"), _OLD_RELEASE),
        ".msgpack": (
            Message("Flax's"),
            Message(
                "Convert it with transformers 4: {0}.",
                "AutoModel.from_pretrained(folder, from_flax=True).save_pretrained(folder)",
            ),
        ),
        ".gguf": (Message("llama.cpp's, with rounded weights"), _ORIGINAL),
        ".onnx": (Message("ONNX's"), _ORIGINAL),
        ".ot": (Message("rust-bert's"), _ORIGINAL),
        ".tflite": (Message("TensorFlow Lite's"), _ORIGINAL),
        ".index": _GOOGLE,
        ".meta": _GOOGLE,
        ".distcp": (
            Message("torch's, one part of each process"),
            Message(
                "Join the parts: {0}.",
                "python -m torch.distributed.checkpoint.format_utils dcp_to_torch folder pytorch_model.bin",
            ),
        ),
    }
)
"""By the ending of a file: whose format it is, and the way out."""
_OPENVINO = "openvino_model.bin"
_DATA_OF_GOOGLE = re.compile(r"\.data-[0-9]{5}-of-[0-9]{5}")
_DEEPSPEED = "zero_to_fp32.py"
_PART_OF_DEEPSPEED = re.compile(r"_(model|optim)_states\.pt")
_STEP_OF_DEEPSPEED = re.compile(r"global_step[0-9]{1,18}")


def is_other_format(name: str) -> bool:
    """Return whether a file of this name holds weights in a format that is not read."""
    suffix = Path(name).suffix
    return suffix in _FORMATS or name == _OPENVINO or bool(_DATA_OF_GOOGLE.fullmatch(suffix))


def checkpoint_of_google(ref: str) -> Path | None:
    """Return the index of the TensorFlow checkpoint `ref`, a path without an ending; None if it is none."""
    try:
        path = Path(f"{ref}.index").expanduser()
        return path if path.is_file() else None
    except (OSError, RuntimeError, ValueError):  # path too long, unknown user, NUL
        return None


def format_error(path: Path) -> CheckpointError:
    """Return the error for the file at `path`, for which `is_other_format` holds."""
    if path.name == _OPENVINO:
        whose, hint = Message("OpenVINO's"), _ORIGINAL
    else:
        whose, hint = _FORMATS.get(path.suffix, _GOOGLE)
    return CheckpointError(Message("The format of {0} is {1}, which is not read.", path.name, whose), hint)


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
    found = next((name for name in names if is_other_format(name)), None)
    return None if found is None else format_error(folder / found)


def _split_by_deepspeed(folder: Path, *, is_step: bool) -> CheckpointError:
    """Return the error for a folder that DeepSpeed saved, or for that of one step inside of it."""
    home = folder.parent if is_step else folder
    message = Message("The weights in {0} are split over the processes of DeepSpeed.", folder)
    script = _DEEPSPEED if (home / _DEEPSPEED).is_file() else "-m deepspeed.utils.zero_to_fp32"
    return CheckpointError(
        message, Message("Join them in the folder {0}: {1}.", home, f"python {script} . pytorch_model.bin")
    )


def refuse_pointer(path: Path) -> None:
    """Raise CheckpointError if the file at `path` is a pointer of git-lfs in place of the file itself."""
    with path.open("rb") as file:
        start = file.read(len(GIT_LFS))
    if start == GIT_LFS:
        message = Message("{0} is a pointer of git-lfs: the file itself was not fetched.", path.name)
        raise CheckpointError(message, Message("Run {0} in the folder.", "git lfs pull"))
