"""Models written in notebooks, recognised by the names of their parameters."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from types import MappingProxyType

from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.notebooks.parts import (
    DECODER,
    EMBEDDINGS,
    LAYERS,
    POOLERS,
    STACK,
    STORED_SINUSOIDS,
    Part,
)
from bertviz_app.checkpoint.questions import ClassifierInput
from bertviz_app.checkpoint.weights.prefixes import common_prefixes
from bertviz_app.errors import CheckpointError, Message
from bertviz_app.trace.form import Form

NOTEBOOK = "notebook"
"""Our `model_type` for notebooks' models, whose config.json has none."""

_PREFIXES = ("module.", "model.", "bert.")  # of training on several devices, and of a classifier around it
_HEADS = (
    r"^(projection_\w+|fc(_\w+|\d*)|classifier|cls|decoder|head|out|output|output_layer|\w+_head|(mlm|lm|nsp)(_\w+)?"
    r"|mask_lm|next_sentence{})\."
)
_IGNORED = (re.compile(r"(^|\.)position_ids$"),)
_POSITIONS, _NORM = "embeddings.position.weight", "embeddings.norm."


@dataclass(frozen=True)
class Notebook:
    """What a notebook's names determine: its family, its form, and some fields of an encoder's configuration.

    `lacks_positions`: positions are not stored, so the files do not show how they are computed. `questions`
    are others that its files never answer.
    """

    family: Family
    form: Form
    first_position: int
    first_segment: int
    eps: float | None
    activation: str | None
    lacks_positions: bool
    questions: tuple[str, ...]
    classifier_reads: ClassifierInput | None
    follows: int | None


def notebook_of(names: Collection[str]) -> Notebook | None:
    """Return what kind of model has parameters of these `names`; None if it is none that is known.

    Raises CheckpointError for one with a part that is not computed, or that its names leave ambiguous.
    """
    for outer in common_prefixes(names):
        found = _without_outer([name.removeprefix(outer) for name in names])
        if found is not None:
            return replace(found, family=replace(found.family, outer=outer))
    return None


def _without_outer(names: Collection[str]) -> Notebook | None:
    inner = [_stripped(name) for name in names]
    embeddings = next((part for part in EMBEDDINGS if part.is_in(inner)), None)
    layers = next((part for part in LAYERS if part.is_in(inner)), None)
    if embeddings is None or layers is None:
        return None
    top = next((part for part in POOLERS if part.is_in(inner)), Part((), ()))
    renames = (*_last_norm(inner), *embeddings.renames, STORED_SINUSOIDS, *layers.renames, *top.renames)
    # “linear” is the pooler of some, and a head of others.
    heads = _HEADS.format("" if top.renames else r"|linear\d*")
    family = _family(renames, heads)
    ours = {family.rename(name) for name in inner}
    form = Form(
        **layers.form,
        has_embedding_norm=any(name.startswith(_NORM) for name in ours),
        has_final_norm="final_norm.weight" in ours,
        has_biases="layers.0.attention.output.bias" in ours,
        has_norm_biases="layers.0.attention_norm.bias" in ours,
    )
    return Notebook(
        family,
        form,
        embeddings.first_position,
        embeddings.first_segment,
        layers.eps,
        layers.activation,
        lacks_positions=_POSITIONS not in ours,
        # Torch's tutorial scales its token embeddings; other code that has these layers does not.
        questions=(*layers.questions, *embeddings.questions) if layers.questions else (),
        classifier_reads=layers.classifier_reads,
        follows=layers.follows,
    )


def _family(renames: tuple[tuple[str, str], ...], heads: str) -> Family:
    flattened = (r"^layers\.\d+\.feed_forward\.(expand|contract)\.weight$", rf"^{re.escape(_POSITIONS)}$")
    return Family(
        model_type=NOTEBOOK,
        title="Notebook",
        sizes=MappingProxyType({}),
        choices=MappingProxyType({}),
        fixed=MappingProxyType({}),
        prefixes=_PREFIXES,
        ignored=_IGNORED,
        task_heads=(re.compile(heads),),
        renames=tuple((re.compile(pattern), name) for pattern, name in renames),
        splits={".in_proj.": (".query.", ".key.", ".value.")},
        is_exact=True,
        flattened=tuple(re.compile(pattern) for pattern in flattened),
    )


def _last_norm(names: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Return the rename of the norm on top of a `torch.nn.TransformerEncoder`. Raises CheckpointError."""
    if any(DECODER.search(name) for name in names):
        message = Message(
            "The file holds a decoder besides its encoder; models with a decoder are not supported."
        )
        raise CheckpointError(
            message, Message("Save the state dict of the encoder and its embeddings alone.")
        )
    before = next((found[1] for name in names if (found := STACK.search(name))), None)
    if before is None:
        return ()
    if before == "" and "norm.weight" in names:
        message = Message("The norm “norm” may be that of the embeddings, or the one after the last layer.")
        hint = Message(
            "Save it as “embedding_norm.weight” and “embedding_norm.bias”, or with the layers as "
            "“encoder.layers” and “encoder.norm”."
        )
        raise CheckpointError(message, hint)
    return ((rf"^{re.escape(before)}norm\.", "final_norm."),)


def _stripped(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name
