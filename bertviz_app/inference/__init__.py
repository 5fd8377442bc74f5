"""The loaded models and the threads that use them. Torch is read on first use, never on import."""
