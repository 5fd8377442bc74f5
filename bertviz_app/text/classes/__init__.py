"""The tokenizer classes of `transformers`, made from a vocabulary and from what a checkpoint declares."""
