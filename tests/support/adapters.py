"""Small adapters on top of small checkpoints, trained by nobody, written by `peft` as other people's are."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import torch
from transformers import PreTrainedModel

TARGETS = {
    "distilbert": ["q_lin", "v_lin", "lin1", "word_embeddings"],
    "albert": ["query", "value", "ffn", "embedding_hidden_mapping_in"],
    "mpnet": ["attn.q", "attn.v", "output.dense"],
    "modernbert": ["Wqkv", "mlp.Wo", "tok_embeddings"],
    "nomic_bert": ["q_proj", "o_proj", "down_proj"],
    "clip_text_model": ["q_proj", "v_proj", "fc1", "token_embedding"],
    "squeezebert": ["word_embeddings", "position_embeddings"],
    "t5": ["SelfAttention.q", "SelfAttention.v", "DenseReluDense.wi", "shared"],
    "mt5": ["SelfAttention.q", "SelfAttention.v", "DenseReluDense.wi_0", "shared"],
    "eurobert": ["q_proj", "k_proj", "v_proj", "o_proj", "down_proj", "embed_tokens"],
    "gte": ["q_proj", "o_proj", "gate_proj", "word_embeddings"],
    "jina_embeddings_v3": ["v_proj", "o_proj", "fc1"],
    "deberta": ["in_proj", "pos_proj", "intermediate.dense", "word_embeddings"],
    "deberta-v2": ["query_proj", "value_proj", "dense"],
}
"""Modules of each family; the others have the names of BERT."""
OF_BERT = ["query", "value", "intermediate.dense", "word_embeddings"]


def write_adapter(
    folder: Path, base: Path, *, kind: str = "AutoModel", seed: int = 1, **settings: Any
) -> PreTrainedModel:
    """Write a LoRA of the checkpoint in `base` to `folder`; return the model with it merged, in eval mode.

    `kind` is the class of `transformers` that is adapted, `settings` are those of peft's LoraConfig.
    """
    import peft
    import transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on tied tables, and hidden sizes of initialised heads
        model = getattr(transformers, kind).from_pretrained(base, attn_implementation="eager")
        adapted = peft.get_peft_model(model, peft.LoraConfig(**{"r": 4, "lora_alpha": 6} | settings))
        _draw(adapted, seed)
        adapted.save_pretrained(folder)
        merged = adapted.merge_and_unload()
    return merged.eval()


def _draw(adapted: torch.nn.Module, seed: int) -> None:
    """Draw every parameter that is trained, as if it had been."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if parameter.requires_grad:
                noise = torch.randn(parameter.shape, generator=generator)
                is_length = "magnitude" in name
                parameter.copy_(parameter * (1 + 0.2 * noise) if is_length else 0.15 * noise)
