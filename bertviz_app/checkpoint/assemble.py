"""Building an encoder, its task heads and sentence-transformers' modules from the tensors of a file."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path

import torch
from torch import Tensor

from bertviz_app.checkpoint.adapters.adaptation import UNADAPTED, Adaptation
from bertviz_app.checkpoint.config import CheckpointConfig
from bertviz_app.checkpoint.families.bert import ALIBI
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.folder import (
    CONFIG,
    INPUT_SETTINGS,
    MODULES,
    PICKLED,
    PROMPTS,
    SAFETENSORS,
    file_in,
    first_in,
    read_list,
    read_object,
)
from bertviz_app.checkpoint.questions import Prompt, Questions
from bertviz_app.checkpoint.weights.names import (
    DECODER,
    MASKED,
    OUTSIDE,
    PREFIX,
    VECTOR_WEIGHT,
    as_in_file,
    blank,
    is_tied,
    last_token_vector,
    renamed,
    whole_heads,
    written_out,
)
from bertviz_app.checkpoint.weights.shards import weight_files
from bertviz_app.checkpoint.weights.tensors import (
    LoadReport,
    Mismatch,
    WeightsError,
    copied,
    folded,
    is_mapped,
    read_contents,
    read_tensors,
    read_weights,
    refuse_swollen,
    taken,
    validate,
    with_outer,
)
from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import (
    ACTIVATIONS,
    POOLINGS,
    Centred,
    DenseLayer,
    Normalised,
    Pooling,
    SentenceConfig,
    SentenceVector,
    Step,
    TaskHeads,
    widths,
)
from bertviz_app.errors import Check, CheckpointError, Message, Progress, shown
from bertviz_app.torch_operations import own_grad_mode
from bertviz_app.values import dataclass, field, replace


@dataclass(frozen=True, eq=False)
class Loaded:
    """The encoder and task heads of a file of weights, the load report, and the questions about the file.

    `names`: the names in the file of their parameters, by ours. `adapted`: those that an adapter changed.
    """

    encoder: Encoder
    task_heads: TaskHeads
    report: LoadReport
    questions: Questions | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    adapted: frozenset[str] = frozenset()
    sentence: SentenceVector | None = None  # where the family's own code has one


def load_weights(
    path: Path,
    config: CheckpointConfig,
    progress: Progress | None = None,
    check: Check | None = None,
    adaptation: Adaptation = UNADAPTED,
) -> Loaded:
    """Return the encoder and the task heads of the weights at `path`, a file or an index, in float32.

    A checkpoint without a pooler gives an encoder without one; the task heads are those of which the file has
    all parameters. `progress` gets the bytes copied and the total; `check` may raise. `adaptation` is the
    LoRA that is added. Raises CheckpointError, with a `report` if names or shapes do not fit.
    """
    contents = read_contents(path)
    config = replace(config, family=with_outer(config.family, contents.tensors))
    tensors, names = renamed(contents.tensors, config)
    stored = {name: contents.stored_names.get(theirs, theirs) for name, theirs in names.items()}
    questions = adaptation.questions(contents)
    lora = adaptation.lora(path, contents, config, blank(Encoder, config.encoder).state_dict())
    if lora is not None and config.encoder.pruned:
        raise CheckpointError(
            Message("An adapter is not added to a model from which heads were pruned."),
            Message("Add it with peft, by {0}, and save the model.", "merge_and_unload()"),
        )
    if lora is not None:
        tensors, names = lora.over(tensors), {**names, **lora.names}
        stored |= lora.names
    has_pooler = any(name.startswith("pooler.") for name in tensors)
    own_frequencies = any(name.startswith("rotary.") for name in tensors)
    stated = replace(config.encoder, has_pooler=has_pooler, has_own_frequencies=own_frequencies)
    encoder = blank(Encoder, stated)
    heads = blank(TaskHeads, encoder.config, whole_heads(config, encoder.config, tensors))
    own = {PREFIX + name for name in heads.state_dict()}
    if is_tied(config, tensors):
        own.discard(PREFIX + DECODER)
    parameters = encoder.state_dict()
    projection = PREFIX + config.family.vector_projection
    more = {projection} & tensors.keys()
    for name in more:
        validate(name, tensors[name])
    in_file = as_in_file(config.family, parameters, encoder.config)
    report = _compare(config.family, in_file, tensors, names, own | more)
    report = replace(report, prefix=contents.prefix + report.prefix, wrappers=contents.wrappers)
    _refuse_misfits(path, config, report, tensors)
    replaced = {} if lora is None else lora.replaced_of({*parameters, *own})
    used = {name: tensors[name] for name in (*parameters, *sorted(own | more)) if name not in replaced}
    del contents, tensors  # release the tensors that are not used
    refuse_swollen(used, sum(file.stat().st_size for file in weight_files(path)))
    owned = _owned(path, config, used, progress, check)
    numbers = written_out(config.family, owned, encoder.config) | replaced
    adapted = frozenset(replaced)
    if lora is not None:
        adapted |= lora.add_to(numbers)
        report = replace(report, adapter=lora.summary())
    encoder.load_state_dict({name: numbers[name] for name in parameters}, assign=True)
    _fill(heads, {name.removeprefix(PREFIX): numbers[name] for name in own}, encoder)
    of_vector = {VECTOR_WEIGHT: stored[projection]} if more else {}
    stored = {name: stored[name] for name in (*parameters, *sorted(own))} | of_vector
    sentence = last_token_vector(encoder.config, numbers.get(projection)) if projection != PREFIX else None
    return Loaded(encoder.eval(), heads.eval(), report, questions, stored, adapted, sentence)


def _fill(heads: TaskHeads, numbers: dict[str, Tensor], encoder: Encoder) -> None:
    if heads.masked is not None:
        numbers.setdefault(DECODER, encoder.embeddings.token.weight.detach())
    heads.load_state_dict(numbers, assign=True)


def _owned(
    path: Path,
    config: CheckpointConfig,
    used: dict[str, Tensor],
    progress: Progress | None,
    check: Check | None,
) -> dict[str, Tensor]:
    """Return the tensors in float32, so that they do not depend on the file any more."""
    if not is_mapped(path):
        return taken(used, progress, check)
    return copied(used, lambda: renamed(read_weights(path), config)[0], progress, check)


@own_grad_mode()
def copied_to(encoder: Encoder, device: str, *, in_bfloat16: bool = False) -> Encoder:
    """Return a copy of `encoder` on `device`, without a second copy on the CPU.

    `in_bfloat16`: the weights that the layers multiply with have 16 bits, see `Encoder.multiplied`.
    """
    low = encoder.multiplied() if in_bfloat16 else frozenset()
    copy = blank(Encoder, encoder.config)
    copy.load_state_dict(
        {
            name: tensor.to(device, torch.bfloat16 if name in low else tensor.dtype)
            for name, tensor in encoder.state_dict().items()
        },
        assign=True,
    )
    return copy.eval()


def verify(path: Path, sha256: str) -> None:
    """Raise CheckpointError unless the file at `path` has the SHA-256 `sha256`."""
    facts = path.stat()
    if _sha256(path, facts.st_size, facts.st_mtime_ns) != sha256:
        message = Message("{0} is not the file that was published: its SHA-256 is another.", path)
        raise CheckpointError(message, Message("Install the package again."))


@lru_cache(maxsize=8)
def _sha256(path: Path, size: int, mtime_ns: int) -> str:  # size and time are part of the cache key only
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _refuse_misfits(
    path: Path, config: CheckpointConfig, report: LoadReport, tensors: Collection[str]
) -> None:
    """Raise WeightsError if the encoder lacks tensors, or would leave out a part of the model."""
    if report.missing or report.mismatched:
        message = Message("{0} does not fit config.json. {1}", path.name, report.summary())
        if not (path.parent / CONFIG).exists():
            message = Message("{0} does not hold a whole model. {1}", path.name, report.summary())
        raise WeightsError(message, _on_misfit(config, report), report)
    if report.not_computed:
        message = Message("{0} holds more than the encoder computes. {1}", path.name, report.summary())
        hint = Message("Merge these parts into the weights with the program that trained them.")
        n_layers = len({name.split(".")[1] for name in tensors if name.startswith("layers.")})
        key = next((key for key, field in config.family.sizes.items() if field == "n_layers"), None)
        if n_layers > config.encoder.n_stored_layers and key is not None:
            hint = Message(
                "It has {0} layers: if the model has as many, let “{1}” in config.json be {0}.", n_layers, key
            )
        raise WeightsError(message, hint, report)


def _on_misfit(config: CheckpointConfig, report: LoadReport) -> Message:
    """Return the hint; a table of positions alone of another length was made longer by the training."""
    encoder = config.encoder
    for one in report.mismatched:
        n_heads, rest = divmod(one.found[0] if one.found else 0, encoder.head_width)
        if (
            one.name.endswith(".attention.query.weight")
            and one.found[1:] == one.expected[1:]
            and n_heads <= encoder.n_heads
            and not rest
        ):
            layer = one.name.split(".")[1]
            if n_heads == encoder.n_heads:
                return Message(
                    "“{0}” has the rows of all {1} heads. If none was pruned, take layer {2} out of "
                    "“pruned_heads” in config.json.",
                    *(one.name, n_heads, layer),
                )
            heads = ", ".join(map(str, range(n_heads, encoder.n_heads)))
            return Message(
                "“{0}” has the rows of {1} of {2} heads. If the others were pruned, write in config.json "
                "which they are: {3} says that they are the last ones.",
                *(one.name, n_heads, encoder.n_heads, f'"pruned_heads": {{"{layer}": [{heads}]}}'),
            )
    names = [mismatch.name for mismatch in report.mismatched]
    if names == ["embeddings.position.weight"] and not report.missing:
        (found, width), (_, expected) = report.mismatched[0].found, report.mismatched[0].expected
        if width == expected:
            return Message(
                "If its training changed that length, let “max_position_embeddings” in {0} be {1}.",
                "config.json",
                found,
            )
    others = "".join((*report.not_computed, *report.unexpected))
    if config.family.model_type == "bert" and ".Wqkv." in others and ".mlp.gated_layers." in others:
        return Message(
            "“Wqkv” and “mlp.gated_layers” are MosaicBERT's, whose config.json has “{0}”: if it is one, "
            "write in config.json how many tokens it was trained with, as {1}.",
            *(ALIBI, f'"{ALIBI}": 512'),
        )
    return Message("If another config.json was saved with these weights, put that one beside them.")


def _compare(
    family: Family,
    parameters: Mapping[str, Tensor],
    tensors: Mapping[str, Tensor],
    names: Mapping[str, str],
    own: Collection[str],
) -> LoadReport:
    """Return how `tensors` fit the encoder's `parameters`; `own`: the names in task heads that are used."""
    there = [name for name in parameters if name in tensors]
    for name in there:
        validate(names.get(name, name), tensors[name])
    mismatched = [
        Mismatch(name, tuple(parameters[name].shape), tuple(tensors[name].shape))
        for name in there
        if parameters[name].shape != tensors[name].shape
    ]
    # Some files store a tied table twice: it counts as used.
    used = {*own, PREFIX + DECODER} if PREFIX + MASKED in own else own
    heads = [theirs for name, theirs in names.items() if name.startswith(PREFIX) and name not in used]
    unknown = [name for name in tensors if name not in parameters and not name.startswith(PREFIX)]
    outside = [name for name in unknown if name.startswith(OUTSIDE)]
    unknown = [name for name in unknown if name not in outside]
    unknown = [name for name in unknown if not any(pattern.search(name) for pattern in family.unused)]
    roots = {name.partition(".")[0] for name in parameters}
    theirs = {family.strip(names[name]).partition(".")[0] for name in parameters if name in names}
    inside = [
        name
        for name in unknown
        if family.is_exact
        or name.partition(".")[0] in roots
        or family.strip(names[name]).partition(".")[0] in theirs
    ]
    return LoadReport(
        missing=folded(name for name in parameters if name not in tensors),
        unexpected=folded(names[name] for name in (*unknown, *outside) if name not in inside),
        mismatched=tuple(mismatched),
        task_heads=folded(heads),
        not_computed=folded(names[name] for name in inside),
        prefix=family.outer,
    )


