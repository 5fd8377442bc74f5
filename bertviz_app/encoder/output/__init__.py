"""From the last hidden state to what a model says: pooled vector, logits, sentence vector."""
