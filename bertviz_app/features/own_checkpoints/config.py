"""The configuration of a notebook's model: sizes from the weights, the rest from its files or answers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from torch import Tensor

from bertviz_app.checkpoint.config import (
    CheckpointConfig,
    ReadKeys,
    config_of,
    epsilon,
    labels_in,
    name_in,
    seems_lower_case,
    size_in,
    unread_remark,
)
from bertviz_app.checkpoint.families.bert import BERT
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.folder import (
    BYTE_LEVEL,
    TOKENIZER_CONFIG,
    VOCABULARY,
    file_in,
    read_object,
    tokenizer_in,
)
from bertviz_app.checkpoint.question_table import QUESTIONS, refuse_unanswered, saved_answers, validate
from bertviz_app.checkpoint.questions import (
    ABOUT_FILES,
    NO_ANSWERS,
    Answers,
    AnswersError,
    ClassOutputs,
    FileModule,
    Questions,
    Value,
    answered,
)
from bertviz_app.checkpoint.tokenizer_files import listed_pieces
from bertviz_app.checkpoint.weights.names import shapes
from bertviz_app.checkpoint.weights.tensors import is_mapped, read_weights, with_outer
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.features.own_checkpoints.recognise import (
    FoundHead,
    Notebook,
    Shapes,
    found_heads,
    heads_config,
    notebook_of,
    parts_of_tensors,
    with_heads,
)
from bertviz_app.trace.provenance import MANY_LABELS, ONE_LABEL, REGRESSION, Meaning
from bertviz_app.values import dataclass, replace

Settings = Mapping[str, object]
_CHOICES = {name: question.offered for name, question in QUESTIONS.items() if question.choices}
_PROBLEMS = MappingProxyType({"softmax": ONE_LABEL, "sigmoid": MANY_LABELS, "number": REGRESSION})
"""The problem_type of config.json for each answer on the outputs of a classifier."""
_HEADS = (
    "num_attention_heads",
    "n_head",
    "n_heads",
    "num_heads",
    "n_attention_heads",
    "heads",
    "nhead",
    "attn_heads",
)
_HEAD_WIDTH = ("d_head", "head_dim")
_EPSILON = ("layer_norm_eps", "layer_norm_epsilon", "norm_eps", "eps")
_ACTIVATION = ("hidden_act", "activation")
_LENGTH = ("n_enc_seq", "max_position_embeddings", "max_seq_len", "max_length", "max_len", "seq_len")
_USUAL_LENGTH = 512  # of sines and cosines any position can be computed; BERT's length by default
_SIZES = MappingProxyType(
    {
        "n_enc_vocab": "vocabulary_size",
        "vocab_size": "vocabulary_size",
        "n_enc_seq": "max_tokens",
        "dim": "width",
        "dim_ff": "feed_forward_width",
        "n_layers": "n_layers",
        "n_segments": "n_segments",
        "max_position_embeddings": "max_tokens",
        "n_seg_type": "n_segments",
        "type_vocab_size": "n_segments",
        "n_layer": "n_layers",
        "num_hidden_layers": "n_layers",
        "d_hidn": "width",
        "hidden_size": "width",
        "d_ff": "feed_forward_width",
        "intermediate_size": "feed_forward_width",
    }
)
"""The keys of sizes that the weights show too; both must agree."""


@dataclass(frozen=True)
class DeterminedConfig:
    """What a notebook's files determine: title, `fields` of EncoderConfig, the heads, and the questions."""

    title: str
    fields: Mapping[str, Any]
    heads: tuple[FoundHead, ...]
    questions: Questions


