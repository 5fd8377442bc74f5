"""The Corpus page: its bar, the distributions of the heads, and sentences."""
