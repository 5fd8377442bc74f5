"""Which tokenizer class a checkpoint's files name, and whether its files can be read as that class does."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bertviz_app.checkpoint.folder import BYTE_LEVEL, TOKENIZER, TOKENIZER_CONFIG, VOCABULARY
from bertviz_app.checkpoint.message_text import shown
from bertviz_app.errors import Message, TokenizerError

_WORD_PIECES = frozenset(
    {"Bert", "ConvBert", "DistilBert", "Electra", "LayoutLM", "Lxmert", "MobileBert", "SqueezeBert"}
)
_DPR = frozenset({"DPRContextEncoder", "DPRQuestionEncoder", "DPRReader"})
_BYTES = frozenset({"Roberta", "Longformer", "Bart", "Deberta"})
_SENTENCE_PIECES = frozenset({"Albert", "Camembert", "DebertaV2", "XLMRoberta"})
_BY_FILE: Mapping[str, frozenset[str]] = MappingProxyType(
    {VOCABULARY: _WORD_PIECES | _DPR, BYTE_LEVEL: _BYTES}
)
"""The classes that read a file as this program does, by the name of the file, without "Tokenizer"."""
_SAVE = "AutoTokenizer.from_pretrained(folder).backend_tokenizer.save('tokenizer.json')"
_NOT_IN_JSON = frozenset({"BertJapanese", "Bertweet", "Herbert", "KoBert", "Phobert", "RoFormer", "Tapas"})
"""Classes that split a text by code of their own, before or instead of what a tokenizer.json says."""


def validate_class(file: str, rules: Mapping[str, object], settings: Mapping[str, object]) -> None:
    """Raise TokenizerError unless `file` is read here as the class that the checkpoint names reads it.

    `rules` are those of tokenizer_config.json, `settings` those of config.json. A checkpoint that names no
    class is read by its files.
    """
    name = declared_class(rules, settings)
    if name is None:
        return
    kind = name.removesuffix("Fast").removesuffix("Tokenizer")
    if _has_own_code(rules):
        raise _other_class(file, name, Message("Its code comes with the checkpoint, and is not run."))
    by_file = kind in _BY_FILE.get(file, _SENTENCE_PIECES)
    if not (kind not in _NOT_IN_JSON if file == TOKENIZER else by_file):
        raise _other_class(file, name, Message("That class splits text in another way."))


def declared_class(rules: Mapping[str, object], settings: Mapping[str, object]) -> str | None:
    """Return the name of the tokenizer class, from tokenizer_config.json, else from config.json."""
    for source in (rules, settings):
        name = source.get("tokenizer_class")
        if isinstance(name, str) and name:
            return name
    return None


def _has_own_code(rules: Mapping[str, object]) -> bool:
    """Return whether tokenizer_config.json names a class in a Python file of the checkpoint."""
    classes = rules.get("auto_map")
    if isinstance(classes, Mapping):
        classes = classes.get("AutoTokenizer")
    if isinstance(classes, list):
        return any(isinstance(name, str) for name in classes)
    return isinstance(classes, str)


def _other_class(file: str, name: str, reason: Message) -> TokenizerError:
    message = Message(
        "The tokenizer of this checkpoint is a {0}, and {1} cannot be read as that. {2}",
        shown(name),
        file,
        reason,
    )
    hint = Message(
        "Save the fast tokenizer as tokenizer.json into a copy of the folder: {0}. Then remove "
        "“tokenizer_class” and “auto_map” from {1} there.",
        _SAVE,
        TOKENIZER_CONFIG,
    )
    return TokenizerError(message, hint)
