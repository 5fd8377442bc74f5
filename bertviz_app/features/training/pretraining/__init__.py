"""Pre-training: masked tokens and next sentences."""
