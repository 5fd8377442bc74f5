"""Models that many people copy, as a table: what their code fixes and their files do not show."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from bertviz_app.checkpoint.notebooks.roles import LAYER, OF_EVERY_LAYER
from bertviz_app.checkpoint.questions import ClassifierInput
from bertviz_app.errors import Message


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
