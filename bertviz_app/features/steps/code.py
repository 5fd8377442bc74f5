"""The PyTorch code of each part of an encoder: which lines compute which stop, and the shapes they make.

Names are those of notebooks that read Hugging Face's BERT: `x` for the hidden states, `self.query`, `scores`,
`attn`. Every line of this table is run by a test on the numbers of a trace; a stage without a tested line has
a comment that says so.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from operator import attrgetter
from types import MappingProxyType
from typing import Literal

from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import DISTANCE, TO_CONTENT, TO_POSITION, RelativeBias
from bertviz_app.trace.form import Form
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.stage import EncoderPart, Stage, activation, shapes_of, source_of
from bertviz_app.viewmodels.stages.stops import STAGES, StopTensors, in_order
from bertviz_app.viewmodels.wording import translated

Block = Literal["embeddings", "attention", "feed-forward", "pooler"]
_BLOCKS: MappingProxyType[EncoderPart, Block] = MappingProxyType(
    {
        EncoderPart.EMBEDDINGS: "embeddings",
        EncoderPart.BEFORE: "attention",
        EncoderPart.PROJECTIONS: "attention",
        EncoderPart.MIXING: "attention",
        EncoderPart.ATTENTION: "attention",
        EncoderPart.FEED_FORWARD: "feed-forward",
        EncoderPart.TOP: "pooler",
    }
)
_INDENT = "    "


@dataclass(frozen=True)
class CodeLine:
    """One line of a block. `shape`: of what it assigns, "[1, 11, 384]"; "" where it is not shown.

    `stages`: the stops that it computes or helps to compute, the last one first to be gone to; () for none.
    """

    code: str
    shape: str = ""
    stages: tuple[str, ...] = ()


@dataclass(frozen=True)
class CodeBlock:
    """The code of a part of an encoder, as a method that can be copied."""

    name: Block
    lines: tuple[CodeLine, ...]

    @property
    def width(self) -> int:
        """The column at which the comments with the shapes begin."""
        return max((len(line.code) for line in self.lines if line.shape), default=0) + 2

    def written(self, line: CodeLine) -> str:
        """Return a line with its shape as a comment at its right."""
        return f"{line.code:<{self.width}}# {line.shape}" if line.shape else line.code

    @property
    def loose(self) -> str:
        """The block for a narrow page: each shape close to its line, which is wrapped at operators alone."""
        rows = [
            f"{line.code[2:]}  #\N{NO-BREAK SPACE}{line.shape}".replace(", ", ",\N{NO-BREAK SPACE}")
            if line.shape
            else line.code.replace(_INDENT, _INDENT[2:])
            for line in self.lines
        ]
        return "\n".join(rows) + "\n"

    @property
    def text(self) -> str:
        """The whole block, as it is shown and copied."""
        return "\n".join(map(self.written, self.lines)) + "\n"

    def lines_of(self, stage: str) -> tuple[int, ...]:
        return tuple(at for at, line in enumerate(self.lines) if stage in line.stages)


_Row = tuple[str, str] | tuple[str, str, str]
"""A line, the shape of what it assigns, and what of `_Facts` says that an encoder has it, if not all have."""
_Rows = tuple[_Row, ...]


@dataclass(frozen=True, eq=False)
class _Facts:
    """What the lines of one layer depend on. `wide`: the feed-forward width, None while it is not known."""

    trace: Trace
    layer: int
    absent: frozenset[str]
    activation: str
    convolution_activation: str
    wide: int | None

    @property
    def form(self) -> Form:
        return self.trace.form

    @property
    def token(self) -> str:
        """The name of the token embeddings, which are the hidden states where nothing is added."""
        return "x" if "embedding_sum" in self.absent else "tok"

    @property
    def inner(self) -> str:
        """The name of what the parts of the layer are added to."""
        return "narrow" if self.form.has_bottleneck else "x"

    @cached_property
    def fields(self) -> dict[str, object]:
        """What stands for the fields of codes and shapes."""
        trace, n_tokens, n_heads = self.trace, self.trace.n_tokens, self.trace.n_heads
        head_width, shapes = trace.head_width, shapes_of(trace, self.wide)
        n_keys = n_heads
        if self.form.groups_queries:  # a head without values of its own has those of the one before it
            n_keys = 1 + sum(bool((one != two).any()) for one, two in pairwise(trace.values[self.layer]))
        widths = {name: shape.width for name, shape in shapes.items()} | {"shared": n_keys * head_width}
        own, token = shapes["narrow"].width, trace.token_embeddings.shape[1]
        share, rest = divmod(trace.radicand, head_width)
        under = f"{trace.radicand}" if rest else "d_k" if share == 1 else f"{share} * d_k"
        names = {TO_POSITION: "c2p", TO_CONTENT: "p2c"}
        score_sum = " + ".join(["scores", *(name for key, name in names.items() if key in trace.added)])
        embeddings = {"token": "tok", "segment": "seg", "position": "pos", "task": "task"}
        inputs = {"input": "x", "input_norm": "normed", "narrowed": "narrow"}
        # What is added to the scores may say no more than which keys are shut out.
        is_mask = not isinstance(trace.bias, RelativeBias) or trace.bias.is_window(self.layer)
        return {name: f"[1, {n_tokens}, {width}]" for name, width in widths.items()} | {
            "split": f"[1, {n_heads}, {n_tokens}, {head_width}]",
            "split_shared": f"[1, {n_keys}, {n_tokens}, {head_width}]",
            "parted": f"[1, {n_tokens}, {n_heads}, {head_width}]",
            "square": f"[1, {n_heads}, {n_tokens}, {n_tokens}]",
            "flags": f"[1, {n_tokens}, 1]",
            "neighbours": f"[1, {n_tokens}, {3 * token}]",
            "columns": f"[{own}]",
            "one": f"[1, {trace.width}]",
            "own": own,
            "token_width": token,
            "exponent": "2 * columns" if self.form.has_column_sinusoids else "(columns - columns % 2)",
            "added": " + ".join(name for stage, name in embeddings.items() if stage not in self.absent),
            "mask": "attention_mask" if is_mask else "position_bias",
            "root": f"math.sqrt({under})",
            "score_sum": f"({score_sum}) / math.sqrt({under})" if self.form.divides_scores else score_sum,
            "attended": "out" if self.form.adds_before_projection else self.inner,
            "tok": self.token,
            "inner": self.inner,
            "fed": "normed" if self.form.is_pre_norm else self.inner,  # what the feed-forward part reads
            "n_heads": n_heads,
            "head_width": head_width,
            **{f"{each}_in": inputs.get(source_of(each, self.absent)[0], "shared") for each in "qkv"},
        }

    def meets(self, condition: str) -> bool:
        """Return whether an attribute is true, or something is added to scores; or after "not " is not."""
        name = condition.removeprefix("not ")
        is_part = name in (DISTANCE, TO_POSITION, TO_CONTENT)
        is_met = name in self.trace.added if is_part else bool(attrgetter(name)(self))
        return is_met != condition.startswith("not ")


_Lines = _Rows | str | Callable[[_Facts], _Rows]
"""The lines of a stage: (code, shape), or the key of the stage in whose line it is computed."""


def _norm_rows(facts: _Facts, name: str, given: str, made: str, shape: str = "{all}") -> _Rows:
    """Return the lines of the norm called `name`, of `given`, whose result is `made`."""
    form = facts.form
    if form.has_scaling_norms:
        own = f"self.{name}NoNorm"
        return ((f"{made} = {given} * {own}.weight + {own}.bias", shape),)
    if form.has_rms_norms:  # PyTorch's has no shift
        return () if form.has_norm_biases else ((f"{made} = self.{name}RMSNorm({given})", shape),)
    own = f"self.{name}LayerNorm"
    if not form.norms_by_deviation:
        return ((f"{made} = {own}({given})", shape),)
    shift = f" + {own}.bias" if form.has_norm_biases else ""
    column = "{flags}"
    return (
        (f"mean = {given}.mean(-1, keepdim=True)", column),
        (f"std = {given}.std(-1, keepdim=True)", column),
        (f"{made} = {own}.weight * ({given} - mean) / (std + {own}.eps){shift}", shape),
    )


def _norm(name: str, given: str, made: str, shape: str = "{all}") -> Callable[[_Facts], _Rows]:
    return lambda facts: _norm_rows(facts, name, given, made, shape)


def _output(facts: _Facts) -> _Rows:
    names = {
        "output_": facts.form.has_bottleneck,
        "conv_": facts.form.has_convolution and facts.layer == 0,
        "final_": facts.form.has_final_norm and facts.layer == facts.trace.n_layers - 1,
    }
    return _norm_rows(facts, next((name for name, is_so in names.items() if is_so), ""), "x", "x")


def _narrowed(name: str, made: str) -> Callable[[_Facts], _Rows]:
    def rows(facts: _Facts) -> _Rows:
        norm = _norm_rows(facts, name, made, made, "{within}")
        return ((f"{made} = self.{name}dense(x)", "{within}"), *norm)

    return rows


def _projection(letter: str, layer: str) -> Callable[[_Facts], _Rows]:
    """Return the lines of the queries, keys or values of all heads: a dense layer, its output split."""

    def rows(facts: _Facts) -> _Rows:
        form = facts.form
        is_shared = form.groups_queries and letter != "Q"
        width, split = ("{shared}", "{split_shared}") if is_shared else ("{heads}", "{split}")
        n_heads = "-1" if is_shared else "H"
        found = [
            (f"{letter} = self.{layer}({{{letter.lower()}_in}})", width),
            (f"{letter} = {letter}.view(B, T, {n_heads}, d_k).transpose(1, 2)", split),
        ]
        if is_shared:
            found.append((f"{letter} = {letter}.repeat_interleave(H // {letter}.shape[1], dim=1)", "{split}"))
        if form.is_rotary and letter != "V":
            found.append((f"{letter} = apply_rotary_pos_emb({letter}, cos, sin)", "{split}"))
        return tuple(found)

    return rows


def _activated(name: str, known: str, shape: str = "{wide}") -> _Rows:
    """Return the line of an activation; none for one that is not known, or not known yet."""
    code = activation(known).code
    return ((f"{name} = {code.format(name)}", shape),) if code else ()


def _earlier(number: int) -> Callable[[_Facts], _Rows]:
    own = f"ffn[{number}]."

    def rows(facts: _Facts) -> _Rows:
        active = _activated("h", facts.activation)
        return active and (
            (f"h = self.{own}intermediate({{inner}})", "{wide}"),
            *active,
            (f"h = self.{own}output(h)", "{within}"),
            ("{inner} = {inner} + h", "{within}"),
            *_norm_rows(facts, own, "{inner}", "{inner}", "{within}"),
        )

    return rows


def _adapted(facts: _Facts) -> _Rows:
    active = _activated("a", facts.activation, "")
    given = "normed" if facts.form.norms_before_adapter else "x"
    return active and (
        (f"a = self.adapter_down({given})", ""),
        *active,
        ("a = self.adapter_up(a)", "{all}"),
    )


def _convolved(facts: _Facts) -> _Rows:
    active = _activated("conv", facts.convolution_activation, "{all}")
    return active and (("conv = self.conv(hidden_states.transpose(1, 2)).transpose(1, 2)", "{all}"), *active)


LINES: MappingProxyType[str, _Lines] = MappingProxyType(
    {
        "token": (
            ("{tok} = self.word_embeddings(input_ids)", "{token}"),
            ("{tok} = {tok} * math.sqrt({token_width})", "{token}", "form.scales_tokens"),
            ("{tok} = {tok} * 2", "{token}", "form.doubles_tokens"),
            ("masked = (input_ids == mask_token_id)[..., None]", "{flags}", "form.zeroes_masks"),
            (
                "{tok} = {tok}.masked_fill(masked, 0) * 0.88 / (1 - masked.float().mean())",
                "{token}",
                "form.zeroes_masks",
            ),
        ),
        "token_projection": (
            ("after = nn.functional.pad({tok}[:, 1:], (0, 0, 0, 1))", "{token}", "form.has_trigrams"),
            ("before = nn.functional.pad({tok}[:, :-1], (0, 0, 1, 0))", "{token}", "form.has_trigrams"),
            ("{tok} = torch.cat((after, {tok}, before), dim=-1)", "{neighbours}", "form.has_trigrams"),
            ("{tok} = self.embedding_transformation({tok})", "{narrow}"),
        ),
        "segment": (("seg = self.token_type_embeddings(token_type_ids)", "{narrow}"),),
        "position": (
            ("pos = self.position_embeddings(position_ids)", "{narrow}", "not form.has_sinusoids"),
            ("columns = torch.arange({own})", "{columns}", "form.has_sinusoids"),
            (
                "angles = position_ids[..., None] / 10000 ** ({exponent} / {own})",
                "{narrow}",
                "form.has_sinusoids",
            ),
            (
                "pos = torch.where(columns % 2 == 0, angles.sin(), angles.cos())",
                "{narrow}",
                "form.has_sinusoids",
            ),
        ),
        "task": (("task = self.task_type_embeddings(torch.zeros_like(input_ids))", "{narrow}"),),
        "embedding_sum": (("x = {added}", "{narrow}"),),
        "embedding_norm": _norm("", "x", "x", "{narrow}"),
        "embedding_projection": (("x = self.embeddings_project(x)", "{all}"),),
        "input_norm": _norm("", "x", "normed"),
        "narrowed": _narrowed("bottleneck_", "narrow"),
        "narrowed_for_attention": _narrowed("attention_bottleneck_", "shared"),
        "queries": _projection("Q", "query"),
        "keys": _projection("K", "key"),
        "values": _projection("V", "value"),
        "scores": (("scores = torch.matmul(Q, K.transpose(-1, -2))", "{square}"),),
        "scaled": (("scores = scores / {root}", "{square}"),),
        "biased": (("scores = scores + {mask}", "{square}"),),
        "disentangled": (
            (
                "c2p = torch.matmul(Q, pos_key.transpose(-1, -2)).gather(-1, relative_pos)",
                "{square}",
                TO_POSITION,
            ),
            (
                "p2c = torch.matmul(pos_query, K.transpose(-1, -2)).gather(-2, relative_pos)",
                "{square}",
                TO_CONTENT,
            ),
            ("scores = {score_sum}", "{square}"),
        ),
        "softmax": (
            ("scores = scores + attention_mask", "{square}", f"not {DISTANCE}"),
            ("attn = torch.softmax(scores, dim=-1)", "{square}"),
        ),
        "weighted": "mixed",
        "mixed": (("context = torch.matmul(attn, V)", "{split}"),),
        "span_convolved": (),
        "concat": (
            ("context = context.transpose(1, 2)", "{parted}"),
            ("context = context.reshape(B, T, -1)", "{heads}"),
            ("context = torch.cat((context, conv), dim=-1)", "{joined}", "form.has_span_convolution"),
        ),
        "projected": (("out = self.dense(context)", "{within}"),),
        "attention_sum": (
            ("context = context + {inner}", "{heads}", "form.adds_before_projection"),
            ("{inner} = {inner} + out", "{within}", "not form.adds_before_projection"),
        ),
        "attention_norm": _norm("", "{attended}", "{fed}", "{within}"),
        **{f"earlier_{number}": _earlier(number - 1) for number in range(1, 8)},
        "expanded": (("h = self.intermediate({fed})", "{wide}"),),
        "active": lambda facts: _activated("h", facts.activation),
        "gate": (("gate = self.gate({fed})", "{wide}"),),
        "gated": (("h = h * gate", "{wide}"),),
        "contracted": (("h = self.output(h)", "{within}"),),
        "output_sum": (("{inner} = {inner} + h", "{within}"),),
        "adapter_norm": _norm("adapter_", "x", "normed"),
        "adapted": _adapted,
        "adapter_sum": (
            ("x = normed + a", "{all}", "form.adds_normed_to_adapter"),
            ("x = x + a", "{all}", "not form.adds_normed_to_adapter"),
        ),
        "output_norm": _norm("", "{inner}", "{inner}", "{within}"),
        "convolved": _convolved,
        "convolution_sum": (("x = x + conv", "{all}"),),
        "widened": (("h = self.widen(narrow)", "{all}"),),
        "widened_sum": (("x = h + hidden_states", "{all}"),),
        "output": _output,
        "first": (("first = x[:, 0]", "{one}"),),
        "dense": (("pooled = self.pooler(first)", "{one}"),),
        "pooled": (("pooled = torch.tanh(pooled)", "{one}"),),
    }
)
"""The lines of each stage. In encoders without a line that was tested a stage has none: ()."""

_ARGUMENTS = (
    *("input_ids", "mask_token_id", "token_type_ids", "position_ids"),
    *("x", "narrow", "hidden_states", "cos", "sin", "pos_key", "pos_query", "relative_pos"),
    *("position_bias", "attention_mask", "conv", "context"),
)
"""What a block may be given, in this order; the last two where the stages that make them have no lines."""
_LONGEST_NAMES = 50
_CALL = re.compile(r"self\.([\w.\[\]]+)\((\w+)\)")
_NAME = re.compile(r"(?<![\w.])[a-z]\w*")


def code_block(tensors: StopTensors) -> CodeBlock:
    """Return the code of the part that a stop is in, for the encoder that made the trace."""
    details, trace = tensors.details, tensors.trace
    facts = _Facts(
        trace,
        tensors.layer,
        tensors.absent,
        "" if details is None else details.activation,
        "" if details is None else details.convolution_activation or "tanh",
        None if details is None else details.expanded.shape[1],
    )
    name = _block_of(STAGES[tensors.stop.stage], trace.form)
    stages = [
        stage
        for stage in in_order(trace.form)
        if stage.is_stop and stage.key not in tensors.absent and _block_of(stage, trace.form) == name
    ]
    body = [line for stage in stages for line in _lines_of(stage, facts)]
    modules = _modules(body, facts)
    if name == "attention":
        sizes = "H, d_k = {n_heads}, {head_width}".format_map(facts.fields)
        body = [CodeLine(f"{_INDENT}B, T, _ = x.shape"), CodeLine(_INDENT + sizes), *body]
    # The arguments are what the lines read before they assign it.
    given: set[str] = set()
    assigned: set[str] = set()
    for line in body:
        made, _, read = line.code.partition(" = ")
        given |= set(_NAME.findall(read)) - assigned
        assigned |= set(_NAME.findall(made))
    header = f"def forward({', '.join(('self', *(each for each in _ARGUMENTS if each in given)))}):"
    results = {"attention": facts.inner, "pooler": "first" if "pooled" in facts.absent else "pooled"}
    result = CodeLine(f"{_INDENT}return {results.get(name, 'x')}")
    return CodeBlock(name, (CodeLine(header), *modules, *body, result))


def _block_of(stage: Stage, form: Form) -> Block:
    """Return the block of a stage: the norm that a pre-norm feed-forward part reads is in that of this."""
    return "feed-forward" if stage.key == "attention_norm" and form.is_pre_norm else _BLOCKS[stage.part]


def _lines_of(stage: Stage, facts: _Facts) -> list[CodeLine]:
    """Return the lines of a stage; where there is none a comment, at which one can stop."""
    lines = LINES[stage.key]
    if isinstance(lines, str):
        return [] if _rows(lines, facts) else [_missing(stage)]
    rows = _rows(stage.key, facts)
    keys = (*(key for key, other in LINES.items() if other == stage.key), stage.key)
    made = [
        CodeLine(_INDENT + code.format_map(facts.fields), shape.format_map(facts.fields), keys)
        for code, shape in rows
    ]
    return made or [_missing(stage)]


def _rows(stage: str, facts: _Facts) -> tuple[tuple[str, str], ...]:
    lines = LINES[stage]
    assert not isinstance(lines, str)
    if STAGES[stage].is_of_a_head and facts.form.has_global_tokens:
        return ()  # these have other keys and values
    rows = lines(facts) if callable(lines) else lines
    return tuple((code, shape) for code, shape, *conditions in rows if all(map(facts.meets, conditions)))


def _missing(stage: Stage) -> CodeLine:
    words = Message("“{0}”: not tested for this model, so not shown.", stage.title)
    return CodeLine(f"{_INDENT}# {translated(words)}", "", (stage.key,))


def _modules(body: list[CodeLine], facts: _Facts) -> list[CodeLine]:
    """Return comments that say which modules the lines call: "# self.dense: nn.Linear(256, 256)"."""
    widths = {"x": _width(facts.fields["all"]), "hidden_states": _width(facts.fields["all"])}
    widths |= {"narrow": _width(facts.fields["within"]), "context": _width(facts.fields["joined"])}
    made: dict[str, list[str]] = {}
    for line in body:
        width = _width(line.shape)
        for called, given in _CALL.findall(line.code):
            module = _module(called.rpartition(".")[2], widths.get(given, ""), width, facts.form)
            if width and module and f"self.{called}" not in made.setdefault(module, []):
                made[module].append(f"self.{called}")
        widths[line.code.split()[0]] = width
    # Short names, as those of queries, keys and values, stand in one line.
    return [
        CodeLine(f"{_INDENT}# {group}: {module}")
        for module, names in made.items()
        for group in ([", ".join(names)] if sum(map(len, names)) < _LONGEST_NAMES else names)
    ]


def _width(shape: object) -> str:
    """Return the last number of a shape that is written: "384" of "[1, 11, 384]"."""
    return str(shape).rpartition(" ")[2].strip("[]")


def _module(name: str, inner: str, outer: str, form: Form) -> str:
    """Return how PyTorch makes a module that has `inner` numbers of each token given and makes `outer`.

    "" where that is not known. "…" stands for the rows of a table, which a trace does not have.
    """
    if name.endswith("_embeddings"):
        return f"nn.Embedding(…, {outer})"
    if name.endswith("LayerNorm"):
        return f"nn.LayerNorm({outer})" if form.has_norm_biases else f"nn.LayerNorm({outer}, bias=False)"
    if name.endswith("RMSNorm"):
        return f"nn.RMSNorm({outer})"
    has_bias = {letter: form.has_bias_of(letter) for letter in "QKVO"}
    wide = form.has_biases and form.has_wide_biases
    biases = {"query": has_bias["Q"], "key": has_bias["K"], "value": has_bias["V"], "dense": has_bias["O"]}
    biases |= {"intermediate": wide, "gate": wide, "output": form.has_biases, "pooler": True}
    if name not in biases or not inner:
        return ""
    return f"nn.Linear({inner}, {outer})" if biases[name] else f"nn.Linear({inner}, {outer}, bias=False)"
