"""The files of a checkpoint folder: which are read, their kinds by their bytes, where links lead."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import stat
import struct
import zipfile
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from bertviz_app import paths
from bertviz_app.checkpoint.questions import AnswersError, Questions
from bertviz_app.errors import CheckpointError, Message, TokenizerError


def links_out_of(folder: Path) -> dict[str, str]:
    """Return the files in `folder`, and in folders in it, that are elsewhere: by name, where they are."""
    home = folder.resolve()
    found: dict[str, str] = {}
    inner = (one for path in _entries(folder) for one in (_entries(path) if path.is_dir() else [path]))
    for path in islice(inner, 1000):
        with suppress(OSError, RuntimeError):  # RuntimeError: a loop of links
            target = path.resolve(strict=True)
            if target.is_file() and not target.is_relative_to(home):
                found[path.relative_to(folder).as_posix()] = str(target)
    return found


def allow_links(folder: Path) -> None:
    """Allow the links that lead out of `folder` now; one that is changed later is not. Raises FileError."""
    path = settings_file("links", folder)
    with paths.replacing(path) as beside:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(links_out_of(folder), indent=2) + "\n", encoding="utf-8")


def is_allowed(folder: Path, name: str, target: Path) -> bool:
    """Return whether the user has allowed that `name` in `folder` leads to `target`."""
    with suppress(OSError, ValueError):
        allowed = json.loads(settings_file("links", folder).read_text(encoding="utf-8"))
        return isinstance(allowed, dict) and allowed.get(Path(name).as_posix()) == str(target)
    return False


def _files(folder: Path) -> list[Path]:
    """Return the files in `folder`; none where it cannot be searched, of which `iterdir` may say nothing."""
    try:
        return [path for path in _entries(folder) if path.is_file()]
    except OSError:
        return []


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def settings_file(kind: str, folder: Path) -> Path:
    """Return the JSON file among the settings, in their folder `kind`, for a checkpoint in `folder`."""
    name = hashlib.sha256(str(folder.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:32]
    return paths.settings() / kind / f"{name}.json"


FileKind = Literal[
    "safetensors",
    "torch",
    "older torch",
    "torchscript",
    "exported program",
    "hdf5",
    "keras",
    "msgpack",
    "gguf",
    "onnx",
    "tflite",
]
WEIGHTS_KINDS: tuple[FileKind, ...] = ("safetensors", "torch", "older torch")
"""The kinds that are read."""
_BEGINNINGS: tuple[tuple[int, bytes, FileKind], ...] = (
    # The number that torch's older format begins with, as a pickle of protocol 2.
    (0, b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.", "older torch"),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (0, b"GGUF", "gguf"),
    (4, b"TFL3", "tflite"),
)
"""Where in a file which bytes tell its kind."""
_ENTRIES: tuple[tuple[str, FileKind], ...] = (
    ("constants.pkl", "torchscript"),
    ("archive_format", "exported program"),
    ("data.pkl", "torch"),
    ("model.weights.h5", "keras"),
)
"""The last parts of the names of entries that tell the kind of an archive; the first that is there does."""


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of the file at `path`; None for another one, or one that cannot be read.

    No number of it is read: its first bytes decide, and the list of contents of an archive.
    """
    start, n_bytes = _start_of(path, 64)
    if start.startswith(b"PK\x03\x04"):
        return _kind_of_archive(path)
    if found := next((kind for at, mark, kind in _BEGINNINGS if start[at:].startswith(mark)), None):
        return found
    # A file of safetensors begins with the length of the JSON object that follows.
    if start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= n_bytes - 8:
        return "safetensors"
    if _is_msgpack(start):
        return "msgpack"
    return "onnx" if _is_onnx(start) else None


def _start_of(path: Path, count: int) -> tuple[bytes, int]:
    """Return the first bytes of a file, and its size; nothing of what is none, or cannot be read."""
    with suppress(OSError, ValueError):
        if path.is_file():  # a pipe would be waited for
            with path.open("rb") as file:
                return file.read(count), path.stat().st_size
    return b"", 0


def _kind_of_archive(path: Path) -> FileKind | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    # A damaged directory of contents can raise anything in the library.
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, MemoryError):
        return None
    last = {name.rpartition("/")[2] for name in names}
    return next((kind for name, kind in _ENTRIES if name in last), None)


