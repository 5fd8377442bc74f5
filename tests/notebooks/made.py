"""Models for the notebooks: tiny and random, in folders as `from_pretrained` reads them."""

from __future__ import annotations

from pathlib import Path

from tests.api.test_recording import gpt2, t5, word_tokenizer
from tests.support.checkpoints import random_bert, write_bert


def write_models(folder: Path) -> None:
    """Write bert, classifier, gpt2, t5 and vit to `folder`."""
    import torch
    import transformers

    write_bert(folder / "bert")
    torch.manual_seed(0)
    write_bert(folder / "classifier")
    config = transformers.BertConfig.from_pretrained(folder / "classifier")
    config.id2label, config.label2id = {0: "negative", 1: "positive"}, {"negative": 0, "positive": 1}
    classifier = transformers.BertForSequenceClassification(config)
    classifier.bert = random_bert(1)
    classifier.save_pretrained(folder / "classifier")
    tokenizer = word_tokenizer()
    for name, made in (("gpt2", gpt2()), ("t5", t5())):
        made.save_pretrained(folder / name)
        tokenizer.save_pretrained(folder / name)
    sizes = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 32}
    vit = transformers.ViTModel(transformers.ViTConfig(image_size=32, patch_size=8, **sizes))
    vit.save_pretrained(folder / "vit")