_OLDER = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
"""A key for each pooling, in files before version 5.3."""
_VECTOR, _TOKENS = "sentence_embedding", "token_embeddings"
_TRANSFORMERS = ("Transformer", "BERT", "RoBERTa", "DistilBERT", "ALBERT", "CamemBERT", "XLMRoBERTa")
"""The first module; before version 0.4 the class of its model."""
_LARGEST = 1_000_000
_AGAIN = Message("Fetch the folder again; it comes with the checkpoint.")


@dataclass(frozen=True, eq=False)
class SentenceFolder:
    """What sentence-transformers would do with a checkpoint; nothing if its files are not there.

    `vector` computes the sentence vector, or a vector for each token. `max_tokens` is the longest input, None
    for the model's own; `lower_case` whether texts are lower-cased. `default_prompt` names the prompt that is
    used unless another is given. `remarks` say what is not computed.
    """

    vector: SentenceVector | None = None
    max_tokens: int | None = None
    lower_case: bool = False
    prompts: tuple[Prompt, ...] = ()
    default_prompt: str = ""
    remarks: tuple[str, ...] = ()


def read_sentence_folder(folder: Path, model: Path, width: int) -> SentenceFolder:
    """Return what the files in `folder`, and beside the `model` of `width` D, declare.

    Where modules are damaged or not supported there is no vector, and a remark says why. Raises
    CheckpointError for a file that cannot be read and on which the tokens of a text depend.
    """
    homes = [folder, folder.parent] if folder.name.startswith("0_") else [folder]  # as older versions have it
    try:
        home = next((one for one in homes if file_in(one, MODULES)), None)
    except CheckpointError as error:
        return SentenceFolder(remarks=(_not_computed(error),))
    if home is None:
        return SentenceFolder()
    settings = _settings(folder, *INPUT_SETTINGS) or _settings(model, *INPUT_SETTINGS)
    file = file_in(home, PROMPTS)
    stated = {} if file is None else read_object(file)
    texts = stated.get("prompts")
    prompts = tuple(
        Prompt(shown(name), text)
        for name, text in (texts.items() if isinstance(texts, dict) else ())
        if isinstance(name, str) and isinstance(text, str) and text.strip()
    )
    default = stated.get("default_prompt_name")
    vector, remarks = None, []
    try:
        vector = _filled(*_steps(home, width))
        if vector.config.pooling is None:
            prefixes = (stated.get("query_prefix", "[Q] "), stated.get("document_prefix", "[D] "))
            remark = Message(
                "A dense layer projects each token's vector to {0} numbers, by which texts are compared "
                "token by token (ColBERT). PyLate also adds “{1}” to queries and “{2}” to documents, fills "
                "queries with masks, and leaves out the punctuation of documents; here texts are read as "
                "they stand.",
                *(widths(vector.config)[-1], *(shown(str(prefix)) for prefix in prefixes)),
            )
            remarks.append(remark)
    except CheckpointError as error:
        remarks.append(_not_computed(error))
    return SentenceFolder(
        vector=vector,
        max_tokens=_max_tokens(settings),
        lower_case=settings.get("do_lower_case") is True,
        prompts=prompts,
        default_prompt=next((prompt.name for prompt in prompts if prompt.name == default), ""),
        remarks=tuple(remarks),
    )


