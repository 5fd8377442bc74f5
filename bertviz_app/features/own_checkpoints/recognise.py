"""Models that people write themselves, recognised by their parameters, which are arranged as ours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.folder import ANSWERS
from bertviz_app.checkpoint.questions import (
    HEAD,
    LAYER,
    NO_ANSWERS,
    OF_HEADS,
    ROLES,
    Answers,
    AnswersError,
    FileModule,
    Questions,
)
from bertviz_app.checkpoint.weights.tensors import flat, listed
from bertviz_app.encoder.config import DenseHeadConfig, TaskHeadsConfig
from bertviz_app.errors import CheckpointError, Message, shown
from bertviz_app.features.own_checkpoints.roles import (
    SCHEMES,
    Reading,
    Scheme,
    is_bare,
    likely_stack,
    module_of,
    modules_of,
    pattern_of,
    read_roles,
    stacks_of,
    words,
)
from bertviz_app.trace.form import Form
from bertviz_app.values import dataclass, field, replace

_PROJECTIONS = frozenset({"query", "key", "value"})
_DENSE = frozenset({*_PROJECTIONS, "qkv", "qkv_by_head", "output", "expand", "gate", "contract"})


@dataclass(frozen=True)
class TensorArrangement:
    """What each tensor of one file is: `by_name` has our names for those of the encoder.

    `joined` has the names of the tensors of all heads by the first; `kinds` the role of each tensor, and
    whether it is a weight or a bias. `heads` are the names of task heads' tensors, `head_names` our names for
    those with a role of their own, `unused` the names of all that is left out. `n_alike`: so many heads have
    the same matrix, which stands once in the file.
    """

    by_name: Mapping[str, str] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    joined: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    heads: tuple[str, ...] = ()
    head_names: Mapping[str, str] = field(default_factory=dict)
    unused: tuple[str, ...] = ()
    transposed: frozenset[str] = frozenset()
    n_alike: int = 1

    def __call__(self, tensors: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
        """Return the tensors, each the whole of one parameter or of several beside each other."""
        inner = {name for names in self.joined.values() for name in names[1:]}
        found: dict[str, Tensor] = {}
        for name in tensors:
            if name in inner:
                continue
            names = self.joined.get(name, (name,))
            part, is_turned = self.kinds.get(name, ""), name in self.transposed
            turned = [_turned(tensors[each], part, is_turned) for each in names]
            turned *= self.n_alike if part.partition(".")[0] in _PROJECTIONS else 1
            if len(turned) > len(names) and turned[0].dim() == 2:
                found[name] = torch.block_diag(*turned)  # type: ignore[no-untyped-call]
                continue
            found[name] = turned[0] if len(turned) == 1 else torch.cat(turned)
        return found


def _turned(tensor: Tensor, part: str, is_transposed: bool) -> Tensor:
    """Return a tensor in the order of `nn.Linear`: [out, in]; tables as [rows, D]."""
    role, _, kind = part.partition(".")
    if role in ("position", "token", "segment"):
        return flat(tensor)
    if role not in _DENSE or kind == "bias":
        return tensor.flatten() if role in _DENSE else tensor
    if tensor.dim() == 3 and 1 not in tensor.shape:
        is_output = role == "output"
        by_head = tensor.transpose(1, 2) if is_transposed != is_output else tensor  # [H, E, D]
        return by_head.flatten(0, 1).t() if is_output else by_head.flatten(0, 1)
    matrix = flat(tensor)
    return matrix.t() if is_transposed and matrix.dim() == 2 else matrix


def arrangement_of(
    tensors: Mapping[str, Tensor], reading: Reading, given: Mapping[str, str]
) -> TensorArrangement:
    """Return what each of `tensors` is by a reading's roles. Raises CheckpointError for two of a kind."""
    kinds: dict[str, str] = {}
    parts: dict[str, list[str]] = {}
    heads: list[str] = []
    head_names: dict[str, str] = {}
    unused: list[str] = []
    for name in tensors:
        pattern, _ = pattern_of(name, reading.prefix)
        module, kind = module_of(pattern)
        role = reading.roles.get(module, "")
        stated = given.get(pattern, "")
        if stated.endswith((".weight", ".bias")):
            kind = stated.rpartition(".")[2]
        if role in OF_HEADS:
            heads.append(name)
            if ROLES[role].name:
                head_names[name] = f"{ROLES[role].name}.{kind}"
        elif role == "unused":
            unused.append(name)
        elif role:
            ours = f"{ROLES[role].name}.{kind}".replace(LAYER, _layer(name, reading))
            kinds[name] = f"{role}.{kind}"
            parts.setdefault(ours, []).append(name)
    for ours, names in parts.items():
        if len(names) > 1 and not all(HEAD in pattern_of(name, reading.prefix)[0] for name in names):
            some = ", ".join(shown(name) for name in names[:3])
            message = Message("Several tensors have the same part, {0}: {1}.", shown(ours), some)
            raise CheckpointError(message, Message("Give each part to one of them."))
        names.sort(key=lambda name: int(pattern_of(name, reading.prefix)[1] or 0))
    # Of the matrices that are [in, out] the bare ones alone, if there are any.
    dense = {name for name, part in kinds.items() if part.removesuffix(".weight") in _DENSE}
    return TensorArrangement(
        {names[0]: ours for ours, names in parts.items()},
        kinds,
        {names[0]: tuple(names) for names in parts.values() if len(names) > 1},
        tuple(heads),
        head_names,
        tuple(unused),
        frozenset({name for name in dense if is_bare(name)} or dense if reading.is_transposed else ()),
        reading.n_alike,
    )


