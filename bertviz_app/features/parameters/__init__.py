"""Every matrix and vector of a checkpoint, and a row of it times an input."""