def _not_computed(error: CheckpointError) -> Message:
    return Message("The sentence vector is not computed. {0}", error.message)


def _unknown(name: str) -> CheckpointError:
    """Return the error for a module, or a setting of one, that is not computed."""
    return CheckpointError(Message("{0} of sentence-transformers is not supported.", name), _AGAIN)


def _steps(home: Path, width: int) -> tuple[SentenceConfig, list[Mapping[str, Tensor]]]:
    """Return the pooling and what follows it, and the tensors of each step. Raises CheckpointError."""
    modules = file_in(home, MODULES)
    assert modules is not None
    entries = []
    for entry in read_list(modules):
        kind, path = (entry.get("type"), entry.get("path")) if isinstance(entry, dict) else (None, None)
        if not isinstance(kind, str) or not isinstance(path, str):
            raise CheckpointError(Message("{0} has an entry without a type and a path.", MODULES), _AGAIN)
        entries.append((kind.rpartition(".")[2], path))
    kinds = [kind for kind, _ in entries] or [""]
    if kinds[:2] == ["MLMTransformer", "SpladePooling"]:
        message = Message(
            "SPLADE's vector has a number for each piece of the vocabulary, the largest log(1 + relu(logit)) "
            "among the tokens; the predictions of masked tokens are those logits."
        )
        raise CheckpointError(message, _AGAIN)
    is_of_tokens = kinds[:2] == ["Transformer", "Dense"]  # as PyLate saves a ColBERT
    if not is_of_tokens and (kinds[0] not in _TRANSFORMERS or kinds[1:2] != ["Pooling"]):
        raise _unknown(shown(", ".join(kinds[:2])))
    pooling = None if is_of_tokens else _pooling(_settings(home, f"{entries[1][1]}/{CONFIG}"), width)
    steps: list[Step] = []
    weights: list[Mapping[str, Tensor]] = []
    for kind, path in entries[1 if is_of_tokens else 2 :]:
        if kind == "Dropout":
            continue  # it does nothing after the training
        steps.append(_step(kind, _settings(home, f"{path}/{CONFIG}"), is_of_tokens=is_of_tokens))
        weights.append({} if kind == "Normalize" else _tensors(home, path))
    if is_of_tokens:  # what encodes texts divides by the length, no module
        steps.append(Normalised())
        weights.append({})
    return SentenceConfig(width, pooling, tuple(steps)), weights


