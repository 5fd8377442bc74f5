"""A checkpoint's config.json, validated before anything is built from it, and the user's answers."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.families.registry import FAMILIES, family_of
from bertviz_app.checkpoint.folder import AGAIN, read_settings
from bertviz_app.checkpoint.questions import Questions
from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.trace.provenance import ACTIVATIONS, PROBLEMS, UNANSWERED, Meaning
from bertviz_app.values import dataclass, field, replace

_MOST_NAMED = 6
_HARMLESS = re.compile(
    r"""_.*
    | architectures | auto_map | model_type | model_name | name | type | author | license | version | revision
    | .*_version | (torch_)?dtype | torchscript | quantization_config
    | id2label | label2id | num_labels | problem_type | finetuning_task | task_specific_params | .*labels?
    | (.*_)?dropout(_.*)? | .*_(prob|drop|pdrop) | (dropout|drop)_.* | init(ializer)?_.*
    | .*_init(ializer)?(_.*)?
    | .*token_id | tokenizer.* | .*_token | vocab_file | do_lower_case | add_.*_space | tie_.* | tied_.*
    | use_cache | output_.* | return_dict.* | gradient_checkpointing | chunk_size_feed_forward
    | attn_implementation
    | use_bfloat16 | tf_legacy_loss | remove_invalid_values | prefix | is_encoder_decoder
    | pooler_(fc_size|num_.*|size_per_head|type|hidden_size|act.*) | directionality | languages? | lang.*
    | summary_.* | classifier_.* | sentence_transformers | sbert_.* | matryoshka_.* | prompts?
    | .*loss.* | .*smoothing | .*ignore.* | reference_compile | deterministic_.* | (repad|unpad).* | sparse_.*
    | (max|min)_length | do_sample | temperature | top_[kp] | typical_p
    | num_(beams|beam_groups|return_sequences)
    | (repetition|length|diversity)_penalty | no_repeat_ngram_size | encoder_no_repeat_ngram_size
    | bad_words_ids
    | early_stopping | exponential_decay_length_penalty | suppress_tokens | begin_suppress_tokens
    | .*_processor.*
    | cross_attention_hidden_size | (.*_)?decoder(_.*)? | dense_act_fn | is_gated_act | pretraining_tp
    | entity_.* | use_entity_aware_attention
    | legacy | max_relative_positions | position_biased_input | type_vocab_size | projection_dim
    | rope_theta | true_hidden_size | is_folding_model | esmfold_config | vocab_list
    | gap_size | net_structure_type | num_memory_blocks | inner_group_num | down_scale_factor""",
    re.VERBOSE,
)
"""What concerns training, generation, tokens, labels or storage; what only another setting or a tensor of the
weights brings into use, and that is read; the last are of old files and never used."""


class ReadKeys(dict[str, object]):
    """The settings of a config.json, which remember which of their keys were looked up."""

    def __init__(self, settings: Mapping[str, object]) -> None:
        super().__init__(settings)
        self.read: set[str] = set()

    def __getitem__(self, key: str) -> object:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:
        self.read.add(key)
        return super().get(key, default)

    def __contains__(self, key: object) -> bool:
        self.read.add(str(key))
        return super().__contains__(key)

    def renamed(self, rename: Callable[[Mapping[str, object]], Mapping[str, object]]) -> ReadKeys:
        """Return the settings under other names; what `rename` looked up counts as looked up."""
        found = ReadKeys(rename(self))
        found.read |= self.read
        return found

    def unread(self) -> Iterator[str]:
        """Yield the keys that were not looked up, are not switched off, and may be of the arithmetic."""
        for key, value in self.items():
            is_off = not value or value == "absolute"
            if key not in self.read and not is_off and not _HARMLESS.fullmatch(key):
                yield key


def unread_remark(settings: ReadKeys) -> tuple[Message, ...]:
    """Return a remark that names the keys that were not read; call it after all others were."""
    names = [shown(key) for key in settings.unread()]
    if not names:
        return ()
    return (
        Message(
            "config.json has settings that are not known here: {0}. If they change what the model computes, "
            "the numbers are not those of its own code.",
            ", ".join([*names[:_MOST_NAMED], *["…"] * (len(names) > _MOST_NAMED)]),
        ),
    )


_LIMITS = {
    "vocabulary_size": 10_000_000,
    "n_positions": 1_000_000,
    "n_segments": 10_000,
    "n_layers": 1_000,
    "n_heads": 1_000,
    "width": 100_000,
    "feed_forward_width": 1_000_000,
    "embedding_width": 100_000,
}
"""Sizes far beyond those of any encoder. Larger ones are damage, and would need all memory."""
_TASKS = {
    "ForSequenceClassification": "classes",
    "ForTokenClassification": "token_labels",
    "ForQuestionAnswering": "answer",
    "ForMultipleChoice": "choice",
}
"""By the ending of a class's name in `transformers`: the head that models of this class have."""