def _layer(name: str, reading: Reading) -> str:
    """Return the number of the layer that a tensor is of, counted from 0."""
    found = re.match(r"\d+", name.removeprefix(reading.prefix))
    if found is None or LAYER not in pattern_of(name, reading.prefix)[0]:
        return "0"
    number = int(found[0])
    return str(reading.layers.index(number)) if number in reading.layers else found[0]


_MASKS = frozenset({"mask", "masks", "tril", "causal"})


class Buffers(NamedTuple):
    """The names of tensors that are no parameters: masks that hide nothing, and numbers of positions."""

    masks: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


def without_buffers(
    tensors: Mapping[str, Tensor], is_given: Callable[[str], bool]
) -> tuple[dict[str, Tensor], Buffers]:
    """Return the `tensors` that may be parameters, and the names of the others.

    Those whose parts `is_given` all stay. Raises CheckpointError for a mask that hides tokens.
    """
    plain: dict[str, Tensor] = {}
    masks: list[str] = []
    counts: list[str] = []
    for name, tensor in tensors.items():
        if is_given(name):
            plain[name] = tensor
        elif tensor.dim() >= 1 and _MASKS & set(words(name.rpartition(".")[2])):
            if not bool((tensor == tensor.flatten()[0]).all()):
                message = Message(
                    "{0} is a mask that is saved with the weights: it hides tokens from others at every "
                    "pass, and here every token attends to all.",
                    shown(name),
                )
                hint = Message(
                    "If the model's forward does not use it, give it the part “unused” (--parts FILE); else "
                    "the model cannot be computed here."
                )
                raise CheckpointError(message, hint)
            masks.append(name)
        elif not (
            tensor.is_floating_point() or tensor.is_complex() or tensor.dtype == torch.bool
        ) and torch.equal(tensor.flatten().long(), torch.arange(tensor.numel())):  # 0, 1, 2 …
            counts.append(name)
        else:
            plain[name] = tensor
    return plain, Buffers(tuple(masks), tuple(counts))


NOTEBOOK = "notebook"
"""Our `model_type` for notebooks' models, whose config.json has none."""

_DECODER = re.compile(r"\.(multihead_attn|src_attn|enc_attn|cross_attn|encoder_attn)\.")
"""A tensor of an attention to another stack, which only decoders have."""


