"""The Corpus page in the window."""
