"""Weights in formats that are not read: what they are, and how they are converted. Loads no torch."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from bertviz_app.errors import CheckpointError, Message

GIT_LFS = b"version https://git-lfs"
_ORIGINAL = Message("Ask for the checkpoint that it was exported from.")
_OLD_RELEASE = Message(
    "Convert it with transformers 4: {0}.",
    "AutoModel.from_pretrained(folder, from_tf=True).save_pretrained(folder)",
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
        ".gguf": (
            Message("llama.cpp's, with rounded weights"),
            Message(
                "Convert it with transformers: {0}.",
                "AutoModel.from_pretrained(folder, gguf_file=name).save_pretrained(folder)",
            ),
        ),
        ".onnx": (Message("ONNX's"), _ORIGINAL),
        ".ot": (Message("rust-bert's"), _ORIGINAL),
        ".tflite": (Message("TensorFlow Lite's"), _ORIGINAL),
        ".index": (
            Message("TensorFlow's"),
            Message(
                "Convert it with transformers 4: {0}.",
                "transformers-cli convert --model_type bert --tf_checkpoint bert_model.ckpt "
                "--config bert_config.json --pytorch_dump_output pytorch_model.bin",
            ),
        ),
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
_DEEPSPEED = "zero_to_fp32.py"


def is_other_format(name: str) -> bool:
    """Return whether a file of this name holds weights in a format that is not read."""
    return Path(name).suffix in _FORMATS or name == _OPENVINO


def format_error(path: Path) -> CheckpointError:
    """Return the error for the file at `path`, for which `is_other_format` holds."""
    if path.name == _OPENVINO:
        whose, hint = Message("OpenVINO's"), _ORIGINAL
    else:
        whose, hint = _FORMATS[path.suffix]
    return CheckpointError(Message("The format of {0} is {1}, which is not read.", path.name, whose), hint)


def other_format_in(folder: Path) -> CheckpointError | None:
    """Return the error for a folder whose only weights are in such a format, or None."""
    try:
        names = sorted(path.name for path in folder.iterdir() if path.is_file())
    except OSError:
        return None
    if _DEEPSPEED in names:
        message = Message("The weights in {0} are split over the processes of DeepSpeed.", folder)
        return CheckpointError(
            message, Message("Join them: {0}.", f"python {_DEEPSPEED} . pytorch_model.bin")
        )
    found = next((name for name in names if is_other_format(name)), None)
    return None if found is None else format_error(folder / found)


def refuse_pointer(path: Path) -> None:
    """Raise CheckpointError if the file at `path` is a pointer of git-lfs in place of the file itself."""
    with path.open("rb") as file:
        start = file.read(len(GIT_LFS))
    if start == GIT_LFS:
        message = Message("{0} is a pointer of git-lfs: the file itself was not fetched.", path.name)
        raise CheckpointError(message, Message("Run {0} in the folder.", "git lfs pull"))