def _is_msgpack(start: bytes) -> bool:
    """Return whether a file begins with a map of a few entries, whose first key is a short printable name."""
    if len(start) < 3 or not 0x81 <= start[0] <= 0x8F or not 0xA1 <= start[1] <= 0xBF:
        return False
    name = start[2 : 2 + (start[1] & 0x1F)]
    return name.isascii() and name.decode("ascii").isprintable()


def _is_onnx(start: bytes) -> bool:
    """Return whether a file begins as ONNX' message: its version, then the name of the program that wrote."""
    if len(start) < 4 or start[0] != 0x08 or not 1 <= start[1] <= 0x20 or start[2] != 0x12:
        return False
    name = start[4 : 4 + start[3]]
    return bool(name) and name.isascii() and name.decode("ascii").isprintable()


_PACKED: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x1f\x8b", "gzip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),
    (0, b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (257, b"ustar", "tar"),
)
"""Where in a packed file which bytes tell the program."""


def packed_by(path: Path) -> str | None:
    """Return the program that has packed the file at `path`; "zip" only for one that ends in .zip."""
    start, _ = _start_of(path, 512)
    if path.suffix == ".zip" and start.startswith(b"PK\x03\x04"):
        return "zip"
    return next((program for at, mark, program in _PACKED if start[at:].startswith(mark)), None)


AGAIN = Message("Fetch the file again; it comes with the checkpoint.")
GIT_LFS = b"version https://git-lfs"
_ORIGINAL = Message("Ask for the checkpoint that it was exported from.")
_CONVERTED_FROM_GOOGLE = (
    "config = BertConfig.from_json_file('{0}'); "
    "BertForPreTraining.from_pretrained('{1}', from_tf=True, config=config).save_pretrained('.')"
)
_Format = tuple[Message, Message]
_BY_BYTES: Mapping[FileKind, _Format] = MappingProxyType(
    {
        "hdf5": (
            Message("TensorFlow's"),
            Message(
                "Convert it with transformers 4: {0}.",
                "AutoModel.from_pretrained(folder, from_tf=True).save_pretrained(folder)",
            ),
        ),
        "keras": (Message("Keras'"), _ORIGINAL),
        "msgpack": (
            Message("Flax's"),
            Message(
                "Convert it with transformers 4: {0}.",
                "AutoModel.from_pretrained(folder, from_flax=True).save_pretrained(folder)",
            ),
        ),
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
        ".distcp": (Message("torch's, one part of each process"), _ORIGINAL),
    }
)
"""By the ending of a file: whose format it is, and what the user can do."""
_OPENVINO = "openvino_model.bin"
_DATA_OF_GOOGLE = re.compile(r"\.data-[0-9]{5}-of-[0-9]{5}")
_OF_TRAINING = re.compile(
    r"(optimizer|scheduler|scaler|sampler|rng_state|random_states)(_[0-9]+)*\.(pt|pth|bin|pkl)|training_args\.bin"
)
"""The files that a Trainer or Accelerate saves beside the weights, to resume the training."""
_FOLDERS_OF_EXPORTS = ("onnx", "openvino", "coreml", "tflite", "pytorch_model_fsdp_0")
"""Folders in which repositories have exported models, beside their weights or instead of them, and Accelerate
has the parts of FSDP."""
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


def format_error(path: Path) -> CheckpointError:
    """Return the error for the file at `path`, for which `is_in_other_format` holds."""
    name = f"{path.parent.name}/{path.name}" if path.parent.name in _FOLDERS_OF_EXPORTS else path.name
    kind = kind_of(path)
    if path.name == _OPENVINO:
        whose, hint = Message("OpenVINO's"), _ORIGINAL
    elif _is_of_google(path.suffix):
        config = "config.json" if (path.parent / "config.json").is_file() else "bert_config.json"
        line = _CONVERTED_FROM_GOOGLE.format(config, f"{path.stem}.index")
        hint = Message("Convert it with transformers 4 and TensorFlow, in that folder: {0}.", line)
        whose = Message("TensorFlow's")
    elif path.suffix == ".distcp":
        folder = path.parent.absolute()
        home = folder.parent if folder.name in _FOLDERS_OF_EXPORTS else folder
        names = f"{shlex.quote(str(folder))} {shlex.quote(str(home / PICKLED))}"
        line = f"python -m torch.distributed.checkpoint.format_utils dcp_to_torch {names}"
        whose = _FORMATS[path.suffix][0]
        hint = Message("Join the parts, and open what that writes: {0}.", line)
    elif kind is not None and kind in _PROGRAMS:
        whose, line = _PROGRAMS[kind]
        hint = Message("If you trust it, save its weights alone, and open them: {0}.", line.format(path.name))
    else:
        whose, hint = _BY_BYTES[kind] if kind is not None and kind in _BY_BYTES else _FORMATS[path.suffix]
    if kind in _PROGRAMS:
        return CheckpointError(Message("{0} is {1}.", name, whose), hint)
    return CheckpointError(Message("The format of {0} is {1}, which is not read.", name, whose), hint)


