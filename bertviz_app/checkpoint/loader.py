"""Opens a folder's files as an encoder, a tokenizer that fits it, facts about them, and their fingerprint."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import reduce
from pathlib import Path

import numpy as np
from torch import nn

from bertviz_app.checkpoint.adapters.adaptation import Adaptation
from bertviz_app.checkpoint.assemble import (
    Loaded,
    SentenceFolder,
    load_weights,
    read_sentence_folder,
    sentence_remarks,
    verify,
)
from bertviz_app.checkpoint.config import CheckpointConfig, own_code, read_config
from bertviz_app.checkpoint.folder import (
    CONFIG,
    MODULES,
    config_in,
    file_in,
    read_settings,
    tokenizer_in,
    unreadable,
)
from bertviz_app.checkpoint.question_table import QUESTIONS, saved_answers
from bertviz_app.checkpoint.questions import ABOUT_FILES, NO_ANSWERS, Answers, ModelFacts, Questions
from bertviz_app.checkpoint.sources.source import (
    MINILM_SHA256,
    TOKENIZER_QUESTION,
    Parts,
    Source,
    adapter_remark,
    hub_snapshot,
    parts_of,
    recogniser,
    refuse_without_tokenizer,
)
from bertviz_app.checkpoint.tokenizer_files import AGAIN, build, validate_size, with_letter_case
from bertviz_app.checkpoint.weights.names import second_copy_remark
from bertviz_app.checkpoint.weights.tensors import LoadReport
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import SentenceVector, TaskHeads
from bertviz_app.errors import (
    Check,
    CheckpointError,
    InterventionError,
    Message,
    Progress,
    TextError,
    TokenizerError,
    shown,
)
from bertviz_app.text import Numbering, Tokenizer, Tokens
from bertviz_app.text.edits import NO_EDITS, Edits, with_edits
from bertviz_app.text.tokenizer import tokenizer_fingerprint
from bertviz_app.torch_operations import own_grad_mode
from bertviz_app.trace.provenance import Identity, Meaning
from bertviz_app.values import MISSING, dataclass, field, fields, is_dataclass, replace

_ROWS = 2
"""How many rows of each tensor are hashed as they are, evenly spaced."""


def fingerprint(encoder: Encoder, heads: TaskHeads, sentence: SentenceVector | None = None) -> str:
    """Return a hexadecimal SHA-256 of the configuration and of the weights, for modules on the CPU.

    Hashed are the exclusive or of all numbers of a tensor, which changes with any one number, and its first
    and last row as they are. Hashing all bytes would take ten times as long. Two rows between these that
    change places are not noticed. Checkpoints with the same float32 numbers have the same fingerprint,
    whatever their file format.
    """
    digest = hashlib.sha256(json.dumps(_changed(encoder.config), sort_keys=True).encode())
    modules: list[nn.Module] = [encoder, heads]
    if sentence is not None:
        digest.update(repr(sentence.config).encode())
        modules.append(sentence)
    for module in modules:
        for name, tensor in sorted(module.state_dict().items()):
            digest.update(f"{name} {list(tensor.shape)}".encode())
            numbers = tensor.detach().numpy().ravel()
            words = numbers[: len(numbers) // 2 * 2].view(np.uint64)  # two numbers at a time
            digest.update(np.bitwise_xor.reduce(words).tobytes())
            digest.update(numbers[-1:].tobytes())  # of an odd count the last is in no word
            rows = numbers.reshape(-1, tensor.shape[-1]) if tensor.ndim > 1 else numbers[None]
            digest.update(
                rows[np.linspace(0, len(rows) - 1, min(len(rows), _ROWS)).astype(np.intp)].tobytes()
            )
    return digest.hexdigest()


def _changed(config: object) -> dict[str, object]:
    """Return the fields of a dataclass that are not at their defaults.

    So a field that a later version adds, with a default, changes no fingerprint.
    """
    assert is_dataclass(config)
    found: dict[str, object] = {}
    for one in fields(config):
        value = getattr(config, one.name)
        if one.default is MISSING or value != one.default:
            found[one.name] = _changed(value) if is_dataclass(value) else value
    return found


_PLAIN = ("bert", "roberta", "xlm-roberta", "distilbert", "electra", "albert")
"""The families under whose names models with code of their own are published."""
_OF_COLBERT, _PROJECTION = "HF_ColBERT", "linear.weight"


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """An open checkpoint: the encoder on the CPU in float32, its tokenizer, facts and load report.

    `names`: the names in the file of the parameters of encoder and task heads, by ours, those of task heads
    after "heads."; `adapted`: those that an adapter changed.
    """

    facts: ModelFacts
    encoder: Encoder
    tokenizer: Tokenizer
    report: LoadReport
    task_heads: TaskHeads
    meaning: Meaning  # labels of the task heads, from config.json
    sentence: SentenceVector | None = None  # as sentence-transformers computes it
    names: Mapping[str, str] = field(default_factory=dict)
    adapted: frozenset[str] = frozenset()

    def n_prompt_tokens(self, tokens: Tokens, edits: Edits = NO_EDITS) -> int:
        """Return how many of `tokens` are of the prompt at the start of the text, or special ones before it.

        Those of the prompt that `edits` drop are not among `tokens`. It is 0 if the text begins with none of
        the checkpoint's prompts.
        """
        texts = [prompt.text for prompt in self.facts.prompts if tokens.text.startswith(prompt.text)]
        if not texts:
            return 0
        alone = self.tokenizer.encode(max(texts, key=len))
        n_written = len(alone) - int(alone.is_special[-1])
        return n_written - sum(at < n_written for at in edits.dropped)

    def tokens(self, text: str, pair: str | None = None, edits: Edits = NO_EDITS) -> Tokens:
        """Return the tokens of `text`, or of the pair, as they are read with `edits`, validated.

        Raises TextError, and InterventionError for a segment or a position that the encoder does not have.
        """
        config, tokens = self.encoder.config, self.tokenizer.encode(text, pair)
        if edits:
            validate_token_edits(edits, config)
            tokens = with_edits(tokens, edits, self.tokenizer.piece)
        validate_tokens(tokens, config)
        return tokens


_NOT_TOGETHER = Message("The tokenizer is not that of this checkpoint; put the right one into its folder.")


def read_tokenizer(folder: Path, checkpoint: CheckpointConfig, config_file: Path | None = None) -> Tokenizer:
    """Return the tokenizer in `folder`, of the class that its files name. Raises TokenizerError.

    `config_file` is the model's config.json, for a folder that has none.
    """
    config = checkpoint.encoder
    tells_apart = checkpoint.family.tells_texts_apart or config.n_segments > 1
    numbering = Numbering(config.first_position, config.n_segments > 0, tells_apart, config.first_segment)
    validate_size(tokenizer_in(folder))
    named_by = file_in(folder, CONFIG) or config_file or config_in(folder)
    tokenizer = Tokenizer(build(folder, checkpoint, named_by), config.max_tokens, numbering)
    try:
        piece, number = tokenizer.highest_id()
    except ValueError as error:
        raise TokenizerError(Message("The tokenizer has no pieces at all."), AGAIN) from error
    if number >= config.vocabulary_size:
        raise _beyond(piece, number, config.vocabulary_size)
    # The ids of special tokens show only in an encoding.
    with suppress(TextError):
        validate_tokens(tokenizer.encode("A"), config)
    return tokenizer


def validate_tokens(tokens: Tokens, config: EncoderConfig) -> None:
    """Raise TokenizerError, or TextError for sentence 2, if one of `tokens` has no embedding."""
    wrong = (tokens.ids < 0) | (tokens.ids >= config.vocabulary_size)
    if wrong.any():
        position = int(wrong.argmax())
        raise _beyond(tokens.pieces[position], int(tokens.ids[position]), config.vocabulary_size)
    if len(tokens) > config.max_tokens:
        message = Message(
            "This checkpoint reads {0} tokens at most; the special ones alone are more.", config.max_tokens
        )
        raise TokenizerError(message, _NOT_TOGETHER)
    highest = int(tokens.segment_ids.max())
    if highest < max(1, config.n_segments):  # without segments all tokens have the id 0
        return
    if tokens.pair is not None and config.n_segments == 1:
        message = Message("This checkpoint reads one text at a time: it knows a single segment.")
        raise TextError(message, Message("Leave sentence 2 empty."), "pair")
    message = Message(
        "The tokenizer gives the segment {0}, but this checkpoint knows {1}.", highest, config.n_segments
    )
    raise TokenizerError(message, _NOT_TOGETHER)


def validate_token_edits(edits: Edits, config: EncoderConfig) -> None:
    """Raise InterventionError for a segment or a position ID that the encoder has no embedding for."""
    has_positions = config.has_position_table or config.form.has_sinusoids
    for one in edits.tokens:
        value = one.value
        if one.kind == "segment" and config.n_segments < 2:
            message = Message("This checkpoint has no other segment that token {0} could have.", one.token)
            raise InterventionError(message, Message("Open one that reads pairs, such as BERT."))
        if one.kind == "position" and not has_positions:
            message = Message(
                "This checkpoint has no position embeddings: a token has distances to others, and no "
                "position of its own."
            )
            raise InterventionError(message, Message("Open one with position embeddings, such as BERT."))
        if one.kind == "segment" and isinstance(value, int) and value >= config.n_segments:
            message = Message(
                "There is no segment {0}: this checkpoint has 0 to {1}.", value, config.n_segments - 1
            )
            raise InterventionError(message, Message("Segments count from 0."))
        if one.kind == "position" and isinstance(value, int) and value >= config.n_positions:
            message = Message(
                "There is no position {0}: this checkpoint has 0 to {1}.", value, config.n_positions - 1
            )
            raise InterventionError(message, Message("Positions count from 0."))


def validate_chosen(tokenizer: Tokenizer, settings: Mapping[str, object]) -> None:
    """Raise TokenizerError if the special tokens of a tokenizer that the user chose are not the model's.

    `settings` are those of the model's config.json, which names the ids of some.
    """
    named = {"pad_token_id": tokenizer.padding, "mask_token_id": tokenizer.mask}
    try:
        tokens = tokenizer.encode("A")
        special = np.flatnonzero(tokens.is_special)
        if len(special) and special[0] == 0:
            named["cls_token_id"] = tokens.pieces[0], int(tokens.ids[0])
        if len(special) and special[-1] > 0:
            named["sep_token_id"] = tokens.pieces[special[-1]], int(tokens.ids[special[-1]])
    except TextError:
        pass
    for key, found in named.items():
        stated = settings.get(key)
        if isinstance(stated, int) and found is not None and found[1] != stated:
            message = Message(
                "The chosen tokenizer numbers “{0}” {1}, but config.json says {2} = {3}.",
                shown(found[0]),
                found[1],
                key,
                stated,
            )
            raise TokenizerError(message, Message("Choose the tokenizer that the model was trained with."))


def chosen_remarks(folder: Path, tokenizer: Tokenizer, config: EncoderConfig) -> tuple[Message, ...]:
    """Return remarks on a tokenizer that the user chose: where it is from, and what it leaves unused."""
    found = [Message("The tokenizer is not the checkpoint's: it was chosen, from {0}.", folder)]
    n_ids = tokenizer.highest_id()[1] + 1
    if n_ids < config.vocabulary_size:
        found.append(
            Message(
                "It has {0} pieces, the model's table {1}: if it is another tokenizer than the model was "
                "trained with, every number is wrong.",
                f"{n_ids:,}",
                f"{config.vocabulary_size:,}",
            )
        )
    return tuple(found)


def _beyond(piece: str, number: int, size: int) -> TokenizerError:
    message = Message(
        "The tokenizer numbers “{0}” {1}, but the weights have ids 0 to {2}.", shown(piece), number, size - 1
    )
    return TokenizerError(message, _NOT_TOGETHER)


@contextmanager
def _unreadable_named() -> Iterator[None]:
    """Raise CheckpointError for a file that is gone, or not readable any more, since it was found."""
    try:
        yield
    except OSError as error:
        if not isinstance(error.filename, str | os.PathLike):
            raise
        raise unreadable(Path(error.filename), error) from error


@_unreadable_named()
@own_grad_mode()
def open_checkpoint(
    source: Source,
    progress: Progress | None = None,
    check: Check | None = None,
    answers: Answers = NO_ANSWERS,
) -> Checkpoint:
    """Return the checkpoint at `source`, opened and validated.

    `progress` is called with the bytes copied and the total, `check` between files and tensors; it may raise.
    `answers` take precedence over saved ones. Raises
    CheckpointError or TokenizerError.
    """
    stated = answers.over(saved_answers(source.folder))
    parts = parts_of(source.folder, source.weights, stated)
    try:
        config = _config(parts, answers.without(ABOUT_FILES))
    except TokenizerError:
        refuse_without_tokenizer(parts)
        raise
    if source.origin == "installed":
        verify(parts.weights, MINILM_SHA256)
    if check is not None:
        check()
    adaptation = Adaptation(parts.settings, parts.adapter, stated.lora_alpha)
    refuse_without_tokenizer(parts)
    tokenizer = read_tokenizer(parts.tokenizer, config, parts.config)
    if not parts.has_own_tokenizer:
        validate_chosen(tokenizer, read_settings(parts.config))
    home = source.folder if file_in(source.folder, MODULES) is not None else parts.model
    sentences = read_sentence_folder(home, parts.model, config.encoder.width)
    if sentences.lower_case:
        tokenizer = tokenizer.lower_cased()
    if sentences.max_tokens is not None:
        tokenizer = tokenizer.limited(sentences.max_tokens)
    loaded = load_weights(parts.weights, adaptation.task(config), progress, check, adaptation)
    if sentences.vector is None and loaded.sentence is not None:
        sentences = replace(sentences, vector=loaded.sentence)
    _refuse_without_adapter(answers, parts, loaded.report)
    return Checkpoint(
        facts=_facts(source, parts, config, loaded, tokenizer, sentences),
        encoder=loaded.encoder,
        tokenizer=tokenizer,
        report=loaded.report,
        task_heads=loaded.task_heads,
        meaning=config.meaning,
        sentence=sentences.vector,
        names=loaded.names,
        adapted=loaded.adapted,
    )


def _refuse_without_adapter(answers: Answers, parts: Parts, report: LoadReport) -> None:
    """Raise CheckpointError for `answers` about an adapter if there is none."""
    is_beside = parts.adapter is not None or parts.left_out
    there = {"adapter": is_beside, "base": is_beside, "lora_alpha": bool(report.adapter)}
    for name in answers.given():
        if not there.get(name, True):
            message = Message("There is no adapter that {0} could be about.", QUESTIONS[name].option)
            raise CheckpointError(message, Message("Leave out {0}.", QUESTIONS[name].option))


def _config(parts: Parts, answers: Answers) -> CheckpointConfig:
    """Return the configuration of a family's or a notebook's model."""
    path = parts.config
    settings = read_settings(path)
    combined = answers.over(saved_answers(path.parent)).without(ABOUT_FILES)
    own = recogniser()
    if own is not None and (found := own.config(parts, settings, combined)) is not None:
        return found
    if own is None and not {"model_type", "architectures"} & settings.keys() and not own_code(settings):
        message = Message(
            "{0} has no “model_type”, and what recognises models by their weights was left out of the "
            "program.",
            path.name,
        )
        raise CheckpointError(message, Message("Open a checkpoint that says which model it is."))
    stated = read_config(path)
    if own is not None:
        stated = own.with_classifier(stated, settings, parts.weights, combined)
    stated = with_letter_case(stated, parts.tokenizer, path, combined.lower_case)
    known = () if stated.questions is None else stated.questions.names
    if others := answers.without(known):
        options = ", ".join(QUESTIONS[name].option for name in others.given())
        message = Message("This checkpoint says itself what {0} would answer.", options)
        raise CheckpointError(message, Message("Leave out {0}.", options))
    return stated


def _facts(
    source: Source,
    parts: Parts,
    stated: CheckpointConfig,
    loaded: Loaded,
    tokenizer: Tokenizer,
    sentences: SentenceFolder,
) -> ModelFacts:
    encoder, report = loaded.encoder, loaded.report
    config = encoder.config
    settings = read_settings(parts.config)
    n_trained = settings.get("n_trained_positions")
    asked = [stated.questions, parts.questions, loaded.questions]
    if not parts.has_own_tokenizer:
        asked.append(replace(TOKENIZER_QUESTION, in_force=Answers(tokenizer=str(parts.tokenizer))))
    questions = [each for each in asked if each is not None]
    return ModelFacts(
        name=source.name,
        family=stated.family.title,
        n_layers=config.n_layers,
        n_heads=config.n_heads,
        width=config.width,
        vocabulary_size=config.vocabulary_size,
        n_positions=config.max_tokens,
        n_segments=config.n_segments,
        n_parameters=sum(parameter.numel() for parameter in encoder.parameters()),
        n_bytes=source.n_bytes,
        origin=source.sentence,
        has_pooler=config.has_pooler,
        task_heads=loaded.task_heads.names(),
        remarks=(
            *stated.remarks,
            *_remarks(parts, config, report, second_copy_remark(parts.weights, stated)),
            *(() if parts.has_own_tokenizer else chosen_remarks(parts.tokenizer, tokenizer, config)),
            *tokenizer.remarks,
            *sentence_remarks(sentences, config),
        ),
        questions=reduce(Questions.joined, questions) if questions else None,
        identity=Identity(
            fingerprint(encoder, loaded.task_heads, sentences.vector),
            tokenizer_fingerprint(tokenizer),
            *hub_snapshot(source.folder),
        ),
        ref=source.ref,
        prompts=sentences.prompts,
        has_sentence_vector=sentences.vector is not None and sentences.vector.config.pooling is not None,
        n_trained_positions=(
            n_trained
            if isinstance(n_trained, int) and not isinstance(n_trained, bool) and n_trained > 0
            else None
        ),
        own_code=own_code(settings) if stated.family.model_type in _PLAIN else "",
    )


def _remarks(
    parts: Parts, config: EncoderConfig, report: LoadReport, second_copy: str | None
) -> tuple[str, ...]:
    settings = read_settings(parts.config)
    is_colbert = _PROJECTION in report.unexpected and _OF_COLBERT in str(settings.get("architectures"))
    if is_colbert:
        report = replace(report, unexpected=tuple(name for name in report.unexpected if name != _PROJECTION))
    summary, own = report.summary(), own_code(settings)
    prefix, wrappers = shown(report.prefix), ", ".join(report.wrappers)
    rows: tuple[tuple[object, str | None], ...] = (
        (
            is_colbert,
            Message(
                "{0} is ColBERT's projection of every token's vector, by which texts are compared token by "
                "token: it is not computed.",
                _PROJECTION,
            ),
        ),
        (summary, summary),
        (prefix, Message("The names of its weights begin with “{0}”, which is taken off.", prefix)),
        (
            wrappers,
            Message("Torch's wrappers within the names of its weights are taken off: {0}.", wrappers),
        ),
        (own, Message("config.json names code of its own, {0}, which is not run.", own)),
        *((text, text) for text in (adapter_remark(parts), report.adapter, second_copy)),
        (config.shares_layers, Message("All {0} layers share the weights of one.", config.n_layers)),
        (
            config.stored_layers and not config.shares_layers,
            Message("The {0} layers share the weights of {1}.", config.n_layers, config.n_stored_layers),
        ),
        (config.n_tasks, Message("Every text is read with the embedding of task 0.")),
        (not config.has_pooler, Message("This checkpoint has no pooler.")),
    )
    return tuple(remark for holds, remark in rows if holds and remark)