def _settings(folder: Path, *names: str) -> Mapping[str, object]:
    """Return the settings in the first of the files `names` that is there; some modules have none."""
    file = first_in(folder, *names)
    return {} if file is None else read_object(file)


def _pooling(settings: Mapping[str, object], width: int) -> Pooling:
    stated = settings.get("embedding_dimension", settings.get("word_embedding_dimension", width))
    if stated != width:
        message = Message("The pooling is of vectors of width {0}, not {1}.", shown(str(stated)), width)
        raise CheckpointError(message, _AGAIN)
    modes = settings.get("pooling_mode")
    if modes is None:
        modes = [mode for key, mode in _OLDER.items() if settings.get(key) is True] or ["mean"]
    names = [modes] if isinstance(modes, str) else modes
    if not (isinstance(names, list) and all(isinstance(name, str) for name in names)) or not names:
        raise CheckpointError(Message("pooling_mode must be a name or a list of names."), _AGAIN)
    unknown = [name for name in names if name not in POOLINGS]
    unknown += [key for key in settings if key.startswith("pooling_mode_") and key not in _OLDER]
    if unknown:
        raise _unknown(shown(unknown[0]))
    return Pooling(tuple(names), settings.get("include_prompt") is not False)


def _step(kind: str, settings: Mapping[str, object], *, is_of_tokens: bool) -> Step:
    for key in ("module_input_name", "module_output_name"):
        if settings.get(key) not in (None, _TOKENS if is_of_tokens else _VECTOR):
            raise _unknown(f"{shown(kind)} ({key} = {shown(str(settings[key]))})")
    if kind == "Normalize":
        return Normalised()
    if kind == "LayerNorm":
        return Centred(_size(settings, "dimension"))
    if kind != "Dense":
        raise _unknown(shown(kind))
    default = "linear.Identity" if is_of_tokens else "activation.Tanh"
    name = settings.get("activation_function", f"torch.nn.modules.{default}")
    module, _, activation = str(name).rpartition(".")
    if not module.startswith("torch.nn") or activation not in ACTIVATIONS:
        raise _unknown(shown(str(name)))
    return DenseLayer(
        _size(settings, "in_features"),
        _size(settings, "out_features"),
        activation,
        has_bias=settings.get("bias") is not False,
        is_residual=settings.get("use_residual") is True,
    )


