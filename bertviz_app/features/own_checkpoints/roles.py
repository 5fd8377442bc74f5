"""Which part of a model each tensor of a file is: by names and shapes, by known schemes, or by the user."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

from torch import Tensor

from bertviz_app.checkpoint.questions import HEAD, LAYER, OF_EVERY_LAYER, ClassifierInput, FileModule
from bertviz_app.errors import Message
from bertviz_app.values import dataclass, field

_PROJECTIONS = ("query", "key", "value")

_WEIGHTS = frozenset({"weight", "gamma", "gain", "a_2", "alpha", "g", "scale"})
_BIASES = frozenset({"bias", "beta", "b_2", "b", "shift"})
_SUFFIX = re.compile(r"^(.+)_(weight|bias)$")
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
_NUMBER = re.compile(r"(?<![^.])\d+(?=\.)")


def _known(words: str) -> frozenset[str]:
    return frozenset(words.split())


_QUERY = frozenset({"q", "qs", "query", "queries", "wq"})
_KEY = frozenset({"k", "ks", "key", "keys", "wk"})
_VALUE = frozenset({"v", "vs", "value", "values", "wv"})
_FILLING = _known(
    "w weight weights proj projection projections linear linears lin layer to fc dense net matrix mat "
)
_OUTPUT = frozenset({"o", "out", "output", "wo", "final", "concat"})
_FUSED = frozenset({"qkv", "wqkv"})
_ATTENTION = frozenset({"attn", "attention", "attentions", "self", "slf", "mha", "msa", "sa", "multihead"})
_FEED_FORWARD = _known("ff ffn ffw feed forward feedforward mlp pwff pos pointwise fc intermediate ffnn ")
_PAIRS = (
    *(("up", "down"), ("expand", "contract"), ("in", "out"), ("intermediate", "output"), ("input", "output")),
    *(("wi", "wo"), ("wide", "narrow"), ("inner", "outer"), ("first", "second")),
)
_TOKEN_WORDS = _known(
    "tok token tokens word words lut src wte vocab emb embed embedding embeddings enc input "
)
_TOKENS = _known("tok token tokens word words lut wte")
_SEGMENT = re.compile(r"^(seg\w*|type|sent|sentence)$")
_POSITION = re.compile(r"^(pos\w*|pe|wpe)$")
_EMBEDDING = re.compile(r"^(emb\w*|tok|token)$")
_LAST = re.compile(r"(^|[._])(final|last|ln_f|norm_f|norm_out|out_norm)")
_HEAD_WORDS = _known(
    "fc classifier classification cls decoder head heads out output mlm lm nsp mask masked "
    "next prediction predictions predict projection linear generator logits label labels "
)


@dataclass(frozen=True)
class Module:
    """A weight and a bias that belong together, by the name before them; shapes of one layer, () for none."""

    name: str
    weight: tuple[int, ...] = ()
    bias: tuple[int, ...] = ()
    tensors: tuple[str, ...] = ()  # names with {layer} and {head}
    n_heads: int = 0  # of one for each head
    in_layers: bool = False
    own: str = ""  # its name without what it is in, as far as the layers are in that, too

    @property
    def is_dense(self) -> bool:
        """Whether it is a matrix."""
        return len(self.weight) >= 2

    @property
    def words(self) -> list[str]:
        """The words of its own name, in lower case: those of what holds the whole encoder say nothing."""
        return words(self.own)


@dataclass(frozen=True)
class Reading:
    """Which part each module of a file is.

    `roles`: the decided ones, by the modules' names; `doubtful`: the best guesses, which the user decides;
    `unknown`: modules without a guess. `layers`: the numbers of the layers in the file's names, in order.
    `prefix`: what the names of the layers begin with; `template`: a layer that was cloned, and is unused.
    `is_transposed`: weights are [in, out], as far as shapes show it.
    """

    modules: tuple[Module, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict)
    doubtful: Mapping[str, str] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()
    layers: tuple[int, ...] = ()
    prefix: str = ""
    template: str = ""
    is_transposed: bool = False
    lone_norm: str = ""  # a norm of the embeddings, or the one after the last layer

    def module_with(self, role: str) -> Module | None:
        """Return the first module with this role."""
        return next((module for module in self.modules if self.roles.get(module.name) == role), None)

    @property
    def parts(self) -> tuple[FileModule, ...]:
        """The modules of the file with their roles, certain or guessed."""
        guesses = {self.lone_norm: "embedding_norm", **self.doubtful, **self.roles}
        return tuple(
            FileModule(
                module.name,
                tuple(shape for shape in (module.weight, module.bias) if shape),
                guesses.get(module.name, ""),
                is_certain=module.name in self.roles,
            )
            for module in self.modules
        )

    @property
    def n_alike(self) -> int:
        """How many heads share the matrix [E, E] of their queries, keys or values; 1: each has its own."""
        query, table = self.module_with("query"), self.module_with("token")
        if query is None or table is None or query.n_heads or len(query.weight) != 2:
            return 1
        (rows, columns), width = query.weight, table.weight[-1]
        return width // columns if rows == columns < width and width % columns == 0 else 1

    @property
    def n_heads(self) -> int | None:
        """The number of heads, where the weights show it."""
        query = self.module_with("query")
        count = self.n_alike if query is None or not query.n_heads else query.n_heads
        return count if count > 1 else None


def words(name: str) -> list[str]:
    """Return the words and numbers of a name, in lower case: "attn.W_Q" has attn, w and q."""
    return [word.lower() for word in _WORD.findall(name)]


def module_of(name: str) -> tuple[str, str]:
    """Return the name of the module that a tensor belongs to, and whether it is its "weight" or "bias"."""
    before, _, last = name.rpartition(".")
    if before and last in _WEIGHTS:
        return before, "weight"
    if before and last in _BIASES:
        return before, "bias"
    found = _SUFFIX.match(name)
    return (found[1], found[2]) if found else (name, "weight")


def is_bare(name: str) -> bool:
    """Return whether a tensor is a weight of no module of torch's: these are called “.weight”, [out, in]."""
    return module_of(name)[1] == "weight" and not name.endswith((".weight", ".in_proj_weight"))