def other_format_in(folder: Path) -> CheckpointError | None:
    """Return the error for a folder whose only weights are in such a format, or None."""
    names = [path.name for path in _files(folder)]
    is_step = any(_PART_OF_DEEPSPEED.search(name) for name in names)
    has_steps = any(_STEP_OF_DEEPSPEED.fullmatch(path.name) for path in _entries(folder))
    if _DEEPSPEED in names or has_steps or is_step:
        home = folder.parent if is_step and _DEEPSPEED not in names else folder
        script = _DEEPSPEED if (home / _DEEPSPEED).is_file() else "-m deepspeed.utils.zero_to_fp32"
        line = f"python {script} . pytorch_model.bin"
        message = Message("The weights in {0} are split over the processes of DeepSpeed.", folder)
        return CheckpointError(message, Message("Join them in the folder {0}: {1}.", home, line))
    found = [folder / name for name in names if is_in_other_format(folder / name)]
    inner = (path for name in _FOLDERS_OF_EXPORTS for path in _files(folder / name))
    found += [path for path in inner if is_other_format(path.name)]
    if found:
        return format_error(found[0])
    state = next((name for name in names if is_of_training(name)), None)
    return None if state is None else no_weights_error(folder / state)


def refuse_pointer(path: Path) -> None:
    """Raise CheckpointError if the file at `path` is a pointer of git-lfs in place of the file itself.

    Also if it is no file, or cannot be read: every file of a checkpoint is first looked at here.
    """
    try:
        _refuse_other_than_files(path)
        with path.open("rb") as file:
            start = file.read(len(GIT_LFS))
    except OSError as error:
        raise unreadable(path, error) from error
    if start == GIT_LFS:
        message = Message("{0} is a pointer of git-lfs: the file itself was not fetched.", path.name)
        raise CheckpointError(message, Message("Run {0} in the folder.", "git lfs pull"))


def unreadable(path: Path, error: OSError) -> CheckpointError:
    """Return the error for a file that the operating system does not let us read."""
    hint = Message("Check the folder's permissions.") if isinstance(error, PermissionError) else AGAIN
    return CheckpointError(Message("{0} cannot be read: {1}.", path, error.strerror or error), hint)


