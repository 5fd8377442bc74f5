"""The encoder against `transformers`, on the same weights."""