def stacks_of(tensors: Mapping[str, Tensor]) -> dict[str, list[int]]:
    """Return the stacks of layers: what their names begin with, and the numbers of their layers.

    A layer has four matrices or more, of which some belong to an attention and some do not.
    """
    inside: dict[str, dict[str, None]] = {}
    numbers: dict[str, set[int]] = {}
    for name, tensor in tensors.items():
        if tensor.dim() < 2:
            continue
        for found in _NUMBER.finditer(name):
            prefix = name[: found.start()]
            inside.setdefault(prefix, {})[name[found.end() + 1 :]] = None
            numbers.setdefault(prefix, set()).add(int(found[0]))
    stacks = {prefix: rests for prefix, rests in inside.items() if _is_layer(rests)}
    deepest = [
        prefix
        for prefix in stacks
        if not any(other != prefix and other.startswith(prefix) for other in stacks)
    ]
    return {prefix: sorted(numbers[prefix]) for prefix in deepest}


def _is_layer(rests: Iterable[str]) -> bool:
    kinds = [bool(_ATTENTION & set(words(rest))) or _projection(module_of(rest)[0]) != "" for rest in rests]
    return len(kinds) >= 4 and any(kinds) and not all(kinds)


def likely_stack(tensors: Iterable[str]) -> str | None:
    """Return what most names with a number have before it, None if no two numbers are after it."""
    numbers: dict[str, list[str]] = {}
    for name in tensors:
        if found := _NUMBER.search(name):
            numbers.setdefault(name[: found.start()], []).append(found[0])
    several = {prefix: len(found) for prefix, found in numbers.items() if len(set(found)) > 1}
    return max(several, key=several.__getitem__, default=None)


def modules_of(tensors: Mapping[str, Tensor], prefix: str | None) -> tuple[Module, ...]:
    """Return the modules of a file, those of all layers and of all heads as one; `prefix` as in Reading."""
    found: dict[str, dict[str, tuple[int, ...]]] = {}
    named: dict[str, dict[str, None]] = {}
    heads: dict[str, set[str]] = {}
    for name, tensor in tensors.items():
        pattern, head = pattern_of(name, prefix)
        module, kind = module_of(pattern)
        found.setdefault(module, {}).setdefault(kind, tuple(tensor.shape))
        named.setdefault(module, {})[pattern] = None
        if head:
            heads.setdefault(module, set()).add(head)
    return tuple(
        Module(
            name,
            shapes.get("weight", ()),
            shapes.get("bias", ()),
            tuple(named[name]),
            len(heads.get(name, ())),
            LAYER in name,
            _own(name, prefix or ""),
        )
        for name, shapes in found.items()
    )


