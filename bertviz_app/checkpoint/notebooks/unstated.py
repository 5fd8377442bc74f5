"""Weights with `transformers`' names for BERT beside which no config.json says all: their sizes and heads.

Fine-tuned in a notebook, `BertModel` with a dense layer on top is saved as a state dict alone. Its shapes
tell most of its configuration; the count of heads, and what the classifier reads, are asked.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import get_args

from torch import Tensor

from bertviz_app.checkpoint.config.casing import seems_lower_case
from bertviz_app.checkpoint.config.config import CheckpointConfig, config_of, labels_in
from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.folder import TOKENIZER_CONFIG, VOCABULARY, file_in, tokenizer_in
from bertviz_app.checkpoint.json_files import read_object
from bertviz_app.checkpoint.notebooks.task_heads import FoundHead, found_heads, heads_config, with_heads
from bertviz_app.checkpoint.questions import Answers, ClassifierInput, Questions, Value, answered
from bertviz_app.checkpoint.weights.names import shapes
from bertviz_app.checkpoint.weights.prefixes import with_outer
from bertviz_app.checkpoint.weights.tensors import is_mapped, read_weights
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.provenance import Meaning

_QUERY = re.compile(r"(^|\.)encoder\.layer\.\d+\.attention\.self\.query\.weight$")
_OTHERS = re.compile(r"(^|\.)(roberta|electra|camembert|deberta|distilbert|mpnet)\.")
_HEADS = (re.compile(r"^(classifier|fc|linear|out|output|output_layer|dense|head|mlp)\d*\."),)
"""The names of heads that notebooks put on `BertModel`."""
_ABOUT_HEADS = ("classifier_reads", "classifier_activation", "labels")
_ACTIVATIONS: tuple[Value, ...] = ("relu", "gelu", "gelu_new", "silu", "tanh", "none")
_BERTS = Message(
    "No config.json says more: the epsilon 1e-12 and GELU are those of BERT's own configuration."
)
_OF_PLAIN_MODELS = re.compile(r"(^|[a-z])Model$")
"""What the classes that transformers saves without a task head are called like."""


def is_of_bert(names: Mapping[str, Tensor]) -> bool:
    """Return whether weights have `transformers`' names for parameters of BERT or its kin."""
    return any(_QUERY.search(name) for name in names)


def unstated_config(
    path: Path, tensors: Mapping[str, Tensor], settings: Mapping[str, object], answers: Answers
) -> CheckpointConfig:
    """Return the configuration of a BERT whose config.json, at `path`, is not there or says next to nothing.

    Raises AnswersError naming all that is not answered, and CheckpointError for shapes of another family.
    """
    if any(_OTHERS.search(name) for name in tensors):
        raise _of_another_family()
    found = shapes(tensors, with_outer(BERT, tensors))
    sizes = _sizes(found)
    tokenizer = tokenizer_in(path.parent)
    asks_case = tokenizer.name == VOCABULARY and not _states_case(path.parent)
    questions = Questions(
        sizes["hidden_size"],
        answers.over(Answers(n_heads=_count(settings), norm_eps=1e-12)),
        names=("n_heads", "norm_eps", *(("lower_case",) if asks_case else ())),
        choices={"lower_case": (True, False)} if asks_case else {},
        seems_lower_case=seems_lower_case(tokenizer) if asks_case else None,
    )
    heads = _classifiers(found)
    questions = _about_heads(questions, heads, settings, has_pooler="pooler.dense.weight" in found)
    questions.validate(answers)
    questions.refuse_unanswered()
    stated = questions.in_force
    whole = {
        "model_type": "bert",
        "hidden_act": "gelu",
        **sizes,
        **settings,
        "layer_norm_eps": stated.norm_eps,
        "num_attention_heads": stated.n_heads,
    }
    config = config_of(whole, path)
    config = replace(
        config, lower_case=stated.lower_case, questions=questions, remarks=(*config.remarks, _BERTS)
    )
    return _with_heads(config, heads, stated)