CONFIG = "config.json"
SAFETENSORS = "model.safetensors"
PICKLED = "pytorch_model.bin"
INDEX_ENDING = ".index.json"
WEIGHTS = (SAFETENSORS, SAFETENSORS + INDEX_ENDING, PICKLED, PICKLED + INDEX_ENDING)
"""The names of files of weights, of which the first is read; an index names the parts of split ones."""
WEIGHT_ENDINGS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt")
"""The usual endings; weights by another one are known by their bytes."""
CONFIG_OF_GOOGLE = "bert_config.json"
VOCABULARY_OF_ETRI = "vocab.korean.rawtext.list"
TOKENIZER = "tokenizer.json"
TOKENIZER_CONFIG = "tokenizer_config.json"
VOCABULARY = "vocab.txt"
BYTE_LEVEL = "vocab.json"
MERGES = "merges.txt"
MERGE_CODES = "bpe.codes"
ADDED_TOKENS = "added_tokens.json"
SPECIAL_TOKENS = "special_tokens_map.json"
SENTENCE_PIECES = (
    *("spiece.model", "sentencepiece.bpe.model", "spm.model", "sentencepiece.model", "tokenizer.model"),
)
"""The names of SentencePiece models in the families."""
SENTENCE_PIECES_ENDING = ".model"
MODULES = "modules.json"
"""The list of sentence-transformers' modules; each but the first has a folder of its own."""
PROMPTS = "config_sentence_transformers.json"
INPUT_SETTINGS = (
    "sentence_bert_config.json",
    "sentence_roberta_config.json",
    "sentence_distilbert_config.json",
    "sentence_camembert_config.json",
    "sentence_albert_config.json",
    "sentence_xlm-roberta_config.json",
)
"""The names of sentence-transformers' file with the longest input, of which the first is read."""
ANSWERS = "bertviz_app.json"
ADAPTER_CONFIG = "adapter_config.json"
ADAPTER_WEIGHTS = ("adapter_model.safetensors", "adapter_model.bin")
"""The names of the weights of PEFT's adapters, of which the first is read."""
_TOKENIZERS = (
    *(TOKENIZER, TOKENIZER_CONFIG, VOCABULARY, BYTE_LEVEL, MERGES, MERGE_CODES, *SENTENCE_PIECES),
    *(ADDED_TOKENS, SPECIAL_TOKENS),
)
_RUN = re.compile(r"checkpoint-[0-9]{1,18}")
_OF_MODULE = re.compile(r"[0-9]{1,3}_[A-Za-z]+/(config\.json|model\.safetensors|pytorch_model\.bin)")
FILES = (CONFIG, *WEIGHTS, *_TOKENIZERS, MODULES, PROMPTS, *INPUT_SETTINGS, ADAPTER_CONFIG, *ADAPTER_WEIGHTS)
"""All files of a checkpoint that are read, besides `own_pieces` and those of the modules in MODULES."""


def own_pieces(names: Collection[str]) -> list[str]:
    """Return the SentencePiece model among `names` that is known only by being the single one: KoBERT's.

    It is not read beside a file that comes before it in `tokenizer_in`.
    """
    if any(name in names for name in (TOKENIZER, *SENTENCE_PIECES)):
        return []
    found = [name for name in names if "/" not in name and name.endswith(SENTENCE_PIECES_ENDING)]
    return found if len(found) == 1 else []


def module_files(names: Collection[str]) -> list[str]:
    """Return which of `names`, with slashes, are files of sentence-transformers' modules.

    If the weights of a module are in both formats, only safetensors.
    """
    found = [name for name in names if MODULES in names and _OF_MODULE.fullmatch(name)]
    twice = {name.replace(SAFETENSORS, PICKLED) for name in found if name.endswith(SAFETENSORS)}
    return [name for name in found if name not in twice]


def file_in(folder: Path, name: str) -> Path | None:
    """Return the file `name` in `folder`, or None if there is none.

    Raises AnswersError for a link that leads out of the folder, unless the user has allowed it: a checkpoint
    from elsewhere must not make us read other files of this computer. The hub's cache is built of such links.
    Raises CheckpointError where something else than a file has the name.
    """
    path = folder / name
    try:
        if not path.is_file():
            _refuse_other_than_files(path)
            return None
        target, home = path.resolve(strict=True), folder.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise CheckpointError(
            Message("{0} cannot be read.", path), Message("Check the folder's permissions.")
        ) from error
    allowed, repository = [home], home.parent.parent
    if home.parent.name == "snapshots" and repository.name.startswith("models--"):  # in the hub's cache
        allowed += [repository / "blobs", repository.parent / "blobs"]
    if any(target.is_relative_to(one) for one in allowed) or is_allowed(folder, name, target):
        return path
    message = Message("{0} is a link that leads out of {1}, to {2}.", name, folder, target)
    hint = Message("Put the file itself into the folder, or allow its links: {0}.", "--follow-links")
    raise AnswersError(message, hint, Questions(names=("links",), links=tuple(links_out_of(folder).values())))


def first_in(folder: Path, *names: str) -> Path | None:
    """Return the first of the files `names` that is in `folder`, or None; see `file_in`."""
    return next((path for name in names if (path := file_in(folder, name))), None)