def _own(name: str, prefix: str) -> str:
    """Return `name` without the modules at its beginning that the layers at `prefix` are in, too."""
    *inside, last = name.split(".")
    shared = [one == other for one, other in zip(inside, prefix.split("."), strict=False)]
    n_shared = shared.index(False) if False in shared else len(shared)
    return ".".join([*inside[n_shared:], last])


def pattern_of(name: str, prefix: str | None) -> tuple[str, str]:
    """Return `name` with {layer} and {head} in the place of their numbers, and the latter number."""
    head = ""
    if prefix is None or not name.startswith(prefix):
        return name, head
    after = re.match(r"(\d+)([._].+)", name[len(prefix) :])
    if after is None:
        return name, head
    rest = after[2][1:]
    found = re.match(r"^((?:.*\.)?\w*heads?)\.(\d+)\.(.*)$", rest)
    if found and _projection(module_of(rest)[0]):
        head, rest = found[2], f"{found[1]}.{HEAD}.{found[3]}"
    return f"{prefix}{LAYER}{after[2][0]}{rest}", head


def _projection(module: str) -> str:
    """Return "query", "key", "value" or "qkv" for the name of such a dense layer, else ""."""
    last = words(module.rpartition(".")[2])
    if {"in", "proj"} == set(last) or _FUSED & set(last) or {"c", "attn"} == set(last):
        return "qkv"
    left = {word for word in last if word not in _FILLING and not word.isdigit()}
    if len(left) == 1:
        for role, known in zip(_PROJECTIONS, (_QUERY, _KEY, _VALUE), strict=True):
            if left <= known:
                return role
    return ""


def read_roles(tensors: Mapping[str, Tensor], prefix: str, given: Mapping[str, str]) -> Reading:
    """Return which part each module of a file is, with the stack of layers at `prefix`.

    `given`: the roles that are known, by the names of modules or tensors, which decide over all others.
    """
    modules = modules_of(tensors, prefix)
    roles = {
        module.name: given[name].partition(".")[0]
        for module in modules
        if (name := next((name for name in (module.name, *module.tensors) if name in given), None))
    }
    layers = [module for module in modules if module.in_layers]
    outside = [module for module in modules if not module.in_layers]
    template = _template(layers, outside, prefix)
    for module in outside:
        if template and module.name.startswith(template):
            roles.setdefault(module.name, "unused")
    table = _token_table(outside, roles)
    width = next((module.weight[0] for module in layers if len(module.weight) == 1), 0)
    if table is not None:
        roles.setdefault(table.name, "token")
        width = table.weight[-1]
    decided, doubtful = _roles_in_layer(layers, width, roles)
    roles |= decided
    roles |= _roles_outside(outside, width, roles)
    is_torch = any(module.name.endswith("self_attn.in_proj") for module in layers)
    lone = _lone_norm(outside, width, roles, prefix, is_torch=is_torch)
    roles |= {name: role for name, role in lone.items() if role}
    undecided = [name for name, role in lone.items() if not role]
    is_alone = len(undecided) == 1 and not {"embedding_norm", "last_norm"} & {*roles.values()}
    lone_norm = undecided[0] if is_alone else ""
    unknown = [
        module.name
        for module in modules
        if module.name not in roles and module.name not in doubtful and module.name != lone_norm
    ]
    return Reading(
        modules,
        roles,
        doubtful,
        tuple(unknown),
        tuple(stacks_of(tensors).get(prefix, ())),
        prefix,
        template,
        _is_transposed(layers, {**doubtful, **roles}),
        lone_norm,
    )