@dataclass(frozen=True)
class Notebook:
    """What a file's tensors determine: its family, its form, and some fields of an encoder's configuration.

    `lacks_positions`: positions are not stored, so the files do not show how they are computed. `questions`
    are others that its files never answer; `usual` has the answers to them that its own code has by default.
    """

    family: Family
    form: Form
    scheme: Scheme
    reading: Reading
    lacks_positions: bool
    questions: frozenset[str]
    usual: Answers
    remarks: tuple[Message, ...] = ()


def notebook_of(
    tensors: Mapping[str, Tensor], answers: Answers = NO_ANSWERS, *, only_known: bool = False
) -> Notebook | None:
    """Return what kind of model a file of `tensors` has; None if it is none that can be recognised.

    `answers` has the roles of parts, and the place of a norm, where the user gives them. `only_known`: a
    model of no scheme is not recognised, since config.json names a family. Raises CheckpointError for one
    that cannot be computed, and AnswersError where it is not known which part a tensor is.
    """
    given = dict(answers.parts or {})
    stacks = stacks_of(tensors)
    if not given:
        names = [module.name for module in modules_of(tensors, next(iter(stacks), None))]
        scheme = _scheme(names)
        if scheme.refusal is not None:
            hint = Message("“Open your own BERT” in the documents says what can be computed.")
            raise CheckpointError(scheme.refusal, hint)
        # The family of `transformers`' BERT config.json must name.
        is_of_transformers = any(name.endswith(".attention.self.query") for name in names)
        if not stacks or is_of_transformers or (only_known and not scheme.marks):
            return None
    prefix = _only_stack(tensors, stacks, given)
    plain, buffers = without_buffers(
        tensors,
        lambda name: bool({pattern := pattern_of(name, prefix)[0], module_of(pattern)[0]} & given.keys()),
    )
    modules = modules_of(plain, prefix)
    names = [module.name for module in modules]
    if absent := given.keys() - {*names, *(tensor for module in modules for tensor in module.tensors)}:
        message = Message(
            "The file has no tensors called {0}, which the parts name.",
            listed([name for name in given if name in absent]),
        )
        hint = Message(
            "{0} stands for the number of a layer. Parts that were kept are in {1} beside the weights: "
            "correct or remove them there.",
            "{layer}",
            ANSWERS,
        )
        raise CheckpointError(message, hint)
    scheme = _scheme(names)
    reading = read_roles(plain, prefix, {**scheme.roles_of(names), **given})
    if answers.transposed is not None:
        reading = replace(reading, is_transposed=answers.transposed)
    if reading.lone_norm and answers.lone_norm is not None:
        role = {"embeddings": "embedding_norm", "last": "last_norm"}[answers.lone_norm]
        reading = replace(reading, roles={**reading.roles, reading.lone_norm: role})
    arrangement = arrangement_of(plain, reading, given)
    _refuse_unknown(reading)
    scheme = _with_first_ids(scheme, plain, arrangement)
    return _notebook(arrangement, reading, scheme, buffers, is_given=bool(given))


def _only_stack(
    tensors: Mapping[str, Tensor], stacks: Mapping[str, list[int]], given: Mapping[str, str]
) -> str:
    """Return what the names of the layers begin with. Raises CheckpointError for several stacks."""
    if any(_DECODER.search(name) for name in tensors) and not given:
        raise CheckpointError(
            Message("The file holds a decoder besides its encoder; models with a decoder are not supported."),
            Message("Save the state dict of the encoder and its embeddings alone."),
        )
    stated = {name.partition("{layer}")[0] for name in given if "{layer}" in name}
    if len(stated) == 1:
        return stated.pop()
    if len(stacks) > 1:
        names = ", ".join(shown(prefix) for prefix in stacks)
        if len({re.sub(r"(?<![^.])\d+\.", "", prefix) for prefix in stacks}) == 1:  # as in x-transformers
            message = Message(
                "Its attention and its feed-forward parts are numbered as layers of their own, in turn: {0}. "
                "Such layers cannot be read.",
                names,
            )
            hint = Message("Save it with both parts of a layer under the layer's number.")
            raise CheckpointError(message, hint)
        message = Message("The file holds {0} stacks of layers: {1}.", len(stacks), names)
        raise CheckpointError(message, Message("Save the state dict of one of them with its embeddings."))
    return next(iter(stacks), "")