def _size(settings: Mapping[str, object], key: str) -> int:
    value = settings.get(key)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= _LARGEST:
        message = Message("{0} in {1} must be a whole number from 1 to {2}.", key, CONFIG, f"{_LARGEST:,}")
        raise CheckpointError(message, _AGAIN)
    return value


def _tensors(home: Path, path: str) -> Mapping[str, Tensor]:
    file = first_in(home, f"{path}/{SAFETENSORS}", f"{path}/{PICKLED}")
    if file is None:
        raise CheckpointError(Message("There are no weights in {0}.", home / path), _AGAIN)
    return read_tensors(file)


def _filled(config: SentenceConfig, weights: list[Mapping[str, Tensor]]) -> SentenceVector:
    """Return the module with copies of the weights in float32. Raises CheckpointError if they do not fit."""
    for step, width in zip(config.steps, widths(config), strict=False):
        needed = step.n_inputs if isinstance(step, DenseLayer) else getattr(step, "width", width)
        if needed != width:
            message = Message("A module of {0} is for vectors of width {1}, not {2}.", MODULES, needed, width)
            raise CheckpointError(message, _AGAIN)
    vector = blank(SentenceVector, config)
    for module, tensors in zip(vector.steps, weights, strict=True):
        parameters = module.state_dict()
        for name, parameter in parameters.items():
            if name not in tensors:
                raise CheckpointError(Message("A module of {0} lacks {1}.", MODULES, name), _AGAIN)
            validate(name, tensors[name])
            if not tensors[name].isfinite().all():
                raise CheckpointError(Message("{0} in a module of {1} is not finite.", name, MODULES), _AGAIN)
            if tensors[name].shape != parameter.shape:
                shapes = list(tensors[name].shape), list(parameter.shape)
                message = Message("{0} in a module of {1} has shape {2}, not {3}.", name, MODULES, *shapes)
                raise CheckpointError(message, _AGAIN)
        if unknown := sorted(set(tensors) - set(parameters)):
            raise CheckpointError(
                Message("A module of {0} has a tensor that is not known: {1}.", MODULES, shown(unknown[0])),
                _AGAIN,
            )
        numbers = {name: tensor.to(torch.float32, copy=True) for name, tensor in tensors.items()}
        module.load_state_dict(numbers, assign=True)
    return vector.requires_grad_(requires_grad=False).eval()