def _template(layers: Sequence[Module], outside: Sequence[Module], prefix: str) -> str:
    """Return what the names of a layer begin with that `nn.TransformerEncoder` cloned, "" without one.

    It is assigned to the model too, so it is saved, and never computed.
    """
    start = f"{prefix}{LAYER}."
    expected = {module.name.removeprefix(start): (module.weight, module.bias) for module in layers}
    shapes = {module.name: (module.weight, module.bias) for module in outside}
    first = next(iter(expected), "")
    for name in shapes:
        before = name.removesuffix(first)
        is_path = before.endswith(".") and name == before + first
        if is_path and all(shapes.get(before + rest) == sizes for rest, sizes in expected.items()):
            return before
    return ""


def _token_table(outside: Sequence[Module], roles: Mapping[str, str]) -> Module | None:
    """Return the table of token embeddings, if the names show one."""
    given = next((module for module in outside if roles.get(module.name) == "token"), None)
    if given is not None:
        return given
    found = [
        module
        for module in outside
        if len(module.weight) == 2
        and not module.bias
        and module.name not in roles
        and _TOKEN_WORDS & set(module.words)
        and not _kind_of_table(module)
        and not _HEAD_WORDS & set(words(module.name.rpartition(".")[2]))
        and not {"prediction", "mlm", "lm", "decoder"} & set(module.words)
    ]
    found = [module for module in found if _TOKENS & set(module.words)] or found
    return found[0] if len(found) == 1 else None