@dataclass(frozen=True)
class CheckpointConfig:
    """The settings of a config.json, translated, with the user's answers to its questions.

    `task` is the head that the model was saved with, if config.json names one: "classes" and "token_labels"
    are classifiers of texts and of tokens, "answer" finds answers; "choice", of several texts, has no head
    here. `task_heads` says how task heads are built, but not which exist. `ties_embeddings`: the head for
    masked tokens multiplies with the table of token embeddings.
    """

    family: Family
    encoder: EncoderConfig
    task_heads: TaskHeadsConfig = field(default_factory=TaskHeadsConfig)
    task: str = ""
    meaning: Meaning = UNANSWERED  # what its task heads predict
    ties_embeddings: bool = True
    lower_case: bool | None = None  # for a vocab.txt without a tokenizer_config.json
    remarks: tuple[str, ...] = ()  # what the user should know about how it is read
    questions: Questions | None = None  # for a model from a notebook; the user may change the answers


def read_config(path: Path) -> CheckpointConfig:
    """Return the configuration in the config.json at `path`. Raises CheckpointError if it is invalid.

    Only the weights show whether there is a pooler: `encoder.has_pooler` is always true here.
    """
    return config_of(read_settings(path), path)


def config_of(settings: Mapping[str, object], path: Path) -> CheckpointConfig:
    """Return the configuration in the `settings` of the config.json at `path`, as `read_config` does."""
    settings = ReadKeys(settings)
    model_type = settings.get("model_type", family_of_class(settings))
    is_known = any(family.model_type == model_type for family in FAMILIES)
    if (own := own_code(settings)) and not is_known:
        raise _own_code_error(own)
    if not isinstance(model_type, str) and not path.exists():
        message = Message("{0} is no checkpoint: it has no {1}.", path.parent, path.name)
        hint = Message("Choose a folder with {0}, the weights and the tokenizer in it.", path.name)
        raise CheckpointError(message, hint)
    if not isinstance(model_type, str):
        message = Message("{0} does not say what family the model is of: it has no “model_type”.", path.name)
        raise CheckpointError(message, Message('A BERT checkpoint has "model_type": "bert".'))
    family = family_of(model_type)
    if family.settings_of is not None:
        settings = settings.renamed(family.settings_of)
    family = family.in_words_of(settings)
    _refuse_other_kinds(settings, family)
    if absent := [key for key in family.sizes if key not in settings]:
        raise CheckpointError(Message("config.json lacks {0}.", ", ".join(absent)), AGAIN)
    sizes: dict[str, Any] = {field: size_in(settings, key, field) for key, field in family.sizes.items()}
    if sizes["width"] % sizes["n_heads"] and not family.narrows_layers:
        message = Message("A width of {0} cannot be shared by {1} heads.", sizes["width"], sizes["n_heads"])
        raise CheckpointError(message, Message("The sizes in {0} are wrong. {1}", path.name, AGAIN))
    if sizes.get("embedding_width") == sizes["width"] and not family.always_projects:
        del sizes["embedding_width"]
    more = {} if family.fields is None else family.fields(settings, sizes)
    there = {key: field for key, field in family.choices.items() if key in settings}
    choices = {field: _VALIDATORS[field](key, settings[key]) for key, field in there.items()}
    encoder = EncoderConfig(**{**family.defaults, **sizes, **more, **choices})
    if family.fitted is not None:
        family = family.fitted(family, settings, encoder)
    _validate_rotation(encoder, path)
    encoder = replace(encoder, pruned=_pruned(settings, encoder))
    if encoder.max_tokens < 1:
        raise CheckpointError(
            Message("{0} has {1} positions, and begins after them.", path.name, encoder.n_positions),
            Message("max_position_embeddings or pad_token_id is wrong. {0}", AGAIN),
        )
    activation, remarks = _activation_of_scores(settings)
    problem = settings.get("problem_type")
    problem = problem if isinstance(problem, str) and problem in PROBLEMS else None
    return CheckpointConfig(
        family,
        encoder,
        task_heads=_task_heads(settings, family, encoder),
        task=_task(settings),
        meaning=Meaning(labels_in(settings), problem, family.orders_sentences, activation),
        ties_embeddings=settings.get("tie_word_embeddings") is not False,
        remarks=(
            *family.remarks,
            *remarks,
            *_remarks(settings, family, encoder.pruned),
            *unread_remark(settings),
        ),
    )


