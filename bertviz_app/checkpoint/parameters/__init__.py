"""The parameters of an open checkpoint: every matrix and vector, by name, size and place in the model."""