def _roles_in_layer(
    layers: Sequence[Module], width: int, given: Mapping[str, str]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the decided and the doubtful roles of the modules of a layer."""
    roles = {module.name: given[module.name] for module in layers if module.name in given}
    doubtful: dict[str, str] = {}
    for module in layers:
        projection = _projection(module.name) if module.is_dense else ""
        if not projection or module.name in roles or projection in roles.values():
            continue
        # “qkv” does not say whether rows alternate head by head; torch's own in_proj does.
        is_plain = projection != "qkv" or {"in", "proj"} <= set(module.words)
        (roles if is_plain else doubtful)[module.name] = projection
    rest = [module for module in layers if module.is_dense and module.name not in {**roles, **doubtful}]
    # The output of the attention, and the parts of the feed-forward part.
    squares = [module for module in rest if set(_sides(module)) == {width}]
    others = [module for module in rest if module not in squares]
    attention = [m for m in layers if {**roles, **doubtful}.get(m.name) in (*_PROJECTIONS, "qkv")]
    homes = {module.name.rpartition(".")[0] for module in attention}
    taken = {*roles.values(), *doubtful.values()}
    if not attention and len(squares) == 4:  # numbered layers in the usual order, which nothing shows
        doubtful.update(zip((m.name for m in squares), ("query", "key", "value", "output"), strict=True))
        squares = []
    if "output" not in taken:
        beside = [m for m in rest if any(m.name.startswith(f"{home}.") for home in homes)]
        by_shape = squares if len(squares) == 1 else [m for m in squares or others if m in beside]
        named = [m for m in by_shape if _OUTPUT & set(words(m.name.rpartition(".")[2]))]
        wide = [m for m in others if m in beside and m not in squares]
        found = next((each for each in (by_shape, named) if len(each) == 1), wide)
        if len(found) == 1:
            roles[found[0].name] = "output"
    left = [module for module in rest if module.name not in {**roles, **doubtful}]
    _decide_feed_forward(left, width, roles, doubtful)
    norms = [m for m in layers if len(m.weight) == 1 and m.weight[0] == width and m.name not in roles]
    _decide_norms(norms, roles, doubtful)
    return roles, doubtful


def _sides(module: Module) -> tuple[int, ...]:
    """Return the sides of a matrix, without those of 1 that convolutions have."""
    return module.weight if len(module.weight) == 2 else tuple(side for side in module.weight if side != 1)


def _decide_feed_forward(
    left: Sequence[Module], width: int, roles: dict[str, str], doubtful: dict[str, str]
) -> None:
    missing = [role for role in ("expand", "contract") if role not in roles.values()]
    gates = [m for m in left if "gate" in m.words]
    if len(gates) == 1 and len(left) == 3:
        roles[gates[0].name] = "gate"
        left = [m for m in left if m is not gates[0]]
    if len(left) != 2 or len(missing) != 2:
        return
    first, second = left
    pair = _sides(first), _sides(second)
    is_pair = len(pair[0]) == 2 and pair[0] == pair[1][::-1]
    ordered = _ordered(first, second)
    if is_pair and pair[0][0] != pair[0][1]:
        by_bias = [m for m in left if m.bias and m.bias[0] != width]
        by_shape = first if pair[0][1] == width else second
        expands = by_bias[0] if len(by_bias) == 1 else ordered[0] if ordered else by_shape
        other = second if expands is first else first
        roles |= {expands.name: "expand", other.name: "contract"}
        return
    found = dict(zip((m.name for m in ordered or (first, second)), ("expand", "contract"), strict=True))
    (roles if ordered and is_pair else doubtful).update(found)


def _ordered(first: Module, second: Module) -> tuple[Module, Module] | None:
    """Return two modules in the order that their numbers or words show, None if they show none."""
    one, two = first.words, second.words
    numbers = [[int(word) for word in each if word.isdigit()] for each in (one, two)]
    if len(numbers[0]) == len(numbers[1]) and numbers[0] != numbers[1]:
        return (first, second) if numbers[0] < numbers[1] else (second, first)
    for before, after in _PAIRS:
        if before in one and after in two and not (before in two and after in one):
            return first, second
        if before in two and after in one and not (before in one and after in two):
            return second, first
    return None


def _decide_norms(norms: Sequence[Module], roles: dict[str, str], doubtful: dict[str, str]) -> None:
    missing = [role for role in ("attention_norm", "feed_forward_norm") if role not in roles.values()]
    if len(norms) != 2 or len(missing) != 2:
        doubtful.update(zip((norm.name for norm in norms), missing, strict=False))
        return
    kinds = [_kind_of_norm(norm) for norm in norms]
    ordered: Sequence[Module] | None = norms
    if kinds in (["feed_forward", "attention"], ["feed_forward", ""], ["", "attention"]):
        ordered = norms[::-1]
    elif kinds[0] == kinds[1]:
        ordered = _ordered(norms[0], norms[1])
    found = zip((norm.name for norm in ordered or norms), missing, strict=True)
    (roles if ordered else doubtful).update(found)


def _kind_of_norm(norm: Module) -> str:
    name = norm.name.partition(LAYER)[2]
    found = {*name.lower().replace("_", ".").split("."), *words(name)}
    return "feed_forward" if _FEED_FORWARD & found else "attention" if _ATTENTION & found else ""


def _roles_outside(outside: Sequence[Module], width: int, given: Mapping[str, str]) -> dict[str, str]:
    """Return the tables, the pooler and the task heads."""
    found: dict[str, str] = {}
    for module in outside:
        if module.name in given:
            continue
        sides = _sides(module)
        is_table = not module.bias and len(sides) == 2 and (sides[-1] == width or len(module.weight) != 2)
        role = _kind_of_table(module) if is_table else ""
        dot, is_matrix = "." in module.name, len(module.weight) == 2
        # A norm is of a head by the names of what it is in.
        inside = module.name if is_matrix or not dot else module.own.rpartition(".")[0]
        if role and role not in (*given.values(), *found.values()):
            found[module.name] = role
        elif "pooler" in module.words and module.weight == (width, width):
            found[module.name] = "pooler"
        elif not dot and not is_matrix and module.weight:
            continue  # a norm of the model, or a bare tensor such as “cls_token”
        elif _HEAD_WORDS & set(words(inside)):
            found[module.name] = "head"
    return found


def _kind_of_table(module: Module) -> str:
    """Return "position" or "segment" if the last part of the name that is of one kind is so, else ""."""
    for part in reversed(module.own.split(".")):
        found = words(part)
        for kind, pattern in (("position", _POSITION), ("segment", _SEGMENT)):
            if any(pattern.match(word) for word in found):
                return kind
        if _TOKENS & set(found):
            return ""
    return ""


def _lone_norm(
    outside: Sequence[Module], width: int, given: Mapping[str, str], prefix: str, *, is_torch: bool
) -> dict[str, str]:
    """Return the roles of the norms outside of the layers, "" where the name does not show it."""
    home = next((name for name, role in given.items() if role == "token"), "").rpartition(".")[0]
    stack = prefix.rpartition(".")[0].rpartition(".")[0]  # of “encoder.layers.” “encoder”
    norms = [
        m for m in outside if m.weight == (width,) and m.name not in given and not _HEAD_WORDS & set(m.words)
    ]
    found: dict[str, str] = {}
    for norm in norms:
        parent, _, last = norm.name.rpartition(".")
        if any(_EMBEDDING.match(word) for word in norm.words) or (home and parent == home):
            found[norm.name] = "embedding_norm"
        elif _LAST.search(last) or (is_torch and stack and parent == stack and last == "norm"):
            found[norm.name] = "last_norm"
        else:
            found[norm.name] = ""
    if sorted(found.values()) in (["", "embedding_norm"], ["", "last_norm"]):
        other = "last_norm" if "embedding_norm" in found.values() else "embedding_norm"
        stack_alone = [name for name, role in found.items() if not role]
        parent = stack_alone[0].rpartition(".")[0]
        # A last norm stands beside the layers, or is the model's own.
        if other == "embedding_norm" or not parent or prefix.startswith(f"{parent}."):
            found[stack_alone[0]] = other
    return found


def _is_transposed(layers: Sequence[Module], roles: Mapping[str, str]) -> bool:
    """Return whether the first layer of the feed-forward part is [in, out] as its bias shows it."""
    expand, contract = (
        next((module for module in layers if roles.get(module.name) == role), None)
        for role in ("expand", "contract")
    )
    sides = () if expand is None else _sides(expand)
    if expand is None or len(sides) != 2 or sides[0] == sides[1]:
        return False
    if expand.bias:
        return expand.bias[0] == sides[1]
    return contract is not None and bool(contract.bias) and contract.bias[0] != _sides(contract)[0]


@dataclass(frozen=True)
class Scheme:
    """A model, or its embeddings or layers, known by the names of its modules.

    A file is of the scheme if each of `marks` is found in one of its names, and none of `absent`. `roles`
    are shapes do not show, by patterns of the ends of the names of modules. `form` is how it is put
    together, `first_position` and `first_segment` the ids that its code begins with, `eps` and `activation`
    what it fixes: None where the configuration or the user has them. `questions` are those that its files
    always leave open. A scheme with a `refusal` cannot be computed; `remark` is for the user.
    """

    marks: tuple[str, ...]
    roles: Mapping[str, str] = field(default_factory=dict)
    form: Mapping[str, bool] = field(default_factory=dict)
    first_position: int = 0
    first_segment: int = 0
    eps: float | None = None
    activation: str | None = None
    masked_activation: str | None = None
    questions: tuple[str, ...] = ()
    classifier_reads: ClassifierInput | None = None  # by its own code
    follows: int | None = None
    of_embeddings: bool = False  # it says nothing of the layers
    absent: tuple[str, ...] = ()
    refusal: Message | None = None
    remark: Message | None = None

    def is_of(self, names: Collection[str]) -> bool:
        """Return whether a file with modules of these `names` is of the scheme."""
        found = all(any(re.search(mark, name) for name in names) for mark in self.marks)
        return found and not any(re.search(mark, name) for mark in self.absent for name in names)

    def roles_of(self, names: Collection[str]) -> dict[str, str]:
        """Return the roles of the modules whose names end as `roles` says, of a layer or not as the role."""
        return {
            name: role
            for ending, role in self.roles.items()
            for name in names
            if (LAYER in name) == (role in OF_EVERY_LAYER) and re.search(rf"(^|\.){ending}$", name)
        }


_DEVIATION = {"norms_by_deviation": True}
_NORMS_FIRST = {"is_pre_norm": True}
_AFTER = {"is_pre_norm": False}
SCHEMES = (
    Scheme(  # positions count from 1, and 0 is that of padding
        (r"(^|\.)encoder\.enc_emb$", r"(^|\.)encoder\.pos_emb$"),
        {"linear": "pooler"},
        first_position=1,
        of_embeddings=True,
    ),
    Scheme(  # codertimo's: segment 0 is that of padding
        (r"(^|\.)token$", r"(^|\.)position\.pe$"), first_segment=1, of_embeddings=True
    ),
    Scheme((r"self_attn\.W_Q$", r"pos_ffn\.conv1$"), form=_AFTER),
    Scheme(  # the norms have torch's own epsilon, whatever the configuration says of BERT's
        (r"attention\.query$", r"attention_output\.0$"),
        form={**_AFTER, "adds_before_projection": True},
        eps=1e-5,
    ),
    Scheme((r"attn\.weight_q$", r"feed_forward\.linear1$"), form=_NORMS_FIRST),
    Scheme(  # torch.nn.TransformerEncoder
        (r"self_attn\.in_proj$", r"linear1$"), questions=("norm_first", "activation", "scales_tokens")
    ),
    Scheme(  # codertimo's BERT-pytorch
        (r"attention\.linear_layers\.0$", r"input_sublayer\.norm$"),
        {
            "attention.linear_layers.0": "query",
            "attention.linear_layers.1": "key",
            "attention.linear_layers.2": "value",
            "attention.output_linear": "output",
            "input_sublayer.norm": "attention_norm",
            "output_sublayer.norm": "feed_forward_norm",
        },
        {**_NORMS_FIRST, **_DEVIATION},
        eps=1e-6,
        activation="gelu_new",
        classifier_reads="first",
        follows=1,
    ),
    Scheme(  # dhlee347's pytorchic-bert
        (r"attn\.proj_q$", r"pwff\.fc1$"),
        {
            "fc": "pooler",
            "linear": "masked_dense",
            r"(?<!embed\.)norm": "masked_norm",
            "decoder": "masked_decoder",
        },
        _AFTER,
        eps=1e-12,
        activation="gelu",
        classifier_reads="pooled",
        follows=1,
    ),
    Scheme(  # Dive into Deep Learning
        (r"attention\.W_q$", r"addnorm1\.ln$"),
        {
            "hidden.0": "pooler",
            "mlm.mlp.0": "masked_dense",
            "mlm.mlp.2": "masked_norm",
            "mlm.mlp.3": "masked_decoder",
        },
        _AFTER,
        eps=1e-5,
        activation="relu",
        masked_activation="relu",
        classifier_reads="pooled",
        follows=1,
    ),
    Scheme(  # The Annotated Transformer
        (r"self_attn\.linears\.0$", r"sublayer\.0\.norm$"),
        {
            "self_attn.linears.0": "query",
            "self_attn.linears.1": "key",
            "self_attn.linears.2": "value",
            "self_attn.linears.3": "output",
            "encoder.norm": "last_norm",
        },
        {**_NORMS_FIRST, **_DEVIATION, "scales_tokens": True},
        eps=1e-6,
        activation="relu",
    ),
    Scheme(  # jadore801120's attention-is-all-you-need-pytorch
        (r"slf_attn\.w_qs$", r"pos_ffn\.w_1$"),
        {"layer_norm": "embedding_norm"},
        {**_AFTER, "scales_tokens": False},
        eps=1e-6,
        activation="relu",
        questions=("scales_tokens",),
    ),
    Scheme(  # dreamgonfly's BERT-pytorch
        (r"sublayer\.query_projection$", r"pointwise_feedforward_layer\."),
        {},
        {**_AFTER, **_DEVIATION},
        eps=1e-6,
        activation="gelu_new",
        classifier_reads="first",
        follows=1,
    ),
    Scheme(  # zolda93's BERT-from-scratch
        (r"mha\.Q$", r"positonalencoding\.poeisitional_encoding$"),
        {},
        {**_AFTER, **_DEVIATION, "doubles_tokens": True},
        first_segment=1,
        eps=1e-6,
        activation="gelu",
        classifier_reads="first",
        follows=1,
        remark=Message(
            "By the names of its weights it is zolda93's BERT-from-scratch, whose code adds the token "
            "embedding twice: so it is computed here."
        ),
    ),
    Scheme(  # graykode's nlp-tutorial
        (r"enc_self_attn\.W_Q$", r"pos_ffn\.fc1$"),
        absent=(r"enc_self_attn\.(?!W_[QKV]$)",),
        refusal=Message(
            "The output projection and the norms of its attention are not among its weights: its code makes "
            "them anew, at random, at each pass, so the model cannot be computed again."
        ),
    ),
    Scheme(  # coaxsoft's pytorch_bert
        (r"(^|\.)encoder\.attention\.heads\.0\.q$", r"(^|\.)encoder\.attention\.linear$"),
        refusal=Message(
            "This model has no residual sums, and divides its scores by the square root of the number of "
            "tokens, not by that of the width of a head. Neither is computed here."
        ),
    ),
)
"""The first of the layers, and the first of the embeddings, that a file is of are its own."""
