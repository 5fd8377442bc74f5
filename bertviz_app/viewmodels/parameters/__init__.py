"""The parameters of the checkpoints on screen: their table, pictures of their matrices, products."""
