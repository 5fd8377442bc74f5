"""A corpus: the run over its lines, its summary, and the sentences of a bar."""
