"""Every matrix and vector of an open checkpoint as a table, and one linear product."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from pathlib import Path
from typing import Literal, overload

import numpy as np

from bertviz_app.errors import Message, SelectionError
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Table, write_file, write_table_csv, write_table_json
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

Translate = Callable[[str, str], str]
_KEY = re.compile(r"^(?:heads\.)?(?:layers\.\d+\.)?(?P<module>.+?)(?:\.(?P<kind>weight|bias))?$")
_TABLES = (
    *(f"embeddings.{name}" for name in ("token", "segment", "position", "task")),
    *("attention.distance", "disentangled.table"),
)
"""Modules whose rows are looked up, not multiplied."""


def in_english(context: str, text: str) -> str:
    """Return `text`, which is English already; for use as `translate`."""
    return text


def title_of(key: str, translate: Translate) -> tuple[str, str]:
    """Return the title of the parameter with this key, and its symbol, "" if it has none."""
    found = _KEY.match(key)
    assert found is not None
    module, kind = found["module"], found["kind"]
    name, index = _named(module, translate)
    # MobileBERT has several feed-forward parts.
    if (earlier := re.match(r"^earlier\.(?P<number>\d+)\.(?P<part>.+)$", module)) is not None:
        name, index = _named(earlier["part"], translate)
        name = translate("Parameters", "Feed-forward part {0}, {1}").format(int(earlier["number"]) + 1, name)
    if module.endswith("norm") or ".norm" in module:
        what = translate("Parameters", "shift") if kind == "bias" else translate("Parameters", "scale")
        letter = "β" if kind == "bias" else "γ"
    elif kind == "bias":
        what, letter = translate("Parameters", "bias"), "b"
    elif module in _TABLES or "relative" in module:
        return name, index
    else:
        what, letter = translate("Parameters", "weights"), "W"
    return f"{name}: {what}", f"{letter}_{index}" if index else letter


def group_title(group: str, layers: Sequence[int], translate: Translate) -> str:
    """Return the title of a group of parameters; `layers` are those that use it."""
    titles = {
        "embeddings": translate("Parameters", "Embeddings"),
        "attention": translate("Parameters", "attention"),
        "feed_forward": translate("Parameters", "feed-forward"),
        "norms": translate("Parameters", "norms"),
        "top": translate("Parameters", "Positions, and after the last layer"),
        "pooler": translate("Parameters", "Pooler"),
        "task_heads": translate("Parameters", "Task heads"),
        "sentence": translate("Parameters", "Sentence vector"),
    }
    if not layers:
        return titles[group]
    if len(layers) == 1:
        return translate("Parameters", "Layer {0} · {1}").format(layers[0], titles[group])
    return translate("Parameters", "Layers {0} to {1}, shared · {2}").format(
        layers[0], layers[-1], titles[group]
    )


def _named(module: str, translate: Translate) -> tuple[str, str]:
    """Return the name of a module and the index of its symbol."""
    names = {
        "embeddings.token": (translate("Parameters", "Token embeddings"), "E_t"),
        "embeddings.segment": (translate("Parameters", "Segment embeddings"), "E_s"),
        "embeddings.position": (translate("Parameters", "Position embeddings"), "E_p"),
        "embeddings.task": (translate("Parameters", "Task embeddings"), "E_k"),
        "embeddings.norm": (translate("Parameters", "Norm of the embeddings"), ""),
        "embeddings.projection": (translate("Parameters", "Projection of the embeddings"), "E"),
        "attention.query": (translate("Parameters", "Queries"), "Q"),
        "attention.key": (translate("Parameters", "Keys"), "K"),
        "attention.value": (translate("Parameters", "Values"), "V"),
        "attention.output": (translate("Parameters", "Output of the heads"), "O"),
        "attention.position_query": (translate("Parameters", "Queries of distances"), "Q,r"),
        "attention.position_key": (translate("Parameters", "Keys of distances"), "K,r"),
        "attention.distance": (translate("Parameters", "Embeddings of distances"), "E_d"),
        "attention.everywhere.query": (translate("Parameters", "Queries of global tokens"), "Q,g"),
        "attention.everywhere.key": (translate("Parameters", "Keys of global tokens"), "K,g"),
        "attention.everywhere.value": (translate("Parameters", "Values of global tokens"), "V,g"),
        "attention.beside.key_depthwise": (translate("Parameters", "Keys of spans, each dimension"), ""),
        "attention.beside.key_pointwise": (translate("Parameters", "Keys of spans"), "K,s"),
        "attention.beside.kernel": (translate("Parameters", "Kernels of the convolutions"), "κ"),
        "attention.beside.source": (translate("Parameters", "Input of the convolutions"), "u"),
        "attention_norm": (translate("Parameters", "Norm of the attention"), ""),
        "feed_forward.expand": (translate("Parameters", "Expansion"), "1"),
        "feed_forward.gate": (translate("Parameters", "Gate"), "G"),
        "feed_forward.contract": (translate("Parameters", "Contraction"), "2"),
        "feed_forward_norm": (translate("Parameters", "Norm of the feed-forward part"), ""),
        "embeddings.token_projection.dense": (translate("Parameters", "Projection of token embeddings"), "E"),
        "adapter.norm": (translate("Parameters", "Norm of the adapter"), ""),
        "adapter.down": (translate("Parameters", "Adapter of the language, narrowed"), ""),
        "adapter.up": (translate("Parameters", "Adapter of the language, widened"), ""),
        "narrow.dense": (translate("Parameters", "Bottleneck at the beginning"), ""),
        "narrow.norm": (translate("Parameters", "Bottleneck at the beginning"), ""),
        "narrow_for_attention.dense": (translate("Parameters", "Bottleneck of queries and keys"), ""),
        "narrow_for_attention.norm": (translate("Parameters", "Bottleneck of queries and keys"), ""),
        "widen": (translate("Parameters", "Back to the full width"), ""),
        "output_norm": (translate("Parameters", "Norm of the output"), ""),
        "norm": (translate("Parameters", "norm"), ""),
        "pooler.dense": (translate("Parameters", "Dense layer of the pooler"), "P"),
        "final_norm": (translate("Parameters", "Norm after the last layer"), ""),
        "convolution.convolution": (translate("Parameters", "Convolution over neighbours"), "C"),
        "convolution.norm": (translate("Parameters", "Norm of the convolution"), ""),
    }
    names |= _of_task_heads(translate)
    if module in names:
        return names[module]
    by_first_part = {
        "relative": translate("Parameters", "Biases of distances"),
        "disentangled": translate("Parameters", "Embeddings of distances"),
        "rotary": translate("Parameters", "Frequencies of the rotation"),
        "token_labels": translate("Parameters", "Labels of tokens"),
        "answer": translate("Parameters", "Answer"),
        "dense": translate("Parameters", "Task head"),
        "sentence": translate("Parameters", "Sentence vector"),
    }
    return by_first_part.get(module.partition(".")[0], module), ""


def _of_task_heads(translate: Translate) -> dict[str, tuple[str, str]]:
    """Return the names of the modules of task heads."""
    return {
        "masked.dense": (translate("Parameters", "Masked tokens, dense layer"), ""),
        "masked.norm": (translate("Parameters", "Masked tokens, norm"), ""),
        "masked.decoder": (translate("Parameters", "Masked tokens, scores of all pieces"), ""),
        "next_sentence": (translate("Parameters", "Next sentence"), ""),
        "replaced.dense": (translate("Parameters", "Replaced tokens, dense layer"), ""),
        "replaced.output": (translate("Parameters", "Replaced tokens, output"), ""),
        "classifier.dense": (translate("Parameters", "Classifier, dense layer"), ""),
        "classifier.norm": (translate("Parameters", "Classifier, norm"), ""),
        "classifier.output": (translate("Parameters", "Classifier, output"), ""),
        "token_labels.output": (translate("Parameters", "Labels of tokens, output"), ""),
        "answer.output": (translate("Parameters", "Answer, start and end"), ""),
    }


Group = Literal["embeddings", "attention", "feed_forward", "norms", "top", "pooler", "task_heads", "sentence"]
"""The parts of a model. "top": what follows the last layer, or belongs to no single one."""

COLUMNS = ("group", "layer", "what", "symbol", "name", "shape", "parameters", "share", "note")


@dataclass(frozen=True)
class StoredParameter:
    """One matrix or vector of an open checkpoint.

    `key`: the name in this program, the same in every family. `name`: the one in the file; "" where the
    file has none, see `tied_to`. `part`: (number, count), where the tensor in the file holds several.
    `layers`: the layers that use it, several where they share their weights, none outside of the layers.
    `tied_to`: the key of the parameter whose numbers these are; they are counted there. `is_adapted`: an
    adapter beside the file changed the numbers. `is_linear`: it is the matrix of a linear map of tokens.
    """

    key: str
    name: str
    shape: tuple[int, ...]
    group: Group
    layers: tuple[int, ...] = ()
    part: tuple[int, int] = (1, 1)
    tied_to: str = ""
    is_adapted: bool = False
    is_linear: bool = False

    @property
    def n_numbers(self) -> int:
        """How many numbers it has; 0 where they are counted with another parameter."""
        return 0 if self.tied_to else math.prod(self.shape)

    @property
    def is_matrix(self) -> bool:
        """Whether it has rows and columns; else it is a vector."""
        return len(self.shape) > 1

    @property
    def title(self) -> str:
        """What it is, in English: "query weights"."""
        return title_of(self.key, in_english)[0]

    @property
    def symbol(self) -> str:
        """The letter that formulas have for it: "W_Q"; "" where there is none."""
        return title_of(self.key, in_english)[1]

    @property
    def notes(self) -> tuple[Message, ...]:
        """Sentences on what is unusual about it."""
        rows = (
            (len(self.layers) > 1, Message("Used by {0} layers, counted once.", len(self.layers))),
            (self.tied_to, Message("The same numbers as {0}, counted there.", self.tied_to)),
            (self.part[1] > 1, Message("Part {0} of {1} of the tensor in the file.", *self.part)),
            (self.is_adapted, Message("With the adapter added.")),
        )
        return tuple(note for holds, note in rows if holds)


class ParameterTable(HasTable, Sequence[StoredParameter]):
    """All parameters of a checkpoint in the order in which they are used; one is found by its name, too."""

    def __init__(self, entries: Sequence[StoredParameter]) -> None:
        self.entries = tuple(entries)

    @overload
    def __getitem__(self, index: int | str) -> StoredParameter: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[StoredParameter, ...]: ...

    def __getitem__(self, index: int | str | slice) -> StoredParameter | tuple[StoredParameter, ...]:
        return self.find(index) if isinstance(index, str) else self.entries[index]

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[StoredParameter]:
        return iter(self.entries)

    @cached_property
    def total(self) -> int:
        """How many numbers the model has; shared parameters count once."""
        return sum(entry.n_numbers for entry in self.entries)

    def share(self, entry: StoredParameter) -> float:
        """Return the share of the model's numbers that are in `entry`, from 0 to 1."""
        return entry.n_numbers / self.total if self.total else 0.0

    def find(self, name: str) -> StoredParameter:
        """Return the parameter with this name, in the file or in this program. Raises SelectionError."""
        for entry in self.entries:
            if name == entry.key:
                return entry
        named = [entry for entry in self.entries if name == entry.name]
        if len(named) == 1:
            return named[0]
        if named:
            keys = ", ".join(entry.key for entry in named)
            message = Message("The tensor {0} holds {1} parameters.", name, len(named))
            raise SelectionError(message, Message("Name one of them: {0}.", keys))
        message = Message("The checkpoint has no parameter “{0}”.", name)
        raise SelectionError(message, Message("`bertviz-app parameters` lists their names."))

    def sections(self) -> list[tuple[str, tuple[StoredParameter, ...]]]:
        """Return the groups in order, each with an English title: "Layer 0 · attention"."""
        return [(group_title(*at, in_english), entries) for at, entries in self.groups()]

    def groups(self) -> list[tuple[tuple[Group, tuple[int, ...]], tuple[StoredParameter, ...]]]:
        """Return ((group, layers), parameters) in order."""
        found: dict[tuple[Group, tuple[int, ...]], list[StoredParameter]] = {}
        for entry in self.entries:
            found.setdefault((entry.group, entry.layers), []).append(entry)
        return [(at, tuple(entries)) for at, entries in found.items()]

    def as_table(self) -> Table:
        """Return a row for each parameter, with the columns COLUMNS."""
        rows = [
            (
                entry.group,
                " ".join(map(str, entry.layers)),
                entry.title,
                entry.symbol,
                entry.name or entry.key,
                " x ".join(map(str, entry.shape)),
                entry.n_numbers,
                self.share(entry),
                " ".join(entry.notes),
            )
            for entry in self.entries
        ]
        return Table(COLUMNS, rows)

    def save(self, path: str | Path) -> Path:
        """Write the table to a .csv or .json file, which has the total, too; return its path.

        Raises FileError.
        """
        table = self.as_table()
        writers = {
            ".csv": lambda at: write_table_csv(table, at),
            ".json": lambda at: write_table_json(table, at, {"total": self.total}),
        }
        return write_file(path, writers)

    def __repr__(self) -> str:
        return f"<ParameterTable: {len(self)} matrices and vectors, {self.total:,} numbers>"

    def _repr_html_(self) -> str:
        table = self.as_table()
        head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>"
            for row in table.rows
        )
        return f"<b>{self.total:,}</b> parameters<table><tr>{head}</tr>{rows}</table>"


def _cell(cell: object) -> str:
    return f"{cell:.2%}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


@dataclass(frozen=True, eq=False)
class LinearProduct:
    """One output of a linear map for one token: sum(inputs * weights) + bias.

    `weights`: row `output` of the matrix as stored, [out, in]: the column of W in x . W. `token` is None
    where the map reads one vector of the whole text. `computed`: the number in the forward pass.
    """

    key: str
    layer: int | None
    token: int | None
    output: int
    inputs: Floats  # [in]
    weights: Floats  # [in]
    bias: float | None
    computed: float

    @property
    def products(self) -> Doubles:
        """The products [in], in float64."""
        return self.inputs.astype(np.float64) * self.weights

    @property
    def sum(self) -> float:
        return float(self.products.sum())

    @property
    def total(self) -> float:
        """The sum and the bias: `computed`, but for rounding."""
        return self.sum + (self.bias or 0.0)