def _refuse_other_than_files(path: Path) -> None:
    """Raise CheckpointError if there is a folder, a device, a pipe or a link to no file at `path`.

    It is not taken for a file that is not there, without which the model would be read in another way.
    """
    if path.is_file() or not os.path.lexists(path):
        return
    message = Message("{0} is no file: it is a pipe, a socket or a device.", path)
    if path.is_symlink() and not path.exists():
        message = Message("{0} is a link to {1}, where there is no file.", path, path.readlink())
    elif stat.S_ISDIR(path.stat().st_mode):  # where it is gone by now, the error says so
        message = Message("{0} is no file: it is a folder.", path)
    raise CheckpointError(message, AGAIN)


def config_in(folder: Path) -> Path:
    """Return the config.json in `folder`; beside weights alone it need not exist.

    Raises CheckpointError if there is neither.
    """
    if path := file_in(folder, CONFIG):
        return path
    if error := other_format_in(folder):
        raise error
    if (path := file_in(folder, CONFIG_OF_GOOGLE)) and (weights := _weights_among(folder)):
        if file_in(folder, VOCABULARY_OF_ETRI):
            raise korbert_error(path.name, weights[0])
        message = Message("{0} has Google's {1} in place of {2}.", folder, path.name, CONFIG)
        hint = Message(
            "Copy it to {0}, and write {1} into it if the weights were converted to torch by transformers.",
            CONFIG,
            '"model_type": "bert"',
        )
        raise CheckpointError(message, hint)
    inner = _checkpoint_within(folder)
    if inner is None and _weights_among(folder):
        return folder / CONFIG
    hint = Message("Choose a folder with {0}, the weights and the tokenizer in it.", CONFIG)
    if packed := next((path for path in _entries(folder) if packed_by(path)), None):
        program = packed_by(packed)
        hint = Message("{0} in it is packed by {1}: unpack it, and open what it holds.", packed.name, program)
    if inner is not None:
        hint = Message("There is one inside of it: open {0}.", inner)
    raise CheckpointError(Message("{0} is no checkpoint: it has no {1}.", folder, CONFIG), hint)


def korbert_error(config: str, weights: str) -> CheckpointError:
    """Return the error for ETRI's KorBERT, whose sizes are in the file `config`."""
    message = Message(
        "This is ETRI's KorBERT: {0} holds its sizes and {1} its weights, but {2} lists the pieces of "
        "its own tokenizer, in another form than {3}. That tokenizer is code ({4}), which is not run.",
        *(config, weights, VOCABULARY_OF_ETRI, VOCABULARY, "tokenization.py"),
    )
    hint = Message(
        "Open a Korean checkpoint with a tokenizer that is read, such as {0}. Renamed to {1}, the list "
        "would give other IDs than the model was trained with.",
        "klue/bert-base",
        VOCABULARY,
    )
    return CheckpointError(message, hint)


def _checkpoint_within(folder: Path) -> Path | None:
    """Return the checkpoint inside `folder` of old sentence-transformers, or the newest of a training."""
    names = CONFIG, ADAPTER_CONFIG
    try:
        inner = [path for path in folder.iterdir() if any((path / name).is_file() for name in names)]
    except OSError:
        return None
    runs = [path for path in inner if _RUN.fullmatch(path.name)]
    runs.sort(key=lambda path: int(path.name.rpartition("-")[2]))
    old = [path for path in inner if path.name.startswith("0_")]  # “0_Transformer”, before that “0_BERT”
    found = old or runs[-1:]
    return found[0] if found else None


def first_module(folder: Path) -> Path | None:
    """Return the folder of the model within one of sentence-transformers before version 2; None elsewhere."""
    if file_in(folder, MODULES) is None or _weights_among(folder):
        return None
    inner = _checkpoint_within(folder)
    return inner if inner is not None and inner.name.startswith("0_") else None


def weights_in(folder: Path, name: str | None = None) -> Path:
    """Return the file of weights in `folder`, or the index of split ones; `name` asks for one file.

    Raises CheckpointError if there is none that can be read.
    """
    for known in WEIGHTS if name is None else (name,):
        if path := file_in(folder, known):
            if is_of_training(known):
                raise no_weights_error(path)
            return path
    candidates = _weights_among(folder) if name is None else []
    if len(candidates) == 1 and (alone := file_in(folder, candidates[0])):
        return alone
    if candidates:
        message = Message("{0} has several files of weights: {1}.", folder, ", ".join(candidates[:5]))
        raise CheckpointError(message, Message("Open one of them: {0}.", folder / candidates[-1]))
    if error := other_format_in(folder):
        raise error
    message = Message("There are no weights in {0}: neither {1} nor {2}.", folder, SAFETENSORS, PICKLED)
    if inner := _checkpoint_within(folder):
        raise CheckpointError(message, Message("There is one inside of it: open {0}.", inner))
    raise CheckpointError(message, Message("Fetch the file; it comes with the checkpoint."))