def _scheme(names: list[str]) -> Scheme:
    """Return what the code fixes that names parts so; without marks where nothing is known of layers."""
    found = [scheme for scheme in SCHEMES if scheme.is_of(names)]
    of_layers = next((scheme for scheme in found if not scheme.of_embeddings), None)
    of_embeddings = next((scheme for scheme in found if scheme.of_embeddings), Scheme(()))
    base = of_layers or Scheme((), questions=("norm_first", "activation", "scales_tokens"))
    return replace(
        base,
        roles={**of_embeddings.roles, **base.roles},
        first_position=base.first_position or of_embeddings.first_position,
        first_segment=base.first_segment or of_embeddings.first_segment,
    )


_ROUND = 32  # lengths of texts are multiples of it


def _with_first_ids(scheme: Scheme, tensors: Mapping[str, Tensor], arrangement: TensorArrangement) -> Scheme:
    """Return `scheme` with the ids that the tables begin with, where no code says it.

    A row of zeros is that of padding (`padding_idx`), which is never trained: ids begin after it. fairseq's
    table of positions has two rows more than there are tokens: without such a row it is an open question.
    """
    if scheme.marks or scheme.first_segment or scheme.first_position:
        return scheme
    by_name = {ours: tensors[theirs] for theirs, ours in arrangement.by_name.items()}
    first = {"segment": 0, "position": 0}
    for part in first:
        table = by_name.get(f"embeddings.{part}.weight")
        rows = None if table is None else table.reshape(-1, table.shape[-1])
        if rows is None:
            continue
        most = 2 if part == "position" else 1
        empty = [row for row in range(most) if len(rows) > row + 2 and not bool(rows[row].any())]
        first[part] = empty[-1] + 1 if empty else 0
        if part == "position":
            is_open = not empty and len(rows) % _ROUND in (1, 2)
            scheme = replace(scheme, questions=(*scheme.questions, *(["first_position"] if is_open else [])))
        # Two segments and one of padding, or three: a trained row does not show which.
        if part == "segment" and len(rows) == 3 and not empty:
            scheme = replace(scheme, questions=(*scheme.questions, "first_segment"))
    if first["position"]:
        remark = Message(
            "Row {0} of its position embeddings is all zeros, as that of padding is: positions begin with "
            "row {1}, unless it is answered otherwise.",
            first["position"] - 1,
            first["position"],
        )
        scheme = replace(scheme, remark=remark)
    return replace(scheme, first_segment=first["segment"], first_position=first["position"])


def _refuse_unknown(reading: Reading) -> None:
    """Raise AnswersError where the parts that some tensors are, are not known."""
    open_parts = (*reading.unknown, *reading.doubtful)
    is_fused = {"qkv", "qkv_by_head"} & {*reading.roles.values(), *reading.doubtful.values()}
    needed = (
        *("token", *(() if is_fused else ("query", "key", "value")), "output", "expand", "contract"),
        *("attention_norm", "feed_forward_norm"),
    )
    missing = [role for role in needed if role not in reading.roles.values()]
    if not open_parts and not missing:
        return
    by_name = {module.name: module for module in reading.modules}
    names = [tensor for name in open_parts for tensor in by_name[name].tensors]
    named = listed([name.replace("{layer}", "0") for name in names])
    if not names:
        message = Message("No tensor of the file has the part {0}.", ", ".join(missing))
    elif reading.unknown:
        message = Message("It is not known which part of the model these tensors are: {0}.", named)
    else:
        message = Message("It is not certain which part of the model these tensors are: {0}.", named)
    raise parts_error(message, reading.parts)


def parts_error(message: Message, parts: tuple[FileModule, ...]) -> AnswersError:
    """Return the error for a file of which it is not known which tensor is which part."""
    hint = Message(
        "Say which part is which: in the window by a form, on the command line by {0}, in Python by {1}. "
        "What the encoder does not need is “unused”. “Open your own BERT” in the documents shows how.",
        "--parts FILE",
        "parts=",
    )
    return AnswersError(message, hint, Questions(names=("parts",), parts=parts))


