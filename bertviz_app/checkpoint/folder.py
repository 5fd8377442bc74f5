"""The files of a checkpoint folder: which ones are read, and the check that links do not lead out of it."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from bertviz_app.checkpoint.allowed_links import is_allowed, links_out_of
from bertviz_app.checkpoint.file_kind import WEIGHTS_KINDS, kind_of
from bertviz_app.checkpoint.other_formats import (
    is_in_other_format,
    is_of_training,
    no_weights_error,
    other_format_in,
)
from bertviz_app.checkpoint.questions import AnswersError, Questions
from bertviz_app.errors import CheckpointError, Message, TokenizerError

CONFIG = "config.json"
SAFETENSORS = "model.safetensors"
PICKLED = "pytorch_model.bin"
INDEX_ENDING = ".index.json"
WEIGHTS = (SAFETENSORS, SAFETENSORS + INDEX_ENDING, PICKLED, PICKLED + INDEX_ENDING)
"""The names of files of weights, of which the first is read; an index names the parts of split ones."""
WEIGHT_ENDINGS = (".safetensors", ".bin", ".pt", ".pth", ".ckpt")
"""The usual endings; weights by another one are known by their bytes."""
CONFIG_OF_GOOGLE = "bert_config.json"
_VOCABULARY_OF_ETRI = "vocab.korean.rawtext.list"
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
    """
    path = folder / name
    try:
        if not path.is_file():
            return None
        target, home = path.resolve(strict=True), folder.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # RuntimeError: a loop of links
        raise CheckpointError(
            Message("{0} cannot be read.", path), Message("Check the folder's permissions.")
        ) from error
    if any(target.is_relative_to(allowed) for allowed in (home, *_blobs(home))):
        return path
    if is_allowed(folder, name, target):
        return path
    message = Message("{0} is a link that leads out of {1}, to {2}.", name, folder, target)
    hint = Message(
        "Put the file itself into the folder, or allow its links: {0} on the command line, {1} in Python.",
        "--follow-links",
        "links=True",
    )
    links = tuple(links_out_of(folder).values())
    raise AnswersError(message, hint, Questions(names=("links",), links=links))


def config_in(folder: Path) -> Path:
    """Return the config.json in `folder`; beside weights alone it need not exist.

    Raises CheckpointError if there is neither.
    """
    if path := file_in(folder, CONFIG):
        return path
    if error := other_format_in(folder):
        raise error
    if (path := file_in(folder, CONFIG_OF_GOOGLE)) and (weights := _weights_among(folder)):
        raise _config_of_google(folder, path, weights[0])
    inner = _checkpoint_within(folder)
    if inner is None and _weights_among(folder):
        return folder / CONFIG
    message = Message("{0} is no checkpoint: it has no {1}.", folder, CONFIG)
    hint = Message("Choose a folder with {0}, the weights and the tokenizer in it.", CONFIG)
    if inner is not None:
        hint = Message("There is one inside of it: open {0}.", inner)
    raise CheckpointError(message, hint)


def _config_of_google(folder: Path, path: Path, weights: str) -> CheckpointError:
    """Return the error for Google's sizes beside torch's weights; the vocabulary tells ETRI's KorBERT."""
    if file_in(folder, _VOCABULARY_OF_ETRI):
        message = Message(
            "This is ETRI's KorBERT: {0} holds its sizes and {1} its weights, but {2} lists the pieces of "
            "its own tokenizer, in another form than {3}. That tokenizer is code ({4}), which is not run.",
            *(path.name, weights, _VOCABULARY_OF_ETRI, VOCABULARY, "tokenization.py"),
        )
        hint = Message(
            "Open a Korean checkpoint with a tokenizer that is read, such as {0}. Renamed to {1}, the list "
            "would give other IDs than the model was trained with.",
            "klue/bert-base",
            VOCABULARY,
        )
        return CheckpointError(message, hint)
    message = Message("{0} has Google's {1} in place of {2}.", folder, path.name, CONFIG)
    hint = Message(
        "Copy it to {0}, and write {1} into it if the weights were converted to torch by transformers.",
        CONFIG,
        '"model_type": "bert"',
    )
    return CheckpointError(message, hint)


def _checkpoint_within(folder: Path) -> Path | None:
    """Return the checkpoint inside `folder` of old sentence-transformers, or the newest of a training."""
    try:
        inner = [
            path
            for path in folder.iterdir()
            if (path / CONFIG).is_file() or (path / ADAPTER_CONFIG).is_file()
        ]
    except OSError:
        return None
    runs = [path for path in inner if _RUN.fullmatch(path.name)]
    runs.sort(key=lambda path: int(path.name.rpartition("-")[2]))
    old = [path for path in inner if path.name == "0_Transformer"]
    found = old or runs[-1:]
    return found[0] if found else None


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
    try:
        return sorted(path.name for path in folder.iterdir() if path.is_file() and is_weights(path))
    except OSError:
        return []


def _files(folder: Path, endings: Collection[str]) -> list[str]:
    """Return the names that end in one of `endings`, without files of weights."""
    try:
        return sorted(
            path.name
            for path in folder.iterdir()
            if path.suffix in endings and kind_of(path) not in WEIGHTS_KINDS
        )
    except OSError:
        return []


def _lone(folder: Path, endings: Collection[str]) -> Path | None:
    """Return the only file with one of `endings`, if there is exactly one."""
    names = _files(folder, endings)
    return file_in(folder, names[0]) if len(names) == 1 else None


def tokenizer_in(folder: Path) -> Path:
    """Return the tokenizer's main file in `folder`. Raises TokenizerError if there is none."""
    # A SentencePiece model determines how text is split; a vocab.txt beside it does not.
    for name in (TOKENIZER, *SENTENCE_PIECES):
        if path := file_in(folder, name):
            return path
    if path := _lone(folder, (SENTENCE_PIECES_ENDING,)):
        return path
    for name in (VOCABULARY, BYTE_LEVEL):
        if path := file_in(folder, name):
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
    for name in SENTENCE_PIECES:
        if path := file_in(folder, name):
            return path
    return _lone(folder, (SENTENCE_PIECES_ENDING,))


def tokenizer_files(folder: Path) -> tuple[Path, ...]:
    """Return all files of the tokenizer in `folder`. Raises TokenizerError if there are none."""
    main = tokenizer_in(folder)
    others = (file_in(folder, name) for name in _TOKENIZERS if name != main.name)
    return (main, *(path for path in others if path is not None))


def _blobs(home: Path) -> tuple[Path, ...]:
    """Return the folders that links in `home` may lead to, if it is a snapshot in the hub's cache."""
    snapshots, repository = home.parent, home.parent.parent
    if snapshots.name != "snapshots" or not repository.name.startswith("models--"):
        return ()
    return (repository / "blobs", repository.parent / "blobs")