def with_classifier(
    config: CheckpointConfig, settings: Mapping[str, object], weights: Path, answers: Answers
) -> CheckpointConfig:
    """Return `config` with the classifier beside a plain BERT, as far as `answers` say what it reads.

    The config.json of the base says `BertModel`, and the weights have a dense layer more. Without an answer
    it is not used, which a remark says.
    """
    if config.family.model_type != BERT.model_type or not _is_plain(settings) or not is_mapped(weights):
        return config
    tensors = read_weights(weights)
    found = shapes(tensors, with_outer(BERT, tensors))
    heads = _classifiers(found) if len(found.get("embeddings.token.weight", ())) == 2 else ()
    if not heads or "HF_ColBERT" in str(settings.get("architectures")):
        return config
    given = {name: value for name, value in answers.given().items() if name in _ABOUT_HEADS}
    own = Answers(**answered(given))
    open_questions = Questions(in_force=own, names=())
    questions = _about_heads(open_questions, heads, settings, has_pooler="pooler.dense.weight" in found)
    questions = replace(questions, optional=frozenset(questions.names))
    questions.validate(own)
    config = replace(config, questions=questions)
    if own.classifier_reads is None:
        count, name = heads[0].widths[-1], heads[0].modules[-1]
        remark = Message(
            "Beside the encoder there are {0} outputs ({1}): say what they read to see them, as {2}.",
            count,
            name,
            "--classifier-reads pooled",
        )
        return replace(config, remarks=(*config.remarks, remark))
    return _with_heads(config, heads, questions.in_force)


def _sizes(found: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Return the sizes in `transformers`' words, by the shapes of parameters. Raises CheckpointError."""
    names = ("embeddings.token", "embeddings.position", "embeddings.segment", "layers.0.feed_forward.expand")
    tables = [found.get(f"{name}.weight", ()) for name in names]
    if any(len(table) != 2 for table in tables) or tables[2][0] == 1:
        raise _of_another_family()
    pieces, positions, segments, wide = tables
    return {
        "vocab_size": pieces[0],
        "hidden_size": pieces[1],
        "max_position_embeddings": positions[0],
        "type_vocab_size": segments[0],
        "intermediate_size": wide[0],
        "num_hidden_layers": len({name.split(".")[1] for name in found if name.startswith("layers.")}),
    }


def _of_another_family() -> CheckpointError:
    message = Message("These weights are of transformers, but their shapes or names are not those of a BERT.")
    hint = Message("Put the config.json of the checkpoint that the training began from beside them.")
    return CheckpointError(message, hint)


def _count(settings: Mapping[str, object]) -> int | None:
    count = settings.get("num_attention_heads")
    return count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else None


def _states_case(folder: Path) -> bool:
    rules = file_in(folder, TOKENIZER_CONFIG)
    return rules is not None and isinstance(read_object(rules).get("do_lower_case"), bool)


def _is_plain(settings: Mapping[str, object]) -> bool:
    """Return whether config.json names no class with a task head."""
    classes = settings.get("architectures")
    return not isinstance(classes, list) or all(_OF_PLAIN_MODELS.search(str(name)) for name in classes)


def _of_heads(family: Family) -> Family:
    return replace(family, task_heads=_HEADS, head_renames=())


def _classifiers(found: Mapping[str, tuple[int, ...]]) -> tuple[FoundHead, ...]:
    """Return the classifier among parameters of these shapes, if there is one."""
    return tuple(head for head in found_heads(_of_heads(BERT), found) if head.task == "classes")


def _about_heads(
    questions: Questions, heads: tuple[FoundHead, ...], settings: Mapping[str, object], *, has_pooler: bool
) -> Questions:
    """Return `questions` with those about a classifier: what it reads, and the names of its classes."""
    if not heads:
        return questions
    inputs = get_args(ClassifierInput)
    choices: dict[str, tuple[Value, ...]] = {**questions.choices}
    choices["classifier_reads"] = inputs if has_pooler else inputs[1:]
    is_deep = len(heads[0].widths) > 1
    if is_deep:
        choices["classifier_activation"] = _ACTIVATIONS
    is_left_out = questions.in_force.classifier_reads == "none"
    labels = labels_in(settings)
    n_classes = heads[0].widths[-1]
    return replace(
        questions,
        in_force=questions.in_force.over(Answers(labels=labels if len(labels) == n_classes else None)),
        names=(
            *questions.names,
            "classifier_reads",
            *(("classifier_activation",) if is_deep else ()),
            "labels",
        ),
        optional=questions.optional | {"labels", *(("classifier_activation",) if is_left_out else ())},
        choices=choices,
        n_classes=n_classes,
    )


def _with_heads(config: CheckpointConfig, heads: tuple[FoundHead, ...], stated: Answers) -> CheckpointConfig:
    """Return `config` with the classifier, unless the answer is that it is not used."""
    if not heads or stated.classifier_reads in (None, "none"):
        return config
    family = _of_heads(config.family)
    return replace(
        config,
        family=with_heads(family, heads),
        task_heads=heads_config(family, heads, stated, config.encoder.activation),
        meaning=Meaning(stated.labels or ()),
    )