def parts_of_tensors(tensors: Mapping[str, Tensor]) -> tuple[FileModule, ...]:
    """Return the modules of a file in which no layers are recognised, without roles."""
    plain, _ = without_buffers(tensors, lambda name: False)
    return Reading(modules_of(plain, likely_stack(plain))).parts


def _notebook(
    arrangement: TensorArrangement, reading: Reading, scheme: Scheme, buffers: Buffers, *, is_given: bool
) -> Notebook:
    ours = set(arrangement.by_name.values())
    ignored = (*arrangement.unused, *buffers.masks, *buffers.counts)
    qkv = tuple(f".{part}." for part in ("query", "key", "value"))
    family = Family(
        model_type=NOTEBOOK,
        title="Notebook",
        sizes=MappingProxyType({}),
        choices=MappingProxyType({}),
        fixed=MappingProxyType({}),
        prefixes=(),
        ignored=tuple(re.compile(f"^{re.escape(name)}$") for name in ignored),
        task_heads=tuple(re.compile(f"^{re.escape(name)}$") for name in arrangement.heads),
        renames=(),
        head_renames=tuple(
            (re.compile(f"^{re.escape(theirs)}$"), ours) for theirs, ours in arrangement.head_names.items()
        ),
        by_name=arrangement.by_name,
        convert=arrangement,
        splits={".in_proj.": qkv},
        splits_by_head={".in_proj_by_head.": qkv},
        is_exact=True,
    )
    # What a scheme's code does not do is not asked; of others nothing is known.
    open_, fixed = scheme.questions, False if scheme.marks else None
    return Notebook(
        family,
        _form(scheme, ours),
        scheme,
        reading,
        lacks_positions="embeddings.position.weight" not in ours,
        questions=_questions(reading, scheme, is_given=is_given),
        usual=Answers(
            scales_tokens=scheme.form.get("scales_tokens", fixed if "scales_tokens" not in open_ else None),
            norm_first=scheme.form.get("is_pre_norm"),
            activation=scheme.activation,
            first_segment=scheme.first_segment if "first_segment" not in open_ else None,
            first_position=scheme.first_position if "first_position" not in open_ else None,
            # Nearly all code divides by it, from Vaswani et al. 2017 on; that of shared matrices often not.
            score_scale="head" if reading.n_alike == 1 else None,
            sample_deviation=scheme.form.get("norms_by_deviation", fixed),
        ),
        remarks=tuple(_remarks(scheme, reading, arrangement, buffers)),
    )


def _questions(reading: Reading, scheme: Scheme, *, is_given: bool) -> frozenset[str]:
    """Return the questions that names and shapes leave open."""
    norm = reading.module_with("attention_norm")
    is_own = norm is not None and not any(name.endswith("weight") for name in norm.tensors)
    # A bare matrix may be [in, out] or [out, in]: those of `nn.Linear` are the latter. Where a bias shows the
    # side of one of them, the others are as that one.
    dense = [m for m in reading.modules if m.in_layers and m.is_dense and m.name in reading.roles]
    bare = [module for module in dense if any(is_bare(name) for name in module.tensors)]
    expand = reading.module_with("expand")
    is_shown = expand in bare and expand is not None and bool(expand.bias) and len(set(expand.weight)) > 1
    is_open = {
        "sample_deviation": (not scheme.marks and is_own) or is_given,
        "norm_first": is_given,
        "activation": is_given,
        "scales_tokens": is_given,
        "score_scale": is_given or reading.n_alike > 1,
        "first_segment": is_given and reading.module_with("segment") is not None,
        "first_position": not scheme.marks and reading.module_with("position") is not None,
        "transposed": is_given or (bool(bare) and not is_shown),
        "lone_norm": bool(reading.lone_norm),
    }
    found = {*scheme.questions, *(name for name, is_asked in is_open.items() if is_asked)}
    table, embedding_norm = reading.module_with("token"), reading.module_with("embedding_norm")
    if table is not None and embedding_norm is not None and not is_given:
        homes = {module.name.rpartition(".")[0] for module in (table, embedding_norm)}
        # One module that sums and normalises is BERT's; torch's tutorial scales a table of its own.
        if len(homes) == 1 and "" not in homes and "scales_tokens" not in scheme.form:
            found.discard("scales_tokens")
    return frozenset(found)