def measured(
    folder: Path, notebook: Notebook, shapes: Shapes, settings: Settings, answers: Answers
) -> DeterminedConfig:
    """Return what the weights (`shapes`, by our names) and the `settings` in `folder` determine.

    `answers` take precedence over the files. Raises CheckpointError for contradictions.
    """
    n_shared = _shape(shapes, "layers.0.attention.query.weight", 2)[0]
    rules = file_in(folder, TOKENIZER_CONFIG)
    stated = None if rules is None else read_object(rules).get("do_lower_case")
    path = tokenizer_in(folder)
    # Casing is not known only for a vocab.txt, or a list of pieces, without a tokenizer_config.json.
    is_list = path.name == VOCABULARY or (path.name == BYTE_LEVEL and listed_pieces(path) is not None)
    needs_case = is_list and not isinstance(stated, bool)
    _shape(shapes, "embeddings.token.weight", 2)
    heads = found_heads(notebook.family, shapes)
    in_files = Answers(
        n_heads=_heads(settings, n_shared) or notebook.reading.n_heads,
        norm_eps=notebook.scheme.eps or _first_epsilon(settings),
        lower_case=_flag(settings, "do_lower_case") if needs_case else None,
        norm_first=_flag(settings, "norm_first") if "norm_first" in notebook.questions else None,
        activation=_activation(settings) if "activation" in notebook.questions else None,
    )
    usual = notebook.usual.given()
    in_files = in_files.over(Answers(**answered({name: usual.get(name) for name in notebook.questions})))
    has_pooler = "pooler.dense.weight" in shapes
    is_open = {"lower_case": needs_case, "positions": notebook.lacks_positions}
    is_open |= dict.fromkeys(notebook.questions, True)
    by_choice = [name for name in _CHOICES if is_open.get(name, False)]
    of_weights = Questions(
        n_shared,
        answers.over(in_files),
        names=("n_heads", "norm_eps", *by_choice, "parts"),
        optional=frozenset({"parts"}),
        choices={name: _CHOICES[name] for name in by_choice},
        seems_lower_case=seems_lower_case(path) if needs_case else None,
        parts=notebook.reading.parts,
    )
    of_code = Answers(
        classifier_reads="pooled" if has_pooler else notebook.scheme.classifier_reads,
        follows=notebook.scheme.follows,
    )
    questions = _about_heads(of_weights, heads, settings, of_code, has_pooler=has_pooler)
    validate(questions, answers)
    fields = _fields(shapes, settings, notebook, questions.in_force)
    return DeterminedConfig(notebook.family.title, fields, heads, questions)


def _about_heads(
    questions: Questions,
    heads: tuple[FoundHead, ...],
    settings: Settings,
    of_code: Answers,
    *,
    has_pooler: bool,
) -> Questions:
    """Return `questions` with those about the task heads; `of_code` has what the code of the model fixes.

    Of heads that are not to be used nothing else must be answered.
    """
    tasks = {head.task: head for head in heads}
    choices: dict[str, tuple[Value, ...]] = {}
    answers, optional = questions.in_force, {"labels", *questions.optional}
    if any(head.is_of_texts for head in heads):
        inputs = _CHOICES["classifier_reads"]
        choices["classifier_reads"] = inputs if has_pooler else inputs[1:]
        answers = answers.over(Answers(classifier_reads=of_code.classifier_reads))
    used = [head for head in heads if not head.is_of_texts or answers.classifier_reads != "none"]
    if any(len(head.widths) > 1 for head in heads):
        choices["classifier_activation"] = _CHOICES["classifier_activation"]
        optional |= set() if any(len(head.widths) > 1 for head in used) else {"classifier_activation"}
    if "next_sentence" in tasks:
        choices["follows"] = _CHOICES["follows"]
        answers = answers.over(Answers(follows=of_code.follows))
        optional |= set() if tasks["next_sentence"] in used else {"follows"}
    n_classes = tasks["classes"].widths[-1] if "classes" in tasks else 0
    if n_classes:
        possible: tuple[ClassOutputs, ...] = (
            ("softmax", "sigmoid") if n_classes > 1 else ("sigmoid", "number")
        )
        stated = (one for one in possible if settings.get("problem_type") == _PROBLEMS[one])
        labels = labels_in(settings)
        in_files = Answers(labels=labels if len(labels) == n_classes else None, outputs=next(stated, None))
        choices["outputs"], answers = possible, answers.over(in_files)
        optional |= {"outputs"} if n_classes > 1 or tasks["classes"] not in used else set()
    asked = [name for name in questions.names if name != "parts"]
    return replace(
        questions,
        in_force=answers,
        names=(*asked, *choices, *(("labels",) if n_classes else ()), *questions.names[len(asked) :]),
        optional=frozenset(optional),
        choices={**questions.choices, **choices},
        n_classes=n_classes,
    )