def _activation_of_scores(settings: Mapping[str, object]) -> tuple[str | None, tuple[Message, ...]]:
    """Return the activation of a cross-encoder's scores if config.json names one, and a remark on it."""
    newer = settings.get("sentence_transformers")
    older = settings.get("sbert_ce_default_activation_function")
    stated = newer.get("activation_fn", older) if isinstance(newer, Mapping) else older
    if not isinstance(stated, str):
        return None, ()
    module, _, name = stated.rpartition(".")
    if not module.startswith("torch.nn") or name not in ACTIVATIONS:
        remark = Message(
            "Scores go through {0} in sentence-transformers; here they are shown without it.", shown(stated)
        )
        return None, (remark,)
    if name == "Identity":
        return None, ()
    return name, (Message("Scores go through {0}, as sentence-transformers computes them.", name),)


def family_of_class(settings: Mapping[str, object]) -> str | None:
    """Return the `model_type` of the class of transformers that was saved; None for an unknown one."""
    classes = settings.get("architectures")
    pattern = r"([A-Za-z]+?)(Model|For[A-Z][A-Za-z]+)"
    found = [re.fullmatch(pattern, str(name)) for name in classes] if isinstance(classes, list) else []
    names = {re.sub("[_-]", "", family.model_type): family.model_type for family in FAMILIES}
    known = {names.get(one[1].lower()) for one in found if one is not None}
    return known.pop() if len(known) == 1 else None


def own_code(settings: Mapping[str, object]) -> str:
    """Return the class of a model that transformers would load from code beside the checkpoint, or ""."""
    classes = settings.get("auto_map")
    named = classes if isinstance(classes, Mapping) else {}
    return next((shown(str(named[name])) for name in named if str(name).startswith("AutoModel")), "")


def _own_code_error(name: str) -> CheckpointError:
    message = Message(
        "Its code comes with the checkpoint ({0}) and is not run: what the model computes is not known here.",
        name.rpartition("--")[2].rpartition(".")[2],
    )
    known = ", ".join(family.model_type for family in FAMILIES)
    return CheckpointError(message, Message("Open a checkpoint of a family that is known: {0}.", known))


def _task(settings: Mapping[str, object]) -> str:
    """Return one of the values of _TASKS, "" for a model without a head or with one for its training."""
    made_for = settings.get("architectures")
    names = made_for if isinstance(made_for, list) else []
    found = (task for kind, task in _TASKS.items() if any(str(name).endswith(kind) for name in names))
    return next(found, "")


def _task_heads(settings: Mapping[str, object], family: Family, encoder: EncoderConfig) -> TaskHeadsConfig:
    if family.stated_task_heads is not None:
        return family.stated_task_heads(settings)
    return TaskHeadsConfig(
        masked_activation=family.masked_activation or encoder.activation,
        multiplies_rest=encoder.token_projection is not None,
        classifier_activation=family.classifier_activation,
    )


def labels_in(settings: Mapping[str, object]) -> tuple[str, ...]:
    """Return the names of the classes in the order of their ids; empty unless each class has one."""
    names = settings.get("id2label")
    if not isinstance(names, dict):
        return ()
    found = [names.get(str(number)) for number in range(len(names))]
    labels = tuple(shown(name) for name in found if isinstance(name, str))
    return labels if len(labels) == len(found) else ()


def _validate_rotation(encoder: EncoderConfig, path: Path) -> None:
    if encoder.rotary_bases and encoder.head_width % 2:
        raise CheckpointError(
            Message("Heads of width {0} cannot be rotated: dimensions turn in pairs.", encoder.head_width),
            Message("The sizes in {0} are wrong. {1}", path.name, AGAIN),
        )


_PRUNED = "pruned_heads"


def _pruned(settings: Mapping[str, object], encoder: EncoderConfig) -> tuple[tuple[int, int], ...]:
    """Return the heads (layer, head) that were pruned, sorted. Raises CheckpointError."""
    stated = settings.get(_PRUNED)
    if not stated:
        return ()
    found = set()
    for layer, heads in stated.items() if isinstance(stated, Mapping) else [(None, None)]:
        is_layer = isinstance(layer, str) and layer in map(str, range(encoder.n_layers))
        if not (is_layer and isinstance(heads, list)) or any(
            type(head) is not int or not 0 <= head < encoder.n_heads for head in heads
        ):
            raise CheckpointError(
                Message(
                    "{0} in config.json must have lists of heads, 0 to {1}, by the numbers of layers, 0 to "
                    "{2}.",
                    *(_PRUNED, encoder.n_heads - 1, encoder.n_layers - 1),
                ),
                Message("Heads 0 and 2 of layer 1 are written as {0}.", '{"1": [0, 2]}'),
            )
        found |= {(int(str(layer)), head) for head in heads}
    kinds = {
        "num_hidden_groups": encoder.stored_layers,
        "num_key_value_heads": encoder.n_key_heads,
        "attention_window": encoder.global_tokens or any(encoder.reaches),
        "relative_attention": encoder.disentangling,
        "conv_kernel_size": encoder.span_convolution,
    }
    other = next((key for key, kind in kinds.items() if kind), None)
    if found and other is not None:
        message = Message("Pruned heads are not computed in a model with {0}.", other)
        raise CheckpointError(message, Message("Open the model as it was before heads were pruned."))
    if len(found) == encoder.n_layers * encoder.n_heads:
        message = Message("{0} in config.json names every head of every layer.", _PRUNED)
        raise CheckpointError(message, Message("Open a model that has a head."))
    return tuple(sorted(found))