def _form(scheme: Scheme, ours: set[str]) -> Form:
    parts = ("query", "key", "value", "output")
    fused = "layers.0.attention.in_proj.bias" in ours or "layers.0.attention.in_proj_by_head.bias" in ours
    has = {part: f"layers.0.attention.{part}.bias" in ours for part in parts}
    has |= dict.fromkeys(parts[:3], True) if fused else {}
    wide = [f"layers.0.feed_forward.{part}.bias" in ours for part in ("expand", "contract")]
    has_any = any(has.values()) or any(wide)
    if has_any and not all(wide):
        message = Message("The feed-forward part of its layers has no bias where its attention has one.")
        raise CheckpointError(message, Message("Such layers are not computed."))
    return Form(
        **dict[str, Any](scheme.form),
        has_embedding_norm="embeddings.norm.weight" in ours,
        has_final_norm="final_norm.weight" in ours,
        has_biases=has_any,
        **{f"has_{part}_biases": has[part] or not has_any for part in parts},
        has_norm_biases="layers.0.attention_norm.bias" in ours,
        is_gated="layers.0.feed_forward.gate.weight" in ours,
    )


def _remarks(
    scheme: Scheme, reading: Reading, arrangement: TensorArrangement, buffers: Buffers
) -> list[Message]:
    template = reading.template
    unused = [name for name in arrangement.unused if not name.startswith(template or "\0")]
    rows = (
        (
            not scheme.marks,
            Message(
                "No public code is known that names its weights so: it is computed as BERT is, with the "
                "answers given. A comparison with an output of your own code ({0}) shows whether that is "
                "right.",
                "bertviz-app parts --output",
            ),
        ),
        (
            reading.n_alike > 1,
            Message(
                "The {0} heads of a layer have the same matrices: each uses them on its own part of the "
                "vector.",
                reading.n_alike,
            ),
        ),
        (
            bool(template),
            Message(
                "{0} is the layer that was copied to make {1}: it is saved with the model, never computed, "
                "and left out.",
                shown(template.rstrip(".")),
                shown(reading.prefix.rstrip(".")),
            ),
        ),
        (bool(unused), Message("Left out, as “unused” parts: {0}.", listed(unused))),
        (
            bool(buffers.masks),
            Message("Stored masks that hide no token are left out: {0}.", listed(buffers.masks)),
        ),
    )
    remarks = [] if scheme.remark is None else [scheme.remark]
    return remarks + [remark for is_so, remark in rows if is_so]


Shapes = Mapping[str, tuple[int, ...]]
_NEXT = re.compile(r"^(next|nsp)")
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True)
class FoundHead:
    """A head for the `task`, and its dense layers from the first to the last: names, widths and biases."""

    task: str
    modules: tuple[str, ...]
    widths: tuple[int, ...]
    biases: tuple[bool, ...]

    @property
    def is_of_texts(self) -> bool:
        """Whether it reads one vector of a whole text."""
        return self.task in ("classes", "next_sentence")


