"""Models written in notebooks: recognised by the names and shapes of their weights."""