def _max_tokens(settings: Mapping[str, object]) -> int | None:
    value = settings.get("max_seq_length")
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise CheckpointError(Message("max_seq_length must be a whole number from 1 on."), _AGAIN)
    return value


def sentence_remarks(found: SentenceFolder, config: EncoderConfig) -> tuple[str, ...]:
    """Return sentences on what differs from other checkpoints with an encoder of this `config`."""
    remarks = list(found.remarks)
    pooling = None if found.vector is None else found.vector.config.pooling
    if pooling is not None and config.has_pooler:
        message = Message(
            "This checkpoint's pooler is not used by sentence-transformers, which pools the tokens: {0}.",
            ", ".join(pooling.modes),
        )
        remarks.append(message)
    if found.max_tokens is not None and found.max_tokens < config.max_tokens:
        message = Message(
            "sentence-transformers reads {0} tokens at most (max_seq_length), and so are texts read here.",
            found.max_tokens,
        )
        remarks.append(message)
    if found.lower_case:
        remarks.append(Message("Texts are lower-cased, as sentence-transformers does it (do_lower_case)."))
    if found.default_prompt:
        message = Message(
            "sentence-transformers begins each text with the prompt “{0}”; here it is added only if you do.",
            found.default_prompt,
        )
        remarks.append(message)
    return tuple(remarks)