def is_weights(path: Path) -> bool:
    """Return whether the file at `path` holds weights that are read, by its ending or its bytes.

    An adapter's weights are not meant, nor the state of a training.
    """
    name = path.name
    if name in ADAPTER_WEIGHTS or is_of_training(name) or is_in_other_format(path):
        return False
    return path.suffix in WEIGHT_ENDINGS or kind_of(path) in WEIGHTS_KINDS


def _weights_among(folder: Path) -> list[str]:
    """Return the names of the files of weights in `folder`, whatever their endings are."""
    return [path.name for path in _files(folder) if is_weights(path)]


def _lone_pieces(folder: Path) -> Path | None:
    """Return the only file with SENTENCE_PIECES_ENDING that has no weights, if there is exactly one."""
    ended = [path for path in _entries(folder) if path.suffix == SENTENCE_PIECES_ENDING]
    names = [path.name for path in ended if kind_of(path) not in WEIGHTS_KINDS]
    return file_in(folder, names[0]) if len(names) == 1 else None


def tokenizer_in(folder: Path) -> Path:
    """Return the tokenizer's main file in `folder`. Raises TokenizerError if there is none."""
    # A SentencePiece model determines how text is split; a vocab.txt beside it does not.
    before, after = (TOKENIZER, *SENTENCE_PIECES), (VOCABULARY, BYTE_LEVEL)
    if path := first_in(folder, *before) or _lone_pieces(folder) or first_in(folder, *after):
        return path
    message = Message(
        "There is no tokenizer in {0}: neither {1} nor {2} nor a single .model.",
        folder,
        TOKENIZER,
        VOCABULARY,
    )
    raise TokenizerError(message, Message("Fetch the file; it comes with the checkpoint."))


def has_tokenizer(folder: Path) -> bool:
    """Return whether there is a file of a tokenizer in `folder`."""
    try:
        tokenizer_in(folder)
    except TokenizerError:
        return False
    return True


def sentence_pieces_in(folder: Path) -> Path | None:
    """Return the SentencePiece model in `folder`, known by its name or the only one; None without one."""
    return first_in(folder, *SENTENCE_PIECES) or _lone_pieces(folder)


def tokenizer_files(folder: Path) -> tuple[Path, ...]:
    """Return all files of the tokenizer in `folder`. Raises TokenizerError if there are none."""
    main = tokenizer_in(folder)
    others = (file_in(folder, name) for name in _TOKENIZERS if name != main.name)
    return (main, *(path for path in others if path is not None))


MAX_BYTES = 16 << 20


def read_object(path: Path) -> Mapping[str, object]:
    """Return the JSON object in the file at `path`. Raises CheckpointError if there is none."""
    value = _read_json(path)
    if not isinstance(value, dict):
        raise CheckpointError(Message("{0} holds no JSON object.", path.name), AGAIN)
    return value


def read_settings(path: Path) -> Mapping[str, object]:
    """Return the settings in the config.json at `path`; none where there is only a file of weights."""
    return read_object(path) if path.exists() else {}


def read_list(path: Path) -> Sequence[object]:
    """Return the JSON list in the file at `path`. Raises CheckpointError if there is none."""
    value = _read_json(path)
    if not isinstance(value, list):
        raise CheckpointError(Message("{0} holds no JSON list.", path.name), AGAIN)
    return value


def _read_json(path: Path) -> object:
    try:
        refuse_pointer(path)
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise CheckpointError(Message("{0} is far too large for what it should be.", path.name), AGAIN)
        value: object = json.loads(content)
    except OSError as error:
        raise unreadable(path, error) from error
    except (ValueError, RecursionError) as error:  # not UTF-8, not JSON, a number too long, nested too deep
        raise CheckpointError(Message("{0} is not valid JSON.", path.name), AGAIN) from error
    return value