def found_heads(family: Family, shapes: Shapes) -> tuple[FoundHead, ...]:
    """Return the task heads among parameters of these `shapes`, one for a task at most.

    What has as many outputs as there are pieces predicts masked tokens; beside it, or by their name, two
    outputs are those of next sentences; all others are classes. Beside other parts than dense layers there is
    no head that is known.
    """
    n_pieces, width = shapes["embeddings.token.weight"]
    chains = [
        chain for layers in _groups(family, shapes).values() for chain in _chains(layers, shapes, width)
    ]
    is_pretrained = has_masked(family) or any(_n_outputs(chain, shapes) == n_pieces for chain in chains)
    found: dict[str, FoundHead] = {}
    for chain in chains:
        n_outputs = _n_outputs(chain, shapes)
        if n_outputs == n_pieces:
            task = "masked"
        else:
            is_of_pairs = n_outputs == 2 and (is_pretrained or _NEXT.search(chain[0]) is not None)
            task = "next_sentence" if is_of_pairs else "classes"
        head = FoundHead(
            task,
            tuple(chain),
            tuple(shapes[f"{layer}.weight"][0] for layer in chain),
            tuple(f"{layer}.bias" in shapes for layer in chain),
        )
        found.setdefault(task, head)
    return tuple(found.values())


def _groups(family: Family, shapes: Shapes) -> dict[str, list[str]]:
    """Return the dense layers of each head, in order; fc1 and fc2 are of one head if their sizes fit."""
    groups: dict[str, list[str]] = {}
    named = {name for name in shapes if any(pattern.search(name) for pattern, _ in family.head_renames)}
    for name, shape in shapes.items():
        if not any(pattern.search(name) for pattern in family.task_heads) or name in named:
            continue
        layer, _, kind = name.rpartition(".")
        group = _NUMBERS.sub("", name.split(".", 1)[0])
        layers = groups.setdefault(group, [])
        if kind == "weight" and len(shape) == 2 and 0 not in shape:
            layers.append(layer)
        elif kind != "bias" or (*shape, len(shape)) != (*shapes.get(f"{layer}.weight", ())[:1], 1):
            return {}  # a norm, a convolution, a table: it may belong to any head
    return {group: sorted(layers, key=_in_order) for group, layers in groups.items()}


def _in_order(name: str) -> list[tuple[int, str]]:
    """Return what sorts names by the numbers in them: fc2 before fc10."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name)]


def _chains(layers: list[str], shapes: Shapes, width: int) -> Iterator[list[str]]:
    """Yield the heads among the dense `layers`: each begins with `width` inputs, and its sizes fit."""
    chain: list[str] = []
    for layer in layers:
        n_inputs = shapes[f"{layer}.weight"][1]
        if chain and n_inputs == _n_outputs(chain, shapes):
            chain.append(layer)
        elif n_inputs == width:
            if chain:
                yield chain
            chain = [layer]
        else:
            return  # what it reads is not known, and what comes before it may belong to it
    if chain:
        yield chain


def _n_outputs(chain: list[str], shapes: Shapes) -> int:
    return shapes[f"{chain[-1]}.weight"][0]


def with_heads(family: Family, heads: tuple[FoundHead, ...]) -> Family:
    """Return `family` with our names for the dense layers of `heads`."""
    renames = [*family.head_renames] + [
        (re.compile(rf"^{re.escape(layer)}\.(weight|bias)$"), rf"dense.{head.task}.layers.{number}.\1")
        for head in heads
        for number, layer in enumerate(head.modules)
    ]
    return replace(family, head_renames=tuple(renames))


def has_masked(family: Family) -> bool:
    """Return whether the file has a head for masked tokens of a dense layer, a norm and a product."""
    return any(ours.startswith("masked.norm.") for _, ours in family.head_renames)


def heads_config(
    family: Family, heads: tuple[FoundHead, ...], answers: Answers, masked_activation: str
) -> TaskHeadsConfig:
    """Return how the `heads` compute, by the `answers`; those that are not to be used are left out."""
    stated = answers.classifier_activation
    dense = [
        (
            head.task,
            DenseHeadConfig(
                reads=(answers.classifier_reads or "none") if head.is_of_texts else "tokens",
                widths=head.widths,
                biases=head.biases,
                activation=stated if len(head.widths) > 1 and stated != "none" else None,
                reverses=head.task == "next_sentence" and answers.follows == 1,
            ),
        )
        for head in heads
    ]
    return TaskHeadsConfig(
        masked=has_masked(family),
        masked_activation=masked_activation,
        dense_heads=tuple((task, head) for task, head in dense if head.reads != "none"),
    )