def _remarks(
    settings: Mapping[str, object], family: Family, pruned: tuple[tuple[int, int], ...]
) -> Iterator[Message]:
    if "model_type" not in settings:
        yield Message(
            "config.json names no family; its “architectures” are of {0}, by whose rules it is read.",
            family.title,
        )
    if pruned:
        named = ", ".join(f"{layer} · {head}" for layer, head in pruned)
        yield Message(
            "Heads were pruned: {0}. The others keep their numbers; zeros stand for their weights.", named
        )


def size_in(settings: Mapping[str, object], key: str, field: str) -> int:
    """Return the size at `key`, for `field` of EncoderConfig. Raises CheckpointError."""
    value = settings[key]
    if not isinstance(value, int) or isinstance(value, bool):
        raise CheckpointError(
            Message("{0} in config.json must be a whole number, not {1}.", key, _shown(value)), AGAIN
        )
    if not 1 <= value <= _LIMITS[field]:
        message = Message(
            "{0} in config.json must be from 1 to {1}, not {2}.", key, f"{_LIMITS[field]:,}", _shown(value)
        )
        raise CheckpointError(message, AGAIN)
    return value


def name_in(key: str, value: object) -> str:
    """Return the name at `key`. Raises CheckpointError."""
    if not isinstance(value, str) or not value.isprintable() or len(value) > 80:
        raise CheckpointError(
            Message("{0} in config.json must be a name, not {1}.", key, _shown(value)), AGAIN
        )
    return value


def epsilon(key: str, value: object) -> float:
    """Return the small number at `key`. Raises CheckpointError."""
    if not isinstance(value, float) or not 0 < value < 1:
        message = Message("{0} in config.json must be a small number above 0, not {1}.", key, _shown(value))
        raise CheckpointError(message, AGAIN)
    return value


def _after_padding(key: str, value: object) -> int:
    """Return the id of the first position: RoBERTa's positions begin after the id of padding."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < _LIMITS["n_positions"]:
        raise CheckpointError(
            Message("{0} in config.json must be the id of a piece, not {1}.", key, _shown(value)), AGAIN
        )
    return value + 1


_VALIDATORS: Mapping[str, Callable[[str, object], str | float]] = {
    "activation": name_in,
    "norm_eps": epsilon,
    "first_position": _after_padding,
}


def _refuse_other_kinds(settings: Mapping[str, object], family: Family) -> None:
    for key, known in family.fixed.items():
        value = settings.get(key, known)
        if value is not None and value != known:
            message = Message(
                "This checkpoint has {0} = {1}, which the encoder does not compute.", key, _shown(value)
            )
            raise CheckpointError(message, Message("Open one with {0} = {1}.", key, _shown(known)))


def _shown(value: object) -> str:
    """Return `value` for use in a message: short and without control characters."""
    if isinstance(value, list | dict):
        return Message("a list") if isinstance(value, list) else Message("an object")
    if isinstance(value, int) and abs(value) >= 10**18:
        return Message("a number of more than 18 digits")
    return json.dumps(value[:40] if isinstance(value, str) else value)


def seems_lower_case(vocabulary: Path) -> bool | None:
    """Return whether a vocab.txt, or a list in JSON, looks lower-cased as by BERT; None if it does not show.

    BERT's lower-casing also removes accents and, by the same normalisation, decomposes Hangul syllables.
    """
    try:
        with vocabulary.open("rb") as file:
            content = file.read(16 << 20).decode("utf-8", "ignore")  # frequent pieces are at the beginning
    except OSError:
        return None
    pieces = content.splitlines()
    if vocabulary.suffix == ".json":
        try:
            pieces = [piece for piece in json.loads(content) if isinstance(piece, str)]
        except (ValueError, RecursionError):
            return None
    text = "".join(piece for piece in pieces if not (len(piece) > 2 and piece[0] + piece[-1] in {"[]", "<>"}))
    has_syllables = any("가" <= character <= "힣" for character in text)
    has_letters = any("ᄀ" <= character <= "ᇿ" for character in text)
    if any(character.isupper() for character in text) or (has_syllables and not has_letters):
        return False
    if has_syllables:  # both syllables and letters: undecided
        return None
    return True if has_letters or any(character.islower() for character in text) else None