def notebook_config(
    folder: Path, notebook: Notebook, shapes: Shapes, settings: Settings, answers: Answers
) -> CheckpointConfig:
    """Return the configuration of a model whose parameters have these `shapes`, by our names.

    What its files leave open is taken from `answers`. Raises AnswersError naming all that is not answered,
    and CheckpointError for settings that contradict the weights.
    """
    settings = ReadKeys(settings)
    if settings.get("i_pad", 0) != 0:
        message = Message("This checkpoint has an i_pad other than 0, which the encoder does not compute.")
        raise CheckpointError(message, Message("Open one with i_pad = 0."))
    found = measured(folder, notebook, shapes, settings, answers)
    questions, fields, stated = found.questions, found.fields, found.questions.in_force
    refuse_unanswered(questions)
    assert stated.n_heads is not None
    assert stated.norm_eps is not None
    wide = questions.n_shared
    if wide % stated.n_heads or (
        answers.n_heads is None and _first_size(settings, _HEAD_WIDTH) not in (None, wide // stated.n_heads)
    ):
        message = Message(
            "{0} heads cannot share the {1} numbers that the weights give them.", stated.n_heads, wide
        )
        hint = Message("Give the count of heads that the model was trained with.")
        raise AnswersError(message, hint, questions)
    encoder = EncoderConfig(
        n_heads=stated.n_heads,
        own_head_width=None if wide == fields["width"] else wide // stated.n_heads,
        activation=stated.activation or notebook.scheme.activation or _activation(settings) or "gelu",
        norm_eps=stated.norm_eps,
        score_width={"width": fields["width"], "none": 1}.get(stated.score_scale or "head"),
        **fields,
    )
    _compare(encoder, settings)
    labels = labels_in(settings)
    are_for_others = questions.n_classes > 0 and stated.labels is None and bool(labels)
    of_others = Message(
        "config.json has names for {0} classes, but there are {1}: they are numbered.",
        len(labels),
        questions.n_classes,
    )
    return CheckpointConfig(
        with_heads(notebook.family, found.heads),
        encoder,
        task_heads=heads_config(
            notebook.family, found.heads, stated, notebook.scheme.masked_activation or encoder.activation
        ),
        meaning=Meaning(stated.labels or (), _PROBLEMS.get(stated.outputs or "")),
        lower_case=stated.lower_case,
        remarks=(
            *notebook.remarks,
            *_remarks(encoder, stated, answers),
            *((of_others,) if are_for_others else ()),
            *unread_remark(settings),
        ),
        questions=questions,
    )


def _remarks(encoder: EncoderConfig, stated: Answers, answers: Answers) -> tuple[str, ...]:
    """Return remarks for the user: `stated` are the answers in use, `answers` those that the user gave."""
    first = encoder.first_segment
    roomy = Message(
        "The table of segments has as many rows as the vocabulary; rows {0} and {1} are used.",
        first,
        first + 1,
    )
    pooled = Message("Its classifier is taken to read the pooled vector; --classifier-reads says otherwise.")
    is_guess = stated.classifier_reads == "pooled" and answers.classifier_reads is None
    rows = ((encoder.n_segments == encoder.vocabulary_size, roomy), (is_guess, pooled))
    return tuple(remark for is_so, remark in rows if is_so)


def _heads(settings: Settings, n_shared: int) -> int | None:
    head_width = _first_size(settings, _HEAD_WIDTH)
    n_heads = _first_size(settings, _HEADS)
    return max(1, n_shared // head_width) if n_heads is None and head_width is not None else n_heads


def _shape(shapes: Shapes, name: str, n_sides: int) -> tuple[int, ...]:
    shape = shapes.get(name, ())
    if len(shape) != n_sides or 0 in shape:
        message = Message(
            "The weights have no {0} of {1} dimensions, which says how large the model is.",
            shown(name),
            n_sides,
        )
        raise CheckpointError(message, Message("Save the whole model's state_dict."))
    return shape


def _fields(shapes: Shapes, settings: Settings, notebook: Notebook, answers: Answers) -> dict[str, Any]:
    """Return the fields of EncoderConfig determined by shapes, names and the answers to the questions."""
    n_pieces, width = _shape(shapes, "embeddings.token.weight", 2)
    segments = "embeddings.segment.weight"
    scheme = notebook.scheme
    stated = {
        "is_pre_norm": answers.norm_first,
        "scales_tokens": answers.scales_tokens,
        "norms_by_deviation": answers.sample_deviation,
    }
    form = replace(notebook.form, **{name: value for name, value in stated.items() if value is not None})
    if notebook.lacks_positions:
        form = replace(
            form,
            has_sinusoids=answers.positions != "none",
            has_column_sinusoids=answers.positions == "columns",
        )
        n_positions = _first_size(settings, _LENGTH) or _USUAL_LENGTH
    else:
        n_positions = _shape(shapes, "embeddings.position.weight", 2)[0]
    return {
        "form": form,
        "has_position_table": not notebook.lacks_positions,
        "first_position": scheme.first_position if answers.first_position is None else answers.first_position,
        "first_segment": scheme.first_segment if answers.first_segment is None else answers.first_segment,
        "vocabulary_size": n_pieces,
        "n_positions": n_positions,
        "n_segments": _shape(shapes, segments, 2)[0] if segments in shapes else 0,
        "n_layers": len({name.split(".")[1] for name in shapes if name.startswith("layers.")}),
        "width": width,
        "feed_forward_width": _shape(shapes, "layers.0.feed_forward.expand.weight", 2)[0],
    }


def _compare(encoder: EncoderConfig, settings: Settings) -> None:
    for key, field in _SIZES.items():
        value = settings.get(key)
        # Some tables of segments are made with as many rows as that of the pieces.
        is_roomy = field == "n_segments" and encoder.n_segments == encoder.vocabulary_size
        # Some count the rows of the table, some the tokens that can have one.
        is_of_rows = field == "max_tokens" and value == encoder.n_positions
        if value is not None and value != getattr(encoder, field) and not (is_roomy or is_of_rows):
            message = Message(
                "{0} in config.json is {1}, but the weights make it {2}.",
                key,
                shown(str(value)),
                getattr(encoder, field),
            )
            hint = Message("Correct it, or put the config.json there that was saved with these weights.")
            raise CheckpointError(message, hint)


def _flag(settings: Settings, key: str) -> bool | None:
    """Return what config.json claims under `key`, None for nothing."""
    stated = settings.get(key)
    return stated if isinstance(stated, bool) else None


def _first_size(settings: Settings, keys: tuple[str, ...]) -> int | None:
    return next((size_in(settings, key, "width") for key in keys if settings.get(key) is not None), None)


def _first_epsilon(settings: Settings) -> float | None:
    return next((epsilon(key, settings[key]) for key in _EPSILON if settings.get(key) is not None), None)


def _activation(settings: Settings) -> str | None:
    return next((name_in(key, settings[key]) for key in _ACTIVATION if key in settings), None)


def measure_notebook(folder: Path, weights: Path, settings: Mapping[str, object]) -> DeterminedConfig | None:
    """Return what the files of a notebook's model determine, or None. Raises CheckpointError."""
    tensors = read_weights(weights)
    answers = saved_answers(folder).without(ABOUT_FILES)
    notebook = notebook_of(tensors, answers, only_known="model_type" in settings)
    if notebook is None:
        return None
    return measured(folder, notebook, shapes(tensors, notebook.family), settings, answers)


def listed_parts(weights: Path, answers: Answers) -> tuple[FileModule, ...]:
    """Return the modules in a file of weights, and which part of a model each is as far as it is known.

    Raises CheckpointError for a file that cannot be read, or a model that cannot be computed.
    """
    tensors = read_weights(weights)
    try:
        notebook = notebook_of(tensors, answers)
    except AnswersError as error:
        return error.questions.parts
    return parts_of_tensors(tensors) if notebook is None else notebook.reading.parts


_QUERY = re.compile(r"(^|\.)encoder\.layer\.\d+\.attention\.self\.query\.weight$")
_OTHERS = re.compile(r"(^|\.)(roberta|electra|camembert|deberta|distilbert|mpnet)\.")
_HEADS_ON_BERT = (re.compile(r"^(classifier|fc|linear|out|output|output_layer|dense|head|mlp)\d*\."),)
"""The names of heads that notebooks put on `BertModel`."""
_ABOUT_HEADS = ("classifier_reads", "classifier_activation", "outputs", "labels")
_BERTS_EPSILON, _BERTS_ACTIVATION = 1e-12, "gelu"
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
    rules = file_in(path.parent, TOKENIZER_CONFIG)
    needs_case = tokenizer.name == VOCABULARY and (
        rules is None or not isinstance(read_object(rules).get("do_lower_case"), bool)
    )
    in_files = Answers(
        n_heads=_heads(settings, sizes["hidden_size"]),
        norm_eps=_first_epsilon(settings),
        lower_case=_flag(settings, "do_lower_case") if needs_case else None,
    )
    questions = Questions(
        sizes["hidden_size"],
        answers.over(in_files).over(Answers(norm_eps=_BERTS_EPSILON)),
        names=("n_heads", "norm_eps", *(("lower_case",) if needs_case else ())),
        choices={"lower_case": (True, False)} if needs_case else {},
        seems_lower_case=seems_lower_case(tokenizer) if needs_case else None,
    )
    heads, has_pooler = _classifiers(found), "pooler.dense.weight" in found
    questions = _about_heads(questions, heads, settings, NO_ANSWERS, has_pooler=has_pooler)
    validate(questions, answers)
    refuse_unanswered(questions)
    stated, activation = questions.in_force, _activation(settings)
    whole = {
        "model_type": "bert",
        **sizes,
        **_unused(settings, in_files, sizes["hidden_size"]),
        "hidden_act": activation or _BERTS_ACTIVATION,
        "layer_norm_eps": stated.norm_eps,
        "num_attention_heads": stated.n_heads,
    }
    config = config_of(whole, path)
    other_words = _SIZES.keys() - BERT.sizes.keys()
    _compare(config.encoder, {key: settings[key] for key in other_words & settings.keys()})
    unsaid = [] if answers.over(in_files).norm_eps else [f"layer_norm_eps = {_BERTS_EPSILON}"]
    unsaid += [] if activation else [f"hidden_act = {_BERTS_ACTIVATION}"]
    remark = Message("What no file says is that of BERT's own configuration: {0}.", ", ".join(unsaid))
    remarks = (*config.remarks, *((remark,) if unsaid else ()))
    config = replace(config, lower_case=stated.lower_case, questions=questions, remarks=remarks)
    return _with_heads(config, heads, stated)


def with_classifier(
    config: CheckpointConfig, settings: Mapping[str, object], weights: Path, answers: Answers
) -> CheckpointConfig:
    """Return `config` with the classifier beside a plain BERT, as far as `answers` say what it reads.

    The config.json of the base says `BertModel`, and the weights have a dense layer more. Without an answer
    it is not used, which a remark says.
    """
    classes = settings.get("architectures")
    is_plain = not isinstance(classes, list) or all(_OF_PLAIN_MODELS.search(str(name)) for name in classes)
    if config.family.model_type != BERT.model_type or not is_plain or not is_mapped(weights):
        return config
    tensors = read_weights(weights)
    found = shapes(tensors, with_outer(BERT, tensors))
    heads = _classifiers(found) if len(found.get("embeddings.token.weight", ())) == 2 else ()
    if not heads or "HF_ColBERT" in str(settings.get("architectures")):
        return config
    given = {name: value for name, value in answers.given().items() if name in _ABOUT_HEADS}
    own = Answers(**answered(given))
    open_questions, has_pooler = Questions(in_force=own, names=()), "pooler.dense.weight" in found
    questions = _about_heads(open_questions, heads, settings, NO_ANSWERS, has_pooler=has_pooler)
    optional = set(questions.names) - ({"outputs"} - questions.optional if own.classifier_reads else set())
    questions = replace(questions, optional=frozenset(optional))
    validate(questions, own)
    refuse_unanswered(questions)
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
    return CheckpointError(
        Message("These weights are of transformers, but their shapes or names are not those of a BERT."),
        Message("Put the config.json of the checkpoint that the training began from beside them."),
    )


def _unused(settings: Settings, in_files: Answers, n_shared: int) -> Settings:
    """Return the `settings` without other words for a size, or for what was read of them as `in_files`."""
    used = {
        **dict.fromkeys(_HEADS, in_files.n_heads),
        **dict.fromkeys(_HEAD_WIDTH, n_shared // (in_files.n_heads or 1)),
        **dict.fromkeys(_EPSILON, in_files.norm_eps),
        **dict.fromkeys(_ACTIVATION, _activation(settings)),
        **{key: settings.get(key) for key in _SIZES.keys() - BERT.sizes.keys()},
    }
    return {key: value for key, value in settings.items() if key not in used or used[key] != value}


def _of_heads(family: Family) -> Family:
    return replace(family, task_heads=_HEADS_ON_BERT, head_renames=())


def _classifiers(found: Mapping[str, tuple[int, ...]]) -> tuple[FoundHead, ...]:
    """Return the classifier among parameters of these shapes, if there is one."""
    return tuple(head for head in found_heads(_of_heads(BERT), found) if head.task == "classes")


def _with_heads(config: CheckpointConfig, heads: tuple[FoundHead, ...], stated: Answers) -> CheckpointConfig:
    """Return `config` with the classifier, unless the answer is that it is not used."""
    if not heads or stated.classifier_reads in (None, "none"):
        return config
    family = _of_heads(config.family)
    return replace(
        config,
        family=with_heads(family, heads),
        task_heads=heads_config(family, heads, stated, config.encoder.activation),
        meaning=Meaning(stated.labels or (), _PROBLEMS.get(stated.outputs or "")),
    )
