"""The task heads beside a notebook's encoder: dense layers, told apart by their names and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.questions import Answers
from bertviz_app.encoder.config import DenseHeadConfig, TaskHeadsConfig

Shapes = Mapping[str, tuple[int, ...]]
_OF_TEXTS = ("classes", "next_sentence")
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
        return self.task in _OF_TEXTS


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
